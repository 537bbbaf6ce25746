//! What Zeebe's extensions become.

use crate::support::*;
use orloj_model::{Boundary, CompletionVariables, Dialect, ElementKind, TimerKind, Trigger};

fn zeebe(xml: &str) -> orloj_model::Element {
    element(xml, Dialect::Zeebe)
}

fn refused(xml: &str) -> String {
    problems(&one(xml), Dialect::Zeebe)
}

fn extended(tag: &str, extensions: &str) -> String {
    format!("<{tag} id=\"e\"><extensionElements>\n{extensions}\n</extensionElements></{tag}>")
}

#[test]
fn a_task_definition_makes_a_worker_job() {
    let e = zeebe(&extended(
        "serviceTask",
        r#"<zeebe:taskDefinition type="charge" retries="= n + 1"/>
           <zeebe:taskHeaders><zeebe:header key="a" value="1"/><zeebe:header key="" value="x"/>
             <zeebe:header key="b"/></zeebe:taskHeaders>
           <zeebe:jobPriorityDefinition priority="=order.rank"/>
           <zeebe:properties><zeebe:property name="any" value="thing"/></zeebe:properties>"#,
    ));
    let task = worker(&e);
    assert_eq!(shown(&task.job_type), "\"charge\"");
    assert_eq!(shown_or_none(&task.retries).as_deref(), Some("Feel( n + 1)"));
    assert_eq!(shown_or_none(&task.priority).as_deref(), Some("Feel(order.rank)"));
    assert_eq!(task.headers, [("a".into(), "1".into())]);
    assert_eq!(task.completion, CompletionVariables::Merge);
    assert!(!task.is_user_task);
    assert_eq!((e.async_before, e.async_after), (None, None));
}

#[test]
fn retries_are_the_process_default_unless_given() {
    let without = zeebe(&extended("serviceTask", r#"<zeebe:taskDefinition type="t"/>"#));
    assert!(worker(&without).retries.is_none());
    let with = zeebe(&extended("serviceTask", r#"<zeebe:taskDefinition type="t" retries="5"/>"#));
    assert_eq!(shown_or_none(&worker(&with).retries).as_deref(), Some("5"));
}

#[test]
fn send_rule_and_script_tasks_are_jobs_where_they_say_so() {
    for tag in ["sendTask", "businessRuleTask", "scriptTask"] {
        let e = zeebe(&extended(tag, r#"<zeebe:taskDefinition type="=kind"/>"#));
        assert_eq!(shown(&worker(&e).job_type), "Feel(kind)");
    }
    insta::assert_snapshot!(refused(r#"<scriptTask id="e"><script>1</script></scriptTask>"#), @r#"2:1: error: scriptTask "e" has no zeebe:taskDefinition [implementation-missing]"#);
}

#[test]
fn the_priority_of_the_process_is_that_of_its_jobs() {
    let xml = one(&extended("serviceTask", r#"<zeebe:taskDefinition type="t"/>"#)).replace(
        "isExecutable=\"true\">",
        "isExecutable=\"true\"><extensionElements><zeebe:jobPriorityDefinition priority=\"7\"/>\
         <zeebe:versionTag value=\"v1\"/></extensionElements>",
    );
    let process = accepted(&xml, Dialect::Zeebe);
    let e = process.element(process.find("e").expect("e"));
    assert_eq!(shown_or_none(&worker(e).priority).as_deref(), Some("7"));
    assert_eq!(process.version_tag.as_deref(), Some("v1"));
}

#[test]
fn broken_task_definitions_are_named() {
    insta::assert_snapshot!(refused(r#"<serviceTask id="e"/>"#), @r#"2:1: error: serviceTask "e" has no zeebe:taskDefinition [implementation-missing]"#);
    insta::assert_snapshot!(refused(&extended("serviceTask", r#"<zeebe:taskDefinition/>"#)), @r#"3:1: error: the type of serviceTask "e" is missing or empty [job-type-empty]"#);
    insta::assert_snapshot!(refused(&extended("serviceTask",
        r#"<zeebe:taskDefinition type="a"/><zeebe:taskDefinition type="b"/>"#)), @r#"3:33: error: serviceTask "e" has more than one taskDefinition [extension-repeated]"#);
    insta::assert_snapshot!(refused(&extended("serviceTask",
        r#"<zeebe:taskDefinition type="a"/><zeebe:taskHeaders>
<zeebe:header key="a" value="1"/><zeebe:header key="a" value="2"/>
<zeebe:header key="io.camunda.zeebe:x" value="3"/></zeebe:taskHeaders>"#)), @r#"
    4:53: error: the task header "a" of serviceTask "e" is given twice [header-repeated]
    5:20: error: the task header "io.camunda.zeebe:x" of serviceTask "e" is reserved for the engine [header-reserved]
    "#);
    let long = format!(r#"<zeebe:taskDefinition type="{}"/>"#, "x".repeat(1_025));
    insta::assert_snapshot!(refused(&extended("serviceTask", &long)), @r#"3:29: error: the job type "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" of serviceTask "e" is longer than 1024 bytes [job-type-too-long]"#);
}

#[test]
fn an_expression_that_does_not_parse_is_shown_where_it_breaks() {
    insta::assert_snapshot!(
        refused(&extended("serviceTask", r#"<zeebe:taskDefinition type="=1 + "/>"#)), @r#"3:34: error: the expression "=1 + " of serviceTask "e" does not parse: expected a value, found the end [expression-invalid]"#);
    insta::assert_snapshot!(
        refused(&extended("serviceTask", r#"<zeebe:taskDefinition type="=&quot;a&quot; + "/>"#)), @r#"3:29: error: the expression "="a" + " of serviceTask "e" does not parse: expected a value, found the end [expression-invalid]"#);
}

#[test]
fn a_static_input_is_always_text() {
    let e = zeebe(&extended(
        "serviceTask",
        r#"<zeebe:taskDefinition type="t"/><zeebe:ioMapping>
           <zeebe:input source="12" target="a"/><zeebe:input source="=x.y" target="b.c"/>
           <zeebe:output source="=z" target="d"/></zeebe:ioMapping>"#,
    ));
    assert_eq!(shown_mappings(&e.inputs), ["\"12\" -> a", "Feel(x.y) -> b.c"]);
    assert_eq!(shown_mappings(&e.outputs), ["Feel(z) -> d"]);
}

#[test]
fn a_mapping_that_ends_in_a_comment_is_refused() {
    let mapped = |source: &str| {
        refused(&extended(
            "serviceTask",
            &format!(
                r#"<zeebe:taskDefinition type="t"/><zeebe:ioMapping>
<zeebe:input source="{source}" target="a"/><zeebe:output source="{source}" target="b"/>
</zeebe:ioMapping>"#
            ),
        ))
    };
    assert_eq!(mapped("=1 // one").matches("[mapping-source-comment]").count(), 2);
    for fine in ["=1 /* one */", "=&quot;a//b&quot;", "=1 // one&#10;+ 1"] {
        assert_eq!(mapped(fine), "", "{fine}");
    }
}

#[test]
fn a_process_may_begin_at_a_compensation_event() {
    let body = r#"<startEvent id="e"><compensateEventDefinition/></startEvent><endEvent id="end"/>
<sequenceFlow id="f" sourceRef="e" targetRef="end"/>"#;
    let found = accepted(&process(body), Dialect::Zeebe);
    assert!(found.find("e").is_some());
    assert_eq!(found.root.none_start, found.find("e"));
}

#[test]
fn broken_mappings_are_named() {
    insta::assert_snapshot!(refused(&extended("serviceTask",
        r#"<zeebe:taskDefinition type="t"/><zeebe:ioMapping>
<zeebe:input source="=1 +" target="a"/>
<zeebe:input source="x" target="a b"/>
<zeebe:input source="x"/>
<zeebe:input target="c"/>
<zeebe:output source="z" target="d"/>
<zeebe:output target="1d"/></zeebe:ioMapping>"#)), @r#"
    4:26: error: the expression "=1 +" of serviceTask "e" does not parse: expected a value, found the end [expression-invalid]
    5:33: error: the target "a b" of a mapping of serviceTask "e" is no variable name [mapping-target-invalid]
    6:1: error: a mapping of serviceTask "e" has no target [mapping-target-missing]
    7:1: warning: an input of serviceTask "e" has no source and gives null [mapping-source-missing]
    8:23: error: the source of an output of serviceTask "e" must be an expression that begins with =, but is "z" [expression-required]
    9:1: error: an output of serviceTask "e" has no source [mapping-source-missing]
    9:23: error: the target "1d" of a mapping of serviceTask "e" is no variable name [mapping-target-invalid]
    "#);
}

#[test]
fn a_user_task_is_a_job_unless_the_engine_keeps_it() {
    let e = zeebe(&extended(
        "userTask",
        r#"<zeebe:assignmentDefinition assignee="anna" candidateGroups="a, b"/>
           <zeebe:formDefinition formKey="f"/>
           <zeebe:taskHeaders><zeebe:header key="k" value="v"/></zeebe:taskHeaders>"#,
    ));
    let task = worker(&e);
    assert!(task.is_user_task);
    assert_eq!(e.kind.name(), "userTask");
    assert_eq!(shown(&task.job_type), "\"io.camunda.zeebe:userTask\"");
    assert_eq!(shown_or_none(&task.retries).as_deref(), Some("1"));
    let headers: Vec<String> = task.headers.iter().map(|(k, v)| format!("{k}={v}")).collect();
    assert_eq!(
        headers,
        [
            "k=v",
            "io.camunda.zeebe:assignee=anna",
            "io.camunda.zeebe:candidateGroups=[\"a\",\"b\"]",
            "io.camunda.zeebe:formKey=f"
        ]
    );

    let e = zeebe(&extended(
        "userTask",
        r#"<zeebe:userTask/><zeebe:assignmentDefinition assignee="=who" candidateUsers="a,b"/>
           <zeebe:taskSchedule dueDate="=due"/><zeebe:priorityDefinition priority="70"/>"#,
    ));
    let task = user_task(&e);
    assert_eq!(shown_or_none(&task.assignee).as_deref(), Some("Feel(who)"));
    assert_eq!(shown_or_none(&task.candidate_users).as_deref(), Some(r#"["a","b"]"#));
    assert_eq!(shown_or_none(&task.due_date).as_deref(), Some("Feel(due)"));
    assert_eq!(shown_or_none(&task.priority).as_deref(), Some("70"));
    assert!(task.candidate_groups.is_none() && task.form_key.is_none());
}

fn timer_event(tag: &str, attributes: &str, timer: &str) -> String {
    format!(
        "<{tag} id=\"e\" {attributes}><timerEventDefinition>{timer}</timerEventDefinition></{tag}>"
    )
}

#[test]
fn timers_are_not_exclusive() {
    let e =
        zeebe(&timer_event("intermediateCatchEvent", "", "<timeDuration> PT5M\n</timeDuration>"));
    let found = timer(&e);
    assert_eq!((found.kind, shown(&found.value)), (TimerKind::Duration, "\"PT5M\"".into()));
    assert!(!found.exclusive);
    let e = zeebe(&timer_event("intermediateCatchEvent", "", "<timeDate>=at</timeDate>"));
    assert_eq!((timer(&e).kind, shown(&timer(&e).value)), (TimerKind::Date, "Feel(at)".into()));
}

#[test]
fn misplaced_and_broken_timers_are_named() {
    let catch = |timer: &str| refused(&timer_event("intermediateCatchEvent", "", timer));
    insta::assert_snapshot!(catch("<timeCycle>R3/PT1H</timeCycle>"), @r#"2:55: error: intermediateCatchEvent "e" waits once and cannot have a timeCycle [timer-cycle-misplaced]"#);
    insta::assert_snapshot!(catch(""), @r#"2:33: error: the timer of intermediateCatchEvent "e" has neither timeDate nor timeDuration nor timeCycle [timer-missing]"#);
    insta::assert_snapshot!(catch("<timeDuration> </timeDuration>"), @r#"2:70: error: the timer of intermediateCatchEvent "e" is empty [timer-empty]"#);
    insta::assert_snapshot!(
        catch("<timeDuration>PT1H</timeDuration><timeDate>2030-01-01T00:00:00Z</timeDate>"), @r#"2:88: error: a timerEventDefinition cannot contain the element "timeDate" here [schema-element-misplaced]"#);
    insta::assert_snapshot!(refused("<intermediateCatchEvent id=\"e\"/>"), @r#"2:1: error: intermediateCatchEvent "e" has no event definition [event-definition-missing]"#);
    insta::assert_snapshot!(
        refused("<intermediateCatchEvent id=\"e\"><messageEventDefinition/></intermediateCatchEvent>"), @r#"2:32: error: intermediateCatchEvent "e" refers to no message [message-missing]"#);
}

const TASK: &str = r#"<serviceTask id="task"><extensionElements><zeebe:taskDefinition type="t"/></extensionElements></serviceTask>"#;

/// A task with boundary events that all lead to the end.
fn with_boundaries(root: &str, boundaries: &[(&str, &str)]) -> String {
    let mut body = format!("{TASK}\n");
    for (id, xml) in boundaries {
        body.push_str(&format!(
            "{xml}\n<sequenceFlow id=\"{id}-end\" sourceRef=\"{id}\" targetRef=\"end\"/>\n"
        ));
    }
    body.push_str(
        r#"<startEvent id="start"/><endEvent id="end"/>
           <sequenceFlow id="f1" sourceRef="start" targetRef="task"/>
           <sequenceFlow id="f2" sourceRef="task" targetRef="end"/>"#,
    );
    process(&body).replace("<process ", &format!("{root}<process "))
}

#[test]
fn boundary_events_are_attached_in_the_order_of_visits() {
    let xml = with_boundaries(
        r#"<error id="err" errorCode="E1"/>"#,
        &[
            (
                "t",
                r#"<boundaryEvent id="t" attachedToRef="task" cancelActivity="false"><timerEventDefinition><timeCycle>R/PT1H</timeCycle></timerEventDefinition></boundaryEvent>"#,
            ),
            (
                "x",
                r#"<boundaryEvent id="x" attachedToRef="task"><errorEventDefinition errorRef="err"/></boundaryEvent>"#,
            ),
            (
                "y",
                r#"<boundaryEvent id="y" attachedToRef="task"><errorEventDefinition/></boundaryEvent>"#,
            ),
        ],
    );
    let process = accepted(&xml, Dialect::Zeebe);
    let task = process.element(process.find("task").expect("task"));
    let ids: Vec<&str> = task.boundaries.iter().map(|&b| process.element(b).id.as_str()).collect();
    assert_eq!(ids, ["y", "x", "t"]);
    let kind = |id: &str| &process.element(process.find(id).expect(id)).kind;
    match kind("t") {
        ElementKind::BoundaryEvent(Boundary {
            interrupting: false,
            trigger: Trigger::Timer(timer),
            attached_to,
        }) => {
            assert_eq!(timer.kind, TimerKind::Cycle);
            assert_eq!(process.element(*attached_to).id.as_str(), "task");
        }
        other => panic!("{other:?}"),
    }
    let code = |id: &str| match kind(id) {
        ElementKind::BoundaryEvent(Boundary { trigger: Trigger::Error(catches), .. }) => {
            catches.code.as_deref().map(str::to_owned)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(code("x").as_deref(), Some("E1"));
    assert_eq!(code("y"), None);
}

#[test]
fn broken_boundary_events_are_named() {
    let xml = with_boundaries(
        r#"<error id="none"/><error id="computed" errorCode="=code"/>"#,
        &[
            (
                "a",
                r#"<boundaryEvent id="a" attachedToRef="task"><timerEventDefinition><timeCycle>R/PT1H</timeCycle></timerEventDefinition></boundaryEvent>"#,
            ),
            (
                "b",
                r#"<boundaryEvent id="b" attachedToRef="start"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent>"#,
            ),
            (
                "c",
                r#"<boundaryEvent id="c" attachedToRef="nothing"><errorEventDefinition/></boundaryEvent>"#,
            ),
            ("d", r#"<boundaryEvent id="d"><errorEventDefinition/></boundaryEvent>"#),
            (
                "e",
                r#"<boundaryEvent id="e" attachedToRef="task"><errorEventDefinition errorRef="none"/></boundaryEvent>"#,
            ),
            (
                "f",
                r#"<boundaryEvent id="f" attachedToRef="task"><errorEventDefinition errorRef="computed"/></boundaryEvent>"#,
            ),
            (
                "g",
                r#"<boundaryEvent id="g" attachedToRef="task"><errorEventDefinition errorRef="unknown"/></boundaryEvent>"#,
            ),
            (
                "h",
                r#"<boundaryEvent id="h" attachedToRef="task" cancelActivity="false"><errorEventDefinition/></boundaryEvent>"#,
            ),
            (
                "i",
                r#"<boundaryEvent id="i" attachedToRef="task"><messageEventDefinition/></boundaryEvent>"#,
            ),
            (
                "j",
                r#"<boundaryEvent id="j" attachedToRef="task"><errorEventDefinition/><timerEventDefinition/></boundaryEvent>"#,
            ),
        ],
    );
    insta::assert_snapshot!(problems(&xml, Dialect::Zeebe), @r#"
    1:363: error: boundaryEvent "f" cannot catch an error code that is computed [error-code-computed]
    3:66: error: boundaryEvent "a" waits once and cannot have a timeCycle [timer-cycle-misplaced]
    5:1: error: boundaryEvent "b" is attached to startEvent "start", which is no activity [boundary-misplaced]
    7:38: error: boundaryEvent "c" is attached to "nothing", which is no element of the process [boundary-unattached]
    9:1: error: boundaryEvent "d" is attached to nothing [boundary-unattached]
    15:1: error: boundaryEvent "g" is not the only event there that catches every error [event-repeated]
    17:1: error: boundaryEvent "h" catches an error and so always interrupts [error-event-must-interrupt]
    17:1: error: boundaryEvent "h" is not the only event there that catches every error [event-repeated]
    19:44: error: boundaryEvent "i" refers to no message [message-missing]
    21:67: error: boundaryEvent "j" has more than one event definition [event-definition-repeated]
    "#);
    let alone = with_boundaries("", &[]).replace(
        "<startEvent",
        r#"<boundaryEvent id="z" attachedToRef="task"><errorEventDefinition/></boundaryEvent><startEvent"#,
    );
    insta::assert_snapshot!(problems(&alone, Dialect::Zeebe), @"");
}

fn choice(default: &str, flows: &str) -> String {
    process(&format!(
        r#"<startEvent id="start"/><exclusiveGateway id="g" {default}><outgoing>f1</outgoing><outgoing>f2</outgoing></exclusiveGateway><endEvent id="a"/><endEvent id="b"/>
<sequenceFlow id="in" sourceRef="start" targetRef="g"/>
{flows}"#
    ))
}

#[test]
fn siblings_are_visited_from_the_last_to_the_first() {
    let xml = choice(
        r#"default="f1""#,
        r#"<sequenceFlow id="f1" sourceRef="g" targetRef="a"/>
<sequenceFlow id="f2" sourceRef="g" targetRef="b"><conditionExpression>=x &gt; 1</conditionExpression></sequenceFlow>
<sequenceFlow id="f3" sourceRef="g" targetRef="b"><conditionExpression><![CDATA[ =x < 0 ]]></conditionExpression></sequenceFlow>"#,
    );
    let process = accepted(&xml, Dialect::Zeebe);
    assert_eq!(outgoing(&process, "g"), ["f3", "f2", "f1"]);
    let gateway = process.element(process.find("g").expect("g"));
    assert_eq!(process.flow(gateway.default_flow.expect("a default")).id.as_str(), "f1");
    let conditions: Vec<_> =
        process.flows.iter().map(|f| f.condition.as_ref().map(shown_script)).collect();
    let expected = [None, None, Some("Feel(x > 1)".into()), Some("Feel(x < 0)".into())];
    assert_eq!(conditions, expected);
}

#[test]
fn conditions_stand_where_zeebe_wants_them() {
    insta::assert_snapshot!(problems(&choice("", r#"<sequenceFlow id="f1" sourceRef="g" targetRef="a"/>
<sequenceFlow id="f2" sourceRef="g" targetRef="b"><conditionExpression>=x</conditionExpression></sequenceFlow>"#), Dialect::Zeebe), @r#"4:1: error: sequenceFlow "f1" leaves exclusiveGateway "g" without a condition and is not its default flow [condition-missing]"#);
    insta::assert_snapshot!(problems(&choice("default=\"in\"", r#"<sequenceFlow id="f1" sourceRef="g" targetRef="a"><conditionExpression>x</conditionExpression></sequenceFlow>
<sequenceFlow id="f2" sourceRef="g" targetRef="b"><conditionExpression>=1 +</conditionExpression></sequenceFlow>"#), Dialect::Zeebe), @r#"
    2:59: error: the default flow "in" of exclusiveGateway "g" is none of its outgoing flows [default-flow-unknown]
    4:72: error: the condition of sequenceFlow "f1" must be an expression that begins with =, but is "x" [expression-required]
    5:76: error: the expression "=1 +" of sequenceFlow "f2" does not parse: expected a value, found the end [expression-invalid]
    "#);
    insta::assert_snapshot!(problems(&process(r#"<startEvent id="s"><outgoing>f1</outgoing></startEvent><endEvent id="a"/>
<sequenceFlow id="f1" sourceRef="s" targetRef="a"><conditionExpression>=x</conditionExpression></sequenceFlow>"#), Dialect::Zeebe), @r#"3:1: error: sequenceFlow "f1" leaves startEvent "s" and cannot have a condition; only flows of gateways can [condition-misplaced]"#);
    let only = choice("", r#"<sequenceFlow id="f1" sourceRef="g" targetRef="a"/>"#);
    let only = only.replace("<endEvent id=\"b\"/>", "");
    accepted(&only, Dialect::Zeebe);
}

#[test]
fn a_loop_must_wait_somewhere() {
    let endless = process(
        r#"<startEvent id="start"/><exclusiveGateway id="a"/><manualTask id="b"/><endEvent id="end"/>
<sequenceFlow id="f1" sourceRef="start" targetRef="a"/>
<sequenceFlow id="f2" sourceRef="a" targetRef="b"/>
<sequenceFlow id="f3" sourceRef="b" targetRef="a"/>
<sequenceFlow id="f4" sourceRef="b" targetRef="end"/>"#,
    );
    insta::assert_snapshot!(problems(&endless, Dialect::Zeebe), @r#"2:25: error: a loop in which nothing waits: "a", "b" [loop-without-wait]"#);
    accepted(&endless, Dialect::Camunda7);
    let waiting = endless.replace(
        r#"<sequenceFlow id="f3" sourceRef="b" targetRef="a"/>"#,
        &format!(
            r#"{TASK}<sequenceFlow id="f3" sourceRef="b" targetRef="task"/><sequenceFlow id="f5" sourceRef="task" targetRef="a"/>"#
        ),
    );
    accepted(&waiting, Dialect::Zeebe);
    let itself = process(
        r#"<startEvent id="start"/><task id="a"/>
<sequenceFlow id="f1" sourceRef="start" targetRef="a"/><sequenceFlow id="f2" sourceRef="a" targetRef="a"/>"#,
    );
    insta::assert_snapshot!(problems(&itself, Dialect::Zeebe), @r#"2:25: error: a loop in which nothing waits: "a" [loop-without-wait]"#);
    let gateways = endless.replace("manualTask", "parallelGateway");
    accepted(&gateways, Dialect::Zeebe);
    let inside = process(
        r#"<startEvent id="start"/><subProcess id="a"><startEvent id="in"/><scriptTask id="b"><extensionElements><zeebe:script expression="=1" resultVariable="x"/></extensionElements></scriptTask>
<sequenceFlow id="f1" sourceRef="in" targetRef="b"/></subProcess>
<sequenceFlow id="f2" sourceRef="start" targetRef="a"/><sequenceFlow id="f3" sourceRef="a" targetRef="a"/>"#,
    );
    insta::assert_snapshot!(problems(&inside, Dialect::Zeebe), @r#"2:25: error: a loop in which nothing waits: "a", "in", "b" [loop-without-wait]"#);
}

#[test]
fn only_executable_processes_are_read() {
    let unmarked = definitions(r#"<process id="p"><startEvent id="s"/></process>"#);
    insta::assert_snapshot!(problems(&unmarked, Dialect::Zeebe), @r#"1:1: error: no process of the file is marked isExecutable="true" [no-executable-process]"#);
    let two = definitions(
        r#"<process id="p" isExecutable="true"><startEvent id="s"/></process>
           <process id="q" isExecutable="false"><subProcess id="s2"/></process>"#,
    );
    assert_eq!(accepted(&two, Dialect::Zeebe).id.as_str(), "p");
}

#[test]
fn outputs_of_a_gateway_have_no_effect() {
    let e = extended(
        "parallelGateway",
        r#"<zeebe:ioMapping><zeebe:output source="=1" target="a"/></zeebe:ioMapping>"#,
    );
    let parsed = read(&one(&e), Dialect::Zeebe);
    insta::assert_snapshot!(listed(&parsed), @r#"3:1: warning: output mappings of parallelGateway "e" have no effect [ignored-mapping]"#);
    let process = &parsed.processes[0];
    assert!(process.element(process.find("e").expect("e")).outputs.is_empty());
}
