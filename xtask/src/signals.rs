//! Signals that ask this program to end.
//!
//! A shell that starts a command in the background, and some CI runners, ignore SIGINT for it, and
//! whoever is started inherits that. Then neither Ctrl-C nor `kill -INT` would end us, nor any test
//! program, database or server that we start. A program that handles a signal hands the default
//! action to its children, so it is enough to handle both signals here, as they are by default.

use std::thread;

use anyhow::{Context, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// SIGINT and SIGTERM end this process from now on, whatever its parent had set.
pub fn restore_defaults() -> Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).context("cannot handle signals")?;
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for signal in &mut signals {
                // Fails only for signals that have no default action, and these two have one.
                let _ = emulate_default_handler(signal);
            }
        })
        .context("cannot start a thread")?;
    Ok(())
}
