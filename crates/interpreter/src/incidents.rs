//! Incidents: problems that wait on an element instance for a person.

use std::sync::Arc;

use orloj_model::IncidentNames;
use orloj_types::{ElementInstanceKey, IncidentKey, JobKey};

use crate::agenda::{MemberIndex, Step};
use crate::command::OpenIncident;
use crate::failure::{FailureKind, Ruled};
use crate::outcome::{Event, IncidentEnd, IncidentRow};
use crate::record::{ElementInstance, Incident, JobKind, Record};
use crate::turn::Turn;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    WorkerJobFailed,
    ListenerFailed,
    TaskListenerFailed,
    /// The job by which a worker decides on an ad-hoc subprocess.
    AdHocFailed,
    /// A job that no message can carry.
    MessageSize,
    JobFailed,
    UncaughtError,
    ExtractValue,
    Condition,
    IoMapping,
    DecisionMissing,
    Decision,
    CalledMissing,
    FormMissing,
    ResourceMissing,
}

impl Reason {
    pub(crate) fn of(kind: FailureKind) -> Self {
        match kind {
            FailureKind::Condition => Self::Condition,
            FailureKind::IoMapping => Self::IoMapping,
            FailureKind::ExtractValue | FailureKind::UnknownName => Self::ExtractValue,
            FailureKind::DecisionMissing => Self::DecisionMissing,
            FailureKind::Decision => Self::Decision,
            FailureKind::CalledMissing => Self::CalledMissing,
            FailureKind::FormMissing => Self::FormMissing,
            FailureKind::ResourceMissing => Self::ResourceMissing,
            FailureKind::Uncaught => Self::UncaughtError,
            FailureKind::Foreign
            | FailureKind::CallerSuspended
            | FailureKind::TooManyVisits { .. } => Self::JobFailed,
        }
    }

    /// Of a job without retries.
    pub(crate) fn of_job(kind: &JobKind) -> Self {
        match kind {
            JobKind::Worker => Self::WorkerJobFailed,
            JobKind::Listener { .. } => Self::ListenerFailed,
            _ => Self::JobFailed,
        }
    }

    fn name(self, names: &IncidentNames) -> &'static str {
        match self {
            Self::WorkerJobFailed => names.worker_job,
            Self::ListenerFailed => names.listener,
            Self::TaskListenerFailed => names.task_listener,
            Self::AdHocFailed => names.ad_hoc,
            Self::MessageSize => names.message_size,
            Self::JobFailed => names.job,
            Self::UncaughtError => names.uncaught_error,
            Self::ExtractValue => names.extract_value,
            Self::Condition => names.condition,
            Self::IoMapping => names.io_mapping,
            Self::DecisionMissing => names.decision_missing,
            Self::Decision => names.decision,
            Self::CalledMissing => names.called_missing,
            Self::FormMissing => names.form_missing,
            Self::ResourceMissing => names.resource_missing,
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
    let kind: Arc<str> = reason.name(&turn.semantics().incident_names).into();
    let instance = turn.element(on);
    let is_beside =
        job.is_some_and(|job| instance.event_of(job).is_some()) || instance.incident.is_some();
    let draft = Draft { kind, message, job, configuration: None, below: None, is_beside };
    place(turn, on, draft);
}

/// As [`open`], unless there is one about the job already.
pub(crate) fn open_about(
    turn: &mut Turn<'_>,
    on: ElementInstanceKey,
    reason: Reason,
    message: Arc<str>,
    job: JobKey,
) {
    if about(turn.element(on), job).is_none() {
        open(turn, on, reason, message, Some(job));
    }
}

/// One that a client tells of.
pub(crate) fn open_by_hand(turn: &mut Turn<'_>, open: &OpenIncident) -> IncidentKey {
    let draft = Draft {
        kind: open.kind.clone(),
        message: open.message.clone(),
        job: None,
        configuration: open.configuration.clone(),
        below: None,
        is_beside: true,
    };
    place(turn, open.element_instance, draft)
}

struct Draft {
    kind: Arc<str>,
    message: Arc<str>,
    job: Option<JobKey>,
    configuration: Option<Arc<str>>,
    /// The incident of a called instance that it tells of, and where that began.
    below: Option<(IncidentKey, IncidentKey)>,
    /// It does not stop the element.
    is_beside: bool,
}

fn place(turn: &mut Turn<'_>, on: ElementInstanceKey, draft: Draft) -> IncidentKey {
    let key = IncidentKey::new(turn.next_key());
    let Draft { kind, message, job, configuration, below, is_beside } = draft;
    let (cause, root_cause) = below.unwrap_or((key, key));
    let instance = turn.element_mut(on);
    let incident = Incident { key, kind: kind.clone(), job, cause: below.map(|(cause, _)| cause) };
    match is_beside {
        true => instance.timer_incidents.push(incident),
        false => instance.incident = Some(incident),
    }
    // A timer's is shown at the event that waits, as it is in Camunda.
    let event = job.and_then(|job| turn.element(on).event_of(job)).cloned();
    let element = event.unwrap_or_else(|| match on == turn.work.record.root.key {
        true => turn.process_element(),
        false => turn.element(on).element.clone(),
    });
    turn.work.changes.incident_opened(IncidentRow {
        key,
        kind: kind.clone(),
        message: message.clone(),
        element: element.clone(),
        element_instance: on,
        job,
        configuration,
        cause,
        root_cause,
    });
    let word = kind.clone();
    turn.event(Event::IncidentOpened {
        key,
        element_instance: on,
        kind,
        message,
        job,
        element,
        cause,
        root_cause,
    });
    if climbs(turn) {
        turn.work.push(Step::IncidentBelow { incident: key, root_cause, kind: word });
    }
    key
}

fn climbs(turn: &Turn<'_>) -> bool {
    turn.work.record.caller.is_some() && turn.semantics().jobs.incidents_climb
}

/// The incident of the instance at work is shown on the call activity it belongs to.
pub(crate) fn climb(
    turn: &mut Turn<'_>,
    incident: IncidentKey,
    root_cause: IncidentKey,
    kind: Arc<str>,
) -> Ruled {
    let Some((member, on)) = above(turn)? else { return Ok(()) };
    let (here, _) = turn.work.at();
    turn.switch(member);
    if turn.work.ended.is_none() && turn.work.record.element(on).is_some() {
        let below = Some((incident, root_cause));
        let message = Arc::default();
        let draft = Draft { kind, message, job: None, configuration: None, below, is_beside: true };
        place(turn, on, draft);
    }
    turn.switch(here);
    Ok(())
}

/// An incident of the instance at work is closed, and so is what tells of it above.
pub(crate) fn follow(turn: &mut Turn<'_>, incident: IncidentKey, how: IncidentEnd) -> Ruled {
    let Some((member, on)) = above(turn)? else { return Ok(()) };
    let (here, _) = turn.work.at();
    turn.switch(member);
    let found = turn.work.record.element(on).and_then(|instance| {
        let mut beside = instance.timer_incidents.iter();
        beside.find(|known| known.cause == Some(incident)).map(|known| known.key)
    });
    if let Some(key) = found {
        close(turn, on, key, how);
    }
    turn.switch(here);
    Ok(())
}

/// The call activity that the instance at work belongs to, while it is there.
fn above(turn: &Turn<'_>) -> Ruled<Option<(MemberIndex, ElementInstanceKey)>> {
    let Some(caller) = turn.work.record.caller else { return Ok(None) };
    let member = turn.member(caller.instance)?;
    Ok(member.map(|member| (member, caller.element_instance)))
}

/// The element instance that has the incident.
pub(crate) fn find(record: &Record, key: IncidentKey) -> Option<(ElementInstanceKey, &Incident)> {
    record.holders().find_map(|element| {
        let mut incidents = element.incident.iter().chain(&element.timer_incidents);
        incidents.find(|incident| incident.key == key).map(|incident| (element.key, incident))
    })
}

pub(crate) fn close(
    turn: &mut Turn<'_>,
    on: ElementInstanceKey,
    key: IncidentKey,
    how: IncidentEnd,
) {
    let instance = turn.element_mut(on);
    instance.incident.take_if(|incident| incident.key == key);
    instance.timer_incidents.retain(|incident| incident.key != key);
    note_closed(turn, key, how);
}

/// The job is gone, and the incident about it, where there is one.
pub(crate) fn close_about(turn: &mut Turn<'_>, on: ElementInstanceKey, job: JobKey) {
    if let Some(key) = about(turn.element(on), job) {
        close(turn, on, key, IncidentEnd::Deleted);
    }
}

/// The job can go on; the incident about it is resolved, where there is one.
pub(crate) fn resolve_about(turn: &mut Turn<'_>, on: ElementInstanceKey, job: JobKey) {
    if let Some(key) = about(turn.element(on), job) {
        close(turn, on, key, IncidentEnd::Resolved);
    }
}

/// The incident that a job waits with for a person.
pub(crate) fn about(instance: &ElementInstance, job: JobKey) -> Option<IncidentKey> {
    let mut incidents = instance.incident.iter().chain(&instance.timer_incidents);
    incidents.find(|incident| incident.job == Some(job)).map(|incident| incident.key)
}

/// The element instance goes, and what is told about it.
pub(crate) fn close_all(turn: &mut Turn<'_>, on: ElementInstanceKey) {
    let instance = turn.element(on);
    if instance.incident.is_none() && instance.timer_incidents.is_empty() {
        return;
    }
    let instance = turn.element_mut(on);
    let own = instance.incident.take();
    let beside = std::mem::take(&mut instance.timer_incidents);
    for incident in own.into_iter().chain(beside) {
        note_closed(turn, incident.key, IncidentEnd::Deleted);
    }
}

fn note_closed(turn: &mut Turn<'_>, key: IncidentKey, how: IncidentEnd) {
    turn.work.changes.incident_gone(key);
    turn.event(Event::IncidentClosed { key, how });
    if climbs(turn) {
        turn.work.push(Step::IncidentBelowClosed { incident: key, how });
    }
}
