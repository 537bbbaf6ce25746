//! `cargo xtask test`: every test on both stores, with nothing prepared by hand.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::overdue::Overdue;
use crate::postgres::{Cluster, Pooler, Settings};
use crate::summary::Summary;
use crate::{clients, process, room, tidy, workspace};

/// Where tests find PostgreSQL. They make databases of their own in it.
const POSTGRES_VARIABLE: &str = "ORLOJ_TEST_POSTGRES";

/// How often it is looked whether a test has been running for too long.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// What is run a second time behind a transaction pooler that no notice passes: the contract of
/// stores, and two nodes that have to look for each other's work. Of all packages, though the
/// others have no such test: one alone would be built anew, with fewer features of its libraries.
const POOLED: &[&str] = &["--workspace", "--test", "all", "--", "suite::", "two_nodes::"];
/// And with the database's own address to listen at: clocks of stories stand still, so their nodes
/// never look by themselves.
const POOLED_HEARING: &[&str] = &["--workspace", "--test", "stories", "--", "over_postgres"];

/// `cargo_arguments` replace `--workspace`.
pub fn run(cargo_arguments: &[String]) -> Result<()> {
    let mut summary = Summary::default();
    add_steps(&mut summary, cargo_arguments);
    summary.finish()
}

pub fn add_steps(summary: &mut Summary, cargo_arguments: &[String]) {
    summary.step("tests", || tests(cargo_arguments));
    if cargo_arguments.is_empty() {
        summary.step("tests behind a pooler", tests_behind_a_pooler);
    }
    summary.step("tidy", || tidy::run().map(|()| String::new()));
}

fn tests(cargo_arguments: &[String]) -> Result<String> {
    let mut command = workspace::cargo();
    command.args(["test", "--no-fail-fast"]);
    if cargo_arguments.is_empty() {
        command.arg("--workspace");
    } else {
        command.args(cargo_arguments);
    }
    if clients::are_tested(&workspace::metadata()?) {
        command.env(clients::VARIABLE, clients::ensure()?);
    }
    let cluster = Cluster::start(Settings::Test)?;
    command.env(POSTGRES_VARIABLE, cluster.url());
    let (passed, counts) = run_counting(&mut command, std::io::stdout().lock())?;
    drop(cluster);
    judge(passed, &counts)
}

fn tests_behind_a_pooler() -> Result<String> {
    let cluster = Cluster::start(Settings::Test)?;
    let pooler = Pooler::start(&cluster)?;
    let (mut passed, mut counts) = (true, Counts::default());
    let runs = [(POOLED, pooler.url().to_owned()), (POOLED_HEARING, pooler.hearing_url())];
    for (arguments, url) in runs {
        let mut command = workspace::cargo();
        command.args(["test", "--no-fail-fast"]).args(arguments);
        command.env(POSTGRES_VARIABLE, url);
        let (all_passed, counted) = run_counting(&mut command, std::io::stdout().lock())?;
        passed &= all_passed;
        counts.merge(&counted);
    }
    drop(pooler);
    drop(cluster);
    judge(passed, &counts)
}

fn judge(passed: bool, counts: &Counts) -> Result<String> {
    let counted = counts.shown();
    if !passed && *counts == Counts::default() {
        let free = room::free_gib()?;
        bail!("no test ran: cargo's own error stands above ({free:.1} GiB of disk are free)");
    }
    if !passed {
        bail!("{counted}");
    }
    // An ignored test is one that cannot fail.
    if counts.ignored > 0 {
        bail!("{counted}: tests are not to be ignored");
    }
    if counts.passed == 0 {
        bail!("no test ran");
    }
    Ok(counted)
}

/// What `cargo test` reported over all its programs.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl Counts {
    /// Takes up one line of output; only a program's last line counts:
    /// `test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in …`
    fn add(&mut self, line: &str) {
        let Some((_, numbers)) =
            line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        for part in numbers.split("; ") {
            match part.split_once(' ') {
                Some((number, "passed")) => self.passed += number.parse().unwrap_or(0),
                Some((number, "failed")) => self.failed += number.parse().unwrap_or(0),
                Some((number, "ignored")) => self.ignored += number.parse().unwrap_or(0),
                _ => {}
            }
        }
    }

    fn merge(&mut self, other: &Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }

    fn shown(&self) -> String {
        format!("{} passed, {} failed, {} ignored", self.passed, self.failed, self.ignored)
    }
}

/// Runs `command`, passes its output on and counts while it goes by.
fn run_counting(command: &mut Command, mut passed_on: impl Write) -> Result<(bool, Counts)> {
    eprintln!("$ {}", process::shown(command));
    let mut child = command.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
    let output = child.stdout.take().context("cargo has no stdout")?;
    let overdue = Overdue::default();
    let watching = watch(overdue.clone(), child.id());
    let mut counts = Counts::default();
    // By bytes, because a test may print what is not UTF-8.
    for line in BufReader::new(output).split(b'\n') {
        let line = line.context("cannot read from cargo")?;
        let text = String::from_utf8_lossy(&line);
        counts.add(&text);
        overdue.read(&text, Instant::now());
        passed_on.write_all(&line)?;
        passed_on.write_all(b"\n")?;
    }
    drop(watching);
    let passed = child.wait()?.success();
    let ended = overdue.ended();
    if !ended.is_empty() {
        bail!("{}; killed because they did not end: {}", counts.shown(), ended.join(", "));
    }
    Ok((passed, counts))
}

/// Ends tests of this cargo that are overdue, until the sender is dropped.
fn watch(overdue: Overdue, cargo: u32) -> mpsc::Sender<()> {
    let (sender, stopped) = mpsc::channel::<()>();
    thread::spawn(move || {
        while stopped.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
            overdue.end(cargo, Instant::now());
        }
    });
    sender
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_all_test_programs_are_added_up() {
        let mut counts = Counts::default();
        for line in [
            "running 3 tests",
            "test a::b ... ok",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; \
             finished in 0.01s",
            "test result: FAILED. 10 passed; 2 failed; 0 ignored; 0 measured; 5 filtered out; \
             finished in 1.01s",
            "the text test result: ok. 7 passed inside a line",
        ] {
            counts.add(line);
        }
        assert_eq!(counts, Counts { passed: 13, failed: 2, ignored: 1 });
    }

    #[test]
    fn a_failing_command_is_seen_although_its_output_was_read() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo 'test result: ok. 1 passed; 0 failed'; exit 101"]);
        let mut passed_on = Vec::new();
        let (passed, counts) = run_counting(&mut command, &mut passed_on).unwrap();
        assert!(!passed);
        assert_eq!(passed_on, b"test result: ok. 1 passed; 0 failed\n");
        assert_eq!(counts.passed, 1);
    }
}
