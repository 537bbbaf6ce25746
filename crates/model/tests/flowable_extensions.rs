//! What Flowable's and Activiti's extensions become, beyond jobs.

use crate::support::*;
use orloj_model::{
    CallActivity, CallBinding, CallMapping, Code, Dialect, Element, ElementKind, EngineAction,
    EngineEvent, ListenerMoment, MappedFailures, SavePoint, Script, ServiceTask, Trigger,
};

fn flowable(xml: &str) -> Element {
    element(xml, Dialect::Flowable)
}

fn refused(xml: &str) -> String {
    problems(&one(xml), Dialect::Flowable)
}

fn extended(tag: &str, attributes: &str, extensions: &str) -> String {
    format!(
        r#"<{tag} id="e" {attributes}><extensionElements>{extensions}</extensionElements></{tag}>"#
    )
}

fn service(element: &Element) -> &ServiceTask {
    match &element.kind {
        ElementKind::ServiceTask(task) => task,
        other => panic!("{other:?} is no service task"),
    }
}

fn shown_calls(mappings: &[CallMapping]) -> Vec<String> {
    let line = |mapping: &CallMapping| match mapping {
        CallMapping::All { is_local } => format!("all {is_local}"),
        CallMapping::Value { source, target, is_local, is_transient, .. } => {
            let (source, target) = (shown(source), shown(target));
            format!("{source} -> {target} {is_local} {is_transient}")
        }
    };
    mappings.iter().map(line).collect()
}

#[test]
fn the_expression_comes_before_the_delegate() {
    let e = flowable(
        r#"<serviceTask id="e" flowable:delegateExpression="${a}" flowable:expression="${b}" flowable:resultVariableName="r"
            flowable:useLocalScopeForResultVariable="true" flowable:storeResultVariableAsTransient="true" flowable:triggerable="TRUE"/>"#,
    );
    let ServiceTask::Expression(task) = service(&e) else { panic!("{e:?}") };
    assert_eq!(shown(&task.expression), "Uel(${b})");
    assert_eq!(task.result_variable.as_deref(), Some("r"));
    assert!(task.is_result_local && task.is_result_transient && task.is_triggerable);
}

#[test]
fn a_worker_completes_by_a_job() {
    let e = flowable(&extended(
        "serviceTask",
        r#"flowable:type="external-worker" flowable:topic="t" flowable:exclusive="false" flowable:doNotIncludeVariables="true""#,
        r#"<flowable:externalWorkerInParameter source="a" target="b"/>
           <flowable:externalWorkerOutParameter sourceExpression="${x + 1}" target="y"/>"#,
    ));
    let task = worker(&e);
    assert_eq!(task.completes_by_job, Some(SavePoint { exclusive: false }));
    assert!(!task.includes_variables);
    assert_eq!(shown_calls(&task.inputs), [r#"Uel(${variables:get('a')}) -> "b" false false"#]);
    assert_eq!(shown_calls(&task.outputs), [r#"Uel(${x + 1}) -> "y" false false"#]);
}

#[test]
fn what_the_system_brings_along() {
    let field = |name: &str| format!(r#"<flowable:field name="{name}" stringValue="v"/>"#);
    let http = [field("requestMethod"), field("requestUrl")].concat();
    let e = flowable(&extended("serviceTask", r#"flowable:type="http""#, &http));
    let ServiceTask::Builtin(task) = service(&e) else { panic!("{e:?}") };
    assert_eq!((&*task.kind, task.fields.len()), ("http", 2));
    assert_eq!(shown(&task.worker.job_type), "\"http\"");
    let e =
        flowable(r#"<serviceTask id="e" flowable:type="case" flowable:caseDefinitionKey="k"/>"#);
    let ServiceTask::Builtin(task) = service(&e) else { panic!("{e:?}") };
    assert_eq!(&*task.fields[0].name, "caseDefinitionKey");
    insta::assert_snapshot!(refused(r#"<serviceTask id="e" flowable:type="http"/>"#), @r#"
    2:36: error: serviceTask "e" of type http has no field requestMethod [field-missing]
    2:36: error: serviceTask "e" of type http has no field requestUrl [field-missing]
    "#);
    insta::assert_snapshot!(refused(r#"<serviceTask id="e" flowable:type="camel"/>"#), @r#"2:36: error: type "camel" of serviceTask "e" is not supported [task-type-unknown]"#);
}

#[test]
fn an_event_is_sent_with_parameters() {
    let e = flowable(&extended(
        "serviceTask",
        r#"flowable:type="send-event" flowable:triggerable="true""#,
        r#"<flowable:eventType>order</flowable:eventType><flowable:channelKey>out</flowable:channelKey>
           <flowable:triggerEventType>paid</flowable:triggerEventType>
           <flowable:eventInParameter source="${id}" target="orderId"/>
           <flowable:eventOutParameter source="sum" target="sum" transient="true"/>
           <flowable:triggerEventCorrelationParameter name="orderId" value="${id}"/>"#,
    ));
    let ServiceTask::Builtin(task) = service(&e) else { panic!("{e:?}") };
    let event = task.event.as_ref().expect("an event");
    assert!(task.is_triggerable && !event.is_synchronous);
    assert_eq!(shown(&event.event_type), "\"order\"");
    assert_eq!(shown_or_none(&event.channel).as_deref(), Some("\"out\""));
    assert_eq!(shown_or_none(&event.answer_type).as_deref(), Some("\"paid\""));
    assert_eq!(shown_calls(&event.inputs), [r#"Uel(${id}) -> "orderId" false false"#]);
    assert_eq!(
        shown_calls(&task.worker.outputs),
        [r#"Uel(${variables:get('sum')}) -> "sum" false true"#]
    );
    assert_eq!(event.correlation.len(), 1);
}

#[test]
fn exceptions_are_errors() {
    let e = flowable(&extended(
        "serviceTask",
        r#"flowable:class="A""#,
        r#"<flowable:mapException errorCode="E1" includeChildExceptions="true">x.Bad</flowable:mapException>
           <activiti:mapException errorCode="E2" rootCause="x.Root"/>
           <flowable:mapException errorCode="E3" includeChildExceptions="true">java.lang.RuntimeException</flowable:mapException>
           <flowable:mapException errorCode="E4">java.lang.IllegalStateException</flowable:mapException>
           <flowable:mapException errorCode="E5">java.lang.RuntimeException</flowable:mapException>
           <flowable:mapException errorCode="E6" includeChildExceptions="true" rootCause="x.Root">java.lang.Exception</flowable:mapException>"#,
    ));
    let ServiceTask::Delegate(task) = service(&e) else { panic!("{e:?}") };
    let found: Vec<_> = task.exceptions.iter().map(|e| (&*e.error_code, e.of)).collect();
    let named = |code, expressions| MappedFailures::Named { code, expressions };
    assert_eq!(
        found,
        [
            ("E1", named(false, false)),
            ("E2", MappedFailures::Rest),
            ("E3", named(true, true)),
            ("E4", named(true, false)),
            ("E5", named(false, false)),
            ("E6", named(false, false)),
        ]
    );
}

#[test]
fn listeners_that_never_run_are_left_out() {
    let parsed = read(
        &one(&extended(
            "userTask",
            "",
            r#"<flowable:executionListener event="start" class="A"/>
<flowable:executionListener event="never" class="B"/>
<activiti:taskListener event="all" expression="${x}"/>
<flowable:taskListener event="create" type="script"><flowable:script language="groovy" resultVariable="r">1</flowable:script></flowable:taskListener>
<flowable:taskListener event="complete" class="C" onTransaction="rolled-back"/>
<flowable:taskListener flowable:event="delete" flowable:delegateExpression="${bean}"/>"#,
        )),
        Dialect::Flowable,
    );
    insta::assert_snapshot!(listed(&parsed), @r#"
    3:1: warning: a executionListener of userTask "e" for "never" is never called [listener-event-unknown]
    6:66: warning: a listener of userTask "e" for the moment "rolled-back" of the transaction is never called [ignored-listener]
    "#);
    let process = &parsed.processes[0];
    let e = process.element(process.find("e").expect("e"));
    assert_eq!(
        shown_listeners(&e.listeners),
        ["Start: A", "TaskAll: Uel(${x})", "TaskCreate: Groovy(1)", "TaskDelete: bean"]
    );
    assert_eq!(e.listeners[2].result_variable.as_deref(), Some("r"));
}

#[test]
fn a_flow_calls_start_then_take_then_end() {
    let xml = one(r#"<userTask id="e"/>"#).replace(
        r#"targetRef="e"/>"#,
        r#"targetRef="e"><extensionElements><flowable:executionListener event="end" class="3"/><flowable:executionListener class="2"/><flowable:executionListener event="start" class="1"/></extensionElements></sequenceFlow>"#,
    );
    let process = accepted(&xml, Dialect::Flowable);
    let flow = process.flows.iter().find(|flow| !flow.listeners.is_empty()).expect("listeners");
    assert_eq!(shown_listeners(&flow.listeners), ["Take: 1", "Take: 2", "Take: 3"]);
}

fn call(xml: &str) -> CallActivity {
    match flowable(xml).kind {
        ElementKind::CallActivity(call) => call,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_call_in_detail() {
    let found = call(&extended(
        "callActivity",
        r#"calledElement="${c}" flowable:sameDeployment="true" flowable:inheritVariables="true" flowable:inheritBusinessKey="true" flowable:businessKey="${k}"
           flowable:processInstanceName="n" flowable:idVariableName="i" flowable:completeAsync="true" flowable:fallbackToDefaultTenant="true"
           flowable:useLocalScopeForOutParameters="true""#,
        r#"<flowable:in source="a" target="b" targetType="integer"/><flowable:in source="a"/>
           <flowable:out source="x" target="t" targetExpression="${t}"/>"#,
    )
    .replace(r#"<flowable:in source="a"/>"#, ""));
    assert_eq!(shown(&found.process), "Uel(${c})");
    assert!(matches!(found.binding, CallBinding::DeploymentOrLatest));
    assert_eq!(
        shown_calls(&found.inputs),
        ["all false".to_owned(), r#"Uel(${variables:get('a')}) -> "b" false false"#.to_owned()]
    );
    assert_eq!(shown_calls(&found.outputs), ["Uel(${variables:get('x')}) -> \"t\" true false"]);
    assert!(found.inherits_business_key && found.falls_back_to_no_tenant);
    assert_eq!(shown_or_none(&found.business_key).as_deref(), Some("Uel(${k})"));
    assert_eq!(shown_or_none(&found.instance_name).as_deref(), Some("\"n\""));
    assert_eq!(shown_or_none(&found.instance_key_variable).as_deref(), Some("\"i\""));
    assert_eq!(found.completes_by_job, Some(SavePoint { exclusive: true }));
    let by_id = call(r#"<callActivity id="e" calledElement="x" flowable:calledElementType="id"/>"#);
    assert!(matches!(by_id.binding, CallBinding::Definition));
}

#[test]
fn what_is_parsed_late_is_accepted_and_fails_late() {
    let parsed = read(
        &one(
            r#"<userTask id="e" flowable:assignee="${a +}" flowable:owner="${o}" flowable:category="c" flowable:taskIdVariableName="t" flowable:skipExpression="${"/>"#,
        ),
        Dialect::Flowable,
    );
    insta::assert_snapshot!(listed(&parsed), @r#"
    2:42: warning: the expression "${a +}" of userTask "e" does not parse and will fail: expected a value, found '}' [expression-invalid]
    2:148: warning: the expression "${" of userTask "e" does not parse and will fail: expected a value, found the end [expression-invalid]
    "#);
    let process = &parsed.processes[0];
    let e = process.element(process.find("e").expect("e"));
    let task = user_task(e);
    assert_eq!(shown_or_none(&task.owner).as_deref(), Some("Uel(${o})"));
    assert_eq!(shown_or_none(&task.category).as_deref(), Some("\"c\""));
    assert_eq!(shown_or_none(&task.task_key_variable).as_deref(), Some("\"t\""));
    assert!(e.skip.is_some() && task.assignee.is_some());
}

#[test]
fn skips_and_categories_are_kept() {
    let e = flowable(&extended(
        "serviceTask",
        r#"flowable:class="A" flowable:skipExpression="${s}""#,
        "<flowable:jobCategory>${c}</flowable:jobCategory>",
    ));
    assert_eq!(shown_or_none(&e.skip).as_deref(), Some("Uel(${s})"));
    assert_eq!(shown_or_none(&e.jobs.category).as_deref(), Some("Uel(${c})"));
    let xml = one(r#"<userTask id="e"/>"#)
        .replace(r#"targetRef="e"/>"#, r#"targetRef="e" skipExpression="${f}"/>"#);
    let process = accepted(&xml, Dialect::Flowable);
    let skips: Vec<_> = process.flows.iter().filter_map(|f| shown_or_none(&f.skip)).collect();
    assert_eq!(skips, ["Uel(${f})"]);
}

#[test]
fn a_script_keeps_its_result_and_its_variables_to_itself() {
    let e = flowable(
        r#"<scriptTask id="e" scriptFormat="groovy" flowable:doNotIncludeVariables="true" flowable:useLocalScopeForResultVariable="true" flowable:resultVariable="r"><script>1</script></scriptTask>"#,
    );
    let ElementKind::ScriptTask(task) = &e.kind else { panic!("{e:?}") };
    assert!(task.is_result_local && !task.includes_variables && task.inputs.is_empty());
    let e = flowable(&extended(
        "scriptTask",
        r#"scriptFormat="groovy""#,
        r#"<flowable:in source="x" target="a"/><flowable:in sourceExpression="${1 + y}" target="b"/>"#,
    ).replace("</scriptTask>", "<script>a + b</script></scriptTask>"));
    let ElementKind::ScriptTask(task) = &e.kind else { panic!("{e:?}") };
    assert_eq!(
        shown_calls(&task.inputs),
        [r#"Uel(${variables:get('x')}) -> "a" false false"#, r#"Uel(${1 + y}) -> "b" false false"#]
    );
}

#[test]
fn engine_event_listeners_are_checked_and_named() {
    let with = |attributes: &str| {
        one(r#"<userTask id="e"/>"#).replace(
            "isExecutable=\"true\">",
            &format!(
                r#"isExecutable="true"><extensionElements><activiti:eventListener {attributes}/></extensionElements>"#
            ),
        )
    };
    let parsed = read(&with(r#"events="TASK_CREATED" class="A""#), Dialect::Flowable);
    assert_eq!(listed(&parsed), "");
    let [listener] = &parsed.processes[0].engine_listeners[..] else { panic!("one listener") };
    assert_eq!(listener.events, [EngineEvent::TaskCreated]);
    assert!(matches!(&listener.does, EngineAction::Code(Code::Delegate(name)) if **name == *"A"));
    let parsed = read(&with(r#"class="A" entityType="task""#), Dialect::Flowable);
    let heard = &parsed.processes[0].engine_listeners[0].events;
    assert_eq!(
        *heard,
        [EngineEvent::TaskCreated, EngineEvent::TaskAssigned, EngineEvent::TaskCompleted]
    );
    let signal =
        r#"events="VARIABLE_CREATED,JOB_CANCELED" throwEvent="globalSignal" signalName="s""#;
    let parsed = read(&with(signal), Dialect::Flowable);
    assert!(listed(&parsed).contains("is not told of JOB_CANCELED"), "{}", listed(&parsed));
    assert!(parsed.processes[0].contents.variable_events);
    assert!(matches!(
        &parsed.processes[0].engine_listeners[0].does,
        EngineAction::Signal { is_global: true, .. }
    ));
    let wrong = problems(&with(r#"events="SOON" class="A""#), Dialect::Flowable);
    assert!(wrong.contains("unknown event \"SOON\""), "{wrong}");
}

#[test]
fn a_listener_may_wait_for_the_end_of_the_transaction() {
    let moment = |text: &str| {
        let inner = format!(
            r#"<flowable:executionListener event="start" class="A" onTransaction="{text}"/>"#
        );
        let e = flowable_read(&extended("userTask", "", &inner));
        (e.0.listeners.first().map(|listener| listener.moment), e.1)
    };
    assert_eq!(moment("before-commit").0, Some(ListenerMoment::BeforeCommit));
    assert_eq!(moment("committed").0, Some(ListenerMoment::Committed));
    let (none, told) = moment("rolled-back");
    assert!(none.is_none() && told.contains("[ignored-listener]"), "{told}");
}

#[test]
fn what_is_read_by_the_engine_and_not_here_is_named() {
    let (_, told) = flowable_read(&extended(
        "userTask",
        r#"flowable:extensionId="x" flowable:formFieldValidation="true""#,
        r#"<flowable:localization locale="en" name="n"/>
           <flowable:executionListener event="start" class="A" onTransaction="committed"
             customPropertiesResolverClass="B"/>"#,
    ));
    for name in
        ["extensionId", "formFieldValidation", "localization", "customPropertiesResolverClass"]
    {
        assert!(told.contains(&format!("{name} of userTask")), "{told}");
    }
}

/// The element "e" and everything that is said about the file.
fn flowable_read(element: &str) -> (Element, String) {
    let parsed = read(&one(element), Dialect::Flowable);
    assert!(!parsed.has_errors(), "{}", listed(&parsed));
    let process = &parsed.processes[0];
    (process.element(process.find("e").expect("e")).clone(), listed(&parsed))
}

#[test]
fn a_flow_that_stands_elsewhere_than_its_source_is_never_taken() {
    let xml = r#"<subProcess id="e"><startEvent id="in"/><userTask id="a"/><userTask id="b"/>
        <sequenceFlow id="g" sourceRef="in" targetRef="a"/></subProcess>
        <sequenceFlow id="astray" sourceRef="a" targetRef="b"/>"#;
    let parsed = read(&one(xml), Dialect::Flowable);
    assert!(listed(&parsed).contains("[flow-unreached]"), "{}", listed(&parsed));
    let process = &parsed.processes[0];
    let element = |id: &str| process.element(process.find(id).expect(id));
    assert!(element("a").outgoing.is_empty() && element("b").incoming.is_empty());
    assert_eq!(element("in").outgoing.len(), 1);
}

#[test]
fn boundary_events_of_an_event_subprocess_wait_for_nothing() {
    let xml = r#"<userTask id="e"/>
        <subProcess id="esp" triggeredByEvent="true"><startEvent id="s"><errorEventDefinition/></startEvent></subProcess>
        <boundaryEvent id="b" attachedToRef="esp"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent>"#;
    let boundaries = |dialect: Dialect| {
        let parsed = read(&one(xml), dialect);
        let process = &parsed.processes[0];
        process.element(process.find("esp").expect("esp")).boundaries.len()
    };
    assert_eq!(boundaries(Dialect::Flowable), 0);
}

#[test]
fn a_script_of_plain_text_is_no_expression() {
    let script = |text: &str| {
        let xml = format!(r#"<scriptTask id="e"><script>{text}</script></scriptTask>"#);
        let process = read(&one(&xml), Dialect::Flowable).processes.remove(0);
        let e = process.element(process.find("e").expect("e"));
        let ElementKind::ScriptTask(task) = &e.kind else { panic!("it is a script task") };
        task.script.clone()
    };
    assert!(matches!(script("hello"), Script::Unusable(_)));
    assert!(matches!(script("a ${1} b"), Script::Expression(_)));
}

#[test]
fn loops_may_be_watched_by_one_job() {
    let watched = |attributes: &str| {
        let e = flowable(&format!(
            r#"<userTask id="e" {attributes}><multiInstanceLoopCharacteristics flowable:noWaitStatesAsyncLeave="true"><loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics></userTask>"#
        ));
        e.multi.expect("it loops").is_watched
    };
    assert!(watched(r#"flowable:async="true""#));
    assert!(!watched(""), "only where the instances are asynchronous");
}

#[test]
fn events_of_the_registry_say_which_one_they_mean() {
    let e = flowable(&extended(
        "receiveTask",
        "",
        r#"<flowable:eventType>paid</flowable:eventType>
           <flowable:eventCorrelationParameter name="order" value="${order}"/>"#,
    ));
    let ElementKind::CatchEvent(Some(Trigger::Registry(event))) = e.kind else {
        panic!("it waits for the registry")
    };
    assert_eq!(shown(&event.correlation[0]), "Uel(${order})");
    assert!(!event.is_manual);
}

#[test]
fn the_class_of_a_business_rule_task_is_refused() {
    let told = refused(r#"<businessRuleTask id="e" flowable:class="org.x.Rules"/>"#);
    assert!(told.contains("[class-unknown]"), "{told}");
}

#[test]
fn the_names_of_messages_and_events_that_begin_something_are_as_written() {
    let start = |beside: &str, definition: &str| {
        let start = format!(r#"<startEvent id="s">{definition}</startEvent>"#);
        let process = format!(r#"<process id="p" isExecutable="true">{start}</process>"#);
        let xml = definitions(&format!("{beside}{process}"));
        accepted(&xml, Dialect::Flowable).elements[0].trigger().cloned()
    };
    let message = r#"<messageEventDefinition messageRef="m"/>"#;
    for (name, read) in [("a${1}", "a${1}"), ("${", "${"), ("", "")] {
        let beside = format!(r#"<message id="m" name="{name}"/>"#);
        let Some(Trigger::Message(caught)) = start(&beside, message) else { panic!("a message") };
        let name = caught.name.as_constant().expect("it is not computed");
        assert_eq!(name.to_json(), format!("{read:?}"));
    }
    let event = "<flowable:eventType>${x}</flowable:eventType>";
    let event = format!("<extensionElements>{event}</extensionElements>");
    let Some(Trigger::Registry(event)) = start("", &event) else { panic!("an event") };
    assert_eq!(event.event_type.as_constant().expect("nor is it").to_json(), r#""${x}""#);
    let signal = r#"<signalEventDefinition signalRef="g"/>"#;
    for (name, read) in [(" a ", "a"), ("${1 + 1}", "2")] {
        let beside = format!(r#"<signal id="g" name="{name}"/>"#);
        let Some(Trigger::Signal(caught)) = start(&beside, signal) else { panic!("a signal") };
        let name = caught.name.as_constant().expect("it is computed");
        assert_eq!(name.to_json(), format!("{read:?}"));
    }
}
