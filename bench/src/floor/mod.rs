//! The storage floor: the least work that a durable engine must do for one job step, written by
//! hand against the bare databases. Throughput figures stand beside it, taken in the same run.
//!
//! A step updates an instance guarded by its revision, deletes the finished job, inserts the next
//! one and inserts two rows of history. Rows, indexes and settings are fixed, whatever Orloj's own
//! layout is, so that figures of different days and layouts can be compared.

pub mod command;
mod pg;
pub mod rng;
mod rows;
mod sqlite;

pub use pg::{postgres_single_commit_us, postgres_steps_per_s};
pub use sqlite::{sqlite_single_commit_us, sqlite_steps_per_s};
