//! Models at the terminal: checked and rehearsed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::process::Command;

/// What a terminal shows of these commands, and how each ended. What went to stderr is marked.
fn transcript(commands: &[&[&str]]) -> String {
    let mut out = String::new();
    for words in commands {
        let output = Command::new(env!("CARGO_BIN_EXE_orloj"))
            .args(*words)
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/models"))
            .output()
            .unwrap();
        let _ = writeln!(out, "$ orloj {}", words.join(" "));
        out.push_str(&String::from_utf8(output.stdout).unwrap());
        for line in String::from_utf8(output.stderr).unwrap().lines() {
            let _ = writeln!(out, "! {line}");
        }
        let code = output.status.code().unwrap();
        if code != 0 {
            let _ = writeln!(out, "exit code {code}");
        }
        out.push('\n');
    }
    out
}

#[test]
fn lint_tells_every_problem_and_gives_advice() {
    insta::assert_snapshot!(transcript(&[
        &["lint", "broken.bpmn", "parcel.bpmn"],
        &["lint", "parcel.bpmn", "-o", "json"],
        &["lint", "parcel.bpmn", "--engine", "zeebe"],
        &["lint", "nothing.bpmn"],
    ]));
}

#[test]
fn a_trace_shows_what_happens_step_by_step() {
    insta::assert_snapshot!(transcript(&[
        &["trace", "parcel.bpmn"],
        &["trace", "parcel.bpmn", "--pass", "reverse", "-o", "json"],
        &["trace", "broken.bpmn"],
        &["trace", "parcel.bpmn", "--start", "letter"],
        &["trace", "parcel.bpmn", "--vars", "[1]"],
    ]));
}
