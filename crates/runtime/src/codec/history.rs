use orloj_interpreter::{EndKind, Event, LeaveKind};
use orloj_store::Error;
use orloj_store::format::{EventEntry, EventKind, append_event, decode_events};
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
        append_event(stretch, &entry(event, origin, now));
    }
}

fn entry(event: &Event, origin: Origin, now: Timestamp) -> EventEntry {
    let base = origin.instance.raw();
    let at = |kind: EventKind| EventEntry {
        kind: kind as u32,
        at_ms: now.ms_since(origin.started_at),
        ..EventEntry::default()
    };
    match event {
        Event::InstanceStarted => at(EventKind::InstanceStarted),
        Event::InstanceEnded { how } => EventEntry {
            number: i64::from(*how == EndKind::Cancelled),
            ..at(EventKind::InstanceEnded)
        },
        Event::ElementEntered { key, element, scope } => EventEntry {
            key: key.raw() - base,
            of: scope.raw() - base,
            name: element.to_string(),
            ..at(EventKind::ElementEntered)
        },
        Event::ElementLeft { key, how } => EventEntry {
            key: key.raw() - base,
            number: i64::from(*how == LeaveKind::Terminated),
            ..at(EventKind::ElementLeft)
        },
        Event::JobCreated { key, element_instance, job_type } => EventEntry {
            key: key.raw() - base,
            of: element_instance.raw() - base,
            name: job_type.to_string(),
            ..at(EventKind::JobCreated)
        },
        Event::JobActivated { key, activation } => EventEntry {
            key: key.raw() - base,
            at_ms: activation.at.ms_since(origin.started_at),
            name: activation.worker.to_string(),
            ..at(EventKind::JobActivated)
        },
        Event::JobCompleted { key } => {
            EventEntry { key: key.raw() - base, ..at(EventKind::JobCompleted) }
        }
        Event::JobFailed { key, retries_left, message } => EventEntry {
            key: key.raw() - base,
            number: i64::from(*retries_left),
            message: message.to_string(),
            ..at(EventKind::JobFailed)
        },
        Event::JobThrew { key, code } => {
            EventEntry { key: key.raw() - base, name: code.to_string(), ..at(EventKind::JobThrew) }
        }
        Event::JobCancelled { key } => {
            EventEntry { key: key.raw() - base, ..at(EventKind::JobCancelled) }
        }
        Event::IncidentOpened { key, element_instance, kind, message, job } => EventEntry {
            key: key.raw() - base,
            of: element_instance.raw() - base,
            name: kind.to_string(),
            message: message.to_string(),
            job: job.map_or(0, |job| job.raw() - base),
            ..at(EventKind::IncidentOpened)
        },
        Event::IncidentClosed { key } => {
            EventEntry { key: key.raw() - base, ..at(EventKind::IncidentClosed) }
        }
        Event::ResultDropped { element_instance } => {
            EventEntry { key: element_instance.raw() - base, ..at(EventKind::ResultDropped) }
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
