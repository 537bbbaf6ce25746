//! Incidents: problems that wait for a person.

use std::sync::Arc;

use orloj_interpreter::{Command, OpenIncident};
use orloj_store::{Change, IncidentFilter, IncidentNote, IncidentRow, Page};
use orloj_types::{ElementInstanceKey, IncidentKey, InstanceKey};

use super::bulk::{Bulk, Keys, Source};
use super::desk::Desk;
use super::job_action::JobAction;
use super::jobs::Jobs;
use super::operation::Entry;
use crate::api::{Error, IncidentView, Missing};
use crate::handle::{Orloj, check_texts};
use crate::node::store_error;

/// See [`Orloj::incidents`].
#[derive(Clone)]
pub struct Incidents {
    desk: Desk,
}

/// Which incidents a verb is for.
#[derive(Clone, Debug)]
pub enum WhichIncidents {
    Keys(Vec<IncidentKey>),
    Filter(IncidentFilter),
}

impl From<Vec<IncidentKey>> for WhichIncidents {
    fn from(keys: Vec<IncidentKey>) -> Self {
        Self::Keys(keys)
    }
}

impl From<IncidentFilter> for WhichIncidents {
    fn from(filter: IncidentFilter) -> Self {
        Self::Filter(filter)
    }
}

/// An incident that a client tells of.
#[derive(Clone, Debug)]
pub struct NewIncident {
    pub instance: InstanceKey,
    /// Where it belongs; `None`: to the instance as a whole.
    pub element_instance: Option<ElementInstanceKey>,
    /// The client's word; the engine's own are refused.
    pub kind: Arc<str>,
    pub configuration: Option<Arc<str>>,
    pub message: Arc<str>,
}

impl Orloj {
    pub fn incidents(&self) -> Incidents {
        Incidents { desk: Desk::new(self) }
    }
}

impl Incidents {
    /// Who gives the orders, for the log.
    pub fn by(self, user: &str) -> Self {
        Self { desk: self.desk.by(user) }
    }

    pub async fn list(
        &self,
        filter: IncidentFilter,
        page: Page,
    ) -> Result<Vec<IncidentView>, Error> {
        let page = self.desk.engine.within(page)?;
        let rows = self.desk.engine.inner.store.incidents(filter, page).await;
        let mut views = Vec::new();
        for row in rows.map_err(|e| store_error(&e))? {
            views.push(self.desk.engine.incident_view(row).await?);
        }
        Ok(views)
    }

    pub async fn count(&self, filter: IncidentFilter) -> Result<u64, Error> {
        self.desk.engine.inner.store.count_incidents(filter).await.map_err(|e| store_error(&e))
    }

    pub async fn get(&self, key: IncidentKey) -> Result<IncidentView, Error> {
        self.desk.engine.incident_view(self.row(key).await?).await
    }

    /// What it tells of is tried again.
    pub async fn resolve(&self, key: IncidentKey) -> Result<(), Error> {
        let row = self.row(key).await?;
        if let (0, Some(job)) = (row.instance.raw(), row.job) {
            let retries = JobAction::SetRetries { retries: 1, due: None };
            return Jobs { desk: self.desk.clone() }.act(job, &retries).await.map(drop);
        }
        let entry = entry("Resolve", &row).changing("incidentId", None::<&str>, Some(key));
        self.desk
            .command(row.instance, Command::ResolveIncident { incident: key }, vec![entry])
            .await
    }

    /// Those that are named, or that match.
    pub fn resolve_all(&self, which: impl Into<WhichIncidents>) -> Bulk {
        let (desk, log) = self.desk.bulk(vec![Entry::new("Resolve", "ProcessInstance", None)]);
        let acting = Self { desk };
        let source = match which.into() {
            WhichIncidents::Keys(keys) => {
                Source::Keys(keys.into_iter().map(IncidentKey::raw).collect())
            }
            WhichIncidents::Filter(filter) => {
                let (counting, paging, counted) = (self.clone(), self.clone(), filter.clone());
                Source::Pages {
                    count: Box::pin(async move { counting.count(counted).await }),
                    page: Box::new(move |page| {
                        let (incidents, filter) = (paging.clone(), filter.clone());
                        Box::pin(async move {
                            let store = &incidents.desk.engine.inner.store;
                            let rows = store.incidents(filter, page).await;
                            let rows = rows.map_err(|e| store_error(&e))?;
                            Ok(Keys::of(&rows, page, |row| row.key.raw()))
                        })
                    }),
                }
            }
        };
        Bulk::new(source, log, move |key| {
            let incidents = acting.clone();
            async move { incidents.resolve(IncidentKey::new(key)).await }
        })
    }

    /// A problem of the client's own.
    pub async fn create(&self, new: NewIncident) -> Result<(), Error> {
        let configuration = new.configuration.as_deref().unwrap_or_default();
        check_texts([&*new.kind, &*new.message, configuration], &Default::default())?;
        let kind = Entry::of_instance("CreateIncident", new.instance).changing(
            "incidentType",
            None::<&str>,
            Some(&new.kind),
        );
        let configured = new.configuration.as_ref().map(|text| {
            Entry::of_instance("CreateIncident", new.instance).changing(
                "configuration",
                None::<&str>,
                Some(text),
            )
        });
        let command = Command::OpenIncident(OpenIncident {
            element_instance: new.element_instance.unwrap_or(new.instance.root_scope()),
            kind: new.kind,
            configuration: new.configuration,
            message: new.message,
        });
        let entries = std::iter::once(kind).chain(configured).collect();
        self.desk.command(new.instance, command, entries).await
    }

    /// `None` takes the note away.
    pub async fn annotate(&self, key: IncidentKey, note: Option<Arc<str>>) -> Result<(), Error> {
        check_texts([note.as_deref().unwrap_or_default()], &Default::default())?;
        let row = self.row(key).await?;
        let operation = if note.is_some() { "SetAnnotation" } else { "ClearAnnotation" };
        let entry = Entry {
            entity: "Incident",
            entity_key: Some(key.raw()),
            ..entry(operation, &row).changing("incidentId", None::<&str>, Some(key))
        };
        if row.instance.raw() == 0 {
            let incidents_annotated = vec![IncidentNote { key, annotation: note }];
            let change =
                Change { incidents_annotated: incidents_annotated.into(), ..Change::default() };
            return self.desk.write(change, vec![entry]).await;
        }
        let command = Command::AnnotateIncident { incident: key, annotation: note };
        self.desk.command(row.instance, command, vec![entry]).await
    }

    async fn row(&self, key: IncidentKey) -> Result<IncidentRow, Error> {
        let row = self.desk.engine.inner.store.incident(key).await.map_err(|e| store_error(&e))?;
        row.ok_or(Error::Missing(Missing::Incident(key.raw())))
    }
}

fn entry(operation: &'static str, row: &IncidentRow) -> Entry {
    Entry {
        tenant: row.tenant.clone(),
        definition: Some(row.definition),
        ..Entry::of_instance(operation, row.instance)
    }
}
