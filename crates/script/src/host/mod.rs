//! The child's side: reads requests, runs one script at a time, writes answers.
//!
//! Everything that needs a right of the process is done before the first request: an engine is
//! warmed, limits are set, the filter of system calls is applied. From then on the process can
//! read its input, write its output and allocate memory. Every script gets an engine of its own,
//! made before its request arrives, and nothing of it is left when the next one comes.

mod collections;
mod engine;
mod execution;
mod globals;
mod limits;
mod needs;
mod problem;
mod sandbox;
mod scene;
mod to_wire;
mod variables;

use std::io::{self, Read, Write};

use crate::config::SecureScripting;
use crate::frame;
use crate::javascript;
use crate::outcome::Diagnostic;
use crate::protocol::Request;
use engine::Engine;
use needs::Needs;

/// Serves until the input ends. Whoever calls this gives the process away: it cannot open a file
/// or start a process any more.
pub fn run(mut from: impl Read, mut to: impl Write) -> io::Result<()> {
    // The first engine touches what is initialised lazily, dates and the clock among it, while
    // the process may still read what that needs.
    let mut next = Engine::warm()?;
    sandbox::enter()?;
    while let Some(body) = frame::read(&mut from)? {
        let request: Request = serde_json::from_slice(&body).map_err(io::Error::other)?;
        if Needs::of(&request.source).whole_language() {
            next = Engine::whole()?;
        }
        let answer = next.serve(request);
        let body = serde_json::to_vec(&answer).map_err(io::Error::other)?;
        frame::write(&mut to, &body)?;
        next = Engine::new()?;
    }
    Ok(())
}

/// Compiles a script in this process, as a child would; nothing of it runs. For texts of a
/// trusted source: nothing here kills a compilation that does not end.
pub fn check(source: &str) -> Result<(), Diagnostic> {
    let failed = |error: io::Error| Diagnostic::Host { message: error.to_string() };
    let engine = Engine::new().map_err(failed)?;
    let request = javascript::check_request(source, &SecureScripting::default());
    javascript::checked(engine.serve(request))
}
