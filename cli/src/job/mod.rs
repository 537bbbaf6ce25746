//! `orloj job`

mod choice;
mod explain;
pub mod filter;
mod row;
mod verbs;

pub use choice::{JOBS, JobKeys};
pub use row::Job;
pub use verbs::{Due, Revive, Shown, Verb, keys_and_last, object, plan, priority, retries};
