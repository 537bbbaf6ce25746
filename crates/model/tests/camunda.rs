//! What Camunda 7's extensions become.

use crate::support::*;
use orloj_model::{
    Boundary, CompletionVariables, Dialect, Element, ElementKind, RetryCycle, SavePoint,
    ServiceTask, Throw, TimerKind, Trigger,
};

fn camunda(xml: &str) -> Element {
    element(xml, Dialect::Camunda7)
}

#[test]
fn an_external_task_is_a_worker_job() {
    let e = camunda(
        r#"<serviceTask id="e" camunda:type="External" camunda:topic="${t}" camunda:taskPriority="-5"/>"#,
    );
    let task = worker(&e);
    assert_eq!(shown(&task.job_type), "Uel(${t})");
    assert_eq!(shown_or_none(&task.priority).as_deref(), Some("-5"));
    assert_eq!(task.completion, CompletionVariables::Assign);
    assert!(task.retries.is_none() && task.headers.is_empty());

    let xml = one(r#"<serviceTask id="e" activiti:type="external" activiti:topic="mail"/>"#)
        .replace("<process ", "<process camunda:taskPriority=\"${p}\" camunda:versionTag=\"1.2\" ");
    let process = accepted(&xml, Dialect::Camunda7);
    assert_eq!(process.version_tag.as_deref(), Some("1.2"));
    let task = worker(process.element(process.find("e").expect("e")));
    assert_eq!(shown(&task.job_type), "\"mail\"");
    assert_eq!(shown_or_none(&task.priority).as_deref(), Some("Uel(${p})"));
}

#[test]
fn classes_and_beans_are_delegates_that_workers_can_stand_in_for() {
    for (attribute, name) in [
        (r#"camunda:class="org.acme.Charge""#, "org.acme.Charge"),
        (r#"activiti:class="org.acme.Charge""#, "org.acme.Charge"),
        (r##"camunda:delegateExpression="${ charge }""##, "charge"),
        (r##"camunda:delegateExpression="#{charge}""##, "charge"),
        (r#"camunda:class="A" camunda:delegateExpression="${b}""#, "A"),
    ] {
        match camunda(&format!(r#"<serviceTask id="e" {attribute}/>"#)).kind {
            ElementKind::ServiceTask(ServiceTask::Delegate(task)) => {
                assert_eq!(&*task.name, name);
                assert_eq!(shown(&task.worker.job_type), format!("{name:?}"));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn save_points_before_and_after() {
    let exclusive = Some(SavePoint { exclusive: true });
    let shared = Some(SavePoint { exclusive: false });
    for (attributes, before, after) in [
        (r#"camunda:asyncBefore="true""#, exclusive, None),
        (r#"camunda:async="true""#, exclusive, None),
        (r#"activiti:async="true" activiti:exclusive="false""#, shared, None),
        (r#"camunda:asyncAfter="true" camunda:exclusive="no""#, None, shared),
        (r#"camunda:asyncBefore="true" camunda:asyncAfter="true""#, exclusive, exclusive),
        (r#"camunda:asyncBefore="TRUE" camunda:asyncAfter="1""#, None, None),
        (r#"flowable:async="true""#, None, None),
    ] {
        let xml = one(&format!(r#"<parallelGateway id="e" {attributes}/>"#));
        let process = &read(&xml, Dialect::Camunda7).processes[0];
        let e = process.element(process.find("e").expect("e"));
        assert_eq!((e.async_before, e.async_after), (before, after), "{attributes}");
    }
}

#[test]
fn job_priority_of_element_and_process() {
    let xml = chain(&[
        ("a", r#"<parallelGateway id="a" camunda:jobPriority="2147483647"/>"#),
        ("b", r#"<parallelGateway id="b"/>"#),
    ])
    .replace("<process ", "<process camunda:jobPriority=\"${rank}\" ");
    let process = accepted(&xml, Dialect::Camunda7);
    let priority =
        |id: &str| shown_or_none(&process.element(process.find(id).expect(id)).jobs.priority);
    assert_eq!(priority("a").as_deref(), Some("2147483647"));
    assert_eq!(priority("b").as_deref(), Some("Uel(${rank})"));
}

fn with_cycle(element: &str) -> String {
    format!(
        r#"<parallelGateway id="e" camunda:asyncBefore="true"><extensionElements>{element}</extensionElements></parallelGateway>"#
    )
}

#[test]
fn retry_cycles_in_all_their_forms() {
    let plan = |text: &str| match camunda(&with_cycle(text)).jobs.retry_cycle {
        Some(RetryCycle::Fixed(plan)) => (plan.tries, plan.waits.len()),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        plan("<camunda:failedJobRetryTimeCycle>R5/PT5M</camunda:failedJobRetryTimeCycle>"),
        (5, 1)
    );
    assert_eq!(
        plan("<activiti:failedJobRetryTimeCycle> PT5M </activiti:failedJobRetryTimeCycle>"),
        (2, 1)
    );
    assert_eq!(
        plan("<fox:failedJobRetryTimeCycle>PT1M, PT2M</fox:failedJobRetryTimeCycle>"),
        (3, 2)
    );
    let computed =
        with_cycle("<camunda:failedJobRetryTimeCycle>${cycle}</camunda:failedJobRetryTimeCycle>");
    match camunda(&computed).jobs.retry_cycle {
        Some(RetryCycle::Computed(expression)) => assert_eq!(shown(&expression), "Uel(${cycle})"),
        other => panic!("{other:?}"),
    }
    let empty = with_cycle("<camunda:failedJobRetryTimeCycle/>");
    assert!(camunda(&empty).jobs.retry_cycle.is_none());
}

#[test]
fn a_bad_retry_cycle_is_a_warning_and_the_default() {
    let read_cycle = |text: &str| {
        let xml =
            format!("<camunda:failedJobRetryTimeCycle>{text}</camunda:failedJobRetryTimeCycle>");
        read(&one(&with_cycle(&xml)), Dialect::Camunda7)
    };
    let single = read_cycle("PT5");
    insta::assert_snapshot!(listed(&single), @r#"2:104: warning: the retry cycle "PT5" of parallelGateway "e" does not parse and the default applies: it must be a duration, R and a number of tries and a duration, or a list of durations [retry-cycle-invalid]"#);
    assert!(single.processes[0].elements[0].jobs.retry_cycle.is_none());
    let list = read_cycle("PT5M, later");
    insta::assert_snapshot!(listed(&list), @r#"2:104: warning: "later" in the retry cycle of parallelGateway "e" is no duration; that retry will not wait [retry-cycle-invalid]"#);
    assert!(list.processes[0].elements[0].jobs.retry_cycle.is_some());
    insta::assert_snapshot!(listed(&read_cycle("${a +")), @r#"2:109: error: the expression "${a +" of parallelGateway "e" does not parse: expected a value, found the end [expression-invalid]"#);
}

#[test]
fn timers_take_exclusive_from_their_definition() {
    let catch = |event: &str, definition: &str, body: &str| {
        camunda(&format!(
            r#"<intermediateCatchEvent id="e" {event}><timerEventDefinition {definition}>{body}</timerEventDefinition></intermediateCatchEvent>"#
        ))
    };
    let e = catch("", "", "<timeCycle>R3/PT1H</timeCycle>");
    assert_eq!((timer(&e).kind, timer(&e).exclusive), (TimerKind::Cycle, true));
    let off = r#"camunda:exclusive="false""#;
    assert!(!timer(&catch("", off, "<timeDate>${d}</timeDate>")).exclusive);
    assert!(!timer(&catch(off, "", "<timeDate>${d}</timeDate>")).exclusive);
    let on = r#"camunda:exclusive="true""#;
    assert!(timer(&catch(off, on, "<timeDate>${d}</timeDate>")).exclusive);
}

#[test]
fn user_tasks_by_extension_and_by_bpmn() {
    let e = camunda(
        r#"<userTask id="e" camunda:assignee="${who}" camunda:candidateGroups="a, b" camunda:dueDate="PT1H" camunda:priority="${p}" camunda:formKey="f"/>"#,
    );
    let task = user_task(&e);
    assert_eq!(shown_or_none(&task.assignee).as_deref(), Some("Uel(${who})"));
    assert_eq!(shown_or_none(&task.candidate_groups).as_deref(), Some("\"a, b\""));
    assert_eq!(shown_or_none(&task.due_date).as_deref(), Some("\"PT1H\""));
    assert_eq!(shown_or_none(&task.priority).as_deref(), Some("Uel(${p})"));
    assert_eq!(task.form_key.as_deref(), Some("f"));
    let e = camunda(
        r#"<userTask id="e"><potentialOwner><resourceAssignmentExpression><formalExpression>user(anna), sales</formalExpression></resourceAssignmentExpression></potentialOwner>
           <humanPerformer><resourceAssignmentExpression><formalExpression>kermit</formalExpression></resourceAssignmentExpression></humanPerformer></userTask>"#,
    );
    let task = user_task(&e);
    assert_eq!(shown_or_none(&task.assignee).as_deref(), Some("\"kermit\""));
    assert_eq!(shown_or_none(&task.candidate_users).as_deref(), Some("\"anna\""));
    assert_eq!(shown_or_none(&task.candidate_groups).as_deref(), Some("\"sales\""));
}

fn catching(root: &str, definition: &str) -> String {
    process(&format!(
        r#"<startEvent id="s"/><userTask id="t"/><boundaryEvent id="b" attachedToRef="t">{definition}</boundaryEvent><endEvent id="x"/>
<sequenceFlow id="f1" sourceRef="s" targetRef="t"/><sequenceFlow id="f2" sourceRef="b" targetRef="x"/>"#
    ))
    .replace("<process ", &format!("{root}<process "))
}

#[test]
fn error_boundaries_with_their_variables() {
    let catches = |root: &str, definition: &str| {
        let process = accepted(&catching(root, definition), Dialect::Camunda7);
        match &process.element(process.find("b").expect("b")).kind {
            ElementKind::BoundaryEvent(Boundary { trigger: Trigger::Error(catches), .. }) => {
                catches.clone()
            }
            other => panic!("{other:?}"),
        }
    };
    let found = catches(
        r#"<error id="err" errorCode="E1"/>"#,
        r#"<errorEventDefinition errorRef="err" camunda:errorCodeVariable="c" camunda:errorMessageVariable="m"/>"#,
    );
    assert_eq!(found.code.as_deref(), Some("E1"));
    assert_eq!(
        (found.code_variable.as_deref(), found.message_variable.as_deref()),
        (Some("c"), Some("m"))
    );
    let unknown = catches("", r#"<errorEventDefinition errorRef="E7"/>"#);
    assert_eq!(unknown.code.as_deref(), Some("E7"), "the reference is the code");
    let codeless = catches(r#"<error id="err"/>"#, r#"<errorEventDefinition errorRef="err"/>"#);
    assert_eq!(codeless.code, None);
}

fn choice(default: &str, flows: &str) -> String {
    process(&format!(
        r#"<startEvent id="start"/><exclusiveGateway id="g" {default}/><endEvent id="a"/><endEvent id="b"/>
<sequenceFlow id="in" sourceRef="start" targetRef="g"/>
{flows}"#
    ))
}

const CONDITIONED: &str = r#"<sequenceFlow id="f1" sourceRef="g" targetRef="a"><conditionExpression>${x &gt; 1}</conditionExpression></sequenceFlow>"#;
const OPEN: &str = r#"<sequenceFlow id="f2" sourceRef="g" targetRef="b"/>"#;

#[test]
fn siblings_are_visited_as_written() {
    let process =
        accepted(&choice("default=\"f2\"", &format!("{CONDITIONED}\n{OPEN}")), Dialect::Camunda7);
    assert_eq!(outgoing(&process, "g"), ["f1", "f2"]);
    assert_eq!(
        process.flows[1].condition.as_ref().map(shown_script).as_deref(),
        Some("Uel(${x > 1})")
    );
    let default = process.element(process.find("g").expect("g")).default_flow;
    assert_eq!(process.flow(default.expect("a default")).id.as_str(), "f2");
}

#[test]
fn gateways_as_camunda_checks_them() {
    let check = |default: &str, flows: &str| problems(&choice(default, flows), Dialect::Camunda7);
    insta::assert_snapshot!(check("", &format!("{CONDITIONED}\n{OPEN}")), @r#"5:1: warning: sequenceFlow "f2" leaves exclusiveGateway "g" without a condition and is not its default flow [condition-missing]"#);
    insta::assert_snapshot!(check("default=\"f1\"", &format!("{CONDITIONED}\n{OPEN}")), @r#"
    4:1: error: sequenceFlow "f1" is the default flow of exclusiveGateway "g" and cannot have a condition [condition-on-default-flow]
    5:1: error: sequenceFlow "f2" leaves exclusiveGateway "g" without a condition and is not its default flow [condition-missing]
    "#);
    insta::assert_snapshot!(check("", CONDITIONED), @r#"
    2:70: warning: no token can reach endEvent "b" [element-unreachable]
    4:1: error: sequenceFlow "f1" is the only flow that leaves exclusiveGateway "g" and cannot have a condition [condition-on-only-flow]
    "#);
    insta::assert_snapshot!(check("", ""), @r#"
    2:25: error: exclusiveGateway "g" has no outgoing flow [gateway-without-outgoing]
    2:52: warning: no token can reach endEvent "a" [element-unreachable]
    2:70: warning: no token can reach endEvent "b" [element-unreachable]
    "#);
    insta::assert_snapshot!(check("", &format!("{OPEN}\n{}", OPEN.replace("f2", "f3"))), @r#"
    2:52: warning: no token can reach endEvent "a" [element-unreachable]
    4:1: error: sequenceFlow "f2" leaves exclusiveGateway "g" without a condition and is not its default flow [condition-missing]
    5:1: error: sequenceFlow "f3" leaves exclusiveGateway "g" without a condition and is not its default flow [condition-missing]
    "#);
}

#[test]
fn a_process_that_is_not_marked_is_not_run() {
    let xml = definitions(r#"<process id="p"><startEvent id="s"/></process>"#);
    let parsed = read(&xml, Dialect::Camunda7);
    assert!(parsed.processes.is_empty() && !parsed.has_errors());
    insta::assert_snapshot!(listed(&parsed), @r#"1:1: warning: no process of the file is marked isExecutable="true" [no-executable-process]"#);
}

#[test]
fn a_flow_without_id_gets_a_free_one() {
    let xml = process(
        r#"<startEvent id="s"/><userTask id="sequenceFlow_1"/><endEvent id="e"/>
<sequenceFlow sourceRef="s" targetRef="sequenceFlow_1"/><sequenceFlow sourceRef="sequenceFlow_1" targetRef="e"/>"#,
    );
    let process = accepted(&xml, Dialect::Camunda7);
    let ids: Vec<_> = process.flows.iter().map(|flow| flow.id.to_string()).collect();
    assert_eq!(ids, ["sequenceFlow_2", "sequenceFlow_3"]);
}

#[test]
fn a_handler_begins_at_once_and_once_and_gives_nothing_outward() {
    let undone = |inside: &str| {
        let handler = format!(
            r#"<userTask id="h" isForCompensation="true" camunda:asyncBefore="true" camunda:asyncAfter="true">{inside}</userTask>"#
        );
        one(r#"<userTask id="e"/>"#).replace(
            "</process>",
            &format!(
                r#"<boundaryEvent id="b" attachedToRef="e"><compensateEventDefinition/></boundaryEvent>{handler}
                <association id="a" associationDirection="One" sourceRef="b" targetRef="h"/></process>"#
            ),
        )
    };
    let repeated = r#"<multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics>"#;
    let gives = r#"<extensionElements><camunda:inputOutput><camunda:outputParameter name="r">1</camunda:outputParameter></camunda:inputOutput></extensionElements>"#;
    for inside in [repeated, gives] {
        let process = accepted(&undone(inside), Dialect::Camunda7);
        let handler = process.element(process.find("h").expect("h"));
        assert!(handler.async_before.is_none() && handler.async_after.is_none());
        assert!(handler.multi.is_none() && handler.outputs.is_empty());
    }
    let boundary = r#"<boundaryEvent id="t" attachedToRef="h"><errorEventDefinition/></boundaryEvent><association "#;
    let told = problems(&undone("").replacen("<association ", boundary, 1), Dialect::Camunda7);
    assert!(told.contains("boundary-misplaced"), "{told}");
}

#[test]
fn an_event_that_undoes_always_waits() {
    let e = camunda(
        r#"<intermediateThrowEvent id="e"><compensateEventDefinition waitForCompletion="false"/></intermediateThrowEvent>"#,
    );
    match e.kind {
        ElementKind::ThrowEvent(Throw::Compensation(throw)) => assert!(throw.waits),
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_token_leaves_an_end_event_and_a_link_is_no_save_point() {
    let body = r#"<startEvent id="s"/><endEvent id="e"/><userTask id="u"/>
        <intermediateThrowEvent id="l" camunda:asyncBefore="true" camunda:asyncAfter="true"><linkEventDefinition name="x"/></intermediateThrowEvent>
        <intermediateCatchEvent id="c"><linkEventDefinition name="x"/></intermediateCatchEvent>
        <sequenceFlow id="f1" sourceRef="s" targetRef="l"/><sequenceFlow id="f2" sourceRef="c" targetRef="e"/>
        <sequenceFlow id="f3" sourceRef="e" targetRef="u"/>"#;
    let parsed = read(&process(body), Dialect::Camunda7);
    let process = parsed.processes.first().expect("it has only warnings");
    let find = |id: &str| process.element(process.find(id).expect("it is drawn"));
    assert!(find("e").outgoing.is_empty());
    assert!(find("l").async_before.is_none() && find("l").async_after.is_none());
}

#[test]
fn an_empty_condition_is_found_out_when_it_is_asked() {
    let xml = one(
        r#"<intermediateCatchEvent id="e"><conditionalEventDefinition><condition/></conditionalEventDefinition></intermediateCatchEvent>"#,
    );
    accepted(&xml, Dialect::Camunda7);
}

#[test]
fn a_namespace_that_has_no_room_in_the_definition_is_refused() {
    let xml = |length: usize| {
        let namespace = format!(r#"targetNamespace="{}""#, "n".repeat(length));
        one(r#"<userTask id="e"/>"#).replacen(r#"targetNamespace="test""#, &namespace, 1)
    };
    assert!(xml(256).contains("nnn"), "the namespace is replaced");
    assert!(!read(&xml(255), Dialect::Camunda7).has_errors());
    assert!(read(&xml(256), Dialect::Camunda7).has_errors());
    // A process that is not run is written down nowhere.
    let idle = xml(256).replace(r#"isExecutable="true""#, r#"isExecutable="false""#);
    assert!(!read(&idle, Dialect::Camunda7).has_errors());
}

#[test]
fn an_event_catches_failures_by_the_name_of_their_class() {
    let catches = |code: &str, dialect: Dialect| {
        let error = format!(r#"<error id="x" errorCode="{code}"/>"#);
        let event = r#"<boundaryEvent id="b" attachedToRef="e"><errorEventDefinition errorRef="x"/></boundaryEvent>"#;
        let xml = one(&format!(r#"<userTask id="e"/>{event}"#)).replacen(
            "<process",
            &format!("{error}<process"),
            1,
        );
        let process = accepted(&xml, dialect);
        match process.element(process.find("b").expect("b")).trigger() {
            Some(Trigger::Error(catches)) => catches.failures,
            other => panic!("{other:?}"),
        }
    };
    for class in ["java.lang.RuntimeException", "java.lang.Exception", "java.lang.Throwable"] {
        let caught = catches(class, Dialect::Camunda7);
        assert!(caught.of_code && caught.of_expressions, "{class}");
    }
    assert!(!catches("java.lang.IllegalStateException", Dialect::Camunda7).of_expressions);
    assert_eq!(catches("broke", Dialect::Camunda7), orloj_model::CaughtFailures::default());
    assert!(!catches("java.lang.Exception", Dialect::Flowable).of_code);
}
