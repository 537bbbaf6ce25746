use orloj_interpreter::{EndKind, Event, LeaveKind, Role};
use orloj_store::Error;
use orloj_store::format::{EventEntry, EventFields, EventKind, append_event, decode_events};
use orloj_types::{InstanceKey, Timestamp};

use crate::api::EventView;

/// Where an instance's history is counted from.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    pub instance: InstanceKey,
    pub started_at: Timestamp,
}

/// Appends what a command did to the instance's current stretch of history.
pub(crate) fn append_events(
    stretch: &mut Vec<u8>,
    events: &[Event],
    instance: InstanceKey,
    started_at: Timestamp,
    now: Timestamp,
) {
    let origin = Origin { instance, started_at };
    for event in events {
        append_event(stretch, fields(event, origin, now));
    }
}

fn fields(event: &Event, origin: Origin, now: Timestamp) -> EventFields<'_> {
    let base = origin.instance.raw();
    let at = |kind: EventKind| EventFields {
        kind: kind as u32,
        at_ms: now.ms_since(origin.started_at),
        ..EventFields::default()
    };
    match event {
        Event::InstanceStarted => at(EventKind::InstanceStarted),
        Event::InstanceEnded { how } => EventFields {
            number: i64::from(*how == EndKind::Cancelled),
            ..at(EventKind::InstanceEnded)
        },
        Event::ElementEntered { key, element, scope, role } => EventFields {
            key: key.raw() - base,
            of: scope.raw() - base,
            name: element,
            number: i64::from(*role == Role::Body),
            ..at(EventKind::ElementEntered)
        },
        Event::ElementLeft { key, how } => EventFields {
            key: key.raw() - base,
            number: i64::from(*how == LeaveKind::Terminated),
            ..at(EventKind::ElementLeft)
        },
        Event::JobCreated { key, element_instance, job_type } => EventFields {
            key: key.raw() - base,
            of: element_instance.raw() - base,
            name: job_type,
            ..at(EventKind::JobCreated)
        },
        Event::JobActivated { key, activation } => EventFields {
            key: key.raw() - base,
            at_ms: activation.at.ms_since(origin.started_at),
            name: &activation.worker,
            ..at(EventKind::JobActivated)
        },
        Event::JobCompleted { key } => {
            EventFields { key: key.raw() - base, ..at(EventKind::JobCompleted) }
        }
        Event::JobFailed { key, retries_left, message } => EventFields {
            key: key.raw() - base,
            number: i64::from(*retries_left),
            message,
            ..at(EventKind::JobFailed)
        },
        Event::JobThrew { key, code } => {
            EventFields { key: key.raw() - base, name: code, ..at(EventKind::JobThrew) }
        }
        Event::JobCancelled { key } => {
            EventFields { key: key.raw() - base, ..at(EventKind::JobCancelled) }
        }
        Event::IncidentOpened { key, element_instance, kind, message, job } => EventFields {
            key: key.raw() - base,
            of: element_instance.raw() - base,
            name: kind,
            message,
            job: job.map_or(0, |job| job.raw() - base),
            ..at(EventKind::IncidentOpened)
        },
        Event::IncidentClosed { key } => {
            EventFields { key: key.raw() - base, ..at(EventKind::IncidentClosed) }
        }
        Event::ResultDropped { element_instance } => {
            EventFields { key: element_instance.raw() - base, ..at(EventKind::ResultDropped) }
        }
    }
}

/// A stretch of history as people read it.
pub(crate) fn event_views(
    stretch: &[u8],
    instance: InstanceKey,
    started_at: Timestamp,
) -> Result<Vec<EventView>, Error> {
    let views = decode_events(stretch)?.into_iter().map(|event| {
        let kind = EventKind::from_number(event.kind);
        EventView {
            at: started_at.plus_ms(event.at_ms),
            what: what(kind, &event).into(),
            key: event.key + instance.raw(),
            name: event.name.into(),
            message: event.message.into(),
            retries_left: (kind == Some(EventKind::JobFailed)).then_some(event.number),
        }
    });
    Ok(views.collect())
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
        Some(EventKind::IncidentClosed) => "incident-closed",
        Some(EventKind::ResultDropped) => "result-dropped",
        None => "unknown",
    }
}
