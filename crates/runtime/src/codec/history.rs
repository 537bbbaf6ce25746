use orloj_interpreter::{EndKind, Event, IncidentEnd, JobEdit, LeaveKind, Role, TaskEnd};
use orloj_model::JobHandler;
use orloj_store::Error;
use orloj_store::format::{
    EVENT_DETAILS_BYTES_MAX, EventEntry, EventFields, EventKind, Stretch, decode_events,
};
use orloj_types::{InstanceKey, Timestamp};

use crate::api::EventView;

/// Where an instance's history is counted from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub instance: InstanceKey,
    pub started_at: Timestamp,
}

impl Origin {
    pub fn at(self, event: &EventEntry) -> Timestamp {
        self.started_at.plus_ms(event.at_ms)
    }

    /// A key that is stored as a difference.
    pub fn key(self, difference: i64) -> i64 {
        self.instance.raw() + difference
    }
}

/// Appends what a command did to the instance's current stretch of history, as far as it `is_kept`.
pub(crate) fn append_events(
    stretch: &mut Stretch,
    events: &[Event],
    origin: Origin,
    now: Timestamp,
    is_kept: impl Fn(EventKind) -> bool,
) {
    for event in events {
        if is_kept(kind_of(event)) {
            stretch.append(fields(event, origin, now));
        }
    }
}

pub(crate) const fn kind_of(event: &Event) -> EventKind {
    match event {
        Event::InstanceStarted => EventKind::InstanceStarted,
        Event::InstanceEnded { .. } => EventKind::InstanceEnded,
        Event::ElementEntered { .. } => EventKind::ElementEntered,
        Event::ElementLeft { .. } => EventKind::ElementLeft,
        Event::JobCreated { .. } => EventKind::JobCreated,
        Event::JobActivated { .. } => EventKind::JobActivated,
        Event::JobCompleted { .. } => EventKind::JobCompleted,
        Event::JobFailed { .. } => EventKind::JobFailed,
        Event::JobChanged { .. } => EventKind::JobChanged,
        Event::JobThrew { .. } => EventKind::JobThrew,
        Event::JobCancelled { .. } => EventKind::JobCancelled,
        Event::IncidentOpened { .. } => EventKind::IncidentOpened,
        Event::IncidentClosed { .. } => EventKind::IncidentClosed,
        Event::ResultDropped { .. } => EventKind::ResultDropped,
        Event::InstanceCalled { .. } => EventKind::InstanceCalled,
        Event::UserTaskCreated { .. } => EventKind::UserTaskCreated,
        Event::UserTaskAssigned { .. } => EventKind::UserTaskAssigned,
        Event::UserTaskEnded { .. } => EventKind::UserTaskEnded,
        Event::UserTaskCorrected { .. } => EventKind::UserTaskCorrected,
        Event::UserTaskDenied { .. } => EventKind::UserTaskDenied,
    }
}

fn fields(event: &Event, origin: Origin, now: Timestamp) -> EventFields<'_> {
    let base = origin.instance.raw();
    let due_ms = |due_at: &Option<Timestamp>| due_at.map(|at| at.ms_since(origin.started_at));
    let plain = EventFields {
        kind: kind_of(event) as u32,
        at_ms: now.ms_since(origin.started_at),
        ..EventFields::default()
    };
    match event {
        Event::InstanceStarted => plain,
        Event::InstanceEnded { how } => {
            EventFields { number: i64::from(*how == EndKind::Cancelled), ..plain }
        }
        Event::ElementEntered { key, element, scope, role } => EventFields {
            key: key.raw() - base,
            of: scope.raw() - base,
            name: element,
            number: i64::from(*role == Role::Body),
            ..plain
        },
        Event::ElementLeft { key, how } => EventFields {
            key: key.raw() - base,
            number: i64::from(*how == LeaveKind::Terminated),
            ..plain
        },
        Event::JobCreated { key, element_instance, job_type, about } => EventFields {
            key: key.raw() - base,
            of: element_instance.raw() - base,
            name: job_type,
            number: i64::from(about.retries),
            second: about.priority,
            element: &about.element,
            due_ms: due_ms(&about.due_at),
            handler: about.handler.map_or(0, handler_number),
            ..plain
        },
        Event::JobActivated { key, activation } => EventFields {
            key: key.raw() - base,
            at_ms: activation.at.ms_since(origin.started_at),
            name: &activation.worker,
            ..plain
        },
        Event::JobFailed {
            key,
            retries_before,
            retries_left,
            due_at,
            message,
            element,
            details,
        } => EventFields {
            details: head(details.as_deref().unwrap_or_default()),
            key: key.raw() - base,
            number: i64::from(*retries_left),
            second: i64::from(*retries_before),
            due_ms: due_ms(due_at),
            message,
            element,
            ..plain
        },
        Event::JobChanged { key, what } => {
            let (name, number) = edit(*what, origin);
            EventFields { key: key.raw() - base, name, number, ..plain }
        }
        Event::JobThrew { key, code } => EventFields { key: key.raw() - base, name: code, ..plain },
        Event::JobCompleted { key } | Event::JobCancelled { key } => {
            EventFields { key: key.raw() - base, ..plain }
        }
        Event::IncidentOpened {
            key,
            element_instance,
            kind,
            message,
            job,
            element,
            cause,
            root_cause,
        } => {
            let other = |other: i64| if other == key.raw() { 0 } else { other - base };
            EventFields {
                key: key.raw() - base,
                of: element_instance.raw() - base,
                name: kind,
                message,
                job: job.map_or(0, |job| job.raw() - base),
                element,
                cause: other(cause.raw()),
                root_cause: other(root_cause.raw()),
                ..plain
            }
        }
        Event::IncidentClosed { key, how } => EventFields {
            key: key.raw() - base,
            number: i64::from(*how == IncidentEnd::Deleted),
            ..plain
        },
        Event::ResultDropped { element_instance } => {
            EventFields { key: element_instance.raw() - base, ..plain }
        }
        Event::InstanceCalled { element_instance, called } => {
            EventFields { key: element_instance.raw() - base, job: called.raw() - base, ..plain }
        }
        Event::UserTaskCreated { key, element_instance, element, name, priority, due_at } => {
            EventFields {
                key: key.raw() - base,
                of: element_instance.raw() - base,
                name: name.as_deref().unwrap_or_default(),
                element,
                second: *priority,
                due_ms: due_ms(due_at),
                ..plain
            }
        }
        Event::UserTaskAssigned { key, assignee } => {
            EventFields { key: key.raw() - base, name: assignee, ..plain }
        }
        Event::UserTaskCorrected { key, priority, due_at } => EventFields {
            key: key.raw() - base,
            second: *priority,
            due_ms: due_ms(due_at),
            ..plain
        },
        Event::UserTaskDenied { key, reason } => {
            EventFields { key: key.raw() - base, message: reason, ..plain }
        }
        Event::UserTaskEnded { key, how } => EventFields {
            key: key.raw() - base,
            number: i64::from(*how == TaskEnd::Deleted),
            ..plain
        },
    }
}

/// As much of the details of a failure as history keeps.
fn head(details: &str) -> &str {
    let mut end = details.len().min(EVENT_DETAILS_BYTES_MAX);
    while !details.is_char_boundary(end) {
        end -= 1;
    }
    &details[..end]
}

/// What was changed about a job, and to which number; due dates count from the instance's start.
fn edit(what: JobEdit, origin: Origin) -> (&'static str, i64) {
    match what {
        JobEdit::Retries(retries) => ("retries", i64::from(retries)),
        JobEdit::DueDate(Some(due_at)) => ("due-date", due_at.ms_since(origin.started_at)),
        JobEdit::DueDate(None) => ("no-due-date", 0),
        JobEdit::Priority(priority) => ("priority", priority),
        JobEdit::Suspended => ("suspended", 0),
        JobEdit::Resumed => ("resumed", 0),
        JobEdit::MovedToDeadLetters => ("dead-letter", 0),
        JobEdit::MadeExecutable => ("executable", 0),
    }
}

/// The numbers are part of the stored format.
const fn handler_number(handler: JobHandler) -> u32 {
    match handler {
        JobHandler::AsyncContinuation => 1,
        JobHandler::TimerStart => 2,
        JobHandler::TimerStartEventSubprocess => 3,
        JobHandler::TimerBoundary => 4,
        JobHandler::TimerCatch => 5,
        JobHandler::TimerTaskListener => 6,
    }
}

pub(crate) fn handler(number: u32) -> Option<JobHandler> {
    JobHandler::ALL.into_iter().find(|handler| handler_number(*handler) == number)
}

/// A stretch of history as people read it.
pub(crate) fn event_views(
    stretch: &[u8],
    instance: InstanceKey,
    started_at: Timestamp,
) -> Result<Vec<EventView>, Error> {
    let origin = Origin { instance, started_at };
    let views = decode_events(stretch)?.into_iter().map(|event| {
        let kind = EventKind::from_number(event.kind);
        EventView {
            at: origin.at(&event),
            what: what(kind, &event).into(),
            key: origin.key(if is_about_variable(kind) { event.of } else { event.key }),
            name: event.name.into(),
            message: event.message.into(),
            retries_left: (kind == Some(EventKind::JobFailed)).then_some(event.number),
        }
    });
    Ok(views.collect())
}

/// Variables have no keys; their scope is told.
const fn is_about_variable(kind: Option<EventKind>) -> bool {
    matches!(
        kind,
        Some(
            EventKind::VariableCreated
                | EventKind::VariableUpdated
                | EventKind::VariableDeleted
                | EventKind::VariableEnded
        )
    )
}

fn what(kind: Option<EventKind>, event: &EventEntry) -> &'static str {
    match kind {
        Some(EventKind::InstanceStarted) => "instance-started",
        Some(EventKind::InstanceEnded) if event.number != 0 => "instance-cancelled",
        Some(EventKind::InstanceEnded) => "instance-completed",
        Some(EventKind::ElementEntered) => "element-entered",
        Some(EventKind::ElementLeft) if event.number != 0 => "element-terminated",
        Some(EventKind::ElementLeft) => "element-completed",
        Some(EventKind::JobCreated) => "job-created",
        Some(EventKind::JobActivated) => "job-activated",
        Some(EventKind::JobCompleted) => "job-completed",
        Some(EventKind::JobFailed) => "job-failed",
        Some(EventKind::JobThrew) => "job-threw",
        Some(EventKind::JobCancelled) => "job-cancelled",
        Some(EventKind::IncidentOpened) => "incident-opened",
        Some(EventKind::IncidentClosed) if event.number != 0 => "incident-deleted",
        Some(EventKind::IncidentClosed) => "incident-closed",
        Some(EventKind::ResultDropped) => "result-dropped",
        Some(EventKind::JobChanged) => "job-changed",
        Some(EventKind::InstanceCalled) => "instance-called",
        Some(EventKind::UserTaskCreated) => "user-task-created",
        Some(EventKind::UserTaskAssigned) => "user-task-assigned",
        Some(EventKind::UserTaskCorrected) => "user-task-corrected",
        Some(EventKind::UserTaskDenied) => "user-task-denied",
        Some(EventKind::UserTaskEnded) if event.number != 0 => "user-task-deleted",
        Some(EventKind::UserTaskEnded) => "user-task-completed",
        Some(EventKind::VariableCreated) => "variable-created",
        Some(EventKind::VariableUpdated) => "variable-updated",
        Some(EventKind::VariableDeleted) => "variable-deleted",
        Some(EventKind::VariableEnded) => "variable-ended",
        None => "unknown",
    }
}
