//! How long a job waits between its commit and the first line of its delegate, and how long one
//! instance takes when it is alone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use orloj::store::Store;
use orloj::types::{Document, EngineName, InstanceKey};
use orloj::{Call, Deploy, Orloj, Resource, StartInstance, StoreChoice};
use orloj_store_postgres::PostgresStore;
use orloj_store_sqlite::SqliteStore;
use tokio::sync::Notify;

use crate::chain::{TASKS, model};
use crate::place::{DURABILITY, Fresh, Ground, Place};
use crate::report::{Figure, median, percentile};
use crate::steps;
use crate::timed::{Moments, Timed};

#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Seconds of the open loop
    #[arg(long, default_value_t = 10)]
    counted_s: u64,
    /// Instances run one at a time
    #[arg(long, default_value_t = 200)]
    alone: u32,
    /// Only this store
    #[arg(long)]
    store: Option<Place>,
}

pub async fn run(ground: &Ground, options: &Options) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for place in Place::ALL.into_iter().filter(|p| options.store.is_none_or(|s| s == *p)) {
        figures.extend(alone(ground, place, options).await?);
        let rate = quarter_rate(ground, place).await?;
        figures.extend(open_loop(ground, place, options, rate, 1).await?);
        if place == Place::Postgres {
            figures.extend(open_loop(ground, place, options, rate, 2).await?);
        }
    }
    Ok(figures)
}

/// A quarter of what the store did a moment ago, in instances.
async fn quarter_rate(ground: &Ground, place: Place) -> anyhow::Result<f64> {
    let options = steps::Options {
        warm_up_s: 2,
        counted_s: 5,
        in_flight: 2_000,
        pairs: 1,
        floor_s: 0.0,
        store: Some(place),
    };
    Ok(steps::once(ground.fresh(place).await?, &options).await? / 4.0 / f64::from(TASKS))
}

/// What delegates noted.
#[derive(Default)]
struct Notes {
    commit_to_call_ms: Vec<f64>,
    create_to_call_ms: Vec<f64>,
}

struct Probe {
    committed: Moments,
    created: Mutex<HashMap<InstanceKey, Instant>>,
    notes: Mutex<Notes>,
    ended: Notify,
}

impl Probe {
    fn called(&self, instance: InstanceKey) {
        let now = Instant::now();
        let committed = self.committed.lock().expect("no panic").get(&instance).copied();
        let created = self.created.lock().expect("no panic").remove(&instance);
        let mut notes = self.notes.lock().expect("no panic");
        let ms = |since: Instant| now.duration_since(since).as_secs_f64() * 1e3;
        notes.commit_to_call_ms.extend(committed.map(ms));
        notes.create_to_call_ms.extend(created.map(ms));
    }
}

async fn engine(
    fresh: &Fresh,
    probe: &Arc<Probe>,
    executor: bool,
    name: &str,
) -> anyhow::Result<Orloj> {
    let inner: Arc<dyn Store> = match &fresh.choice {
        StoreChoice::SqliteFile(path) => Arc::new(SqliteStore::open(
            &orloj_store_sqlite::Options::file(path, EngineName::default()),
        )?),
        StoreChoice::Postgres(url) => Arc::new(
            PostgresStore::connect(orloj_store_postgres::Options::new(url, EngineName::default()))
                .await?,
        ),
        StoreChoice::Memory => anyhow::bail!("figures are taken on disks"),
    };
    let is_shared = matches!(fresh.choice, StoreChoice::Postgres(_));
    let store = Arc::new(Timed::new(inner, probe.committed.clone()));
    let (step, last) = (probe.clone(), probe.clone());
    let orloj = Orloj::builder()
        .own_store(store, if is_shared { 2 } else { 1 }, is_shared)
        .executor(executor)
        .node_name(name)
        .delegate("Step", move |call: Call| {
            step.called(call.instance);
            async { Ok(Document::new()) }
        })
        .delegate("Last", move |call: Call| {
            last.called(call.instance);
            last.ended.notify_one();
            async { Ok(Document::new()) }
        })
        .build()
        .await?;
    let resource =
        Resource { name: "chain.bpmn".into(), content: model(TASKS).into_bytes().into() };
    orloj.deploy(Deploy { resources: vec![resource], ..Deploy::default() }).await?;
    Ok(orloj)
}

fn new_probe() -> Arc<Probe> {
    Arc::new(Probe {
        committed: Moments::default(),
        created: Mutex::default(),
        notes: Mutex::default(),
        ended: Notify::new(),
    })
}

/// One instance at a time, nothing else running.
async fn alone(ground: &Ground, place: Place, options: &Options) -> anyhow::Result<Vec<Figure>> {
    let commit_us = ground.single_commit_us(place, 1_000).await?;
    let fresh = ground.fresh(place).await?;
    let probe = new_probe();
    let orloj = engine(&fresh, &probe, true, "alone").await?;
    let mut durations = Vec::new();
    for _ in 0..options.alone {
        let begun = Instant::now();
        let wait = orloj.start_and_wait(StartInstance::latest("chain"), Duration::from_secs(10));
        wait.await?;
        durations.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    orloj.shutdown().await;
    let floor_ms = commit_us * f64::from(TASKS + 1) / 1e3;
    Ok(vec![Figure {
        figure: "latency",
        part: "one instance alone, call of start to end",
        store: place.name(),
        value: median(durations),
        unit: "ms",
        floor: Some(floor_ms),
        settings: format!("floor: 11 single commits of the probe (n=1), {DURABILITY}"),
    }])
}

async fn open_loop(
    ground: &Ground,
    place: Place,
    options: &Options,
    instances_per_s: f64,
    nodes: u32,
) -> anyhow::Result<Vec<Figure>> {
    let fresh = ground.fresh(place).await?;
    let probe = new_probe();
    let worker = engine(&fresh, &probe, true, "works").await?;
    let starter = match nodes {
        1 => worker.clone(),
        _ => engine(&fresh, &probe, false, "starts").await?,
    };
    // Nodes learn of each other with their heartbeats.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let begun = Instant::now();
    let mut started = 0_u64;
    while begun.elapsed() < Duration::from_secs(options.counted_s) {
        let due = (begun.elapsed().as_secs_f64() * instances_per_s) as u64;
        while started < due {
            started += 1;
            let (starter, probe) = (starter.clone(), probe.clone());
            tokio::spawn(async move {
                let called = Instant::now();
                if let Ok(started) = starter.start(StartInstance::latest("chain")).await {
                    // The delegate may have been called before the answer was here.
                    probe.created.lock().expect("no panic").insert(started.instance, called);
                }
            });
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    starter.shutdown().await;
    worker.shutdown().await;
    let mut notes = std::mem::take(&mut *probe.notes.lock().expect("no panic"));
    let across = if nodes == 1 { "" } else { " across two nodes" };
    let settings = format!(
        "open loop at {:.0} steps/s, {} jobs{across}, {DURABILITY}",
        instances_per_s * f64::from(TASKS),
        notes.commit_to_call_ms.len()
    );
    let figure = |part, value| Figure {
        figure: "latency",
        part,
        store: place.name(),
        value,
        unit: "ms",
        floor: None,
        settings: settings.clone(),
    };
    let commits = &mut notes.commit_to_call_ms;
    let (p50, p99) = (percentile(commits, 0.5), percentile(commits, 0.99));
    let created = percentile(&mut notes.create_to_call_ms, 0.5);
    Ok(match nodes {
        1 => vec![
            figure("commit to first line, p50", p50),
            figure("commit to first line, p99", p99),
            figure("call of create to first line, p50", created),
        ],
        _ => vec![
            figure("two nodes: commit to first line, p50", p50),
            figure("two nodes: commit to first line, p99", p99),
        ],
    })
}
