//! Somewhere to keep records between two steps.

use std::sync::Arc;

use orloj_interpreter::Record;

/// Keeps a record and gives back what a later step will find. In memory that is the same one; a
/// store that writes and reads it proves that nothing is lost on the way.
pub trait Keeper: Send + Sync {
    fn keep(&self, record: Record) -> Arc<Record>;
}
