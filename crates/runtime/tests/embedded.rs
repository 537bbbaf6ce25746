//! The engine inside an application: what the README shows.

use std::time::Duration;

use orloj::types::{Document, Timestamp};
use orloj::{Call, Deploy, InstanceState, Orloj, Resource, StartInstance};

const ORDER: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t"
             xmlns:camunda="http://camunda.org/schema/1.0/bpmn">
  <process id="order" isExecutable="true">
    <startEvent id="placed"/>
    <sequenceFlow id="f1" sourceRef="placed" targetRef="charge"/>
    <serviceTask id="charge" camunda:class="shop.Charge" camunda:asyncBefore="true"/>
    <sequenceFlow id="f2" sourceRef="charge" targetRef="wait"/>
    <intermediateCatchEvent id="wait">
      <timerEventDefinition><timeDuration>PT10M</timeDuration></timerEventDefinition>
    </intermediateCatchEvent>
    <sequenceFlow id="f3" sourceRef="wait" targetRef="done"/>
    <endEvent id="done"/>
  </process>
</definitions>"#;

#[tokio::test]
async fn an_order_is_charged_and_ends_after_ten_minutes() {
    let orloj = Orloj::builder()
        .executor(true)
        .pinned_clock(Timestamp::from_ms(1_900_000_000_000))
        .delegate("shop.Charge", |call: Call| async move {
            assert_eq!(call.variables.get("total").expect("a total").to_json(), "90");
            Ok(Document::new().with("charged", true))
        })
        .build()
        .await
        .expect("an engine");
    let resource = Resource { name: "order.bpmn".into(), content: ORDER.as_bytes().into() };
    orloj
        .deploy(Deploy { resources: vec![resource], ..Deploy::default() })
        .await
        .expect("deployed");
    let started = orloj
        .start(StartInstance::latest("order").with(Document::new().with("total", 90)))
        .await
        .expect("started");
    orloj.settle().await;
    let detail = orloj.instance(started.instance).await.expect("there");
    assert_eq!(detail.elements.len(), 1);
    assert_eq!(&*detail.elements[0].element, "wait");
    assert_eq!(detail.variables.to_json(), r#"{"charged":true,"total":90}"#);

    orloj.advance(Duration::from_secs(599)).expect("pinned");
    orloj.settle().await;
    assert_eq!(orloj.instance(started.instance).await.expect("there").view.state, InstanceState::Active);
    orloj.advance(Duration::from_secs(1)).expect("pinned");
    orloj.settle().await;
    let detail = orloj.instance(started.instance).await.expect("there");
    assert_eq!(detail.view.state, InstanceState::Completed);
    for event in &detail.history {
        println!("{} {} {} {}", event.at, event.what, event.key, event.name);
    }
    orloj.shutdown().await;
}
