//! Advice on models that are correct already.

use orloj_model::{Dialect, Options, Severity, advise, parse};

fn advice(process: &str) -> Vec<String> {
    let file = format!(
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
            xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="t">
            <process id="p" isExecutable="true">{process}</process></definitions>"#
    );
    let parsed = parse(file.as_bytes(), &Options::of(Dialect::Camunda7));
    assert!(!parsed.has_errors(), "{:?}", parsed.diagnostics);
    let found = parsed.processes.iter().flat_map(advise);
    found
        .map(|diagnostic| {
            assert_eq!(diagnostic.severity, Severity::Advice);
            format!("{} {}", diagnostic.code, diagnostic.element.expect("an element"))
        })
        .collect()
}

fn fork(branch: &str, join: &str) -> String {
    format!(
        r#"<startEvent id="s"/><sequenceFlow id="f0" sourceRef="s" targetRef="fork"/>
        <parallelGateway id="fork"/>
        <sequenceFlow id="f1" sourceRef="fork" targetRef="a"/><task id="a" {branch}/>
        <sequenceFlow id="f2" sourceRef="fork" targetRef="b"/><task id="b" {branch}/>
        <sequenceFlow id="f3" sourceRef="a" targetRef="join"/>
        <sequenceFlow id="f4" sourceRef="b" targetRef="join"/>
        <parallelGateway id="join" {join}/>
        <sequenceFlow id="f5" sourceRef="join" targetRef="e"/><endEvent id="e"/>"#
    )
}

#[test]
fn a_join_after_saved_branches_wants_a_save_point() {
    let saved = r#"camunda:asyncAfter="true""#;
    assert_eq!(advice(&fork(saved, "")), ["join-without-save-point join"]);
    assert!(advice(&fork(saved, r#"camunda:asyncBefore="true""#)).is_empty());
    assert!(advice(&fork("", "")).is_empty());
}

#[test]
fn a_save_point_that_branches_share_saves_none_of_them() {
    let plain = fork("", "");
    let forked = |attributes: &str| {
        let fork = r#"<parallelGateway id="fork"/>"#;
        advice(&plain.replace(fork, &format!(r#"<parallelGateway id="fork" {attributes}/>"#)))
    };
    assert!(forked(r#"camunda:asyncBefore="true""#).is_empty());
    // Each flow that leaves it is a job.
    assert_eq!(forked(r#"camunda:asyncAfter="true""#), ["join-without-save-point join"]);
}

#[test]
fn two_ways_of_one_token_are_not_two_branches() {
    let saved = fork(r#"camunda:asyncBefore="true""#, "");
    let condition = "<conditionExpression>${x}</conditionExpression></sequenceFlow>";
    let chosen = saved
        .replace("parallelGateway id=\"fork\"", "exclusiveGateway id=\"fork\"")
        .replace("targetRef=\"a\"/>", &format!("targetRef=\"a\">{condition}"))
        .replace("targetRef=\"b\"/>", &format!("targetRef=\"b\">{condition}"));
    assert!(advice(&chosen).is_empty());
    let before =
        chosen.replace("<startEvent id=\"s\"", "<startEvent id=\"s\" camunda:asyncAfter=\"true\"");
    assert!(advice(&before).is_empty());
    let task = saved.replace("parallelGateway id=\"fork\"", "task id=\"fork\"");
    assert_eq!(advice(&task), ["join-without-save-point join"], "a task forks as well");
}

#[test]
fn what_interrupts_an_activity_takes_its_token() {
    let interrupted = |cancels: &str| {
        let boundary = format!(
            r#"<boundaryEvent id="b" attachedToRef="a" cancelActivity="{cancels}">
                <timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition>
            </boundaryEvent>"#
        );
        advice(&format!(
            r#"<startEvent id="s"/><sequenceFlow id="f0" sourceRef="s" targetRef="a"/>
            <userTask id="a" camunda:asyncAfter="true"/>{boundary}
            <task id="c" camunda:asyncBefore="true"/>
            <sequenceFlow id="f1" sourceRef="b" targetRef="c"/>
            <sequenceFlow id="f2" sourceRef="a" targetRef="join"/>
            <sequenceFlow id="f3" sourceRef="c" targetRef="join"/>
            <inclusiveGateway id="join"/>
            <sequenceFlow id="f4" sourceRef="join" targetRef="e"/><endEvent id="e"/>"#
        ))
    };
    assert!(interrupted("true").is_empty());
    assert_eq!(interrupted("false"), ["join-without-save-point join"]);
}

#[test]
fn instances_that_call_code_want_save_points() {
    let several = |inner: &str, attributes: &str| {
        format!(
            r#"<startEvent id="s"/><sequenceFlow id="f0" sourceRef="s" targetRef="t"/>
            <serviceTask id="t" {attributes}>
              <multiInstanceLoopCharacteristics {inner}><loopCardinality>3</loopCardinality>
              </multiInstanceLoopCharacteristics></serviceTask>"#
        )
    };
    let class = r#"camunda:class="C""#;
    assert_eq!(advice(&several("", class)), ["instances-without-save-point t"]);
    assert!(advice(&several(r#"camunda:asyncBefore="true""#, class)).is_empty());
    let external = r#"camunda:type="external" camunda:topic="t""#;
    assert!(advice(&several("", external)).is_empty());
}

#[test]
fn so_do_instances_that_contain_code_or_call_processes() {
    let several = |activity: &str, inside: &str| {
        format!(
            r#"<startEvent id="s"/><sequenceFlow id="f0" sourceRef="s" targetRef="t"/>
            <{activity} id="t" CALLS><multiInstanceLoopCharacteristics>
              <loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics>{inside}
            </{activity}>"#
        )
    };
    let calls = several("callActivity", "").replace("CALLS", r#"calledElement="q""#);
    assert_eq!(advice(&calls), ["instances-without-save-point t"]);
    let inside = |attributes: &str| {
        let inside = format!(
            r#"<startEvent id="i"/><sequenceFlow id="f1" sourceRef="i" targetRef="c"/>
            <serviceTask id="c" camunda:class="C" {attributes}/>"#
        );
        several("subProcess", &inside).replace("CALLS", "")
    };
    assert_eq!(advice(&inside("")), ["instances-without-save-point t"]);
    assert!(advice(&inside(r#"camunda:asyncBefore="true""#)).is_empty());
}

#[test]
fn a_branch_is_followed_through_choices_up_to_the_fork() {
    let through = fork(r#"camunda:asyncAfter="true""#, "").replace(
        r#"<sequenceFlow id="f3" sourceRef="a" targetRef="join"/>"#,
        r#"<sequenceFlow id="f3" sourceRef="a" targetRef="x"/><exclusiveGateway id="x"/>
            <sequenceFlow id="f6" sourceRef="x" targetRef="join"/>"#,
    );
    assert_eq!(advice(&through), ["join-without-save-point join"]);
}

#[test]
fn what_is_not_built_in_needs_somebody() {
    let mail = r#"<startEvent id="s"/><sequenceFlow id="f0" sourceRef="s" targetRef="t"/>
        <sendTask id="t" camunda:type="mail"><extensionElements>
          <camunda:field name="to" stringValue="a"/><camunda:field name="text" stringValue="b"/>
        </extensionElements></sendTask>"#;
    assert_eq!(advice(mail), ["needs-a-worker t"]);
}
