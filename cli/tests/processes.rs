//! Models at the terminal: checked and rehearsed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod terminal;

use terminal::transcript;

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
