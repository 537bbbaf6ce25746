//! What holds in every dialect: dialects themselves, ids, references, reachability.

use crate::support::*;
use orloj_expr::Language;
use orloj_model::{
    CompletionVariables, Dialect, ElementKind, Failures, IncidentNames, Options, SiblingOrder,
    Throw, UncaughtError, parse,
};

const PLAIN: &str =
    r#"<startEvent id="s"/><endEvent id="e"/><sequenceFlow id="f" sourceRef="s" targetRef="e"/>"#;

fn inferred(xml: &str) -> Dialect {
    parse(xml.as_bytes(), &Options::default()).dialect
}

#[test]
fn the_dialect_is_that_of_the_names_used() {
    let with =
        |attribute: &str| process(PLAIN).replace("id=\"s\"", &format!("id=\"s\" {attribute}"));
    assert_eq!(inferred(&with("")), Dialect::Camunda7, "declared is not used");
    assert_eq!(inferred(&with("camunda:x=\"\"")), Dialect::Camunda7);
    assert_eq!(inferred(&with("flowable:x=\"\"")), Dialect::Flowable);
    assert_eq!(inferred(&with("activiti:x=\"\"")), Dialect::Flowable);
    assert_eq!(inferred(&with("activiti:x=\"\" camunda:x=\"\"")), Dialect::Camunda7);
    assert_eq!(inferred(&with("flowable:x=\"\" camunda:x=\"\"")), Dialect::Flowable);
    assert_eq!(inferred(&with("zeebe:x=\"\" camunda:x=\"\"")), Dialect::Zeebe);
    let cloud = process(PLAIN).replace(
        "<definitions ",
        "<definitions xmlns:m=\"http://camunda.org/schema/modeler/1.0\" m:executionPlatform=\"Camunda Cloud\" ",
    );
    assert_eq!(inferred(&cloud), Dialect::Zeebe);
    let options = Options { plain_dialect: Dialect::Zeebe, ..Options::default() };
    assert_eq!(parse(process(PLAIN).as_bytes(), &options).dialect, Dialect::Zeebe);
    assert_eq!(parse(with("camunda:x=\"\"").as_bytes(), &options).dialect, Dialect::Camunda7);
}

#[test]
fn names_of_vendors_that_are_not_read_are_mentioned() {
    let xml = process(PLAIN).replace("id=\"s\"", "id=\"s\" zeebe:x=\"\" camunda:x=\"\"");
    insta::assert_snapshot!(listed(&parse(xml.as_bytes(), &Options::default())), @"1:1: warning: read as Zeebe; extensions of camunda have no effect [ignored-vendor]");
}

#[test]
fn each_dialect_has_its_meaning() {
    let semantics = |dialect| accepted(&process(PLAIN), dialect).semantics;
    let zeebe = semantics(Dialect::Zeebe);
    assert_eq!((zeebe.language, zeebe.siblings), (Language::Feel, SiblingOrder::Reversed));
    assert_eq!(
        (zeebe.failures, zeebe.uncaught_error),
        (Failures::Incident, UncaughtError::Incident)
    );
    assert_eq!((zeebe.retries_default, zeebe.retry_delay_ms), (3, 0));
    assert_eq!(zeebe.incident_names, IncidentNames::ZEEBE);
    assert_eq!(zeebe.completion, CompletionVariables::Merge);
    let camunda = semantics(Dialect::Camunda7);
    assert_eq!((camunda.language, camunda.siblings), (Language::Uel, SiblingOrder::Document));
    assert_eq!(
        (camunda.failures, camunda.uncaught_error),
        (Failures::RollBack, UncaughtError::EndToken)
    );
    assert_eq!((camunda.retries_default, camunda.retry_delay_ms), (3, 0));
    assert_eq!(camunda.incident_names, IncidentNames::CAMUNDA);
    let flowable = semantics(Dialect::Flowable);
    assert_eq!((flowable.language, flowable.siblings), (Language::Uel, SiblingOrder::Document));
    assert_eq!(
        (flowable.failures, flowable.uncaught_error),
        (Failures::RollBack, UncaughtError::Fail)
    );
    assert_eq!((flowable.retries_default, flowable.retry_delay_ms), (3, 10_000));
    assert_eq!(flowable.incident_names, IncidentNames::FLOWABLE);
}

#[test]
fn the_graph_is_joined() {
    let xml = process(
        r#"<documentation>text</documentation><laneSet id="l"/><dataObject id="d"/>
<endEvent id="e" name="done"/><startEvent id="s"/><parallelGateway id="g"/>
<sequenceFlow id="f2" sourceRef="g" targetRef="e"/><sequenceFlow id="f1" sourceRef="s" targetRef="g"/><sequenceFlow id="f3" sourceRef="g" targetRef="e"/>
<textAnnotation id="n"/><association id="a" sourceRef="e" targetRef="n"/>"#,
    );
    let process = accepted(&xml, Dialect::Camunda7);
    let ids: Vec<&str> = process.elements.iter().map(|e| e.id.as_str()).collect();
    assert_eq!(ids, ["e", "s", "g"]);
    assert_eq!(process.root.none_start, process.find("s"));
    assert!(matches!(process.elements[0].kind, ElementKind::EndEvent(Throw::None)));
    assert_eq!(process.root.members.len(), 3);
    assert_eq!(process.elements[0].name.as_deref(), Some("done"));
    assert_eq!((process.elements[0].position.line, process.elements[0].position.column), (3, 1));
    assert_eq!(process.elements[0].incoming.len(), 2);
    assert_eq!(outgoing(&process, "g"), ["f2", "f3"]);
    assert!(process.find("d").is_none());
}

#[test]
fn all_problems_are_reported_at_once() {
    let xml = process(
        r#"<startEvent id="s"/><startEvent id="s2"/>
<subProcess id="sub"><startEvent id="inner"/></subProcess>
<callActivity id="call"/>
<task/>
<userTask id="s"/>
<userTask/>
<endEvent id="e"><terminateEventDefinition/></endEvent>
<sequenceFlow id="f1" sourceRef="s" targetRef="sub"/>
<sequenceFlow id="f2" sourceRef="sub" targetRef="nowhere"/>
<sequenceFlow id="f3" sourceRef="sub"/>
<sequenceFlow id="f4" sourceRef="e" targetRef="s"/>
<userTask id="lost"/>"#,
    );
    insta::assert_snapshot!(problems(&xml, Dialect::Camunda7), @r#"
    2:21: error: startEvent "s2" is a second start event without a trigger in process "p" [start-event-repeated]
    4:1: error: callActivity "call" names no process [call-target-missing]
    6:1: error: the id "s" is used twice in the process [id-repeated]
    10:50: error: targetRef of sequenceFlow "f2" names "nowhere", which is no element of the process [reference-unknown]
    11:1: error: sequenceFlow "f3" has no targetRef [reference-missing]
    12:1: warning: sequenceFlow "f4" leaves endEvent "e" [flow-from-end]
    12:1: warning: sequenceFlow "f4" enters startEvent "s" [flow-to-start]
    "#);
}

#[test]
fn an_unreachable_element_is_a_warning() {
    let xml = process(&format!(
        "{PLAIN}\n<userTask id=\"lost\"/><endEvent id=\"x\"/><sequenceFlow id=\"g\" sourceRef=\"lost\" targetRef=\"x\"/>"
    ));
    insta::assert_snapshot!(problems(&xml, Dialect::Camunda7), @r#"
    3:1: warning: no token can reach userTask "lost" [element-unreachable]
    3:22: warning: no token can reach endEvent "x" [element-unreachable]
    "#);
}

#[test]
fn a_process_must_be_startable_and_have_an_id() {
    insta::assert_snapshot!(problems(&process(r#"<endEvent id="e"/>"#), Dialect::Zeebe), @r#"1:313: error: process "p" has no start event [start-event-missing]"#);
    insta::assert_snapshot!(problems(&process(r#"<startEvent id="e"><messageEventDefinition/></startEvent>"#), Dialect::Camunda7), @r#"2:20: error: startEvent "e" refers to no message [message-missing]"#);
    insta::assert_snapshot!(problems(&definitions(r#"<process isExecutable="true"/>"#), Dialect::Camunda7), @"2:1: error: a process has no id [id-missing]");
    let twice = r#"<process id="p" isExecutable="true"><startEvent id="s"/></process>"#;
    insta::assert_snapshot!(problems(&definitions(&format!("{twice}\n{twice}")), Dialect::Camunda7), @r#"
    3:1: error: the file has two processes with the id "p" [process-id-repeated]
    3:37: error: the id "s" is used twice in the file [id-repeated]
    "#);
    let long = process(PLAIN).replace("\"s\"", &format!("\"{}\"", "s".repeat(256)));
    insta::assert_snapshot!(problems(&long, Dialect::Camunda7), @r#"
    1:313: error: process "p" has no start event [start-event-missing]
    2:17: error: the id "ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss…" is longer than 255 characters [id-too-long]
    2:326: error: sourceRef of sequenceFlow "f" names "ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss…", which is no element of the process [reference-unknown]
    "#);
    insta::assert_snapshot!(problems("<a/>", Dialect::Camunda7), @r#"1:1: error: the root element "a" is not BPMN definitions [not-bpmn]"#);
    insta::assert_snapshot!(problems(&process(r#"<startEvent id="s"/><endEvent id="e"/><sequenceFlow sourceRef="s" targetRef="e"/>"#), Dialect::Zeebe), @"2:39: error: a sequenceFlow has no id [id-missing]");
}

#[test]
fn a_comment_inside_a_text_is_not_part_of_it() {
    let e = element(
        "<intermediateCatchEvent id=\"e\"><timerEventDefinition><timeDuration><!-- a -->PT<!-- b -->5M</timeDuration></timerEventDefinition></intermediateCatchEvent>",
        Dialect::Camunda7,
    );
    assert_eq!(shown(&timer(&e).value), "\"PT5M\"");
}

/// Each event behind an event-based gateway is looked at once, with all flows that lead to it:
/// sixty thousand flows to one event are as many steps, not their square.
#[test]
fn an_event_behind_a_gateway_is_checked_once_however_many_flows_lead_to_it() {
    let flows: String = (0..3)
        .map(|n| format!(r#"<sequenceFlow id="f{n}" sourceRef="g" targetRef="t"/>"#))
        .collect();
    let body =
        format!(r#"<startEvent id="s"/><eventBasedGateway id="g"/><userTask id="t"/>{flows}"#);
    for dialect in [Dialect::Camunda7, Dialect::Flowable] {
        let parsed = read(&process(&body), dialect);
        let refused = parsed.diagnostics.iter().filter(|d| d.code == "event-gateway-target");
        assert_eq!(refused.count(), 1, "{dialect}: {:?}", parsed.diagnostics);
    }
}

/// Accepted before, as a definition that is loaded again.
fn again(xml: &str) -> orloj_model::Parsed {
    let options = Options { was_accepted: true, ..Options::of(Dialect::Camunda7) };
    parse(xml.as_bytes(), &options)
}

#[test]
fn what_checks_refuse_today_does_not_hold_up_what_was_accepted() {
    let xml = process(&format!(r#"{PLAIN}<startEvent id="again"/>"#));
    let today = read(&xml, Dialect::Camunda7);
    assert!(today.has_errors() && today.processes.is_empty() && today.outgrown.is_none());
    let loaded = again(&xml);
    assert_eq!(loaded.processes.len(), 1, "{}", listed(&loaded));
    assert!(!loaded.has_errors());
    assert_eq!(loaded.outgrown.map(|problem| problem.code), Some(today.diagnostics[0].code));
    let fine = again(&process(PLAIN));
    assert_eq!((fine.processes.len(), fine.outgrown), (1, None));
}

#[test]
fn what_cannot_be_read_is_refused_though_it_was_accepted() {
    let unknown = process(&PLAIN.replace("targetRef=\"e\"", "targetRef=\"nowhere\""));
    let loaded = again(&unknown);
    assert!(loaded.has_errors() && loaded.processes.is_empty());
}
