//! What events, subprocesses, loops and compensation become in the graph.

use crate::support::*;
use orloj_expr::Environment;
use orloj_model::{
    Dialect, Element, ElementKind, Items, Process, StartEvent, SubProcess, SubProcessKind, Throw,
    TimerKind, Trigger, VariableEvent,
};
use orloj_types::{Timestamp, Value};

fn at<'p>(process: &'p Process, id: &str) -> &'p Element {
    process.element(process.find(id).expect(id))
}

/// The only process of a file without errors.
fn running(xml: &str, dialect: Dialect) -> Process {
    let parsed = read(xml, dialect);
    assert!(!parsed.has_errors(), "{}", listed(&parsed));
    parsed.processes.into_iter().next().expect("a process")
}

fn with(root: &str, xml: &str) -> String {
    xml.replace("<process ", &format!("{root}<process "))
}

const TIMER: &str =
    "<timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition>";

#[test]
fn subprocesses_lie_flat_with_their_scopes() {
    let process = accepted(
        &process(&format!(
            r#"<startEvent id="s"/><subProcess id="a"><startEvent id="as"/><subProcess id="b"><startEvent id="bs"/></subProcess>
<sequenceFlow id="f2" sourceRef="as" targetRef="b"/></subProcess><userTask id="t"/>
<subProcess id="c" triggeredByEvent="true"><startEvent id="cs" isInterrupting="false">{TIMER}</startEvent></subProcess>
<sequenceFlow id="f1" sourceRef="s" targetRef="a"/><sequenceFlow id="f3" sourceRef="a" targetRef="t"/>"#
        )),
        Dialect::Camunda7,
    );
    let ids: Vec<&str> = process.elements.iter().map(|e| e.id.as_str()).collect();
    assert_eq!(ids, ["s", "a", "as", "b", "bs", "t", "c", "cs"]);
    let named = |indices: &[orloj_model::ElementIndex]| -> Vec<String> {
        indices.iter().map(|&index| process.element(index).id.to_string()).collect()
    };
    assert_eq!(named(&process.root.members), ["s", "a", "t", "c"]);
    assert_eq!(named(&process.root.event_subprocesses), ["c"]);
    assert_eq!(named(&process.root.starts), ["s"]);
    assert_eq!(named(&process.scope(process.find("a")).members), ["as", "b"]);
    assert_eq!(process.scope(process.find("b")).none_start, process.find("bs"));
    assert_eq!(at(&process, "bs").parent, process.find("b"));
    let ElementKind::StartEvent(start) = &at(&process, "cs").kind else { panic!("a start") };
    assert!(!start.interrupting && matches!(start.trigger, Some(Trigger::Timer(_))));
}

#[test]
fn scopes_nest_as_deep_as_a_file_may() {
    let depth = 200;
    let mut body = String::from("<startEvent id=\"s\"/>");
    for n in 0..depth {
        body.push_str(&format!("<subProcess id=\"n{n}\"><startEvent id=\"s{n}\"/>"));
    }
    body.push_str(&"</subProcess>".repeat(depth));
    let parsed = read(&process(&body), Dialect::Camunda7);
    assert!(!parsed.has_errors(), "{}", listed(&parsed));
    let process = &parsed.processes[0];
    assert_eq!(process.elements.len(), 2 * depth + 1);
    assert_eq!(at(process, "s199").parent, process.find("n199"));
}

#[test]
fn each_engine_begins_elsewhere_when_started_by_hand() {
    let xml = with(
        r#"<message id="m" name="m"/>"#,
        &process(&format!(
            r#"<startEvent id="m1"><messageEventDefinition messageRef="m"/></startEvent><startEvent id="t1">{TIMER}</startEvent>"#
        )),
    );
    let first = |dialect| {
        let process = accepted(&xml, dialect);
        process.root.none_start.map(|start| process.element(start).id.to_string())
    };
    assert_eq!(first(Dialect::Camunda7).as_deref(), Some("t1"));
    assert_eq!(first(Dialect::Flowable).as_deref(), Some("m1"));
    assert_eq!(first(Dialect::Zeebe), None);
}

#[test]
fn triggers_with_what_they_wait_for() {
    let root = r#"<message id="m" name="a ${x}"/><signal id="g" name="go" flowable:scope="processInstance"/><escalation id="c" escalationCode="C"/>"#;
    let catch = |dialect, definition: &str| {
        let xml = one(&format!(
            r#"<intermediateCatchEvent id="e">{definition}</intermediateCatchEvent>"#
        ));
        let process = running(&with(root, &xml), dialect);
        match &at(&process, "e").kind {
            ElementKind::CatchEvent(Some(trigger)) => trigger.clone(),
            other => panic!("{other:?}"),
        }
    };
    let message = catch(Dialect::Camunda7, r#"<messageEventDefinition messageRef="m"/>"#);
    assert!(matches!(&message, Trigger::Message(m) if shown(&m.name) == "Uel(a ${x})"));
    for (dialect, is_local) in [(Dialect::Camunda7, false), (Dialect::Flowable, true)] {
        let signal = catch(dialect, r#"<signalEventDefinition signalRef="g"/>"#);
        assert!(matches!(&signal, Trigger::Signal(s) if s.is_local == is_local));
    }
    let condition = catch(
        Dialect::Camunda7,
        r#"<conditionalEventDefinition camunda:variableName="v" camunda:variableEvents="create, update"><condition>${v}</condition></conditionalEventDefinition>"#,
    );
    let Trigger::Condition(condition) = condition else { panic!("a condition") };
    assert_eq!(condition.variable.as_deref(), Some("v"));
    assert_eq!(condition.events, [VariableEvent::Create, VariableEvent::Update]);
    let variable = catch(
        Dialect::Flowable,
        r#"<extensionElements><flowable:variableListenerEventDefinition variableName="v" variableChangeType="update-create"/></extensionElements>"#,
    );
    assert!(matches!(&variable, Trigger::Variable(v) if v.events.len() == 2));
    let registry = catch(
        Dialect::Flowable,
        "<extensionElements><flowable:eventType>order</flowable:eventType></extensionElements>",
    );
    assert!(matches!(&registry, Trigger::Registry(r) if shown(&r.event_type) == "\"order\""));
}

#[test]
fn what_events_throw() {
    let root = r#"<signal id="g" name="go"/><error id="x" errorCode="E" camunda:errorMessage="${m}"/><escalation id="c" escalationCode="C"/>"#;
    let thrown = |dialect, definition: &str| {
        let xml = process(&format!(
            r#"<startEvent id="s"/><endEvent id="e">{definition}</endEvent><sequenceFlow id="f" sourceRef="s" targetRef="e"/>"#
        ));
        let process = running(&with(root, &xml), dialect);
        match &at(&process, "e").kind {
            ElementKind::EndEvent(thrown) => thrown.clone(),
            other => panic!("{other:?}"),
        }
    };
    let error = thrown(Dialect::Camunda7, r#"<errorEventDefinition errorRef="x"/>"#);
    let Throw::Error(error) = error else { panic!("an error") };
    assert_eq!(shown_or_none(&error.code).as_deref(), Some("\"E\""));
    assert_eq!(shown_or_none(&error.message).as_deref(), Some("Uel(${m})"));
    let escalation = thrown(Dialect::Zeebe, r#"<escalationEventDefinition escalationRef="c"/>"#);
    assert!(matches!(&escalation, Throw::Escalation(Some(code)) if shown(code) == "\"C\""));
    let signal =
        thrown(Dialect::Camunda7, r#"<signalEventDefinition signalRef="g" camunda:async="true"/>"#);
    assert!(matches!(&signal, Throw::Signal(s) if s.is_async.is_some()));
    let terminate =
        thrown(Dialect::Flowable, r#"<terminateEventDefinition flowable:terminateAll="true"/>"#);
    assert!(matches!(terminate, Throw::Terminate { all: true, multi_instance: false }));
    assert!(matches!(
        thrown(Dialect::Camunda7, "<terminateEventDefinition/>"),
        Throw::Terminate { all: false, multi_instance: false }
    ));
    assert!(matches!(thrown(Dialect::Camunda7, "<messageEventDefinition/>"), Throw::None));
}

#[test]
fn links_are_joined() {
    let xml = process(
        r#"<startEvent id="s"/><intermediateThrowEvent id="a"><linkEventDefinition id="l1" name="L"/></intermediateThrowEvent>
<intermediateCatchEvent id="b"><linkEventDefinition id="l2" name="L"/></intermediateCatchEvent><endEvent id="e"/>
<sequenceFlow id="f1" sourceRef="s" targetRef="a"/><sequenceFlow id="f2" sourceRef="b" targetRef="e"/>"#,
    );
    for dialect in [Dialect::Camunda7, Dialect::Zeebe] {
        let process = accepted(&xml, dialect);
        match at(&process, "a").kind {
            ElementKind::ThrowEvent(Throw::Link(target)) => {
                assert_eq!(Some(target), process.find("b"));
            }
            ref other => panic!("{other:?}"),
        }
    }
}

#[test]
fn an_activity_knows_what_undoes_it() {
    let xml = process(
        r#"<startEvent id="s"/><userTask id="t"/><boundaryEvent id="b" attachedToRef="t"><compensateEventDefinition id="d"/></boundaryEvent>
<userTask id="h" isForCompensation="true"/><intermediateThrowEvent id="undo"><compensateEventDefinition id="d2" activityRef="t"/></intermediateThrowEvent>
<sequenceFlow id="f1" sourceRef="s" targetRef="t"/><sequenceFlow id="f2" sourceRef="t" targetRef="undo"/>
<association id="x" sourceRef="b" targetRef="h"/>"#,
    );
    for dialect in [Dialect::Camunda7, Dialect::Flowable, Dialect::Zeebe] {
        let process = accepted(&xml, dialect);
        let task = at(&process, "t");
        assert_eq!(task.compensation, process.find("h"));
        assert!(task.boundaries.is_empty(), "compensation does not wait for its activity");
        assert!(at(&process, "h").is_for_compensation);
        match &at(&process, "undo").kind {
            ElementKind::ThrowEvent(Throw::Compensation(undo)) => {
                assert_eq!((undo.activity, undo.waits), (process.find("t"), true));
            }
            other => panic!("{other:?}"),
        }
    }
}

fn looped(dialect: Dialect, activity: &str, attributes: &str, inside: &str) -> Element {
    element(
        &format!(
            r#"<userTask id="e" {activity}><multiInstanceLoopCharacteristics {attributes}>{inside}</multiInstanceLoopCharacteristics></userTask>"#
        ),
        dialect,
    )
}

#[test]
fn loops_of_each_dialect() {
    let e = looped(
        Dialect::Camunda7,
        r#"camunda:asyncBefore="true""#,
        r#"isSequential="true" camunda:collection="items" camunda:elementVariable="item" camunda:asyncAfter="true""#,
        "<completionCondition>${done}</completionCondition>",
    );
    let multi = e.multi.expect("a loop");
    assert!(multi.is_sequential && e.async_before.is_some() && e.async_after.is_none());
    assert!(multi.inner_before.is_none() && multi.inner_after.is_some());
    assert_eq!(shown_or_none(&multi.completion).as_deref(), Some("Uel(${done})"));
    let Items::Collection { collection, variable } = &multi.items else { panic!("items") };
    assert_eq!((shown(collection).as_str(), variable.as_deref()), ("Uel(${items})", Some("item")));

    let e = looped(
        Dialect::Flowable,
        r#"flowable:async="true" flowable:asyncLeave="true""#,
        r#"flowable:elementIndexVariable="i""#,
        "<loopCardinality>${n}</loopCardinality>",
    );
    let multi = e.multi.expect("a loop");
    assert!(!multi.is_sequential && e.async_before.is_none() && e.async_after.is_some());
    assert!(multi.inner_before.is_some());
    assert_eq!(multi.index_variable.as_deref(), Some("i"));
    assert!(matches!(&multi.items, Items::Cardinality(n) if shown(n) == "Uel(${n})"));

    let e = looped(
        Dialect::Zeebe,
        "",
        "",
        r#"<extensionElements><zeebe:loopCharacteristics inputCollection="=items" inputElement="item" outputCollection="results" outputElement="=result"/></extensionElements>"#,
    );
    let multi = e.multi.expect("a loop");
    let output = multi.output.expect("an output");
    assert_eq!((&*output.variable, shown(&output.element).as_str()), ("results", "Feel(result)"));
    let Items::Collection { variable, .. } = &multi.items else { panic!("items") };
    assert_eq!(variable.as_deref(), Some("item"));
}

#[test]
fn ad_hoc_subprocesses_of_zeebe_and_flowable() {
    let e = element(
        r#"<adHocSubProcess id="e" cancelRemainingInstances="false"><extensionElements><zeebe:adHoc activeElementsCollection="=ids"/></extensionElements><userTask id="u"/><completionCondition>=done</completionCondition></adHocSubProcess>"#,
        Dialect::Zeebe,
    );
    let ElementKind::SubProcess(SubProcess { kind: SubProcessKind::AdHoc(ad_hoc), scope }) =
        &e.kind
    else {
        panic!("an ad-hoc subprocess")
    };
    assert!(!ad_hoc.cancels_rest && !ad_hoc.is_sequential);
    assert_eq!(shown_or_none(&ad_hoc.completion).as_deref(), Some("Feel(done)"));
    assert_eq!(shown_or_none(&ad_hoc.active_elements).as_deref(), Some("Feel(ids)"));
    assert_eq!(scope.members.len(), 1);
    let e = element(
        r#"<adHocSubProcess id="e" ordering="Sequential"><userTask id="u"/></adHocSubProcess>"#,
        Dialect::Flowable,
    );
    assert!(matches!(
        &e.kind,
        ElementKind::SubProcess(SubProcess { kind: SubProcessKind::AdHoc(a), .. }) if a.is_sequential
    ));
}

#[test]
fn data_objects_are_variables_of_flowable_only() {
    let xml = process(
        r#"<dataObject id="d1" name="limit" xmlns:xsd="x" itemSubjectRef="xsd:int"><extensionElements><flowable:value>7</flowable:value></extensionElements></dataObject>
<dataObject id="d2" name="note"/><startEvent id="s"/><subProcess id="sub"><dataObject id="d3" name="inner"/><startEvent id="is"/></subProcess>
<sequenceFlow id="f" sourceRef="s" targetRef="sub"/>"#,
    );
    let process = accepted(&xml, Dialect::Flowable);
    let objects: Vec<_> = process
        .root
        .data_objects
        .iter()
        .map(|object| (&*object.name, shown_or_none(&object.value)))
        .collect();
    assert_eq!(objects, [("limit", Some("7".to_owned())), ("note", None)]);
    assert_eq!(&*process.scope(process.find("sub")).data_objects[0].name, "inner");
    assert!(running(&xml, Dialect::Camunda7).root.data_objects.is_empty());
}

#[test]
fn dates_and_json_of_data_objects_have_their_types() {
    let object = |kind: &str, value: &str| {
        let xml = process(&format!(
            r#"<dataObject id="d" name="d" xmlns:xsd="x" itemSubjectRef="xsd:{kind}"><extensionElements><flowable:value>{value}</flowable:value></extensionElements></dataObject><startEvent id="s"/>"#
        ));
        let process = accepted(&xml, Dialect::Flowable);
        let value = process.root.data_objects[0].value.clone();
        value.and_then(|value| value.evaluate(&Environment::new(&(), Timestamp::from_ms(0))).ok())
    };
    let moment = object("datetime", "2013-09-16T11:23:00").expect("a value").value;
    assert!(matches!(moment, Value::Temporal(_)), "{moment:?}");
    assert!(matches!(object("datetime", "soon").expect("text").value, Value::Text(_)));
    let json = object("json", r#"{"a": [1, true]}"#).expect("a value").value;
    assert_eq!(json.to_json(), r#"{"a":[1,true]}"#);
}

#[test]
fn a_data_object_whose_value_is_of_another_type_is_refused() {
    let problem = |kind: &str, value: &str| {
        let xml = process(&format!(
            r#"<dataObject id="d" name="d" xmlns:xsd="x" itemSubjectRef="xsd:{kind}"><extensionElements><flowable:value>{value}</flowable:value></extensionElements></dataObject><startEvent id="s"/>"#
        ));
        problems(&xml, Dialect::Flowable)
    };
    for (kind, value) in [("int", "x"), ("long", "1.5"), ("double", "x"), ("json", "{")] {
        let found = problem(kind, value);
        assert!(found.contains("[data-object-value-invalid]"), "{kind}: {found:?}");
    }
    for kind in ["boolean", "float", "integer", "datetime", "string"] {
        assert_eq!(problem(kind, "x"), "", "{kind}");
    }
}

#[test]
fn what_an_error_event_chooses_and_who_else_is_linked_are_read() {
    let xml = process(
        r#"<startEvent id="s"/><userTask id="t"><extensionElements><flowable:customResource flowable:name="admin"><resourceAssignmentExpression><formalExpression>user(${who})</formalExpression></resourceAssignmentExpression></flowable:customResource></extensionElements></userTask>
<boundaryEvent id="b" attachedToRef="t"><extensionElements><flowable:in source="errorMessage" target="why"/></extensionElements><errorEventDefinition/></boundaryEvent>
<sequenceFlow id="f" sourceRef="s" targetRef="t"/>"#,
    );
    let process = accepted(&xml, Dialect::Flowable);
    let ElementKind::UserTask(task) = &at(&process, "t").kind else { panic!("it is one") };
    assert_eq!(task.links.len(), 1);
    let Some(Trigger::Error(catches)) = at(&process, "b").trigger() else { panic!("it is one") };
    assert_eq!(catches.inputs.len(), 1);
}

#[test]
fn elements_without_id_get_one_that_says_so() {
    let xml = process(&format!(
        r#"<startEvent id="s"/><userTask id="subProcess_1"/><subProcess triggeredByEvent="true"><startEvent id="es">{TIMER}</startEvent></subProcess><sequenceFlow sourceRef="s" targetRef="subProcess_1"/>"#
    ));
    let process = accepted(&xml, Dialect::Flowable);
    let unnamed = at(&process, "subProcess_2");
    assert!(!unnamed.has_id && unnamed.kind.is_event_subprocess());
    assert!(at(&process, "subProcess_1").has_id);
    assert_eq!(at(&process, "es").parent, process.find("subProcess_2"));
}

#[test]
fn timers_of_start_events_are_tried_at_once() {
    let start = |dialect, timer: &str| {
        problems(
            &process(&format!(
                r#"<startEvent id="s"><timerEventDefinition id="d">{timer}</timerEventDefinition></startEvent><endEvent id="e"/><sequenceFlow id="f" sourceRef="s" targetRef="e"/>"#
            )),
            dialect,
        )
    };
    assert_eq!(start(Dialect::Flowable, "<timeCycle>0 0 12 * * ?</timeCycle>"), "");
    insta::assert_snapshot!(start(Dialect::Camunda7, "<timeDuration>${x}</timeDuration>"), @r#"2:63: error: the timer of startEvent "s" cannot be read: it gives no time [timer-invalid]"#);
    insta::assert_snapshot!(start(Dialect::Zeebe, "<timeDate>tomorrow</timeDate>"), @r#"2:59: error: the timer of startEvent "s" cannot be read: expected a date such as 2030-01-31 [timer-invalid]"#);
    let own =
        "<timeDuration>${variableContainer.definitionKey == 'p' ? 'PT1H' : 'PT2H'}</timeDuration>";
    let xml = process(&format!(
        r#"<startEvent id="s"><timerEventDefinition>{own}</timerEventDefinition></startEvent>"#
    ));
    let process = accepted(&xml, Dialect::Flowable);
    let ElementKind::StartEvent(StartEvent { trigger: Some(Trigger::Timer(timer)), .. }) =
        &at(&process, "s").kind
    else {
        panic!("a timer")
    };
    assert_eq!((timer.kind, shown(&timer.value).as_str()), (TimerKind::Duration, "\"PT1H\""));
}

#[test]
fn what_the_standard_forbids_is_named_with_its_place() {
    let xml = process(
        r#"<startEvent id="s"/><userTask id="t" colour="red"><incoming>f</incoming><documentation/></userTask>
<sequenceFlow id="f" sourceRef="s" targetRef="t"/>
<parallelGateway id="1g" gatewayDirection="Sideways"/>
words"#,
    );
    insta::assert_snapshot!(problems(&xml, Dialect::Camunda7), @r#"
    2:38: error: userTask "t" cannot have the attribute "colour" [schema-attribute-unknown]
    2:73: error: userTask "t" cannot contain the element "documentation" here [schema-element-misplaced]
    4:1: warning: no token can reach parallelGateway "1g" [element-unreachable]
    4:22: error: "1g" of parallelGateway "1g" is no XML name [schema-value-invalid]
    4:44: error: "Sideways" of parallelGateway "1g" is none of Unspecified, Converging, Diverging, Mixed [schema-value-invalid]
    4:55: error: process "p" cannot contain text [schema-text-misplaced]
    "#);
}
