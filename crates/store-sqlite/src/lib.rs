//! The embedded store: one SQLite file, or memory for tests.
//!
//! One thread owns the only writing connection; two more read, each in short transactions of its
//! own; a fourth moves the write-ahead log into the file. Nothing is answered before it is on
//! disk. One process owns the file.

mod acquire;
mod assets;
mod batches;
mod chore_log;
mod chores;
mod commit;
mod connection;
mod decisions;
mod definitions;
mod error;
mod event_queries;
mod event_rows;
mod events;
mod job_queries;
mod jobs;
mod limits;
mod log;
mod meters;
mod nodes;
mod operations;
mod options;
mod order;
mod owner;
mod prune;
mod queries;
mod queue;
mod rows;
mod schema;
mod settings;
mod statements;
mod store;
mod tenants;
mod threads;
mod writer;

pub use options::{LOG_PAGES, LOG_PAGES_MAX, Options, Place};
pub use store::SqliteStore;
