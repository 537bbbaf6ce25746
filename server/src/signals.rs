//! The first SIGINT or SIGTERM asks the node to stop, the second ends the process at once.

#![expect(clippy::disallowed_methods, reason = "a driver: it waits for the operating system")]

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Asked for once, seen by everyone who holds a clone.
pub type Stop = CancellationToken;

/// What shells report for a process that SIGINT ended.
const EXIT_CODE_INTERRUPTED: i32 = 130;

/// From now on signals no longer end the process by themselves. Call it inside the runtime.
pub fn stop_on_signals() -> io::Result<Stop> {
    let stop = Stop::new();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let asked = stop.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if asked.is_cancelled() {
                // Nothing acknowledged is lost: the store recovers as from a crash.
                eprintln!("second signal: ending at once");
                std::process::exit(EXIT_CODE_INTERRUPTED);
            }
            asked.cancel();
        }
    });
    Ok(stop)
}
