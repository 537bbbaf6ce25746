//! The HTTP listener: accepts, serves, and lets go in an orderly way.

#![expect(clippy::disallowed_methods, reason = "a driver: one task per connection")]

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::middleware::map_request;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use orloj::Orloj;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::signals::Stop;

/// Enough for people and scripts; far below the usual limit of 1,024 files, which the store and
/// the gateway share. Further clients wait in the operating system's queue.
const CONNECTIONS_MAX: usize = 256;
/// A client has so long for the head of its next request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// How often a silent HTTP/2 client is asked whether it lives.
const PING_INTERVAL: Duration = Duration::from_secs(30);
/// After a failed accept, which nearly always means that no file is left to open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The API of a further engine, to be nested below its name: `/jobs` there is `/api/jobs` here.
pub fn of_engine(orloj: Orloj) -> Router {
    let router = orloj_api_orloj::router(orloj);
    Router::new().fallback_service(router).layer(map_request(below_api))
}

async fn below_api(mut request: Request) -> Request {
    let uri = request.uri();
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    // A path that is one stays one below another.
    if let Ok(path) = format!("/api{}{query}", uri.path()).parse() {
        *request.uri_mut() = path;
    }
    request
}

/// Until `stop`; then no connection is accepted, and those open end with their current request.
pub async fn serve(listener: TcpListener, router: Router, stop: Stop) {
    let builder = builder();
    let open = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let place = tokio::select! {
            () = stop.cancelled() => break,
            place = places.clone().acquire_owned() => place.expect("the semaphore is never closed"),
        };
        let stream = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = builder.serve_connection(io(stream), service).into_owned();
        let connection = open.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error, "connection ended");
            }
            drop(place);
        });
    }
    drop(listener);
    open.shutdown().await;
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    builder.http2().timer(TokioTimer::new()).keep_alive_interval(PING_INTERVAL);
    builder
}

fn io(stream: TcpStream) -> TokioIo<TcpStream> {
    if let Err(error) = stream.set_nodelay(true) {
        // Only slower.
        tracing::debug!(%error, "cannot turn off Nagle's algorithm");
    }
    TokioIo::new(stream)
}
