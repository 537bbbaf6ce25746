//! Whether a run has been given up: looked at wherever one action may go on for long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shared by a run and who waits for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch(Arc<AtomicBool>);

impl Watch {
    pub fn give_up(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_given_up(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
