//! Limits: never exceeded, whoever acquires.

use std::sync::Arc;

use orloj_types::{JobKey, TenantId, Timestamp};

use crate::suite::sample::{
    NOW, Node, after, engine_job, for_engine, for_worker, job, keys, worker_locked,
};
use crate::suite::together::together;
use crate::{Acquire, Error, JobRow, LimitScope, NewLimit, Rate, Store, Wanted};

fn limit(scope: LimitScope, name: &str, max_concurrent: u32) -> NewLimit {
    NewLimit { scope, name: name.into(), max_concurrent: Some(max_concurrent), rate: None }
}

fn rate(name: &str, rate: Rate) -> NewLimit {
    NewLimit { scope: LimitScope::Topic, name: name.into(), max_concurrent: None, rate: Some(rate) }
}

fn of_topic(key: i64, topic: &str) -> JobRow {
    JobRow { topic: topic.into(), ..engine_job(key) }
}

async fn set(store: &Arc<dyn Store>, limit: NewLimit) -> i64 {
    store.set_limit(limit, NOW).await.expect("limit")
}

async fn taken_at(node: &Node, wanted: Wanted, limit: u32, now: Timestamp) -> Vec<i64> {
    let acquire = Acquire { lease: node.lease, wanted, limit, now };
    keys(&node.store.acquire(acquire).await.expect("acquire"))
}

pub(super) async fn limits_are_listed_replaced_and_deleted(store: Arc<dyn Store>) {
    let node = Node::join(&store, "n").await;
    assert_eq!(store.limits().await, Ok(vec![]));
    let first = set(&store, limit(LimitScope::Tenant, "acme", 3)).await;
    let second = set(&store, rate("mail", Rate::per_minute(6))).await;
    let third = set(&store, limit(LimitScope::Tenant, "acme", 4)).await;
    assert!(first < second && second < third, "each raises the version");
    assert_eq!(node.beat(0).await.settings_version, third);
    let rows = store.limits().await.expect("limits");
    let seen: Vec<_> = rows.iter().map(|row| (row.scope, &*row.name, row.max_concurrent)).collect();
    assert_eq!(seen, [(LimitScope::Topic, "mail", None), (LimitScope::Tenant, "acme", Some(4))]);
    assert_eq!(rows[0].rate, Some(Rate::per_minute(6)));
    let gone = store.delete_limit(LimitScope::Tenant, "acme".into()).await.expect("deleted");
    assert!(gone.is_some_and(|version| version > third));
    assert_eq!(store.delete_limit(LimitScope::Tenant, "acme".into()).await, Ok(None));
    assert_eq!(store.limits().await.expect("limits").len(), 1);
}

pub(super) async fn what_cannot_be_kept_is_refused(store: Arc<dyn Store>) {
    for wrong in [
        limit(LimitScope::Topic, "", 3),
        rate("mail", Rate { jobs: 0, ..Rate::per_second(1) }),
        rate("mail", Rate { interval_ms: 0, ..Rate::per_second(1) }),
        rate("mail", Rate { burst: 0, ..Rate::per_second(1) }),
    ] {
        let refused = store.set_limit(wrong, NOW).await;
        assert!(matches!(refused, Err(Error::Refused(_))), "got {refused:?}");
    }
    assert_eq!(store.limits().await, Ok(vec![]));
}

pub(super) async fn no_more_jobs_are_locked_than_allowed(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    set(&store, limit(LimitScope::Topic, "mail", 2)).await;
    node.write_jobs((1..=4).map(|key| of_topic(key, "mail"))).await;
    node.write_jobs([of_topic(5, "print"), engine_job(6), of_topic(7, "mail"), of_topic(8, "")])
        .await;
    // What has reached its limit does not stand in the way of others.
    assert_eq!(keys(&node.acquire(for_engine(), 4).await), [1, 2, 5, 6]);
    assert_eq!(keys(&node.acquire(for_engine(), 4).await), [8]);
    assert_eq!(keys(&node.acquire(for_engine(), 4).await), [0_i64; 0]);
    node.delete_jobs([1]).await;
    assert_eq!(keys(&node.acquire(for_engine(), 4).await), [3]);
    store.release(node.lease, vec![(JobKey::new(3), 1)]).await.expect("release");
    assert_eq!(keys(&node.acquire(for_engine(), 4).await), [3], "given back, taken again");
    set(&store, limit(LimitScope::Topic, "mail", 3)).await;
    assert_eq!(keys(&node.acquire(for_engine(), 4).await), [4]);
    set(&store, limit(LimitScope::Topic, "mail", 0)).await;
    node.delete_jobs([2, 3, 4]).await;
    assert_eq!(keys(&node.acquire(for_engine(), 4).await), [0_i64; 0], "none at all");
    store.delete_limit(LimitScope::Topic, "mail".into()).await.expect("deleted");
    assert_eq!(keys(&node.acquire(for_engine(), 4).await), [7]);
}

pub(super) async fn a_job_needs_room_in_every_limit_it_matches(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    set(&store, limit(LimitScope::Topic, "mail", 3)).await;
    set(&store, limit(LimitScope::Tenant, "acme", 1)).await;
    set(&store, limit(LimitScope::Key, "host a", 1)).await;
    let of = |key, tenant: &str, limit_key: Option<&str>| JobRow {
        tenant: TenantId::new(tenant),
        limit_key: limit_key.map(Into::into),
        ..of_topic(key, "mail")
    };
    node.write_jobs([
        of(1, "acme", Some("host a")),
        of(2, "acme", None),
        of(3, "", Some("host a")),
        of(4, "", Some("host b")),
        of(5, "", None),
        of(6, "", None),
        JobRow { topic: "".into(), ..of(7, "other", None) },
    ])
    .await;
    assert_eq!(keys(&node.acquire(for_engine(), 10).await), [1, 4, 5, 7]);
    node.delete_jobs([1]).await;
    assert_eq!(keys(&node.acquire(for_engine(), 10).await), [2], "topic mail is full again");
    node.delete_jobs([4, 5]).await;
    assert_eq!(keys(&node.acquire(for_engine(), 10).await), [3, 6]);
}

pub(super) async fn workers_are_limited_too(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    set(&store, limit(LimitScope::Topic, "pay", 2)).await;
    node.write_jobs([worker_locked(1, after(10)), job(2), job(3), of_topic(4, "pay")]).await;
    let taken = node.acquire(for_worker("pay"), 10).await;
    assert_eq!(keys(&taken), [2], "one is locked already");
    assert_eq!(taken[0].lock_worker.as_deref(), Some("anna"));
    assert_eq!((taken[0].attempt, taken[0].activations.is_empty()), (1, false));
    assert_eq!(keys(&node.acquire(for_engine(), 10).await), [0_i64; 0], "counted together");
    store.expire(after(11)).await.expect("expire");
    assert_eq!(keys(&node.acquire(for_engine(), 10).await), [4]);
}

pub(super) async fn a_rate_is_kept(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    set(&store, rate("mail", Rate { jobs: 2, interval_ms: 1_000, burst: 3 })).await;
    node.write_jobs((1..=9).map(|key| of_topic(key, "mail"))).await;
    let taken = async |ms: i64, limit: u32| taken_at(&node, for_engine(), limit, after(ms)).await;
    assert_eq!(taken(0, 2).await, [1, 2]);
    assert_eq!(taken(0, 9).await, [3], "the burst is used up");
    assert_eq!(taken(499, 9).await, [0_i64; 0]);
    assert_eq!(taken(500, 9).await, [4]);
    assert_eq!(taken(999, 9).await, [0_i64; 0]);
    assert_eq!(taken(1_500, 9).await, [5, 6]);
    assert_eq!(taken(500, 9).await, [0_i64; 0], "a clock behind adds nothing");
    assert_eq!(taken(60_000, 9).await, [7, 8, 9], "no more than the burst");
}

pub(super) async fn acquisitions_at_once_keep_the_limit(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    set(&store, limit(LimitScope::Topic, "mail", 5)).await;
    set(&store, limit(LimitScope::Topic, "print", 3)).await;
    let jobs = (1..=40).map(|key| of_topic(key, if key % 2 == 0 { "mail" } else { "print" }));
    node.write_jobs(jobs).await;
    node.write_jobs((50..60).map(engine_job)).await;
    let acquire = || Acquire { lease: node.lease, wanted: for_engine(), limit: 4, now: NOW };
    let mut taken = Vec::new();
    for _ in 0..3 {
        for jobs in together((0..6).map(|_| store.acquire(acquire())).collect()).await {
            taken.extend(jobs.expect("acquire"));
        }
    }
    let count = |topic: &str| taken.iter().filter(|job| *job.topic == *topic).count();
    assert_eq!((count("mail"), count("print"), count("")), (5, 3, 10));
    let mut unique = keys(&taken);
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), taken.len(), "none twice");
}
