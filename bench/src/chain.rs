//! The workload of the step figures: a chain of asynchronous service tasks with no-op delegates.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use anyhow::Context;
use orloj::types::Document;
use orloj::{Call, Deploy, Orloj, Resource, StartInstance, StoreChoice};

/// Tasks of the chain, and so jobs of one instance.
pub const TASKS: u32 = 10;

pub const PROCESS: &str = "chain";

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

/// How long an instance may take under load.
const INSTANCE_MAX: Duration = Duration::from_secs(60);

/// An engine that works the chain, a fixed number of instances at a time.
pub struct Chain {
    pub orloj: Orloj,
    is_over: Arc<AtomicBool>,
}

impl Chain {
    pub async fn open(store: StoreChoice) -> anyhow::Result<Self> {
        Self::with_executor(store, true).await
    }

    /// With the executor off, until it is started.
    pub async fn open_idle(store: StoreChoice) -> anyhow::Result<Self> {
        Self::with_executor(store, false).await
    }

    async fn with_executor(store: StoreChoice, is_active: bool) -> anyhow::Result<Self> {
        /// A node of the same name would be taken for this one's predecessor.
        static OPENED: AtomicU32 = AtomicU32::new(0);
        let number = OPENED.fetch_add(1, Ordering::Relaxed);
        let orloj = Orloj::builder()
            .store(store)
            .node_name(&format!("bench-{}-{number}", std::process::id()))
            .executor(is_active)
            .delegate("Step", |_: Call| async { Ok(Document::new()) })
            .delegate("Last", |_: Call| async { Ok(Document::new()) })
            .build()
            .await?;
        let resource =
            Resource { name: "chain.bpmn".into(), content: model(TASKS).into_bytes().into() };
        orloj.deploy(Deploy { resources: vec![resource], ..Deploy::default() }).await?;
        Ok(Self { orloj, is_over: Arc::default() })
    }

    /// Keeps `instances` in flight: one that has ended is replaced.
    pub fn keep_in_flight(&self, instances: usize) {
        for _ in 0..instances {
            let (orloj, is_over) = (self.orloj.clone(), self.is_over.clone());
            tokio::spawn(async move {
                while !is_over.load(Ordering::Relaxed) {
                    let start = StartInstance::latest(PROCESS)
                        .with(Document::new().with("order", 4711).with("customer", "anna"));
                    if let Err(error) = orloj.start_and_wait(start, INSTANCE_MAX).await {
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
        tokio::time::timeout(Duration::from_secs(30), self.orloj.shutdown())
            .await
            .context("the engine did not stop in time")
    }
}
