//! Who runs which job when. State machines without I/O: events and `now` in, decisions out.
//!
//! - [`Heartbeat`]: when to beat, when a node must distrust its own lease, which others look dead.
//! - [`JobQueue`]: the engine's own jobs this node has locked and will run, bounded.
//! - [`Backlog`]: whether unlocked ready jobs may exist that would have to go first.
//! - [`DueWatch`]: the next moment something becomes due.
//! - [`Demand`]: workers that wait for jobs of one type, pushed and polled alike.

mod backlog;
mod demand;
mod due;
mod heartbeat;
mod queue;

pub use backlog::Backlog;
pub use demand::{Demand, Taker, TakerId, TakerKind};
pub use due::DueWatch;
pub use heartbeat::{Heartbeat, Suspect};
pub use queue::{JobQueue, QueuedJob};
