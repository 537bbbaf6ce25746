//! Incidents: problems that wait on an element instance for a person.

use std::sync::Arc;

use orloj_model::IncidentNames;
use orloj_types::{ElementInstanceKey, IncidentKey, JobKey};

use crate::failure::FailureKind;
use crate::outcome::{Event, IncidentRow};
use crate::record::{Incident, JobKind, Record};
use crate::turn::Turn;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    WorkerJobFailed,
    ListenerFailed,
    TaskListenerFailed,
    JobFailed,
    UncaughtError,
    ExtractValue,
    Condition,
    IoMapping,
    DecisionMissing,
    Decision,
    CalledMissing,
}

impl Reason {
    pub(crate) fn of(kind: FailureKind) -> Self {
        match kind {
            FailureKind::Condition => Self::Condition,
            FailureKind::IoMapping => Self::IoMapping,
            FailureKind::ExtractValue => Self::ExtractValue,
            FailureKind::DecisionMissing => Self::DecisionMissing,
            FailureKind::Decision => Self::Decision,
            FailureKind::CalledMissing => Self::CalledMissing,
            FailureKind::Uncaught => Self::UncaughtError,
            FailureKind::Foreign | FailureKind::TooManyVisits => Self::JobFailed,
        }
    }

    /// The word of the system the model was written for.
    fn name(self, names: IncidentNames) -> &'static str {
        match (names, self) {
            (IncidentNames::Zeebe, Self::WorkerJobFailed | Self::JobFailed) => "JOB_NO_RETRIES",
            (IncidentNames::Zeebe, Self::ListenerFailed) => "EXECUTION_LISTENER_NO_RETRIES",
            (IncidentNames::Zeebe, Self::TaskListenerFailed) => "TASK_LISTENER_NO_RETRIES",
            (IncidentNames::Zeebe, Self::UncaughtError) => "UNHANDLED_ERROR_EVENT",
            (IncidentNames::Zeebe, Self::ExtractValue) => "EXTRACT_VALUE_ERROR",
            (IncidentNames::Zeebe, Self::Condition) => "CONDITION_ERROR",
            (IncidentNames::Zeebe, Self::IoMapping) => "IO_MAPPING_ERROR",
            (IncidentNames::Zeebe, Self::DecisionMissing) => "CALLED_DECISION_ERROR",
            (IncidentNames::Zeebe, Self::Decision) => "DECISION_EVALUATION_ERROR",
            (IncidentNames::Zeebe, Self::CalledMissing) => "CALLED_ELEMENT_ERROR",
            (IncidentNames::Camunda, Self::WorkerJobFailed | Self::UncaughtError) => {
                "failedExternalTask"
            }
            (IncidentNames::Camunda, _) => "failedJob",
            (IncidentNames::Flowable, _) => "deadLetter",
        }
    }
}

pub(crate) fn open(
    turn: &mut Turn<'_>,
    on: ElementInstanceKey,
    reason: Reason,
    message: Arc<str>,
    job: Option<JobKey>,
) {
    let key = IncidentKey::new(turn.next_key());
    let kind: Arc<str> = reason.name(turn.semantics().incident_names).into();
    let instance = turn.element_mut(on);
    let incident = Incident { key, kind: kind.clone(), job };
    let is_about_boundary = instance.jobs.iter().any(|j| {
        Some(j.key) == job
            && matches!(&j.kind, JobKind::Timer { event, .. } if *event != instance.element)
    });
    if is_about_boundary {
        instance.timer_incidents.push(incident);
    } else {
        debug_assert!(instance.incident.is_none(), "an element stops at its first problem");
        instance.incident = Some(incident);
    }
    let element = match on == turn.work.record.root.key {
        true => turn.process_element(),
        false => turn.element(on).element.clone(),
    };
    turn.work.changes.incident_opened(IncidentRow {
        key,
        kind: kind.clone(),
        message: message.clone(),
        element,
        element_instance: on,
        job,
    });
    turn.event(Event::IncidentOpened { key, element_instance: on, kind, message, job });
}

/// The element instance that has the incident.
pub(crate) fn find(record: &Record, key: IncidentKey) -> Option<(ElementInstanceKey, &Incident)> {
    record.holders().find_map(|element| {
        let mut incidents = element.incident.iter().chain(&element.timer_incidents);
        incidents.find(|incident| incident.key == key).map(|incident| (element.key, incident))
    })
}

pub(crate) fn close(turn: &mut Turn<'_>, on: ElementInstanceKey, key: IncidentKey) {
    let instance = turn.element_mut(on);
    instance.incident.take_if(|incident| incident.key == key);
    instance.timer_incidents.retain(|incident| incident.key != key);
    note_closed(turn, key);
}

/// Closes the incident about a job, where there is one.
pub(crate) fn close_about(turn: &mut Turn<'_>, on: ElementInstanceKey, job: JobKey) {
    let instance = turn.element(on);
    let mut incidents = instance.incident.iter().chain(&instance.timer_incidents);
    if let Some(key) = incidents.find(|i| i.job == Some(job)).map(|i| i.key) {
        close(turn, on, key);
    }
}

pub(crate) fn close_all(turn: &mut Turn<'_>, on: ElementInstanceKey) {
    let instance = turn.element_mut(on);
    let own = instance.incident.take();
    let of_timers = std::mem::take(&mut instance.timer_incidents);
    for incident in own.into_iter().chain(of_timers) {
        note_closed(turn, incident.key);
    }
}

fn note_closed(turn: &mut Turn<'_>, key: IncidentKey) {
    turn.work.changes.incident_gone(key);
    turn.event(Event::IncidentClosed { key });
}
