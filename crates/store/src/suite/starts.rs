//! Start events: those of the latest versions, found by name.

use std::sync::Arc;

use orloj_types::{DefinitionKey, ElementId, EngineName, ProcessId, TenantId};

use crate::suite::definitions::deployment;
use crate::suite::engine;
use crate::{NewStart, StartKind, StartQuery, StartRow, Store};

pub(super) async fn start_events_are_those_of_the_latest_version(store: Arc<dyn Store>) {
    let signal = NewStart { kind: StartKind::Signal, ..named("s2", "stop") };
    let condition = NewStart { kind: StartKind::Condition, ..named("s3", "") };
    deploy(&store, 10, "", "a", vec![named("s1", "paid"), signal, condition]).await;
    deploy(&store, 20, "", "b", vec![named("s1", "paid")]).await;
    deploy(&store, 30, "red", "a", vec![named("s1", "paid")]).await;
    let expected = StartRow {
        definition: DefinitionKey::new(11),
        engine: engine(),
        tenant: TenantId::none(),
        process_id: ProcessId::new("a"),
        event: ElementId::new("s1"),
        kind: StartKind::Message,
        name: "paid".into(),
    };
    let all = store.starts(query(StartKind::Message, Some("paid"))).await.expect("starts");
    assert_eq!(all[0], expected);
    assert_eq!(places(&all), [(11, "s1"), (21, "s1"), (31, "s1")]);
    assert_eq!(found(&store, query(StartKind::Signal, Some("stop"))).await, [(11, "s2".into())]);
    assert_eq!(found(&store, query(StartKind::Condition, None)).await, [(11, "s3".into())]);
    assert_eq!(found(&store, query(StartKind::Message, Some("stop"))).await, []);
    let of = |tenant: &str, engine: EngineName| StartQuery {
        tenant: Some(TenantId::new(tenant)),
        engine,
        ..query(StartKind::Message, None)
    };
    assert_eq!(found(&store, of("red", engine())).await, [(31, "s1".into())]);
    assert_eq!(found(&store, of("", EngineName::new("another"))).await, []);

    // The next version replaces them all, and only those of its process and tenant.
    deploy(&store, 40, "", "a", vec![named("s4", "paid")]).await;
    let messages = || query(StartKind::Message, Some("paid"));
    let now = [(21, "s1".into()), (31, "s1".into()), (41, "s4".into())];
    assert_eq!(found(&store, messages()).await, now);
    assert_eq!(found(&store, query(StartKind::Signal, None)).await, []);
    // A duplicate changes nothing, one without start events leaves none.
    deploy(&store, 40, "", "a", vec![named("s5", "paid")]).await;
    assert_eq!(found(&store, messages()).await, now);
    deploy(&store, 50, "", "a", vec![]).await;
    assert_eq!(found(&store, messages()).await, now[..2]);
}

pub(super) async fn start_events_are_paged(store: Arc<dyn Store>) {
    let starts = ["e", "c", "a", "d", "b"].map(|event| named(event, "paid"));
    deploy(&store, 10, "", "a", starts.to_vec()).await;
    deploy(&store, 20, "", "b", vec![named("a", "paid")]).await;
    for name in [Some("paid"), None] {
        let page = async |after: Option<(i64, &str)>, limit| {
            let after = after.map(|(key, event)| (DefinitionKey::new(key), ElementId::new(event)));
            let query = StartQuery { after, limit, ..query(StartKind::Message, name) };
            let rows = store.starts(query).await.expect("starts");
            places(&rows).iter().map(|(key, event)| format!("{key}{event}")).collect::<Vec<_>>()
        };
        assert_eq!(page(None, 3).await, ["11a", "11b", "11c"]);
        assert_eq!(page(Some((11, "c")), 9).await, ["11d", "11e", "21a"]);
        assert_eq!(page(Some((21, "a")), 9).await, [""; 0]);
    }
}

fn named(event: &str, name: &str) -> NewStart {
    NewStart { event: ElementId::new(event), kind: StartKind::Message, name: name.into() }
}

/// Deploys one process; its definition has the key after the deployment's.
async fn deploy(
    store: &Arc<dyn Store>,
    key: i64,
    tenant: &str,
    process_id: &str,
    starts: Vec<NewStart>,
) {
    let content = key.to_be_bytes();
    let mut new = deployment(key, tenant, &[("f.bpmn", &content, key + 1, process_id)]);
    new.resources[0].definitions[0].starts = starts;
    store.deploy(new).await.expect("deploy");
}

fn query(kind: StartKind, name: Option<&str>) -> StartQuery {
    let name = name.map(Into::into);
    StartQuery { engine: engine(), tenant: None, kind, name, after: None, limit: 100 }
}

async fn found(store: &Arc<dyn Store>, query: StartQuery) -> Vec<(i64, String)> {
    let rows = store.starts(query).await.expect("starts");
    rows.iter().map(|row| (row.definition.raw(), row.event.to_string())).collect()
}

fn places(rows: &[StartRow]) -> Vec<(i64, &str)> {
    rows.iter().map(|row| (row.definition.raw(), row.event.as_str())).collect()
}
