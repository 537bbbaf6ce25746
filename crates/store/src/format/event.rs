use prost::Message;

use crate::Error;
use crate::format::damaged;
use crate::format::wire::Wire;

/// One thing that happened. Entries are concatenated with their lengths in front; a stretch of
/// history is such a concatenation, without a version byte: unknown kinds are kept and shown as
/// numbers, unknown fields skipped.
#[derive(Clone, PartialEq, Message)]
pub struct EventEntry {
    /// [`EventKind`].
    #[prost(uint32, tag = "1")]
    pub kind: u32,
    /// Since the instance's start.
    #[prost(sint64, tag = "2")]
    pub at_ms: i64,
    /// Of the element instance, job or incident it is about, as a difference to the instance's.
    #[prost(sint64, tag = "3")]
    pub key: i64,
    /// A second key: scope of an element, element instance of a job or incident.
    #[prost(sint64, tag = "4")]
    pub of: i64,
    /// Element id, job type, worker, error code or incident kind.
    #[prost(string, tag = "5")]
    pub name: String,
    /// Message of a failure or incident.
    #[prost(string, tag = "6")]
    pub message: String,
    /// Retries left, or how something ended.
    #[prost(sint64, tag = "7")]
    pub number: i64,
    /// A third key: the job of an incident.
    #[prost(sint64, tag = "8")]
    pub job: i64,
}

/// The numbers are part of the stored format.
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
}

pub fn append_event(stretch: &mut Vec<u8>, event: EventFields<'_>) {
    Wire(stretch).delimited(|wire| {
        wire.uint(1, event.kind.into());
        wire.sint(2, event.at_ms);
        wire.sint(3, event.key);
        wire.sint(4, event.of);
        wire.bytes(5, event.name.as_bytes());
        wire.bytes(6, event.message.as_bytes());
        wire.sint(7, event.number);
        wire.sint(8, event.job);
    });
}

pub fn decode_events(mut stretch: &[u8]) -> Result<Vec<EventEntry>, Error> {
    let mut events = Vec::new();
    while !stretch.is_empty() {
        let event =
            EventEntry::decode_length_delimited(&mut stretch).map_err(|e| damaged("history", e))?;
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
                ..Default::default()
            },
        ];
        let (mut written, mut expected) = (Vec::new(), Vec::new());
        for event in events {
            append_event(&mut written, event);
            let entry = EventEntry {
                kind: event.kind,
                at_ms: event.at_ms,
                key: event.key,
                of: event.of,
                name: event.name.into(),
                message: event.message.into(),
                number: event.number,
                job: event.job,
            };
            expected.extend(entry.encode_length_delimited_to_vec());
        }
        assert_eq!(written, expected);
        assert_eq!(decode_events(&written).map(|events| events.len()), Ok(3));
    }
}
