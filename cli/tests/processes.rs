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

#[test]
fn transforms_of_a_configuration_are_applied() {
    insta::assert_snapshot!(transcript(&[
        &["lint", "parcel.bpmn", "--config", "orloj.toml"],
        &["trace", "parcel.bpmn", "--config", "fixed.toml"],
        &["lint", "parcel.bpmn", "--config", "wrong.toml"],
        &["trace", "parcel.bpmn", "--config", "nothing.toml"],
    ]));
}

#[test]
fn what_waits_for_an_event_is_started_by_it() {
    insta::assert_snapshot!(transcript(&[
        &["trace", "claim.bpmn", "--vars", r#"{"claimant":"anna"}"#],
        &["trace", "claim.bpmn", "--signal", "storm"],
        &["trace", "claim.bpmn", "--message", "claim=c-1", "--vars", r#"{"claimant":7}"#],
        &["trace", "claim.bpmn", "--message", "flood"],
        &["trace", "claim.bpmn", "-o", "json"],
    ]));
}
