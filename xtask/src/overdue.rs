//! Tests that never end: named, ended and counted as failures, so that no run of the tests hangs.
//!
//! The test harness itself says when a test has been running for a minute. From then on the test
//! has [`LONGER_MAX`]; then its program is killed, and cargo goes on with the next one.

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::process;

/// A test that has been told to be slow may take this much longer. The longest one on a machine of
/// two processors takes about three minutes in all; other work beside it makes it three times that.
pub const LONGER_MAX: Duration = Duration::from_secs(15 * 60);

/// Which tests of the program at work have been running for long, and those that were ended.
#[derive(Clone, Default)]
pub struct Overdue(Arc<Mutex<Tests>>);

#[derive(Default)]
struct Tests {
    slow: BTreeMap<String, Instant>,
    ended: Vec<String>,
}

impl Overdue {
    /// Takes one line that the harness printed at `now`.
    pub fn read(&self, line: &str, now: Instant) {
        let mut tests = self.tests();
        match Said::by(line) {
            Said::IsSlow(test) => {
                tests.slow.insert(test.to_owned(), now);
            }
            Said::HasEnded(test) => {
                tests.slow.remove(test);
            }
            Said::ProgramHasEnded => tests.slow.clear(),
            Said::Nothing => {}
        }
    }

    /// Kills the test programs that cargo, whose process number is `cargo`, runs at `now` if one of
    /// their tests is overdue.
    pub fn end(&self, cargo: u32, now: Instant) {
        let overdue = self.take_overdue(now);
        if overdue.is_empty() {
            return;
        }
        for test in &overdue {
            let minutes = LONGER_MAX.as_secs() / 60 + 1;
            eprintln!("error: the test {test} did not end within {minutes} minutes: killed");
        }
        for program in descendants(cargo) {
            // It may have ended by itself meanwhile.
            let number = program.to_string();
            process::succeeds(std::process::Command::new("kill").args(["-KILL", &number]));
        }
    }

    /// The tests that were ended, by name.
    pub fn ended(&self) -> Vec<String> {
        self.tests().ended.clone()
    }

    fn take_overdue(&self, now: Instant) -> Vec<String> {
        let mut tests = self.tests();
        let is_overdue = |since: &Instant| now.duration_since(*since) >= LONGER_MAX;
        let overdue: Vec<String> = tests
            .slow
            .iter()
            .filter(|(_, since)| is_overdue(since))
            .map(|(t, _)| t.clone())
            .collect();
        if !overdue.is_empty() {
            // All of the program's tests end with it.
            tests.slow.clear();
            tests.ended.extend(overdue.iter().cloned());
        }
        overdue
    }

    fn tests(&self) -> MutexGuard<'_, Tests> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, PartialEq)]
enum Said<'a> {
    IsSlow(&'a str),
    HasEnded(&'a str),
    ProgramHasEnded,
    Nothing,
}

impl<'a> Said<'a> {
    fn by(line: &'a str) -> Self {
        if line.starts_with("test result: ") {
            return Self::ProgramHasEnded;
        }
        let Some(rest) = line.strip_prefix("test ") else { return Self::Nothing };
        if let Some((test, _)) = rest.split_once(" has been running for over ") {
            return Self::IsSlow(test);
        }
        match rest.split_once(" ... ") {
            Some((test, _)) => Self::HasEnded(test),
            None => Self::Nothing,
        }
    }
}

/// All processes that `ancestor` started, directly or not, the youngest generation last.
fn descendants(ancestor: u32) -> Vec<u32> {
    let parents = parents();
    let mut found = vec![ancestor];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(child, _)| *child));
        at += 1;
    }
    found.split_off(1)
}

/// Each process with its parent.
fn parents() -> Vec<(u32, u32)> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter_map(|number: u32| Some((number, parent_of(number)?))).collect()
}

fn parent_of(process: u32) -> Option<u32> {
    // `NUMBER (NAME) STATE PARENT …`, where the name may contain anything.
    let status = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    status.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn the_harness_tells_which_tests_are_slow_and_which_have_ended() {
        let slow = "test a::b has been running for over 60 seconds";
        assert_eq!(Said::by(slow), Said::IsSlow("a::b"));
        assert_eq!(Said::by("test a::b ... ok"), Said::HasEnded("a::b"));
        assert_eq!(Said::by("test a::b ... FAILED"), Said::HasEnded("a::b"));
        let result = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(Said::by(result), Said::ProgramHasEnded);
        assert_eq!(Said::by("testing"), Said::Nothing);
    }

    #[test]
    fn only_a_test_that_is_still_running_becomes_overdue() {
        let overdue = Overdue::default();
        let began = Instant::now();
        overdue.read("test quick has been running for over 60 seconds", began);
        overdue.read("test stuck has been running for over 60 seconds", began);
        overdue.read("test quick ... ok", began + Duration::from_secs(1));
        assert!(overdue.take_overdue(began + LONGER_MAX - Duration::from_secs(1)).is_empty());
        assert_eq!(overdue.take_overdue(began + LONGER_MAX), ["stuck"]);
        assert_eq!(overdue.ended(), ["stuck"]);
        assert!(overdue.take_overdue(began + 2 * LONGER_MAX).is_empty());
    }

    #[test]
    fn a_stuck_program_is_killed_with_what_it_started() {
        let mut program = Command::new("sh");
        program.args(["-c", "sleep 600 & echo started; wait"]).stdout(Stdio::piped());
        let mut program = program.spawn().unwrap();
        let mut line = String::new();
        let mut output = std::io::BufReader::new(program.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut output, &mut line).unwrap();
        let overdue = Overdue::default();
        let began = Instant::now();
        overdue.read("test stuck has been running for over 60 seconds", began);
        // This very process stands for cargo, but only the stuck program may be killed here.
        for child in descendants(program.id()) {
            assert_eq!(parent_of(child), Some(program.id()));
        }
        overdue.end(program.id(), began + LONGER_MAX);
        // The shell ends because what it waits for has been killed.
        assert!(program.wait().unwrap().success());
        assert_eq!(overdue.ended(), ["stuck"]);
    }
}
