//! Which extensions a deployment takes and which it refuses, as the published engines did: Camunda
//! 7.24, Flowable 8.0 and Zeebe 8.8 were asked about every case of the tables in `verdicts/`.
//!
//! A line is the verdict, a name, and the parts of a model with one element `t` between a start
//! and an end event: the element, attributes and extensions of the process, attributes of the
//! flow to the element, what stands beside the process, what stands inside of the flow, and what
//! else the process holds. Without an element the fifth part is all there is.

use orloj_model::{Dialect, Options, Severity, parse};

const CAMUNDA: &str = include_str!("verdicts/camunda7.tsv");
const FLOWABLE: &str = include_str!("verdicts/flowable.tsv");
const ZEEBE: &str = include_str!("verdicts/zeebe.tsv");
/// Verdicts of Camunda and Flowable, and an expression as JSON.
const UEL: &str = include_str!("verdicts/uel.tsv");

/// Where this parser answers differently on purpose, or cannot know better.
const DIFFERENCES: &[(&str, &str)] = &[
    ("dec-deployment", "the other files of the deployment are not known here"),
    ("ut-form-dep", "the other files of the deployment are not known here"),
    ("ut-job-form-dep", "the other files of the deployment are not known here"),
    ("ca-dep", "the other files of the deployment are not known here"),
    ("long-class", "names of jobs have a limit"),
    ("long-type", "names of jobs have a limit"),
    ("ws-ok", "how web services are bound is not looked at"),
    ("ws-send", "how web services are bound is not looked at"),
    ("prio-long", "constant priorities have 64 bits"),
    ("taskprio-process-long", "constant priorities have 64 bits"),
];

/// The same for expressions: functions of one system are known to the other as well, and functions
/// written as arrows are not known.
const EXPRESSION_DIFFERENCES: &[&str] = &[
    "${a -> b}",
    "${(x) -> x}",
    "${now()}",
    "${9999999999999999999}",
    "${variables:get('a')}",
    "${date:now()}",
    "${var:get(a)}",
    "${vars:getOrDefault(a, 1)}",
];

#[test]
fn camunda() {
    check(Dialect::Camunda7, CAMUNDA);
}

#[test]
fn flowable() {
    check(Dialect::Flowable, FLOWABLE);
}

#[test]
fn zeebe() {
    check(Dialect::Zeebe, ZEEBE);
}

/// Both systems parse the expression of a service task when it is deployed.
#[test]
fn expressions() {
    let mut wrong = Vec::new();
    for line in UEL.lines() {
        let [camunda, flowable, text]: [&str; 3] =
            line.split('\t').collect::<Vec<_>>().try_into().expect("three columns");
        let text: String = serde_json::from_str(text).expect("JSON");
        let escaped: String = text
            .chars()
            .map(|c| match c {
                '&' => "&amp;".to_owned(),
                '<' => "&lt;".to_owned(),
                '"' => "&quot;".to_owned(),
                '\n' => "&#10;".to_owned(),
                '\t' => "&#9;".to_owned(),
                other => other.to_string(),
            })
            .collect();
        for (dialect, prefix, verdict) in
            [(Dialect::Camunda7, "camunda", camunda), (Dialect::Flowable, "flowable", flowable)]
        {
            let element = format!(r#"<serviceTask id="t" {prefix}:expression="{escaped}"/>"#);
            let xml = model(&[&element, "", "", "", "", "", ""]);
            let parsed = parse(xml.as_bytes(), &Options::of(dialect));
            let differs = EXPRESSION_DIFFERENCES.contains(&&*text);
            if parsed.has_errors() != (verdict == "rejected") && !differs {
                wrong.push(format!("{dialect} says {verdict} to {text:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}

fn check(dialect: Dialect, table: &str) {
    let mut wrong = Vec::new();
    for line in table.lines() {
        let mut columns = line.split('\t');
        let mut column = || columns.next().unwrap_or_default();
        let (verdict, name) = (column(), column());
        let parts: [&str; 7] = std::array::from_fn(|_| column());
        let parsed = parse(model(&parts).as_bytes(), &Options::of(dialect));
        let expected = match verdict {
            "ok" => false,
            "rejected" => true,
            other => panic!("{name}: the verdict {other}"),
        };
        let differs = DIFFERENCES.iter().any(|(case, _)| *case == name);
        if (parsed.has_errors() != expected) != differs {
            let errors: Vec<_> = parsed
                .diagnostics
                .iter()
                .filter(|diagnostic| diagnostic.severity == Severity::Error)
                .map(ToString::to_string)
                .collect();
            wrong.push(format!("{name}: the engine says {verdict}, {errors:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}

fn model(parts: &[&str; 7]) -> String {
    let [element, attributes, extensions, flow, beside, inside_flow, rest] = parts;
    let head = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
        xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
        xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
        xmlns:flowable="http://flowable.org/bpmn" xmlns:activiti="http://activiti.org/bpmn"
        xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"
        xmlns:fox="http://www.camunda.com/fox" id="d" targetNamespace="t">"#;
    if element.is_empty() {
        return format!("{head}{beside}</definitions>");
    }
    let extensions = match extensions.is_empty() {
        true => String::new(),
        false => format!("<extensionElements>{extensions}</extensionElements>"),
    };
    format!(
        r#"{head}{beside}<process id="p" isExecutable="true" {attributes}>{extensions}
        <startEvent id="s"/>
        <sequenceFlow id="f1" sourceRef="s" targetRef="t" {flow}>{inside_flow}</sequenceFlow>
        {element}
        <sequenceFlow id="f2" sourceRef="t" targetRef="e"/>
        <endEvent id="e"/>{rest}</process></definitions>"#
    )
}
