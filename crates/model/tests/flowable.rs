//! What Flowable's and Activiti's extensions become.

use crate::support::*;
use orloj_model::{Boundary, Dialect, ElementKind, RetryCycle, SavePoint, ServiceTask, Trigger};

fn flowable(xml: &str) -> orloj_model::Element {
    element(xml, Dialect::Flowable)
}

#[test]
fn an_external_worker_task_is_a_worker_job() {
    for attributes in [
        r#"flowable:type="external-worker" flowable:topic="mail""#,
        r#"flowable:type="external" flowable:topic="mail""#,
        r#"camunda:type="external" camunda:topic="mail""#,
    ] {
        let e = flowable(&format!(r#"<serviceTask id="e" {attributes}/>"#));
        assert_eq!(shown(&worker(&e).job_type), "\"mail\"");
        assert!(worker(&e).priority.is_none());
    }
}

#[test]
fn classes_and_beans_are_delegates() {
    for (attribute, name) in [
        (r#"flowable:class="org.acme.Charge""#, "org.acme.Charge"),
        (r#"activiti:class="org.acme.Charge""#, "org.acme.Charge"),
        (r#"flowable:delegateExpression="${charge}""#, "charge"),
        (r#"flowable:class="A" activiti:class="B""#, "A"),
    ] {
        match flowable(&format!(r#"<serviceTask id="e" {attribute}/>"#)).kind {
            ElementKind::ServiceTask(ServiceTask::Delegate(task)) => assert_eq!(&*task.name, name),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn save_points_before_and_after() {
    let exclusive = Some(SavePoint { exclusive: true });
    let shared = Some(SavePoint { exclusive: false });
    for (attributes, before, after) in [
        (r#"flowable:async="true""#, exclusive, None),
        (r#"flowable:async="TRUE" flowable:exclusive="False""#, shared, None),
        (r#"activiti:async="true" activiti:exclusive="no""#, exclusive, None),
        (r#"flowable:asyncLeave="true""#, None, exclusive),
        (r#"flowable:asyncAfter="true" flowable:exclusive="false""#, None, exclusive),
        (r#"flowable:asyncLeave="true" flowable:asyncLeaveExclusive="false""#, None, shared),
    ] {
        let e = flowable(&format!(r#"<parallelGateway id="e" {attributes}/>"#));
        assert_eq!((e.async_before, e.async_after), (before, after), "{attributes}");
    }
}

#[test]
fn a_retry_cycle_counts_on_service_tasks_only() {
    let with = |tag: &str| {
        one(&format!(
            r#"<{tag} id="e" flowable:class="A"><extensionElements><flowable:failedJobRetryTimeCycle>R5/PT7M</flowable:failedJobRetryTimeCycle></extensionElements></{tag}>"#
        ))
    };
    let process = accepted(&with("serviceTask"), Dialect::Flowable);
    match &process.elements[0].jobs.retry_cycle {
        Some(RetryCycle::Fixed(plan)) => assert_eq!(plan.tries, 5),
        other => panic!("{other:?}"),
    }
    let bare = with("serviceTask").replace("R5/PT7M", "PT7M");
    match &accepted(&bare, Dialect::Flowable).elements[0].jobs.retry_cycle {
        Some(RetryCycle::Fixed(plan)) => assert_eq!(plan.tries, 1),
        other => panic!("{other:?}"),
    }
    let parsed = read(&with("userTask"), Dialect::Flowable);
    insta::assert_snapshot!(listed(&parsed), @r#"2:56: warning: the retry cycle of userTask "e" has no effect in Flowable [ignored-retry-cycle]"#);
    assert!(parsed.processes[0].elements[0].jobs.retry_cycle.is_none());
}

#[test]
fn there_is_no_job_priority_and_timers_are_exclusive() {
    let e = flowable(
        r#"<intermediateCatchEvent id="e" flowable:jobPriority="9" flowable:exclusive="false"><timerEventDefinition><timeDuration>${d}</timeDuration></timerEventDefinition></intermediateCatchEvent>"#,
    );
    assert!(e.jobs.priority.is_none());
    assert!(timer(&e).exclusive);
}

#[test]
fn processes_run_unless_they_say_no() {
    for (attribute, runs) in
        [("", true), (r#"isExecutable="true""#, true), (r#"isExecutable="false""#, false)]
    {
        let xml =
            definitions(&format!(r#"<process id="p" {attribute}><startEvent id="s"/></process>"#));
        assert_eq!(!read(&xml, Dialect::Flowable).processes.is_empty(), runs, "{attribute}");
    }
}

#[test]
fn open_flows_of_a_gateway_are_only_warned_about() {
    let xml = process(
        r#"<startEvent id="s"/><exclusiveGateway id="g"/><endEvent id="a"/><endEvent id="b"/>
<sequenceFlow id="f1" sourceRef="s" targetRef="g"/><sequenceFlow id="f2" sourceRef="g" targetRef="a"/>
<sequenceFlow id="f3" sourceRef="g" targetRef="b"><conditionExpression> </conditionExpression></sequenceFlow>"#,
    );
    insta::assert_snapshot!(problems(&xml, Dialect::Flowable), @r#"
    3:52: warning: sequenceFlow "f2" leaves exclusiveGateway "g" without a condition and is not its default flow [condition-missing]
    4:1: warning: sequenceFlow "f3" leaves exclusiveGateway "g" without a condition and is not its default flow [condition-missing]
    "#);
}

#[test]
fn the_error_variable_receives_the_code() {
    let xml = process(
        r#"<startEvent id="s"/><userTask id="t"/><boundaryEvent id="b" attachedToRef="t"><errorEventDefinition errorRef="E" flowable:errorVariableName="v"/></boundaryEvent>
<sequenceFlow id="f1" sourceRef="s" targetRef="t"/>"#,
    );
    let process = accepted(&xml, Dialect::Flowable);
    match &process.element(process.find("b").expect("b")).kind {
        ElementKind::BoundaryEvent(Boundary { trigger: Trigger::Error(catches), .. }) => {
            assert_eq!(catches.code.as_deref(), Some("E"));
            assert_eq!(catches.code_variable.as_deref(), Some("v"));
        }
        other => panic!("{other:?}"),
    }
}
