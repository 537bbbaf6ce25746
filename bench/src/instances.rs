//! One-task instances through a native gRPC worker: created, streamed and completed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use orloj_api_zeebe::proto::{
    CompleteJobRequest, CreateProcessInstanceRequest, DeployResourceRequest, Resource,
    StreamActivatedJobsRequest,
};
use tokio::sync::Semaphore;

use crate::place::{DURABILITY, Ground, Place};
use crate::report::Figure;
use crate::server::Server;

const MODEL: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="bench" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"><process id="one" isExecutable="true"><startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="work"/><serviceTask id="work"><extensionElements><zeebe:taskDefinition type="work"/></extensionElements></serviceTask><sequenceFlow id="f2" sourceRef="work" targetRef="end"/><endEvent id="end"/></process></definitions>"#;

#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Seconds before counting
    #[arg(long, default_value_t = 3)]
    warm_up_s: u64,
    /// Seconds counted
    #[arg(long, default_value_t = 15)]
    counted_s: u64,
    /// Instances created and not yet completed
    #[arg(long, default_value_t = 512)]
    in_flight: usize,
    /// Only this store
    #[arg(long)]
    store: Option<Place>,
}

pub async fn run(ground: &Ground, options: &Options) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for place in Place::ALL.into_iter().filter(|p| options.store.is_none_or(|s| s == *p)) {
        let floor = ground.floor(place, 5.0).await?;
        let fresh = ground.fresh(place).await?;
        let server = Server::start(&fresh.url, "bench")?;
        let value = measure(&server, options).await?;
        eprintln!("{}: {value:.0} instances/s, {:.0} MB", place.name(), server.resident_mb()?);
        figures.push(Figure {
            figure: "instances",
            part: "",
            store: place.name(),
            value,
            unit: "instances/s",
            floor: Some(floor),
            settings: format!(
                "create, stream, complete over gRPC, {} in flight, load program on the same cores, {DURABILITY}",
                options.in_flight
            ),
        });
    }
    Ok(figures)
}

/// A load program at work on a server.
pub struct Load {
    pub completed: Arc<AtomicU64>,
    places: Arc<Semaphore>,
}

impl Load {
    /// No more instances are created.
    pub fn close(&self) {
        self.places.close();
    }
}

async fn measure(server: &Server, options: &Options) -> anyhow::Result<f64> {
    let load = load(server, options.in_flight).await?;
    tokio::time::sleep(Duration::from_secs(options.warm_up_s)).await;
    let (before, since) = (load.completed.load(Ordering::Relaxed), Instant::now());
    tokio::time::sleep(Duration::from_secs(options.counted_s)).await;
    let done = load.completed.load(Ordering::Relaxed) - before;
    load.close();
    Ok(done as f64 / since.elapsed().as_secs_f64())
}

/// Deploys the model and keeps `in_flight` instances on their way.
pub async fn load(server: &Server, in_flight: usize) -> anyhow::Result<Load> {
    let mut client = server.client().await?;
    client
        .deploy_resource(DeployResourceRequest {
            resources: vec![Resource {
                name: "one.bpmn".into(),
                content: MODEL.as_bytes().to_vec(),
            }],
            ..Default::default()
        })
        .await?;
    let load = Load {
        completed: Arc::new(AtomicU64::new(0)),
        places: Arc::new(Semaphore::new(in_flight)),
    };
    work(server, &load.completed, &load.places).await?;
    create(server, &load.places, in_flight).await?;
    Ok(load)
}

/// One stream of jobs; completions overlap.
async fn work(
    server: &Server,
    completed: &Arc<AtomicU64>,
    places: &Arc<Semaphore>,
) -> anyhow::Result<()> {
    let mut client = server.client().await?;
    let mut jobs = client
        .stream_activated_jobs(StreamActivatedJobsRequest {
            r#type: "work".into(),
            worker: "bench".into(),
            timeout: 60_000,
            ..Default::default()
        })
        .await?
        .into_inner();
    let (completed, places) = (completed.clone(), places.clone());
    tokio::spawn(async move {
        while let Ok(Some(job)) = jobs.message().await {
            let (mut client, completed, places) =
                (client.clone(), completed.clone(), places.clone());
            tokio::spawn(async move {
                let request = CompleteJobRequest { job_key: job.key, ..Default::default() };
                match client.complete_job(request).await {
                    Ok(_) => {
                        completed.fetch_add(1, Ordering::Relaxed);
                    }
                    Err(status) if !places.is_closed() => eprintln!("complete: {status}"),
                    Err(_) => {}
                }
                places.add_permits(1);
            });
        }
    });
    Ok(())
}

async fn create(server: &Server, places: &Arc<Semaphore>, tasks: usize) -> anyhow::Result<()> {
    let client = server.client().await?;
    for _ in 0..tasks.min(128) {
        let (mut client, places) = (client.clone(), places.clone());
        tokio::spawn(async move {
            loop {
                let Ok(place) = places.acquire().await else { return };
                place.forget();
                let request = CreateProcessInstanceRequest {
                    bpmn_process_id: "one".into(),
                    version: -1,
                    variables: r#"{"order":4711}"#.into(),
                    ..Default::default()
                };
                if let Err(status) = client.create_process_instance(request).await {
                    if !places.is_closed() {
                        eprintln!("create: {status}");
                    }
                    return;
                }
            }
        });
    }
    Ok(())
}
