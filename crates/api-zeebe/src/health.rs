//! The standard gRPC health service, for the gateway and for the server as a whole.

#![expect(clippy::disallowed_methods, reason = "a watcher waits in real time")]

use std::pin::Pin;
use std::time::Duration;

use futures_util::{Stream, stream};
use orloj::Orloj;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse, health_server};

use crate::status;

const SERVICES: [&str; 2] = ["", "gateway_protocol.Gateway"];
/// How often a watcher looks; the engine becomes ready once and stays so.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);

pub(crate) struct Health {
    state: State,
}

#[derive(Clone)]
struct State {
    orloj: Orloj,
    closing: CancellationToken,
}

impl Health {
    pub fn new(orloj: Orloj, closing: CancellationToken) -> Self {
        Self { state: State { orloj, closing } }
    }
}

impl State {
    fn now(&self) -> ServingStatus {
        match !self.closing.is_cancelled() && self.orloj.is_ready() {
            true => ServingStatus::Serving,
            false => ServingStatus::NotServing,
        }
    }
}

type Watch = Pin<Box<dyn Stream<Item = Result<HealthCheckResponse, Status>> + Send>>;

#[tonic::async_trait]
impl health_server::Health for Health {
    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        let service = request.into_inner().service;
        if !SERVICES.contains(&service.as_str()) {
            return Err(status::unknown_service(&service));
        }
        Ok(Response::new(answer(self.state.now())))
    }

    type WatchStream = Watch;

    /// Says how things are, then every change. The last word at shutdown is "not serving".
    async fn watch(&self, request: Request<HealthCheckRequest>) -> Result<Response<Watch>, Status> {
        if !SERVICES.contains(&request.into_inner().service.as_str()) {
            // The protocol wants the call kept open: the service might appear later.
            let unknown = stream::iter([Ok(answer(ServingStatus::ServiceUnknown))]);
            let closing = self.state.closing.clone();
            let until_closing = stream::once(async move { closing.cancelled().await });
            let rest = futures_util::StreamExt::filter_map(until_closing, async |()| None);
            return Ok(Response::new(Box::pin(futures_util::StreamExt::chain(unknown, rest))));
        }
        let changes = stream::unfold((self.state.clone(), None), async |(state, told)| {
            loop {
                let closing = state.closing.is_cancelled();
                let now = state.now();
                if told != Some(now) {
                    return Some((Ok(answer(now)), (state, Some(now))));
                }
                if closing {
                    return None;
                }
                tokio::select! {
                    () = state.closing.cancelled() => {}
                    () = tokio::time::sleep(LOOK_INTERVAL) => {}
                }
            }
        });
        Ok(Response::new(Box::pin(changes)))
    }
}

fn answer(status: ServingStatus) -> HealthCheckResponse {
    HealthCheckResponse { status: status.into() }
}
