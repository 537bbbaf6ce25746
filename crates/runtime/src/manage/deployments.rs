//! Deployments: files that came together, and which of them this node runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use orloj_store::{
    AssetRow, DecisionRow, DefinitionFilter, DefinitionRow, Error as StoreError, InstanceFilter,
    Notice, PAGE_ROWS_MAX, Page, SetTenant, TenantSet,
};
use orloj_types::{DefinitionKey, DeploymentKey, TenantId, Timestamp};

use super::definitions::Definitions;
use super::desk::{Desk, TRIES_MAX};
use super::instances::{InstanceAction, InstanceQuery, InstanceScope, Instances};
use super::operation::Entry;
use crate::api::{AssetView, DecisionView, DefinitionView, Error, Missing};
use crate::handle::{Orloj, check_tenant, unexpected};
use crate::history::is_chore_logged;
use crate::node::{Reply, Request, store_error};

/// The second time is already rare.
const DEADLOCKS_MAX: u32 = 3;

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
    /// Those that are left of it, in the order of their files; so the others.
    pub definitions: Vec<DefinitionView>,
    pub decisions: Vec<DecisionView>,
    pub assets: Vec<AssetView>,
}

impl DeploymentView {
    /// The names of the files that these came in.
    pub fn resources(&self) -> BTreeSet<Arc<str>> {
        let definitions = self.definitions.iter().map(|one| &one.resource_name);
        let decisions = self.decisions.iter().map(|one| &one.resource_name);
        let assets = self.assets.iter().map(|one| &one.resource_name);
        definitions.chain(decisions).chain(assets).cloned().collect()
    }
}

/// What deployments brought and what was not deleted since, oldest first.
#[derive(Default)]
struct Rows {
    definitions: Vec<DefinitionRow>,
    decisions: Vec<DecisionRow>,
    assets: Vec<AssetRow>,
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

    /// Those of which something is left, newest first.
    pub async fn list(&self) -> Result<Vec<DeploymentView>, Error> {
        let mut found: BTreeMap<DeploymentKey, Rows> = BTreeMap::new();
        let rows = self.rows(None).await?;
        for row in rows.definitions {
            found.entry(row.deployment).or_default().definitions.push(row);
        }
        for row in rows.decisions {
            found.entry(row.deployment).or_default().decisions.push(row);
        }
        for row in rows.assets {
            found.entry(row.deployment).or_default().assets.push(row);
        }
        Ok(found.into_iter().rev().filter_map(|(key, rows)| view(key, &rows)).collect())
    }

    pub async fn get(&self, key: DeploymentKey) -> Result<DeploymentView, Error> {
        let missing = Error::Missing(Missing::Deployment(key.raw()));
        view(key, &self.rows(Some(key)).await?).ok_or(missing)
    }

    /// The names of its files.
    pub async fn resources(&self, key: DeploymentKey) -> Result<Vec<Arc<str>>, Error> {
        Ok(self.get(key).await?.resources().into_iter().collect())
    }

    /// A file of it, whatever it holds.
    pub async fn resource(&self, key: DeploymentKey, name: &str) -> Result<Arc<[u8]>, Error> {
        let content = self.desk.engine.inner.store.resource(key, name.into()).await;
        let content = content.map_err(|e| store_error(&e))?;
        content.ok_or(Error::Missing(Missing::Deployment(key.raw())))
    }

    /// All its definitions, decisions, forms and linked files go; the version before takes the
    /// place of each. With `cascade` the instances of its definitions go too; without, it is
    /// refused while there are some.
    pub async fn delete(&self, key: DeploymentKey, cascade: bool) -> Result<(), Error> {
        let Rows { definitions: rows, decisions, assets } = self.must_be_there(key).await?;
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
        let files: BTreeSet<i64> = decisions.iter().map(|row| row.requirements.key.0).collect();
        for file in files.into_iter().chain(assets.iter().map(|row| row.key.0)) {
            match desk.engine.delete_file(file).await {
                // Someone was faster.
                Err(Error::Missing(_)) => {}
                deleted => deleted?,
            }
        }
        self.forget(key).await?;
        desk.note(vec![Entry::new("Delete", "Deployment", Some(key.raw()))]).await
    }

    /// Gives another tenant to all that it brought and to all that has its tenant from that: jobs
    /// of all kinds, instances that run and those that have ended, and called instances that are
    /// there for them. It is all done at once, and every node goes by it when this returns.
    /// [`TenantId::none`] takes the tenant away.
    ///
    /// Refused when the tenant has a version of the same number of anything that the deployment
    /// brought. Where it has other versions of a process, the last one starts instances. In the
    /// tenant of before nothing comes back: the version before is the latest there, but its start
    /// events wait no more.
    ///
    /// [`Error::Deadline`]: it is done, but some node goes by the tenant of before for a while, or
    /// what was written by that is not found yet.
    pub async fn set_tenant(&self, key: DeploymentKey, tenant: TenantId) -> Result<(), Error> {
        check_tenant(&tenant)?;
        let before = self.get(key).await?.tenant;
        let missing = || Error::Missing(Missing::Deployment(key.raw()));
        let engine = &self.desk.engine;
        let mut may_be_done = false;
        for tries in 0..TRIES_MAX {
            let set = SetTenant {
                deployment: key,
                tenant: tenant.clone(),
                now: engine.now(),
                logs_chores: is_chore_logged(&engine.inner.settings),
            };
            let version = match engine.inner.store.set_deployment_tenant(set).await {
                Ok(TenantSet::Done(version)) => version,
                Ok(TenantSet::NotFound) => return Err(missing()),
                Ok(TenantSet::Same) if may_be_done => self.settings_version().await?,
                Ok(TenantSet::Same) => return Ok(()),
                Ok(TenantSet::Taken(taken)) => {
                    let reason = match tenant.is_empty() {
                        true => format!("{taken} is there already, of no tenant"),
                        false => format!("tenant '{tenant}' has {taken} already"),
                    };
                    return Err(Error::Invalid(reason));
                }
                Ok(TenantSet::Unsettled) => {
                    self.settled(key, self.settings_version().await?).await?;
                    continue;
                }
                // A deadlock with who writes about the same instances, perhaps; or a lost answer.
                Err(StoreError::Unavailable(_)) if tries < DEADLOCKS_MAX => {
                    may_be_done = true;
                    continue;
                }
                Err(error) => return Err(store_error(&error)),
            };
            engine.inner.definitions.forget_latest();
            engine.inner.decisions.forget_latest();
            let entry = Entry {
                tenant: tenant.clone(),
                ..Entry::new("SetTenant", "Deployment", Some(key.raw()))
            };
            let (old, new) = (Some(&before), Some(&tenant));
            self.desk.note(vec![entry.changing("tenantId", old, new)]).await?;
            self.desk.tell(vec![Notice::Deployed]).await;
            return self.settled(key, version).await;
        }
        Err(Error::Overtaken)
    }

    async fn settings_version(&self) -> Result<i64, Error> {
        let stored = self.desk.engine.inner.store.settings().await;
        Ok(stored.map_err(|e| store_error(&e))?.version)
    }

    /// What nodes wrote before they had seen the settings gets the other tenant as well. They do it
    /// themselves: one who has given an order may not live to see it carried out.
    async fn settled(&self, key: DeploymentKey, version: i64) -> Result<(), Error> {
        self.desk.settled(version).await?;
        self.desk.tenant_settled(key).await?;
        // Limits and executors may go by tenants.
        self.desk.wake().await;
        Ok(())
    }

    // ---- deployment awareness

    /// This node's executor takes jobs of the deployment.
    pub async fn register(&self, key: DeploymentKey) -> Result<(), Error> {
        let rows = self.must_be_there(key).await?.definitions;
        let definitions: Vec<DefinitionKey> = rows.iter().map(|row| row.key).collect();
        let deployments = vec![(key, definitions)];
        self.desk.engine.done(Request::Register { deployments }).await
    }

    /// Jobs of it that wait here for their turn go back. One that was deleted elsewhere may still
    /// be registered here; one that never was is [`Missing`].
    pub async fn unregister(&self, key: DeploymentKey) -> Result<(), Error> {
        if !self.registered().await?.contains(&key) {
            self.must_be_there(key).await?;
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

    async fn must_be_there(&self, key: DeploymentKey) -> Result<Rows, Error> {
        let rows = self.rows(Some(key)).await?;
        let Rows { definitions, decisions, assets } = &rows;
        match definitions.is_empty() && decisions.is_empty() && assets.is_empty() {
            true => Err(Error::Missing(Missing::Deployment(key.raw()))),
            false => Ok(rows),
        }
    }

    /// Of one deployment, or of all.
    async fn rows(&self, key: Option<DeploymentKey>) -> Result<Rows, Error> {
        let store = &self.desk.engine.inner.store;
        let filter = DefinitionFilter { deployment: key, ..DefinitionFilter::default() };
        let mut rows = Rows {
            definitions: self.definitions().rows(&filter).await?,
            decisions: all(|page| store.decisions(page), |row| row.key.0).await?,
            assets: all(|page| store.assets(page), |row| row.key.0).await?,
        };
        if let Some(key) = key {
            rows.decisions.retain(|row| row.deployment == key);
            rows.assets.retain(|row| row.deployment == key);
        }
        rows.definitions.sort_by_key(|row| row.key);
        rows.decisions.sort_by_key(|row| row.key);
        rows.assets.sort_by_key(|row| row.key);
        Ok(rows)
    }

    fn definitions(&self) -> Definitions {
        Definitions { desk: self.desk.clone() }
    }
}

/// Every row of a listing.
async fn all<T, F>(list: impl Fn(Page) -> F, key: impl Fn(&T) -> i64) -> Result<Vec<T>, Error>
where
    F: Future<Output = Result<Vec<T>, StoreError>>,
{
    let mut found: Vec<T> = Vec::new();
    loop {
        let before = found.last().map(&key);
        let rows = list(Page { before, limit: PAGE_ROWS_MAX }).await;
        let rows = rows.map_err(|e| store_error(&e))?;
        let is_last = rows.len() < PAGE_ROWS_MAX as usize;
        found.extend(rows);
        if is_last {
            return Ok(found);
        }
    }
}

/// `None`: nothing is left of it.
fn view(key: DeploymentKey, rows: &Rows) -> Option<DeploymentView> {
    let Rows { definitions, decisions, assets } = rows;
    let of_definition = definitions.first().map(|row| (&row.tenant, row.deployed_at));
    let of_decision = || decisions.first().map(|row| (&row.tenant, row.deployed_at));
    let of_asset = || assets.first().map(|row| (&row.tenant, row.deployed_at));
    let (tenant, deployed_at) = of_definition.or_else(of_decision).or_else(of_asset)?;
    Some(DeploymentView {
        key,
        tenant: tenant.clone(),
        deployed_at,
        definitions: definitions.iter().map(DefinitionView::from).collect(),
        decisions: decisions.iter().map(DecisionView::from).collect(),
        assets: assets.iter().map(AssetView::from).collect(),
    })
}
