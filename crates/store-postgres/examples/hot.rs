//! How fast groups are committed: the steps of a chain of async tasks, as the engine writes them.
//!
//! `cargo run --release -p orloj-store-postgres --example hot-postgres -- URL [name=number…]`, against a
//! database that may be emptied. Names: `secs` to count, `warm` seconds before, `n` changes of a
//! group, `lanes`, `instances`, `record` bytes, `events` bytes, `ends` (every so many steps an
//! instance ends and another starts; 0: never), `threads` of the runtime.
#![expect(clippy::disallowed_methods, reason = "it measures time")]
#![allow(clippy::unwrap_used, reason = "a measurement, not a part of the store")]

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use orloj_store::{
    Change, Claim, EndedRow, Group, HistoryRow, InstanceRow, InstanceWrite, JobKind, JobRow,
    JobState, JobWrite, Lease, NodeProfile, Store,
};
use orloj_store_postgres::{Options, PostgresStore};
use orloj_types::{
    DefinitionKey, ElementId, ElementInstanceKey, EngineName, InstanceKey, JobKey, TenantId,
    Timestamp,
};

struct Load {
    store: PostgresStore,
    lease: Lease,
    settings: Settings,
    keys: AtomicI64,
    steps: AtomicU64,
    groups: AtomicU64,
    stop: AtomicBool,
}

struct Settings(HashMap<String, u64>);

impl Settings {
    fn get(&self, name: &str, default: u64) -> u64 {
        self.0.get(name).copied().unwrap_or(default)
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().expect("the URL of a database");
    let settings = arguments.map(|argument| {
        let (name, value) = argument.split_once('=').expect("name=number");
        (name.to_owned(), value.parse().expect("name=number"))
    });
    let settings = Settings(settings.collect());
    let runtime = match settings.get("threads", 1) {
        1 => tokio::runtime::Builder::new_current_thread().enable_all().build(),
        n => tokio::runtime::Builder::new_multi_thread()
            .worker_threads(n as usize)
            .enable_all()
            .build(),
    };
    runtime.unwrap().block_on(measure(url, settings));
}

async fn measure(url: String, settings: Settings) {
    let (admin, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    admin.batch_execute("DROP SCHEMA IF EXISTS hot CASCADE").await.unwrap();
    let lanes = settings.get("lanes", 2) as u8;
    let options =
        Options { schema: "hot".to_owned(), lanes, ..Options::new(url, EngineName::default()) };
    let store = PostgresStore::connect(options).await.unwrap();
    let claim = Claim {
        name: "hot".to_owned(),
        engine: EngineName::default(),
        lanes,
        now: Timestamp::ZERO,
        profile: NodeProfile::default(),
    };
    let lease = store.join(claim).await.unwrap();
    let load = Arc::new(Load {
        store,
        lease,
        settings,
        keys: AtomicI64::new(1 << 52),
        steps: AtomicU64::new(0),
        groups: AtomicU64::new(0),
        stop: AtomicBool::new(false),
    });
    let running: Vec<_> =
        (0..lanes).map(|number| tokio::spawn(lane(Arc::clone(&load), number))).collect();
    tokio::time::sleep(Duration::from_secs(load.settings.get("warm", 2))).await;

    let wal = "SELECT wal_bytes::bigint, wal_fpi, wal_records FROM pg_stat_wal";
    let (before, started) = (admin.query_one(wal, &[]).await.unwrap(), Instant::now());
    let lsn = "SELECT (pg_current_wal_lsn() - '0/0')::bigint";
    let lsn_before: i64 = admin.query_one(lsn, &[]).await.unwrap().get(0);
    let pid: i32 = admin.query_one("SELECT pg_backend_pid()", &[]).await.unwrap().get(0);
    let cpu = cpu_us(pid);
    let counted = || (load.steps.load(Ordering::Relaxed), load.groups.load(Ordering::Relaxed));
    let (steps, groups) = counted();
    tokio::time::sleep(Duration::from_secs(load.settings.get("secs", 10))).await;
    let (steps, groups) = (counted().0 - steps, counted().1 - groups);
    let seconds = started.elapsed().as_secs_f64();
    let cpu = (cpu_us(pid).0 - cpu.0, cpu_us(pid).1 - cpu.1);
    let written: i64 = admin.query_one(lsn, &[]).await.unwrap().get::<_, i64>(0) - lsn_before;
    let after = admin.query_one(wal, &[]).await.unwrap();
    let images = after.get::<_, i64>(1) - before.get::<_, i64>(1);
    println!(
        "{:.0} changes/s, {:.1} us of CPU here and {:.1} in the server per change, {:.2} ms per \
         group, {:.0} bytes of WAL per change ({} page images in all), lanes {lanes}, n {}",
        steps as f64 / seconds,
        cpu.0 / steps as f64,
        cpu.1 / steps as f64,
        seconds * 1e3 * f64::from(lanes) / groups as f64,
        written as f64 / steps as f64,
        images,
        load.settings.get("n", 256),
    );
    load.stop.store(true, Ordering::Relaxed);
    for running in running {
        running.await.unwrap();
    }
}

/// Of this process, and of the server's processes if it runs on this machine.
fn cpu_us(backend: i32) -> (f64, f64) {
    /// Linux counts in hundredths of a second.
    const TICK_US: f64 = 10_000.0;
    let stat = |pid: &str| -> Option<(i32, f64)> {
        let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |at: usize| fields.get(at).and_then(|f| f.parse::<f64>().ok());
        Some((number(1)? as i32, (number(11)? + number(12)?) * TICK_US))
    };
    let own = stat("self").map_or(0.0, |(_, cpu)| cpu);
    let Some((parent, _)) = stat(&backend.to_string()) else { return (own, 0.0) };
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let names = processes.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let children = names.filter_map(|name| stat(&name)).filter(|(of, _)| *of == parent);
    (own, children.map(|(_, cpu)| cpu).sum())
}

struct Instance {
    key: i64,
    rev: i32,
    job: i64,
}

async fn lane(load: Arc<Load>, number: u8) {
    let lanes = load.settings.get("lanes", 2);
    let count = (load.settings.get("instances", 2_000) / lanes) as usize;
    let n = load.settings.get("n", 256) as usize;
    let ends = load.settings.get("ends", 0);
    let mut instances: Vec<Instance> = Vec::new();
    let (mut at, mut group_id, mut step) = (0, 0, 0);
    let commit = async |changes: Vec<Change>, id: i64| {
        let (lease, now) = (load.lease, Timestamp::ZERO);
        let group = Group { lease, lane: number, id, changes, now };
        load.store.commit(Arc::new(group)).await.unwrap();
    };
    while instances.len() < count {
        let size = n.min(count - instances.len());
        let changes = (0..size).map(|_| {
            let (instance, change) = start(&load);
            instances.push(instance);
            change
        });
        group_id += 1;
        commit(changes.collect(), group_id).await;
    }
    while !load.stop.load(Ordering::Relaxed) {
        let mut changes = Vec::with_capacity(n);
        for _ in 0..n {
            at = (at + 1) % count;
            step += 1;
            if ends > 0 && step % ends == 0 {
                changes.push(end(&instances[at]));
                let (instance, change) = start(&load);
                instances[at] = instance;
                changes.push(change);
            } else {
                changes.push(next(&load, &mut instances[at]));
            }
        }
        group_id += 1;
        commit(changes, group_id).await;
        load.steps.fetch_add(n as u64, Ordering::Relaxed);
        load.groups.fetch_add(1, Ordering::Relaxed);
    }
}

fn next(load: &Load, instance: &mut Instance) -> Change {
    let old = std::mem::replace(&mut instance.job, load.key());
    instance.rev += 1;
    let write = InstanceWrite::Update {
        key: InstanceKey::new(instance.key),
        expected_rev: instance.rev - 1,
        rev: instance.rev,
        record: load.blob("record", 250),
        events: load.blob("events", 0),
    };
    let jobs =
        vec![JobWrite::Delete(JobKey::new(old)), JobWrite::Insert(Box::new(load.job(instance)))];
    Change { instances: [write].into(), jobs: jobs.into(), ..Change::default() }
}

fn start(load: &Load) -> (Instance, Change) {
    let instance = Instance { key: load.key(), rev: 1, job: load.key() };
    let row = InstanceRow {
        key: InstanceKey::new(instance.key),
        rev: 1,
        engine: EngineName::default(),
        tenant: TenantId::none(),
        definition: DefinitionKey::new(1 << 52),
        business_key: None,
        record: load.blob("record", 250),
        events: load.blob("events", 0),
        caller: None,
        root: None,
    };
    let jobs = vec![JobWrite::Insert(Box::new(load.job(&instance)))];
    let change = Change {
        instances: [InstanceWrite::Insert(row)].into(),
        jobs: jobs.into(),
        ..Change::default()
    };
    (instance, change)
}

fn end(instance: &Instance) -> Change {
    let key = InstanceKey::new(instance.key);
    let ended = EndedRow {
        key,
        engine: EngineName::default(),
        tenant: TenantId::none(),
        definition: DefinitionKey::new(1 << 52),
        business_key: None,
        completed: true,
        started_at: Timestamp::ZERO,
        ended_at: Timestamp::ZERO,
        variables: vec![1; 60],
        caller: None,
        root: None,
        removal_at: None,
    };
    let history = HistoryRow {
        instance: key,
        rev: instance.rev,
        engine: EngineName::default(),
        tenant: TenantId::none(),
        at: Timestamp::ZERO,
        events: vec![7; 700],
    };
    Change {
        instances: [InstanceWrite::Delete { key, expected_rev: instance.rev }].into(),
        jobs: [JobWrite::Delete(JobKey::new(instance.job))].into(),
        history: [history].into(),
        ended: [ended].into(),
        ..Change::default()
    }
}

impl Load {
    fn key(&self) -> i64 {
        self.keys.fetch_add(1, Ordering::Relaxed)
    }

    fn blob(&self, name: &str, default: u64) -> Vec<u8> {
        // Different every time, as records are: what stays the same is not logged.
        let mut state = self.keys.fetch_add(1, Ordering::Relaxed) as u64;
        let next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        (0..self.settings.get(name, default)).map(next).collect()
    }

    fn job(&self, instance: &Instance) -> JobRow {
        JobRow {
            key: JobKey::new(instance.job),
            engine: EngineName::default(),
            tenant: TenantId::none(),
            instance: InstanceKey::new(instance.key),
            definition: DefinitionKey::new(1 << 52),
            element_instance: ElementInstanceKey::new(instance.job - 1),
            element: ElementId::new("task_17"),
            kind: JobKind::AsyncBefore,
            job_type: "".into(),
            state: JobState::Ready,
            retries_left: 3,
            priority: 0,
            exclusive: true,
            due_at: None,
            lock_session: Some(self.lease.session),
            lock_worker: None,
            lock_until: None,
            attempt: 1,
            activations: Vec::new(),
            failure: None,
            created_at: Timestamp::ZERO,
            topic: "".into(),
            category: None,
            limit_key: None,
            batch: None,
            payload: None,
            failure_details: None,
            failed_element: None,
        }
    }
}
