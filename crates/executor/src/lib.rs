//! Who runs which job when. State machines without I/O: events, `now` and random numbers in,
//! decisions out.
//!
//! - [`Heartbeat`]: when to beat, when a node must distrust its own lease, which others look dead.
//! - [`Rank`], [`JobQueue`]: the engine's own jobs this node has locked and will run, bounded, in
//!   the configured order.
//! - [`Watermark`]: how far up the order unlocked ready jobs may stand that would have to go first.
//! - [`Backlog`]: whether unlocked ready jobs of a worker's type may exist.
//! - [`Cadence`]: how often to look for jobs that nobody told of.
//! - [`Breakers`]: which topics are left alone for a while because they fail.
//! - [`HungWatch`]: which running jobs have exceeded their longest run.
//! - [`DueWatch`]: the next moment something becomes due.
//! - [`Demand`]: workers that wait for jobs of one type, pushed and polled alike.
//! - [`Meters`]: what is counted, by known names.

mod backlog;
mod breaker;
mod cadence;
mod demand;
mod due;
mod heartbeat;
mod hung;
mod meters;
mod order;
mod queue;
mod selection;
mod watermark;

pub use backlog::Backlog;
pub use breaker::{
    BreakerOptions, BreakerRules, BreakerState, Breakers, FailureRatio, RATIO_RUNS_MAX,
};
pub use cadence::{Backoff, BackoffOptions, Cadence, Look, Looked, Waits};
pub use demand::{Demand, Taker, TakerId, TakerKind};
pub use due::DueWatch;
pub use heartbeat::{Heartbeat, Suspect};
pub use hung::{HungWatch, LongestRun, Running};
pub use meters::{Meter, Meters};
pub use order::Rank;
pub use queue::{JobQueue, QueuedJob};
pub use selection::{NotTaken, not_taken, not_taken_by};
pub use watermark::Watermark;
