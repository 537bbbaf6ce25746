//! Listening for notices of other nodes, on a connection of its own.
//!
//! Nothing depends on it: a node that hears nothing finds work by its heartbeat. Behind a pooler
//! listening succeeds and stays silent, so the listener first waits for a word of its own.

#![expect(clippy::disallowed_methods, reason = "a driver: it owns connections and their time")]

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use orloj_store::{Error, Notice};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{AsyncMessage, Client};

use crate::connector::{Connector, PlainDriver};
use crate::error::{describe, portable};
use crate::notice;
use crate::sql::quoted;
use crate::store::Shared;

/// Longest wait between attempts to listen again after the connection was lost.
const PAUSE_MAX: Duration = Duration::from_secs(30);
const PAUSE_FIRST: Duration = Duration::from_millis(100);
/// Own words arrive within milliseconds or not at all.
const ECHO_MAX: Duration = Duration::from_secs(5);

pub(crate) type Sink = Box<dyn Fn(Notice) + Send + Sync>;

impl Shared {
    pub(crate) async fn notify(&self, notices: &[Notice]) -> Result<(), Error> {
        self.send_payloads(notice::encode(self.sender, notices)).await
    }

    async fn send_payloads(&self, payloads: Vec<String>) -> Result<(), Error> {
        if payloads.is_empty() {
            return Ok(());
        }
        let params: [(&(dyn ToSql + Sync), Type); 2] =
            [(&self.channel, Type::TEXT), (&payloads, Type::TEXT_ARRAY)];
        self.write(&self.sql.notify, &params).await.map(drop)
    }
}

/// Listens until the store is closed.
pub(crate) async fn run(shared: Arc<Shared>, connector: Arc<Connector>, sink: Sink) {
    let mut pause = PAUSE_FIRST;
    let mut warned = false;
    while !shared.connector.is_closed() {
        let heard = AtomicBool::new(false);
        let ended = listen(&shared, &connector, &sink, &heard, &mut warned).await;
        if heard.load(Ordering::Relaxed) {
            pause = PAUSE_FIRST;
        }
        tracing::debug!(reason = %ended, "listening ended");
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(PAUSE_MAX);
    }
}

/// Until the connection is lost; gives the reason.
async fn listen(
    shared: &Arc<Shared>,
    connector: &Connector,
    sink: &Sink,
    heard: &AtomicBool,
    warned: &mut bool,
) -> Error {
    let (client, mut driver) = match connector.open_plain().await {
        Ok(opened) => opened,
        Err(error) => {
            warn_once(warned, &describe(&error));
            return portable(&error);
        }
    };
    let receive = async {
        loop {
            match next_message(&mut driver).await {
                Some(Ok(AsyncMessage::Notification(message))) => {
                    if !heard.swap(true, Ordering::Relaxed) {
                        sink(Notice::Listening);
                    }
                    deliver(shared, sink, message.payload());
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return portable(&error),
                None => return Error::Unavailable("the connection was closed".to_owned()),
            }
        }
    };
    let speak = async {
        let echo = listen_and_echo(shared, &client).await;
        tokio::time::sleep(ECHO_MAX).await;
        if echo.is_err() || !heard.load(Ordering::Relaxed) {
            warn_once(warned, "notifications do not come through");
        }
        // The client must outlive the driver's work.
        std::future::pending::<Error>().await
    };
    tokio::select! {
        ended = receive => ended,
        ended = speak => ended,
    }
}

async fn listen_and_echo(shared: &Shared, client: &Client) -> Result<(), Error> {
    let listen = format!("LISTEN {}", quoted(&shared.channel));
    client.batch_execute(&listen).await.map_err(|e| portable(&e))?;
    shared.send_payloads(vec![format!("{:x}", shared.sender)]).await
}

fn deliver(shared: &Shared, sink: &Sink, payload: &str) {
    match notice::decode(payload) {
        Some((sender, _)) if sender == shared.sender => {}
        Some((_, notices)) => notices.into_iter().for_each(sink),
        None => tracing::debug!("a notification that is not ours"),
    }
}

async fn next_message(
    driver: &mut PlainDriver,
) -> Option<Result<AsyncMessage, tokio_postgres::Error>> {
    poll_fn(|cx| match driver {
        PlainDriver::Plain(driver) => driver.poll_message(cx),
        PlainDriver::Tls(driver) => driver.poll_message(cx),
    })
    .await
}

fn warn_once(warned: &mut bool, reason: &str) {
    if !std::mem::replace(warned, true) {
        tracing::warn!(reason, "cannot listen for other nodes; their work is found by polling");
    }
}
