//! What models say about jobs: job definitions, priorities, limit keys, topics.

use crate::support::*;
use orloj_model::{Dialect, Process};

fn definitions(process: &Process) -> Vec<String> {
    let line = |d: &orloj_model::JobDefinition| {
        format!("{} {} {}", d.element, d.handler.word(), d.configuration)
    };
    process.job_definitions().iter().map(line).collect()
}

#[test]
fn job_definitions_of_a_camunda_model() {
    let task = r#"<userTask id="ask" camunda:asyncBefore="true" camunda:asyncAfter="true">
        <extensionElements>
          <camunda:taskListener event="timeout" id="nudge" class="Nudge">
            <timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition>
          </camunda:taskListener>
        </extensionElements>
        <multiInstanceLoopCharacteristics camunda:asyncBefore="true">
          <loopCardinality>2</loopCardinality>
        </multiInstanceLoopCharacteristics>
      </userTask>
      <boundaryEvent id="late" attachedToRef="ask" cancelActivity="false">
        <timerEventDefinition><timeCycle>R3/PT1H</timeCycle></timerEventDefinition>
      </boundaryEvent>
      <subProcess id="es" triggeredByEvent="true">
        <startEvent id="soon" isInterrupting="false">
          <timerEventDefinition><timeDuration>${wait}</timeDuration></timerEventDefinition>
        </startEvent>
      </subProcess>"#;
    let wait = r#"<intermediateCatchEvent id="wait">
        <timerEventDefinition><timeDate>2030-01-01T00:00:00Z</timeDate></timerEventDefinition>
      </intermediateCatchEvent>"#;
    let xml = chain(&[("ask", task), ("wait", wait)]).replace(
        r#"<startEvent id="start"/>"#,
        r#"<startEvent id="start"><timerEventDefinition><timeCycle>0 0 9 * * ?</timeCycle></timerEventDefinition></startEvent>"#,
    );
    let mut told = definitions(&accepted(&xml, Dialect::Camunda7));
    told.sort();
    assert_eq!(
        told,
        [
            "ask async-continuation async-before",
            "ask timer-task-listener DURATION: PT1H",
            "ask#multiInstanceBody async-continuation async-after",
            "ask#multiInstanceBody async-continuation async-before",
            "late timer-transition CYCLE: R3/PT1H",
            "soon timer-start-event-subprocess DURATION: ${wait}",
            "start timer-start-event CYCLE: 0 0 9 * * ?",
            "wait timer-intermediate-transition DATE: 2030-01-01T00:00:00Z",
        ]
    );
}

#[test]
fn job_definitions_of_the_other_dialects() {
    let task = r#"<serviceTask id="e" flowable:class="Call" flowable:async="true" flowable:asyncLeave="true"/>"#;
    assert_eq!(
        definitions(&accepted(&one(task), Dialect::Flowable)),
        ["e async-continuation async-before", "e async-continuation async-after"]
    );
    let wait = r#"<intermediateCatchEvent id="e">
        <timerEventDefinition><timeDuration>=wait</timeDuration></timerEventDefinition>
      </intermediateCatchEvent>"#;
    assert_eq!(
        definitions(&accepted(&one(wait), Dialect::Zeebe)),
        ["e timer-intermediate-transition DURATION: =wait"]
    );
}

#[test]
fn priorities_have_64_bits() {
    for priority in [i64::MIN, -1, i64::MAX] {
        let task = format!(r#"<parallelGateway id="e" camunda:jobPriority="{priority}"/>"#);
        let e = element(&task, Dialect::Camunda7);
        assert_eq!(shown_or_none(&e.jobs.priority), Some(priority.to_string()));
    }
    let task = r#"<parallelGateway id="e" camunda:jobPriority="9223372036854775808"/>"#;
    let told = problems(&one(task), Dialect::Camunda7);
    assert!(told.contains("must be a whole number or an expression"), "{told}");
}

#[test]
fn a_limit_key_is_an_attribute_of_our_own_or_a_property() {
    let key = |xml: &str, dialect| shown_or_none(&element(xml, dialect).jobs.limit_key);
    let own = r#"<serviceTask id="e" xmlns:orloj="http://orloj.dev/schema/1.0/bpmn" orloj:limitKey="${customer}" camunda:class="Call"/>"#;
    assert_eq!(key(own, Dialect::Camunda7), Some("Uel(${customer})".into()));
    let own = own.replace("camunda:", "flowable:");
    assert_eq!(key(&own, Dialect::Flowable), Some("Uel(${customer})".into()));
    let property = r#"<serviceTask id="e" camunda:class="Call"><extensionElements>
        <camunda:properties><camunda:property name="limitKey" value="bank"/></camunda:properties>
      </extensionElements></serviceTask>"#;
    assert_eq!(key(property, Dialect::Camunda7), Some(r#""bank""#.into()));
    let header = r#"<serviceTask id="e"><extensionElements>
        <zeebe:taskDefinition type="charge"/>
        <zeebe:taskHeaders><zeebe:header key="limitKey" value="=customer"/></zeebe:taskHeaders>
      </extensionElements></serviceTask>"#;
    assert_eq!(key(header, Dialect::Zeebe), Some("Feel(customer)".into()));
    let none = r#"<serviceTask id="e" camunda:class="Call"/>"#;
    assert_eq!(key(none, Dialect::Camunda7), None);
}

#[test]
fn the_topic_names_the_code_that_is_called() {
    let topic = |xml: &str| element(xml, Dialect::Camunda7).jobs.topic.to_string();
    assert_eq!(topic(r#"<serviceTask id="e" camunda:class="org.Call"/>"#), "org.Call");
    assert_eq!(topic(r#"<serviceTask id="e" camunda:delegateExpression="${bean}"/>"#), "bean");
    assert_eq!(topic(r#"<serviceTask id="e" camunda:expression="${a.b(1)}"/>"#), "${a.b(1)}");
    let external = r#"<serviceTask id="e" camunda:type="external" camunda:topic="pay"/>"#;
    assert_eq!(topic(external), "pay");
    let script = r#"<scriptTask id="e" scriptFormat="javascript"><script>1</script></scriptTask>"#;
    assert_eq!(topic(script), "javascript");
    assert_eq!(topic(r#"<userTask id="e"/>"#), "");
}
