//! The job log: one row for each thing that happened to a job.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use orloj_model::{JobDefinition, JobHandler};
use orloj_store::format::{EventEntry, EventKind};
use orloj_types::{
    DefinitionKey, ElementId, ElementInstanceKey, InstanceKey, JobKey, ProcessId, TenantId,
    Timestamp,
};

use super::instances::HistoryFilter;
use crate::codec::{self, Origin};
use crate::definition::Definition;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobLogEntry {
    pub job: JobKey,
    /// 0 of a job of no instance.
    pub instance: InstanceKey,
    pub definition: DefinitionKey,
    pub process_id: ProcessId,
    pub tenant: TenantId,
    pub element: ElementId,
    pub element_instance: ElementInstanceKey,
    /// Orders the rows of one job.
    pub sequence: i64,
    pub at: Timestamp,
    pub state: JobLogState,
    /// Of a failed job: before this try was counted.
    pub retries: i64,
    pub priority: i64,
    pub due_at: Option<Timestamp>,
    /// What a worker asks for; empty for jobs of the engine itself.
    pub job_type: Arc<str>,
    /// The word of the job's definition, such as `async-continuation`.
    pub definition_type: Option<Arc<str>>,
    /// What the job definition says besides, such as `async-before`.
    pub definition_configuration: Option<Arc<str>>,
    /// Why it failed.
    pub message: Option<Arc<str>>,
    /// Where it failed.
    pub failed_element: Option<ElementId>,
    /// A stack trace mostly, or its beginning.
    pub details: Option<Arc<str>>,
    /// The node or worker that ran it.
    pub run_by: Option<Arc<str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobLogState {
    Created,
    Failed,
    Successful,
    Deleted,
    /// It has thrown a BPMN error.
    Threw,
}

impl JobLogState {
    pub fn from_word(word: &str) -> Option<Self> {
        let all = [Self::Created, Self::Failed, Self::Successful, Self::Deleted, Self::Threw];
        all.into_iter().find(|state| state.word() == word)
    }

    pub const fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Failed => "failed",
            Self::Successful => "successful",
            Self::Deleted => "deleted",
            Self::Threw => "threw",
        }
    }
}

/// Absent fields match all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobLogFilter {
    pub job: Option<JobKey>,
    /// Any of these; empty: all.
    pub states: Vec<JobLogState>,
    /// Exactly this message of a failure.
    pub message: Option<Arc<str>>,
    pub element: Option<ElementId>,
    /// The node or worker that ran it; so what became of tries only.
    pub run_by: Option<Arc<str>>,
    pub definition: Option<DefinitionKey>,
    /// Of any version.
    pub process_id: Option<ProcessId>,
    /// What happened from this moment on.
    pub from: Option<Timestamp>,
    /// What happened before this moment.
    pub until: Option<Timestamp>,
}

impl JobLogFilter {
    pub fn matches(&self, row: &JobLogEntry) -> bool {
        self.job.is_none_or(|job| row.job == job)
            && (self.states.is_empty() || self.states.contains(&row.state))
            && (self.message.is_none() || row.message == self.message)
            && self.element.as_ref().is_none_or(|element| row.element == *element)
            && (self.run_by.is_none() || row.run_by == self.run_by)
            && self.definition.is_none_or(|definition| row.definition == definition)
            && self.process_id.as_ref().is_none_or(|id| row.process_id == *id)
            && self.from.is_none_or(|from| row.at >= from)
            && self.until.is_none_or(|until| row.at < until)
    }

    /// The instances whose jobs can have such rows: those that lived at that time.
    pub(super) fn instances(&self) -> HistoryFilter {
        HistoryFilter {
            definition: self.definition,
            process_id: self.process_id.clone(),
            started_before: self.until,
            not_ended_before: self.from,
            ..HistoryFilter::default()
        }
    }
}

/// In the order in which it happened.
pub(super) fn job_log(
    events: &[EventEntry],
    origin: Origin,
    definition: &Definition,
) -> Vec<JobLogEntry> {
    let mut rows = Vec::new();
    let mut jobs: BTreeMap<i64, JobLogEntry> = BTreeMap::new();
    let mut entered = BTreeSet::new();
    for event in events {
        let kind = EventKind::from_number(event.kind);
        if kind == Some(EventKind::ElementEntered) {
            entered.insert(event.key);
            continue;
        }
        if kind == Some(EventKind::JobCreated) {
            let created = created(event, origin, definition, entered.contains(&event.of));
            rows.push(created.clone());
            jobs.insert(event.key, created);
            continue;
        }
        // Of a job that began before its history was kept nothing is told.
        let Some(job) = jobs.get_mut(&event.key) else { continue };
        let state = match kind {
            Some(EventKind::JobActivated) => {
                job.run_by = (!event.name.is_empty()).then(|| (*event.name).into());
                continue;
            }
            Some(EventKind::JobChanged) => {
                change(job, event, origin);
                continue;
            }
            Some(EventKind::JobFailed) => JobLogState::Failed,
            Some(EventKind::JobThrew) => JobLogState::Threw,
            Some(EventKind::JobCompleted) => JobLogState::Successful,
            Some(EventKind::JobCancelled) => JobLogState::Deleted,
            _ => continue,
        };
        job.sequence += 1;
        let mut row = JobLogEntry { state, at: origin.at(event), ..job.clone() };
        match state {
            JobLogState::Failed => {
                row.retries = event.second;
                row.message = Some((*event.message).into());
                row.failed_element = Some(ElementId::from(&*event.element));
                row.details = (!event.details.is_empty()).then(|| (*event.details).into());
                job.retries = event.number;
                job.due_at = due_at(event, origin);
            }
            JobLogState::Threw => row.message = Some((*event.name).into()),
            // Nobody runs a job to delete it.
            JobLogState::Deleted => row.run_by = None,
            JobLogState::Created | JobLogState::Successful => {}
        }
        job.run_by = None;
        rows.push(row);
    }
    rows
}

fn created(
    event: &EventEntry,
    origin: Origin,
    definition: &Definition,
    is_entered: bool,
) -> JobLogEntry {
    let handler = codec::handler(event.handler);
    JobLogEntry {
        job: JobKey::new(origin.key(event.key)),
        instance: origin.instance,
        definition: definition.key,
        process_id: definition.process.id.clone(),
        tenant: definition.tenant.clone(),
        element: ElementId::from(&*event.element),
        element_instance: ElementInstanceKey::new(origin.key(event.of)),
        sequence: 0,
        at: origin.at(event),
        state: JobLogState::Created,
        retries: event.number,
        priority: event.second,
        due_at: due_at(event, origin),
        job_type: (*event.name).into(),
        definition_type: handler.map(|handler| handler.word().into()),
        definition_configuration: handler
            .and_then(|handler| configuration(definition, event, handler, is_entered)),
        message: None,
        failed_element: None,
        details: None,
        run_by: None,
    }
}

fn due_at(event: &EventEntry, origin: Origin) -> Option<Timestamp> {
    event.due_ms.map(|ms| origin.started_at.plus_ms(ms))
}

/// As the job's definition has it.
fn configuration(
    definition: &Definition,
    event: &EventEntry,
    handler: JobHandler,
    is_entered: bool,
) -> Option<Arc<str>> {
    let process = &definition.process;
    let element = process.find(&event.element).map(|index| process.element(index));
    match handler {
        // A visit begins behind the save point before the element.
        JobHandler::AsyncContinuation if is_entered => Some("async-after".into()),
        JobHandler::AsyncContinuation => Some("async-before".into()),
        JobHandler::TimerTaskListener => {
            Some(JobDefinition::timeout(element?, &event.name)?.configuration)
        }
        _ => Some(JobDefinition::timer(element?)?.configuration),
    }
}

fn change(job: &mut JobLogEntry, event: &EventEntry, origin: Origin) {
    match &*event.name {
        "retries" => job.retries = event.number,
        "priority" => job.priority = event.number,
        "due-date" => job.due_at = Some(origin.started_at.plus_ms(event.number)),
        "no-due-date" => job.due_at = None,
        _ => {}
    }
}
