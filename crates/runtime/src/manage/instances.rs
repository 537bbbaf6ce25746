//! Instances: finding them, and what people do with them.

use std::sync::Arc;

use orloj_interpreter::{Command, Migrate};
use orloj_store::format::decode_record;
use orloj_store::{EndedFilter, InstanceFilter, InstanceRow, PAGE_ROWS_MAX, Page};
use orloj_types::{DefinitionKey, Document, ElementInstanceKey, InstanceKey, ProcessId, TenantId};

use super::bulk::{Bulk, Keys, Source};
use super::desk::{Desk, Order};
use super::operation::Entry;
use super::restart::Restart;
use crate::api::{Error, InstanceDetail, InstanceView, MigrateInstance, Missing, Modify, Started};
use crate::events::instructions;
use crate::handle::{Orloj, check_texts};
use crate::node::store_error;

/// See [`Orloj::instances`].
#[derive(Clone)]
pub struct Instances {
    pub(super) desk: Desk,
}

/// Which instances a query is about. Absent fields match all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstanceQuery {
    pub definition: Option<DefinitionKey>,
    /// Of any version.
    pub process_id: Option<ProcessId>,
    pub tenant: Option<TenantId>,
    pub business_key: Option<Arc<str>>,
    pub has_incidents: Option<bool>,
    /// Only the record tells: every live instance that matches otherwise is read for it.
    pub suspended: Option<bool>,
}

impl InstanceQuery {
    fn live(&self) -> InstanceFilter {
        InstanceFilter {
            definition: self.definition,
            process_id: self.process_id.clone(),
            tenant: self.tenant.clone(),
            business_key: self.business_key.clone(),
            has_incidents: self.has_incidents,
        }
    }

    fn ended(&self) -> EndedFilter {
        EndedFilter {
            definition: self.definition,
            process_id: self.process_id.clone(),
            tenant: self.tenant.clone(),
            business_key: self.business_key.clone(),
            ..EndedFilter::default()
        }
    }
}

/// Which instances a verb is for.
#[derive(Clone, Debug)]
pub enum InstanceScope {
    Keys(Vec<InstanceKey>),
    Query(InstanceQuery),
}

impl From<Vec<InstanceKey>> for InstanceScope {
    fn from(keys: Vec<InstanceKey>) -> Self {
        Self::Keys(keys)
    }
}

impl From<InstanceQuery> for InstanceScope {
    fn from(query: InstanceQuery) -> Self {
        Self::Query(query)
    }
}

/// Among which instances a query looks.
#[derive(Clone, Copy)]
enum Of {
    Live,
    Ended,
}

/// What can be done with an instance.
#[derive(Clone, Debug)]
pub enum InstanceAction {
    /// Nothing of it is worked on until it is activated.
    Suspend,
    Activate,
    /// Its listeners are called and its mappings made.
    Cancel,
    /// Nothing of the process runs any more.
    Delete,
    Modify(Modify),
    Migrate(MigrateInstance),
    /// Of the instance's own scope.
    SetVariables(Document),
}

impl Orloj {
    pub fn instances(&self) -> Instances {
        Instances { desk: Desk::new(self) }
    }
}

impl InstanceAction {
    /// What the log tells of many that it is done to.
    fn summary(&self) -> Entry {
        let entry = |operation| Entry::new(operation, "ProcessInstance", None);
        match self {
            Self::Suspend => entry("Suspend").suspending(true),
            Self::Activate => entry("Activate").suspending(false),
            Self::Cancel => entry("Cancel"),
            Self::Delete => entry("Delete"),
            Self::Modify(_) => entry("ModifyProcessInstance"),
            Self::Migrate(_) => entry("Migrate"),
            Self::SetVariables(_) => entry("SetVariables"),
        }
    }
}

impl Instances {
    /// Who gives the orders, for the log.
    pub fn by(self, user: &str) -> Self {
        Self { desk: self.desk.by(user) }
    }

    // ---- queries

    /// Live ones, newest first.
    pub async fn list(
        &self,
        query: &InstanceQuery,
        page: Page,
    ) -> Result<Vec<InstanceView>, Error> {
        let engine = &self.desk.engine;
        let mut views = Vec::new();
        for row in self.live_rows(query, engine.within(page)?).await? {
            views.push(engine.live_view(&row).await?);
        }
        Ok(views)
    }

    /// Those that have ended, newest first.
    pub async fn list_ended(
        &self,
        query: &InstanceQuery,
        page: Page,
    ) -> Result<Vec<InstanceView>, Error> {
        let engine = &self.desk.engine;
        let rows = engine.inner.store.ended(query.ended(), engine.within(page)?).await;
        let mut views = Vec::new();
        for row in rows.map_err(|e| store_error(&e))? {
            views.push(engine.ended_view(&row).await?);
        }
        Ok(views)
    }

    /// Live ones.
    pub async fn count(&self, query: &InstanceQuery) -> Result<u64, Error> {
        if query.suspended.is_some() {
            return Ok(self.all_keys(Of::Live, query).await?.len() as u64);
        }
        let count = self.desk.engine.inner.store.count_instances(query.live()).await;
        count.map_err(|e| store_error(&e))
    }

    pub async fn get(&self, key: InstanceKey) -> Result<InstanceDetail, Error> {
        self.desk.engine.instance(key).await
    }

    // ---- one instance

    pub async fn suspend(&self, key: InstanceKey) -> Result<(), Error> {
        self.act(key, &InstanceAction::Suspend).await
    }

    pub async fn activate(&self, key: InstanceKey) -> Result<(), Error> {
        self.act(key, &InstanceAction::Activate).await
    }

    pub async fn cancel(&self, key: InstanceKey) -> Result<(), Error> {
        self.act(key, &InstanceAction::Cancel).await
    }

    pub async fn delete(&self, key: InstanceKey) -> Result<(), Error> {
        self.act(key, &InstanceAction::Delete).await
    }

    pub async fn modify(&self, key: InstanceKey, modify: Modify) -> Result<(), Error> {
        self.act(key, &InstanceAction::Modify(modify)).await
    }

    pub async fn migrate(&self, key: InstanceKey, migrate: MigrateInstance) -> Result<(), Error> {
        self.act(key, &InstanceAction::Migrate(migrate)).await
    }

    pub async fn set_variables(&self, key: InstanceKey, variables: Document) -> Result<(), Error> {
        self.act(key, &InstanceAction::SetVariables(variables)).await
    }

    /// Of an instance or of one of its element instances, whose keys differ; `local`: in the scope
    /// itself, else where each name is found, going outward.
    pub async fn set_variables_of(
        &self,
        scope: ElementInstanceKey,
        variables: Document,
        local: bool,
    ) -> Result<(), Error> {
        check_texts([], &variables)?;
        let found = self.desk.engine.inner.store.instance_of(scope).await;
        let found = found.map_err(|e| store_error(&e))?;
        let key = found.ok_or(Error::Missing(Missing::ElementInstance(scope.raw())))?;
        let entry = Self::entry("SetVariables", &self.row(key).await?);
        let command = Command::SetVariables { scope, variables, local };
        self.desk.command(key, command, vec![entry]).await
    }

    /// Another instance like one that has ended.
    pub async fn restart(&self, key: InstanceKey, restart: Restart) -> Result<Started, Error> {
        restart.start(&self.desk, key).await
    }

    /// Whatever it is.
    pub async fn act(&self, key: InstanceKey, action: &InstanceAction) -> Result<(), Error> {
        let row = self.row(key).await?;
        let entry = |operation| Self::entry(operation, &row);
        let mut target = None;
        let (command, entries) = match action {
            InstanceAction::Suspend => (Command::Suspend, vec![entry("Suspend").suspending(true)]),
            InstanceAction::Activate => {
                (Command::Resume, vec![entry("Activate").suspending(false)])
            }
            InstanceAction::Cancel => (Command::Cancel, vec![entry("Cancel")]),
            InstanceAction::Delete => (Command::Delete, vec![entry("Delete")]),
            InstanceAction::Modify(modify) => {
                let instructions = instructions(modify.clone())?;
                (Command::Modify { instructions }, vec![entry("ModifyProcessInstance")])
            }
            InstanceAction::Migrate(migrate) => {
                let MigrateInstance { which, tenant, plan } = migrate.clone();
                let found = self.desk.engine.inner.definitions.find(&which, &tenant).await?;
                let moved = entry("Migrate").changing(
                    "processDefinitionId",
                    Some(row.definition),
                    Some(found.key),
                );
                let command = Command::Migrate(Migrate {
                    definition: found.key,
                    target: found.process.clone(),
                    plan,
                });
                target = Some(found);
                (command, vec![moved])
            }
            InstanceAction::SetVariables(variables) => {
                check_texts([], variables)?;
                let (scope, variables) = (key.root_scope(), variables.clone());
                let command = Command::SetVariables { scope, variables, local: true };
                (command, vec![entry("SetVariables")])
            }
        };
        self.desk.order(Order { instance: key, command, target, free: None, entries }).await
    }

    // ---- many instances

    pub fn all(&self, scope: impl Into<InstanceScope>, action: InstanceAction) -> Bulk {
        let (desk, log) = self.desk.bulk(vec![action.summary()]);
        let action = Arc::new(action);
        let instances = Self { desk };
        let scope = scope.into();
        let (batched, of_batch) = (self.clone(), (scope.clone(), action.clone()));
        Bulk::new(self.source(scope, Of::Live), log, move |key| {
            let (instances, action) = (instances.clone(), action.clone());
            async move { instances.act(InstanceKey::new(key), &action).await }
        })
        .or_batch(move || async move { batched.batch(of_batch.0, &of_batch.1).await })
    }

    /// Restarts ended ones.
    pub fn restart_all(&self, scope: impl Into<InstanceScope>, restart: Restart) -> Bulk {
        let entry = Entry::new("RestartProcessInstance", "ProcessInstance", None);
        let (desk, log) = self.desk.bulk(vec![entry]);
        let (instances, restart) = (Self { desk }, Arc::new(restart));
        Bulk::new(self.source(scope.into(), Of::Ended), log, move |key| {
            let (instances, restart) = (instances.clone(), restart.clone());
            async move { instances.restart(InstanceKey::new(key), (*restart).clone()).await.map(drop) }
        })
    }

    fn source(&self, scope: InstanceScope, of: Of) -> Source {
        match scope {
            InstanceScope::Keys(keys) => {
                Source::Keys(keys.into_iter().map(InstanceKey::raw).collect())
            }
            InstanceScope::Query(query) => {
                let (counting, paging, counted) = (self.clone(), self.clone(), query.clone());
                Source::Pages {
                    count: Box::pin(async move {
                        match of {
                            Of::Live => counting.count(&counted).await,
                            Of::Ended => Ok(counting.all_keys(of, &counted).await?.len() as u64),
                        }
                    }),
                    page: Box::new(move |page| {
                        let (instances, query) = (paging.clone(), query.clone());
                        Box::pin(async move { instances.page(of, &query, page).await })
                    }),
                }
            }
        }
    }

    async fn page(&self, of: Of, query: &InstanceQuery, page: Page) -> Result<Keys, Error> {
        let store = &self.desk.engine.inner.store;
        Ok(match of {
            Of::Live => {
                let rows = self.live_rows(query, page).await?;
                Keys::of(&rows, page, |row| row.key.raw())
            }
            Of::Ended => {
                let rows = store.ended(query.ended(), page).await;
                Keys::of(&rows.map_err(|e| store_error(&e))?, page, |row| row.key.raw())
            }
        })
    }

    /// A page is read on until it is full, so that one that is not is the last.
    async fn live_rows(
        &self,
        query: &InstanceQuery,
        page: Page,
    ) -> Result<Vec<InstanceRow>, Error> {
        let store = &self.desk.engine.inner.store;
        let Some(suspended) = query.suspended else {
            return store.instances(query.live(), page).await.map_err(|e| store_error(&e));
        };
        let most = page.limit.min(PAGE_ROWS_MAX) as usize;
        let mut asked = Page { before: page.before, limit: PAGE_ROWS_MAX };
        let mut found = Vec::new();
        while found.len() < most {
            let rows = store.instances(query.live(), asked).await.map_err(|e| store_error(&e))?;
            let is_last = rows.len() < PAGE_ROWS_MAX as usize;
            asked.before = rows.last().map(|row| row.key.raw());
            for row in rows {
                let record = decode_record(&row.record).map_err(|e| store_error(&e))?;
                if record.is_suspended == suspended && found.len() < most {
                    found.push(row);
                }
            }
            if is_last {
                break;
            }
        }
        Ok(found)
    }

    /// Every key that a scope names at the moment.
    pub(super) async fn keys(&self, scope: &InstanceScope) -> Result<Vec<InstanceKey>, Error> {
        match scope {
            InstanceScope::Keys(keys) => Ok(keys.clone()),
            InstanceScope::Query(query) => self.all_keys(Of::Live, query).await,
        }
    }

    async fn all_keys(&self, of: Of, query: &InstanceQuery) -> Result<Vec<InstanceKey>, Error> {
        let (mut keys, mut before) = (Vec::new(), None);
        loop {
            let page = self.page(of, query, Page { before, limit: PAGE_ROWS_MAX }).await?;
            keys.extend(page.keys.into_iter().map(InstanceKey::new));
            match page.next {
                Some(next) => before = Some(next),
                None => return Ok(keys),
            }
        }
    }

    fn entry(operation: &'static str, row: &InstanceRow) -> Entry {
        Entry {
            tenant: row.tenant.clone(),
            definition: Some(row.definition),
            ..Entry::of_instance(operation, row.key)
        }
    }

    async fn row(&self, key: InstanceKey) -> Result<InstanceRow, Error> {
        let loaded = self.desk.engine.inner.store.load(vec![key]).await;
        let loaded = loaded.map_err(|e| store_error(&e))?.into_iter().next();
        Ok(loaded.ok_or(Error::Missing(Missing::Instance(key.raw())))?.row)
    }
}
