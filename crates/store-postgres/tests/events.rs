//! Messages and waits of several nodes, and what they cost those that have none.
#![expect(clippy::disallowed_methods, reason = "tests of real connections")]

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::pooler::Pooler;
use crate::common::{NOW, client, group, insert, join, open, update, with_database};
use orloj_store::suite::engine;
use orloj_store::{
    Change, CommitError, MessageKey, MessageRow, Store, SubscriptionKind, SubscriptionRow,
};
use orloj_store_postgres::{Options, PostgresStore};
use orloj_types::{
    DefinitionKey, ElementId, ElementInstanceKey, InstanceKey, SubscriptionKey, TenantId,
};

/// Two nodes publish and wait in the same channels over and over, in different orders, and step
/// the same instances meanwhile. Whatever fits at the end was told to someone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn channels_of_two_nodes_never_deadlock_nor_lose_a_fit() {
    const GROUPS: i64 = 40;
    const CHANNELS: i64 = 300;
    with_database(|url| async move {
        let (one, two) = (open(&url).await, open(&url).await);
        let (first, second) = (join(&*one, "one").await, join(&*two, "two").await);
        let write = |store: Arc<PostgresStore>, lease, lane: u8, writer: i64| {
            tokio::spawn(async move {
                let mut told = BTreeSet::new();
                for id in 1..=GROUPS {
                    let base = (writer * GROUPS + id) * 1_000;
                    // Few channels or more than are locked one by one, forwards or backwards.
                    let count = if id % 8 == 0 { CHANNELS } else { 12 };
                    let channel = |at: i64| (at * (writer + 1) * 7 + id) % CHANNELS;
                    let change = |at: i64| match (writer + at) % 2 {
                        0 => published(message(base + at, channel(at))),
                        _ => opened(subscription(base + at, channel(at))),
                    };
                    let mut changes: Vec<Change> = (0..count).map(change).collect();
                    if lane == 1 {
                        changes.reverse();
                    }
                    let committed = store.commit(group(lease, lane, id, changes)).await;
                    told.extend(committed.expect("commit").fits.iter().map(|fit| fit.message));
                }
                told
            })
        };
        let running = [
            write(Arc::clone(&one), first, 0, 0),
            write(Arc::clone(&two), second, 0, 1),
            write(Arc::clone(&one), first, 1, 2),
            write(Arc::clone(&two), second, 1, 3),
        ];
        let mut told = BTreeSet::new();
        for running in running {
            told.extend(running.await.expect("the writer ends"));
        }
        let channel_of = async |key: MessageKey| {
            one.message(key).await.expect("message").expect("it is there").channel()
        };
        let mut channels_told = BTreeSet::new();
        for key in told {
            channels_told.insert(channel_of(key).await);
        }
        let mut after = None;
        loop {
            let fits = one.fits(NOW, after, 1_000).await.expect("fits");
            let Some(last) = fits.last() else { break };
            after = Some(last.message);
            for fit in &fits {
                let channel = channel_of(fit.message).await;
                assert!(channels_told.contains(&channel), "nobody was told of {channel:?}");
            }
        }
        let look = client(&url).await;
        let sql = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
        let deadlocks: i64 = look.query_one(sql, &[]).await.unwrap().get(0);
        assert_eq!(deadlocks, 0);
    })
    .await;
}

#[tokio::test]
async fn a_group_is_one_statement_whatever_it_is_about() {
    with_database(|url| async move {
        let pooler = Pooler::start(&url).await;
        let options = Options::new(pooler.hearing_url(&url), engine());
        let store = PostgresStore::connect(options).await.expect("the store opens");
        let lease = join(&store, "n").await;
        store.commit(group(lease, 0, 1, vec![insert(1)])).await.expect("commit");
        let before = pooler.statements();
        for rev in 1..=10 {
            let step = group(lease, 0, 1 + i64::from(rev), vec![update(1, rev)]);
            store.commit(step).await.expect("commit");
        }
        assert_eq!(pooler.statements() - before, 10);
        let before = pooler.statements();
        for id in 1..=10 {
            let changes = vec![published(message(id, 1)), opened(subscription(100 + id, 1))];
            let committed = store.commit(group(lease, 0, 20 + id, changes)).await;
            assert_eq!(committed.expect("commit").fits.len(), 1);
        }
        assert_eq!(pooler.statements() - before, 10);
    })
    .await;
}

/// With one snapshot for the whole transaction nobody would see whom he waited for. Steps do not
/// need more.
#[tokio::test]
async fn a_database_that_keeps_old_snapshots_is_refused_for_messages() {
    with_database(|url| async move {
        let admin = client(&url).await;
        let sql = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation
             TO ''repeatable read''', current_database()); END $$";
        admin.batch_execute(sql).await.expect("alter");
        let store = open(&url).await;
        let lease = join(&*store, "n").await;
        store.commit(group(lease, 0, 1, vec![insert(1)])).await.expect("commit");
        let refused = store.commit(group(lease, 0, 2, vec![published(message(1, 1))])).await;
        assert!(matches!(refused, Err(CommitError::Unavailable(_))), "got {refused:?}");
    })
    .await;
}

/// A channel is looked at through its indexes, also when the tables have grown since the
/// connection planned its statements.
#[tokio::test]
async fn large_tables_are_not_read_for_one_channel() {
    with_database(|url| async move {
        let store = open(&url).await;
        let lease = join(&*store, "n").await;
        let meet = |id: i64, channel| {
            vec![published(message(id, channel)), opened(subscription(5_000_000 + id, channel))]
        };
        store.commit(group(lease, 0, 1, meet(1, 1))).await.expect("commit");
        let admin = client(&url).await;
        let fill = "INSERT INTO message SELECT 100 + n, 'suite', '', 'paid', 'x' || n, NULL, '',
                 2000000000000 FROM generate_series(1, 50000) AS n;
             INSERT INTO subscription SELECT 100 + n, 'suite', '', 1, 7, 2, 'e', 0, 'paid', 'y' || n
             FROM generate_series(1, 50000) AS n;
             ANALYZE message; ANALYZE subscription";
        admin.batch_execute(fill).await.expect("fill");
        let read = async || -> i64 {
            let sql =
                "SELECT pg_stat_get_tuples_returned(c.oid) + pg_stat_get_tuples_fetched(c.oid)
                 FROM pg_class AS c
                 WHERE relname IN ('message', 'subscription')";
            // A connection tells its figures a moment after it has become idle.
            admin.batch_execute("SELECT pg_sleep(1.2)").await.expect("sleep");
            let rows = admin.query(sql, &[]).await.expect("figures");
            rows.iter().map(|row| row.get::<_, i64>(0)).sum()
        };
        let before = read().await;
        for id in 2..=20 {
            let committed = store.commit(group(lease, 0, id, meet(id, id))).await.expect("commit");
            assert_eq!(committed.fits.len(), 1);
        }
        let scanned = read().await - before;
        assert!(scanned < 1_000, "{scanned} rows were read");
    })
    .await;
}

fn published(row: MessageRow) -> Change {
    Change { messages_added: [row].into(), ..Change::default() }
}

fn opened(row: SubscriptionRow) -> Change {
    Change { subscriptions_added: [row].into(), ..Change::default() }
}

fn message(key: i64, channel: i64) -> MessageRow {
    MessageRow {
        key: MessageKey::new(key),
        engine: engine(),
        tenant: TenantId::none(),
        name: "paid".into(),
        correlation_key: channel.to_string().into(),
        message_id: None,
        variables: vec![],
        expires_at: NOW.plus_ms(60_000),
    }
}

fn subscription(key: i64, channel: i64) -> SubscriptionRow {
    SubscriptionRow {
        key: SubscriptionKey::new(key),
        engine: engine(),
        tenant: TenantId::none(),
        instance: InstanceKey::new(1),
        definition: DefinitionKey::new(7),
        element_instance: ElementInstanceKey::new(2),
        event: ElementId::new("receive"),
        kind: SubscriptionKind::Message,
        name: "paid".into(),
        correlation_key: Some(channel.to_string().into()),
    }
}
