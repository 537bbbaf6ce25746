//! What a node's acquisition takes of the engine's jobs, and in which order.

use std::sync::Arc;

use orloj_types::{DefinitionKey, Timestamp};

use crate::suite::sample::{NOW, Node, after, claim, engine_job, for_engine, job, keys};
use crate::{Error, JobKind, JobRow, NodeProfile, Order, Selection, Store, Wanted};

fn wanted(selection: Selection) -> Wanted {
    Wanted::Engine(selection)
}

/// Four ready jobs of which any two differ in all an order can look at.
fn four() -> [JobRow; 4] {
    let made = |key, priority, kind, created: i64, due_at: Option<Timestamp>| JobRow {
        priority,
        kind,
        created_at: after(created),
        due_at,
        ..engine_job(key)
    };
    [
        made(1, 1, JobKind::AsyncBefore, 10, None),
        made(2, 1, JobKind::Timer, 0, Some(after(40))),
        made(3, 5, JobKind::AsyncAfter, 30, None),
        made(4, 5, JobKind::StartTimer, 90, Some(after(20))),
    ]
}

pub(super) async fn every_order_takes_its_first_first(store: Arc<dyn Store>) {
    let flags = |priority, timers_first, due| Order::Flags { priority, timers_first, due };
    let orders = [
        (flags(false, false, false), [1, 2, 3, 4]),
        (flags(true, false, false), [3, 4, 1, 2]),
        (flags(false, true, false), [2, 4, 1, 3]),
        (flags(false, false, true), [1, 4, 3, 2]),
        (flags(true, true, false), [4, 3, 2, 1]),
        (flags(true, false, true), [4, 3, 1, 2]),
        (flags(false, true, true), [4, 2, 1, 3]),
        (flags(true, true, true), [4, 3, 2, 1]),
        // Each point of priority is worth so many milliseconds.
        (Order::Aging { step_ms: 0 }, [1, 4, 3, 2]),
        (Order::Aging { step_ms: 4 }, [4, 1, 3, 2]),
        (Order::Aging { step_ms: 6 }, [4, 3, 1, 2]),
        (Order::Aging { step_ms: 100 }, [4, 3, 1, 2]),
    ];
    for (order, expected) in orders {
        let profile = NodeProfile { order, ..NodeProfile::default() };
        let lease = store.join(crate::Claim { profile, ..claim("n") }).await.expect("join");
        let mut node = Node::join_as(&store, lease);
        node.write_jobs(four()).await;
        let selection = || wanted(Selection { order, ..Selection::default() });
        let mut taken = keys(&node.acquire(selection(), 1).await);
        taken.extend(keys(&node.acquire(selection(), 10).await));
        assert_eq!(taken, expected, "{order:?}");
        node.delete_jobs([1, 2, 3, 4]).await;
    }
}

pub(super) async fn extremes_have_a_place_in_every_order(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    for order in [
        Order::Aging { step_ms: Order::AGING_STEP_MS_MAX },
        Order::Flags { priority: true, timers_first: true, due: true },
    ] {
        let at = |key, priority, at: i64| JobRow {
            priority,
            due_at: Some(Timestamp::from_ms(at)),
            ..engine_job(key)
        };
        let profile = NodeProfile { order, ..NodeProfile::default() };
        store.describe_node(node.lease, profile).await.expect("described");
        node.write_jobs([at(1, i64::MIN, i64::MAX), at(2, i64::MAX, i64::MIN), engine_job(3)])
            .await;
        let taken = node.acquire(wanted(Selection { order, ..Selection::default() }), 10).await;
        assert_eq!(keys(&taken), [2, 3, 1], "{order:?}");
        node.delete_jobs([1, 2, 3]).await;
    }
}

pub(super) async fn a_step_that_no_store_can_keep_is_refused(store: Arc<dyn Store>) {
    for step_ms in [-1, Order::AGING_STEP_MS_MAX + 1] {
        let profile = NodeProfile { order: Order::Aging { step_ms }, ..NodeProfile::default() };
        let refused = store.join(crate::Claim { profile, ..claim("n") }).await;
        assert!(matches!(refused, Err(Error::Refused(_))), "got {refused:?}");
    }
}

pub(super) async fn only_priorities_in_the_range_are_taken(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let of = |key, priority| JobRow { priority, ..engine_job(key) };
    node.write_jobs([of(1, 4), of(2, 5), of(3, 10), of(4, 11)]).await;
    let selection = Selection { priorities: 5..=10, ..Selection::default() };
    assert_eq!(keys(&node.acquire(wanted(selection), 10).await), [3, 2]);
    assert_eq!(keys(&node.acquire(for_engine(), 10).await), [4, 1]);
}

pub(super) async fn a_deployment_aware_node_takes_its_own_and_those_of_none(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let of =
        |key, definition| JobRow { definition: DefinitionKey::new(definition), ..engine_job(key) };
    node.write_jobs([of(1, 70), of(2, 71), of(3, 0), of(4, 72)]).await;
    let aware = |definitions: &[i64]| {
        let keys = definitions.iter().map(|key| DefinitionKey::new(*key)).collect();
        wanted(Selection { definitions: Some(keys), ..Selection::default() })
    };
    assert_eq!(keys(&node.acquire(aware(&[]), 10).await), [3]);
    assert_eq!(keys(&node.acquire(aware(&[70, 72, 99]), 10).await), [1, 4]);
    assert_eq!(keys(&node.acquire(for_engine(), 10).await), [2]);
}

pub(super) async fn categories_topics_tenants_and_cleanups_may_be_left(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let topic = |key, topic: &str| JobRow { topic: topic.into(), ..engine_job(key) };
    node.write_jobs([
        JobRow { category: Some("night 'shift\"".into()), ..topic(1, "mail") },
        JobRow { category: Some("day".into()), ..topic(2, "mail") },
        topic(3, "mail"),
        topic(4, ""),
        topic(5, "print"),
        JobRow { kind: JobKind::HistoryCleanup, ..topic(6, "") },
    ])
    .await;
    let without = |topics: &[&str]| Selection {
        without_topics: topics.iter().map(|topic| Arc::from(*topic)).collect(),
        without_cleanup: true,
        ..Selection::default()
    };
    let acme = orloj_types::TenantId::from("acme");
    let theirs = Selection { tenant: Some(acme.clone()), ..Selection::default() };
    node.write_jobs([JobRow { tenant: acme, ..topic(7, "") }]).await;
    assert_eq!(keys(&node.acquire(wanted(theirs), 10).await), [7]);
    let night =
        Selection { categories: Some(["night 'shift\"".into()].into()), ..Selection::default() };
    assert_eq!(keys(&node.acquire(wanted(night), 10).await), [1]);
    // The empty topic is nobody's.
    assert_eq!(keys(&node.acquire(wanted(without(&["mail", ""])), 10).await), [4, 5]);
    assert_eq!(keys(&node.acquire(wanted(without(&["print"])), 10).await), [2, 3]);
    assert_eq!(keys(&node.acquire(for_engine(), 10).await), [6]);
}

/// With limits jobs are found by another statement.
pub(super) async fn jobs_without_a_due_date_may_be_left(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let due = |key, due_at| JobRow { due_at, ..engine_job(key) };
    node.write_jobs([due(1, None), due(2, Some(NOW)), due(3, None), due(4, Some(NOW))]).await;
    let due_only = || wanted(Selection { needs_due_date: true, ..Selection::default() });
    assert_eq!(keys(&node.acquire(due_only(), 1).await), [2]);
    let limit = crate::NewLimit {
        scope: crate::LimitScope::Topic,
        name: "elsewhere".into(),
        max_concurrent: Some(1),
        rate: None,
    };
    store.set_limit(limit, NOW).await.expect("a limit");
    assert_eq!(keys(&node.acquire(due_only(), 10).await), [4]);
    assert_eq!(keys(&node.acquire(for_engine(), 10).await), [1, 3]);
}

pub(super) async fn a_node_is_seen_with_what_it_takes(store: Arc<dyn Store>) {
    let profile = NodeProfile {
        is_active: false,
        fires_timers: true,
        order: Order::Flags { priority: false, timers_first: true, due: true },
        priorities: i64::MIN..=-1,
        deployments: Some(vec![]),
        categories: Some(vec!["night".into()]),
        tenant: Some(orloj_types::TenantId::from("acme")),
        without_cleanup: true,
        needs_due_date: true,
    };
    let claim = crate::Claim { profile: profile.clone(), ..claim("n") };
    let lease = store.join(claim).await.expect("join");
    let seen = async || store.nodes().await.expect("nodes").remove(0);
    assert_eq!(seen().await.profile, profile);
    let other = NodeProfile {
        fires_timers: false,
        order: Order::Aging { step_ms: 60_000 },
        deployments: Some(vec![orloj_types::DeploymentKey::new(5)]),
        categories: None,
        ..NodeProfile::default()
    };
    let version = store.describe_node(lease, other.clone()).await.expect("described");
    assert_eq!(seen().await.profile, other);
    let beat = crate::Beat {
        lease,
        now: NOW,
        key_high: 1,
        lock_floor: orloj_types::JobKey::new(0),
        long_held: Vec::new(),
        settings_seen: version,
    };
    let pulse = store.beat(beat).await.expect("beat");
    assert_eq!(pulse.settings_version, version);
    assert_eq!((&pulse.nodes[0].profile, pulse.nodes[0].settings_seen), (&other, version));
    assert_eq!(seen().await.settings_seen, version);
    store.leave(lease).await.expect("leave");
    assert_eq!(store.describe_node(lease, other).await, Err(Error::Fenced));
}

pub(super) async fn a_worker_is_not_concerned_by_the_order_of_the_engine(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let of = |key, priority| JobRow { priority, ..job(key) };
    node.write_jobs([of(1, 1), of(2, 2), of(3, 2)]).await;
    let taken = node.acquire(crate::suite::sample::for_worker("pay"), 10).await;
    assert_eq!(keys(&taken), [2, 3, 1]);
}
