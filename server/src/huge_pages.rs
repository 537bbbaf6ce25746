//! The kernel's huge pages, which make a busy node faster by up to a tenth (fewer look-ups of
//! addresses) and an idle one larger by a third: what is touched at one place counts with two
//! megabytes. So a node does without until it has something to do.

#![expect(clippy::disallowed_methods, reason = "a driver: it looks now and then")]

use std::time::Duration;

use orloj::Orloj;
use rustix::thread::disable_transparent_huge_pages;

use crate::signals::Stop;

/// Between two looks. A node that is busy for so short a time needs no huge pages.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Changes between two looks from which on a node counts as busy.
const BUSY_CHANGES: u64 = 10_000;

/// To be called first of all: what has been touched by then stays. A kernel that knows none of this
/// is none the worse.
pub fn forgo() {
    let _ = disable_transparent_huge_pages(true);
}

/// Ends when the node has had much to do for the first time.
pub(crate) async fn allow_when_busy(orloj: Orloj, stop: Stop) {
    let changes = || orloj.metrics().changes.get();
    let mut before = changes();
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        let now = changes();
        if now - before >= BUSY_CHANGES {
            break;
        }
        before = now;
    }
    if let Err(error) = disable_transparent_huge_pages(false) {
        tracing::debug!(%error, "no huge pages");
    }
}
