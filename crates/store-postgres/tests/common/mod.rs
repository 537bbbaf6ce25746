//! A fresh database for every test.
#![expect(clippy::disallowed_methods, reason = "tests of real connections")]

pub mod pooler;
pub mod proxy;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use orloj_store::suite::engine;
use orloj_store::{
    Beat, Change, Claim, Group, InstanceRow, InstanceWrite, JobKind, JobRow, JobState, JobWrite,
    Lease, NodeProfile, Store,
};
use orloj_store_postgres::{Options, PostgresStore};
use orloj_types::{
    DefinitionKey, ElementId, ElementInstanceKey, InstanceKey, JobKey, TenantId, Timestamp,
};
use tokio_postgres::{Client, NoTls};

pub const NOW: Timestamp = Timestamp::from_ms(1_800_000_000_000);

/// Gives `test` the URL of an empty database, which is gone afterwards.
pub async fn with_database<F, Fut>(test: F)
where
    F: FnOnce(String) -> Fut,
    Fut: Future<Output = ()> + Send + 'static,
{
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let server = server_url();
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("orloj_test_{}_{number}", std::process::id());
    let admin = client(&server).await;
    admin.batch_execute(&format!("CREATE DATABASE {name}")).await.expect("create database");
    let outcome = tokio::spawn(test(database_url(&server, &name))).await;
    let drop = format!("DROP DATABASE {name} WITH (FORCE)");
    admin.batch_execute(&drop).await.expect("drop database");
    if let Err(error) = outcome {
        std::panic::resume_unwind(error.into_panic());
    }
}

pub async fn open(url: &str) -> Arc<PostgresStore> {
    let opened = PostgresStore::connect(Options::new(url, engine())).await;
    Arc::new(opened.expect("the store opens"))
}

/// A connection beside the store, to look and to disturb.
pub async fn client(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("connect");
    tokio::spawn(connection);
    client
}

/// Ends the connections of the store, except those that `but` owns.
pub async fn terminate(but: &Client) -> i64 {
    let sql = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()";
    but.query_one(sql, &[]).await.expect("terminate").get(0)
}

pub async fn join(store: &dyn Store, name: &str) -> Lease {
    let claim = Claim {
        name: name.to_owned(),
        engine: engine(),
        lanes: 2,
        now: NOW,
        profile: NodeProfile::default(),
    };
    store.join(claim).await.expect("join")
}

pub fn group(lease: Lease, lane: u8, id: i64, changes: Vec<Change>) -> Arc<Group> {
    Arc::new(Group { lease, lane, id, changes, now: NOW })
}

pub fn insert(key: i64) -> Change {
    let row = InstanceRow {
        key: InstanceKey::new(key),
        rev: 1,
        engine: engine(),
        tenant: TenantId::none(),
        definition: DefinitionKey::new(7),
        business_key: None,
        record: vec![1; 250],
        events: vec![],
        caller: None,
        root: None,
    };
    Change { instances: [InstanceWrite::Insert(row)].into(), ..Change::default() }
}

/// Of a node that has told nothing yet, and holds no lock below the floor.
pub fn beat_of(lease: Lease, lock_floor: i64) -> Beat {
    Beat {
        lease,
        now: NOW,
        key_high: 0,
        lock_floor: JobKey::new(lock_floor),
        long_held: Vec::new(),
        settings_seen: 0,
    }
}

pub fn update(key: i64, expected_rev: i32) -> Change {
    let write = InstanceWrite::Update {
        key: InstanceKey::new(key),
        expected_rev,
        rev: expected_rev + 1,
        record: vec![2; 250],
        events: vec![],
    };
    Change { instances: [write].into(), ..Change::default() }
}

pub fn with_job(mut change: Change, job: JobRow) -> Change {
    change.jobs.push(JobWrite::Insert(Box::new(job)));
    change
}

/// A continuation, ready and unlocked.
pub fn engine_job(key: i64) -> JobRow {
    JobRow {
        key: JobKey::new(key),
        engine: engine(),
        tenant: TenantId::none(),
        instance: InstanceKey::new(1),
        definition: DefinitionKey::new(7),
        element_instance: ElementInstanceKey::new(2),
        element: ElementId::new("task"),
        kind: JobKind::AsyncBefore,
        job_type: "".into(),
        state: JobState::Ready,
        retries_left: 3,
        priority: 0,
        exclusive: false,
        due_at: None,
        lock_session: None,
        lock_worker: None,
        lock_until: None,
        attempt: 0,
        activations: Vec::new(),
        failure: None,
        created_at: NOW,
        topic: "".into(),
        category: None,
        limit_key: None,
        batch: None,
        payload: None,
        failure_details: None,
        failed_element: None,
    }
}

pub async fn rev(store: &dyn Store, key: i64) -> Option<i32> {
    let loaded = store.load(vec![InstanceKey::new(key)]).await.expect("load");
    loaded.first().map(|loaded| loaded.row.rev)
}

fn server_url() -> String {
    std::env::var("ORLOJ_TEST_POSTGRES").unwrap_or_else(|_| {
        panic!(
            "ORLOJ_TEST_POSTGRES names no server: run these tests with `cargo xtask test`, \
             which starts one, or give the URL of a PostgreSQL on which databases may be created"
        )
    })
}

/// The same server, another database.
fn database_url(server: &str, name: &str) -> String {
    let (base, query) = match server.split_once('?') {
        Some((base, query)) => (base, format!("?{query}")),
        None => (server, String::new()),
    };
    let authority = base.find("://").map_or(0, |at| at + 3);
    let end = base[authority..].find('/').map_or(base.len(), |at| authority + at);
    format!("{}/{name}{query}", &base[..end])
}
