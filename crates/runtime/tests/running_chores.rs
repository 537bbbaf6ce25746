//! What is ordered about jobs of no instance at the very moment they run or wait for their turn.

#![expect(clippy::disallowed_methods, reason = "someone waits while someone else works")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::{ALL, NOW, STEP, begin, begins, deploy, gated, jobs, on_both, start};
use orloj::types::{BatchKey, Document, InstanceKey};
use orloj::{
    BatchElements, BatchWork, Call, Fault, InstanceQuery, JobFilter, JobKind, JobState, JobView,
    Modification, NewBatch, Orloj, StoreChoice,
};
use tokio::sync::Semaphore;

const START: &str =
    "process p, camunda: start{timer 10s} -> work{delegate Work} -> ask{user} -> end";

/// A start timer that has begun and waits to be let on.
struct Running {
    orloj: Orloj,
    gate: Arc<Semaphore>,
    begun: Arc<AtomicUsize>,
}

impl Running {
    async fn of(store: StoreChoice) -> Self {
        let (builder, gate, begun) = gated(Orloj::builder().store(store));
        let orloj = builder.executor(true).pinned_clock(NOW).build().await.expect("an engine");
        deploy(&orloj, START).await;
        orloj.advance(Duration::from_secs(10)).expect("time passes");
        begins(&begun).await;
        Self { orloj, gate, begun }
    }

    async fn timer(&self) -> JobView {
        of_kind(&self.orloj, JobKind::StartTimer).await.pop().expect("a start timer")
    }

    /// Until nobody holds the timer.
    async fn unlocked(&self) -> JobView {
        loop {
            let timer = self.timer().await;
            if timer.locked_by.is_none() {
                return timer;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    fn begun(&self) -> usize {
        self.begun.load(Ordering::SeqCst)
    }

    async fn live(&self) -> usize {
        let query = InstanceQuery::default();
        self.orloj.instances().list(&query, ALL).await.expect("instances").len()
    }
}

async fn of_kind(orloj: &Orloj, kind: JobKind) -> Vec<JobView> {
    jobs(orloj, JobFilter { kinds: vec![kind], ..JobFilter::default() }).await
}

/// Whoever would begin something has had the time to.
async fn pause() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

#[test]
fn a_start_timer_that_is_suspended_while_it_runs_starts_nothing_until_it_is_resumed() {
    on_both(|store| async {
        let running = Running::of(store).await;
        let (orloj, key) = (&running.orloj, running.timer().await.key);
        orloj.jobs().suspend(key).await.expect("suspended");
        let timer = running.timer().await;
        assert_eq!((timer.state, timer.locked_by.is_some()), (JobState::Suspended, true));
        running.gate.add_permits(1);
        let timer = running.unlocked().await;
        assert_eq!((timer.state, timer.retries_left), (JobState::Suspended, 3));
        orloj.settle().await;
        assert_eq!((running.live().await, running.begun()), (0, 1));
        running.gate.add_permits(1);
        orloj.jobs().activate(key).await.expect("resumed");
        orloj.settle().await;
        assert_eq!((running.live().await, running.begun()), (1, 2));
        running.orloj.shutdown().await;
    });
}

/// The lock stays with whoever runs the chore, whatever is ordered meanwhile.
#[test]
fn a_start_timer_that_runs_is_not_begun_beside_itself() {
    on_both(|store| async {
        let running = Running::of(store).await;
        let (of_jobs, key) = (running.orloj.jobs(), running.timer().await.key);
        let later = NOW.plus_ms(60_000);
        for round in 0..2 {
            of_jobs.set_due_date(key, Some(later), false).await.expect("delayed");
            assert_eq!(running.timer().await.state, JobState::Waiting, "{round}");
            of_jobs.set_due_date(key, None, false).await.expect("due");
            of_jobs.move_to_dead_letter(key).await.expect("buried");
            assert_eq!(running.timer().await.state, JobState::Failed, "{round}");
            of_jobs.set_retries(key, 5, None).await.expect("some left");
            of_jobs.suspend(key).await.expect("suspended");
            of_jobs.activate(key).await.expect("resumed");
            pause().await;
            let timer = running.timer().await;
            assert_eq!((timer.state, timer.locked_by.is_some()), (JobState::Ready, true));
            assert_eq!(running.begun(), 1);
        }
        // That run comes to nothing, and another one follows.
        running.gate.add_permits(2);
        begin(&running.begun, 2).await;
        running.orloj.settle().await;
        assert_eq!((running.live().await, running.begun()), (1, 2));
        running.orloj.shutdown().await;
    });
}

#[test]
fn an_overriding_priority_does_not_interrupt_a_start_timer_that_runs() {
    on_both(|store| async {
        let running = Running::of(store).await;
        let (orloj, key) = (&running.orloj, running.timer().await.key);
        let definition = orloj.jobs().definition_of(key).await.expect("read").expect("one");
        let definitions = orloj.job_definitions();
        let report = definitions.set_priority(definition, 7, true).await.expect("set");
        assert_eq!((report.errors.len(), running.timer().await.priority), (0, 7));
        running.gate.add_permits(1);
        orloj.settle().await;
        assert_eq!((running.live().await, running.begun()), (1, 1));
        running.orloj.shutdown().await;
    });
}

#[test]
fn a_run_that_fails_leaves_the_priority_it_was_given_meanwhile() {
    on_both(|store| async {
        let gate = Arc::new(Semaphore::new(0));
        let (entry, begun) = (gate.clone(), Arc::new(AtomicUsize::new(0)));
        let counted = begun.clone();
        let work = move |_: Call| {
            let (entry, counted) = (entry.clone(), counted.clone());
            async move {
                counted.fetch_add(1, Ordering::SeqCst);
                entry.acquire().await.expect("open").forget();
                Err::<Document, _>(Fault::Failed("no line".into()))
            }
        };
        let builder = Orloj::builder().store(store).executor(true).pinned_clock(NOW);
        let orloj = builder.delegate("Work", work).build().await.expect("an engine");
        deploy(&orloj, START).await;
        orloj.advance(Duration::from_secs(10)).expect("time passes");
        begins(&begun).await;
        let key = of_kind(&orloj, JobKind::StartTimer).await[0].key;
        orloj.jobs().set_priority(key, 7).await.expect("set");
        gate.add_permits(3);
        orloj.settle().await;
        let timer = &of_kind(&orloj, JobKind::StartTimer).await[0];
        assert_eq!((timer.state, timer.priority), (JobState::Failed, 7));
        orloj.shutdown().await;
    });
}

/// One part for each instance; the code that a part calls waits to be let on.
async fn modification(orloj: &Orloj, parts: usize) -> BatchKey {
    deploy(orloj, "process p, camunda: start -> ask{user} -> work{delegate Work} -> end").await;
    let mut keys = Vec::new();
    for _ in 0..parts {
        keys.push(start(orloj).await);
    }
    let start = Modification::StartBefore {
        element: "work".into(),
        variables: String::new(),
        locals: String::new(),
    };
    let work = BatchWork::InstanceModification { instructions: vec![start] };
    let new = NewBatch::new(work, BatchElements::instances(keys));
    orloj.batches().create(new).await.expect("a batch").key
}

#[test]
fn parts_of_a_suspended_batch_that_run_take_no_effect() {
    const PARTS: usize = 4;
    on_both(|store| async {
        let (builder, gate, begun) = gated(Orloj::builder().store(store));
        let orloj = builder.executor(true).pinned_clock(NOW).build().await.expect("an engine");
        let key = modification(&orloj, PARTS).await;
        begin(&begun, PARTS).await;
        orloj.batches().suspend(key).await.expect("suspended");
        let is_stopped = |part: &JobView| part.state == JobState::Suspended;
        let parts = of_kind(&orloj, JobKind::BatchPart).await;
        assert!(parts.len() == PARTS && parts.iter().all(is_stopped), "{parts:?}");
        assert!(parts.iter().all(|part| part.locked_by.is_some()), "they still run");
        gate.add_permits(2 * PARTS);
        orloj.settle().await;
        let parts = of_kind(&orloj, JobKind::BatchPart).await;
        assert!(parts.len() == PARTS && parts.iter().all(is_stopped), "{parts:?}");
        assert!(parts.iter().all(|part| part.locked_by.is_none() && part.retries_left == 3));
        orloj.batches().activate(key).await.expect("activated");
        orloj.settle().await;
        let statistics = orloj.batches().statistics(key).await.expect("read");
        assert_eq!((statistics.done, begun.load(Ordering::SeqCst)), (PARTS as u64, 2 * PARTS));
        orloj.shutdown().await;
    });
}

/// A batch of parts that fail: they are about instances that are not there.
async fn failing(orloj: &Orloj, parts: i64) -> BatchKey {
    let work = BatchWork::SetVariables { variables: r#"{"x":1}"#.into() };
    let new = NewBatch::new(work, BatchElements::instances((1..=parts).map(InstanceKey::new)));
    orloj.batches().create(new).await.expect("a batch").key
}

async fn stand(orloj: &Orloj) -> Vec<(JobState, i32)> {
    let parts = of_kind(orloj, JobKind::BatchPart).await;
    parts.iter().map(|part| (part.state, part.retries_left)).collect()
}

#[test]
fn parts_of_a_suspended_batch_that_wait_for_their_turn_do_not_begin() {
    on_both(|store| async {
        let (builder, gate, begun) = gated(Orloj::builder().store(store).calls_max(1));
        let orloj = builder.executor(false).pinned_clock(NOW).build().await.expect("an engine");
        deploy(&orloj, STEP).await;
        start(&orloj).await;
        let key = failing(&orloj, 8).await;
        let seed = of_kind(&orloj, JobKind::BatchSeed).await[0].key;
        orloj.jobs().execute(seed).await.expect("the parts are made");
        orloj.executor().start().await.expect("it starts");
        begins(&begun).await;
        let is_locked = |part: &JobView| part.locked_by.is_some();
        while !of_kind(&orloj, JobKind::BatchPart).await.iter().all(is_locked) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        orloj.batches().suspend(key).await.expect("suspended");
        assert_eq!(stand(&orloj).await, [(JobState::Suspended, 3); 8]);
        assert!(!of_kind(&orloj, JobKind::BatchPart).await.iter().any(is_locked), "nobody's turn");
        gate.add_permits(1);
        orloj.settle().await;
        assert_eq!(stand(&orloj).await, [(JobState::Suspended, 3); 8]);
        orloj.batches().activate(key).await.expect("activated");
        orloj.settle().await;
        assert_eq!(stand(&orloj).await, [(JobState::Failed, 0); 8]);
        orloj.shutdown().await;
    });
}

#[test]
fn a_priority_for_all_parts_reaches_those_that_run_as_well() {
    on_both(|store| async {
        let (builder, gate, begun) = gated(Orloj::builder().store(store).calls_max(1));
        let orloj = builder.executor(true).pinned_clock(NOW).build().await.expect("an engine");
        let key = modification(&orloj, 3).await;
        begins(&begun).await;
        let part = of_kind(&orloj, JobKind::BatchPart).await[0].key;
        let definition = orloj.jobs().definition_of(part).await.expect("read").expect("one");
        let report = orloj.job_definitions().set_priority(definition, 7, true).await.expect("set");
        assert!(report.errors.is_empty(), "{:?}", report.errors);
        let parts = of_kind(&orloj, JobKind::BatchPart).await;
        assert!(parts.iter().all(|part| part.priority == 7), "{parts:?}");
        gate.add_permits(3);
        orloj.settle().await;
        let statistics = orloj.batches().statistics(key).await.expect("read");
        assert_eq!((statistics.done, begun.load(Ordering::SeqCst)), (3, 3));
        orloj.shutdown().await;
    });
}

#[test]
fn new_retries_do_not_run_a_dead_letter_of_a_suspended_batch() {
    on_both(|store| async {
        let orloj = Orloj::builder().store(store).executor(true).pinned_clock(NOW).build().await;
        let orloj = orloj.expect("an engine");
        let key = failing(&orloj, 2).await;
        orloj.settle().await;
        orloj.batches().suspend(key).await.expect("suspended");
        let statistics = orloj.batches().statistics(key).await.expect("read");
        assert_eq!(statistics.failed, 2, "they count as failed all the same");
        let parts = of_kind(&orloj, JobKind::BatchPart).await;
        // By hand and by another batch.
        orloj.jobs().set_retries(parts[0].key, 2, None).await.expect("retries");
        let work = BatchWork::SetJobRetries { retries: 2, due_ms: None };
        let new = NewBatch::new(work, BatchElements::jobs([parts[1].key]));
        orloj.batches().create(new).await.expect("a batch");
        orloj.settle().await;
        assert_eq!(stand(&orloj).await, [(JobState::Suspended, 2); 2]);
        orloj.batches().activate(key).await.expect("activated");
        orloj.settle().await;
        assert_eq!(stand(&orloj).await, [(JobState::Failed, 0); 2]);
        orloj.shutdown().await;
    });
}
