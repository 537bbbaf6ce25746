//! What a node takes and how far, as it is configured and as people set it while jobs run.

#![expect(clippy::disallowed_methods, reason = "someone waits while someone else works")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use orloj::settings::Settings;
use orloj::store::{LimitScope, NewLimit, Rate};
use orloj::types::{Document, Timestamp};
use orloj::{
    Builder, Call, Deploy, ExecutorOptions, Fault, InstanceState, JobFilter, LongestRun, Orloj,
    StartInstance, StoreChoice,
};
use tokio::sync::Semaphore;

const STEP: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="test">
  <process id="step" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start"/>
    <sequenceFlow id="a" sourceRef="start" targetRef="work"/>
    <serviceTask id="work" camunda:asyncBefore="true" camunda:class="test.Work"/>
    <sequenceFlow id="b" sourceRef="work" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>"#;

fn pinned() -> Builder {
    Orloj::builder().pinned_clock(Timestamp::from_ms(1_900_000_000_000))
}

async fn deployed(builder: Builder) -> Orloj {
    let orloj = builder.build().await.expect("an engine");
    orloj.deploy(Deploy::file("step.bpmn", STEP.as_bytes())).await.expect("deployed");
    orloj
}

async fn start(orloj: &Orloj) -> orloj::types::InstanceKey {
    orloj.start(StartInstance::latest("step")).await.expect("started").instance
}

async fn state(orloj: &Orloj, instance: orloj::types::InstanceKey) -> InstanceState {
    orloj.instance(instance).await.expect("there").view.state
}

/// How many run at the same time, and the most there were.
#[derive(Clone, Default)]
struct Gauge {
    now: Arc<AtomicU32>,
    most: Arc<AtomicU32>,
}

impl Gauge {
    async fn run(self) -> Result<Document, Fault> {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(2)).await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        Ok(Document::new())
    }

    fn most(&self) -> u32 {
        self.most.swap(0, Ordering::SeqCst)
    }
}

fn limit(max_concurrent: Option<u32>, rate: Option<Rate>) -> NewLimit {
    NewLimit { scope: LimitScope::Topic, name: "test.Work".into(), max_concurrent, rate }
}

#[tokio::test]
async fn limits_change_while_jobs_run_and_are_never_exceeded() {
    let gauge = Gauge::default();
    let running = gauge.clone();
    let work = move |_: Call| running.clone().run();
    let orloj = deployed(Orloj::builder().executor(true).delegate("test.Work", work)).await;
    for _ in 0..30 {
        start(&orloj).await;
    }
    orloj.settle().await;
    for max in [2, 1, 4] {
        orloj.limits().set(limit(Some(max), None)).await.expect("set");
        gauge.most();
        let mut instances = Vec::new();
        for _ in 0..25 {
            instances.push(start(&orloj).await);
        }
        for instance in instances {
            while state(&orloj, instance).await != InstanceState::Completed {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        }
        let most = gauge.most();
        assert!((1..=max).contains(&most), "{most} ran at once, {max} may");
    }
    orloj.limits().delete(LimitScope::Topic, "test.Work").await.expect("deleted");
    orloj.shutdown().await;
}

#[tokio::test]
async fn a_limit_of_none_stops_all_and_a_rate_lets_them_begin_in_time() {
    let calls = Arc::new(AtomicU32::new(0));
    let counted = calls.clone();
    let work = move |_: Call| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Ok(Document::new()) }
    };
    let orloj = deployed(pinned().executor(true).delegate("test.Work", work)).await;
    orloj.limits().set(limit(Some(0), None)).await.expect("set");
    for _ in 0..5 {
        start(&orloj).await;
    }
    orloj.settle().await;
    assert_eq!(calls.load(Ordering::SeqCst), 0);
    let rate = Rate { jobs: 1, interval_ms: 1_000, burst: 2 };
    orloj.limits().set(limit(None, Some(rate))).await.expect("set");
    orloj.settle().await;
    assert_eq!(calls.load(Ordering::SeqCst), 2, "the burst");
    orloj.advance(Duration::from_secs(1)).expect("pinned");
    orloj.settle().await;
    assert_eq!(calls.load(Ordering::SeqCst), 3);
    orloj.advance(Duration::from_millis(500)).expect("pinned");
    orloj.settle().await;
    assert_eq!(calls.load(Ordering::SeqCst), 3);
    orloj.limits().delete(LimitScope::Topic, "test.Work").await.expect("deleted");
    orloj.settle().await;
    assert_eq!(calls.load(Ordering::SeqCst), 5);
    orloj.shutdown().await;
}

#[tokio::test]
async fn a_node_that_is_aware_of_deployments_takes_what_is_registered() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("orloj.db");
    let aware = || {
        let options = ExecutorOptions { deployment_aware: true, ..ExecutorOptions::default() };
        pinned()
            .store(StoreChoice::SqliteFile(file.clone()))
            .node_name("only")
            .executor_options(options)
            .delegate("test.Work", |_: Call| async { Ok(Document::new()) })
    };
    let orloj = deployed(aware()).await;
    let deployment = orloj.executor().registered().await.expect("listed");
    assert_eq!(deployment.len(), 1, "what is deployed here is registered here");
    let first = start(&orloj).await;
    orloj.settle().await;
    assert_eq!(state(&orloj, first).await, InstanceState::Completed);
    orloj.executor().unregister(&deployment).await.expect("unregistered");
    let second = start(&orloj).await;
    orloj.settle().await;
    assert_eq!(state(&orloj, second).await, InstanceState::Active);
    orloj.shutdown().await;

    let orloj = aware().build().await.expect("again");
    assert_eq!(orloj.executor().registered().await.expect("listed"), []);
    orloj.advance(Duration::from_secs(20)).expect("pinned");
    orloj.settle().await;
    assert_eq!(state(&orloj, second).await, InstanceState::Active);
    let report = orloj.executor().report().await.expect("a report");
    assert_eq!(report.untaken.len(), 1);
    let reason = "node 'only': the deployment is not registered with it";
    assert_eq!((report.untaken[0].jobs, &*report.untaken[0].reason), (1, reason));
    let missing = orloj.executor().register(&[orloj::types::DeploymentKey::new(7)]).await;
    assert_eq!(missing.err().map(|e| e.to_string()), Some("no deployment 7".into()));
    orloj.executor().register(&deployment).await.expect("registered");
    let report = orloj.executor().report().await.expect("a report");
    assert_eq!(report.untaken, [], "what was seen before is not so any more");
    orloj.settle().await;
    assert_eq!(state(&orloj, second).await, InstanceState::Completed);
    orloj.shutdown().await;
}

#[tokio::test]
async fn without_hints_jobs_are_found_by_looking() {
    let options = ExecutorOptions { hint: false, ..ExecutorOptions::default() };
    let builder = pinned().executor_options(options);
    let orloj =
        deployed(builder.delegate("test.Work", |_: Call| async { Ok(Document::new()) })).await;
    orloj.settle().await;
    let instance = start(&orloj).await;
    orloj.settle().await;
    assert_eq!(state(&orloj, instance).await, InstanceState::Active);
    orloj.advance(Duration::from_secs(60)).expect("pinned");
    while state(&orloj, instance).await != InstanceState::Completed {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    orloj.shutdown().await;
}

#[tokio::test]
async fn the_settings_reach_every_job() {
    let settings = || {
        let mut settings = Settings::default();
        settings.jobs.retries = 1;
        settings.jobs.due_never_null = true;
        settings
    };
    let failing = |_: Call| async { Err::<Document, _>(Fault::failed("away")) };
    let orloj = deployed(pinned().settings(settings()).delegate("test.Work", failing)).await;
    let instance = start(&orloj).await;
    let page = orloj::Page { before: None, limit: 10 };
    let filter = JobFilter { instance: Some(instance), ..JobFilter::default() };
    let jobs = orloj.jobs().list(filter, page).await.expect("read");
    assert_eq!(jobs[0].retries_left, 1);
    assert_eq!(jobs[0].due_at, Some(orloj.now()));
    orloj.shutdown().await;
    let mut wrong = settings();
    wrong.jobs.retry_cycle = Some("often".into());
    let refused = pinned().settings(wrong).build().await.err().expect("refused");
    assert!(refused.to_string().contains("jobs.retry_cycle"), "{refused}");
}

/// Says when it is dropped.
struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn the_code_of_a_job_that_hangs_is_ended_and_the_report_tells() {
    let gone = Arc::new(AtomicBool::new(false));
    let (calls, is_gone) = (Arc::new(AtomicU32::new(0)), gone.clone());
    let counted = calls.clone();
    let work = move |_: Call| {
        let nth = counted.fetch_add(1, Ordering::SeqCst);
        let guard = (nth == 0).then(|| Dropped(is_gone.clone()));
        async move {
            if guard.is_some() {
                std::future::pending::<()>().await;
            }
            Ok(Document::new())
        }
    };
    let longest_run = LongestRun { job_ms: Some(1_000), timer_ms: None, look_every_ms: 0 };
    let options = ExecutorOptions { longest_run, ..ExecutorOptions::default() };
    let orloj = deployed(pinned().delegate("test.Work", work).executor_options(options)).await;
    let instance = start(&orloj).await;
    while calls.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    let report = orloj.executor().report().await.expect("a report");
    let running: Vec<_> = report.running.iter().map(|running| running.instance).collect();
    assert_eq!(running, [instance]);
    orloj.advance(Duration::from_secs(1)).expect("pinned");
    orloj.settle().await;
    assert_eq!(state(&orloj, instance).await, InstanceState::Completed);
    while !gone.load(Ordering::SeqCst) {
        tokio::task::yield_now().await;
    }
    let report = orloj.executor().report().await.expect("a report");
    assert_eq!(report.given_up.len(), 1);
    assert_eq!(report.given_up[0].at, orloj.now());
    orloj.shutdown().await;
}

#[tokio::test]
async fn shutting_down_waits_no_longer_than_it_may() {
    let gate = Arc::new(Semaphore::new(0));
    let entry = gate.clone();
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let begun = Arc::new(std::sync::Mutex::new(Some(begun)));
    let work = move |_: Call| {
        let entry = entry.clone();
        if let Some(begun) = begun.lock().expect("sound").take() {
            begun.send(()).expect("somebody waits");
        }
        async move {
            entry.acquire().await.expect("open").forget();
            Ok(Document::new())
        }
    };
    let options = ExecutorOptions { shutdown_wait_ms: 50, ..ExecutorOptions::default() };
    let builder = Orloj::builder().executor_options(options).delegate("test.Work", work);
    let orloj = deployed(builder).await;
    start(&orloj).await;
    has_begun.await.expect("it runs");
    let stopped = tokio::time::timeout(Duration::from_secs(10), orloj.shutdown()).await;
    assert!(stopped.is_ok(), "it waits for ever");
}

#[tokio::test]
async fn a_query_asks_for_no_more_than_it_may() {
    let mut settings = Settings::default();
    settings.rows.query_max = Some(2);
    let orloj = deployed(Orloj::builder().settings(settings)).await;
    for _ in 0..3 {
        start(&orloj).await;
    }
    let page = |limit| orloj::Page { before: None, limit };
    let jobs = orloj.jobs();
    assert_eq!(jobs.list(JobFilter::default(), page(2)).await.expect("within").len(), 2);
    let refused = jobs.list(JobFilter::default(), page(3)).await.expect_err("more than it may");
    let refused = refused.to_string();
    assert!(refused.contains("rows.query_max is 2"), "{refused}");
    let filter = orloj::history::HistoryFilter::default();
    assert!(orloj.history().instances(&filter, page(3)).await.is_err());
    // What the engine reads for itself is not asked about.
    assert!(orloj.history().recent_job_log(&Default::default(), 5).await.is_ok());
    orloj.shutdown().await;
}

#[tokio::test]
async fn where_rows_are_written_one_by_one_every_change_is_a_commit() {
    for in_bulk in [true, false] {
        let mut settings = Settings::default();
        settings.rows.in_bulk = in_bulk;
        let orloj = deployed(Orloj::builder().settings(settings)).await;
        let starts = (0..200).map(|_| orloj.start(StartInstance::latest("step")));
        let started = futures_util::future::join_all(starts).await;
        assert!(started.iter().all(Result::is_ok));
        let (groups, changes) = (orloj.metrics().groups.get(), orloj.metrics().changes.get());
        assert!(changes >= 200, "{changes} changes");
        assert_eq!(groups == changes, !in_bulk, "{groups} groups of {changes} changes");
        orloj.shutdown().await;
    }
}

#[tokio::test]
async fn acquisition_rests_when_the_queue_is_full() {
    let gate = Arc::new(Semaphore::new(0));
    let entry = gate.clone();
    let work = move |_: Call| {
        let entry = entry.clone();
        async move {
            entry.acquire().await.expect("open").forget();
            Ok(Document::new())
        }
    };
    let mut settings = Settings::of(orloj::settings::Profile::Flowable);
    settings.executor.queue_jobs_max = 2;
    (settings.executor.workers_core, settings.executor.workers_max) = (1, 1);
    settings.executor.queue_full_wait_ms = 5_000;
    let builder = pinned().settings(settings).executor(true).delegate("test.Work", work);
    let orloj = deployed(builder).await;
    let mut instances = Vec::new();
    for _ in 0..4 {
        // One runs, two are queued, the last finds no place.
        instances.push(start(&orloj).await);
    }
    gate.add_permits(4);
    for instance in &instances[..3] {
        while state(&orloj, *instance).await != InstanceState::Completed {
            tokio::task::yield_now().await;
        }
    }
    orloj.advance(Duration::from_millis(4_999)).expect("pinned");
    // A beat of the node, which would make it look if it did not rest.
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(state(&orloj, instances[3]).await, InstanceState::Active);
    orloj.advance(Duration::from_millis(1)).expect("pinned");
    while state(&orloj, instances[3]).await != InstanceState::Completed {
        tokio::task::yield_now().await;
    }
    orloj.shutdown().await;
}

#[tokio::test]
async fn what_was_asked_for_and_cannot_be_had_is_said_before_anything_is_opened() {
    let mut settings = Settings::default();
    settings.jobs.retry_cycle = Some("soon".to_owned());
    let builder = Orloj::builder()
        .store(StoreChoice::SqliteFile("/nowhere/at/all.db".into()))
        .settings(settings);
    let refused = builder.check().expect_err("no cycle").to_string();
    assert!(refused.contains("jobs.retry_cycle"), "{refused}");
    assert_eq!(builder.build().await.err().map(|e| e.to_string()), Some(refused));
    let mut uuids = Settings::default();
    uuids.ids.generator = orloj::settings::IdGenerator::Uuid;
    deployed(Orloj::builder().settings(uuids)).await.shutdown().await;
}
