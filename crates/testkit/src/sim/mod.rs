//! The simulated world: one thread, one seed, several nodes.
//!
//! The nodes are the real ones; their clock, their store, their network, their clients and workers
//! are made here. Everything that happens is an entry of one agenda, ordered by time and seed, so
//! a run is repeated exactly by its seed. A run has two phases: first everything that can go wrong
//! does (crashes, pauses, lost answers, jumps of clocks), then the faults stop, people repair what
//! is broken, and everything that was started must come to its end.
//!
//! [`check`] holds the invariants. They are judged by the store's state and by what nodes say and
//! do, never by asking a node what it thinks.

mod agenda;
mod batches;
mod check;
mod happening;
mod journal;
mod library;
mod look_up;
mod marks;
mod nodes;
mod people;
mod perform;
mod plan;
mod random;
mod replies;
mod workers;
mod world;

pub use check::Violation;
pub use library::Library;
pub use marks::Marks;
pub use plan::{Faults, Plan, Takes};
pub use random::Random;
pub use world::{Failure, Ran, run};
