//! The gateway on a socket of its own.

#![expect(clippy::disallowed_methods, reason = "a server lives in real time")]

use std::future::Future;
use std::io;
use std::time::Duration;

use futures_util::{Stream, stream};
use orloj::Orloj;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tonic::transport::Server;

use crate::options::Options;
use crate::router::router;

/// Streams and polls are calls that stay open, and one connection may carry all workers of a
/// client; libraries queue what goes beyond without a word.
const CALLS_PER_CONNECTION_MAX: u32 = 10_000;
/// A deployment of 4 MB fits in few round trips; small against what a connection costs anyway,
/// because a window is a permission, not a buffer.
const STREAM_WINDOW_BYTES: u32 = 1024 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = 4 * 1024 * 1024;
/// Workers cancel polls by the thousand when they stop; that is no attack.
const RESETS_BEFORE_ACCEPT_MAX: usize = 1_024;
/// Out of file handles: wait for some to come back instead of spinning.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("gateway: {0}")]
    Transport(#[from] tonic::transport::Error),
}

/// Serves plaintext HTTP/2 on `listener` until `shutdown`, then lets calls that are under way
/// finish within the grace time.
pub async fn serve(
    listener: TcpListener,
    orloj: Orloj,
    options: Options,
    shutdown: impl Future<Output = ()>,
) -> Result<(), Error> {
    let closing = CancellationToken::new();
    let grace = options.shutdown_grace;
    let server = Server::builder()
        .http2_keepalive_interval(Some(options.keep_alive_interval))
        .http2_keepalive_timeout(Some(options.keep_alive_timeout))
        .max_concurrent_streams(CALLS_PER_CONNECTION_MAX)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .http2_max_pending_accept_reset_streams(Some(RESETS_BEFORE_ACCEPT_MAX))
        .add_routes(router(orloj, options, closing.clone()))
        .serve_with_incoming_shutdown(connections(listener), closing.clone().cancelled_owned());
    let mut server = std::pin::pin!(server);
    tokio::select! {
        ended = &mut server => return Ok(ended?),
        () = shutdown => closing.cancel(),
    }
    match tokio::time::timeout(grace, server).await {
        Ok(ended) => Ok(ended?),
        Err(_) => {
            tracing::warn!(?grace, "calls still under way were cut off");
            Ok(())
        }
    }
}

/// Accepted connections, for ever: a failed accept concerns one client, or all for a moment.
fn connections(listener: TcpListener) -> impl Stream<Item = io::Result<TcpStream>> {
    stream::unfold(listener, |listener| async move {
        loop {
            match listener.accept().await {
                Ok((connection, _)) => {
                    // Without it small answers wait for the client's delayed acknowledgement. A
                    // connection that cannot be set is already gone.
                    let _ = connection.set_nodelay(true);
                    return Some((Ok(connection), listener));
                }
                Err(error) => {
                    tracing::warn!(%error, "could not accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    })
}
