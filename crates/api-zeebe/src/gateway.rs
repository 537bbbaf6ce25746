//! Every call of the protocol, and the file that answers it.

#![expect(clippy::disallowed_methods, reason = "a client's command has a limit in real time")]

use std::future::Future;

use orloj::Orloj;
use tokio_util::sync::CancellationToken;
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status};

use crate::metrics::Metrics;
use crate::options::Options;
use crate::proto::gateway_server;
use crate::proto::*;
use crate::rpc;
use crate::status::{self, Intent};

pub(crate) struct Gateway {
    pub orloj: Orloj,
    pub options: Options,
    pub closing: CancellationToken,
    pub metrics: Metrics,
}

impl Gateway {
    pub fn new(orloj: Orloj, options: Options, closing: CancellationToken) -> Self {
        let mut metrics = None;
        orloj.with_metrics(|registry| metrics = Some(Metrics::registered(registry)));
        let metrics = metrics.expect("the engine shows its registry exactly once");
        Self { orloj, options, closing, metrics }
    }

    /// An error once the gateway shuts down.
    pub fn is_open(&self) -> Result<(), Status> {
        match self.closing.is_cancelled() {
            true => Err(status::closing()),
            false => Ok(()),
        }
    }

    /// The engine's answer to a command, or the status for it. The command goes on when the time is
    /// up: nobody can call it back.
    pub async fn command<T>(
        &self,
        intent: Intent,
        answer: impl Future<Output = Result<T, orloj::Error>>,
    ) -> Result<T, Status> {
        match tokio::time::timeout(self.options.request_timeout, answer).await {
            Ok(answer) => answer.map_err(|error| status::of(intent, error)),
            Err(_) => Err(status::too_slow(intent)),
        }
    }
}

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl gateway_server::Gateway for Gateway {
    async fn activate_jobs(
        &self,
        request: Request<ActivateJobsRequest>,
    ) -> Answer<BoxStream<ActivateJobsResponse>> {
        rpc::activate_jobs(self, request).await.map(Response::new)
    }

    async fn stream_activated_jobs(
        &self,
        request: Request<StreamActivatedJobsRequest>,
    ) -> Answer<BoxStream<ActivatedJob>> {
        rpc::stream_activated_jobs(self, request.into_inner()).await.map(Response::new)
    }

    async fn complete_job(
        &self,
        request: Request<CompleteJobRequest>,
    ) -> Answer<CompleteJobResponse> {
        rpc::complete_job(self, request.into_inner()).await.map(Response::new)
    }

    async fn fail_job(&self, request: Request<FailJobRequest>) -> Answer<FailJobResponse> {
        rpc::fail_job(self, request.into_inner()).await.map(Response::new)
    }

    async fn throw_error(&self, request: Request<ThrowErrorRequest>) -> Answer<ThrowErrorResponse> {
        rpc::throw_error(self, request.into_inner()).await.map(Response::new)
    }

    async fn update_job_retries(
        &self,
        request: Request<UpdateJobRetriesRequest>,
    ) -> Answer<UpdateJobRetriesResponse> {
        rpc::update_job_retries(self, request.into_inner()).await.map(Response::new)
    }

    async fn update_job_timeout(
        &self,
        request: Request<UpdateJobTimeoutRequest>,
    ) -> Answer<UpdateJobTimeoutResponse> {
        rpc::update_job_timeout(self, request.into_inner()).await.map(Response::new)
    }

    async fn create_process_instance(
        &self,
        request: Request<CreateProcessInstanceRequest>,
    ) -> Answer<CreateProcessInstanceResponse> {
        rpc::create_process_instance(self, request.into_inner()).await.map(Response::new)
    }

    async fn create_process_instance_with_result(
        &self,
        request: Request<CreateProcessInstanceWithResultRequest>,
    ) -> Answer<CreateProcessInstanceWithResultResponse> {
        rpc::create_process_instance_with_result(self, request.into_inner())
            .await
            .map(Response::new)
    }

    async fn cancel_process_instance(
        &self,
        request: Request<CancelProcessInstanceRequest>,
    ) -> Answer<CancelProcessInstanceResponse> {
        rpc::cancel_process_instance(self, request.into_inner()).await.map(Response::new)
    }

    async fn set_variables(
        &self,
        request: Request<SetVariablesRequest>,
    ) -> Answer<SetVariablesResponse> {
        rpc::set_variables(self, request.into_inner()).await.map(Response::new)
    }

    async fn resolve_incident(
        &self,
        request: Request<ResolveIncidentRequest>,
    ) -> Answer<ResolveIncidentResponse> {
        rpc::resolve_incident(self, request.into_inner()).await.map(Response::new)
    }

    async fn deploy_resource(
        &self,
        request: Request<DeployResourceRequest>,
    ) -> Answer<DeployResourceResponse> {
        rpc::deploy_resource(self, request.into_inner()).await.map(Response::new)
    }

    async fn deploy_process(
        &self,
        request: Request<DeployProcessRequest>,
    ) -> Answer<DeployProcessResponse> {
        rpc::deploy_process(self, request.into_inner()).await.map(Response::new)
    }

    async fn modify_process_instance(
        &self,
        request: Request<ModifyProcessInstanceRequest>,
    ) -> Answer<ModifyProcessInstanceResponse> {
        rpc::modify_process_instance(self, request.into_inner()).await.map(Response::new)
    }

    async fn migrate_process_instance(
        &self,
        request: Request<MigrateProcessInstanceRequest>,
    ) -> Answer<MigrateProcessInstanceResponse> {
        rpc::migrate_process_instance(self, request.into_inner()).await.map(Response::new)
    }

    async fn publish_message(
        &self,
        request: Request<PublishMessageRequest>,
    ) -> Answer<PublishMessageResponse> {
        rpc::publish_message(self, request.into_inner()).await.map(Response::new)
    }

    async fn broadcast_signal(
        &self,
        request: Request<BroadcastSignalRequest>,
    ) -> Answer<BroadcastSignalResponse> {
        rpc::broadcast_signal(self, request.into_inner()).await.map(Response::new)
    }

    async fn topology(&self, _request: Request<TopologyRequest>) -> Answer<TopologyResponse> {
        rpc::topology(self).await.map(Response::new)
    }

    async fn update_job_priority(
        &self,
        request: Request<UpdateJobPriorityRequest>,
    ) -> Answer<UpdateJobPriorityResponse> {
        rpc::update_job_priority(self, request.into_inner()).await.map(Response::new)
    }

    // ---- known to clients, answered by a later release

    async fn assign_process_instance_business_id(
        &self,
        _request: Request<AssignProcessInstanceBusinessIdRequest>,
    ) -> Answer<AssignProcessInstanceBusinessIdResponse> {
        Err(status::not_yet("AssignProcessInstanceBusinessId"))
    }

    async fn delete_resource(
        &self,
        request: Request<DeleteResourceRequest>,
    ) -> Answer<DeleteResourceResponse> {
        rpc::delete_resource(self, request.into_inner()).await.map(Response::new)
    }

    async fn evaluate_decision(
        &self,
        request: Request<EvaluateDecisionRequest>,
    ) -> Answer<EvaluateDecisionResponse> {
        rpc::evaluate_decision(self, request.into_inner()).await.map(Response::new)
    }

    async fn evaluate_conditional(
        &self,
        request: Request<EvaluateConditionalRequest>,
    ) -> Answer<EvaluateConditionalResponse> {
        rpc::evaluate_conditional(self, request.into_inner()).await.map(Response::new)
    }
}
