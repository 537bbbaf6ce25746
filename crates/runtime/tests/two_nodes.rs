//! Two nodes on one PostgreSQL: what one creates the other works.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "someone waits while someone else works")]

use std::time::Duration;

use orloj::types::Document;
use orloj::{ActivateJobs, Call, Deploy, FailJob, LongPoll, Orloj, StartInstance, StoreChoice};
use orloj_testkit::story::Database;

const MODEL: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t" xmlns:camunda="http://camunda.org/schema/1.0/bpmn">
  <process id="pair" isExecutable="true">
    <startEvent id="start"/>
    <sequenceFlow id="f1" sourceRef="start" targetRef="near"/>
    <serviceTask id="near" camunda:class="Near" camunda:asyncBefore="true"/>
    <sequenceFlow id="f2" sourceRef="near" targetRef="far"/>
    <serviceTask id="far" camunda:type="external" camunda:topic="far"/>
    <sequenceFlow id="f3" sourceRef="far" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>"#;

async fn node(database: &Database, name: &str, executor: bool) -> Orloj {
    Orloj::builder()
        .store(StoreChoice::Postgres(database.url()))
        .node_name(name)
        .executor(executor)
        .delegate("Near", |_: Call| async { Ok(Document::new().with("near", true)) })
        .build()
        .await
        .unwrap()
}

#[test]
fn jobs_created_on_one_are_worked_on_the_other_and_the_result_comes_back() {
    let database = Database::create();
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    tokio.unwrap().block_on(pair(&database));
}

#[test]
fn a_job_comes_with_what_is_true_now_wherever_it_was_set() {
    let database = Database::create();
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    tokio.unwrap().block_on(changed_elsewhere(&database));
}

async fn changed_elsewhere(database: &Database) {
    let one = node(database, "one", true).await;
    let two = node(database, "two", true).await;
    one.deploy(Deploy::file("pair.bpmn", MODEL.as_bytes())).await.unwrap();
    let start = StartInstance::latest("pair").with(Document::new().with("x", 1));
    let started = one.start(start).await.unwrap();
    let first = two.activate_jobs(far()).await.unwrap();
    assert_eq!(first[0].variables, r#"{"near":true,"x":1}"#);
    let failed = FailJob {
        job: first[0].key,
        retries: 2,
        message: "not yet".into(),
        details: None,
        back_off_ms: 0,
        variables: Document::new(),
    };
    two.fail_job(failed).await.unwrap();
    let scope = started.instance.root_scope();
    one.set_variables(scope, Document::new().with("x", 2), false).await.unwrap();
    one.update_retries(first[0].key, 7).await.unwrap();
    let again = two.activate_jobs(far()).await.unwrap();
    assert_eq!(again[0].key, first[0].key);
    assert_eq!(again[0].variables, r#"{"near":true,"x":2}"#);
    assert_eq!(again[0].retries, 7);
    one.shutdown().await;
    two.shutdown().await;
}

fn far() -> ActivateJobs {
    ActivateJobs {
        job_type: "far".into(),
        worker: "w".into(),
        timeout_ms: 60_000,
        jobs_max: 1,
        fetch_variables: Vec::new(),
        long_poll: LongPoll::UpToMs(30_000),
        bytes_max: 1 << 20,
    }
}

async fn pair(database: &Database) {
    let starts = node(database, "starts", false).await;
    let works = node(database, "works", true).await;
    starts.deploy(Deploy::file("pair.bpmn", MODEL.as_bytes())).await.unwrap();
    let awaited = {
        let starts = starts.clone();
        tokio::spawn(async move {
            starts.start_and_wait(StartInstance::latest("pair"), Duration::from_secs(30)).await
        })
    };
    let jobs = works.activate_jobs(far()).await.unwrap();
    assert_eq!(jobs.len(), 1);
    assert_eq!(jobs[0].variables, r#"{"near":true}"#);
    works.complete_job(jobs[0].key, Document::new().with("far", 1)).await.unwrap();
    let finished = awaited.await.unwrap().unwrap();
    assert_eq!(finished.variables.to_json(), r#"{"far":1,"near":true}"#);
    starts.shutdown().await;
    works.shutdown().await;
}
