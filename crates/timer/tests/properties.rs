//! Next is later, and nothing that fits lies in between; no text panics.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use orloj_timer::{Cron, Dialect, Kind, Schedule, zone};
use orloj_types::Timestamp;
use proptest::prelude::*;
use proptest::sample::select;

const DIALECTS: [Dialect; 3] = [Dialect::Camunda7, Dialect::Flowable, Dialect::Zeebe];
const PIECES: &[&str] = &[
    "R",
    "3",
    "/",
    "P",
    "T",
    "1",
    "M",
    "D",
    "H",
    "S",
    "W",
    "Y",
    "2030",
    "-",
    "01",
    "31",
    ":",
    "00",
    "Z",
    "+",
    "[",
    "]",
    "Europe/Prague",
    ".",
    "5",
    "*",
    "?",
    "L",
    "#",
    ",",
    " ",
    "0",
    "MON",
    "JAN",
    "@daily",
    "é",
    "99",
    "-1",
];
const MINUTE_MS: i64 = 60_000;

fn field(min: u8, max: u8) -> impl Strategy<Value = (String, Vec<u8>)> {
    let all: Vec<u8> = (min..=max).collect();
    prop_oneof![
        Just(("*".to_owned(), all.clone())),
        (min..=max).prop_map(|n| (n.to_string(), vec![n])),
        (min..=max, min..=max).prop_map(|(a, b)| {
            let (a, b) = (a.min(b), a.max(b));
            (format!("{a}-{b}"), (a..=b).collect())
        }),
        (min..=max, 1..=max / 2).prop_map(move |(a, step)| {
            (format!("{a}/{step}"), (a..=max).step_by(step.into()).collect())
        }),
        proptest::collection::vec(min..=max, 1..4).prop_map(|list| {
            let text: Vec<String> = list.iter().map(u8::to_string).collect();
            (text.join(","), list)
        }),
    ]
}

fn local(ms: i64, zone: &TimeZone) -> DateTime {
    zone.to_datetime(jiff::Timestamp::from_millisecond(ms).expect("in range"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Minute by minute over five days.
    #[test]
    fn the_next_minute_is_the_first_that_fits(
        minute in field(0, 59), hour in field(0, 23), start in 0_i64..20_000_000, in_prague: bool,
    ) {
        let zone = if in_prague { zone("Europe/Prague").expect("a zone") } else { TimeZone::UTC };
        let cron = Cron::parse(Dialect::Zeebe, &format!("0 {} {} * * *", minute.0, hour.0))
            .expect("a cron expression");
        let from = start * MINUTE_MS;
        let found = cron.next_after(Timestamp::from_ms(from), &zone).expect("it comes").as_ms();
        prop_assert!(found > from);
        let fits = |ms: i64| {
            let at = local(ms, &zone);
            minute.1.contains(&(at.minute() as u8)) && hour.1.contains(&(at.hour() as u8))
        };
        prop_assert!(fits(found));
        // A time of day that comes twice may fire once.
        let is_change = |ms: i64| zone.to_ambiguous_timestamp(local(ms, &zone)).is_ambiguous();
        let mut ms = from + MINUTE_MS;
        while ms < found.min(from + 5 * 86_400_000) {
            prop_assert!(!fits(ms) || is_change(ms), "{} was passed over", local(ms, &zone));
            ms += MINUTE_MS;
        }
    }

    /// Day by day over five years.
    #[test]
    fn the_next_day_is_the_first_that_fits(
        day in field(1, 31), month in field(1, 12), weekday in field(0, 6), start in 0_i64..40_000,
    ) {
        let text = format!("0 0 0 {} {} {}", day.0, month.0, weekday.0);
        let cron = Cron::parse(Dialect::Camunda7, &text).expect("a cron expression");
        let from = start * 86_400_000;
        let found = cron.next_after(Timestamp::from_ms(from), &TimeZone::UTC).map(Timestamp::as_ms);
        let fits = |ms: i64| {
            let at = local(ms, &TimeZone::UTC);
            let sunday_zero = at.weekday().to_sunday_zero_offset() as u8;
            day.1.contains(&(at.day() as u8)) && month.1.contains(&(at.month() as u8))
                // In this dialect a step in the weekdays runs up to seven, which is Sunday again.
                && (weekday.1.contains(&sunday_zero) || sunday_zero == 0)
        };
        if let Some(found) = found {
            prop_assert!(found > from && fits(found), "{text}");
        }
        let strict = |ms: i64| {
            let at = local(ms, &TimeZone::UTC);
            day.1.contains(&(at.day() as u8)) && month.1.contains(&(at.month() as u8))
                && weekday.1.contains(&(at.weekday().to_sunday_zero_offset() as u8))
        };
        for days in 1..5 * 366 {
            let ms = from + days * 86_400_000;
            if found.is_some_and(|found| ms >= found) {
                break;
            }
            prop_assert!(!strict(ms), "{text} passed over {}", local(ms, &TimeZone::UTC));
        }
    }

    #[test]
    fn firings_go_up(
        times in 1_u32..8, months in 0_i64..14, days in 0_i64..40, minutes in 1_i64..3_000,
        start in 0_i64..3_000_000, dialect in select(&DIALECTS[..]), zone_name in select(
            &["UTC", "Europe/Prague", "America/New_York", "Australia/Lord_Howe"][..]),
    ) {
        let text = format!("R{times}/P{months}M{days}DT{minutes}M");
        let schedule = Schedule::parse(dialect, Kind::Cycle, &text).expect("a repetition");
        let zone = zone(zone_name).expect("a zone");
        let now = Timestamp::from_ms(start * 1_000_000);
        let firings: Vec<_> = schedule.firings(now, zone.clone()).collect();
        prop_assert_eq!(firings.len(), times as usize);
        prop_assert!(firings.is_sorted());
        prop_assert!(firings[0] > now);
        for (n, at) in firings.iter().enumerate() {
            prop_assert_eq!(schedule.nth(now, n as u64, &zone), Some(*at));
        }
    }

    #[test]
    fn any_text_survives(pieces in proptest::collection::vec(select(PIECES), 0..14), text in ".{0,30}") {
        let joined = pieces.concat();
        for dialect in DIALECTS {
            for kind in [Kind::Date, Kind::Duration, Kind::Cycle] {
                for text in [&joined, &text, &format!("R/{joined}"), &format!("0 0 0 {joined}")] {
                    if let Ok(schedule) = Schedule::parse(dialect, kind, text) {
                        let zone = zone("Europe/Prague").expect("a zone");
                        let found = schedule.firings(Timestamp::ZERO, zone.clone()).take(5).count();
                        prop_assert!(found <= 5);
                        schedule.next_after(Timestamp::from_ms(1_900_000_000_000), &zone);
                    }
                }
            }
        }
    }
}
