//! The engine inside an application: what the README shows.

use std::time::Duration;

use orloj::types::{Document, Timestamp};
use orloj::{Call, Deploy, InstanceState, Orloj, StartInstance};

const ORDER: &str = include_str!("../examples/order.bpmn");

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
    orloj.deploy(Deploy::file("order.bpmn", ORDER.as_bytes())).await.expect("deployed");
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
    assert_eq!(
        orloj.instance(started.instance).await.expect("there").view.state,
        InstanceState::Active
    );
    orloj.advance(Duration::from_secs(1)).expect("pinned");
    orloj.settle().await;
    let detail = orloj.instance(started.instance).await.expect("there");
    assert_eq!(detail.view.state, InstanceState::Completed);
    let happened: Vec<&str> = detail.history.iter().map(|event| &*event.what).collect();
    assert_eq!(happened.first(), Some(&"instance-started"));
    assert_eq!(happened.last(), Some(&"instance-completed"));
    assert_eq!(happened.iter().filter(|what| **what == "element-completed").count(), 4);
    orloj.shutdown().await;
}
