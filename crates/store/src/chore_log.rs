//! The log of chores: what happened to jobs of no instance. Append-only; dropped by age.
//!
//! The jobs of an instance are told of by its own history. A chore has none, so each thing that
//! happens to it is a row here, written by the change that makes it happen.

use std::sync::Arc;

use orloj_types::{BatchKey, DefinitionKey, ElementId, EngineName, JobKey, TenantId, Timestamp};

use crate::rows::{JobKind, JobRow};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoreLogRow {
    /// Given by the store in the order in which it writes rows, and never again; 0 before that.
    pub number: i64,
    pub job: JobKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    pub definition: DefinitionKey,
    pub element: ElementId,
    pub kind: JobKind,
    pub batch: Option<BatchKey>,
    pub event: ChoreEvent,
    pub at: Timestamp,
    /// Of a failure: before it was counted.
    pub retries: i32,
    pub priority: i64,
    pub due_at: Option<Timestamp>,
    /// Of a failure or an incident.
    pub message: Option<Arc<str>>,
    /// Where a failure came from.
    pub details: Option<Arc<str>>,
    pub failed_element: Option<ElementId>,
    /// The kind of the incident.
    pub incident: Option<Arc<str>>,
    /// The node that ran it.
    pub run_by: Option<Arc<str>>,
}

impl ChoreLogRow {
    /// About a chore as it is at this moment.
    pub fn of(row: &JobRow, event: ChoreEvent, at: Timestamp) -> Self {
        Self {
            number: 0,
            job: row.key,
            engine: row.engine.clone(),
            tenant: row.tenant.clone(),
            definition: row.definition,
            element: row.element.clone(),
            kind: row.kind,
            batch: row.batch,
            event,
            at,
            retries: row.retries_left,
            priority: row.priority,
            due_at: row.due_at,
            message: None,
            details: None,
            failed_element: None,
            incident: None,
            run_by: None,
        }
    }
}

/// The numbers are part of the stored format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ChoreEvent {
    Created = 0,
    Failed = 1,
    Successful = 2,
    Deleted = 3,
    IncidentOpened = 4,
    /// Its chore has retries again, or has succeeded.
    IncidentResolved = 5,
    /// It went with its chore.
    IncidentDeleted = 6,
}

impl ChoreEvent {
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::Created,
            1 => Self::Failed,
            2 => Self::Successful,
            3 => Self::Deleted,
            4 => Self::IncidentOpened,
            5 => Self::IncidentResolved,
            6 => Self::IncidentDeleted,
            _ => return None,
        })
    }

    pub const fn is_of_incident(self) -> bool {
        matches!(self, Self::IncidentOpened | Self::IncidentResolved | Self::IncidentDeleted)
    }
}

/// Absent fields match all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChoreLogFilter {
    pub job: Option<JobKey>,
    /// Any of these; empty: all.
    pub events: Vec<ChoreEvent>,
    pub definition: Option<DefinitionKey>,
    pub batch: Option<BatchKey>,
    /// Exactly this message.
    pub message: Option<Arc<str>>,
}

impl ChoreLogFilter {
    pub fn matches(&self, row: &ChoreLogRow) -> bool {
        self.job.is_none_or(|job| row.job == job)
            && (self.events.is_empty() || self.events.contains(&row.event))
            && self.definition.is_none_or(|definition| row.definition == definition)
            && (self.batch.is_none() || row.batch == self.batch)
            && (self.message.is_none() || row.message == self.message)
    }

    /// One bit for each wanted event; 0: all.
    pub fn event_bits(&self) -> i64 {
        self.events.iter().fold(0, |bits, event| bits | 1 << *event as u8)
    }
}
