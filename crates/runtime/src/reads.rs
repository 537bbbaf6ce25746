//! Reads for people and faces.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_store::format::{decode_record, decode_variables};
use orloj_store::{
    DefinitionRow, EndedRow, IncidentFilter, IncidentRow, InstanceRow, JobRow, LoadedInstance,
    Page, UserTaskFilter,
};
use orloj_types::{DefinitionKey, Document, InstanceKey, ProcessId, Timestamp};

use crate::api::{
    DefinitionView, ElementView, Error, EventView, IncidentView, InstanceDetail, InstanceState,
    InstanceView, JobView, Missing, UserTaskView,
};
use crate::codec;
use crate::handle::Orloj;
use crate::node::store_error;

/// Rows of an instance shown with it; more can be listed with a filter.
const DETAIL: Page = Page { before: None, limit: 1_000 };

impl Orloj {
    pub async fn instance(&self, key: InstanceKey) -> Result<InstanceDetail, Error> {
        let store = &self.inner.store;
        let loaded = store.load(vec![key]).await.map_err(|e| store_error(&e))?;
        let mut detail = match loaded.into_iter().next() {
            Some(loaded) => self.live_detail(&loaded).await?,
            None => {
                let ended = store.ended_instance(key).await.map_err(|e| store_error(&e))?;
                let row = ended.ok_or(Error::Missing(Missing::Instance(key.raw())))?;
                let variables = decode_variables(&row.variables).map_err(|e| store_error(&e))?;
                detail(self.ended_view(&row).await?, variables)
            }
        };
        let started_at = detail.view.started_at;
        let mut history = Vec::new();
        for row in store.history(key).await.map_err(|e| store_error(&e))? {
            history.extend(events(&row.events, key, started_at)?);
        }
        history.append(&mut detail.history);
        detail.history = history;
        Ok(detail)
    }

    async fn live_detail(&self, loaded: &LoadedInstance) -> Result<InstanceDetail, Error> {
        let record = codec::decode(loaded).map_err(|e| store_error(&e))?;
        let key = record.instance;
        let own = record.variables.get(&key.root_scope()).cloned().unwrap_or_default();
        let view = self.live_view(&loaded.row).await?;
        let mut detail = detail(view, Document(own));
        detail.elements = record
            .elements
            .iter()
            .map(|element| ElementView {
                key: element.key,
                element: element.element.clone(),
                scope: element.scope,
                state: match element.state {
                    orloj_interpreter::ElementState::Entering => "entering",
                    orloj_interpreter::ElementState::Active => "active",
                    orloj_interpreter::ElementState::Leaving => "leaving",
                    orloj_interpreter::ElementState::Ending => "ending",
                },
                entered_at: element.entered_at,
                variables: Document(
                    record.variables.get(&element.key).cloned().unwrap_or_default(),
                ),
            })
            .collect();
        // The record knows its jobs, so no index by instance is needed.
        for job in record.holders().flat_map(|holder| &holder.jobs) {
            let row = self.inner.store.job(job.key).await.map_err(|e| store_error(&e))?;
            if let Some(row) = row {
                detail.jobs.push(self.job_view(row).await?);
            }
        }
        let incidents = IncidentFilter { instance: Some(key), ..IncidentFilter::default() };
        detail.incidents = self.incidents().list(incidents, DETAIL).await?;
        detail.history = events(&loaded.row.events, key, record.started_at)?;
        Ok(detail)
    }

    pub(crate) async fn job_views(&self, rows: Vec<JobRow>) -> Result<Vec<JobView>, Error> {
        let names = self.node_names().await?;
        let mut views = Vec::with_capacity(rows.len());
        for row in rows {
            views.push(self.job_view_named(row, &names).await?);
        }
        Ok(views)
    }

    pub(crate) async fn incident_view(&self, row: IncidentRow) -> Result<IncidentView, Error> {
        Ok(IncidentView {
            key: row.key,
            instance: row.instance,
            definition: row.definition,
            process_id: self.process_id(row.definition).await?,
            element: row.element,
            element_instance: row.element_instance,
            job: row.job,
            kind: row.kind,
            message: row.message,
            created_at: row.created_at,
            cause: row.cause,
            root_cause: row.root_cause,
            configuration: row.configuration,
            annotation: row.annotation,
            tenant: row.tenant,
        })
    }

    pub async fn user_tasks(
        &self,
        filter: UserTaskFilter,
        page: Page,
    ) -> Result<Vec<UserTaskView>, Error> {
        let page = self.within(page)?;
        let rows = self.inner.store.user_tasks(filter, page).await.map_err(|e| store_error(&e))?;
        let mut views = Vec::with_capacity(rows.len());
        for row in rows {
            views.push(UserTaskView {
                process_id: self.process_id(row.definition).await?,
                key: row.key,
                instance: row.instance,
                definition: row.definition,
                element: row.element,
                name: row.name,
                assignee: row.assignee,
                candidate_groups: row.candidate_groups,
                candidate_users: row.candidate_users,
                due_at: row.due_at,
                priority: row.priority,
                created_at: row.created_at,
                tenant: row.tenant,
            });
        }
        Ok(views)
    }

    pub async fn definition(&self, key: DefinitionKey) -> Result<DefinitionView, Error> {
        let row = self.inner.store.definition(key).await.map_err(|e| store_error(&e))?;
        let row = row.ok_or(Error::Missing(Missing::Definition(key.raw())))?;
        Ok(DefinitionView::from(&row))
    }

    /// The file the definition came from.
    pub async fn resource(&self, definition: DefinitionKey) -> Result<Arc<[u8]>, Error> {
        let missing = || Error::Missing(Missing::Definition(definition.raw()));
        let row = self.inner.store.definition(definition).await.map_err(|e| store_error(&e))?;
        let row = row.ok_or_else(missing)?;
        let content = self.inner.store.resource(row.deployment, row.resource_name).await;
        content.map_err(|e| store_error(&e))?.ok_or_else(missing)
    }

    pub(crate) async fn node_names(&self) -> Result<BTreeMap<i64, Arc<str>>, Error> {
        let nodes = self.nodes().list().await?;
        Ok(nodes.into_iter().map(|node| (node.session, node.name.into())).collect())
    }

    pub(crate) async fn job_view(&self, row: JobRow) -> Result<JobView, Error> {
        let names = self.node_names().await?;
        self.job_view_named(row, &names).await
    }

    async fn job_view_named(
        &self,
        row: JobRow,
        names: &BTreeMap<i64, Arc<str>>,
    ) -> Result<JobView, Error> {
        let node = row.lock_session.map(|session| {
            names.get(&session).cloned().unwrap_or_else(|| format!("session {session}").into())
        });
        Ok(JobView {
            process_id: self.process_id(row.definition).await?,
            key: row.key,
            instance: row.instance,
            definition: row.definition,
            element: row.element,
            element_instance: row.element_instance,
            kind: row.kind,
            job_type: row.job_type,
            state: row.state,
            retries_left: row.retries_left,
            priority: row.priority,
            exclusive: row.exclusive,
            due_at: row.due_at,
            locked_by: node.or(row.lock_worker),
            locked_until: row.lock_until,
            attempt: row.attempt,
            failure: row.failure,
            failed_element: row.failed_element,
            created_at: row.created_at,
            topic: row.topic,
            category: row.category,
            limit_key: row.limit_key,
            batch: row.batch,
            tenant: row.tenant,
        })
    }

    /// Empty of what belongs to no definition.
    pub(crate) async fn process_id(&self, definition: DefinitionKey) -> Result<ProcessId, Error> {
        if definition.raw() == 0 {
            return Ok("".into());
        }
        Ok(self.inner.definitions.get(definition).await?.process.id.clone())
    }

    pub(crate) async fn live_view(&self, row: &InstanceRow) -> Result<InstanceView, Error> {
        let definition = self.inner.definitions.get(row.definition).await?;
        let message = decode_record(&row.record).map_err(|e| store_error(&e))?;
        Ok(InstanceView {
            key: row.key,
            definition: row.definition,
            process_id: definition.process.id.clone(),
            version: definition.version,
            tenant: row.tenant.clone(),
            business_key: row.business_key.clone(),
            state: InstanceState::Active,
            started_at: Timestamp::from_ms(message.started_at_ms),
            ended_at: None,
            is_suspended: message.is_suspended,
        })
    }

    pub(crate) async fn ended_view(&self, row: &EndedRow) -> Result<InstanceView, Error> {
        let definition = self.inner.definitions.get(row.definition).await?;
        let state = if row.completed { InstanceState::Completed } else { InstanceState::Cancelled };
        Ok(InstanceView {
            key: row.key,
            definition: row.definition,
            process_id: definition.process.id.clone(),
            version: definition.version,
            tenant: row.tenant.clone(),
            business_key: row.business_key.clone(),
            state,
            started_at: row.started_at,
            ended_at: Some(row.ended_at),
            is_suspended: false,
        })
    }
}

fn detail(view: InstanceView, variables: Document) -> InstanceDetail {
    InstanceDetail {
        view,
        elements: Vec::new(),
        variables,
        jobs: Vec::new(),
        incidents: Vec::new(),
        history: Vec::new(),
    }
}

fn events(
    stretch: &[u8],
    instance: InstanceKey,
    started_at: Timestamp,
) -> Result<Vec<EventView>, Error> {
    codec::event_views(stretch, instance, started_at).map_err(|e| store_error(&e))
}

impl From<&DefinitionRow> for DefinitionView {
    fn from(row: &DefinitionRow) -> Self {
        Self {
            key: row.key,
            process_id: row.process_id.clone(),
            version: row.version,
            resource_name: row.resource_name.clone(),
            deployment: row.deployment,
            tenant: row.tenant.clone(),
            deployed_at: row.deployed_at,
            suspended: row.suspended,
        }
    }
}
