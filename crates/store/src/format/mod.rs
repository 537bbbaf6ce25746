//! Stored formats. A released format is frozen: change means a new version beside it, and a
//! fixture of every release must still load.
//!
//! The first byte of every blob is its version; the rest is a protobuf message, so fields can be
//! added without a new version as long as their absence means what it meant before. Keys are
//! written as differences to the instance's key, times as differences to its start: both are
//! short that way.

mod activation;
mod event;
mod job_keys;
mod profile;
mod record;
mod record_writer;
mod stretch;
mod variables;
mod wire;

pub use activation::{ActivationEntry, decode_activations, encode_activation};
pub use event::{EVENT_DETAILS_BYTES_MAX, EventEntry, EventFields, EventKind, decode_events};
pub use job_keys::decode_job_keys;
pub use profile::{decode_profile, encode_profile};
pub use record::{
    AfterEntry, CallerEntry, CompensationEntry, ElementEntry, HeaderEntry, IncidentEntry, JobEntry,
    MultiEntry, RecordMessage, RepeatEntry, ScopeEntry, StrangerEntry, SubscriptionEntry,
    TaskEntry, TaskPropertiesEntry, decode_record,
};
pub use record_writer::{
    ElementFields, ElementWriter, IncidentFields, JobFields, RecordWriter, RepeatFields,
};
pub use stretch::Stretch;
pub use variables::{VariableEntry, VariablesMessage, decode_variables, encode_variables};

use crate::Error;

fn damaged(what: &str, why: impl std::fmt::Display) -> Error {
    Error::Damaged(format!("{what}: {why}"))
}
