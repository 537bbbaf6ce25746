//! The workload of the step figures: a chain of asynchronous service tasks with no-op delegates.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use orloj::types::Document;
use orloj::{Call, Deploy, Orloj, Resource, StartInstance, StoreChoice};
use tokio::sync::Semaphore;

/// Tasks of the chain, and so jobs of one instance.
pub const TASKS: u32 = 10;

const PROCESS: &str = "chain";
const STARTERS: usize = 64;

/// A process of `tasks` tasks, each behind a save point; the last has a delegate of its own.
pub fn model(tasks: u32) -> String {
    let mut xml = String::from(
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="bench" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"><process id="chain" isExecutable="true"><startEvent id="start"/>"#,
    );
    let mut before = "start".to_owned();
    for n in 1..=tasks {
        let delegate = if n == tasks { "Last" } else { "Step" };
        let _ = write!(
            xml,
            r#"<sequenceFlow id="f{n}" sourceRef="{before}" targetRef="task_{n}"/><serviceTask id="task_{n}" camunda:class="{delegate}" camunda:asyncBefore="true"/>"#,
        );
        before = format!("task_{n}");
    }
    let _ = write!(
        xml,
        r#"<sequenceFlow id="last" sourceRef="{before}" targetRef="end"/><endEvent id="end"/></process></definitions>"#,
    );
    xml
}

/// An engine that works the chain, a fixed number of instances at a time.
pub struct Chain {
    pub orloj: Orloj,
    places: Arc<Semaphore>,
    is_over: Arc<AtomicBool>,
}

impl Chain {
    pub async fn open(store: StoreChoice) -> anyhow::Result<Self> {
        let places = Arc::new(Semaphore::new(0));
        let back = places.clone();
        let orloj = Orloj::builder()
            .store(store)
            .executor(true)
            .delegate("Step", |_: Call| async { Ok(Document::new()) })
            .delegate("Last", move |_: Call| {
                back.add_permits(1);
                async { Ok(Document::new()) }
            })
            .build()
            .await?;
        let resource =
            Resource { name: "chain.bpmn".into(), content: model(TASKS).into_bytes().into() };
        orloj.deploy(Deploy { resources: vec![resource], ..Deploy::default() }).await?;
        Ok(Self { orloj, places, is_over: Arc::default() })
    }

    /// Keeps `instances` in flight: one whose last task ran is replaced.
    pub fn keep_in_flight(&self, instances: usize) {
        self.places.add_permits(instances);
        for _ in 0..STARTERS {
            let (orloj, places, is_over) =
                (self.orloj.clone(), self.places.clone(), self.is_over.clone());
            tokio::spawn(async move {
                while !is_over.load(Ordering::Relaxed) {
                    let Ok(place) = places.acquire().await else { return };
                    place.forget();
                    let start = StartInstance::latest(PROCESS)
                        .with(Document::new().with("order", 4711).with("customer", "anna"));
                    if let Err(error) = orloj.start(start).await {
                        if !is_over.load(Ordering::Relaxed) {
                            eprintln!("start: {error}");
                        }
                        return;
                    }
                }
            });
        }
    }

    pub async fn steps_per_s(&self, counted: Duration) -> f64 {
        let steps = || self.orloj.metrics().engine_jobs_run.get();
        let (before, since) = (steps(), std::time::Instant::now());
        tokio::time::sleep(counted).await;
        (steps() - before) as f64 / since.elapsed().as_secs_f64()
    }

    pub async fn close(self) -> anyhow::Result<()> {
        self.is_over.store(true, Ordering::Relaxed);
        self.places.close();
        tokio::time::timeout(Duration::from_secs(30), self.orloj.shutdown())
            .await
            .context("the engine did not stop in time")
    }
}
