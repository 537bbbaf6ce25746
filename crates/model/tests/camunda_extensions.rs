//! What Camunda's extensions become, beyond jobs.

use crate::support::*;
use orloj_model::{
    CallActivity, CallBinding, CallMapping, Code, Dialect, Element, ElementKind, ListenerEvent,
    Options, RetryCycle, ServiceTask, Throw, TimerKind, parse,
};

fn camunda(xml: &str) -> Element {
    element(xml, Dialect::Camunda7)
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

fn call(element: &Element) -> &CallActivity {
    match &element.kind {
        ElementKind::CallActivity(call) => call,
        other => panic!("{other:?} is no call activity"),
    }
}

fn shown_calls(mappings: &[CallMapping]) -> Vec<String> {
    let line = |mapping: &CallMapping| match mapping {
        CallMapping::All { is_local } => format!("all {is_local}"),
        CallMapping::Value { source, target, is_local, .. } => {
            format!("{} -> {} {is_local}", shown(source), shown(target))
        }
    };
    mappings.iter().map(line).collect()
}

#[test]
fn an_expression_is_work_with_a_result() {
    for tag in ["serviceTask", "sendTask", "businessRuleTask"] {
        let e = camunda(&format!(
            r#"<{tag} id="e" camunda:expression="${{a.b(1)}}" camunda:resultVariable="r"/>"#
        ));
        let ServiceTask::Expression(task) = service(&e) else { panic!("{e:?}") };
        assert_eq!(shown(&task.expression), "Uel(${a.b(1)})");
        assert_eq!(task.result_variable.as_deref(), Some("r"));
        assert!(!task.is_triggerable && !task.is_result_local);
    }
}

#[test]
fn a_delegate_may_be_computed() {
    let e = camunda(r#"<serviceTask id="e" camunda:delegateExpression="${beans.find(x)}"/>"#);
    let ServiceTask::Delegate(task) = service(&e) else { panic!("{e:?}") };
    assert_eq!(&*task.name, "${beans.find(x)}");
    assert_eq!(shown_or_none(&task.computed).as_deref(), Some("Uel(${beans.find(x)})"));
}

#[test]
fn fields_in_all_their_spellings() {
    let e = camunda(&extended(
        "serviceTask",
        r#"camunda:class="A""#,
        r#"<camunda:field name="a" stringValue="1"/><camunda:field name="b" expression="${x}"/>
           <camunda:field name="c"><camunda:string>${y}</camunda:string></camunda:field>
           <activiti:field name="d"><activiti:expression>${z}</activiti:expression></activiti:field>"#,
    ));
    let ServiceTask::Delegate(task) = service(&e) else { panic!("{e:?}") };
    let fields: Vec<_> =
        task.fields.iter().map(|f| format!("{}={}", f.name, shown(&f.value))).collect();
    assert_eq!(fields, [r#"a="1""#, "b=Uel(${x})", r#"c="${y}""#, "d=Uel(${z})"]);
}

#[test]
fn an_expression_that_is_one_call_of_a_bean_may_be_a_job() {
    let job = |text: &str| {
        let e = camunda(&format!(
            r#"<serviceTask id="e" camunda:resultVariable="r" camunda:expression="{text}"/>"#
        ));
        let ServiceTask::Expression(task) = service(&e) else { panic!("{e:?}") };
        task.worker.as_ref().map(|worker| (shown(&worker.job_type), worker.headers.clone()))
    };
    let headers = vec![("resultVariable".into(), "r".into())];
    assert_eq!(job("${mailer.send(a, 1)}"), Some(("\"mailer.send\"".to_owned(), headers)));
    for other in ["${mailer}", "${mailer.to}", "${a.b().c()}", "x${a.b()}", "${1 + a.b()}"] {
        assert!(job(other).is_none(), "{other}");
    }
}

#[test]
fn mail_and_shell_come_along() {
    let fields = r#"<camunda:field name="to" stringValue="a"/><camunda:field name="html" expression="${h}"/>"#;
    let e = camunda(&extended("sendTask", r#"camunda:type="MAIL""#, fields));
    let ServiceTask::Builtin(task) = service(&e) else { panic!("{e:?}") };
    assert_eq!((&*task.kind, task.fields.len()), ("mail", 2));
    insta::assert_snapshot!(problems(&one(r#"<serviceTask id="e" camunda:type="shell"/>"#), Dialect::Camunda7), @r#"2:35: error: serviceTask "e" of type shell has no field command [field-missing]"#);
}

#[test]
fn connectors_need_a_switch() {
    let xml = one(&extended(
        "serviceTask",
        "",
        r#"<camunda:connector><camunda:connectorId>http</camunda:connectorId><camunda:inputOutput><camunda:inputParameter name="url">${u}</camunda:inputParameter></camunda:inputOutput></camunda:connector>"#,
    ));
    insta::assert_snapshot!(problems(&xml, Dialect::Camunda7), @r#"2:41: error: serviceTask "e" calls a connector, which is an error unless connectors are switched on [connectors-off]"#);
    let options = Options { has_connectors: true, ..Options::of(Dialect::Camunda7) };
    let parsed = parse(xml.as_bytes(), &options);
    assert_eq!(listed(&parsed), "");
    let process = &parsed.processes[0];
    let ServiceTask::Builtin(task) = service(process.element(process.find("e").expect("e"))) else {
        panic!("a connector")
    };
    let connector = task.connector.as_ref().expect("a connector");
    assert_eq!(shown(&connector.id), "\"http\"");
    assert_eq!(shown_mappings(&connector.inputs), ["Uel(${u}) -> url"]);
}

#[test]
fn an_external_task_can_throw_when_it_ends() {
    let xml = one(&extended(
        "serviceTask",
        r#"camunda:type="external" camunda:topic="t""#,
        r#"<camunda:errorEventDefinition errorRef="err" expression="${a == 1}"/>
           <camunda:errorEventDefinition errorRef="E7" expression="${b}"/>
           <camunda:properties><camunda:property name="k" value="v"/></camunda:properties>"#,
    ))
    .replace("<process ", r#"<error id="err" errorCode="E1"/><process "#);
    let process = accepted(&xml, Dialect::Camunda7);
    let task = worker(process.element(process.find("e").expect("e"))).clone();
    let errors: Vec<_> = task
        .errors
        .iter()
        .map(|e| (shown(&e.condition), shown_or_none(&e.error.code).expect("a code")))
        .collect();
    assert_eq!(
        errors,
        [
            ("Uel(${a == 1})".to_owned(), "\"E1\"".to_owned()),
            ("Uel(${b})".to_owned(), "\"E7\"".to_owned())
        ]
    );
    assert_eq!(task.properties, [("k".into(), "v".into())]);
}

#[test]
fn messages_are_sent_by_code_or_not_at_all() {
    let throw = |attributes: &str| {
        let xml = one(&format!(
            r#"<intermediateThrowEvent id="e"><messageEventDefinition messageRef="m" {attributes}/></intermediateThrowEvent>"#
        ))
        .replace("<process ", r#"<message id="m" name="m"/><process "#);
        let process = accepted(&xml, Dialect::Camunda7);
        match process.element(process.find("e").expect("e")).kind.clone() {
            ElementKind::ThrowEvent(throw) => throw,
            other => panic!("{other:?}"),
        }
    };
    assert!(matches!(throw(""), Throw::None));
    let Throw::Message(work) =
        throw(r#"camunda:type="external" camunda:topic="t" camunda:taskPriority="3""#)
    else {
        panic!("a message")
    };
    let ServiceTask::Worker(worker) = *work else { panic!("a job") };
    assert_eq!(shown_or_none(&worker.priority).as_deref(), Some("3"));
    assert!(
        matches!(throw(r#"camunda:class="A""#), Throw::Message(work) if matches!(*work, ServiceTask::Delegate(_)))
    );
}

#[test]
fn parameters_nest() {
    let e = camunda(&extended(
        "userTask",
        "",
        r#"<camunda:inputOutput><camunda:inputParameter name="a">${x}</camunda:inputParameter>
           <camunda:inputParameter name="b"/>
           <camunda:inputParameter name="c"><camunda:list><camunda:value>1</camunda:value>
             <camunda:script scriptFormat="groovy">2</camunda:script></camunda:list></camunda:inputParameter>
           <camunda:outputParameter name="d"><camunda:map><camunda:entry key="k">${y}</camunda:entry>
             <camunda:entry key="${l}"><camunda:list/></camunda:entry></camunda:map></camunda:outputParameter>
           <camunda:outputParameter name="e"><camunda:script scriptFormat="javascript" resource="x.js"/></camunda:outputParameter>
           </camunda:inputOutput>"#,
    ));
    assert_eq!(
        shown_mappings(&e.inputs),
        ["Uel(${x}) -> a", "null -> b", r#"["1", Groovy(2)] -> c"#]
    );
    assert_eq!(
        shown_mappings(&e.outputs),
        [r#"{"k": Uel(${y}), Uel(${l}): []} -> d"#, r#"Program(JavaScript) of "x.js" -> e"#]
    );
}

#[test]
fn deep_parameters_are_refused_without_recursing() {
    let depth = 100;
    let value = format!(
        "{}x{}",
        "<camunda:list><camunda:value>".repeat(depth),
        "</camunda:value></camunda:list>".repeat(depth)
    );
    for inner in
        [value, format!("{}{}", "<camunda:list>".repeat(depth), "</camunda:list>".repeat(depth))]
    {
        let xml = one(&extended(
            "userTask",
            "",
            &format!(
                r#"<camunda:inputOutput><camunda:inputParameter name="a">{inner}</camunda:inputParameter></camunda:inputOutput>"#
            ),
        ));
        let found = problems(&xml, Dialect::Camunda7);
        assert!(found.contains("mapping-too-deep"), "{found}");
    }
}

#[test]
fn listeners_in_all_their_spellings() {
    let e = camunda(&extended(
        "userTask",
        "",
        r#"<camunda:executionListener event="start" class="A"/>
           <camunda:taskListener event="create" expression="${a.b(task)}"/>
           <camunda:executionListener event="end" delegateExpression="${bean}"/>
           <activiti:taskListener event="assignment" delegateExpression="${x.y}"/>
           <camunda:taskListener event="complete"><camunda:script scriptFormat="groovy">1</camunda:script></camunda:taskListener>
           <camunda:taskListener event="update" class="U"><camunda:field name="f" stringValue="v"/></camunda:taskListener>
           <camunda:taskListener event="delete" class="D"/>"#,
    ));
    assert_eq!(
        shown_listeners(&e.listeners),
        [
            "Start: A",
            "TaskCreate: Uel(${a.b(task)})",
            "End: bean",
            "TaskAssign: delegate Uel(${x.y})",
            "TaskComplete: Groovy(1)",
            "TaskUpdate: U",
            "TaskDelete: D"
        ]
    );
    assert_eq!(&*e.listeners[5].fields[0].name, "f");
}

#[test]
fn a_timeout_listener_has_a_timer() {
    let e = camunda(&extended(
        "userTask",
        "",
        r#"<camunda:taskListener event="timeout" id="late" class="T"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></camunda:taskListener>"#,
    ));
    let [listener] = &e.listeners[..] else { panic!("{e:?}") };
    assert_eq!(listener.event, ListenerEvent::TaskTimeout);
    let timeout = listener.timeout.as_ref().expect("a timer");
    assert_eq!((&*timeout.id, timeout.timer.kind), ("late", TimerKind::Duration));
}

#[test]
fn flows_and_processes_have_listeners_too() {
    let xml = one(r#"<userTask id="e"/>"#).replace(
        r#"targetRef="e"/>"#,
        r#"targetRef="e"><extensionElements><camunda:executionListener event="end" class="F"/></extensionElements></sequenceFlow>"#,
    );
    let xml = xml.replace(
        "isExecutable=\"true\">",
        r#"isExecutable="true"><extensionElements><camunda:executionListener event="end" class="P"/></extensionElements>"#,
    );
    let process = accepted(&xml, Dialect::Camunda7);
    assert_eq!(shown_listeners(&process.listeners), ["End: P"]);
    let on_flows: Vec<_> =
        process.flows.iter().flat_map(|f| shown_listeners(&f.listeners)).collect();
    assert_eq!(on_flows, ["Take: F"]);
}

#[test]
fn a_call_in_detail() {
    let e = camunda(&extended(
        "callActivity",
        r#"calledElement="${which}" camunda:calledElementBinding="version" camunda:calledElementVersion="17" camunda:calledElementTenantId="t1" camunda:variableMappingDelegateExpression="${mapper}""#,
        r##"<camunda:in businessKey="#{execution.processBusinessKey}"/><camunda:in variables="all"/>
           <camunda:in source="a" target="b"/><camunda:in sourceExpression="${c}" target="d"/>
           <camunda:out source="x" target="y" local="true"/><camunda:out variables="all"/>"##,
    ));
    let call = call(&e);
    assert_eq!(shown(&call.process), "Uel(${which})");
    assert!(matches!(&call.binding, CallBinding::Version(version) if shown(version) == "17"));
    assert_eq!(shown_or_none(&call.tenant).as_deref(), Some("\"t1\""));
    assert_eq!(
        shown_or_none(&call.business_key).as_deref(),
        Some("Uel(#{execution.processBusinessKey})")
    );
    assert_eq!(
        shown_calls(&call.inputs),
        ["all false", r#"Uel(${variables:get('a')}) -> "b" false"#, r#"Uel(${c}) -> "d" false"#]
    );
    assert_eq!(
        shown_calls(&call.outputs),
        [r#"Uel(${variables:get('x')}) -> "y" true"#, "all false"]
    );
    assert!(matches!(&call.variable_mapping, Some(Code::Delegate(name)) if &**name == "mapper"));
}

#[test]
fn a_call_of_a_case_is_accepted_with_a_warning() {
    let parsed = read(&one(r#"<callActivity id="e" camunda:caseRef="c"/>"#), Dialect::Camunda7);
    insta::assert_snapshot!(listed(&parsed), @r#"2:39: warning: callActivity "e" calls a case, which fails when it is reached [unsupported-case]"#);
    assert_eq!(parsed.processes.len(), 1);
}

#[test]
fn forms_by_reference() {
    let e = camunda(
        r#"<userTask id="e" name="${n}" camunda:formRef="f" camunda:formRefBinding="deployment" camunda:followUpDate="${d}"/>"#,
    );
    let task = user_task(&e);
    let form = task.form.as_ref().expect("a form");
    assert_eq!(shown(&form.form), "\"f\"");
    assert!(matches!(form.binding, CallBinding::Deployment));
    assert_eq!(shown_or_none(&task.follow_up_date).as_deref(), Some("Uel(${d})"));
    assert_eq!(shown_or_none(&task.name).as_deref(), Some("Uel(${n})"));
}

#[test]
fn single_instances_have_a_retry_cycle_of_their_own() {
    let cycle = |text: &str| {
        format!(
            "<extensionElements><camunda:failedJobRetryTimeCycle>{text}</camunda:failedJobRetryTimeCycle></extensionElements>"
        )
    };
    let e = camunda(&format!(
        r#"<userTask id="e" camunda:asyncBefore="true">{}<multiInstanceLoopCharacteristics camunda:asyncBefore="true">{}<loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics></userTask>"#,
        cycle("R2/PT1M"),
        cycle("R5/PT1M")
    ));
    let tries = |cycle: &Option<RetryCycle>| match cycle {
        Some(RetryCycle::Fixed(plan)) => plan.tries,
        other => panic!("{other:?}"),
    };
    assert_eq!(tries(&e.jobs.retry_cycle), 2);
    assert_eq!(tries(&e.multi.expect("a loop").inner_retry_cycle), 5);
}

#[test]
fn a_form_handler_is_camundas_own_or_unknown() {
    const OWN: &str = "org.camunda.bpm.engine.impl.form.handler.DefaultTaskFormHandler";
    let task =
        |class: &str| one(&format!(r#"<userTask id="e" camunda:formHandlerClass="{class}"/>"#));
    assert_eq!(problems(&task(OWN), Dialect::Camunda7), "");
    for class in ["org.x.Mine", "", &OWN.replace("Task", "Start")] {
        let told = problems(&task(class), Dialect::Camunda7);
        assert!(told.contains("[form-handler-unknown]"), "{told}");
    }
}
