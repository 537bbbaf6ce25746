//! Waiting for a server that was just started.

use std::fmt::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::process;

/// A start takes about one second; a loaded machine may need many times that.
const START_SECS_MAX: u64 = 60;
/// How much of the server's log goes into an error.
const LOG_LINES_MAX: usize = 20;

pub fn wait_until_ready(
    server: &mut Child,
    name: &str,
    log: &Path,
    is_ready: impl Fn() -> bool,
) -> Result<()> {
    let deadline = Instant::now() + Duration::from_secs(START_SECS_MAX);
    while !is_ready() {
        if let Some(status) = server.try_wait()? {
            bail!("{name} ended at once ({status})\n{}", tail(log));
        }
        if Instant::now() > deadline {
            bail!("{name} not ready after {START_SECS_MAX} s\n{}", tail(log));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

pub fn free_port() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("no free port on 127.0.0.1")?;
    Ok(listener.local_addr()?.port())
}

/// Whether something that speaks PostgreSQL's protocol takes connections there.
pub fn answers(programs: &Path, port: u16) -> bool {
    process::succeeds(
        Command::new(programs.join("pg_isready"))
            .args(["--quiet", "--host=127.0.0.1", "--username=postgres", "--dbname=postgres"])
            .arg(format!("--port={port}")),
    )
}

fn tail(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let mut shown = String::new();
    for line in lines.iter().skip(lines.len().saturating_sub(LOG_LINES_MAX)) {
        let _ = writeln!(shown, "  {line}");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_cut_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let lines: Vec<String> = (0..50).map(|number| format!("line {number}")).collect();
        std::fs::write(&log, lines.join("\n")).unwrap();
        let shown = tail(&log);
        assert_eq!(shown.lines().count(), LOG_LINES_MAX);
        assert!(shown.ends_with("  line 49\n"), "{shown}");
        assert_eq!(tail(&folder.path().join("absent")), "");
    }
}
