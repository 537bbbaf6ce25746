//! Batches: what is done to many instances or jobs, durably and piece by piece.
//!
//! A batch is made with the keys of its elements, given or found by a filter at that moment. Its
//! seed cuts them into parts, the parts do the work, a monitor ends the batch when no part is left.
//! Parts that failed for good stay: they are retried or deleted like other jobs.
//!
//! A batch has three job definitions, for its seed, its monitor and its parts: they are suspended
//! and given priorities like those of a model.

mod chores;
mod delete;
mod elements;
mod handle;
mod log;
mod new;
mod view;

pub use handle::Batches;
pub use new::{BATCH_ELEMENTS_MAX, BatchElements, NewBatch};
pub use view::{BatchStatistics, BatchView};
