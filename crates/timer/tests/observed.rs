//! What the real engines gave: Camunda 7.24, Flowable 8.0 and Zeebe 8.8.
//!
//! A line of `engines.tsv` is dialect, kind, zone of the engine, moment, text and outcome: the
//! firings, each carried out when due, then `end` if no more follow; or `error`, which is any
//! refusal. `differences.tsv` has one more column, ours, and the reason: where Orloj departs on
//! purpose.

use jiff::tz::TimeZone;
use orloj_timer::{Dialect, Kind, Schedule, zone};
use orloj_types::Timestamp;

const FIRINGS_MAX: usize = 6;

#[test]
fn timers_fire_when_the_engines_fire_them() {
    let mut wrong = Vec::new();
    let mut counts = [0; 3];
    for line in include_str!("observed/engines.tsv").lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [dialect, kind, zone, now, text, expected] = columns[..] else {
            panic!("six columns: {line}");
        };
        let count = match (kind, text.starts_with('R')) {
            ("cycle", false) => &mut counts[0],
            ("cycle", true) => &mut counts[1],
            _ => &mut counts[2],
        };
        *count += 1;
        let found = outcome(dialect, kind, zone, now, text);
        if !agrees(&found, expected) {
            wrong.push(format!("{line}\n    found {}", found.join(",")));
        }
    }
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
    assert!(counts.iter().all(|count| *count >= 200), "{counts:?}");
}

#[test]
fn differences_are_the_known_ones() {
    for line in include_str!("observed/differences.tsv").lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [dialect, kind, zone, now, text, theirs, ours, _reason] = columns[..] else {
            panic!("eight columns: {line}");
        };
        let found = outcome(dialect, kind, zone, now, text);
        assert!(agrees(&found, ours), "{line}\n    found {}", found.join(","));
        assert!(!agrees(&found, theirs), "{text} is no difference any more");
    }
}

fn outcome(dialect: &str, kind: &str, engine_zone: &str, now: &str, text: &str) -> Vec<String> {
    let dialect = match dialect {
        "camunda7" => Dialect::Camunda7,
        "flowable" => Dialect::Flowable,
        _ => Dialect::Zeebe,
    };
    let kind = match kind {
        "date" => Kind::Date,
        "duration" => Kind::Duration,
        _ => Kind::Cycle,
    };
    let now: jiff::Timestamp = now.parse().expect("a moment");
    let now = Timestamp::from_ms(now.as_millisecond());
    let engine_zone: TimeZone = zone(engine_zone).expect("a zone");
    let Ok(schedule) = Schedule::parse(dialect, kind, text) else { return vec!["error".into()] };
    let mut found: Vec<String> =
        schedule.firings(now, engine_zone).take(FIRINGS_MAX).map(show).collect();
    if found.is_empty() {
        found.push("null".into());
    } else if found.len() < FIRINGS_MAX {
        found.push("end".into());
    }
    found
}

fn show(at: Timestamp) -> String {
    let epoch = jiff::civil::DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
    let local = epoch + jiff::SignedDuration::from_millis(at.as_ms());
    match at.as_ms().rem_euclid(1_000) {
        0 => format!("{local}Z"),
        _ => format!("{local:.3}Z"),
    }
}

/// A table shows the first firings only. A moment that does not exist is an error there and never
/// comes here.
fn agrees(found: &[String], expected: &str) -> bool {
    let found_nothing = found.len() == 1 && matches!(&*found[0], "error" | "null");
    if expected == "error" || expected == "null" {
        return found_nothing;
    }
    let expected: Vec<&str> = expected.split(',').collect();
    found.len() >= expected.len() && found.iter().zip(&expected).all(|(a, b)| a == b)
}
