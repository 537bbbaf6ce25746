use prost::Message;

use crate::Error;
use crate::format::damaged;

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

pub fn append_event(stretch: &mut Vec<u8>, event: &EventEntry) {
    // Appending to a Vec cannot run out of capacity, the only error there is.
    let appended = event.encode_length_delimited(stretch);
    debug_assert!(appended.is_ok(), "a Vec grows");
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
