//! The executor of this node: what runs the engine's own jobs.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use orloj_store::{DefinitionFilter, DefinitionRow, PAGE_ROWS_MAX, Page, StoredDeployment};
use orloj_types::{DefinitionKey, DeploymentKey};

use crate::api::{Error, Missing};
use crate::handle::{Orloj, unexpected};
use crate::node::{ExecutorReport, Reply, Request, store_error};

/// Of one engine; see [`Orloj::executor`].
#[derive(Clone, Copy)]
pub struct ExecutorHandle<'a> {
    engine: &'a Orloj,
}

impl Orloj {
    /// Switches the executor of this node. While it is off, nothing of the engine's own runs here:
    /// no continuation, no timer; workers are served all the same.
    pub fn executor(&self) -> ExecutorHandle<'_> {
        ExecutorHandle { engine: self }
    }

    /// What is deployed here is registered here.
    pub(crate) async fn register_deployed(&self, stored: &StoredDeployment) -> Result<(), Error> {
        let new = (!stored.duplicate).then_some(stored.key);
        let deployments = by_deployment(new, &stored.definitions);
        self.done(Request::Register { deployments }).await
    }
}

impl ExecutorHandle<'_> {
    /// From now on this node takes jobs. Idempotent.
    pub async fn start(&self) -> Result<(), Error> {
        self.engine.done(Request::Executor { is_active: true }).await
    }

    /// No job is begun any more; those queued are given back, which costs no retry, and those that
    /// run are finished. Idempotent.
    pub async fn stop(&self) -> Result<(), Error> {
        self.engine.done(Request::Executor { is_active: false }).await
    }

    pub fn is_active(&self) -> bool {
        self.engine.inner.is_executor_active.load(Ordering::SeqCst)
    }

    // ---- deployments

    /// A node that is aware of deployments takes the jobs of these from now on. Idempotent; what is
    /// deployed through a node is registered with it already.
    pub async fn register(&self, deployments: &[DeploymentKey]) -> Result<(), Error> {
        let found = self.definitions_of(|row| deployments.contains(&row.deployment)).await?;
        let found = by_deployment([], &found);
        let is_missing = |key: &&DeploymentKey| !found.iter().any(|(known, _)| known == *key);
        if let Some(missing) = deployments.iter().find(is_missing) {
            return Err(Error::Missing(Missing::Deployment(missing.raw())));
        }
        self.engine.done(Request::Register { deployments: found }).await
    }

    /// Registers every deployment there is.
    pub async fn register_all(&self) -> Result<(), Error> {
        let found = self.definitions_of(|_| true).await?;
        self.engine.done(Request::Register { deployments: by_deployment([], &found) }).await
    }

    /// From now on jobs of these are left to other nodes, if this one is aware of deployments.
    /// Those that wait here for their turn are given back, at no cost. Idempotent.
    pub async fn unregister(&self, deployments: &[DeploymentKey]) -> Result<(), Error> {
        let deployments = deployments.to_vec();
        self.engine.done(Request::Unregister { deployments }).await
    }

    /// In ascending order.
    pub async fn registered(&self) -> Result<Vec<DeploymentKey>, Error> {
        match self.engine.request(Request::Registered).await? {
            Reply::Deployments(deployments) => Ok(deployments),
            other => Err(unexpected(&other)),
        }
    }

    async fn definitions_of(
        &self,
        is_wanted: impl Fn(&DefinitionRow) -> bool,
    ) -> Result<Vec<DefinitionRow>, Error> {
        let mut found = Vec::new();
        let mut before = None;
        loop {
            let page = Page { before, limit: PAGE_ROWS_MAX };
            let filter = DefinitionFilter::default();
            let rows = self.engine.inner.store.definitions(filter, page).await;
            let rows = rows.map_err(|e| store_error(&e))?;
            let Some(last) = rows.last() else { return Ok(found) };
            before = Some(last.key.raw());
            found.extend(rows.into_iter().filter(&is_wanted));
        }
    }

    // ---- what it does

    /// What it is doing at this moment, and what keeps jobs from running.
    pub async fn report(&self) -> Result<ExecutorReport, Error> {
        match self.engine.request(Request::Report).await? {
            Reply::Report(report) => Ok(*report),
            other => Err(unexpected(&other)),
        }
    }

    /// Lets jobs of a topic through again that its circuit breaker on this node keeps back.
    pub async fn close_breaker(&self, topic: &str) -> Result<(), Error> {
        self.engine.done(Request::CloseBreaker { topic: topic.into() }).await
    }
}

fn by_deployment(
    more: impl IntoIterator<Item = DeploymentKey>,
    definitions: &[DefinitionRow],
) -> Vec<(DeploymentKey, Vec<DefinitionKey>)> {
    let mut found: BTreeMap<DeploymentKey, Vec<DefinitionKey>> = BTreeMap::new();
    for deployment in more {
        found.entry(deployment).or_default();
    }
    for row in definitions {
        found.entry(row.deployment).or_default().push(row.key);
    }
    found.into_iter().collect()
}
