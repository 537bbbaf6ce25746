//! Deployments: files that came together, and which of them this node runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_store::{DefinitionRow, InstanceFilter};
use orloj_types::{DefinitionKey, DeploymentKey, TenantId, Timestamp};

use super::definitions::{DefinitionQuery, Definitions};
use super::desk::Desk;
use super::instances::{InstanceAction, InstanceQuery, InstanceScope, Instances};
use super::operation::Entry;
use crate::api::{DefinitionView, Error, Missing};
use crate::handle::{Orloj, unexpected};
use crate::node::{Reply, Request, store_error};

/// See [`Orloj::deployments`].
#[derive(Clone)]
pub struct Deployments {
    desk: Desk,
}

#[derive(Clone, Debug)]
pub struct DeploymentView {
    pub key: DeploymentKey,
    pub tenant: TenantId,
    pub deployed_at: Timestamp,
    /// In the order of their files.
    pub definitions: Vec<DefinitionView>,
}

impl Orloj {
    pub fn deployments(&self) -> Deployments {
        Deployments { desk: Desk::new(self) }
    }
}

impl Deployments {
    /// Who gives the orders, for the log.
    pub fn by(self, user: &str) -> Self {
        Self { desk: self.desk.by(user) }
    }

    /// Those that brought processes, newest first.
    pub async fn list(&self) -> Result<Vec<DeploymentView>, Error> {
        let rows = self.definitions().rows(&DefinitionQuery::default()).await?;
        let mut found: BTreeMap<DeploymentKey, Vec<DefinitionRow>> = BTreeMap::new();
        for row in rows {
            found.entry(row.deployment).or_default().push(row);
        }
        Ok(found.into_iter().rev().filter_map(|(key, rows)| view(key, rows)).collect())
    }

    pub async fn get(&self, key: DeploymentKey) -> Result<DeploymentView, Error> {
        let missing = Error::Missing(Missing::Deployment(key.raw()));
        view(key, self.rows(key).await?).ok_or(missing)
    }

    /// The names of its files that hold processes.
    pub async fn resources(&self, key: DeploymentKey) -> Result<Vec<Arc<str>>, Error> {
        let view = self.get(key).await?;
        let mut names: Vec<_> =
            view.definitions.into_iter().map(|definition| definition.resource_name).collect();
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// A file of it, whatever it holds.
    pub async fn resource(&self, key: DeploymentKey, name: &str) -> Result<Arc<[u8]>, Error> {
        let content = self.desk.engine.inner.store.resource(key, name.into()).await;
        let content = content.map_err(|e| store_error(&e))?;
        content.ok_or(Error::Missing(Missing::Deployment(key.raw())))
    }

    /// All its definitions go. With `cascade` their instances too; without, it is refused while
    /// there are some.
    pub async fn delete(&self, key: DeploymentKey, cascade: bool) -> Result<(), Error> {
        let rows = self.rows(key).await?;
        if rows.is_empty() {
            return Err(Error::Missing(Missing::Deployment(key.raw())));
        }
        let desk = self.desk.as_one().await?;
        if !cascade {
            for row in &rows {
                let filter =
                    InstanceFilter { definition: Some(row.key), ..InstanceFilter::default() };
                let count = desk.engine.inner.store.count_instances(filter).await;
                let count = count.map_err(|e| store_error(&e))?;
                if count > 0 {
                    let id = &row.process_id;
                    let reason = format!("{count} instances of process '{id}' run; cascade");
                    return Err(Error::Invalid(reason));
                }
            }
        }
        let definitions = Definitions { desk: desk.clone() };
        for row in &rows {
            definitions.delete(row.key).await?;
        }
        if cascade {
            let instances = Instances { desk: desk.clone() };
            for row in &rows {
                let query = InstanceQuery { definition: Some(row.key), ..InstanceQuery::default() };
                let bulk = instances.all(InstanceScope::Query(query), InstanceAction::Delete);
                let report = bulk.run().await?;
                // Called instances end with those that called them.
                let failed = report.errors.into_iter().map(|item| item.error).find(|error| {
                    !matches!(
                        error,
                        Error::IsCalled { .. } | Error::Missing(_) | Error::Rejected(_)
                    )
                });
                if let Some(error) = failed {
                    return Err(error);
                }
            }
        }
        self.forget(key).await?;
        desk.note(vec![Entry::new("Delete", "Deployment", Some(key.raw()))]).await
    }

    // ---- deployment awareness

    /// This node's executor takes jobs of the deployment.
    pub async fn register(&self, key: DeploymentKey) -> Result<(), Error> {
        let rows = self.rows(key).await?;
        if rows.is_empty() {
            return Err(Error::Missing(Missing::Deployment(key.raw())));
        }
        let definitions: Vec<DefinitionKey> = rows.iter().map(|row| row.key).collect();
        let deployments = vec![(key, definitions)];
        self.desk.engine.done(Request::Register { deployments }).await
    }

    /// Jobs of it that wait here for their turn go back. One that was deleted elsewhere may still
    /// be registered here; one that never was is [`Missing`].
    pub async fn unregister(&self, key: DeploymentKey) -> Result<(), Error> {
        if !self.registered().await?.contains(&key) && self.rows(key).await?.is_empty() {
            return Err(Error::Missing(Missing::Deployment(key.raw())));
        }
        self.forget(key).await
    }

    async fn forget(&self, key: DeploymentKey) -> Result<(), Error> {
        self.desk.engine.done(Request::Unregister { deployments: vec![key] }).await?;
        self.desk.wake().await;
        Ok(())
    }

    /// Those that are registered with this node.
    pub async fn registered(&self) -> Result<Vec<DeploymentKey>, Error> {
        match self.desk.engine.request(Request::Registered).await? {
            Reply::Deployments(keys) => Ok(keys),
            other => Err(unexpected(&other)),
        }
    }

    async fn rows(&self, key: DeploymentKey) -> Result<Vec<DefinitionRow>, Error> {
        let query = DefinitionQuery { deployment: Some(key), ..DefinitionQuery::default() };
        self.definitions().rows(&query).await
    }

    fn definitions(&self) -> Definitions {
        Definitions { desk: self.desk.clone() }
    }
}

fn view(key: DeploymentKey, mut rows: Vec<DefinitionRow>) -> Option<DeploymentView> {
    rows.sort_by_key(|row| row.key);
    let first = rows.first()?;
    Some(DeploymentView {
        key,
        tenant: first.tenant.clone(),
        deployed_at: first.deployed_at,
        definitions: rows.iter().map(DefinitionView::from).collect(),
    })
}
