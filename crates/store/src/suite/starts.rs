//! Start events: those of the latest versions, found by name and by time, fired once.

use std::sync::Arc;

use orloj_types::{DefinitionKey, ElementId, EngineName, ProcessId, TenantId, Timestamp};

use crate::suite::definitions::deployment;
use crate::suite::engine;
use crate::suite::sample::{NOW, Node, after, group, insert, rev, timer};
use crate::suite::together::together;
use crate::{
    Change, CommitError, NewStart, StartKind, StartQuery, StartRepeat, StartRow, StartWrite, Store,
};

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
        due_at: None,
        repeat: None,
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

pub(super) async fn timers_are_due_earliest_first(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    deploy(&store, 10, "", "a", vec![due("t1", 0), due("t2", 5), due("t3", -5)]).await;
    deploy(&store, 20, "", "b", vec![due("t1", -5), named("s", "paid")]).await;
    let due_at = async |now, limit| {
        let rows = store.due_starts(now, limit).await.expect("due");
        places(&rows).iter().map(|(key, event)| format!("{key}{event}")).collect::<Vec<_>>()
    };
    assert_eq!(due_at(NOW, 10).await, ["11t3", "21t1", "11t1"]);
    assert_eq!(due_at(NOW, 2).await, ["11t3", "21t1"]);
    assert_eq!(due_at(after(5), 10).await, ["11t3", "21t1", "11t1", "11t2"]);
    assert_eq!(due_at(Timestamp::ZERO, 10).await, [""; 0]);
    assert_eq!(node.beat(0).await.next_due_at, Some(after(-5)));
    node.write_jobs([timer(90, after(-7))]).await;
    assert_eq!(node.beat(0).await.next_due_at, Some(after(-7)));
    let fire = fired(11, "t3", 0, None);
    node.write(Change { starts: vec![fire, fired(21, "t1", 0, None)], ..Change::default() }).await;
    node.write(Change {
        jobs: vec![crate::JobWrite::Delete(orloj_types::JobKey::new(90))],
        ..Change::default()
    })
    .await;
    assert_eq!(node.beat(0).await.next_due_at, Some(NOW));
    assert_eq!(due_at(NOW, 10).await, ["11t1"]);
}

pub(super) async fn a_timer_fires_once_for_each_of_its_moments(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let repeat = |fired| StartRepeat { text: "R3/PT10S".into(), anchor: after(-3), fired };
    let start = NewStart { repeat: Some(repeat(0)), ..due("t", -1) };
    deploy(&store, 10, "", "a", vec![start]).await;
    let next = |count| Some((after(10 * i64::from(count)), repeat(count)));
    let first = Change { starts: vec![fired(11, "t", 0, next(1))], ..insert(100) };
    node.write(first).await;
    let row = store.starts(query(StartKind::Timer, None)).await.expect("starts").remove(0);
    assert_eq!((row.due_at, row.repeat.clone()), (Some(after(10)), Some(repeat(1))));
    assert_eq!(row.fired(), 1);
    let again = Change { starts: vec![fired(11, "t", 0, next(1))], ..insert(101) };
    let lost = node.commit(vec![insert(99), again]).await;
    assert_eq!(lost, Err(CommitError::Conflicts(vec![1])));
    assert_eq!((rev(&store, 99).await, rev(&store, 101).await), (None, None));

    node.write(Change { starts: vec![fired(11, "t", 1, None)], ..insert(102) }).await;
    assert_eq!(found(&store, query(StartKind::Timer, None)).await, []);
    for write in [fired(11, "t", 1, None), fired(11, "t", 1, next(2)), fired(12, "t", 0, None)] {
        let gone = Change { starts: vec![write], ..Change::default() };
        assert_eq!(node.commit(vec![gone]).await, Err(CommitError::Conflicts(vec![0])));
    }
}

pub(super) async fn a_timer_of_a_version_that_was_replaced_does_not_fire(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    deploy(&store, 10, "", "a", vec![due("t", -1)]).await;
    deploy(&store, 20, "", "a", vec![due("t", -1)]).await;
    let old = Change { starts: vec![fired(11, "t", 0, None)], ..insert(100) };
    assert_eq!(node.commit(vec![old]).await, Err(CommitError::Conflicts(vec![0])));
    let new = Change { starts: vec![fired(21, "t", 0, None)], ..insert(101) };
    node.write(new).await;
}

pub(super) async fn nodes_that_fire_a_timer_at_once_have_one_winner(store: Arc<dyn Store>) {
    let node = Node::join(&store, "n").await;
    let repeat = |fired| StartRepeat { text: "R/PT1S".into(), anchor: NOW, fired };
    deploy(&store, 10, "", "a", vec![NewStart { repeat: Some(repeat(0)), ..due("t", 0) }]).await;
    for round in 0..20_u32 {
        let next = Some((after(i64::from(round)), repeat(round + 1)));
        let fire = |lane: u8| {
            let starts = vec![fired(11, "t", round, next.clone())];
            let key = i64::from(round) * 2 + i64::from(lane) + 100;
            group(node.lease, lane, (round + 1).into(), vec![Change { starts, ..insert(key) }])
        };
        let groups = vec![fire(0), fire(1)];
        let outcomes =
            together(groups.into_iter().map(|group| store.commit(group)).collect()).await;
        let won = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        assert_eq!(won, 1, "outcomes {outcomes:?}");
        assert!(outcomes.contains(&Err(CommitError::Conflicts(vec![0]))), "{outcomes:?}");
    }
}

fn named(event: &str, name: &str) -> NewStart {
    NewStart {
        event: ElementId::new(event),
        kind: StartKind::Message,
        name: name.into(),
        due_at: None,
        repeat: None,
    }
}

fn due(event: &str, ms: i64) -> NewStart {
    NewStart { kind: StartKind::Timer, due_at: Some(after(ms)), ..named(event, "") }
}

fn fired(
    definition: i64,
    event: &str,
    expected_fired: u32,
    next: Option<(Timestamp, StartRepeat)>,
) -> StartWrite {
    let (definition, event) = (DefinitionKey::new(definition), ElementId::new(event));
    StartWrite::Fired { definition, event, expected_fired, next }
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
