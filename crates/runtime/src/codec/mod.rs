//! Between the interpreter's values and the stored formats.

mod history;
mod job_keys;
mod pages;
mod record;
mod rows;
mod scope;

pub(crate) use history::{Origin, append_events, event_views, handler};
pub(crate) use job_keys::job_keys;
pub use pages::page_writes;
pub(crate) use record::in_memory_bytes;
pub use record::{decode, encode, large_variables};
pub(crate) use rows::{
    activations, incident_row, job_insert, job_kind, job_state, job_update, subscription_row,
    user_task_row,
};
