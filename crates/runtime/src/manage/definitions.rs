//! Definitions: the deployed versions of processes.

use std::sync::Arc;

use orloj_store::{
    DefinitionDeleted, DefinitionFilter, DefinitionRow, DeleteDefinition, Heir, InstanceFilter,
    Notice, Page,
};
use orloj_types::{DefinitionKey, ProcessId, TenantId, Timestamp};

use super::bulk;
use super::desk::{Desk, TRIES_MAX};
use super::operation::Entry;
use crate::api::{DefinitionView, Error, Missing};
use crate::deploy::starts_of;
use crate::deployed_jobs::{self, Owner};
use crate::handle::{Orloj, unexpected};
use crate::history::is_chore_logged;
use crate::node::chores::{Suspension, SuspensionOf};
use crate::node::{Reply, Request, job_settings, store_error};

/// See [`Orloj::definitions`].
#[derive(Clone)]
pub struct Definitions {
    pub(super) desk: Desk,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhichDefinitions {
    Key(DefinitionKey),
    /// All versions; `None`: of every tenant.
    Process(ProcessId, Option<TenantId>),
}

impl WhichDefinitions {
    fn of(&self) -> SuspensionOf {
        match self {
            Self::Key(key) => SuspensionOf::definition(*key),
            Self::Process(id, tenant) => SuspensionOf::process(id, tenant.as_ref()),
        }
    }
}

/// How a definition is suspended or activated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuspendDefinition {
    pub include_instances: bool,
    /// Not now, but then.
    pub at: Option<Timestamp>,
}

/// What a suspension or activation came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suspended {
    /// Definitions, instances and jobs that were changed.
    Done { affected: u64 },
    /// A chore will do it.
    Scheduled(orloj_types::JobKey),
}

impl Orloj {
    pub fn definitions(&self) -> Definitions {
        Definitions { desk: Desk::new(self) }
    }
}

impl Definitions {
    /// Who gives the orders, for the log.
    pub fn by(self, user: &str) -> Self {
        Self { desk: self.desk.by(user) }
    }

    // ---- queries

    /// Newest first.
    pub async fn list(
        &self,
        filter: DefinitionFilter,
        page: Page,
    ) -> Result<Vec<DefinitionView>, Error> {
        let page = self.desk.engine.within(page)?;
        let rows = self.desk.engine.inner.store.definitions(filter, page).await;
        Ok(rows.map_err(|e| store_error(&e))?.iter().map(DefinitionView::from).collect())
    }

    /// All that match, the highest version first.
    pub async fn query(&self, filter: &DefinitionFilter) -> Result<Vec<DefinitionView>, Error> {
        let rows = self.desk.engine.all_within(self.rows(filter).await?)?;
        Ok(rows.iter().map(DefinitionView::from).collect())
    }

    pub async fn get(&self, key: DefinitionKey) -> Result<DefinitionView, Error> {
        Ok(DefinitionView::from(&self.row(key).await?))
    }

    /// All versions of a process, newest first.
    pub async fn versions(
        &self,
        process_id: &ProcessId,
        tenant: &TenantId,
    ) -> Result<Vec<DefinitionView>, Error> {
        let filter = DefinitionFilter {
            process_id: Some(process_id.clone()),
            tenant: Some(tenant.clone()),
            ..DefinitionFilter::default()
        };
        self.query(&filter).await
    }

    /// The file the definition came from.
    pub async fn xml(&self, key: DefinitionKey) -> Result<Arc<[u8]>, Error> {
        let row = self.row(key).await?;
        let content =
            self.desk.engine.inner.store.resource(row.deployment, row.resource_name).await;
        content.map_err(|e| store_error(&e))?.ok_or(Error::Missing(Missing::Definition(key.raw())))
    }

    pub async fn count_instances(&self, key: DefinitionKey) -> Result<u64, Error> {
        let filter = InstanceFilter { definition: Some(key), ..InstanceFilter::default() };
        let count = self.desk.engine.inner.store.count_instances(filter).await;
        count.map_err(|e| store_error(&e))
    }

    // ---- suspension

    /// No instance is started any more, start timers and job definitions are suspended too.
    pub async fn suspend(
        &self,
        which: &WhichDefinitions,
        how: SuspendDefinition,
    ) -> Result<Suspended, Error> {
        self.set_suspended(which, how, true).await
    }

    pub async fn activate(
        &self,
        which: &WhichDefinitions,
        how: SuspendDefinition,
    ) -> Result<Suspended, Error> {
        self.set_suspended(which, how, false).await
    }

    async fn set_suspended(
        &self,
        which: &WhichDefinitions,
        how: SuspendDefinition,
        suspended: bool,
    ) -> Result<Suspended, Error> {
        let rows = self.which(which).await?;
        let suspension =
            Suspension { of: which.of(), suspended, with_existing: how.include_instances };
        let entries = rows.iter().flat_map(|row| suspension_entries(row, suspended, how)).collect();
        let first = rows.first().map(|row| (row.key, row.tenant.clone())).unwrap_or_default();
        if let Some(at) = how.at {
            return self.desk.schedule(&suspension, first, at, entries).await;
        }
        self.desk.suspend_now(suspension, entries).await
    }

    // ---- deletion

    /// No instance of it is started any more, and its start events go; those of the version before
    /// come back. Instances that run go on.
    pub async fn delete(&self, key: DefinitionKey) -> Result<(), Error> {
        let missing = || Error::Missing(Missing::Definition(key.raw()));
        let engine = &self.desk.engine;
        for _ in 0..TRIES_MAX {
            let row = self.row(key).await?;
            if row.is_deleted {
                return Err(missing());
            }
            let delete = DeleteDefinition {
                key,
                heir: self.heir(&row).await?,
                now: engine.now(),
                logs_chores: is_chore_logged(&engine.inner.settings),
            };
            let chores = delete.heir.iter().flat_map(|heir| &heir.chores);
            let due_at = chores.filter_map(|chore| chore.due_at).min();
            let deleted = engine.inner.store.delete_definition(delete).await;
            let version = match deleted.map_err(|e| store_error(&e))? {
                DefinitionDeleted::NotFound => return Err(missing()),
                DefinitionDeleted::Overtaken => continue,
                DefinitionDeleted::Done(version) => version,
            };
            engine.inner.definitions.forget_latest();
            self.desk.note(vec![definition_entry("Delete", &row)]).await?;
            let mut notices = vec![Notice::Deployed];
            notices.extend(due_at.map(Notice::DueAt));
            self.desk.tell(notices).await;
            return self.desk.settled(version).await;
        }
        Err(Error::Overtaken)
    }

    /// The version that comes back when the latest goes.
    async fn heir(&self, row: &DefinitionRow) -> Result<Option<Heir>, Error> {
        let filter = DefinitionFilter {
            process_id: Some(row.process_id.clone()),
            tenant: Some(row.tenant.clone()),
            ..DefinitionFilter::default()
        };
        let versions = self.rows(&filter).await?;
        if versions.first().is_none_or(|latest| latest.key != row.key) {
            return Ok(None);
        }
        let Some(before) = versions.get(1) else { return Ok(None) };
        let engine = &self.desk.engine;
        let definition = engine.inner.definitions.get(before.key).await?;
        let now = engine.now();
        let keys = self.desk.keys(deployed_jobs::keys_of(&definition.process)).await?;
        let mut keys = keys.into_iter();
        let waits = orloj_interpreter::starts(&definition.process, now);
        let owner =
            Owner { engine: &engine.inner.engine, tenant: &before.tenant, definition: before.key };
        let mut chores = deployed_jobs::start_timers_of(
            &definition.process,
            &waits,
            &owner,
            &job_settings(&engine.inner.settings)?,
            now,
            || keys.next().unwrap_or_default(),
        );
        if before.suspended {
            deployed_jobs::suspend_timers(&mut chores);
        }
        Ok(Some(Heir { definition: before.key, starts: starts_of(waits), chores }))
    }

    async fn which(&self, which: &WhichDefinitions) -> Result<Vec<DefinitionRow>, Error> {
        match which {
            WhichDefinitions::Key(key) => Ok(vec![self.row(*key).await?]),
            WhichDefinitions::Process(process_id, tenant) => {
                let filter = DefinitionFilter {
                    process_id: Some(process_id.clone()),
                    tenant: tenant.clone(),
                    ..DefinitionFilter::default()
                };
                let rows = self.rows(&filter).await?;
                if rows.is_empty() {
                    let missing = Missing::Process(process_id.as_str().into());
                    return Err(Error::Missing(missing));
                }
                Ok(rows)
            }
        }
    }

    pub(super) async fn rows(
        &self,
        filter: &DefinitionFilter,
    ) -> Result<Vec<DefinitionRow>, Error> {
        let store = &self.desk.engine.inner.store;
        let list = |page| store.definitions(filter.clone(), page);
        let mut rows = bulk::all(list, |row| row.key.raw()).await?;
        rows.sort_by_key(|row| std::cmp::Reverse((row.version, row.key)));
        Ok(rows)
    }

    pub(super) async fn row(&self, key: DefinitionKey) -> Result<DefinitionRow, Error> {
        let row =
            self.desk.engine.inner.store.definition(key).await.map_err(|e| store_error(&e))?;
        row.ok_or(Error::Missing(Missing::Definition(key.raw())))
    }
}

impl Desk {
    /// What is made from now on is suspended everywhere; what there is follows. All of it is
    /// written by the node, as it is when the moment of a later suspension comes. The log has it
    /// first: an entry that came to nothing does less harm than a change that nobody knows of.
    pub(super) async fn suspend_now(
        &self,
        suspension: Suspension,
        entries: Vec<Entry>,
    ) -> Result<Suspended, Error> {
        self.note(entries).await?;
        match self.engine.request(Request::Suspend(suspension)).await? {
            Reply::Affected(affected) => Ok(Suspended::Done { affected }),
            other => Err(unexpected(&other)),
        }
    }
}

/// What the log tells of a definition that was deployed with a date: it is suspended, and it will
/// be activated.
pub(super) fn activation_entries(row: &DefinitionRow) -> impl Iterator<Item = Entry> {
    let how = SuspendDefinition::default();
    [true, false].into_iter().flat_map(move |suspended| suspension_entries(row, suspended, how))
}

fn definition_entry(operation: &'static str, row: &DefinitionRow) -> Entry {
    Entry {
        tenant: row.tenant.clone(),
        definition: Some(row.key),
        ..Entry::new(operation, "ProcessDefinition", Some(row.key.raw()))
    }
}

fn suspension_entries(row: &DefinitionRow, suspended: bool, how: SuspendDefinition) -> [Entry; 2] {
    let operation =
        if suspended { "SuspendProcessDefinition" } else { "ActivateProcessDefinition" };
    [
        definition_entry(operation, row).suspending(suspended),
        definition_entry(operation, row).changing(
            "includeProcessInstances",
            None::<&str>,
            Some(how.include_instances),
        ),
    ]
}
