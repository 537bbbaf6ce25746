//! Instances with some hundreds of element instances, which lie in pages: on each store, with
//! engines that come and go in between.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "someone waits while someone else works")]

use std::time::Duration;

use orloj::types::{Document, InstanceKey, JobKey};
use orloj::{ActivateJobs, Deploy, JobFilter, LongPoll, Orloj, Page, StartInstance, StoreChoice};
use orloj_testkit::story::Database;

const ITEMS: usize = 600;
/// What a group with a large change may hold.
const COMMIT_BYTES_MAX: i64 = 256 << 10;

const WORKERS: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0">
  <process id="many" isExecutable="true">
    <startEvent id="start"/>
    <sequenceFlow id="f1" sourceRef="start" targetRef="work"/>
    <serviceTask id="work">
      <extensionElements><zeebe:taskDefinition type="work"/></extensionElements>
      <multiInstanceLoopCharacteristics>
        <extensionElements>
          <zeebe:loopCharacteristics inputCollection="=items" inputElement="item" outputCollection="doubled" outputElement="=item * 2"/>
        </extensionElements>
      </multiInstanceLoopCharacteristics>
    </serviceTask>
    <sequenceFlow id="f2" sourceRef="work" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>"#;

fn save_points(attributes: &str) -> String {
    format!(
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t" xmlns:camunda="http://camunda.org/schema/1.0/bpmn">
  <process id="many" isExecutable="true">
    <startEvent id="start"/>
    <sequenceFlow id="f1" sourceRef="start" targetRef="work"/>
    <task id="work">
      <multiInstanceLoopCharacteristics {attributes}>
        <loopCardinality>{ITEMS}</loopCardinality>
      </multiInstanceLoopCharacteristics>
    </task>
    <sequenceFlow id="f2" sourceRef="work" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>"#
    )
}

/// Runs a test on a file and on a PostgreSQL.
fn on_each_store(test: impl AsyncFn(StoreChoice)) {
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let tokio = tokio.unwrap();
    let folder = tempfile::tempdir().unwrap();
    tokio.block_on(test(StoreChoice::SqliteFile(folder.path().join("large.db"))));
    let database = Database::create();
    tokio.block_on(test(StoreChoice::Postgres(database.url())));
}

async fn engine(store: &StoreChoice, executor: bool) -> Orloj {
    let builder = Orloj::builder().store(store.clone()).node_name("one").executor(executor);
    builder.build().await.unwrap()
}

async fn close(orloj: Orloj) {
    let largest = orloj.metrics().group_bytes_max.get();
    assert!(largest <= COMMIT_BYTES_MAX, "a commit of {largest} bytes");
    orloj.shutdown().await;
}

async fn tokens(orloj: &Orloj, key: InstanceKey) -> usize {
    let detail = orloj.instance(key).await.unwrap();
    detail.elements.iter().filter(|element| &*element.element == "work").count()
}

/// Completes up to `limit` jobs, the youngest of each batch first.
async fn complete(orloj: &Orloj, limit: usize) {
    let mut left = limit;
    while left > 0 {
        let jobs = orloj
            .activate_jobs(ActivateJobs {
                job_type: "work".into(),
                worker: "anna".into(),
                timeout_ms: 600_000,
                jobs_max: u32::try_from(left.min(50)).unwrap(),
                fetch_variables: Vec::new(),
                bytes_max: usize::MAX,
                long_poll: LongPoll::No,
            })
            .await
            .unwrap();
        assert!(!jobs.is_empty(), "{left} jobs are left");
        left -= jobs.len();
        for job in jobs.iter().rev() {
            orloj.complete_job(job.key, Document::new()).await.unwrap();
        }
    }
}

#[test]
fn worker_jobs_of_many_items_survive_restarts() {
    on_each_store(async |store| {
        let orloj = engine(&store, true).await;
        orloj.deploy(Deploy::file("many.bpmn", WORKERS.as_bytes())).await.unwrap();
        let items: Vec<String> = (1..=ITEMS).map(|item| item.to_string()).collect();
        let variables = format!(r#"{{"items":[{}]}}"#, items.join(","));
        let start = StartInstance::latest("many").with(Document::parse(&variables).unwrap());
        let key = orloj.start(start).await.unwrap().instance;
        complete(&orloj, 250).await;
        close(orloj).await;
        let orloj = engine(&store, true).await;
        // One is the activity itself.
        assert_eq!(tokens(&orloj, key).await, ITEMS - 250 + 1);
        complete(&orloj, 340).await;
        close(orloj).await;
        let orloj = engine(&store, true).await;
        assert_eq!(tokens(&orloj, key).await, 11);
        complete(&orloj, 10).await;
        let ended = orloj.instance(key).await.unwrap();
        let doubled: Vec<String> = (1..=ITEMS).map(|item| (item * 2).to_string()).collect();
        let shown = ended.variables.to_json();
        assert!(shown.contains(&format!(r#""doubled":[{}]"#, doubled.join(","))), "{shown}");
        close(orloj).await;
    });
}

#[test]
fn save_points_of_many_items_are_run_by_whoever_comes() {
    for attributes in
        [r#"camunda:asyncBefore="true""#, r#"camunda:asyncBefore="true" camunda:exclusive="false""#]
    {
        on_each_store(async |store| {
            let orloj = engine(&store, false).await;
            let model = save_points(attributes);
            orloj.deploy(Deploy::file("many.bpmn", model.as_bytes())).await.unwrap();
            let key = orloj.start(StartInstance::latest("many")).await.unwrap().instance;
            let first = tokens(&orloj, key).await;
            assert!((100..ITEMS).contains(&first), "{first} are made at once");
            close(orloj).await;
            let orloj = engine(&store, true).await;
            for _ in 0..600 {
                if orloj.instance(key).await.unwrap().view.ended_at.is_some() {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            let run = orloj.metrics().engine_jobs_run.get();
            // Those that make the rest are jobs too.
            assert!(run > ITEMS as u64 && run < ITEMS as u64 + 20, "{run} jobs were run");
            close(orloj).await;
        });
    }
}

#[test]
fn an_instance_with_many_items_is_cancelled_whole() {
    on_each_store(async |store| {
        let orloj = engine(&store, true).await;
        orloj.deploy(Deploy::file("many.bpmn", WORKERS.as_bytes())).await.unwrap();
        let items: Vec<String> = (1..=ITEMS).map(|item| item.to_string()).collect();
        let variables = format!(r#"{{"items":[{}]}}"#, items.join(","));
        let start = StartInstance::latest("many").with(Document::parse(&variables).unwrap());
        let key = orloj.start(start).await.unwrap().instance;
        complete(&orloj, 20).await;
        orloj.cancel(key).await.unwrap();
        let ended = orloj.instance(key).await.unwrap();
        assert!(ended.view.ended_at.is_some() && ended.elements.is_empty());
        close(orloj).await;
    });
}

/// The record has the keys of its jobs: a page of them asks for those on it alone.
#[test]
fn the_jobs_of_a_large_instance_are_read_page_by_page() {
    on_each_store(async |store| {
        let orloj = engine(&store, false).await;
        let model = save_points(r#"camunda:asyncBefore="true""#);
        orloj.deploy(Deploy::file("many.bpmn", model.as_bytes())).await.unwrap();
        let instance = orloj.start(StartInstance::latest("many")).await.unwrap().instance;
        let other = orloj.start(StartInstance::latest("many")).await.unwrap().instance;
        let of = |instance| JobFilter { instance: Some(instance), ..JobFilter::default() };
        assert_ne!(instance, other);
        let all = orloj.jobs().count(of(instance)).await.unwrap() as usize;
        assert!(all > 100, "{all} are made at once");
        let mut page = Page { before: None, limit: 40 };
        let mut found: Vec<JobKey> = Vec::new();
        loop {
            let jobs = orloj.jobs().list(of(instance), page).await.unwrap();
            assert!(jobs.iter().all(|job| job.instance == instance));
            found.extend(jobs.iter().map(|job| job.key));
            if jobs.len() < page.limit as usize {
                break;
            }
            page.before = found.last().map(|key| key.raw());
        }
        assert_eq!(found.len(), all);
        assert!(found.is_sorted_by(|one, next| one > next), "the newest first, none twice");
        // What is asked for besides is looked for among all of them.
        let oldest = *found.last().unwrap();
        orloj.jobs().set_priority(oldest, 7).await.unwrap();
        let urgent = JobFilter { priorities: Some(7..=7), ..of(instance) };
        let jobs = orloj.jobs().list(urgent, Page { before: None, limit: 5 }).await.unwrap();
        assert_eq!(jobs.iter().map(|job| job.key).collect::<Vec<_>>(), [oldest]);
        let behind = JobFilter { offset: all as u32 - 5, ..of(instance) };
        let jobs = orloj.jobs().list(behind, Page { before: None, limit: 100 }).await.unwrap();
        assert_eq!(jobs.iter().map(|job| job.key).collect::<Vec<_>>(), found[all - 5..]);
        close(orloj).await;
    });
}
