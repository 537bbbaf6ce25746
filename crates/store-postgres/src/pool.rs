//! The connections for everything but groups: a few, each lent to one caller at a time.

#![expect(clippy::disallowed_methods, reason = "a driver: it owns connections and their time")]

use std::ops::Deref;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use orloj_store::Error;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::connection::Connection;
use crate::connector::Connector;
use crate::error::closed;

/// How long a caller waits for its turn before it is told that the store is overloaded.
const TURN_MAX: Duration = Duration::from_secs(15);

pub(crate) struct Pool {
    connector: Arc<Connector>,
    runtime: Handle,
    idle: Mutex<Vec<Connection>>,
    turns: Semaphore,
}

impl Pool {
    pub fn new(connector: Arc<Connector>, size: u8) -> Self {
        Self {
            connector,
            runtime: Handle::current(),
            idle: Mutex::default(),
            turns: Semaphore::new(size.into()),
        }
    }

    pub async fn get(&self) -> Result<Pooled<'_>, Error> {
        let turn = match tokio::time::timeout(TURN_MAX, self.turns.acquire()).await {
            Ok(Ok(turn)) => turn,
            Ok(Err(_)) => return Err(closed()),
            Err(_) => {
                return Err(Error::Unavailable("all connections were busy for long".to_owned()));
            }
        };
        let connection = match self.take_idle() {
            Some(connection) => connection,
            None => self.open().await?,
        };
        Ok(Pooled { pool: self, connection: Some(connection), dirty: false, _turn: turn })
    }

    /// On the store's runtime, whichever the caller has: it may end before the connection does.
    pub async fn open(&self) -> Result<Connection, Error> {
        let connector = Arc::clone(&self.connector);
        let opened = self.runtime.spawn(async move { connector.open().await }).await;
        opened.unwrap_or_else(|_| Err(closed()))
    }

    pub fn close(&self) {
        self.turns.close();
        self.idle().clear();
    }

    fn take_idle(&self) -> Option<Connection> {
        let mut idle = self.idle();
        while let Some(connection) = idle.pop() {
            if !connection.is_closed() {
                return Some(connection);
            }
        }
        None
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().expect("nothing panics while it is held")
    }
}

/// A connection on loan. It goes back when dropped, unless a transaction may be open on it.
pub(crate) struct Pooled<'a> {
    pool: &'a Pool,
    connection: Option<Connection>,
    pub dirty: bool,
    _turn: SemaphorePermit<'a>,
}

impl Deref for Pooled<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("it is taken only by drop")
    }
}

impl Drop for Pooled<'_> {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if self.dirty {
            connection.discard();
        } else if !connection.is_closed() && !self.pool.turns.is_closed() {
            self.pool.idle().push(connection);
        }
    }
}
