//! Local times on the clock of a zone.
//!
//! A local time that the clock leaves out does not come. Of an hour that comes twice, Quartz takes
//! the second; Spring's dialect fires in both, except a time of day that just fired and has no
//! other in the hour nor in the next, which fires once.
//!
//! DIFFERENCE: the library behind Spring's dialect passes over the rest of an hour that is left
//! out in part; here it counts.

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{SignedDuration, Timestamp as Instant};
use orloj_types::Timestamp;

use super::Cron;
use crate::calendar::instant;

const SECOND: SignedDuration = SignedDuration::from_secs(1);
/// Changes of the clock that one search can meet: each moves it on, and none lasts a day.
const GAPS_MAX: usize = 64;

impl Cron {
    /// The first firing later than `moment`.
    pub fn next_after(&self, moment: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let now = instant(moment)?;
        let second = Instant::from_second(now.as_millisecond().div_euclid(1_000)).ok()?;
        let offset = zone.to_offset(second);
        let local = offset.to_datetime(second);
        let from = local.checked_add(SECOND).ok()?;
        let found = if self.is_quartz {
            self.settle(from, zone, Twice::Second)
        } else {
            match zone.to_ambiguous_timestamp(local).offset() {
                AmbiguousOffset::Fold { before, after } if offset == before => {
                    self.in_first_pass(second, local, after, zone)
                }
                AmbiguousOffset::Fold { .. } => self.settle(from, zone, Twice::Second),
                _ => self.settle(from, zone, Twice::First),
            }
        };
        found.map(|at| Timestamp::from_ms(at.as_millisecond()))
    }

    /// The first fitting time from `from` on that the clock shows.
    fn settle(&self, mut from: DateTime, zone: &TimeZone, twice: Twice) -> Option<Instant> {
        for _ in 0..GAPS_MAX {
            let local = self.at_or_after(from)?;
            let offset = match zone.to_ambiguous_timestamp(local).offset() {
                AmbiguousOffset::Unambiguous { offset } => offset,
                AmbiguousOffset::Fold { before, after } => match twice {
                    Twice::First => before,
                    Twice::Second => after,
                },
                AmbiguousOffset::Gap { before, after } => {
                    // Go on where the clock does.
                    let inside = before.to_timestamp(local).ok()?;
                    from = after.to_datetime(change_before(inside, zone)?);
                    continue;
                }
            };
            return offset.to_timestamp(local).ok();
        }
        None
    }

    /// `second` shows `local`, which the clock will show once more, then with offset `after`.
    fn in_first_pass(
        &self,
        second: Instant,
        local: DateTime,
        after: Offset,
        zone: &TimeZone,
    ) -> Option<Instant> {
        let change = zone.following(second).next()?.timestamp();
        let next = self.settle(local.checked_add(SECOND).ok()?, zone, Twice::First);
        if let Some(next) = next.filter(|next| *next < change) {
            return Some(next);
        }
        let mut again = self.at_or_after(after.to_datetime(change))?;
        let fires_next_hour = self.hours.contains((local.hour() as u8 + 1) % 24);
        if again == local && !fires_next_hour {
            again = self.at_or_after(again.checked_add(SECOND).ok()?)?;
        }
        match zone.to_ambiguous_timestamp(again).offset() {
            AmbiguousOffset::Fold { after, .. } => after.to_timestamp(again).ok(),
            _ => next,
        }
    }
}

#[derive(Clone, Copy)]
enum Twice {
    First,
    Second,
}

/// The last change of the clock at or before `at`.
fn change_before(at: Instant, zone: &TimeZone) -> Option<Instant> {
    let just_after = at.checked_add(SECOND).ok()?;
    zone.preceding(just_after).next().map(|change| change.timestamp())
}
