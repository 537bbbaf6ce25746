//! Two nodes on one PostgreSQL: what one creates the other works.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "someone waits while someone else works")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use orloj::types::{Document, Timestamp};
use orloj::{
    ActivateJobs, Call, Deploy, FailJob, JobFilter, LongPoll, Orloj, Page, StartInstance,
    StoreChoice,
};
use orloj_testkit::sketch::Sketch;
use orloj_testkit::story::Database;
use tokio::sync::Semaphore;

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

/// An order given at one node, about what the other runs: neither begins the exclusive job beside it
/// before that run is over, nor the job itself.
#[test]
fn what_one_node_runs_keeps_exclusive_neighbours_waiting_on_both() {
    let database = Database::create();
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    tokio.unwrap().block_on(neighbours(&database));
}

async fn neighbours(database: &Database) {
    const FORK: &str = "process fork, camunda: start -> f+ -> a{delegate Near, async} -> end
        f -> b{delegate Near, async} -> end";
    let (gate, begun) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
    let node = async |name: &str| {
        let (gate, begun) = (gate.clone(), begun.clone());
        let work = move |_: Call| {
            let (gate, begun) = (gate.clone(), begun.clone());
            async move {
                begun.fetch_add(1, Ordering::SeqCst);
                gate.acquire().await.unwrap().forget();
                Ok(Document::new())
            }
        };
        let builder = Orloj::builder().store(StoreChoice::Postgres(database.url()));
        builder.node_name(name).executor(true).delegate("Near", work).build().await.unwrap()
    };
    let (one, two) = (node("one").await, node("two").await);
    let xml = Sketch::parse(FORK).unwrap().to_xml();
    one.deploy(Deploy::file("fork.bpmn", xml.as_bytes())).await.unwrap();
    for order in 0..3 {
        let before = begun.load(Ordering::SeqCst);
        let instance = one.start(StartInstance::latest("fork")).await.unwrap().instance;
        let filter = JobFilter { instance: Some(instance), ..JobFilter::default() };
        let page = Page { before: None, limit: 10 };
        let jobs = async || one.jobs().list(filter.clone(), page).await.unwrap();
        let has_begun = async |runs: usize| {
            while begun.load(Ordering::SeqCst) < before + runs {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        has_begun(1).await;
        let running = jobs().await.into_iter().find(|job| job.locked_by.is_some()).unwrap().key;
        match order {
            0 => two.jobs().suspend(running).await.unwrap(),
            1 => {
                let later = Timestamp::from_ms(4_000_000_000_000);
                two.jobs().set_due_date(running, Some(later), false).await.unwrap();
            }
            _ => two.jobs().move_to_dead_letter(running).await.unwrap(),
        }
        // Longer than either node waits between two looks.
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        assert_eq!(begun.load(Ordering::SeqCst), before + 1, "order {order}: the other waits");
        gate.add_permits(1);
        has_begun(2).await;
        match order {
            0 => two.jobs().activate(running).await.unwrap(),
            1 => two.jobs().set_due_date(running, None, false).await.unwrap(),
            _ => two.jobs().move_to_executable(running, 1).await.unwrap(),
        }
        gate.add_permits(2);
        while !jobs().await.is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(begun.load(Ordering::SeqCst), before + 3, "what came to nothing ran again");
    }
    one.shutdown().await;
    two.shutdown().await;
}
