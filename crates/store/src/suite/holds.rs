//! Messages that start processes: one instance for each correlation key at a time.

use std::sync::Arc;

use orloj_types::{DefinitionKey, ElementId, EngineName, InstanceKey, ProcessId, TenantId};

use crate::suite::definitions::deployment;
use crate::suite::engine;
use crate::suite::sample::{
    NOW, Node, channel, delete, group, insert, message, rev, subscription, update,
};
use crate::suite::subscriptions::opened;
use crate::suite::together::together;
use crate::{
    Change, CommitError, MessageKey, MessageRow, MessageTaken, NewStart, StartFit, StartHold,
    StartKind, Store,
};

pub(super) async fn a_process_is_held_by_one_instance_for_each_key(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let holder = async |process: &str, tenant: &str, key: &str| {
        let (process_id, tenant) = (ProcessId::new(process), TenantId::new(tenant));
        let holder = store.start_holder(process_id, tenant, key.into()).await.expect("holder");
        holder.map(InstanceKey::raw)
    };
    let holds = |instance, holds_added| Change { holds_added, ..insert(instance) };
    node.write(holds(10, vec![hold("p", "a", 10)])).await;
    assert_eq!(holder("p", "", "a").await, Some(10));
    let red = StartHold { tenant: TenantId::new("red"), ..hold("p", "a", 11) };
    let another = StartHold { engine: EngineName::new("another"), ..hold("p", "a", 11) };
    node.write(holds(11, vec![hold("q", "a", 11), hold("p", "b", 11), red, another])).await;
    assert_eq!(holder("p", "red", "a").await, Some(11));
    assert_eq!(holder("p", "blue", "a").await, None);

    let lost = node.commit(vec![insert(12), holds(13, vec![hold("p", "a", 13)])]).await;
    assert_eq!(lost, Err(CommitError::Conflicts(vec![1])));
    assert_eq!((rev(&store, 12).await, rev(&store, 13).await), (None, None));
    let twice = vec![holds(12, vec![hold("p", "c", 12)]), holds(13, vec![hold("p", "c", 13)])];
    assert_eq!(node.commit(twice).await, Err(CommitError::Conflicts(vec![1])));

    // What another instance holds is not given up by mistake.
    let stale = Change { holds_gone: vec![hold("p", "a", 11)], ..Change::default() };
    node.write(stale).await;
    assert_eq!(holder("p", "", "a").await, Some(10));
    // One ends and the next begins.
    let mut next = Change {
        holds_gone: vec![hold("p", "a", 10)],
        holds_added: vec![hold("p", "a", 14)],
        ..delete(10, 1)
    };
    next.instances.extend(insert(14).instances);
    node.write(next).await;
    assert_eq!(holder("p", "", "a").await, Some(14));
    node.write(Change { holds_gone: vec![hold("p", "a", 14)], ..update(14, 1) }).await;
    assert_eq!(holder("p", "", "a").await, None);
    assert_eq!(holder("q", "", "a").await, Some(11));
}

pub(super) async fn messages_wait_until_their_process_is_free(store: Arc<dyn Store>) {
    let node = Node::join(&store, "n").await;
    deploy(&store, 1, "p", "paid").await;
    deploy(&store, 3, "q", "paid").await;
    deploy(&store, 5, "r", "sent").await;
    let told = async |id: i64, change: Change| {
        let committed = store.commit(group(node.lease, 0, id, vec![change])).await;
        committed.expect("commit").start_fits
    };
    // Started by whoever publishes it; the other process was forgotten.
    let first = Change {
        messages_taken: vec![taken(31, "p")],
        holds_added: vec![hold("p", "a", 10)],
        ..published(vec![message(31, "paid", "a")])
    };
    assert_eq!(told(1, first).await, [fit(31, 4)]);
    let second = Change {
        messages_taken: vec![taken(31, "q"), taken(32, "q")],
        ..published(vec![message(33, "paid", "a"), message(32, "paid", "a")])
    };
    assert_eq!(told(2, second).await, [fit(33, 4)], "one is held, the other wants the next");
    assert_eq!(told(3, opened(vec![subscription(50, "paid", Some("a"))])).await, [fit(33, 4)]);
    let ends = Change {
        holds_gone: vec![hold("p", "a", 10)],
        looks: vec![channel("sent", "a"), channel("paid", "a")],
        ..Change::default()
    };
    let fits = told(4, ends).await;
    assert_eq!(fits, [fit(32, 2), fit(33, 4)], "the oldest that the process has not taken");
    assert_eq!(store.start_fits(channel("paid", "a"), NOW).await, Ok(fits));
    // Not without a key, not of another tenant, not when it is too late.
    let red = MessageRow { tenant: TenantId::new("red"), ..message(35, "sent", "a") };
    let late = MessageRow { expires_at: NOW, ..message(36, "sent", "a") };
    assert_eq!(told(5, published(vec![message(34, "sent", ""), red, late])).await, []);
    assert_eq!(told(6, published(vec![message(37, "sent", "b")])).await, [fit(37, 6)]);
}

/// One lane publishes what must wait while the other ends the instance it waits for.
pub(super) async fn a_message_and_an_end_at_the_same_time_never_miss_each_other(
    store: Arc<dyn Store>,
) {
    const ROUNDS: i64 = 40;
    let mut node = Node::join(&store, "n").await;
    deploy(&store, 1, "p", "paid").await;
    for round in 1..=ROUNDS {
        let key = format!("{round}");
        let held = vec![hold("p", &key, round)];
        node.write(Change { holds_added: held.clone(), ..Change::default() }).await;
        let looks = vec![channel("paid", &key)];
        let ends = Change { holds_gone: held, looks, ..Change::default() };
        let publishes = published(vec![message(1_000 + round, "paid", &key)]);
        let id = 1_000 + round;
        let mut groups =
            vec![group(node.lease, 0, id, vec![ends]), group(node.lease, 1, id, vec![publishes])];
        if round % 2 == 0 {
            groups.reverse();
        }
        let outcomes =
            together(groups.into_iter().map(|group| store.commit(group)).collect()).await;
        let told: Vec<StartFit> =
            outcomes.into_iter().flat_map(|outcome| outcome.expect("commit").start_fits).collect();
        assert_eq!(told, [fit(1_000 + round, 2)], "round {round}: told once, by the later one");
    }
}

fn hold(process_id: &str, correlation_key: &str, instance: i64) -> StartHold {
    StartHold {
        engine: engine(),
        tenant: TenantId::none(),
        process_id: ProcessId::new(process_id),
        correlation_key: correlation_key.into(),
        instance: InstanceKey::new(instance),
    }
}

fn fit(message: i64, definition: i64) -> StartFit {
    StartFit {
        message: MessageKey::new(message),
        definition: DefinitionKey::new(definition),
        event: ElementId::new("s"),
    }
}

fn taken(message: i64, process_id: &str) -> MessageTaken {
    MessageTaken { message: MessageKey::new(message), process_id: ProcessId::new(process_id) }
}

fn published(messages_added: Vec<MessageRow>) -> Change {
    Change { messages_added, ..Change::default() }
}

/// A process that starts with a message; its definition has the key after the deployment's.
async fn deploy(store: &Arc<dyn Store>, key: i64, process_id: &str, name: &str) {
    let mut new = deployment(key, "", &[("f.bpmn", b"1", key + 1, process_id)]);
    new.resources[0].definitions[0].starts = vec![NewStart {
        event: ElementId::new("s"),
        kind: StartKind::Message,
        name: name.into(),
        due_at: None,
        repeat: None,
    }];
    store.deploy(new).await.expect("deploy");
}
