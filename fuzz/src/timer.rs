//! Dates, durations, repetitions and cron, in all dialects.

use jiff::tz::TimeZone;
use orloj_timer::{Dialect, Kind, Schedule, zone};
use orloj_types::Timestamp;

use crate::world;

const FIRINGS: usize = 20;

pub fn check(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let mut accepted = false;
    let prague = zone("Europe/Prague").expect("a zone of the built-in database");
    for dialect in [Dialect::Zeebe, Dialect::Camunda7, Dialect::Flowable] {
        for kind in [Kind::Date, Kind::Duration, Kind::Cycle] {
            match Schedule::parse(dialect, kind, text) {
                Ok(schedule) => {
                    accepted = true;
                    fires(text, &schedule, &prague);
                }
                Err(error) => {
                    assert!(error.offset <= text.len(), "{error} is outside of {text:?}");
                }
            }
        }
        let _ = Schedule::guess(dialect, text);
    }
    let _ = zone(text);
    accepted
}

/// Each firing is not before the one it follows, and every question is answered.
fn fires(text: &str, schedule: &Schedule, zone: &TimeZone) {
    for now in [world::NOW, Timestamp::ZERO, Timestamp::from_ms(-62_135_596_800_000)] {
        let mut last: Option<Timestamp> = None;
        for at in schedule.firings(now, zone.clone()).take(FIRINGS) {
            assert!(last.is_none_or(|last| at >= last), "{text:?} fires at {last:?}, then {at}");
            last = Some(at);
        }
        let after = schedule.next_after(now, zone);
        assert!(after.is_none_or(|after| after > now), "{text:?}: {after:?} is not after {now}");
        for slot in [0, 1, 1_000_000, u64::MAX] {
            let _ = schedule.nth(now, slot, zone);
        }
    }
}

pub const SEEDS: &[&str] = &[
    "2030-01-31T09:00:00+01:00[Europe/Prague]",
    "2030-01-31T09:00:00Z",
    "2030-01-31T09:00:00.123456789-05:30",
    "2030-01-31",
    "2030-W05-4T10:00",
    "20300131T0900",
    "P1Y2M3DT4H5M6.789S",
    "PT0S",
    "-P1D",
    "P2W",
    "PT36H",
    "R5/2030-01-31T09:00:00+01:00[Europe/Prague]/P1M",
    "R/PT10S",
    "R3/PT10M/2030-01-31T09:00:00Z",
    "R-1/P1D",
    "R0/PT1S",
    "P1D/2030-01-01T00:00:00",
    "0 0 9-17 * * MON-FRI",
    "0 15 10 L-3 * ?",
    "0 0 12 LW * ?",
    "0 0 0 15W 2 ?",
    "0 0 0 ? * 6#3",
    "0 0 0 ? 2 2L",
    "0 0/5 14,18 * * ?",
    "0 0 2 29 2 ? 2028-2040/4",
    "*/10 * * * * *",
    "0 30 2 28-31 3 SUN",
    "59 59 23 31 12 ? 2099",
    "0 0 0 30 2 *",
    "@daily",
    "@every PT10S",
    "0 0 0 ? * FRI-TUE",
    "10-50/7 1,2,3-5 0 1/2 JAN,DEC *",
];

pub const WORDS: &[&str] = &[
    "R",
    "R5/",
    "/",
    "P",
    "T",
    "PT",
    "1M",
    "1D",
    "Z",
    "+01:00",
    "[Europe/Prague]",
    "[",
    "]",
    "*",
    "?",
    "L",
    "W",
    "LW",
    "#",
    "-",
    ",",
    " ",
    "MON",
    "JAN",
    "@yearly",
    "@hourly",
    "2099",
    "31",
    "60",
    "24",
    "0/1",
    "1-7",
    "/0",
    "9999-12-31T23:59:59Z",
    "-0001",
    "W53",
    "5#5",
    "L-30",
    "SUNL",
    "999999999Y",
    "P9999999999999D",
    "1.5S",
    "00:00",
];
