use std::ops::Range;

use prost::Message;

use super::stretch::Last;
use crate::Error;
use crate::format::damaged;
use crate::format::wire::Wire;

/// In the stored number of a kind: moment and key are differences to those of the entry before, the
/// key to that of the last one which has one.
pub(super) const FOLLOWS: u32 = 1 << 5;
/// The second key is a difference to the entry's own.
pub(super) const OF_OWN_KEY: u32 = 1 << 6;
/// The name is that of the last activation, for an element that is entered the one of the last new
/// job.
pub(super) const NAMED_BEFORE: u32 = 1 << 7;

/// One thing that happened. Entries are concatenated with their lengths in front; a stretch of
/// history is such a concatenation, without a version byte: unknown kinds are kept and shown as
/// numbers, unknown fields skipped.
#[derive(Clone, PartialEq, Message)]
pub struct EventEntry {
    /// [`EventKind`]; as stored, marks above the lowest five bits tell what is left out.
    #[prost(uint32, tag = "1")]
    pub kind: u32,
    /// Since the instance's start.
    #[prost(sint64, tag = "2")]
    pub at_ms: i64,
    /// Of the element instance, job, incident or user task it is about, as a difference to the
    /// instance's.
    #[prost(sint64, tag = "3")]
    pub key: i64,
    /// A second key: scope of an element or variable, element instance of a job, incident or user
    /// task.
    #[prost(sint64, tag = "4")]
    pub of: i64,
    /// Element id, job type, worker, error code, incident kind, variable, assignee or name of a
    /// user task.
    #[prost(string, tag = "5")]
    pub name: String,
    /// Message of a failure or incident, or the value of a variable as JSON.
    #[prost(string, tag = "6")]
    pub message: String,
    /// Retries left, how something ended, or the length of a value that was cut.
    #[prost(sint64, tag = "7")]
    pub number: i64,
    /// A third key: the job of an incident, or the instance that was called.
    #[prost(sint64, tag = "8")]
    pub job: i64,
    /// A second number: the priority of a new job or user task, the retries that a failed job had,
    /// the tag of a value.
    #[prost(sint64, tag = "9")]
    pub second: i64,
    /// The element of a new job, user task or incident, or where a failed job has failed.
    #[prost(string, tag = "10")]
    pub element: String,
    /// The due date of a new job or user task, or of one that has failed, since the instance's start.
    #[prost(sint64, optional, tag = "11")]
    pub due_ms: Option<i64>,
    /// Which kind of job definition a new job has; 0: none.
    #[prost(uint32, tag = "12")]
    pub handler: u32,
    /// The incident that an incident tells of, as a difference; 0: itself.
    #[prost(sint64, tag = "13")]
    pub cause: i64,
    /// Where the chain of causes begins, likewise.
    #[prost(sint64, tag = "14")]
    pub root_cause: i64,
    /// Details of a failure, cut to [`EVENT_DETAILS_BYTES_MAX`].
    #[prost(string, tag = "15")]
    pub details: String,
}

/// Some eighty lines of a stack trace. The row of the job has more of the last failure; history
/// keeps every one.
pub const EVENT_DETAILS_BYTES_MAX: usize = 8 << 10;

/// The numbers are part of the stored format and below 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum EventKind {
    InstanceStarted = 1,
    InstanceEnded = 2,
    ElementEntered = 3,
    ElementLeft = 4,
    JobCreated = 5,
    JobActivated = 6,
    JobCompleted = 7,
    JobFailed = 8,
    JobThrew = 9,
    JobCancelled = 10,
    IncidentOpened = 11,
    IncidentClosed = 12,
    ResultDropped = 13,
    JobChanged = 14,
    InstanceCalled = 15,
    UserTaskCreated = 16,
    UserTaskAssigned = 17,
    UserTaskEnded = 18,
    VariableCreated = 19,
    VariableUpdated = 20,
    VariableDeleted = 21,
    /// The last value of a variable whose scope has ended.
    VariableEnded = 22,
    UserTaskCorrected = 23,
    UserTaskDenied = 24,
}

impl EventKind {
    pub const fn from_number(number: u32) -> Option<Self> {
        Some(match number {
            1 => Self::InstanceStarted,
            2 => Self::InstanceEnded,
            3 => Self::ElementEntered,
            4 => Self::ElementLeft,
            5 => Self::JobCreated,
            6 => Self::JobActivated,
            7 => Self::JobCompleted,
            8 => Self::JobFailed,
            9 => Self::JobThrew,
            10 => Self::JobCancelled,
            11 => Self::IncidentOpened,
            12 => Self::IncidentClosed,
            13 => Self::ResultDropped,
            14 => Self::JobChanged,
            15 => Self::InstanceCalled,
            16 => Self::UserTaskCreated,
            17 => Self::UserTaskAssigned,
            18 => Self::UserTaskEnded,
            19 => Self::VariableCreated,
            20 => Self::VariableUpdated,
            21 => Self::VariableDeleted,
            22 => Self::VariableEnded,
            23 => Self::UserTaskCorrected,
            24 => Self::UserTaskDenied,
            _ => return None,
        })
    }
}

/// An [`EventEntry`] to be written.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventFields<'a> {
    pub kind: u32,
    pub at_ms: i64,
    pub key: i64,
    pub of: i64,
    pub name: &'a str,
    pub message: &'a str,
    pub number: i64,
    pub job: i64,
    pub second: i64,
    pub element: &'a str,
    pub due_ms: Option<i64>,
    pub handler: u32,
    pub cause: i64,
    pub root_cause: i64,
    pub details: &'a str,
}

/// Where texts of an entry stand.
pub(super) struct Spans {
    pub name: Range<usize>,
    pub element: Range<usize>,
}

pub(super) fn append_event(stretch: &mut Vec<u8>, event: &EventFields<'_>) -> Spans {
    let mut spans = Spans { name: 0..0, element: 0..0 };
    Wire(stretch).delimited(|wire| {
        wire.uint(1, event.kind.into());
        wire.sint(2, event.at_ms);
        wire.sint(3, event.key);
        wire.sint(4, event.of);
        wire.bytes(5, event.name.as_bytes());
        spans.name = wire.0.len() - event.name.len()..wire.0.len();
        wire.bytes(6, event.message.as_bytes());
        wire.sint(7, event.number);
        wire.sint(8, event.job);
        wire.sint(9, event.second);
        wire.bytes(10, event.element.as_bytes());
        spans.element = wire.0.len() - event.element.len()..wire.0.len();
        if let Some(due) = event.due_ms {
            wire.some_sint(11, due);
        }
        wire.uint(12, event.handler.into());
        wire.sint(13, event.cause);
        wire.sint(14, event.root_cause);
        wire.bytes(15, event.details.as_bytes());
    });
    spans
}

pub fn decode_events(mut stretch: &[u8]) -> Result<Vec<EventEntry>, Error> {
    let mut events: Vec<EventEntry> = Vec::new();
    let mut last = Last::default();
    let (mut worker, mut element) = (None, None);
    while !stretch.is_empty() {
        let mut event =
            EventEntry::decode_length_delimited(&mut stretch).map_err(|e| damaged("history", e))?;
        let marks = event.kind & (FOLLOWS | OF_OWN_KEY | NAMED_BEFORE);
        event.kind &= !marks;
        let kind = EventKind::from_number(event.kind);
        if marks & FOLLOWS != 0 {
            event.at_ms = event.at_ms.wrapping_add(last.at_ms);
            event.key = event.key.wrapping_add(last.key);
        }
        if marks & OF_OWN_KEY != 0 {
            event.of = event.of.wrapping_add(event.key);
        }
        if marks & NAMED_BEFORE != 0 {
            let named = match kind {
                Some(EventKind::JobActivated) => worker.map(|at: usize| &events[at].name),
                _ => element.map(|at: usize| &events[at].element),
            };
            event.name =
                named.cloned().ok_or_else(|| damaged("history", "a name that nobody told"))?;
        }
        last.pass(event.at_ms, event.key);
        match kind {
            Some(EventKind::JobActivated) => worker = Some(events.len()),
            Some(EventKind::JobCreated) => element = Some(events.len()),
            _ => {}
        }
        events.push(event);
    }
    Ok(events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_is_what_the_message_says() {
        let long = "x".repeat(200);
        let events = [
            EventFields::default(),
            EventFields {
                kind: 3,
                at_ms: 12,
                key: 5,
                of: -2,
                name: "charge",
                ..Default::default()
            },
            EventFields {
                kind: 11,
                at_ms: i64::MAX,
                key: i64::MIN,
                message: &long,
                number: -1,
                job: 70,
                second: 3,
                element: "pay",
                due_ms: Some(0),
                handler: 3,
                cause: -9,
                root_cause: 12,
                details: "at the till",
                ..Default::default()
            },
        ];
        let (mut written, mut expected) = (Vec::new(), Vec::new());
        for event in events {
            append_event(&mut written, &event);
            let entry = EventEntry {
                kind: event.kind,
                at_ms: event.at_ms,
                key: event.key,
                of: event.of,
                name: event.name.into(),
                message: event.message.into(),
                number: event.number,
                job: event.job,
                second: event.second,
                element: event.element.into(),
                due_ms: event.due_ms,
                handler: event.handler,
                cause: event.cause,
                root_cause: event.root_cause,
                details: event.details.into(),
            };
            expected.extend(entry.encode_length_delimited_to_vec());
        }
        assert_eq!(written, expected);
        assert_eq!(decode_events(&written).map(|events| events.len()), Ok(3));
    }
}
