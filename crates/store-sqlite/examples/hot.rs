//! How fast the store takes what the engine writes most, on this machine.
//!
//! `hot steps [name=value …]`: instances that go through ten jobs each, in a closed loop. Every
//! step updates its instance, deletes its job and inserts the next one, already locked; the last
//! one deletes the instance and writes its end and its history, and another instance starts.
//! `n` changes per group, `lanes` groups under way, `inst` instances, `record` bytes of record,
//! `event` bytes of history per step, `secs` counted after one second of warm-up.
//!
//! `hot history [rows=10000000]`: reads the history of single instances among that many rows.

#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock and waits")]

use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use orloj_store::{
    Change, Claim, EndedRow, Group, HistoryRow, InstanceRow, InstanceWrite, JobKind, JobRow,
    JobState, JobWrite, Lease, NodeProfile, Store,
};
use orloj_store_sqlite::{Options, SqliteStore};
use orloj_types::{
    DefinitionKey, ElementId, ElementInstanceKey, EngineName, InstanceKey, JobKey, KeyGenerator,
    NodeNumber, TenantId, Timestamp,
};

const STEPS: usize = 10;

fn main() {
    let mut args = std::env::args().skip(1);
    let mode = args.next().unwrap_or_else(|| "steps".to_owned());
    let settings: HashMap<String, String> = args
        .filter_map(|arg| {
            arg.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
        })
        .collect();
    let number = |name: &str, default: usize| {
        settings.get(name).map_or(default, |value| value.parse().expect("a number"))
    };
    let folder = tempfile::tempdir_in(".").expect("temporary folder");
    let options = Options::file(folder.path().join("hot.db"), EngineName::default());
    let store = SqliteStore::open(&options).expect("open");
    let claim = Claim {
        name: "hot".to_owned(),
        engine: EngineName::default(),
        lanes: 8,
        now: now(),
        profile: NodeProfile::default(),
    };
    let lease = block_on(store.join(claim)).expect("join");
    match mode.as_str() {
        "steps" => {
            let load = Load {
                changes: number("n", 256),
                lanes: number("lanes", 2),
                instances: number("inst", 2_000),
                record: number("record", 250),
                event: number("event", 60),
            };
            steps(&store, lease, load, number("secs", 5));
        }
        "history" => history(&store, lease, number("rows", 10_000_000)),
        other => panic!("unknown mode {other}"),
    }
    let started = Instant::now();
    block_on(store.close()).expect("close");
    println!("closed in {:.0} ms", started.elapsed().as_secs_f64() * 1e3);
}

#[derive(Clone, Copy)]
struct Load {
    changes: usize,
    lanes: usize,
    instances: usize,
    record: usize,
    event: usize,
}

fn steps(store: &SqliteStore, lease: Lease, load: Load, secs: usize) {
    let counted = Arc::new(Counts::default());
    let stop = Arc::new(AtomicBool::new(false));
    let lanes: Vec<_> = (0..load.lanes)
        .map(|lane| {
            let lane = Lane::new(store.clone(), lease, lane as u8, load);
            let (counted, stop) = (Arc::clone(&counted), Arc::clone(&stop));
            std::thread::spawn(move || lane.run(&counted, &stop))
        })
        .collect();
    std::thread::sleep(Duration::from_secs(1));
    let (before, written_before) = (counted.read(), bytes_written());
    let started = Instant::now();
    std::thread::sleep(Duration::from_secs(secs as u64));
    let (after, written_after) = (counted.read(), bytes_written());
    let taken = started.elapsed().as_secs_f64();
    stop.store(true, Ordering::Relaxed);
    let mut waits: Vec<Duration> =
        lanes.into_iter().flat_map(|lane| lane.join().expect("lane")).collect();
    waits.sort_unstable();
    let per_second = |at: usize| (after[at] - before[at]) as f64 / taken;
    let wait = |share: f64| waits[((waits.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!(
        "n={} lanes={} inst={}: {:.0} changes/s, {:.0} steps/s, {:.0} commits/s, \
         {:.0} bytes written per change; answer p50 {:.2} ms, p99 {:.2} ms, max {:.1} ms",
        load.changes,
        load.lanes,
        load.instances,
        per_second(0),
        per_second(1),
        per_second(2),
        (written_after - written_before) / (after[0] - before[0]) as f64,
        wait(0.5),
        wait(0.99),
        wait(1.0),
    );
}

#[derive(Default)]
struct Counts([AtomicU64; 3]);

impl Counts {
    fn add(&self, changes: usize, steps: usize) {
        for (count, by) in self.0.iter().zip([changes, steps, 1]) {
            count.fetch_add(by as u64, Ordering::Relaxed);
        }
    }

    fn read(&self) -> [u64; 3] {
        [0, 1, 2].map(|at| self.0[at].load(Ordering::Relaxed))
    }
}

struct Lane {
    store: SqliteStore,
    lease: Lease,
    lane: u8,
    load: Load,
    keys: KeyGenerator,
    instances: Vec<Instance>,
    next: usize,
}

#[derive(Clone, Copy)]
struct Instance {
    key: i64,
    rev: i32,
    job: i64,
}

impl Lane {
    fn new(store: SqliteStore, lease: Lease, lane: u8, load: Load) -> Self {
        let keys = KeyGenerator::new(NodeNumber(u16::from(lane)));
        Self { store, lease, lane, load, keys, instances: Vec::new(), next: 0 }
    }

    fn run(mut self, counted: &Counts, stop: &AtomicBool) -> Vec<Duration> {
        let (mut id, mut waits) = (0, Vec::new());
        while !stop.load(Ordering::Relaxed) {
            let mut changes = Vec::with_capacity(self.load.changes);
            let mut steps = 0;
            while changes.len() < self.load.changes {
                if self.instances.len() < self.load.instances / self.load.lanes {
                    let (change, instance) = self.start();
                    self.instances.push(instance);
                    changes.push(change);
                    continue;
                }
                steps += 1;
                let at = self.next;
                self.next = (at + 1) % self.instances.len();
                if self.instances[at].rev as usize == STEPS {
                    changes.push(self.end(at));
                    let (change, instance) = self.start();
                    self.instances[at] = instance;
                    changes.push(change);
                } else {
                    changes.push(self.step(at));
                }
            }
            id += 1;
            let count = changes.len();
            let group = Group { lease: self.lease, lane: self.lane, id, changes, now: now() };
            let sent = Instant::now();
            block_on(self.store.commit(Arc::new(group))).expect("commit");
            waits.push(sent.elapsed());
            counted.add(count, steps);
        }
        waits
    }

    fn start(&mut self) -> (Change, Instance) {
        let instance = Instance { key: self.keys.next(now()), rev: 1, job: self.keys.next(now()) };
        let row = InstanceRow {
            key: InstanceKey::new(instance.key),
            rev: 1,
            engine: EngineName::default(),
            tenant: TenantId::none(),
            definition: DefinitionKey::new(1),
            business_key: None,
            record: vec![1; self.load.record],
            events: vec![2; self.load.event],
            caller: None,
            root: None,
        };
        let change = Change {
            instances: [InstanceWrite::Insert(row)].into(),
            jobs: [JobWrite::Insert(Box::new(self.job(instance)))].into(),
            ..Change::default()
        };
        (change, instance)
    }

    fn step(&mut self, at: usize) -> Change {
        let before = self.instances[at];
        let after = Instance { rev: before.rev + 1, job: self.keys.next(now()), ..before };
        self.instances[at] = after;
        let update = InstanceWrite::Update {
            key: InstanceKey::new(before.key),
            expected_rev: before.rev,
            rev: after.rev,
            record: vec![3; self.load.record],
            events: vec![4; self.load.event * after.rev as usize],
        };
        Change {
            instances: [update].into(),
            jobs: [
                JobWrite::Delete(JobKey::new(before.job)),
                JobWrite::Insert(Box::new(self.job(after))),
            ]
            .into(),
            ..Change::default()
        }
    }

    fn end(&self, at: usize) -> Change {
        let Instance { key, rev, job } = self.instances[at];
        let delete = InstanceWrite::Delete { key: InstanceKey::new(key), expected_rev: rev };
        let ended = EndedRow {
            key: InstanceKey::new(key),
            engine: EngineName::default(),
            tenant: TenantId::none(),
            definition: DefinitionKey::new(1),
            business_key: None,
            completed: true,
            started_at: now(),
            ended_at: now(),
            variables: vec![1; 60],
            caller: None,
            root: None,
            removal_at: None,
        };
        Change {
            instances: [delete].into(),
            jobs: [JobWrite::Delete(JobKey::new(job))].into(),
            history: [history_row(key, rev + 1, self.load.event * (STEPS + 1))].into(),
            ended: [ended].into(),
            ..Change::default()
        }
    }

    fn job(&self, instance: Instance) -> JobRow {
        JobRow {
            key: JobKey::new(instance.job),
            engine: EngineName::default(),
            tenant: TenantId::none(),
            instance: InstanceKey::new(instance.key),
            definition: DefinitionKey::new(1),
            element_instance: ElementInstanceKey::new(instance.job - 1),
            element: ElementId::new("task_5"),
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
            created_at: now(),
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

fn history(store: &SqliteStore, lease: Lease, rows: usize) {
    const PER_INSTANCE: usize = 10;
    const PER_GROUP: usize = 10_000;
    let mut keys = KeyGenerator::new(NodeNumber(0));
    let instances: Vec<i64> = (0..rows / PER_INSTANCE).map(|_| keys.next(now())).collect();
    let started = Instant::now();
    // As it comes about: a thousand instances at a time, each a row further with every turn.
    for (id, together) in (1..).zip(instances.chunks(PER_GROUP / PER_INSTANCE)) {
        let rows = (1..=PER_INSTANCE as i32)
            .flat_map(|rev| together.iter().map(move |key| history_row(*key, rev, 100)));
        let changes = vec![Change { history: rows.collect(), ..Change::default() }];
        let group = Group { lease, lane: 0, id, changes, now: now() };
        block_on(store.commit(Arc::new(group))).expect("commit");
    }
    println!("{rows} rows written in {:.1} s", started.elapsed().as_secs_f64());
    let mut reads: Vec<Duration> = instances
        .iter()
        .step_by((instances.len() / 1_000).max(1))
        .map(|key| {
            let started = Instant::now();
            let read = block_on(store.history(InstanceKey::new(*key))).expect("history");
            assert_eq!(read.len(), PER_INSTANCE);
            started.elapsed()
        })
        .collect();
    reads.sort_unstable();
    println!(
        "history of one instance: p50 {:.3} ms, max {:.3} ms over {} reads",
        reads[reads.len() / 2].as_secs_f64() * 1e3,
        reads[reads.len() - 1].as_secs_f64() * 1e3,
        reads.len(),
    );
}

fn history_row(instance: i64, rev: i32, bytes: usize) -> HistoryRow {
    HistoryRow {
        instance: InstanceKey::new(instance),
        rev,
        engine: EngineName::default(),
        tenant: TenantId::none(),
        at: now(),
        events: vec![5; bytes],
    }
}

/// By this process so far, log and file together; zero where the system does not tell.
fn bytes_written() -> f64 {
    let counters = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    let written = counters.lines().find_map(|line| line.strip_prefix("wchar: "));
    written.and_then(|number| number.parse().ok()).unwrap_or(0.0)
}

fn now() -> Timestamp {
    let since = std::time::UNIX_EPOCH.elapsed().expect("after 1970");
    Timestamp::from_ms(since.as_millis() as i64)
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
