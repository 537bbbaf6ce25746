//! Engines whose steps wait until they are let on.
#![expect(clippy::disallowed_methods, reason = "someone waits while someone else works")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use orloj::types::{Document, InstanceKey, Timestamp};
use orloj::{
    Builder, Call, Deploy, Dialect, InstanceState, JobFilter, JobView, Orloj, Page, StartInstance,
    StoreChoice,
};
use orloj_testkit::sketch::Sketch;
use orloj_testkit::story::Database;
use tokio::sync::Semaphore;

pub const NOW: Timestamp = Timestamp::from_ms(1_900_000_000_000);
pub const ALL: Page = Page { before: None, limit: 1_000 };
pub const STEP: &str = "process p, camunda: start -> work{delegate Work, async} -> end";
/// Whatever happens at all has happened by then, on a busy machine too.
const PATIENCE: Duration = Duration::from_secs(30);

pub async fn deploy(orloj: &Orloj, sketch: &str) {
    let sketch = Sketch::parse(sketch).expect("a sketch");
    let file = Deploy::file("p.bpmn", sketch.to_xml().as_bytes());
    let deployed = Deploy { plain_dialect: Some(Dialect::Camunda7), ..file };
    orloj.deploy(deployed).await.expect("deployed");
}

pub async fn start(orloj: &Orloj) -> InstanceKey {
    orloj.start(StartInstance::latest("p")).await.expect("started").instance
}

pub async fn state(orloj: &Orloj, instance: InstanceKey) -> InstanceState {
    orloj.instance(instance).await.expect("there").view.state
}

pub async fn jobs(orloj: &Orloj, filter: JobFilter) -> Vec<JobView> {
    orloj.jobs().list(filter, ALL).await.expect("jobs")
}

/// In real time: someone else is at work.
pub async fn completed(orloj: &Orloj, instance: InstanceKey) {
    while state(orloj, instance).await != InstanceState::Completed {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// On SQLite and on PostgreSQL.
pub fn on_both<F: Future<Output = ()>>(test: impl Fn(StoreChoice) -> F) {
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let tokio = tokio.expect("a runtime");
    tokio.block_on(test(StoreChoice::Memory));
    let database = Database::create();
    tokio.block_on(test(StoreChoice::Postgres(database.url())));
}

/// Its step waits until it is let on, and counts how often it began.
pub fn gated(builder: Builder) -> (Builder, Arc<Semaphore>, Arc<AtomicUsize>) {
    let (gate, begun) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
    let (entry, counted) = (gate.clone(), begun.clone());
    let work = move |_: Call| {
        let (entry, counted) = (entry.clone(), counted.clone());
        async move {
            counted.fetch_add(1, Ordering::SeqCst);
            entry.acquire().await.expect("open").forget();
            Ok(Document::new().with("done", true))
        }
    };
    (builder.delegate("Work", work), gate, begun)
}

pub async fn begins(begun: &AtomicUsize) {
    begin(begun, 1).await;
}

/// Until it has begun so often.
pub async fn begin(begun: &AtomicUsize, times: usize) {
    let waits = async {
        while begun.load(Ordering::SeqCst) < times {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let in_time = tokio::time::timeout(PATIENCE, waits).await;
    in_time.unwrap_or_else(|_| panic!("it begins {times} times"));
}
