//! Every reason for which a job does not run is named, and what is advised clears it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a connection is a task")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use orloj::settings::Settings;
use orloj::store::{LimitScope, NewLimit, Rate};
use orloj::types::{Document, InstanceKey, JobKey, TenantId, Timestamp};
use orloj::{
    ActivateJobs, BatchElements, BatchWork, BreakerOptions, BreakerRules, Builder, Call, Deploy,
    Dialect, ExecutorOptions, FailJob, Fault, InstanceState, JobDefinitionScope, JobFilter,
    JobKind, JobState, LongPoll, LongestRun, NewBatch, Orloj, Page, Reason, Remedy, StartInstance,
    StoreChoice, SuspendDefinition, SuspendJobs, WhichDefinitions,
};
use orloj_testkit::story::Database;
use tokio::sync::Semaphore;

const ALL: Page = Page { before: None, limit: 1_000 };
const BEGIN: Timestamp = Timestamp::from_ms(1_794_787_200_000);

/// `step`: a save point before foreign code. `pair`: two of them at once. `outer` calls `inner`
/// beside a save point of its own. `twins`: as `pair`, before foreign code. `later`: a timer, then a
/// worker.
const MODELS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="test">
  <process id="step" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start"/>
    <sequenceFlow id="a" sourceRef="start" targetRef="work"/>
    <serviceTask id="work" camunda:asyncBefore="true" camunda:exclusive="false"
        camunda:class="test.Work">
      <extensionElements>
        <camunda:failedJobRetryTimeCycle>R1/PT1M</camunda:failedJobRetryTimeCycle>
      </extensionElements>
    </serviceTask>
    <sequenceFlow id="b" sourceRef="work" targetRef="end"/>
    <endEvent id="end"/>
  </process>
  <process id="pair" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start2"/>
    <sequenceFlow id="p0" sourceRef="start2" targetRef="fork"/>
    <parallelGateway id="fork"/>
    <sequenceFlow id="p1" sourceRef="fork" targetRef="left"/>
    <sequenceFlow id="p2" sourceRef="fork" targetRef="right"/>
    <task id="left" camunda:asyncBefore="true"/>
    <task id="right" camunda:asyncBefore="true"/>
  </process>
  <process id="outer" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start3"/>
    <sequenceFlow id="o0" sourceRef="start3" targetRef="fork3"/>
    <parallelGateway id="fork3"/>
    <sequenceFlow id="o1" sourceRef="fork3" targetRef="own"/>
    <sequenceFlow id="o2" sourceRef="fork3" targetRef="call"/>
    <task id="own" camunda:asyncBefore="true"/>
    <callActivity id="call" calledElement="inner"/>
  </process>
  <process id="inner" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start4"/>
    <sequenceFlow id="i0" sourceRef="start4" targetRef="called"/>
    <task id="called" camunda:asyncBefore="true"/>
  </process>
  <process id="twins" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start6"/>
    <sequenceFlow id="t0" sourceRef="start6" targetRef="fork6"/>
    <parallelGateway id="fork6"/>
    <sequenceFlow id="t1" sourceRef="fork6" targetRef="one"/>
    <sequenceFlow id="t2" sourceRef="fork6" targetRef="other"/>
    <serviceTask id="one" camunda:asyncBefore="true" camunda:class="test.Work"/>
    <serviceTask id="other" camunda:asyncBefore="true" camunda:class="test.Work"/>
  </process>
  <process id="later" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start5"/>
    <sequenceFlow id="l0" sourceRef="start5" targetRef="wait"/>
    <intermediateCatchEvent id="wait">
      <timerEventDefinition><timeDuration>PT10M</timeDuration></timerEventDefinition>
    </intermediateCatchEvent>
    <sequenceFlow id="l1" sourceRef="wait" targetRef="ship"/>
    <serviceTask id="ship" camunda:type="external" camunda:topic="ship"/>
  </process>
</definitions>"#;

fn run<F: Future<Output = ()>>(story: F) {
    let tokio =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    tokio.block_on(story);
}

/// The same on SQLite and on PostgreSQL. The executor is off.
fn on_both<F: Future<Output = ()>>(story: impl Fn(Builder) -> F) {
    let builder = || Orloj::builder().pinned_clock(BEGIN);
    run(story(builder()));
    let database = Database::create();
    run(story(builder().store(StoreChoice::Postgres(database.url()))));
}

fn active() -> ExecutorOptions {
    ExecutorOptions::default()
}

async fn deployed(builder: Builder) -> Orloj {
    let orloj = builder.build().await.unwrap();
    let file = Deploy::file("models.bpmn", MODELS.as_bytes());
    orloj.deploy(Deploy { plain_dialect: Some(Dialect::Camunda7), ..file }).await.unwrap();
    orloj
}

async fn succeeds(_: Call) -> Result<Document, Fault> {
    Ok(Document::new())
}

async fn fails(_: Call) -> Result<Document, Fault> {
    Err(Fault::failed("no stock"))
}

/// Code that waits until it is let.
fn held(gate: &Arc<Semaphore>) -> impl Fn(Call) -> BoxFuture + Send + Sync + 'static {
    let gate = gate.clone();
    move |_| {
        let gate = gate.clone();
        Box::pin(async move {
            gate.acquire().await.expect("open").forget();
            Ok(Document::new())
        })
    }
}

type BoxFuture = std::pin::Pin<Box<dyn Future<Output = Result<Document, Fault>> + Send>>;

async fn start(orloj: &Orloj, process: &str) -> InstanceKey {
    orloj.start(StartInstance::latest(process)).await.unwrap().instance
}

async fn job(orloj: &Orloj, instance: InstanceKey) -> JobKey {
    orloj.instance(instance).await.unwrap().jobs[0].key
}

async fn step(orloj: &Orloj) -> JobKey {
    let instance = start(orloj, "step").await;
    job(orloj, instance).await
}

async fn reasons(orloj: &Orloj, job: JobKey) -> Vec<Reason> {
    orloj.jobs().explain(job).await.unwrap().reasons
}

async fn codes(orloj: &Orloj, job: JobKey) -> Vec<&'static str> {
    reasons(orloj, job).await.iter().map(|reason| reason.code).collect()
}

async fn locked(orloj: &Orloj) -> Vec<JobKey> {
    let filter = JobFilter { is_locked: Some(true), ..JobFilter::default() };
    orloj.jobs().list(filter, ALL).await.unwrap().iter().map(|job| job.key).collect()
}

fn limit(max_concurrent: Option<u32>, rate: Option<Rate>) -> NewLimit {
    NewLimit { scope: LimitScope::Topic, name: "test.Work".into(), max_concurrent, rate }
}

#[test]
fn a_dead_letter_is_also_told_what_it_would_meet_next() {
    on_both(|builder| async {
        let orloj = deployed(builder.delegate("test.Work", fails)).await;
        let instance = start(&orloj, "step").await;
        let key = job(&orloj, instance).await;
        orloj.jobs().execute(key).await.unwrap_err();
        // The wait after the last failure is still to come when it gets new tries.
        let expected = ["no-retries", "incident", "not-due", "no-executor"];
        assert_eq!(codes(&orloj, key).await, expected);
        orloj.advance(Duration::from_secs(60)).unwrap();
        assert_eq!(codes(&orloj, key).await, ["no-retries", "incident", "no-executor"]);

        orloj.limits().set(limit(Some(0), None)).await.unwrap();
        let found = reasons(&orloj, key).await;
        assert_eq!(found[2].code, "limit-reached");
        assert_eq!(found[2].text, "the limit of 'test.Work' lets none run");
        let remedy = found[2].remedy.as_ref().unwrap().to_string();
        assert_eq!(remedy, "orloj limit set --max 1 topic test.Work");

        let definition = orloj.instance(instance).await.unwrap().view.definition;
        let which = WhichDefinitions::Key(definition);
        let with = SuspendDefinition { include_instances: true, at: None };
        orloj.definitions().suspend(&which, with).await.unwrap();
        let expected = [
            "instance-suspended",
            "definition-suspended",
            "job-definition-suspended",
            "no-retries",
            "incident",
            "limit-reached",
            "no-executor",
        ];
        assert_eq!(codes(&orloj, key).await, expected);

        orloj.definitions().activate(&which, with).await.unwrap();
        orloj.limits().delete(LimitScope::Topic, "test.Work").await.unwrap();
        let definitions = JobDefinitionScope::Definition(definition);
        let how = SuspendJobs { include_jobs: true, at: None };
        orloj.job_definitions().suspend(&definitions, how).await.unwrap();
        let expected = ["job-definition-suspended", "no-retries", "incident", "no-executor"];
        assert_eq!(codes(&orloj, key).await, expected);
        // What is advised, in the order in which it is advised.
        orloj.job_definitions().activate(&definitions, how).await.unwrap();
        orloj.jobs().set_retries(key, 1, None).await.unwrap();
        assert_eq!(codes(&orloj, key).await, ["no-executor"]);
        orloj.shutdown().await;
    });
}

/// Suspending a definition alone keeps no job that is there from running.
#[test]
fn what_keeps_nothing_is_not_named() {
    on_both(|builder| async {
        let builder = builder.delegate("test.Work", succeeds);
        let orloj = deployed(builder).await;
        let instance = start(&orloj, "step").await;
        let key = job(&orloj, instance).await;
        let definition = orloj.instance(instance).await.unwrap().view.definition;
        let which = WhichDefinitions::Key(definition);
        orloj.definitions().suspend(&which, SuspendDefinition::default()).await.unwrap();
        let definitions = JobDefinitionScope::Definition(definition);
        orloj.job_definitions().suspend(&definitions, SuspendJobs::default()).await.unwrap();
        assert_eq!(codes(&orloj, key).await, ["no-executor"]);
        orloj.executor().start().await.unwrap();
        orloj.settle().await;
        let state = orloj.instance(instance).await.unwrap().view.state;
        assert_eq!(state, InstanceState::Completed);
        orloj.shutdown().await;
    });
}

#[test]
fn a_suspended_batch_is_named() {
    on_both(|builder| async {
        let orloj = deployed(builder.delegate("test.Work", succeeds)).await;
        let key = step(&orloj).await;
        let work = BatchWork::SetJobRetries { retries: 5, due_ms: None };
        let new = NewBatch::new(work, BatchElements::jobs(vec![key]));
        let batch = orloj.batches().create(NewBatch { suspended: true, ..new }).await.unwrap();
        let filter = JobFilter { kinds: vec![JobKind::BatchSeed], ..JobFilter::default() };
        let seed = orloj.jobs().list(filter, ALL).await.unwrap()[0].key;
        let found = reasons(&orloj, seed).await;
        assert_eq!(found[0].code, "batch-suspended");
        assert_eq!(found[0].remedy, Some(Remedy::ResumeBatch(batch.key)));
        orloj.batches().activate(batch.key).await.unwrap();
        assert_eq!(codes(&orloj, seed).await, ["no-executor"]);
        orloj.shutdown().await;
    });
}

#[test]
fn who_waits_for_an_exclusive_job_is_told_which() {
    on_both(|builder| async {
        let orloj = deployed(builder).await;
        let instance = start(&orloj, "pair").await;
        let jobs = orloj.instance(instance).await.unwrap().jobs;
        let (holder, parked) = holder_and_parked(&jobs);
        let found = reasons(&orloj, parked).await;
        assert_eq!(found[0].code, "exclusive");
        let text = format!("it is exclusive and waits for job {holder} of the same instance");
        assert_eq!(found[0].text, text);
        assert_eq!(found[0].remedy, Some(Remedy::Explain(holder)));
        orloj.jobs().execute(holder).await.unwrap();
        assert_eq!(codes(&orloj, parked).await, ["no-executor"]);
        orloj.shutdown().await;
    });
}

#[test]
fn the_holder_is_named_over_a_hierarchy_as_well() {
    on_both(|builder| async {
        let mut settings = Settings::default();
        settings.executor.exclusive_over_hierarchies = true;
        let orloj = deployed(builder.settings(settings)).await;
        start(&orloj, "outer").await;
        let jobs = orloj.jobs().list(JobFilter::default(), ALL).await.unwrap();
        let (holder, parked) = holder_and_parked(&jobs);
        let owner = jobs.iter().find(|job| job.key == holder).unwrap().instance;
        let waits = jobs.iter().find(|job| job.key == parked).unwrap().instance;
        assert_ne!(owner, waits, "of two instances");
        let found = reasons(&orloj, parked).await;
        let text = format!("it is exclusive and waits for job {holder} of instance {owner}");
        assert_eq!((found[0].code, &found[0].text), ("exclusive", &text));
        assert_eq!(found[0].remedy, Some(Remedy::Explain(holder)));
        orloj.shutdown().await;
    });
}

/// A job that was stopped while it runs keeps the others of its instance out.
#[test]
fn who_waits_beside_a_job_that_still_runs_is_told_which() {
    on_both(|builder| async {
        let gate = Arc::new(Semaphore::new(0));
        let builder = builder.executor_options(active());
        let orloj = deployed(builder.delegate("test.Work", held(&gate))).await;
        let instance = start(&orloj, "twins").await;
        while locked(&orloj).await.is_empty() {
            tokio::task::yield_now().await;
        }
        let runs = locked(&orloj).await[0];
        orloj.jobs().suspend(runs).await.unwrap();
        let jobs = orloj.instance(instance).await.unwrap().jobs;
        let waits = jobs.iter().find(|job| job.key != runs).unwrap();
        assert_eq!(waits.state, JobState::Ready);
        let found = reasons(&orloj, waits.key).await;
        let text =
            format!("it is exclusive, and job {runs} beside it, which was stopped, still runs");
        assert_eq!((found[0].code, &found[0].text), ("exclusive", &text));
        assert_eq!(found[0].remedy, Some(Remedy::Explain(runs)));
        gate.add_permits(2);
        // The next one begins as soon as the run is over, though nobody touches it.
        while orloj.instance(instance).await.unwrap().jobs.len() > 1 {
            tokio::task::yield_now().await;
        }
        orloj.jobs().activate(runs).await.unwrap();
        gate.add_permits(1);
        orloj.settle().await;
        assert!(orloj.jobs().list(JobFilter::default(), ALL).await.unwrap().is_empty());
        orloj.shutdown().await;
    });
}

fn holder_and_parked(jobs: &[orloj::JobView]) -> (JobKey, JobKey) {
    let of = |state| jobs.iter().find(|job| job.state == state).expect("one of each").key;
    (of(JobState::Ready), of(JobState::Parked))
}

#[test]
fn a_job_that_runs_is_told_where_and_one_beyond_the_limit_who_is_first() {
    on_both(|builder| async {
        let gate = Arc::new(Semaphore::new(0));
        let builder = builder.node_name("anna").executor_options(active());
        let orloj = deployed(builder.delegate("test.Work", held(&gate))).await;
        orloj.limits().set(limit(Some(1), None)).await.unwrap();
        let both = [step(&orloj).await, step(&orloj).await];
        while locked(&orloj).await.is_empty() {
            tokio::task::yield_now().await;
        }
        let first = locked(&orloj).await[0];
        let second = both.into_iter().find(|key| *key != first).unwrap();
        while !reasons(&orloj, first).await[0].text.contains("runs it since") {
            tokio::task::yield_now().await;
        }
        assert_eq!(codes(&orloj, first).await, ["running"]);
        let found = reasons(&orloj, first).await;
        assert_eq!(found[0].text, format!("node 'anna' runs it since {BEGIN}"));
        let found = reasons(&orloj, second).await;
        assert_eq!(found.len(), 1, "{found:?}");
        let text = format!("the limit of 'test.Work' is 1 at once, and 1 run: {first}");
        assert_eq!((found[0].code, &found[0].text), ("limit-reached", &text));
        let remedy = found[0].remedy.as_ref().unwrap().to_string();
        assert_eq!(remedy, "orloj limit set --max 2 topic test.Work");
        gate.add_permits(2);
        orloj.settle().await;
        assert!(orloj.jobs().list(JobFilter::default(), ALL).await.unwrap().is_empty());
        orloj.shutdown().await;
    });
}

/// More than a page of holders: they are counted, and some are named.
#[test]
fn a_limit_above_a_page_is_told_too() {
    on_both(|builder| async {
        let gate = Arc::new(Semaphore::new(0));
        let options = ExecutorOptions { queue_jobs_max: 2_000, ..active() };
        let builder = builder.executor_options(options).calls_max(2_000);
        let orloj = deployed(builder.delegate("test.Work", held(&gate))).await;
        orloj.limits().set(limit(Some(1_001), None)).await.unwrap();
        let mut last = None;
        for _ in 0..1_002 {
            last = Some(start(&orloj, "step").await);
        }
        let filter = JobFilter { is_locked: Some(true), ..JobFilter::default() };
        while orloj.jobs().count(filter.clone()).await.unwrap() < 1_001 {
            tokio::task::yield_now().await;
        }
        let free = JobFilter { is_locked: Some(false), ..JobFilter::default() };
        let free = orloj.jobs().list(free, ALL).await.unwrap();
        assert_eq!(free.len(), 1, "started last: {last:?}");
        let found = reasons(&orloj, free[0].key).await;
        assert_eq!((found[0].code, found.len()), ("limit-reached", 1), "{found:?}");
        let text = "the limit of 'test.Work' is 1001 at once, and 1001 run: ";
        assert!(found[0].text.starts_with(text), "{found:?}");
        gate.add_permits(2_000);
        orloj.settle().await;
        orloj.shutdown().await;
    });
}

#[test]
fn a_job_beyond_a_full_pool_is_told_that_the_node_is_busy() {
    on_both(|builder| async {
        let gate = Arc::new(Semaphore::new(0));
        let options = ExecutorOptions { queue_jobs_max: 1, ..active() };
        let builder = builder.node_name("anna").calls_max(1).executor_options(options);
        let orloj = deployed(builder.delegate("test.Work", held(&gate))).await;
        for _ in 0..6 {
            start(&orloj, "step").await;
        }
        while orloj.executor().report().await.unwrap().running.is_empty() {
            tokio::task::yield_now().await;
        }
        let free = JobFilter { is_locked: Some(false), ..JobFilter::default() };
        let waits = orloj.jobs().list(free, ALL).await.unwrap()[0].key;
        let found = reasons(&orloj, waits).await;
        assert_eq!((found[0].code, found.len()), ("busy", 1), "{found:?}");
        let queued = orloj.executor().report().await.unwrap().queued;
        let text = format!("node 'anna' is busy: {queued} jobs are queued, 1 of at most 1 run");
        assert_eq!(found[0].text, text);
        assert_eq!(found[0].remedy, Some(Remedy::Execute(waits)));
        gate.add_permits(10);
        orloj.settle().await;
        assert!(orloj.jobs().list(JobFilter::default(), ALL).await.unwrap().is_empty());
        orloj.shutdown().await;
    });
}

#[test]
fn a_job_that_only_the_next_look_finds_is_told_when_that_is() {
    on_both(|builder| async {
        let options = ExecutorOptions { hint: false, ..active() };
        let builder = builder.node_name("anna").executor_options(options);
        let orloj = deployed(builder.delegate("test.Work", succeeds)).await;
        orloj.settle().await;
        let key = step(&orloj).await;
        let found = reasons(&orloj, key).await;
        assert_eq!((found[0].code, found.len()), ("acquisition-waits", 1), "{found:?}");
        let at = BEGIN.plus_ms(5_000);
        assert_eq!(found[0].text, format!("node 'anna' acquires jobs again at {at}"));
        orloj.advance(Duration::from_secs(5)).unwrap();
        orloj.settle().await;
        assert!(orloj.jobs().get(key).await.is_err(), "it is done");
        orloj.shutdown().await;
    });
}

struct Broken(Arc<AtomicU32>);

impl orloj::RetryPolicy for Broken {
    fn after(&self, _: &orloj::FailedTry<'_>) -> orloj::Retry {
        match self.0.load(Ordering::SeqCst) {
            0 => panic!("a policy with a defect"),
            _ => orloj::Retry::GiveUp,
        }
    }
}

/// A job that the interpreter panicked over stays locked. Nothing else runs it meanwhile.
#[test]
fn a_job_that_was_set_aside_says_why_and_can_be_run_by_hand() {
    on_both(|builder| async {
        let is_mended = Arc::new(AtomicU32::new(0));
        let builder = builder.executor_options(active()).delegate("test.Work", fails);
        let orloj = deployed(builder.default_retry_policy(Broken(is_mended.clone()))).await;
        let key = step(&orloj).await;
        while orloj.executor().report().await.unwrap().set_aside.is_empty() {
            tokio::task::yield_now().await;
        }
        let found = reasons(&orloj, key).await;
        assert_eq!((found[0].code, found.len()), ("set-aside", 1), "{found:?}");
        let text = format!(
            "this node has set it aside at {BEGIN}, until it starts anew: internal error: the \
             interpreter panicked"
        );
        assert_eq!(found[0].text, text);
        assert_eq!(found[0].remedy, Some(Remedy::Execute(key)));
        is_mended.store(1, Ordering::SeqCst);
        orloj.jobs().execute(key).await.unwrap_err();
        orloj.settle().await;
        let report = orloj.executor().report().await.unwrap();
        assert_eq!(report.set_aside, [], "it has failed since, as jobs do");
        orloj.shutdown().await;
    });
}

/// The store refuses what comes after the timer, and the parts of the batch.
#[test]
fn timers_and_chores_that_were_set_aside_say_so_too() {
    let database = Database::create();
    run(async {
        let orloj = node(&database, "anna", active()).await;
        let file = Deploy::file("models.bpmn", MODELS.as_bytes());
        orloj.deploy(Deploy { plain_dialect: Some(Dialect::Camunda7), ..file }).await.unwrap();
        let url = database.url();
        let url = url.split('?').next().unwrap().to_owned();
        let (client, connection) =
            tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        let part = JobKind::BatchPart as u8;
        let check = format!(
            "ALTER TABLE job ADD CONSTRAINT refused CHECK (element_id <> 'ship' AND kind <> {part})"
        );
        client.batch_execute(&check).await.unwrap();
        let instance = start(&orloj, "later").await;
        let timer = job(&orloj, instance).await;
        let work = BatchWork::SetJobRetries { retries: 5, due_ms: None };
        let new = NewBatch::new(work, BatchElements::jobs(vec![timer]));
        orloj.batches().create(new).await.unwrap();
        orloj.advance(Duration::from_secs(600)).unwrap();
        while orloj.executor().report().await.unwrap().set_aside.len() < 2 {
            tokio::task::yield_now().await;
        }
        let filter = JobFilter { kinds: vec![JobKind::BatchSeed], ..JobFilter::default() };
        let seed = orloj.jobs().list(filter, ALL).await.unwrap()[0].key;
        for key in [timer, seed] {
            let found = reasons(&orloj, key).await;
            assert_eq!((found[0].code, found.len()), ("set-aside", 1), "{found:?}");
            assert!(found[0].text.contains("the store refused the change"), "{found:?}");
            assert_eq!(found[0].remedy, Some(Remedy::Execute(key)));
        }
        client.batch_execute("ALTER TABLE job DROP CONSTRAINT refused").await.unwrap();
        orloj.jobs().execute(timer).await.unwrap();
        orloj.jobs().execute(seed).await.unwrap();
        assert_eq!(orloj.executor().report().await.unwrap().set_aside, []);
        drop(client);
        connection.await.unwrap().unwrap();
        orloj.shutdown().await;
    });
}

#[test]
fn a_rate_tells_when_it_goes_on_and_the_advice_keeps_the_rest_of_the_limit() {
    on_both(|builder| async {
        let builder = builder.executor_options(active());
        let orloj = deployed(builder.delegate("test.Work", succeeds)).await;
        let rate = Rate { jobs: 1, interval_ms: 60_000, burst: 1 };
        orloj.limits().set(limit(Some(3), Some(rate))).await.unwrap();
        start(&orloj, "step").await;
        orloj.settle().await;
        let second = step(&orloj).await;
        orloj.settle().await;
        let found = reasons(&orloj, second).await;
        assert_eq!(found[0].code, "rate-reached", "{found:?}");
        let at = BEGIN.plus_ms(60_000);
        assert_eq!(
            found[0].text,
            format!("the rate of 'test.Work' lets the next job begin at {at}")
        );
        let remedy = found[0].remedy.as_ref().unwrap().to_string();
        assert_eq!(remedy, "orloj limit set --max 3 topic test.Work");
        orloj.shutdown().await;
    });
}

#[test]
fn an_open_breaker_is_named_until_it_is_closed() {
    on_both(|builder| async {
        let breaker = BreakerOptions {
            failures_in_a_row: 1,
            window_ms: None,
            ratio: None,
            open_ms: 10_000,
            growth: 1.0,
            open_ms_max: 10_000,
        };
        let breakers = BreakerRules { topics: [("test.Work".into(), breaker)].into(), all: None };
        let builder = builder.executor_options(ExecutorOptions { breakers, ..active() });
        let orloj = deployed(builder.delegate("test.Work", fails)).await;
        start(&orloj, "step").await;
        orloj.settle().await;
        let second = step(&orloj).await;
        orloj.settle().await;
        let found = reasons(&orloj, second).await;
        assert_eq!(found[0].code, "breaker-open", "{found:?}");
        assert_eq!(found[0].remedy, Some(Remedy::CloseBreaker("test.Work".into())));
        orloj.executor().close_breaker("test.Work").await.unwrap();
        orloj.settle().await;
        let view = orloj.jobs().get(second).await.unwrap();
        assert_eq!(view.state, JobState::Failed, "it was let through");
        orloj.shutdown().await;
    });
}

#[test]
fn an_open_breaker_keeps_jobs_from_workers_too() {
    on_both(|builder| async {
        let breaker = BreakerOptions {
            failures_in_a_row: 1,
            window_ms: None,
            open_ms: 10_000,
            ..BreakerOptions::default()
        };
        let breakers = BreakerRules { topics: [("ship".into(), breaker)].into(), all: None };
        let builder = builder.executor_options(ExecutorOptions { breakers, ..active() });
        let orloj = deployed(builder).await;
        start(&orloj, "later").await;
        let second = start(&orloj, "later").await;
        orloj.advance(Duration::from_secs(600)).unwrap();
        orloj.settle().await;
        let second = job(&orloj, second).await;
        assert_eq!(codes(&orloj, second).await, ["no-worker"]);
        let taken = orloj.activate_jobs(ships()).await.unwrap().remove(0);
        assert_ne!(taken.key, second);
        let fail = FailJob {
            job: taken.key,
            retries: 0,
            message: "no truck".into(),
            details: None,
            back_off_ms: 0,
            variables: Document::new(),
        };
        orloj.fail_job(fail).await.unwrap();
        let found = reasons(&orloj, second).await;
        assert_eq!(codes(&orloj, second).await, ["breaker-open"], "no worker would get it");
        assert_eq!(found[0].remedy, Some(Remedy::CloseBreaker("ship".into())));
        orloj.executor().close_breaker("ship").await.unwrap();
        assert_eq!(codes(&orloj, second).await, ["no-worker"]);
        orloj.shutdown().await;
    });
}

#[test]
fn a_job_that_was_given_up_says_so() {
    on_both(|builder| async {
        let (gate, calls) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicU32::new(0)));
        let (entry, counted) = (gate.clone(), calls.clone());
        let work = move |_: Call| {
            counted.fetch_add(1, Ordering::SeqCst);
            let entry = entry.clone();
            async move {
                entry.acquire().await.expect("open").forget();
                Ok(Document::new())
            }
        };
        let longest_run = LongestRun { job_ms: Some(1_000), timer_ms: None, look_every_ms: 0 };
        let options = ExecutorOptions { longest_run, ..active() };
        let orloj = deployed(builder.delegate("test.Work", work).executor_options(options)).await;
        let key = step(&orloj).await;
        while calls.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        orloj.executor().stop().await.unwrap();
        orloj.advance(Duration::from_secs(1)).unwrap();
        while orloj.jobs().get(key).await.unwrap().locked_by.is_some() {
            tokio::task::yield_now().await;
        }
        let found = reasons(&orloj, key).await;
        let found = found.iter().find(|reason| reason.code == "hung").expect("it is told");
        let hung = format!(
            "it ran from {BEGIN} to {}, longer than a job may, and was given up",
            BEGIN.plus_ms(1_000)
        );
        assert_eq!(found.text, hung);
        gate.add_permits(10);
        orloj.shutdown().await;
    });
}

#[test]
fn a_deployment_that_nobody_registered_is_named_and_registering_it_helps() {
    on_both(|builder| async {
        let options = ExecutorOptions { deployment_aware: true, ..active() };
        let builder = builder.delegate("test.Work", succeeds).executor_options(options);
        let orloj = deployed(builder).await;
        let deployment = orloj.executor().registered().await.unwrap()[0];
        orloj.executor().unregister(&[deployment]).await.unwrap();
        let instance = start(&orloj, "step").await;
        let key = job(&orloj, instance).await;
        orloj.settle().await;
        let found = reasons(&orloj, key).await;
        let found: Vec<_> = found.into_iter().map(|reason| (reason.code, reason.remedy)).collect();
        let remedy = Some(Remedy::RegisterDeployment(deployment));
        assert_eq!(found, [("deployment-not-registered", remedy)]);
        orloj.executor().register(&[deployment]).await.unwrap();
        orloj.settle().await;
        let state = orloj.instance(instance).await.unwrap().view.state;
        assert_eq!(state, InstanceState::Completed);
        orloj.shutdown().await;
    });
}

#[test]
fn what_a_node_leaves_to_others_can_be_run_by_hand() {
    on_both(|builder| async {
        let options = ExecutorOptions {
            categories: Some(vec!["night".into()]),
            tenant: Some(TenantId::new("acme")),
            ..active()
        };
        let builder = builder.delegate("test.Work", succeeds).executor_options(options);
        let orloj = deployed(builder).await;
        let key = step(&orloj).await;
        let found = reasons(&orloj, key).await;
        let found: Vec<_> = found.into_iter().map(|reason| (reason.code, reason.remedy)).collect();
        let by_hand = || Some(Remedy::Execute(key));
        assert_eq!(found, [("category-not-enabled", by_hand()), ("other-tenant", by_hand())]);
        orloj.jobs().execute(key).await.unwrap();
        assert!(orloj.jobs().get(key).await.is_err(), "it is done");
        orloj.shutdown().await;
    });
}

#[test]
fn the_clean_up_that_is_left_to_others_is_named() {
    on_both(|builder| async {
        let options = ExecutorOptions { without_cleanup: true, ..active() };
        let orloj = deployed(builder.executor_options(options)).await;
        orloj.clean_up_history(true).await.unwrap();
        let filter = JobFilter { kinds: vec![JobKind::HistoryCleanup], ..JobFilter::default() };
        let key = orloj.jobs().list(filter, ALL).await.unwrap()[0].key;
        let found = reasons(&orloj, key).await;
        assert_eq!(found[0].code, "cleanup-elsewhere", "{found:?}");
        assert_eq!(found[0].remedy, Some(Remedy::Execute(key)));
        orloj.shutdown().await;
    });
}

#[test]
fn timers_or_jobs_that_a_node_does_not_look_for() {
    on_both(|builder| async {
        let options = ExecutorOptions { fires_timers: false, ..active() };
        let builder = builder.delegate("test.Work", succeeds).executor_options(options);
        let orloj = deployed(builder).await;
        let instance = start(&orloj, "later").await;
        let key = job(&orloj, instance).await;
        assert_eq!(codes(&orloj, key).await, ["not-due", "timers-off"]);
        orloj.advance(Duration::from_secs(601)).unwrap();
        let found = reasons(&orloj, key).await;
        assert_eq!((found[0].code, found.len()), ("timers-off", 1));
        assert_eq!(found[0].remedy, Some(Remedy::Execute(key)));
        orloj.jobs().execute(key).await.unwrap();
        // Then a worker has to come, and to let go.
        let ship = job(&orloj, instance).await;
        let found = reasons(&orloj, ship).await;
        assert_eq!((found[0].code, found.len()), ("no-worker", 1));
        assert_eq!(found[0].remedy, Some(Remedy::StartWorker("ship".into())));
        orloj.activate_jobs(ships()).await.unwrap();
        let found = reasons(&orloj, ship).await;
        assert_eq!((found[0].code, found.len()), ("locked", 1));
        assert_eq!(found[0].remedy, Some(Remedy::Unlock(ship)));
        orloj.jobs().unlock(ship).await.unwrap();
        assert_eq!(codes(&orloj, ship).await, ["no-worker"]);
        orloj.shutdown().await;
    });
    on_both(|builder| async {
        let options = ExecutorOptions { takes_jobs: false, ..active() };
        let builder = builder.delegate("test.Work", succeeds).executor_options(options);
        let orloj = deployed(builder).await;
        let key = step(&orloj).await;
        assert_eq!(codes(&orloj, key).await, ["acquisition-off"], "starting it would not help");
        orloj.shutdown().await;
    });
}

fn ships() -> ActivateJobs {
    ActivateJobs {
        job_type: "ship".into(),
        worker: "w".into(),
        timeout_ms: 60_000,
        jobs_max: 1,
        fetch_variables: Vec::new(),
        long_poll: LongPoll::No,
        bytes_max: 1 << 20,
    }
}

// ---- several nodes

async fn node(database: &Database, name: &str, options: ExecutorOptions) -> Orloj {
    let gate = Arc::new(Semaphore::new(0));
    let builder = Orloj::builder().pinned_clock(BEGIN).node_name(name).executor_options(options);
    let builder = builder.store(StoreChoice::Postgres(database.url()));
    builder.delegate("test.Work", held(&gate)).build().await.unwrap()
}

#[test]
fn each_node_says_why_it_leaves_a_job_and_one_that_takes_it_ends_the_list() {
    let database = Database::create();
    run(async {
        let low = node(&database, "low", ExecutorOptions { priorities: -9..=-1, ..active() }).await;
        let night = ExecutorOptions { categories: Some(vec!["night".into()]), ..active() };
        let night = node(&database, "night", night).await;
        let file = Deploy::file("models.bpmn", MODELS.as_bytes());
        low.deploy(Deploy { plain_dialect: Some(Dialect::Camunda7), ..file }).await.unwrap();
        let key = step(&low).await;
        let found = reasons(&low, key).await;
        let mut found: Vec<_> =
            found.iter().map(|reason| (reason.code, reason.text.clone())).collect();
        found.sort();
        let text = |node: &str, why: &str| format!("node '{node}' does not take it: {why}");
        let expected = [
            ("category-not-enabled", text("night", "the category is not one it takes")),
            ("priority-outside", text("low", "the priority is outside of its range")),
        ];
        assert_eq!(found, expected);
        let off = node(&database, "off", ExecutorOptions { is_active: false, ..active() }).await;
        assert_eq!(codes(&off, key).await.len(), 2, "one that is off changes nothing");
        off.executor().start().await.unwrap();
        while locked(&off).await.is_empty() {
            tokio::task::yield_now().await;
        }
        let found = reasons(&low, key).await;
        let text = "node 'off' holds it: queued, running or set aside there";
        assert_eq!((found[0].code, &*found[0].text), ("running", text));
        low.shutdown().await;
        night.shutdown().await;
    });
}

#[test]
fn timers_that_no_node_looks_for_are_told_by_each() {
    let database = Database::create();
    run(async {
        let without = || ExecutorOptions { fires_timers: false, ..active() };
        let one = node(&database, "one", without()).await;
        let other = node(&database, "other", without()).await;
        let file = Deploy::file("models.bpmn", MODELS.as_bytes());
        one.deploy(Deploy { plain_dialect: Some(Dialect::Camunda7), ..file }).await.unwrap();
        let instance = start(&one, "later").await;
        let timer = job(&one, instance).await;
        for node in [&one, &other] {
            let found = reasons(node, timer).await;
            let codes: Vec<_> = found.iter().map(|reason| reason.code).collect();
            assert_eq!(codes, ["not-due", "timers-off"]);
            assert_eq!(found[1].text, "no node looks for timers (executor.take_timers)");
        }
        let third = node(&database, "third", active()).await;
        assert_eq!(codes(&one, timer).await, ["not-due"], "there is one that does");
        third.shutdown().await;
        assert_eq!(codes(&one, timer).await, ["not-due", "timers-off"]);
        one.shutdown().await;
        other.shutdown().await;
    });
}

#[test]
fn a_job_of_a_node_that_is_gone_says_so() {
    let database = Database::create();
    run(async {
        let lost = node(&database, "lost", active()).await;
        let file = Deploy::file("models.bpmn", MODELS.as_bytes());
        lost.deploy(Deploy { plain_dialect: Some(Dialect::Camunda7), ..file }).await.unwrap();
        let key = step(&lost).await;
        while locked(&lost).await.is_empty() {
            tokio::task::yield_now().await;
        }
        let stays =
            node(&database, "stays", ExecutorOptions { is_active: false, ..active() }).await;
        // Its row only: whoever finds it dead clears the locks with it.
        let url = database.url();
        let url = url.split('?').next().unwrap().to_owned();
        let (client, connection) =
            tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        client.batch_execute("DELETE FROM node WHERE name = 'lost'").await.unwrap();
        let found = reasons(&stays, key).await;
        assert_eq!((found[0].code, found.len()), ("node-gone", 1), "{found:?}");
        assert!(found[0].text.ends_with("held it and is gone; its locks are being cleared"));
        drop(client);
        connection.await.unwrap().unwrap();
        stays.shutdown().await;
    });
}
