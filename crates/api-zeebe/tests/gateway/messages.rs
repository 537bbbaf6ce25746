use std::time::Duration;

use orloj_api_zeebe::proto::*;
use tonic::Code;

use crate::world::*;

const WAITS: &str = include_str!("models/waits.bpmn");
const BEGUN: &str = include_str!("models/begun.bpmn");

fn message(key: &str) -> PublishMessageRequest {
    PublishMessageRequest {
        name: "payment".into(),
        correlation_key: key.into(),
        time_to_live: 60_000,
        message_id: "m1".into(),
        variables: r#"{"sum":3}"#.into(),
        ..PublishMessageRequest::default()
    }
}

#[tokio::test]
async fn a_message_is_buffered_once_and_correlated() {
    let world = World::new().await;
    world.deploy(WAITS).await;
    let answer = world.client().publish_message(message("a")).await.unwrap().into_inner();
    assert!(answer.key > 0);
    assert_eq!(answer.tenant_id, "<default>");
    let again = world.client().publish_message(message("a")).await.unwrap_err();
    assert_eq!(again.code(), Code::AlreadyExists);
    assert!(again.message().contains("PUBLISH"), "{again}");
    let request = creation("waits", r#"{"id":"a"}"#);
    world.client().create_process_instance(request).await.unwrap();
    world.pass(Duration::from_millis(1)).await;
    assert!(world.job("pack").await.variables.contains("\"sum\":3"));
}

#[tokio::test]
async fn a_message_has_a_name_and_without_time_to_live_it_does_not_wait() {
    let world = World::new().await;
    world.deploy(WAITS).await;
    for name in ["", " "] {
        let nameless = PublishMessageRequest { name: name.into(), ..message("a") };
        let refused = world.client().publish_message(nameless).await;
        assert_refused(refused, "PUBLISH", INVALID_ARGUMENT, &["name"]);
    }
    let gone = PublishMessageRequest { time_to_live: -1, ..message("a") };
    world.client().publish_message(gone).await.unwrap();
    let request = creation("waits", r#"{"id":"a"}"#);
    world.client().create_process_instance(request).await.unwrap();
    world.pass(Duration::from_millis(1)).await;
    assert!(world.jobs("pack").await.is_empty());
}

#[tokio::test]
async fn a_signal_starts_instances() {
    let world = World::new().await;
    world.deploy(BEGUN).await;
    let signal = BroadcastSignalRequest {
        signal_name: "go".into(),
        variables: r#"{"n":1}"#.into(),
        ..BroadcastSignalRequest::default()
    };
    let answer = world.client().broadcast_signal(signal).await.unwrap().into_inner();
    assert!(answer.key > 0);
    world.pass(Duration::from_millis(1)).await;
    assert_eq!(world.job("pack").await.variables, r#"{"n":1}"#);
}
