//! Small models, and short ways to look at what became of them.

use orloj_model::{
    Boundary, Dialect, Element, ElementKind, Listener, Mapping, MappingSource, Options, Parsed,
    Process, Script, ServiceTask, Timer, Trigger, UserTask, WorkerTask, parse,
};

const NAMESPACES: &str = concat!(
    r#"xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL""#,
    r#" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0""#,
    r#" xmlns:camunda="http://camunda.org/schema/1.0/bpmn""#,
    r#" xmlns:flowable="http://flowable.org/bpmn""#,
    r#" xmlns:activiti="http://activiti.org/bpmn""#,
    r#" xmlns:fox="http://www.camunda.com/fox""#,
    r#" targetNamespace="test""#,
);

/// The body starts on line 2.
pub fn definitions(body: &str) -> String {
    format!("<definitions {NAMESPACES}>\n{body}\n</definitions>")
}

/// The body starts on line 2.
pub fn process(body: &str) -> String {
    format!(
        "<definitions {NAMESPACES}><process id=\"p\" isExecutable=\"true\">\n{body}\n</process></definitions>"
    )
}

/// `start`, the given elements and `end` in a row. The first given element is on line 2.
pub fn chain(elements: &[(&str, &str)]) -> String {
    let mut body: String = elements.iter().map(|(_, xml)| format!("{xml}\n")).collect();
    body.push_str("<startEvent id=\"start\"/><endEvent id=\"end\"/>\n");
    let ids = elements.iter().map(|(id, _)| *id);
    let stops: Vec<&str> = ["start"].into_iter().chain(ids).chain(["end"]).collect();
    for pair in stops.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let flow =
            format!(r#"<sequenceFlow id="{from}-{to}" sourceRef="{from}" targetRef="{to}"/>"#);
        body.push_str(&flow);
    }
    process(&body)
}

/// A chain of one element with the id `e`.
pub fn one(xml: &str) -> String {
    chain(&[("e", xml)])
}

pub fn read(xml: &str, dialect: Dialect) -> Parsed {
    parse(xml.as_bytes(), &Options::of(dialect))
}

/// The diagnostics, a line each.
pub fn problems(xml: &str, dialect: Dialect) -> String {
    let parsed = read(xml, dialect);
    assert_eq!(parsed.has_errors(), parsed.processes.is_empty(), "{:?}", parsed.diagnostics);
    listed(&parsed)
}

pub fn listed(parsed: &Parsed) -> String {
    parsed.diagnostics.iter().map(|d| format!("{d}\n")).collect()
}

/// The only process of a file without any problem.
pub fn accepted(xml: &str, dialect: Dialect) -> Process {
    let parsed = read(xml, dialect);
    assert_eq!(listed(&parsed), "");
    assert_eq!(parsed.dialect, dialect);
    let [process] = <[Process; 1]>::try_from(parsed.processes).expect("one process");
    process
}

/// The element `e` of [`one`], which must have no problem.
pub fn element(xml: &str, dialect: Dialect) -> Element {
    let process = accepted(&one(xml), dialect);
    process.element(process.find("e").expect("e")).clone()
}

pub fn worker(element: &Element) -> &WorkerTask {
    match &element.kind {
        ElementKind::ServiceTask(ServiceTask::Worker(task)) => task,
        other => panic!("{other:?} is no worker task"),
    }
}

pub fn user_task(element: &Element) -> &UserTask {
    match &element.kind {
        ElementKind::UserTask(task) => task,
        other => panic!("{other:?} is no user task"),
    }
}

pub fn timer(element: &Element) -> &Timer {
    match &element.kind {
        ElementKind::CatchEvent(Some(Trigger::Timer(timer)))
        | ElementKind::BoundaryEvent(Boundary { trigger: Trigger::Timer(timer), .. }) => timer,
        other => panic!("{other:?} has no timer"),
    }
}

/// JSON of a constant, `language(source)` of anything else.
pub fn shown(expression: &orloj_expr::Expression) -> String {
    match expression.as_constant() {
        Some(value) => value.to_json(),
        None => format!("{:?}({})", expression.language(), expression.source()),
    }
}

pub fn shown_or_none(expression: &Option<orloj_expr::Expression>) -> Option<String> {
    expression.as_ref().map(shown)
}

/// An expression, or what a script is.
pub fn shown_script(script: &Script) -> String {
    match script {
        Script::Expression(expression) => shown(expression),
        Script::Program(program) => format!("{:?}({})", program.language, program.source),
        Script::Resource(resource) => {
            format!("{:?} of {}", resource.language, shown(&resource.name))
        }
        Script::Unusable(reason) => format!("unusable: {reason}"),
    }
}

/// `source -> target` of each.
pub fn shown_mappings(mappings: &[Mapping]) -> Vec<String> {
    let line = |m: &Mapping| format!("{} -> {}", shown_source(&m.source), m.target.join("."));
    mappings.iter().map(line).collect()
}

fn shown_source(source: &MappingSource) -> String {
    match source {
        MappingSource::Expression(expression) => shown(expression),
        MappingSource::Script(script) => shown_script(script),
        MappingSource::List(items) => {
            format!("[{}]", items.iter().map(shown_source).collect::<Vec<_>>().join(", "))
        }
        MappingSource::Map(entries) => {
            let entry = |(key, value): &(_, _)| format!("{}: {}", shown(key), shown_source(value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The event and the code of each.
pub fn shown_listeners(listeners: &[Listener]) -> Vec<String> {
    use orloj_model::Code;
    let code = |code: &Code| match code {
        Code::Delegate(name) => name.to_string(),
        Code::ComputedDelegate(expression) => format!("delegate {}", shown(expression)),
        Code::Expression(expression) => shown(expression),
        Code::Script(script) => shown_script(script),
        Code::Worker { job_type, retries, .. } => {
            format!("job {} {:?}", shown(job_type), retries.as_ref().map(shown))
        }
    };
    listeners.iter().map(|l| format!("{:?}: {}", l.event, code(&l.code))).collect()
}

/// Ids of the flows that leave an element, in the order the process visits them.
pub fn outgoing(process: &Process, id: &str) -> Vec<String> {
    let element = process.element(process.find(id).expect("an element"));
    element.outgoing.iter().map(|&flow| process.flow(flow).id.to_string()).collect()
}
