//! Waits: they come and go, and are found by what they wait for.

use std::sync::Arc;

use orloj_types::{ElementInstanceKey, EngineName, InstanceKey, SubscriptionKey, TenantId};
use thin_vec::thin_vec;

use crate::suite::engine;
use crate::suite::sample::{Node, insert, instance, rev, subscription, update};
use crate::{
    Change, CommitError, InstanceFilter, InstanceRow, InstanceWrite, PAGE_ROWS_MAX, Page, Store,
    SubscriptionKind, SubscriptionQuery, SubscriptionRow,
};

const NONE: [i64; 0] = [];

pub(super) async fn subscriptions_come_and_go(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let kinds = [
        SubscriptionKind::Message,
        SubscriptionKind::Signal,
        SubscriptionKind::Condition,
        SubscriptionKind::Hand,
        SubscriptionKind::Registry,
        SubscriptionKind::Variable,
    ];
    let rows: Vec<SubscriptionRow> = (20..)
        .zip(kinds)
        .map(|(key, kind)| SubscriptionRow { kind, ..subscription(key, "paid", None) })
        .chain([subscription(30, "", Some("")), subscription(31, "ä 🕰", Some("4711"))])
        .collect();
    node.write(opened(rows.clone())).await;
    for row in &rows {
        assert_eq!(store.subscription(row.key).await, Ok(Some(row.clone())));
    }
    node.write(closed([20, 31])).await;
    assert_eq!(store.subscription(SubscriptionKey::new(20)).await, Ok(None));
    assert_eq!(store.subscription(SubscriptionKey::new(31)).await, Ok(None));
    assert_eq!(store.subscription(SubscriptionKey::new(30)).await, Ok(Some(rows[6].clone())));
    node.write(closed([20])).await;
}

pub(super) async fn a_subscription_opened_and_closed_at_once_was_never_there(
    store: Arc<dyn Store>,
) {
    let mut node = Node::join(&store, "n").await;
    let both = vec![subscription(20, "paid", None), subscription(21, "paid", None)];
    let change =
        Change { subscriptions_gone: thin_vec![SubscriptionKey::new(20)], ..opened(both.clone()) };
    node.write(change).await;
    assert_eq!(store.subscription(SubscriptionKey::new(20)).await, Ok(None));
    assert_eq!(store.subscription(SubscriptionKey::new(21)).await, Ok(Some(both[1].clone())));
}

pub(super) async fn subscriptions_are_part_of_their_change(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(insert(10)).await;
    let mut lost = opened(vec![subscription(20, "paid", None)]);
    lost.instances = update(10, 7).instances;
    let mut wins = opened(vec![subscription(21, "paid", None)]);
    wins.instances = update(10, 1).instances;
    assert_eq!(node.commit(vec![lost]).await, Err(CommitError::Conflicts(vec![0])));
    node.write(wins).await;
    assert_eq!(rev(&store, 10).await, Some(2));
    let query = named("paid");
    assert_eq!(found(&store, query).await, [21]);
}

pub(super) async fn subscriptions_are_found_by_name_and_correlation_key(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let rows = vec![
        subscription(25, "paid", Some("b")),
        subscription(21, "paid", Some("a")),
        subscription(23, "paid", Some("a")),
        subscription(22, "paid", None),
        subscription(24, "sent", Some("a")),
        SubscriptionRow { tenant: TenantId::new("red"), ..subscription(26, "paid", Some("a")) },
        SubscriptionRow { instance: InstanceKey::new(11), ..subscription(27, "paid", Some("a")) },
        SubscriptionRow { kind: SubscriptionKind::Signal, ..subscription(28, "paid", None) },
        SubscriptionRow {
            engine: EngineName::new("another"),
            ..subscription(29, "paid", Some("a"))
        },
    ];
    node.write(opened(rows)).await;
    let all = SubscriptionQuery { name: None, ..named("") };
    let with_key =
        |key: &str| SubscriptionQuery { correlation_key: Some(key.into()), ..named("paid") };
    assert_eq!(found(&store, named("paid")).await, [21, 22, 23, 25, 26, 27], "oldest first");
    assert_eq!(found(&store, with_key("a")).await, [21, 23, 26, 27]);
    assert_eq!(found(&store, with_key("b")).await, [25]);
    assert_eq!(found(&store, with_key("")).await, NONE);
    assert_eq!(found(&store, all.clone()).await, [21, 22, 23, 24, 25, 26, 27]);
    let keyed = SubscriptionQuery { correlation_key: Some("a".into()), ..all.clone() };
    assert_eq!(found(&store, keyed).await, [21, 23, 24, 26, 27]);
    let of_tenant =
        |tenant: &str| SubscriptionQuery { tenant: Some(TenantId::new(tenant)), ..with_key("a") };
    assert_eq!(found(&store, of_tenant("red")).await, [26]);
    assert_eq!(found(&store, of_tenant("")).await, [21, 23, 27]);
    for query in [with_key("a"), named("paid"), all.clone()] {
        let of_instance = SubscriptionQuery { instance: Some(InstanceKey::new(11)), ..query };
        assert_eq!(found(&store, of_instance).await, [27]);
    }
    let signals = SubscriptionQuery { kind: SubscriptionKind::Signal, ..named("paid") };
    assert_eq!(found(&store, signals).await, [28]);
    let elsewhere = SubscriptionQuery { engine: EngineName::new("another"), ..with_key("a") };
    assert_eq!(found(&store, elsewhere).await, [29]);
}

pub(super) async fn subscriptions_are_found_by_the_business_key_of_their_instance(
    store: Arc<dyn Store>,
) {
    let mut node = Node::join(&store, "n").await;
    // Longer than an entry of an index may be, and like another but for its end.
    let long = |end: &str| format!("{}{end}", "ü".repeat(5_000));
    let (first, second) = (long("1"), long("2"));
    let keyed = |key, business_key: Option<&str>| {
        let row = InstanceRow { business_key: business_key.map(Into::into), ..instance(key) };
        Change { instances: thin_vec![InstanceWrite::Insert(row)], ..Change::default() }
    };
    let instances = vec![
        keyed(10, Some("a")),
        keyed(11, Some("b")),
        keyed(12, None),
        keyed(13, Some("a")),
        keyed(14, Some(&first)),
        keyed(15, Some(&second)),
    ];
    node.commit(instances).await.expect("commit");
    let of = |key, instance, name: &str, correlation_key| SubscriptionRow {
        instance: InstanceKey::new(instance),
        ..subscription(key, name, correlation_key)
    };
    let signal = |key| SubscriptionRow {
        kind: SubscriptionKind::Signal,
        ..of(key, if key == 30 { 10 } else { 11 }, "paid", None)
    };
    let rows = vec![
        of(21, 13, "paid", None),
        of(22, 10, "paid", Some("x")),
        of(23, 10, "sent", None),
        of(24, 11, "paid", Some("x")),
        of(25, 12, "paid", None),
        of(26, 14, "paid", None),
        of(27, 15, "paid", None),
        signal(30),
        signal(31),
    ];
    node.write(opened(rows)).await;
    let with = |key: &str| SubscriptionQuery { business_key: Some(key.into()), ..named("paid") };
    assert_eq!(found(&store, with("a")).await, [21, 22], "oldest first");
    assert_eq!(found(&store, with("b")).await, [24]);
    assert_eq!(found(&store, with("")).await, NONE);
    assert_eq!(found(&store, with(&first)).await, [26]);
    assert_eq!(found(&store, with(&second)).await, [27]);
    let any_name = SubscriptionQuery { name: None, ..with("a") };
    assert_eq!(found(&store, any_name).await, [21, 22, 23]);
    let correlated = SubscriptionQuery { correlation_key: Some("x".into()), ..with("a") };
    assert_eq!(found(&store, correlated).await, [22]);
    let of_instance = SubscriptionQuery { instance: Some(InstanceKey::new(13)), ..with("a") };
    assert_eq!(found(&store, of_instance).await, [21]);
    let of_tenant = SubscriptionQuery { tenant: Some(TenantId::new("red")), ..with("a") };
    assert_eq!(found(&store, of_tenant).await, NONE);
    let signals = SubscriptionQuery { kind: SubscriptionKind::Signal, ..with("a") };
    assert_eq!(found(&store, signals.clone()).await, [30]);
    assert_eq!(found(&store, SubscriptionQuery { name: None, ..signals }).await, [30]);
    let elsewhere = SubscriptionQuery { engine: EngineName::new("another"), ..with("a") };
    assert_eq!(found(&store, elsewhere).await, NONE);
    let page = |after: Option<i64>, limit| SubscriptionQuery {
        after: after.map(SubscriptionKey::new),
        limit,
        ..with("a")
    };
    assert_eq!(found(&store, page(None, 1)).await, [21]);
    assert_eq!(found(&store, page(Some(21), 1)).await, [22]);
    let filter =
        |key: &str| InstanceFilter { business_key: Some(key.into()), ..InstanceFilter::default() };
    for (key, keys) in [("a", vec![13, 10]), (&*first, vec![14]), ("c", vec![])] {
        let page = Page { before: None, limit: 10 };
        let rows = store.instances(filter(key), page).await.expect("instances");
        assert_eq!(rows.iter().map(|row| row.key.raw()).collect::<Vec<_>>(), keys);
        assert_eq!(store.count_instances(filter(key)).await, Ok(keys.len() as u64));
    }
}

pub(super) async fn subscriptions_are_paged_oldest_first(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let most = i64::from(PAGE_ROWS_MAX);
    let signal =
        |key| SubscriptionRow { kind: SubscriptionKind::Signal, ..subscription(key, "stop", None) };
    node.write(opened((1..=most + 5).rev().map(signal).collect())).await;
    let signals = SubscriptionQuery { kind: SubscriptionKind::Signal, ..named("stop") };
    for query in [signals.clone(), SubscriptionQuery { name: None, ..signals }] {
        let page = async |after: Option<i64>, limit| {
            let after = after.map(SubscriptionKey::new);
            found(&store, SubscriptionQuery { after, limit, ..query.clone() }).await
        };
        assert_eq!(page(None, 3).await, [1, 2, 3]);
        assert_eq!(page(Some(3), 2).await, [4, 5]);
        assert_eq!(page(Some(most + 3), 10).await, [most + 4, most + 5]);
        assert_eq!(page(Some(most + 5), 10).await, NONE);
        assert_eq!(page(None, u32::MAX).await.len() as i64, most);
    }
}

pub(super) async fn the_last_subscription_of_a_name_is_found(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let last = async |kind, name: &str| {
        let found = store.last_subscription(kind, name.into()).await.expect("subscription");
        found.map(SubscriptionKey::raw)
    };
    assert_eq!(last(SubscriptionKind::Signal, "stop").await, None);
    let signal =
        |key| SubscriptionRow { kind: SubscriptionKind::Signal, ..subscription(key, "stop", None) };
    let other_engine = SubscriptionRow { engine: EngineName::new("another"), ..signal(99) };
    let other_name = SubscriptionRow { name: "stopped".into(), ..signal(98) };
    let other_tenant = SubscriptionRow { tenant: TenantId::new("shop"), ..signal(35) };
    let message = subscription(97, "stop", None);
    let rows = vec![signal(31), other_tenant, signal(33), other_engine, other_name, message];
    node.write(opened(rows)).await;
    assert_eq!(last(SubscriptionKind::Signal, "stop").await, Some(35), "of any tenant");
    assert_eq!(last(SubscriptionKind::Message, "stop").await, Some(97));
    node.write(closed([35])).await;
    assert_eq!(last(SubscriptionKind::Signal, "stop").await, Some(33));
}

pub(super) async fn an_element_instance_is_found_by_its_subscription(store: Arc<dyn Store>) {
    const SECOND: i64 = 1_000 << 22;
    let mut node = Node::join(&store, "n").await;
    let of = |key, element, instance| SubscriptionRow {
        element_instance: ElementInstanceKey::new(element),
        instance: InstanceKey::new(instance),
        ..subscription(key, "paid", None)
    };
    let near = 100 * SECOND;
    node.write(opened(vec![of(near + 5, near, 10), of(near + 90 * SECOND, near + 1, 11)])).await;
    for (scope, instance) in [(near, Some(10)), (near + 1, Some(11)), (near + 2, None)] {
        let found = store.instance_of(ElementInstanceKey::new(scope)).await.expect("instance of");
        assert_eq!(found.map(InstanceKey::raw), instance);
    }
}

pub(super) fn opened(subscriptions_added: Vec<SubscriptionRow>) -> Change {
    Change { subscriptions_added: subscriptions_added.into(), ..Change::default() }
}

fn closed<const N: usize>(keys: [i64; N]) -> Change {
    Change {
        subscriptions_gone: keys.map(SubscriptionKey::new).to_vec().into(),
        ..Change::default()
    }
}

/// Messages of this name.
fn named(name: &str) -> SubscriptionQuery {
    SubscriptionQuery {
        engine: engine(),
        tenant: None,
        kind: SubscriptionKind::Message,
        name: Some(name.into()),
        correlation_key: None,
        instance: None,
        business_key: None,
        after: None,
        limit: 100,
    }
}

async fn found(store: &Arc<dyn Store>, query: SubscriptionQuery) -> Vec<i64> {
    let rows = store.subscriptions(query).await.expect("subscriptions");
    rows.iter().map(|row| row.key.raw()).collect()
}
