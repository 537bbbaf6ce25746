//! Between the interpreter's values and the stored formats.

mod history;
mod record;
mod rows;

pub(crate) use history::{append_events, event_views};
pub(crate) use record::{decode, encode, in_memory_bytes, large_variables};
pub(crate) use rows::{
    activations, incident_row, job_insert, job_state, job_update, user_task_row,
};
