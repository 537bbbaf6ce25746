//! Data to stdout, talk to stderr.

use std::io::{self, Write};
use std::process::ExitCode;

/// Writes data and ends the line.
pub fn data(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if !text.is_empty() {
        out.write_all(text.as_bytes())?;
        if !text.ends_with('\n') {
            out.write_all(b"\n")?;
        }
    }
    out.flush()
}

pub fn talk(text: &str) {
    // When nobody can hear it, there is nobody to tell.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// The last word of a check: how many errors of so many problems there were.
pub fn verdict(errors: usize, problems: usize) -> anyhow::Result<()> {
    match (errors, problems) {
        (0, 0) => talk("no problems"),
        (0, _) => {}
        (1, _) => anyhow::bail!("1 error"),
        _ => anyhow::bail!("{errors} errors"),
    }
    Ok(())
}

pub fn exit_code(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of a pipe has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            talk(&format!("orloj: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Of a command line that makes no sense.
pub fn nonsense(error: &anyhow::Error) -> ExitCode {
    talk(&format!("orloj: {error:#}"));
    ExitCode::from(2)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
