//! The write-ahead log, kept within bounds.
//!
//! Commits append pages to the log. When it holds enough of them, a thread of its own copies them
//! into the file beside the writing, which is the long part; then it asks the writer to stand
//! aside for a moment, copies the few that came meanwhile, and lets the log start over. A reader
//! that stays in the log prevents the last step. Then the log grows, to its hard bound and no
//! further: commits wait there, and are refused when waiting did not help.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use orloj_store::Error;
use rusqlite::Connection;

use crate::error::portable;

/// How long the writer stands aside for readers to leave the log, below the hard bound. Readers
/// are usually done in less; commits should not notice.
const READERS_WAIT: Duration = Duration::from_millis(10);
/// The same at the hard bound, where nothing else can be done.
const READERS_WAIT_MAX: Duration = Duration::from_millis(200);
/// Rounds of the above before a commit is refused: 2 seconds in all.
const ROUNDS_MAX: u32 = 10;

/// The writer's view.
pub(crate) struct Log {
    shared: Arc<Shared>,
    bounds: Bounds,
    /// Pages at which the next round is asked for.
    ask_at: u32,
    mover: Option<JoinHandle<()>>,
}

#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub pages: u32,
    pub pages_max: u32,
}

struct Shared {
    /// In the log after the last commit.
    pages: AtomicU32,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    asked: bool,
    stopped: bool,
    /// The writer is in a transaction.
    writing: bool,
    /// The mover wants the writer to stand aside.
    turn_wanted: bool,
    /// Rounds the mover has ended.
    rounds: u32,
}

impl Log {
    /// Watches the writer's connection and starts the thread.
    pub(crate) fn start(
        writer: &mut Connection,
        mover: Connection,
        bounds: Bounds,
    ) -> Result<Self, Error> {
        let shared = Arc::new(Shared {
            pages: AtomicU32::new(0),
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let counted = Arc::clone(&shared);
        let hook = move |_: &mut rusqlite::hooks::Wal, pages| {
            counted.pages.store(u32::try_from(pages).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        };
        writer.wal_hook(Some(hook)).map_err(portable)?;
        let moved = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("orloj-sqlite-log".to_owned())
            .spawn(move || run_mover(&mover, &moved, bounds))
            .map_err(|error| Error::Unavailable(format!("cannot start a thread: {error}")))?;
        Ok(Self { shared, bounds, ask_at: bounds.pages, mover: Some(thread) })
    }

    /// Begins the writer's turn; waits when the log is full.
    pub(crate) fn begin(&self) -> Result<(), Error> {
        let mut state = self.shared.lock();
        let first = state.rounds;
        while self.shared.pages.load(Ordering::Relaxed) >= self.bounds.pages_max {
            if state.stopped || state.rounds.wrapping_sub(first) >= ROUNDS_MAX {
                let text = "the write-ahead log is full and a reader keeps it from being emptied";
                return Err(Error::Unavailable(text.to_owned()));
            }
            state.asked = true;
            self.shared.changed.notify_all();
            state = self.shared.wait(state);
        }
        while state.turn_wanted {
            state = self.shared.wait(state);
        }
        state.writing = true;
        Ok(())
    }

    /// Ends the writer's turn.
    pub(crate) fn end(&mut self) {
        let pages = self.shared.pages.load(Ordering::Relaxed);
        let mut state = self.shared.lock();
        state.writing = false;
        if pages >= self.ask_at {
            state.asked = true;
            // When the round does not empty the log, trying again at every commit would not help.
            self.ask_at = pages.saturating_add(self.bounds.pages / 2);
        } else if pages < self.bounds.pages {
            self.ask_at = self.bounds.pages;
        }
        if state.asked || state.turn_wanted {
            drop(state);
            self.shared.changed.notify_all();
        }
    }

    /// Ends the thread; a round under way is ended first.
    pub(crate) fn stop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.changed.notify_all();
        if let Some(mover) = self.mover.take() {
            // A mover that panicked has nothing more to say: the log is whole without it.
            let _ = mover.join();
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

/// Empties the log into the file and shortens it to nothing: for the end.
pub(crate) fn truncate(connection: &Connection) -> Result<(), Error> {
    checkpoint(connection, "TRUNCATE").map(|_| ()).map_err(portable)
}

fn run_mover(connection: &Connection, shared: &Shared, bounds: Bounds) {
    // Also when this thread dies, nobody may wait for it for ever.
    let _stopped = StopOnDrop(shared);
    loop {
        let mut state = shared.lock();
        while !state.asked && !state.stopped {
            state = shared.wait(state);
        }
        if state.stopped {
            return;
        }
        state.asked = false;
        drop(state);

        // An error here (a full disk, for one) leaves the log as it is: commits go on to the hard
        // bound and say then that they cannot.
        let _ = checkpoint(connection, "PASSIVE");

        let mut state = shared.lock();
        state.turn_wanted = true;
        while state.writing && !state.stopped {
            state = shared.wait(state);
        }
        drop(state);
        let full = shared.pages.load(Ordering::Relaxed) >= bounds.pages_max;
        let wait = if full { READERS_WAIT_MAX } else { READERS_WAIT };
        let emptied =
            connection.busy_timeout(wait).and_then(|()| checkpoint(connection, "RESTART"));
        if matches!(emptied, Ok(true)) {
            shared.pages.store(0, Ordering::Relaxed);
        }
        let mut state = shared.lock();
        state.turn_wanted = false;
        state.rounds = state.rounds.wrapping_add(1);
        drop(state);
        shared.changed.notify_all();
    }
}

struct StopOnDrop<'a>(&'a Shared);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.stopped = true;
        state.turn_wanted = false;
        drop(state);
        self.0.changed.notify_all();
    }
}

/// Whether nobody was in the way.
fn checkpoint(connection: &Connection, mode: &str) -> rusqlite::Result<bool> {
    let sql = format!("PRAGMA wal_checkpoint({mode})");
    let busy: i64 = connection.query_row(&sql, [], |row| row.get(0))?;
    Ok(busy == 0)
}
