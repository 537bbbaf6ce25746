//! One instance with very many jobs at once: a multi-instance activity whose items each have one.
//!
//! Two sizes, ten times apart: the larger one must take no more than twelve times as long, and no
//! commit may be larger than a group.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use orloj::types::Document;
use orloj::{Deploy, Orloj, StartInstance, StoreChoice, StreamJobs};

use crate::place::{DURABILITY, Ground, Place};
use crate::report::Figure;

/// How much more work the larger measurement is.
const TIMES: u32 = 10;
/// An instance of a million items would need more.
const INSTANCE_MAX: Duration = Duration::from_secs(3_600);
/// Jobs of a worker on their way, and answers of it.
const CREDIT: u32 = 256;

#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Items of the larger measurement
    #[arg(long, default_value_t = 100_000)]
    items: u32,
    /// Only this store
    #[arg(long)]
    store: Option<Place>,
    /// Only this kind of job
    #[arg(long)]
    kind: Option<Kind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// Save points, one job after the other
    Exclusive,
    /// Save points, jobs of one instance at the same time
    Shared,
    /// As exclusive ones, where every item that ends is looked after
    Flowable,
    /// Jobs for workers
    Worker,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Exclusive, Self::Shared, Self::Flowable, Self::Worker];

    /// Of the time, of its growth and of the largest commit.
    fn parts(self) -> [&'static str; 3] {
        match self {
            Self::Exclusive => ["exclusive", "exclusive, growth", "exclusive, largest commit"],
            Self::Shared => ["shared", "shared, growth", "shared, largest commit"],
            Self::Flowable => ["flowable", "flowable, growth", "flowable, largest commit"],
            Self::Worker => ["worker", "worker, growth", "worker, largest commit"],
        }
    }

    fn model(self, items: u32) -> String {
        let number = format!("<loopCardinality>{items}</loopCardinality>");
        let (vendor, task) = match self {
            Self::Exclusive | Self::Shared => {
                let exclusive = self == Self::Exclusive;
                let save = format!(r#"camunda:asyncBefore="true" camunda:exclusive="{exclusive}""#);
                let task = format!(
                    r#"<task id="work"><multiInstanceLoopCharacteristics {save}>{number}</multiInstanceLoopCharacteristics></task>"#
                );
                (r#"camunda="http://camunda.org/schema/1.0/bpmn""#, task)
            }
            Self::Flowable => {
                let task = format!(
                    r#"<serviceTask id="work" flowable:expression="${{1}}" flowable:async="true"><multiInstanceLoopCharacteristics isSequential="false">{number}</multiInstanceLoopCharacteristics></serviceTask>"#
                );
                (r#"flowable="http://flowable.org/bpmn""#, task)
            }
            Self::Worker => {
                let task = r#"<serviceTask id="work"><extensionElements><zeebe:taskDefinition type="work"/></extensionElements><multiInstanceLoopCharacteristics><extensionElements><zeebe:loopCharacteristics inputCollection="=items" inputElement="item"/></extensionElements></multiInstanceLoopCharacteristics></serviceTask>"#;
                (r#"zeebe="http://camunda.org/schema/zeebe/1.0""#, task.to_owned())
            }
        };
        format!(
            r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="bench" xmlns:{vendor}><process id="items" isExecutable="true"><startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="work"/>{task}<sequenceFlow id="f2" sourceRef="work" targetRef="end"/><endEvent id="end"/></process></definitions>"#
        )
    }

    fn variables(self, items: u32) -> anyhow::Result<Document> {
        match self {
            Self::Worker => {
                let items: Vec<String> = (0..items).map(|item| item.to_string()).collect();
                Ok(Document::parse(&format!(r#"{{"items":[{}]}}"#, items.join(",")))?)
            }
            _ => Ok(Document::new()),
        }
    }
}

pub async fn run(ground: &Ground, options: &Options) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for place in Place::ALL.into_iter().filter(|p| options.store.is_none_or(|s| s == *p)) {
        for kind in Kind::ALL.into_iter().filter(|k| options.kind.is_none_or(|o| o == *k)) {
            let few = once(ground.fresh(place).await?.choice, kind, options.items / TIMES).await?;
            let fresh = ground.fresh(place).await?;
            let many = once(fresh.choice.clone(), kind, options.items).await?;
            let growth = many.seconds / few.seconds;
            eprintln!(
                "{} {kind:?}: {:.2} s, {:.2} s, {growth:.1} times; largest commit {} bytes",
                place.name(),
                few.seconds,
                many.seconds,
                many.commit_bytes_max,
            );
            let [time, ratio, commit] = kind.parts();
            let items = options.items;
            let figure = |part, value, unit, settings| Figure {
                figure: "items",
                part,
                store: place.name(),
                value,
                unit,
                floor: None,
                settings,
            };
            let settings = format!("{items} jobs of one instance, {DURABILITY}");
            figures.push(figure(time, many.seconds, "s", settings));
            let settings = format!("{TIMES} times the items, times the time");
            figures.push(figure(ratio, growth, "×", settings));
            let settings = format!("of {} groups", many.groups);
            figures.push(figure(commit, many.commit_bytes_max as f64, "bytes", settings));
        }
    }
    Ok(figures)
}

struct Measured {
    seconds: f64,
    commit_bytes_max: i64,
    groups: u64,
}

async fn once(store: StoreChoice, kind: Kind, items: u32) -> anyhow::Result<Measured> {
    let orloj = Orloj::builder()
        .store(store)
        .node_name(&format!("bench-{}-{kind:?}-{items}", std::process::id()))
        .executor(true)
        .build()
        .await?;
    orloj.deploy(Deploy::file("items.bpmn", kind.model(items).as_bytes())).await?;
    let worker = (kind == Kind::Worker).then(|| tokio::spawn(work(orloj.clone(), items)));
    let start = StartInstance::latest("items").with(kind.variables(items)?);
    let began = Instant::now();
    orloj.start_and_wait(start, INSTANCE_MAX).await?;
    let seconds = began.elapsed().as_secs_f64();
    if let Some(worker) = worker {
        worker.await??;
    }
    let metrics = orloj.metrics();
    let (commit_bytes_max, groups) = (metrics.group_bytes_max.get(), metrics.groups.get());
    let run = metrics.engine_jobs_run.get().max(metrics.worker_jobs_completed.get());
    ensure!(run >= u64::from(items), "{run} jobs for {items} items");
    orloj.shutdown().await;
    Ok(Measured { seconds, commit_bytes_max, groups })
}

/// Completes as many jobs as there are items; answers overlap.
async fn work(orloj: Orloj, items: u32) -> anyhow::Result<()> {
    let stream = StreamJobs {
        job_type: "work".into(),
        worker: "bench".into(),
        timeout_ms: 600_000,
        fetch_variables: vec!["item".into()],
        credit: CREDIT,
    };
    let mut jobs = orloj.stream_jobs(stream).await?;
    let mut answers = tokio::task::JoinSet::new();
    for _ in 0..items {
        let job = jobs.next().await.context("a job for each item")?;
        let orloj = orloj.clone();
        answers.spawn(async move { orloj.complete_job(job.key, Document::new()).await });
        while answers.len() > CREDIT as usize {
            answers.join_next().await.context("an answer")???;
        }
    }
    while let Some(answer) = answers.join_next().await {
        answer??;
    }
    Ok(())
}
