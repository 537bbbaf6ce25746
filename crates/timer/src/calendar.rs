//! Durations on the calendar of a zone.
//!
//! DIFFERENCE: the engines add the parts in different orders and settle differently where the
//! clock is changed. Zeebe adds all months, then the days, then the time; a time that is left out
//! moves on by the gap, one that comes twice keeps its offset. Camunda adds part by part, years
//! first, Flowable part by part, seconds first; in both, days that end in a gap fall back to before
//! it, while months and years move on, and take the later of two.

use jiff::Timestamp as Instant;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use orloj_types::Timestamp;

use crate::dialect::Dialect;
use crate::period::Period;

const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// `None` is beyond the calendar, which ends with the year 9999.
pub(crate) fn add(
    dialect: Dialect,
    from: Timestamp,
    period: &Period,
    zone: &TimeZone,
) -> Option<Timestamp> {
    let exact = period.exact_ms()?;
    if period.years == 0 && period.months == 0 && period.days == 0 {
        return in_calendar(from.as_ms().checked_add(exact)?);
    }
    let mut place = Place { at: instant(from)?, zone };
    match dialect {
        Dialect::Zeebe => {
            let months = period.years.checked_mul(12)?.checked_add(period.months)?;
            let local = place.local().checked_add(span_months(months)?).ok()?;
            let local = local.checked_add(span_days(period.days)?).ok()?;
            place.keep(local)?;
            place.elapse(exact)?;
        }
        Dialect::Camunda7 => {
            place.months(period.years.checked_mul(12)?)?;
            place.months(period.months)?;
            place.days(period.days)?;
            place.elapse(exact)?;
        }
        Dialect::Flowable => {
            place.elapse(exact)?;
            place.days(period.days)?;
            place.months(period.months)?;
            place.months(period.years.checked_mul(12)?)?;
        }
    }
    Some(Timestamp::from_ms(place.at.as_millisecond()))
}

/// The moment of a local time; `None` where the clock skips it and the dialect refuses that.
pub(crate) fn moment(dialect: Dialect, local: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    let offset = match zone.to_ambiguous_timestamp(local).offset() {
        AmbiguousOffset::Unambiguous { offset } => offset,
        AmbiguousOffset::Gap { .. } if dialect == Dialect::Camunda7 => return None,
        AmbiguousOffset::Gap { before, .. } | AmbiguousOffset::Fold { before, .. } => before,
    };
    at_offset(local, offset)
}

/// Also of the calendar's last days, which people write for "never" and an instant cannot hold.
pub(crate) fn at_offset(local: DateTime, offset: Offset) -> Option<Timestamp> {
    let ms = local.duration_since(EPOCH).as_millis();
    let ms = i64::try_from(ms).ok()?.checked_sub(i64::from(offset.seconds()) * 1_000)?;
    Some(Timestamp::from_ms(ms))
}

pub(crate) fn instant(at: Timestamp) -> Option<Instant> {
    Instant::from_millisecond(at.as_ms()).ok()
}

fn in_calendar(ms: i64) -> Option<Timestamp> {
    let at = Timestamp::from_ms(ms);
    instant(at).map(|_| at)
}

struct Place<'a> {
    at: Instant,
    zone: &'a TimeZone,
}

impl Place<'_> {
    fn local(&self) -> DateTime {
        self.zone.to_datetime(self.at)
    }

    fn elapse(&mut self, ms: i64) -> Option<()> {
        let ms = self.at.as_millisecond().checked_add(ms)?;
        self.at = Instant::from_millisecond(ms).ok()?;
        Some(())
    }

    /// Java's calendar: a skipped time moves on, of two the later is taken.
    fn months(&mut self, count: i64) -> Option<()> {
        if count == 0 {
            return Some(());
        }
        let local = self.local().checked_add(span_months(count)?).ok()?;
        let offset = match self.zone.to_ambiguous_timestamp(local).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset,
            AmbiguousOffset::Gap { before, .. } => before,
            AmbiguousOffset::Fold { after, .. } => after,
        };
        self.settle(local, offset)
    }

    /// Java's calendar: first with the old offset, and if that meets another one, with the new.
    fn days(&mut self, count: i64) -> Option<()> {
        if count == 0 {
            return Some(());
        }
        let old = self.zone.to_offset(self.at);
        let local = self.local().checked_add(span_days(count)?).ok()?;
        self.settle(local, old)?;
        let new = self.zone.to_offset(self.at);
        if new != old {
            let kept = self.at;
            self.settle(local, new)?;
            if self.local().date() != local.date() {
                self.at = kept;
            }
        }
        Some(())
    }

    /// As Java's newer calendar: a skipped time moves on, and of two the one with the old offset.
    fn keep(&mut self, local: DateTime) -> Option<()> {
        let old = self.zone.to_offset(self.at);
        let offset = match self.zone.to_ambiguous_timestamp(local).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset,
            AmbiguousOffset::Gap { before, .. } => before,
            AmbiguousOffset::Fold { after, .. } if after == old => after,
            AmbiguousOffset::Fold { before, .. } => before,
        };
        self.settle(local, offset)
    }

    fn settle(&mut self, local: DateTime, offset: Offset) -> Option<()> {
        self.at = offset.to_timestamp(local).ok()?;
        Some(())
    }
}

fn span_months(count: i64) -> Option<jiff::Span> {
    jiff::Span::new().try_months(count).ok()
}

fn span_days(count: i64) -> Option<jiff::Span> {
    jiff::Span::new().try_days(count).ok()
}
