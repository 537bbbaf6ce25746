//! Moments as they are typed.

use anyhow::{Context, bail};
use jiff::{SignedDuration, Span, SpanRelativeTo};
use orloj_types::Timestamp;
use serde::Serialize;

use crate::clock;

/// `2030-01-31T09:00:00Z`, or a distance from now: `+10m`, `-2h`, `+3d`, `+1w`, `now`.
pub fn moment(text: &str) -> Result<String, String> {
    parse(text, clock::now()).map(|at| at.to_string()).map_err(|error| format!("{error:#}"))
}

/// A due date that may be taken away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MomentOrNone(pub Option<String>);

/// As [`moment`], or `none`.
pub fn moment_or_none(text: &str) -> Result<MomentOrNone, String> {
    match text {
        "none" => Ok(MomentOrNone(None)),
        text => match moment(text) {
            Ok(at) => Ok(MomentOrNone(Some(at))),
            Err(error) => Err(format!("{error}; none takes it away")),
        },
    }
}

fn parse(text: &str, now: Timestamp) -> anyhow::Result<Timestamp> {
    if text == "now" {
        return Ok(now);
    }
    if !text.starts_with(['+', '-']) {
        let at: jiff::Timestamp = text.parse().with_context(|| HINT)?;
        return Ok(Timestamp::from_ms(at.as_millisecond()));
    }
    // A day has 24 hours here: nobody says of which place it would be.
    let distance: Span = text.trim_start_matches('+').parse().with_context(|| HINT)?;
    let distance = distance.to_duration(SpanRelativeTo::days_are_24_hours());
    let distance: SignedDuration = distance.with_context(|| HINT)?;
    let Ok(distance_ms) = i64::try_from(distance.as_millis()) else { bail!("that is too far") };
    Ok(now.plus_ms(distance_ms))
}

const HINT: &str = "write a moment such as 2030-01-31T09:00:00Z, a distance from now such as +10m, \
                    -2h or +3d, or now";

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn a_due_date_can_be_taken_away() {
        assert_eq!(moment_or_none("none"), Ok(MomentOrNone(None)));
        let at = MomentOrNone(Some("2030-01-01T00:00:00.000Z".to_owned()));
        assert_eq!(moment_or_none("2030-01-01T00:00:00Z"), Ok(at));
        assert!(moment_or_none("soon").unwrap_err().ends_with("; none takes it away"));
        for line in [
            "job due 7 none",
            "job retries 7 3 --due none",
            "job-definition retries 7 3 --due none",
            "batch create retries 3 7 --due none",
        ] {
            let words = std::iter::once("orloj").chain(line.split(' '));
            let planned = Cli::try_parse_from(words).map(Cli::plan);
            assert!(planned.is_ok_and(|planned| planned.is_ok()), "{line}");
        }
    }

    #[test]
    fn moments_are_absolute_or_seen_from_now() {
        let now = Timestamp::from_ms(1_893_456_000_000);
        let at = |text| parse(text, now).map(|at| at.to_string());
        assert_eq!(at("now").unwrap(), "2030-01-01T00:00:00.000Z");
        assert_eq!(at("+10m").unwrap(), "2030-01-01T00:10:00.000Z");
        assert_eq!(at("-2h").unwrap(), "2029-12-31T22:00:00.000Z");
        assert_eq!(at("+1d").unwrap(), "2030-01-02T00:00:00.000Z");
        assert_eq!(at("+1w2d3h").unwrap(), "2030-01-10T03:00:00.000Z");
        assert_eq!(at("-1d").unwrap(), "2029-12-31T00:00:00.000Z");
        assert_eq!(at("2030-01-31T10:00:00+01:00").unwrap(), "2030-01-31T09:00:00.000Z");
        for wrong in ["tomorrow", "10m", "+x", "", "2030-01-31", "+1mo"] {
            let said = format!("{:#}", at(wrong).unwrap_err());
            assert!(said.starts_with("write a moment such as"), "{wrong}: {said}");
        }
    }
}
