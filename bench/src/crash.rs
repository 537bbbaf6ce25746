//! Kill -9 under load, again and again, and a checker that trusts nobody: it reads history and
//! compares it with what the client was told.
//!
//! Instances fork into three branches, each an exclusive asynchronous continuation followed by a
//! worker job. After the last kill everything must run to its end. Then, for every instance whose
//! start was acknowledged: it is there and completed; every acknowledged completion is in its
//! history exactly once; no job was completed twice; no two exclusive jobs of it ran at the same
//! time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use orloj_api_zeebe::proto::gateway_client::GatewayClient;
use orloj_api_zeebe::proto::{
    ActivateJobsRequest, ActivatedJob, CompleteJobRequest, CreateProcessInstanceRequest,
    DeployResourceRequest, Resource, StreamActivatedJobsRequest,
};
use serde_json::Value;
use tonic::Code;
use tonic::transport::Channel;

use crate::floor::rng::Rng;
use crate::place::{Ground, Place};
use crate::server::{Ports, Server, http_get};

const MODEL: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="crash" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"><process id="crash" isExecutable="true"><startEvent id="start"/><sequenceFlow id="f0" sourceRef="start" targetRef="fork"/><parallelGateway id="fork"/><sequenceFlow id="f1" sourceRef="fork" targetRef="a"/><sequenceFlow id="f2" sourceRef="fork" targetRef="b"/><sequenceFlow id="f3" sourceRef="fork" targetRef="c"/><serviceTask id="a" camunda:type="external" camunda:topic="crash" camunda:asyncBefore="true"/><serviceTask id="b" camunda:type="external" camunda:topic="crash" camunda:asyncBefore="true"/><serviceTask id="c" camunda:type="external" camunda:topic="crash" camunda:asyncBefore="true"/><sequenceFlow id="g1" sourceRef="a" targetRef="join"/><sequenceFlow id="g2" sourceRef="b" targetRef="join"/><sequenceFlow id="g3" sourceRef="c" targetRef="join"/><parallelGateway id="join"/><sequenceFlow id="f9" sourceRef="join" targetRef="end"/><endEvent id="end"/></process></definitions>"#;

/// Short, so that jobs of a dead server's workers come back while the test runs.
const LOCK_MS: i64 = 2_000;
/// Creations at the same time, per server.
const STARTERS: usize = 8;

#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// How often a server is killed, on each store
    #[arg(long, default_value_t = 100)]
    kills: u32,
    /// Only this store
    #[arg(long)]
    store: Option<Place>,
    /// Servers on one PostgreSQL; SQLite always has one
    #[arg(long, default_value_t = 2)]
    nodes: usize,
    /// Where the moments of the kills come from
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What the client was told.
#[derive(Default)]
struct Told {
    started: Mutex<Vec<i64>>,
    /// Job and instance.
    completed: Mutex<Vec<(i64, i64)>>,
    creating: AtomicBool,
    working: AtomicBool,
}

pub async fn run(ground: &Ground, options: &Options) -> anyhow::Result<()> {
    let mut broken = Vec::new();
    for place in Place::ALL.into_iter().filter(|p| options.store.is_none_or(|s| s == *p)) {
        let nodes = if place == Place::Sqlite { 1 } else { options.nodes.max(1) };
        let found = one_store(ground, place, nodes, options).await?;
        broken.extend(found.into_iter().map(|what| format!("{}: {what}", place.name())));
    }
    for what in &broken {
        println!("BROKEN {what}");
    }
    if !broken.is_empty() {
        bail!("{} promises broken", broken.len());
    }
    Ok(())
}

async fn one_store(
    ground: &Ground,
    place: Place,
    nodes: usize,
    options: &Options,
) -> anyhow::Result<Vec<String>> {
    let fresh = ground.fresh(place).await?;
    let mut rng = Rng::new(options.seed ^ 0x9E37_79B9_7F4A_7C15);
    let ports = (0..nodes).map(|_| Ports::free()).collect::<anyhow::Result<Vec<_>>>()?;
    let mut servers = Vec::new();
    for (at, ports) in ports.iter().enumerate() {
        servers.push(Server::start_at(&fresh.url, &format!("node-{at}"), *ports)?);
    }
    deploy(&servers[0]).await?;
    let told = Arc::new(Told::default());
    told.creating.store(true, Ordering::SeqCst);
    told.working.store(true, Ordering::SeqCst);
    let mut tasks = Vec::new();
    for ports in &ports {
        tasks.push(tokio::spawn(stream_worker(ports.grpc_url(), told.clone())));
        tasks.push(tokio::spawn(poll_worker(ports.grpc_url(), told.clone())));
        for _ in 0..STARTERS {
            tasks.push(tokio::spawn(starter(ports.grpc_url(), told.clone())));
        }
    }
    for kill in 1..=options.kills {
        let pause = Duration::from_millis(150 + rng.next() % 700);
        tokio::time::sleep(pause).await;
        let victim = (rng.next() % nodes as u64) as usize;
        servers[victim].kill()?;
        if rng.next().is_multiple_of(2) {
            tokio::time::sleep(Duration::from_millis(rng.next() % 200)).await;
        }
        servers[victim] = Server::start_at(&fresh.url, &format!("node-{victim}"), ports[victim])?;
        if kill % 10 == 0 {
            let started = told.started.lock().expect("no panic").len();
            eprintln!("{}: {kill} kills, {started} starts acknowledged", place.name());
        }
    }
    told.creating.store(false, Ordering::SeqCst);
    let mut broken = Vec::new();
    if let Err(error) = all_ended(&servers[0]).await {
        broken.push(error.to_string());
    }
    told.working.store(false, Ordering::SeqCst);
    for task in tasks {
        task.abort();
    }
    broken.extend(check(&servers[0], &told)?);
    Ok(broken)
}

async fn deploy(server: &Server) -> anyhow::Result<()> {
    let resource = Resource { name: "crash.bpmn".into(), content: MODEL.as_bytes().to_vec() };
    let request = DeployResourceRequest { resources: vec![resource], ..Default::default() };
    server.client().await?.deploy_resource(request).await?;
    Ok(())
}

async fn connect(url: &str) -> GatewayClient<Channel> {
    loop {
        if let Ok(client) = GatewayClient::connect(url.to_owned()).await {
            return client;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn starter(url: String, told: Arc<Told>) {
    let mut client = connect(&url).await;
    while told.creating.load(Ordering::SeqCst) {
        let request = CreateProcessInstanceRequest {
            bpmn_process_id: "crash".into(),
            version: -1,
            ..Default::default()
        };
        match client.create_process_instance(request).await {
            Ok(answer) => {
                let key = answer.into_inner().process_instance_key;
                told.started.lock().expect("no panic").push(key);
            }
            Err(_) => client = connect(&url).await,
        }
    }
}

async fn stream_worker(url: String, told: Arc<Told>) {
    while told.working.load(Ordering::SeqCst) {
        let mut client = connect(&url).await;
        let request = StreamActivatedJobsRequest {
            r#type: "crash".into(),
            worker: "stream".into(),
            timeout: LOCK_MS,
            ..Default::default()
        };
        let Ok(jobs) = client.stream_activated_jobs(request).await else { continue };
        let mut jobs = jobs.into_inner();
        while let Ok(Some(job)) = jobs.message().await {
            tokio::spawn(complete(client.clone(), job, told.clone()));
        }
    }
}

async fn poll_worker(url: String, told: Arc<Told>) {
    let mut client = connect(&url).await;
    while told.working.load(Ordering::SeqCst) {
        let request = ActivateJobsRequest {
            r#type: "crash".into(),
            worker: "poll".into(),
            timeout: LOCK_MS,
            max_jobs_to_activate: 32,
            request_timeout: 500,
            ..Default::default()
        };
        let Ok(answer) = client.activate_jobs(request).await else {
            client = connect(&url).await;
            continue;
        };
        let mut answer = answer.into_inner();
        while let Ok(Some(batch)) = answer.message().await {
            for job in batch.jobs {
                tokio::spawn(complete(client.clone(), job, told.clone()));
            }
        }
    }
}

async fn complete(mut client: GatewayClient<Channel>, job: ActivatedJob, told: Arc<Told>) {
    let request = CompleteJobRequest { job_key: job.key, ..Default::default() };
    match client.complete_job(request).await {
        Ok(_) => {
            let mut completed = told.completed.lock().expect("no panic");
            completed.push((job.key, job.process_instance_key));
        }
        // Somebody else was first, or an earlier answer was lost: both are fine.
        Err(status) if status.code() == Code::NotFound => {}
        // The server died; nothing is known, so nothing is claimed.
        Err(_) => {}
    }
}

async fn all_ended(server: &Server) -> anyhow::Result<()> {
    let begun = Instant::now();
    loop {
        let body = http_get(server.http_port, "/api/instances?limit=1")?;
        let live: Value = serde_json::from_str(&body).context("a list of instances")?;
        if items(&live).is_empty() {
            return Ok(());
        }
        if begun.elapsed() > Duration::from_secs(120) {
            bail!("instances are still running two minutes after the last kill: {body}");
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

fn check(server: &Server, told: &Told) -> anyhow::Result<Vec<String>> {
    let started = told.started.lock().expect("no panic").clone();
    let completed = told.completed.lock().expect("no panic").clone();
    let mut broken = Vec::new();
    let mut claims: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (job, instance) in &completed {
        claims.entry(*instance).or_default().push(*job);
    }
    let instances: BTreeSet<i64> = started.iter().chain(claims.keys()).copied().collect();
    let mut exclusive = 0;
    for instance in &instances {
        let body = http_get(server.http_port, &format!("/api/instances/{instance}"))?;
        let detail: Value = serde_json::from_str(&body).unwrap_or(Value::Null);
        let state = detail["state"].as_str().or_else(|| detail["instance"]["state"].as_str());
        if state != Some("completed") {
            broken.push(format!("instance {instance} was acknowledged and is {body}"));
            continue;
        }
        let history = History::read(&detail);
        for (job, times) in &history.completions {
            if *times > 1 {
                broken.push(format!("job {job} was completed {times} times"));
            }
        }
        for job in claims.get(instance).into_iter().flatten() {
            if history.completions.get(job) != Some(&1) {
                broken.push(format!("completion of job {job} was acknowledged and is lost"));
            }
        }
        exclusive += history.engine_runs.len();
        broken.extend(history.overlaps(*instance));
    }
    let mut claimed_twice = BTreeSet::new();
    for (job, _) in &completed {
        if !claimed_twice.insert(job) {
            broken.push(format!("completion of job {job} was acknowledged twice"));
        }
    }
    println!(
        "checked {} acknowledged starts, {} acknowledged completions, {exclusive} runs of exclusive jobs: {} broken",
        started.len(),
        completed.len(),
        broken.len()
    );
    Ok(broken)
}

/// What an instance's history says.
#[derive(Default)]
struct History {
    completions: BTreeMap<i64, u32>,
    /// Of the engine's own jobs: when each was begun and when it was done.
    engine_runs: Vec<(String, String, i64)>,
}

impl History {
    fn read(detail: &Value) -> Self {
        let mut history = Self::default();
        let mut begun: BTreeMap<i64, String> = BTreeMap::new();
        let mut worked: BTreeSet<i64> = BTreeSet::new();
        for event in detail["history"].as_array().into_iter().flatten() {
            let key = event["key"].as_str().and_then(|key| key.parse().ok()).unwrap_or(0);
            let at = event["at"].as_str().unwrap_or("").to_owned();
            match event["what"].as_str().unwrap_or("") {
                "job-created" if !event["name"].as_str().unwrap_or("").is_empty() => {
                    worked.insert(key);
                }
                "job-activated" => {
                    begun.insert(key, at);
                }
                "job-completed" => {
                    *history.completions.entry(key).or_default() += 1;
                    if let Some(begun) = begun.remove(&key).filter(|_| !worked.contains(&key)) {
                        history.engine_runs.push((begun, at, key));
                    }
                }
                _ => {}
            }
        }
        history.engine_runs.sort();
        history
    }

    /// Times are RFC 3339 in UTC with fixed digits, so they sort as text.
    fn overlaps(&self, instance: i64) -> Vec<String> {
        let pairs = self.engine_runs.windows(2).filter(|pair| pair[1].0 < pair[0].1);
        pairs
            .map(|pair| {
                format!(
                    "exclusive jobs {} and {} of instance {instance} ran at the same time",
                    pair[0].2, pair[1].2
                )
            })
            .collect()
    }
}

fn items(list: &Value) -> &[Value] {
    let array = list.as_array().or_else(|| list["items"].as_array());
    array.map_or(&[], Vec::as_slice)
}
