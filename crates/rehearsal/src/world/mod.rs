//! An engine in memory: what is deployed, what runs, and one clock for all of it.
//!
//! Everything that happens is an action: a start, a job, a worker's answer, a completed task, a
//! message. An action happens wholly or, where the engine that is meant would roll it back, not
//! at all. Actions of one instance that reach others (called instances, signals) are one action.

mod act;
mod base;
mod bindings;
mod definition;
mod deploy;
mod engine;
mod order;
mod report;
mod signals;
mod start_by;
mod start_timer;
mod state;
mod visits;
mod waits;

pub use act::How;
pub use base::World;
pub use deploy::{File, Refusal};
pub use engine::Failed;
