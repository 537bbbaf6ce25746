//! What Zeebe's listeners, calls and user tasks become.

use crate::support::*;
use orloj_model::{
    CallActivity, CallBinding, CallMapping, Dialect, Element, ElementKind, HeaderKind,
    ReferenceKind, ServiceTask, Throw,
};

fn extended(tag: &str, extensions: &str) -> String {
    format!("<{tag} id=\"e\"><extensionElements>\n{extensions}\n</extensionElements></{tag}>")
}

fn zeebe(tag: &str, extensions: &str) -> Element {
    element(&extended(tag, extensions), Dialect::Zeebe)
}

fn refused(tag: &str, extensions: &str) -> String {
    problems(&one(&extended(tag, extensions)), Dialect::Zeebe)
}

fn call(extensions: &str) -> CallActivity {
    match zeebe("callActivity", extensions).kind {
        ElementKind::CallActivity(call) => call,
        other => panic!("{other:?}"),
    }
}

#[test]
fn listeners_are_jobs() {
    let e = zeebe(
        "userTask",
        r#"<zeebe:userTask/><zeebe:executionListeners>
           <zeebe:executionListener eventType="start" type="a"/>
           <zeebe:executionListener eventType="end" type="=b" retries="=n"/></zeebe:executionListeners>
           <zeebe:taskListeners><zeebe:taskListener eventType="creating" type="c"/>
           <zeebe:taskListener eventType="complete" type="d" retries="7"/>
           <zeebe:taskListener eventType="canceling" type="e"/></zeebe:taskListeners>"#,
    );
    assert_eq!(
        shown_listeners(&e.listeners),
        [
            r#"Start: job "a" None"#,
            r#"End: job Feel(b) Some("Feel(n)")"#,
            r#"TaskCreate: job "c" None"#,
            r#"TaskComplete: job "d" Some("7")"#,
            r#"TaskCancel: job "e" None"#
        ]
    );
}

#[test]
fn listeners_that_cannot_be_are_named() {
    insta::assert_snapshot!(refused("exclusiveGateway", r#"<zeebe:executionListeners><zeebe:executionListener eventType="end" type="a"/></zeebe:executionListeners>"#), @r#"3:27: error: exclusiveGateway "e" cannot have a listener of this event [listener-misplaced]"#);
    insta::assert_snapshot!(refused("userTask", r#"<zeebe:taskListeners><zeebe:taskListener eventType="creating" type="a"/></zeebe:taskListeners>"#), @r#"3:22: error: userTask "e" is no user task of the engine and cannot have taskListeners [listener-misplaced]"#);
    let twice = r#"<zeebe:executionListener eventType="start" type="a"/>"#.repeat(2);
    insta::assert_snapshot!(refused("manualTask", &format!("<zeebe:executionListeners>{twice}</zeebe:executionListeners>")), @r#"3:80: error: manualTask "e" has the same executionListener twice [listener-repeated]"#);
}

#[test]
fn a_call_passes_everything_unless_told_otherwise() {
    let all = call(r#"<zeebe:calledElement processId="=p"/>"#);
    assert_eq!(shown(&all.process), "Feel(p)");
    assert!(matches!(all.binding, CallBinding::Latest));
    assert!(matches!(all.inputs[..], [CallMapping::All { is_local: false }]));
    assert!(matches!(all.outputs[..], [CallMapping::All { is_local: false }]));
    let little = call(
        r#"<zeebe:calledElement processId="q" bindingType="versionTag" versionTag="v1" propagateAllParentVariables="false" propagateAllChildVariables="false"/>"#,
    );
    assert!(matches!(&little.binding, CallBinding::VersionTag(tag) if shown(tag) == "\"v1\""));
    assert!(little.inputs.is_empty());
    assert!(little.outputs.is_empty());
    let mapped = call(
        r#"<zeebe:calledElement processId="q" propagateAllParentVariables="false"/><zeebe:ioMapping><zeebe:input source="=a" target="b"/></zeebe:ioMapping>"#,
    );
    assert!(matches!(mapped.inputs[..], [CallMapping::All { is_local: true }]));
}

#[test]
fn computed_headers_of_a_user_task_job() {
    let e = zeebe(
        "userTask",
        r#"<zeebe:assignmentDefinition assignee="=who" candidateUsers="a"/><zeebe:taskSchedule dueDate="=due"/>
           <zeebe:formDefinition formId="f" bindingType="deployment"/>"#,
    );
    let task = worker(&e);
    assert_eq!(task.headers, [("io.camunda.zeebe:candidateUsers".into(), "[\"a\"]".into())]);
    let computed: Vec<_> = task
        .computed_headers
        .iter()
        .map(|header| (&*header.name, shown(&header.value), header.kind))
        .collect();
    assert_eq!(
        computed,
        [
            ("io.camunda.zeebe:assignee", "Feel(who)".to_owned(), HeaderKind::Text),
            ("io.camunda.zeebe:dueDate", "Feel(due)".to_owned(), HeaderKind::DateTime)
        ]
    );
}

#[test]
fn what_has_to_be_in_the_deployment_is_listed() {
    let xml = chain(&[
        (
            "a",
            r#"<callActivity id="a"><extensionElements><zeebe:calledElement processId="p2" bindingType="deployment"/></extensionElements></callActivity>"#,
        ),
        (
            "b",
            r#"<businessRuleTask id="b"><extensionElements><zeebe:calledDecision decisionId="d" resultVariable="r" bindingType="deployment"/></extensionElements></businessRuleTask>"#,
        ),
        (
            "c",
            r#"<userTask id="c"><extensionElements><zeebe:userTask/><zeebe:formDefinition formId="f" bindingType="deployment"/></extensionElements></userTask>"#,
        ),
        (
            "d",
            r#"<userTask id="d"><extensionElements><zeebe:formDefinition formId="=x" bindingType="deployment"/></extensionElements></userTask>"#,
        ),
    ]);
    let references = accepted(&xml, Dialect::Zeebe).deployment_references();
    let listed: Vec<_> = references.iter().map(|r| (r.kind, &*r.id, r.element.as_str())).collect();
    assert_eq!(
        listed,
        [
            (ReferenceKind::Process, "p2", "a"),
            (ReferenceKind::Decision, "d", "b"),
            (ReferenceKind::Form, "f", "c")
        ]
    );
}

#[test]
fn a_message_is_sent_by_a_job() {
    let xml = one(&format!(
        r#"<intermediateThrowEvent id="e"><extensionElements>{}</extensionElements><messageEventDefinition id="d" messageRef="m"/></intermediateThrowEvent>"#,
        r#"<zeebe:taskDefinition type="send"/>"#
    ))
    .replace("<process ", r#"<message id="m" name="m"/><process "#);
    let process = accepted(&xml, Dialect::Zeebe);
    let kind = &process.element(process.find("e").expect("e")).kind;
    let ElementKind::ThrowEvent(Throw::Message(work)) = kind else { panic!("{kind:?}") };
    assert!(matches!(&**work, ServiceTask::Worker(task) if shown(&task.job_type) == "\"send\""));
}
