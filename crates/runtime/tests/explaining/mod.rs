//! Models whose jobs do not run for every reason there is, and questions about them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use orloj::store::{LimitScope, NewLimit, Rate};
use orloj::types::{Document, InstanceKey, JobKey, Timestamp};
use orloj::{
    ActivateJobs, Builder, Call, Deploy, Dialect, ExecutorOptions, Fault, JobFilter, LongPoll,
    Orloj, Page, Reason, StartInstance, StoreChoice,
};
use orloj_testkit::story::Database;
use tokio::sync::Semaphore;

pub const ALL: Page = Page { before: None, limit: 1_000 };
pub const BEGIN: Timestamp = Timestamp::from_ms(1_794_787_200_000);

/// `step`: a save point before foreign code. `pair`: two of them at once. `outer` calls `inner`
/// beside a save point of its own. `twins`: as `pair`, before foreign code. `later`: a timer, then a
/// worker.
pub const MODELS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
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

pub fn run<F: Future<Output = ()>>(story: F) {
    let tokio =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    tokio.block_on(story);
}

/// The same on SQLite and on PostgreSQL. The executor is off.
pub fn on_both<F: Future<Output = ()>>(story: impl Fn(Builder) -> F) {
    let builder = || Orloj::builder().pinned_clock(BEGIN);
    run(story(builder()));
    let database = Database::create();
    run(story(builder().store(StoreChoice::Postgres(database.url()))));
}

pub fn active() -> ExecutorOptions {
    ExecutorOptions::default()
}

pub async fn deployed(builder: Builder) -> Orloj {
    let orloj = builder.build().await.unwrap();
    let file = Deploy::file("models.bpmn", MODELS.as_bytes());
    orloj.deploy(Deploy { plain_dialect: Some(Dialect::Camunda7), ..file }).await.unwrap();
    orloj
}

pub async fn succeeds(_: Call) -> Result<Document, Fault> {
    Ok(Document::new())
}

pub async fn fails(_: Call) -> Result<Document, Fault> {
    Err(Fault::failed("no stock"))
}

/// Code that waits until it is let.
pub fn held(gate: &Arc<Semaphore>) -> impl Fn(Call) -> BoxFuture + Send + Sync + 'static {
    let gate = gate.clone();
    move |_| {
        let gate = gate.clone();
        Box::pin(async move {
            gate.acquire().await.expect("open").forget();
            Ok(Document::new())
        })
    }
}

pub type BoxFuture = std::pin::Pin<Box<dyn Future<Output = Result<Document, Fault>> + Send>>;

pub async fn start(orloj: &Orloj, process: &str) -> InstanceKey {
    orloj.start(StartInstance::latest(process)).await.unwrap().instance
}

pub async fn job(orloj: &Orloj, instance: InstanceKey) -> JobKey {
    orloj.instance(instance).await.unwrap().jobs[0].key
}

pub async fn step(orloj: &Orloj) -> JobKey {
    let instance = start(orloj, "step").await;
    job(orloj, instance).await
}

pub async fn reasons(orloj: &Orloj, job: JobKey) -> Vec<Reason> {
    orloj.jobs().explain(job).await.unwrap().reasons
}

pub async fn codes(orloj: &Orloj, job: JobKey) -> Vec<&'static str> {
    reasons(orloj, job).await.iter().map(|reason| reason.code).collect()
}

pub async fn locked(orloj: &Orloj) -> Vec<JobKey> {
    let filter = JobFilter { is_locked: Some(true), ..JobFilter::default() };
    orloj.jobs().list(filter, ALL).await.unwrap().iter().map(|job| job.key).collect()
}

pub fn limit(max_concurrent: Option<u32>, rate: Option<Rate>) -> NewLimit {
    NewLimit { scope: LimitScope::Topic, name: "test.Work".into(), max_concurrent, rate }
}

pub fn ships() -> ActivateJobs {
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

pub async fn node(database: &Database, name: &str, options: ExecutorOptions) -> Orloj {
    let gate = Arc::new(Semaphore::new(0));
    let builder = Orloj::builder().pinned_clock(BEGIN).node_name(name).executor_options(options);
    let builder = builder.store(StoreChoice::Postgres(database.url()));
    builder.delegate("test.Work", held(&gate)).build().await.unwrap()
}
