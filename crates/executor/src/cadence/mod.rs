//! How long to wait before the next look for jobs, and how many to ask for.
//!
//! Work is handed over and notified; looking is the safety net for notices that were lost. How
//! often it happens follows the rules that users of the compatible systems know and configure.

mod camunda;
mod flowable;
mod rule;

pub use camunda::{Backoff, BackoffOptions};
pub use flowable::{Look, Waits};
pub use rule::{Cadence, Looked};
