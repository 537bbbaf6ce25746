//! What the nouns have in common: who gives the orders, how they are sent and logged, and how all
//! nodes are told.

#![expect(clippy::disallowed_methods, reason = "the desk waits for its callers")]

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use orloj_interpreter::Command;
use orloj_store::{Change, ChoreWrite, Notice, OperationRow};
use orloj_types::{
    DefinitionKey, DeploymentKey, InstanceKey, JobKey, OperationKey, TenantId, Timestamp,
};
use thin_vec::thin_vec;

use super::definitions::Suspended;
use super::operation::{Entry, Written};
use crate::api::Error;
use crate::definition::Definition;
use crate::driver::Input;
use crate::handle::{Orloj, unexpected};
use crate::history::operations::is_logged;
use crate::node::chores::{LaterSuspension, Suspension, suspension_chore};
use crate::node::{Event, Manage, Reply, Request, store_error};

/// How often something that others change at the same moment is tried.
pub(crate) const TRIES_MAX: u32 = 20;
/// Between two looks at what the nodes have seen: short against a heartbeat.
const SEEN_POLL: Duration = Duration::from_millis(5);
/// Between two looks whether something is settled that takes a transaction.
const SETTLED_POLL: Duration = Duration::from_millis(20);
/// Longer than it takes to find out that a node is dead.
const SEEN_WAIT_MAX: Duration = Duration::from_secs(30);

#[derive(Clone)]
pub(crate) struct Desk {
    pub engine: Orloj,
    pub user: Option<Arc<str>>,
    /// Of an operation that has many parts.
    pub group: Option<OperationKey>,
    /// Of a bulk, once it has begun: how what is done is told.
    pub telling: Arc<OnceLock<Telling>>,
}

/// How the parts of an operation on many things are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    /// Somebody else tells what is done.
    Quiet,
    /// Each for itself, together with the others.
    Group(OperationKey),
}

impl Desk {
    pub fn new(engine: &Orloj) -> Self {
        let user = engine.user.clone();
        Self { engine: engine.clone(), user, group: None, telling: Arc::default() }
    }

    pub fn by(self, user: &str) -> Self {
        Self { user: Some(user.into()), ..self }
    }

    /// All that is done from now on counts as one operation.
    pub async fn as_one(&self) -> Result<Self, Error> {
        Ok(Self { group: Some(self.operation().await?), ..self.clone() })
    }

    /// The operation that this is a part of, or a new one.
    pub async fn operation(&self) -> Result<OperationKey, Error> {
        match self.part_of() {
            Some(group) => Ok(group),
            None => Ok(OperationKey::new(self.keys(1).await?.first().copied().unwrap_or_default())),
        }
    }

    fn part_of(&self) -> Option<OperationKey> {
        match self.telling.get() {
            Some(Telling::Group(group)) => Some(*group),
            Some(Telling::Quiet) | None => self.group,
        }
    }

    pub fn is_quiet(&self) -> bool {
        self.telling.get() == Some(&Telling::Quiet)
    }

    /// Whether what is done here is told at all, whoever tells it.
    pub fn is_logged(&self) -> bool {
        is_logged(&self.engine.inner.settings, self.user.as_deref())
    }

    pub async fn keys(&self, count: usize) -> Result<Vec<i64>, Error> {
        match self.engine.request(Request::Keys { count }).await? {
            Reply::Keys(keys) => Ok(keys),
            other => Err(unexpected(&other)),
        }
    }

    pub async fn log(&self, entries: Vec<Entry>) -> Result<Vec<OperationRow>, Error> {
        if entries.is_empty() || self.is_quiet() || !self.is_logged() {
            return Ok(Vec::new());
        }
        let keys = self.keys(entries.len()).await?;
        let first = keys.first().copied().unwrap_or_default();
        let group = self.part_of().unwrap_or(OperationKey::new(first));
        let at = self.engine.now();
        let rows = entries.into_iter().zip(keys).map(|(entry, key)| {
            entry.row(Written {
                key: OperationKey::new(key),
                group,
                engine: &self.engine.inner.engine,
                user: self.user.as_ref(),
                at,
            })
        });
        Ok(rows.collect())
    }

    pub async fn command(
        &self,
        instance: InstanceKey,
        command: Command,
        entries: Vec<Entry>,
    ) -> Result<(), Error> {
        self.order(Order { instance, command, target: None, free: None, entries }).await
    }

    pub async fn order(&self, order: Order) -> Result<(), Error> {
        let Order { instance, command, target, free, entries } = order;
        let log = self.log(entries).await?;
        let manage = Manage { instance, command, target, log, free };
        match self.engine.request(Request::Manage(Box::new(manage))).await? {
            Reply::Done | Reply::Keys(_) => Ok(()),
            other => Err(unexpected(&other)),
        }
    }

    /// Writes what belongs to no instance, and tells every node that there may be something to do.
    pub async fn write(&self, mut change: Change, entries: Vec<Entry>) -> Result<(), Error> {
        change.operations.extend(self.log(entries).await?);
        self.engine.done(Request::Write(Box::new(change))).await?;
        self.wake().await;
        Ok(())
    }

    /// Only the log: what it tells of has been written beside.
    pub async fn note(&self, entries: Vec<Entry>) -> Result<(), Error> {
        let operations = self.log(entries).await?;
        let change = Change { operations: operations.into(), ..Change::default() };
        self.engine.done(Request::Write(Box::new(change))).await
    }

    /// A chore does it at a moment.
    pub async fn schedule(
        &self,
        suspension: &Suspension,
        (definition, tenant): (DefinitionKey, TenantId),
        at: Timestamp,
        entries: Vec<Entry>,
    ) -> Result<Suspended, Error> {
        let key = JobKey::new(self.keys(1).await?.first().copied().unwrap_or_default());
        let row = suspension_chore(&LaterSuspension {
            key,
            engine: &self.engine.inner.engine,
            tenant: &tenant,
            definition,
            suspension,
            at,
            retries: self.engine.inner.settings.jobs.retries,
            now: self.engine.now(),
        });
        let change = Change { chores: thin_vec![ChoreWrite::Insert(row)], ..Change::default() };
        self.write(change, entries).await?;
        self.tell(vec![Notice::DueAt(at)]).await;
        Ok(Suspended::Scheduled(key))
    }

    /// There may be something to run, now or at another moment than before.
    pub async fn wake(&self) {
        let ready = Notice::JobsReady { types: vec!["".into()] };
        self.tell(vec![ready, Notice::DueAt(self.engine.now())]).await;
    }

    pub async fn tell(&self, notices: Vec<Notice>) {
        for notice in &notices {
            // An engine that stops does nothing any more.
            let _ = self.engine.inner.inputs.send(Input::Event(Event::Noticed(notice.clone())));
        }
        // A hint; heartbeats tell as well.
        let _ = self.engine.inner.store.notify(notices).await;
    }

    /// Tells every node of new settings and waits until each has them, or is gone.
    /// [`Error::Deadline`]: they are written, but some node has not seen them.
    pub async fn settled(&self, version: i64) -> Result<(), Error> {
        let seen = async {
            loop {
                self.tell(vec![Notice::Settings(version)]).await;
                let nodes = self.engine.inner.store.nodes().await.map_err(|e| store_error(&e))?;
                if nodes.iter().all(|node| node.settings_seen >= version) {
                    return Ok(());
                }
                tokio::time::sleep(SEEN_POLL).await;
            }
        };
        tokio::time::timeout(SEEN_WAIT_MAX, seen).await.unwrap_or(Err(Error::Deadline))
    }

    /// Waits until nodes, all of which have seen it, have settled the change of a tenant.
    pub async fn tenant_settled(&self, deployment: DeploymentKey) -> Result<(), Error> {
        let settled = async {
            loop {
                let stored = self.engine.inner.store.settings().await;
                let moved = stored.map_err(|e| store_error(&e))?.moved;
                if moved.iter().all(|row| row.deployment != deployment || row.is_settled) {
                    return Ok(());
                }
                tokio::time::sleep(SETTLED_POLL).await;
            }
        };
        tokio::time::timeout(SEEN_WAIT_MAX, settled).await.unwrap_or(Err(Error::Deadline))
    }
}

/// A command for an instance.
pub(crate) struct Order {
    pub instance: InstanceKey,
    pub command: Command,
    pub target: Option<Arc<Definition>>,
    /// See [`Manage::free`].
    pub free: Option<JobKey>,
    pub entries: Vec<Entry>,
}
