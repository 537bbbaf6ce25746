//! What is ordered about a job at the very moment it runs.

#![expect(clippy::disallowed_methods, reason = "someone waits while someone else works")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::{
    NOW, STEP, begin, begins, completed, deploy, gated, jobs, on_both, start, state,
};
use orloj::types::{Document, InstanceKey};
use orloj::{
    Call, FailedTry, Fault, InstanceState, JobFilter, JobState, JobView, Orloj, Retry, RetryPolicy,
    StoreChoice,
};
use tokio::sync::Semaphore;

/// Two exclusive jobs of one instance.
const TWO: &str = "process p, camunda: start -> f+ -> a{delegate Work, async} -> end
    f -> b{delegate Work, async} -> end";

/// An instance whose first job has begun and waits to be let on.
struct Running {
    orloj: Orloj,
    instance: InstanceKey,
    gate: Arc<Semaphore>,
    begun: Arc<AtomicUsize>,
}

impl Running {
    async fn of(store: StoreChoice, sketch: &str, calls_max: usize) -> Self {
        let builder = Orloj::builder().store(store).executor(true).pinned_clock(NOW);
        let (builder, gate, begun) = gated(builder.calls_max(calls_max));
        let orloj = builder.build().await.expect("an engine");
        deploy(&orloj, sketch).await;
        let instance = start(&orloj).await;
        begins(&begun).await;
        Self { orloj, instance, gate, begun }
    }

    /// The job that is locked, or else the first.
    async fn job(&self) -> JobView {
        let filter = JobFilter { instance: Some(self.instance), ..JobFilter::default() };
        let mut all = jobs(&self.orloj, filter).await;
        let running = all.iter().position(|job| job.locked_by.is_some());
        all.swap_remove(running.unwrap_or(0))
    }

    /// Until nobody holds a job of the instance.
    async fn unlocked(&self) {
        while self.job().await.locked_by.is_some() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    fn begun(&self) -> usize {
        self.begun.load(Ordering::SeqCst)
    }

    /// Whoever would begin something has had the time to.
    async fn pause(&self) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }

    async fn end(self, begun: usize) {
        completed(&self.orloj, self.instance).await;
        assert_eq!(self.begun(), begun);
        self.orloj.shutdown().await;
    }
}

#[test]
fn an_overriding_priority_does_not_interrupt_a_job_that_runs() {
    on_both(|store| async {
        let running = Running::of(store, STEP, 1).await;
        let Running { orloj, instance: runs, .. } = &running;
        let waits = start(orloj).await;
        let job = running.job().await;
        let definition = orloj.jobs().definition_of(job.key).await.expect("read").expect("one");
        let definitions = orloj.job_definitions();
        // What runs answers first, so the order for it waits: it must not hold up the run.
        let overridden =
            tokio::spawn(
                async move { definitions.set_priority(definition, -7, true).await.map(drop) },
            );
        running.pause().await;
        assert_eq!(running.begun(), 1, "it goes on and is not begun again");
        assert_eq!(state(orloj, *runs).await, InstanceState::Active);
        running.gate.add_permits(2);
        overridden.await.expect("no panic").expect("set");
        for instance in [*runs, waits] {
            completed(orloj, instance).await;
            let detail = orloj.instance(instance).await.expect("there");
            assert_eq!(detail.variables.to_json(), r#"{"done":true}"#);
        }
        running.end(2).await;
    });
}

#[test]
fn what_runs_is_not_begun_again_when_it_is_suspended_and_resumed() {
    on_both(|store| async {
        let running = Running::of(store, STEP, 3).await;
        let (orloj, job) = (&running.orloj, running.job().await.key);
        for _ in 0..2 {
            orloj.suspend(running.instance).await.expect("suspended");
            orloj.resume(running.instance).await.expect("resumed");
            orloj.jobs().suspend(job).await.expect("suspended");
            orloj.jobs().activate(job).await.expect("resumed");
        }
        running.pause().await;
        assert_eq!(running.begun(), 1);
        running.gate.add_permits(1);
        running.end(1).await;
    });
}

/// The lock stays with whoever runs the job, whatever is ordered meanwhile.
#[test]
fn what_runs_is_not_begun_again_when_it_is_delayed_or_buried() {
    on_both(|store| async {
        let running = Running::of(store, STEP, 3).await;
        let job = running.job().await.key;
        let of_jobs = running.orloj.jobs();
        let runs = async |state| {
            let found = running.job().await;
            assert_eq!(found.state, state);
            assert!(found.locked_by.is_some(), "it still runs");
        };
        of_jobs.set_due_date(job, Some(NOW.plus_ms(60_000)), false).await.expect("delayed");
        runs(JobState::Waiting).await;
        of_jobs.set_due_date(job, Some(NOW), false).await.expect("due");
        of_jobs.set_retries(job, 0, None).await.expect("none left");
        runs(JobState::Failed).await;
        of_jobs.set_retries(job, 3, None).await.expect("some left");
        of_jobs.move_to_dead_letter(job).await.expect("buried");
        runs(JobState::Failed).await;
        of_jobs.move_to_executable(job, 3).await.expect("back again");
        running.pause().await;
        assert_eq!(running.begun(), 1);
        running.gate.add_permits(1);
        running.end(1).await;
    });
}

#[test]
fn what_is_buried_while_it_runs_is_unlocked_when_its_run_is_over() {
    on_both(|store| async {
        let running = Running::of(store, STEP, 3).await;
        let job = running.job().await.key;
        running.orloj.jobs().move_to_dead_letter(job).await.expect("buried");
        running.gate.add_permits(1);
        running.unlocked().await;
        assert_eq!(running.job().await.state, JobState::Failed);
        running.orloj.jobs().move_to_executable(job, 1).await.expect("back again");
        running.gate.add_permits(1);
        running.end(2).await;
    });
}

#[test]
fn what_is_suspended_while_it_runs_comes_to_nothing_and_runs_again() {
    on_both(|store| async {
        let running = Running::of(store, STEP, 3).await;
        running.orloj.suspend(running.instance).await.expect("suspended");
        running.gate.add_permits(1);
        running.unlocked().await;
        assert_eq!(state(&running.orloj, running.instance).await, InstanceState::Active);
        running.orloj.resume(running.instance).await.expect("resumed");
        running.gate.add_permits(1);
        running.end(2).await;
    });
}

#[test]
fn an_exclusive_job_waits_for_one_that_was_suspended_while_it_ran() {
    on_both(|store| async {
        let running = Running::of(store, TWO, 3).await;
        let job = running.job().await.key;
        running.orloj.jobs().suspend(job).await.expect("suspended");
        running.pause().await;
        assert_eq!(running.begun(), 1, "the other waits");
        running.gate.add_permits(1);
        begin(&running.begun, 2).await;
        running.orloj.jobs().activate(job).await.expect("resumed");
        running.gate.add_permits(2);
        running.end(3).await;
    });
}

/// Nobody else tells that the job beside it can be acquired: the run that began first is still on
/// its way, and no time passes.
#[test]
fn an_exclusive_job_begins_when_the_one_stopped_beside_it_is_done_by_hand() {
    on_both(|store| async {
        let (gate, begun) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
        let (entry, counted) = (gate.clone(), begun.clone());
        let work = move |_: Call| {
            let (entry, counted) = (entry.clone(), counted.clone());
            async move {
                if counted.fetch_add(1, Ordering::SeqCst) == 0 {
                    entry.acquire().await.expect("open").forget();
                }
                Ok(Document::new())
            }
        };
        let builder = Orloj::builder().store(store).executor(true).pinned_clock(NOW).calls_max(3);
        let orloj = builder.delegate("Work", work).build().await.expect("an engine");
        deploy(&orloj, TWO).await;
        let instance = start(&orloj).await;
        begins(&begun).await;
        let running = Running { orloj, instance, gate, begun };
        let job = running.job().await.key;
        running.orloj.jobs().suspend(job).await.expect("suspended");
        running.pause().await;
        assert_eq!(running.begun(), 1, "the other waits");
        running.orloj.jobs().execute(job).await.expect("done by hand");
        begin(&running.begun, 3).await;
        running.gate.add_permits(1);
        running.end(3).await;
    });
}

struct Broken;

impl RetryPolicy for Broken {
    fn after(&self, _: &FailedTry<'_>) -> Retry {
        panic!("a policy with a defect")
    }
}

/// What the engine could not work off stays locked, out of the way of others. No run will ever
/// give that lock back.
#[test]
fn a_job_that_was_set_aside_is_unlocked_when_it_is_stopped() {
    on_both(|store| async {
        let works = Arc::new(AtomicBool::new(false));
        let asked = works.clone();
        let work = move |_: Call| {
            let asked = asked.clone();
            async move {
                match asked.load(Ordering::SeqCst) {
                    true => Ok(Document::new()),
                    false => Err(Fault::failed("no stock")),
                }
            }
        };
        let builder = Orloj::builder().store(store).executor(true).pinned_clock(NOW);
        let builder = builder.default_retry_policy(Broken);
        let orloj = builder.delegate("Work", work).build().await.expect("an engine");
        deploy(&orloj, STEP).await;
        let instance = start(&orloj).await;
        while orloj.executor().report().await.expect("report").set_aside.is_empty() {
            tokio::task::yield_now().await;
        }
        let filter = JobFilter { instance: Some(instance), ..JobFilter::default() };
        let one = async || jobs(&orloj, filter.clone()).await.remove(0);
        let job = one().await;
        assert!(job.locked_by.is_some(), "nobody else comes across it");
        orloj.jobs().suspend(job.key).await.expect("suspended");
        let stopped = one().await;
        assert_eq!((stopped.state, stopped.locked_by), (JobState::Suspended, None));
        assert_eq!(orloj.executor().report().await.expect("report").set_aside, []);
        works.store(true, Ordering::SeqCst);
        orloj.jobs().activate(job.key).await.expect("resumed");
        completed(&orloj, instance).await;
        orloj.shutdown().await;
    });
}
