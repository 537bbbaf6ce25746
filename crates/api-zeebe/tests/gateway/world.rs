//! An engine, a gateway and a client.

use std::net::SocketAddr;
use std::time::Duration;

use orloj::{Builder, IncidentFilter, IncidentView, Orloj, Page, StoreChoice};
use orloj_api_zeebe::proto::gateway_client::GatewayClient;
use orloj_api_zeebe::proto::*;
use orloj_api_zeebe::{Error, Options, serve};
use orloj_types::{InstanceKey, Timestamp};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

pub const ORDER: &str = include_str!("models/order.bpmn");
pub const MAPPED: &str = include_str!("models/mapped.bpmn");
pub const INSTANT: &str = include_str!("models/instant.bpmn");

/// Longer than anything takes that works.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub struct World {
    pub orloj: Orloj,
    pub client: GatewayClient<Channel>,
    pub address: SocketAddr,
    pub stop: oneshot::Sender<()>,
    pub server: JoinHandle<Result<(), Error>>,
}

impl World {
    /// Time stands still unless the test moves it.
    pub async fn new() -> Self {
        let at = Timestamp::from_ms(1_900_000_000_000);
        Self::of(engine().pinned_clock(at), options()).await
    }

    pub async fn in_real_time() -> Self {
        Self::of(engine(), options()).await
    }

    pub async fn of(builder: Builder, options: Options) -> Self {
        let orloj = builder.build().await.expect("an engine in memory");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let shutdown = async move { stopped.await.unwrap_or(()) };
        let server = tokio::spawn(serve(listener, orloj.clone(), options, shutdown));
        let client = GatewayClient::new(channel(address).await);
        Self { orloj, client, address, stop, server }
    }

    /// A client on the same connection, for calls side by side.
    pub fn client(&self) -> GatewayClient<Channel> {
        self.client.clone()
    }

    pub async fn deploy(&self, model: &str) -> DeployResourceResponse {
        let resource = Resource { name: "model.bpmn".into(), content: model.into() };
        let request = DeployResourceRequest { resources: vec![resource], ..Default::default() };
        self.client().deploy_resource(request).await.expect("deployed").into_inner()
    }

    pub async fn start(&self, process: &str, variables: &str) -> i64 {
        let request = creation(process, variables);
        let created = self.client().create_process_instance(request).await.expect("created");
        created.into_inner().process_instance_key
    }

    /// Deploys the order process and starts it: one job of type `charge` is ready.
    pub async fn order(&self) -> i64 {
        self.deploy(ORDER).await;
        self.start("order", r#"{"total":90,"customer":"anna"}"#).await
    }

    pub async fn activate(
        &self,
        request: ActivateJobsRequest,
    ) -> Result<Vec<ActivatedJob>, Status> {
        let mut answer = self.client().activate_jobs(request).await?.into_inner();
        let mut jobs = Vec::new();
        while let Some(message) = answer.message().await? {
            assert!(!message.jobs.is_empty(), "a message without jobs");
            jobs.extend(message.jobs);
        }
        Ok(jobs)
    }

    /// What is ready now.
    pub async fn jobs(&self, job_type: &str) -> Vec<ActivatedJob> {
        self.activate(poll(job_type)).await.expect("jobs")
    }

    pub async fn job(&self, job_type: &str) -> ActivatedJob {
        let mut jobs = self.jobs(job_type).await;
        assert_eq!(jobs.len(), 1, "jobs of type {job_type}");
        jobs.remove(0)
    }

    pub async fn complete(&self, job: i64, variables: &str) -> Result<(), Status> {
        let request =
            CompleteJobRequest { job_key: job, variables: variables.into(), ..Default::default() };
        self.client().complete_job(request).await.map(drop)
    }

    pub async fn fail(&self, request: FailJobRequest) -> Result<(), Status> {
        self.client().fail_job(request).await.map(drop)
    }

    pub async fn incident(&self, instance: i64) -> IncidentView {
        let mut incidents = self.incidents(instance).await;
        assert_eq!(incidents.len(), 1, "incidents of {instance}");
        incidents.remove(0)
    }

    pub async fn incidents(&self, instance: i64) -> Vec<IncidentView> {
        let filter = IncidentFilter {
            instance: Some(InstanceKey::new(instance)),
            ..IncidentFilter::default()
        };
        let page = Page { before: None, limit: 10 };
        self.orloj.incidents().list(filter, page).await.expect("incidents")
    }

    pub async fn resolve(&self, incident: i64) -> Result<(), Status> {
        let request = ResolveIncidentRequest { incident_key: incident, ..Default::default() };
        self.client().resolve_incident(request).await.map(drop)
    }

    pub async fn set_retries(&self, job: i64, retries: i32) -> Result<(), Status> {
        let request = UpdateJobRetriesRequest { job_key: job, retries, ..Default::default() };
        self.client().update_job_retries(request).await.map(drop)
    }

    /// Moves a pinned clock and waits until all has happened that was due.
    pub async fn pass(&self, time: Duration) {
        self.orloj.advance(time).expect("a pinned clock");
        self.orloj.settle().await;
    }

    /// Whether the instance has ended.
    pub async fn has_ended(&self, instance: i64) -> bool {
        let request =
            CancelProcessInstanceRequest { process_instance_key: instance, ..Default::default() };
        match self.client().cancel_process_instance(request).await {
            Ok(_) => false,
            Err(status) if status.code() == Code::NotFound => true,
            Err(other) => panic!("{other}"),
        }
    }
}

pub async fn channel(address: SocketAddr) -> Channel {
    endpoint(address).connect().await.unwrap()
}

pub fn endpoint(address: SocketAddr) -> Endpoint {
    Endpoint::from_shared(format!("http://{address}")).unwrap()
}

/// In memory, and with its own jobs: the end of a back-off is one.
pub fn engine() -> Builder {
    Orloj::builder().store(StoreChoice::Memory).executor(true)
}

pub fn options() -> Options {
    Options { shutdown_grace: Duration::from_secs(5), ..Options::default() }
}

/// Jobs that are ready now, for an hour.
pub fn poll(job_type: &str) -> ActivateJobsRequest {
    ActivateJobsRequest {
        r#type: job_type.into(),
        worker: "anna".into(),
        timeout: 3_600_000,
        max_jobs_to_activate: 100,
        request_timeout: -1,
        ..Default::default()
    }
}

pub fn creation(process: &str, variables: &str) -> CreateProcessInstanceRequest {
    CreateProcessInstanceRequest {
        bpmn_process_id: process.into(),
        version: -1,
        variables: variables.into(),
        ..Default::default()
    }
}

/// A command was refused: with this status, and with the text that clients take apart.
#[track_caller]
pub fn assert_refused<T: std::fmt::Debug>(
    answer: Result<T, Status>,
    intent: &str,
    (word, code): (&str, Code),
    mentions: &[&str],
) {
    let status = answer.expect_err("refused");
    assert_eq!(status.code(), code, "{status}");
    let start = format!("Command '{intent}' rejected with code '{word}': ");
    assert!(status.message().starts_with(&start), "{status}");
    for mentioned in mentions {
        assert!(status.message().contains(mentioned), "{mentioned} in {status}");
    }
}

pub const NOT_FOUND: (&str, Code) = ("NOT_FOUND", Code::NotFound);
pub const INVALID_ARGUMENT: (&str, Code) = ("INVALID_ARGUMENT", Code::InvalidArgument);
pub const INVALID_STATE: (&str, Code) = ("INVALID_STATE", Code::FailedPrecondition);
