use prost::Message;

use crate::Error;
use crate::format::damaged;
use crate::format::variables::VariableEntry;

pub(super) const VERSION: u8 = 1;

/// The record of an instance, version 1.
#[derive(Clone, PartialEq, Message)]
pub struct RecordMessage {
    #[prost(int64, tag = "1")]
    pub started_at_ms: i64,
    #[prost(uint32, optional, tag = "2")]
    pub awaited_by: Option<u32>,
    #[prost(message, repeated, tag = "3")]
    pub elements: Vec<ElementEntry>,
    #[prost(message, repeated, tag = "4")]
    pub scopes: Vec<ScopeEntry>,
    /// Key of the exclusive job that holds the queue, as a difference.
    #[prost(sint64, optional, tag = "5")]
    pub exclusive_holder: Option<i64>,
    #[prost(sint64, repeated, tag = "6")]
    pub exclusive_parked: Vec<i64>,
    /// The call activity that waits for the instance.
    #[prost(message, optional, tag = "7")]
    pub caller: Option<CallerEntry>,
    /// The instance itself as a scope; absent when nothing waits there.
    #[prost(message, optional, tag = "8")]
    pub root: Option<ElementEntry>,
    #[prost(bool, tag = "9")]
    pub is_suspended: bool,
    /// The key of the message that has started it.
    #[prost(string, optional, tag = "10")]
    pub started_with: Option<String>,
    /// Of the outermost instance of a hierarchy whose exclusive jobs share one queue.
    #[prost(message, repeated, tag = "12")]
    pub exclusive_strangers: Vec<StrangerEntry>,
    /// The words it was started with.
    #[prost(string, repeated, tag = "13")]
    pub tags: Vec<String>,
    /// It is cancelled when one of these elements has been completed.
    #[prost(string, repeated, tag = "14")]
    pub stops_after: Vec<String>,
    /// Keys of jobs that were stopped while they may have been locked, as differences.
    #[prost(sint64, repeated, tag = "15")]
    pub still_held: Vec<i64>,
}

/// An exclusive job of another instance of the hierarchy, in the queue of this one.
#[derive(Clone, PartialEq, Message)]
pub struct StrangerEntry {
    /// As a difference, like those of the queue.
    #[prost(sint64, tag = "1")]
    pub job: i64,
    /// As it is.
    #[prost(int64, tag = "2")]
    pub instance: i64,
    /// See [`JobEntry::ticket`].
    #[prost(uint64, tag = "3")]
    pub ticket: u64,
    /// These three are what jobs are sorted by.
    #[prost(sint64, tag = "4")]
    pub priority: i64,
    #[prost(bool, tag = "5")]
    pub is_timer: bool,
    #[prost(int64, optional, tag = "6")]
    pub due_at_ms: Option<i64>,
}

/// Keys as they are, not as differences: they are of other instances.
#[derive(Clone, PartialEq, Message)]
pub struct CallerEntry {
    #[prost(int64, tag = "1")]
    pub instance: i64,
    #[prost(int64, tag = "2")]
    pub element_instance: i64,
    /// The outermost instance of the hierarchy.
    #[prost(int64, tag = "3")]
    pub root: i64,
}

#[derive(Clone, PartialEq, Message)]
pub struct ElementEntry {
    #[prost(sint64, tag = "1")]
    pub key: i64,
    #[prost(string, tag = "2")]
    pub element: String,
    /// As a difference; 0 is the instance itself.
    #[prost(sint64, tag = "3")]
    pub scope: i64,
    /// 0 entering, 1 active, 2 leaving, 3 ending.
    #[prost(uint32, tag = "4")]
    pub state: u32,
    /// As a difference to the instance's start.
    #[prost(sint64, tag = "5")]
    pub entered_ms: i64,
    #[prost(string, optional, tag = "6")]
    pub arrived_by: Option<String>,
    #[prost(message, repeated, tag = "7")]
    pub jobs: Vec<JobEntry>,
    #[prost(sint64, optional, tag = "8")]
    pub user_task: Option<i64>,
    #[prost(message, optional, tag = "9")]
    pub incident: Option<IncidentEntry>,
    /// Of the timers of its boundary events.
    #[prost(message, repeated, tag = "10")]
    pub timer_incidents: Vec<IncidentEntry>,
    /// 0 plain, 1 body, 2 inner, 3 handler, 4 triggered, 5 branch.
    #[prost(uint32, tag = "11")]
    pub role: u32,
    #[prost(message, repeated, tag = "12")]
    pub subscriptions: Vec<SubscriptionEntry>,
    /// The instance a call activity waits for, as a difference.
    #[prost(sint64, optional, tag = "13")]
    pub called: Option<i64>,
    #[prost(message, optional, tag = "14")]
    pub multi: Option<MultiEntry>,
    #[prost(message, repeated, tag = "15")]
    pub compensations: Vec<CompensationEntry>,
    #[prost(uint32, tag = "16")]
    pub undoing: u32,
    /// Of a user task.
    #[prost(bool, tag = "17")]
    pub is_assigned: bool,
    /// What a user task or worker was completed with, while something else comes first.
    #[prost(message, repeated, tag = "18")]
    pub held: Vec<VariableEntry>,
    /// The code of an error that is thrown on later.
    #[prost(string, optional, tag = "19")]
    pub thrown: Option<String>,
    /// Of a user task that has listeners.
    #[prost(message, optional, tag = "20")]
    pub task: Option<TaskEntry>,
    /// What happens when everything that is asked first has been.
    #[prost(message, optional, tag = "21")]
    pub after: Option<AfterEntry>,
}

/// A user task as those who listen to it know it.
#[derive(Clone, PartialEq, Message)]
pub struct TaskEntry {
    #[prost(sint64, tag = "1")]
    pub key: i64,
    #[prost(message, optional, tag = "2")]
    pub now: Option<TaskPropertiesEntry>,
    /// As it was before what is happening to it; absent when nothing has changed since.
    #[prost(message, optional, tag = "3")]
    pub before: Option<TaskPropertiesEntry>,
    /// Which of the element instance's variables are the task's own.
    #[prost(string, repeated, tag = "4")]
    pub own: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub struct TaskPropertiesEntry {
    #[prost(string, optional, tag = "1")]
    pub assignee: Option<String>,
    #[prost(string, repeated, tag = "2")]
    pub candidate_groups: Vec<String>,
    #[prost(string, repeated, tag = "3")]
    pub candidate_users: Vec<String>,
    #[prost(int64, optional, tag = "4")]
    pub due_at_ms: Option<i64>,
    #[prost(int64, optional, tag = "5")]
    pub follow_up_at_ms: Option<i64>,
    #[prost(sint64, tag = "6")]
    pub priority: i64,
    #[prost(string, optional, tag = "7")]
    pub form_key: Option<String>,
    #[prost(string, optional, tag = "8")]
    pub name: Option<String>,
    #[prost(string, optional, tag = "9")]
    pub description: Option<String>,
    #[prost(string, optional, tag = "10")]
    pub owner: Option<String>,
    #[prost(string, optional, tag = "11")]
    pub category: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub struct AfterEntry {
    /// 0 an event occurs, 1 an ad-hoc subprocess is done, 2 the instance is cancelled.
    #[prost(uint32, tag = "1")]
    pub kind: u32,
    #[prost(string, tag = "2")]
    pub event: String,
    #[prost(message, repeated, tag = "3")]
    pub variables: Vec<VariableEntry>,
}

#[derive(Clone, PartialEq, Message)]
pub struct SubscriptionEntry {
    #[prost(sint64, tag = "1")]
    pub key: i64,
    /// The event that waits.
    #[prost(string, tag = "2")]
    pub event: String,
    /// [`crate::SubscriptionKind`].
    #[prost(uint32, tag = "3")]
    pub kind: u32,
    /// Of the message, signal, event type or variable.
    #[prost(string, tag = "4")]
    pub name: String,
    #[prost(string, optional, tag = "5")]
    pub correlation_key: Option<String>,
}

/// How far a multi-instance body is.
#[derive(Clone, PartialEq, Message)]
pub struct MultiEntry {
    #[prost(uint32, tag = "1")]
    pub total: u32,
    #[prost(uint32, tag = "2")]
    pub created: u32,
    #[prost(uint32, tag = "3")]
    pub completed: u32,
}

/// A completed activity that can be undone.
#[derive(Clone, PartialEq, Message)]
pub struct CompensationEntry {
    #[prost(string, tag = "1")]
    pub activity: String,
    /// As a difference to the instance's start.
    #[prost(sint64, tag = "2")]
    pub completed_ms: i64,
    #[prost(message, repeated, tag = "3")]
    pub variables: Vec<VariableEntry>,
    /// How many of the entries before this one lie inside of it.
    #[prost(uint32, tag = "4")]
    pub inner: u32,
}

#[derive(Clone, PartialEq, Message)]
pub struct JobEntry {
    #[prost(sint64, tag = "1")]
    pub key: i64,
    /// [`crate::JobKind`].
    #[prost(uint32, tag = "2")]
    pub kind: u32,
    #[prost(string, tag = "3")]
    pub job_type: String,
    /// [`crate::JobState`].
    #[prost(uint32, tag = "4")]
    pub state: u32,
    #[prost(sint32, tag = "5")]
    pub retries_left: i32,
    #[prost(sint64, tag = "6")]
    pub priority: i64,
    #[prost(bool, tag = "7")]
    pub exclusive: bool,
    #[prost(int64, optional, tag = "8")]
    pub due_at_ms: Option<i64>,
    #[prost(bool, tag = "9")]
    pub failed_before: bool,
    /// The timer event it fires, for timers.
    #[prost(string, tag = "10")]
    pub event: String,
    #[prost(message, optional, tag = "11")]
    pub repeat: Option<RepeatEntry>,
    /// The place of the listener it is for.
    #[prost(uint32, tag = "12")]
    pub listener: u32,
    /// Its place in the queue of exclusive jobs, in records that lie in pages; the others have
    /// the queue as a list.
    #[prost(uint64, tag = "13")]
    pub ticket: u64,
    /// Which executors take it.
    #[prost(string, optional, tag = "14")]
    pub category: Option<String>,
    /// Jobs of the same key share a limit.
    #[prost(string, optional, tag = "15")]
    pub limit_key: Option<String>,
    /// Of a signal on its way to an event: the event's subscription, as a difference.
    #[prost(sint64, optional, tag = "16")]
    pub subscription: Option<i64>,
    /// What the signal carries.
    #[prost(message, repeated, tag = "17")]
    pub variables: Vec<VariableEntry>,
    /// What a client is told besides what the model says literally.
    #[prost(message, repeated, tag = "18")]
    pub headers: Vec<HeaderEntry>,
    /// Whoever had locked it when it was stopped may still run it.
    #[prost(bool, tag = "19")]
    pub still_held: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct HeaderEntry {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub value: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct RepeatEntry {
    #[prost(string, tag = "1")]
    pub text: String,
    #[prost(int64, tag = "2")]
    pub anchor_ms: i64,
    #[prost(uint32, tag = "3")]
    pub fired: u32,
}

#[derive(Clone, PartialEq, Message)]
pub struct IncidentEntry {
    #[prost(sint64, tag = "1")]
    pub key: i64,
    #[prost(string, tag = "2")]
    pub kind: String,
    #[prost(sint64, optional, tag = "3")]
    pub job: Option<i64>,
    /// The incident of a called instance that it tells of; as it is, not as a difference.
    #[prost(int64, optional, tag = "4")]
    pub cause: Option<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ScopeEntry {
    #[prost(sint64, tag = "1")]
    pub key: i64,
    /// Those small enough for the record; the others have rows of their own.
    #[prost(message, repeated, tag = "2")]
    pub variables: Vec<VariableEntry>,
}

pub fn decode_record(bytes: &[u8]) -> Result<RecordMessage, Error> {
    match bytes.split_first() {
        Some((&VERSION, message)) => {
            RecordMessage::decode(message).map_err(|e| damaged("instance record", e))
        }
        Some((version, _)) => Err(damaged("instance record", format!("unknown version {version}"))),
        None => Err(damaged("instance record", "empty")),
    }
}

#[cfg(test)]
mod tests {
    use orloj_types::{StoredValue, ValueTag, Variables};

    use super::*;
    use crate::format::{ElementFields, IncidentFields, JobFields, RecordWriter, RepeatFields};

    /// A record as version 0.1.0 wrote it. It must load for ever.
    const FIRST_RELEASE: &[u8] = &[
        1, 8, 128, 240, 204, 134, 166, 55, 16, 3, 26, 43, 8, 2, 18, 6, 99, 104, 97, 114, 103, 101,
        32, 1, 40, 14, 50, 2, 102, 49, 58, 23, 8, 4, 16, 3, 40, 6, 48, 10, 56, 1, 64, 128, 138,
        207, 134, 166, 55, 82, 4, 116, 105, 109, 101, 34, 15, 18, 13, 10, 5, 116, 111, 116, 97,
        108, 16, 2, 26, 2, 0, 90, 40, 4, 50, 1, 6,
    ];

    fn first() -> RecordMessage {
        RecordMessage {
            started_at_ms: 1_900_000_000_000,
            awaited_by: Some(3),
            elements: vec![ElementEntry {
                key: 1,
                element: "charge".into(),
                state: 1,
                entered_ms: 7,
                arrived_by: Some("f1".into()),
                jobs: vec![JobEntry {
                    key: 2,
                    kind: 3,
                    retries_left: 3,
                    priority: 5,
                    exclusive: true,
                    due_at_ms: Some(1_900_000_036_096),
                    event: "time".into(),
                    ..JobEntry::default()
                }],
                ..ElementEntry::default()
            }],
            scopes: vec![ScopeEntry {
                key: 0,
                variables: vec![VariableEntry { name: "total".into(), tag: 2, bytes: vec![0, 90] }],
            }],
            exclusive_holder: Some(2),
            exclusive_parked: vec![3],
            ..RecordMessage::default()
        }
    }

    #[test]
    fn records_of_the_first_release_load() {
        assert_eq!(decode_record(FIRST_RELEASE), Ok(first()));
    }

    #[test]
    fn what_is_written_is_what_the_messages_say() {
        let total = StoredValue::new(ValueTag::from_number(2).unwrap(), &[0, 90]);
        let mut writer = RecordWriter::new(1_900_000_000_000, Some(3));
        let fields = ElementFields {
            key: 1,
            element: "charge",
            state: 1,
            entered_ms: 7,
            arrived_by: Some("f1"),
            ..ElementFields::default()
        };
        writer.element(fields, |element| {
            element.job(JobFields {
                key: 2,
                kind: 3,
                retries_left: 3,
                priority: 5,
                exclusive: true,
                due_at_ms: Some(1_900_000_036_096),
                event: "time",
                ..JobFields::default()
            });
        });
        writer.scope(0, [("total", &total)].into_iter());
        assert_eq!(writer.finish(Some(2), [3].into_iter(), None), FIRST_RELEASE);
    }

    #[test]
    fn a_full_record_comes_back_byte_for_byte() {
        let name = "n".repeat(300);
        let carried = Variables::from_iter([("n".into(), StoredValue::int(7))]);
        let mut writer = RecordWriter::new(-5, None);
        let fields =
            ElementFields { key: -9, element: &name, scope: 4, state: 2, ..first_fields() };
        writer.element(fields, |element| {
            for n in 0..3 {
                element.job(JobFields {
                    key: n,
                    job_type: "pay",
                    state: 4,
                    failed_before: true,
                    still_held: true,
                    repeat: Some(RepeatFields { text: "R3/PT1S", anchor_ms: -1, fired: 2 }),
                    category: Some("heavy"),
                    limit_key: Some(""),
                    subscription: Some(-4),
                    variables: Some(&carried),
                    ..JobFields::default()
                });
            }
            element.user_task(0);
            element.incident(IncidentFields { key: 6, kind: "IO", job: Some(0), cause: Some(9) });
            element.timer_incident(IncidentFields { key: 7, kind: "", job: None, cause: None });
            element.rest(&ElementEntry {
                role: 2,
                called: Some(-3),
                multi: Some(MultiEntry { total: 9, created: 4, completed: 3 }),
                ..ElementEntry::default()
            });
        });
        writer.scope(8, std::iter::empty());
        let rest = RecordMessage {
            caller: Some(CallerEntry { instance: 7, element_instance: 8, root: 7 }),
            ..RecordMessage::default()
        };
        let bytes = writer.finish(None, [-1, 0, 700].into_iter(), Some(&rest));
        let message = decode_record(&bytes).unwrap();
        assert_eq!(message.elements[0].jobs.len(), 3);
        assert_eq!(message.elements[0].user_task, Some(0));
        assert_eq!(message.exclusive_parked, [-1, 0, 700]);
        assert_eq!(message.caller.as_ref().map(|caller| caller.root), Some(7));
        assert_eq!(message.encode_to_vec(), bytes[1..]);
    }

    fn first_fields() -> ElementFields<'static> {
        ElementFields { entered_ms: 1, arrived_by: Some(""), ..ElementFields::default() }
    }

    #[test]
    fn a_record_of_the_future_is_refused() {
        assert!(decode_record(&[2, 8, 1]).is_err());
        assert!(decode_record(&[]).is_err());
    }
}
