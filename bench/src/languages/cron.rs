//! The next firing of cron expressions that have to look far.

use std::hint::black_box;

use anyhow::Context;
use jiff::tz::TimeZone;
use orloj_timer::{Dialect, Kind, Schedule, zone};
use orloj_types::Timestamp;

use super::{Options, figure};
use crate::report::Figure;

const ZONE: &str = "Europe/Prague";
/// 2026-03-28T23:30:00Z: the clocks of the zone change in the night that follows.
const NOW: Timestamp = Timestamp::from_ms(1_774_740_600_000);

const EASY: (Dialect, &str) = (Dialect::Zeebe, "0 0 9 * * MON-FRI");
const HARD: &[(Dialect, &str)] = &[
    // Once in 28 years.
    (Dialect::Zeebe, "0 0 0 29 2 MON"),
    // Never.
    (Dialect::Zeebe, "0 0 0 30 2 *"),
    (Dialect::Camunda7, "59 59 23 LW 12 ?"),
    (Dialect::Camunda7, "0 30 2 L-2 3 ?"),
    // Months without a fifth Friday.
    (Dialect::Flowable, "0 15 10 ? 2 6#5"),
    (Dialect::Flowable, "0 0 0 1 1 ? 2099"),
];

pub fn figures(options: &Options) -> anyhow::Result<Vec<Figure>> {
    let zone = zone(ZONE).context("a zone of the built-in database")?;
    let easy = next(options, EASY, &zone)?;
    let mut slowest = (0.0, "");
    for &(dialect, text) in HARD {
        let value = next(options, (dialect, text), &zone)?;
        if value > slowest.0 {
            slowest = (value, text);
        }
    }
    Ok(vec![
        figure("cron, next firing", easy, format!("`{}`, {ZONE}", EASY.1)),
        figure(
            "cron, next firing of the slowest",
            slowest.0,
            format!("`{}` of {} hard ones, {ZONE}", slowest.1, HARD.len()),
        ),
    ])
}

fn next(
    options: &Options,
    (dialect, text): (Dialect, &str),
    zone: &TimeZone,
) -> anyhow::Result<f64> {
    let schedule = Schedule::parse(dialect, Kind::Cycle, text).context(text.to_owned())?;
    Ok(options.measure(|| {
        black_box(schedule.next_after(black_box(NOW), zone));
    }))
}
