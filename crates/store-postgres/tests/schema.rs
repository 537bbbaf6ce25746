//! Creating, migrating and sharing a database.
#![expect(clippy::disallowed_methods, reason = "tests of real connections")]

use crate::common::pooler::Pooler;
use crate::common::{NOW, beat_of, client, group, insert, join, open, rev, update, with_database};
use orloj_store::suite::engine;
use orloj_store::{Error, InstanceFilter, Page, Store};
use orloj_store_postgres::{Options, PostgresStore};
use orloj_types::{EngineName, InstanceKey};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stores_that_open_at_once_migrate_once() {
    with_database(|url| async move {
        let opening: Vec<_> = (0..6)
            .map(|_| {
                let options = Options::new(url.clone(), engine());
                tokio::spawn(PostgresStore::connect(options))
            })
            .collect();
        for opening in opening {
            opening.await.expect("it does not panic").expect("the store opens");
        }
    })
    .await;
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    with_database(|url| async move {
        drop(open(&url).await);
        let admin = client(&url).await;
        let newer = "INSERT INTO schema_version (version) VALUES (1000)";
        admin.batch_execute(newer).await.unwrap();
        let refused = PostgresStore::connect(Options::new(url, engine())).await.err();
        assert_eq!(refused, Some(Error::NewerSchema { found: 1_000, known: 14 }));
    })
    .await;
}

/// What the first release wrote is there after the migration, and goes on.
#[tokio::test]
async fn a_schema_of_the_first_release_is_migrated() {
    const FIRST: &str = include_str!("../migrations/0001_initial.sql");
    with_database(|url| async move {
        let admin = client(&url).await;
        let versions = "CREATE TABLE schema_version (
                 version integer PRIMARY KEY, migrated_at timestamptz NOT NULL DEFAULT now());
             INSERT INTO schema_version (version) VALUES (1)";
        admin.batch_execute(versions).await.expect("versions");
        admin.batch_execute(&FIRST.replace("orloj.", "public.")).await.expect("first schema");
        let rows = "INSERT INTO instance VALUES (1, 3, 'suite', '', 7, NULL, '\\x01', '\\x02');
             INSERT INTO ended VALUES (2, 'suite', '', 7, NULL, true, 5, 6, '\\x03', NULL)";
        admin.batch_execute(rows).await.expect("rows");
        let store = open(&url).await;
        let loaded = store.load(vec![InstanceKey::new(1)]).await.expect("load");
        let row = &loaded[0].row;
        assert_eq!((row.rev, &row.record[..], &row.events[..]), (3, &[1][..], &[2][..]));
        assert_eq!((row.caller, row.root), (None, None));
        let ended = store.ended_instance(InstanceKey::new(2)).await.expect("ended");
        let ended = ended.expect("it is there");
        assert_eq!((ended.started_at.as_ms(), ended.ended_at.as_ms()), (5, 6));
        assert_eq!((ended.caller, ended.root), (None, None));
        let lease = join(&*store, "n").await;
        store.commit(group(lease, 0, 1, vec![update(1, 3)])).await.expect("commit");
        assert_eq!(rev(&*store, 1).await, Some(4));
    })
    .await;
}

#[tokio::test]
async fn schemas_do_not_know_of_each_other() {
    with_database(|url| async move {
        let open_in = async |schema: &str| {
            let options =
                Options { schema: schema.to_owned(), ..Options::new(url.clone(), engine()) };
            PostgresStore::connect(options).await.expect("the store opens")
        };
        let one = open_in("one").await;
        let two = open_in("Two \"quoted\"").await;
        let lease = join(&one, "n").await;
        one.commit(group(lease, 0, 1, vec![insert(1)])).await.expect("commit");
        assert_eq!((rev(&one, 1).await, rev(&two, 1).await), (Some(1), None));
        let again = open_in("Two \"quoted\"").await;
        assert_eq!(join(&again, "n").await.node, join(&two, "m").await.node.min(lease.node));
    })
    .await;
    let long = Options { schema: "s".repeat(64), ..Options::new("postgres://h/d", engine()) };
    assert!(matches!(PostgresStore::connect(long).await.err(), Some(Error::Refused(_))));
}

#[tokio::test]
async fn engines_share_numbers_and_nothing_else() {
    with_database(|url| async move {
        let one = open(&url).await;
        let options = Options::new(url, EngineName::new("another"));
        let two = PostgresStore::connect(options).await.expect("the store opens");
        let first = join(&*one, "n").await;
        let claim = orloj_store::Claim {
            name: "n".to_owned(),
            engine: EngineName::new("another"),
            lanes: 1,
            now: NOW,
            profile: orloj_store::NodeProfile::default(),
        };
        let second = two.join(claim).await.expect("join");
        assert_ne!(first.node, second.node, "keys are unique in the database");
        one.commit(group(first, 0, 1, vec![insert(1)])).await.expect("commit");
        let page = Page { before: None, limit: 10 };
        let seen = two.instances(InstanceFilter::default(), page).await;
        assert_eq!(seen, Ok(vec![]));
        let beat = beat_of(second, 0);
        assert_eq!(two.beat(beat).await.expect("beat").nodes.len(), 1);
        assert_eq!(one.nodes().await.expect("nodes").len(), 1, "of the same name, not fenced");
    })
    .await;
}

/// A node that has nothing to do is one statement a second for the server, its heartbeat.
#[tokio::test]
async fn a_beat_is_one_statement() {
    with_database(|url| async move {
        let pooler = Pooler::start(&url).await;
        let options = Options::new(pooler.hearing_url(&url), engine());
        let store = PostgresStore::connect(options).await.expect("the store opens");
        let lease = join(&store, "n").await;
        let beat = beat_of(lease, 0);
        store.beat(beat.clone()).await.expect("beat");
        let before = pooler.statements();
        for _ in 0..20 {
            store.beat(beat.clone()).await.expect("beat");
        }
        assert_eq!(pooler.statements() - before, 20);
    })
    .await;
}

/// The server of the tests speaks no TLS; a URL that insists on it gets an error, not a plain
/// connection.
#[tokio::test]
async fn encryption_that_is_asked_for_is_not_left_out() {
    with_database(|url| async move {
        let separator = if url.contains('?') { '&' } else { '?' };
        for mode in ["require", "verify-full"] {
            let options = Options::new(format!("{url}{separator}sslmode={mode}"), engine());
            assert!(PostgresStore::connect(options).await.is_err(), "sslmode={mode}");
        }
    })
    .await;
}
