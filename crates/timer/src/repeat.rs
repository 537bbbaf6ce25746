//! `R[n]/…`: firings counted from an anchor.
//!
//! DIFFERENCE: the engines add to the previous firing, so that a monthly timer of the 31st slips to
//! the 28th in February and stays there; here every firing is counted from the anchor. `Rn` with a
//! start or an end fires n + 1 times in Camunda, n times elsewhere. Zeebe begins at once, and counts
//! from there, where the start is past, and lets every missed firing happen; Camunda and Flowable
//! take the next slot, but Flowable fires at once what it has missed of a bounded series.
//! A firing by hand before its time uses up a slot where slots are counted: in Zeebe, and in
//! Flowable's bounded series.

use jiff::tz::TimeZone;
use orloj_types::Timestamp;

use crate::calendar;
use crate::date::Moment;
use crate::dialect::Dialect;
use crate::error::ParseError;
use crate::period::Period;
use crate::schedule::Firing;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Repeat {
    dialect: Dialect,
    /// As written; `None` without end.
    times: Option<u64>,
    form: Form,
    period: Period,
    /// Flowable: nothing fires later.
    until: Option<Moment>,
}

#[derive(Clone, Debug, PartialEq)]
enum Form {
    /// Counted from when the timer was made.
    Plain,
    Start(Moment),
    /// Camunda: counted back from the end.
    End(Moment),
}

/// Slots of a series that is counted back from its end and has no number.
const SLOTS_BACK: u64 = i32::MAX as u64;

impl Repeat {
    pub fn parse(dialect: Dialect, text: &str) -> Result<Self, ParseError> {
        let mut parts = Parts { text, at: 0 };
        let (head, _) = parts.next().unwrap_or(("", 0));
        let times = times(dialect, head)?;
        let mut repeat =
            Self { dialect, times, form: Form::Plain, period: Period::default(), until: None };
        let pieces: Vec<(&str, usize)> = parts.collect();
        let period_at = match pieces[..] {
            [period] => {
                repeat.period = Period::parse(dialect, period.0, period.1)?;
                period.1
            }
            [start, period] if Period::begins(period.0) && !Period::begins(start.0) => {
                // Zeebe takes an empty start for none.
                if !(dialect == Dialect::Zeebe && start.0.is_empty()) {
                    repeat.form = Form::Start(Moment::parse(dialect, start.0, start.1)?);
                }
                repeat.period = Period::parse(dialect, period.0, period.1)?;
                period.1
            }
            [period, end] if dialect != Dialect::Zeebe && Period::begins(period.0) => {
                repeat.period = Period::parse(dialect, period.0, period.1)?;
                let end = Moment::parse(dialect, end.0, end.1)?;
                match dialect {
                    Dialect::Camunda7 => repeat.form = Form::End(end),
                    _ => repeat.until = Some(end),
                }
                period.1
            }
            [start, end] if dialect != Dialect::Zeebe => {
                let at = start.1;
                let start = Moment::parse(dialect, start.0, start.1)?;
                let end = Moment::parse(dialect, end.0, end.1)?;
                // Both in one zone, so that which one it is matters only across its changes.
                let ms = start
                    .in_zone(&TimeZone::UTC)
                    .zip(end.in_zone(&TimeZone::UTC))
                    .map(|(start, end)| end.ms_since(start))
                    .ok_or_else(|| ParseError::new("the date is beyond the calendar", at))?;
                repeat.period = Period::of_ms(ms);
                repeat.form = Form::Start(start);
                if dialect == Dialect::Flowable {
                    repeat.until = Some(end);
                }
                at
            }
            _ => {
                let message = "expected a repetition such as R3/PT10M or R/START/P1D";
                return Err(ParseError::new(message, 0));
            }
        };
        repeat.check_period(period_at)?;
        Ok(repeat)
    }

    /// A series without end must not stand still, and none may run backwards. Checked at one date:
    /// a period is positive everywhere or nowhere.
    fn check_period(&self, offset: usize) -> Result<(), ParseError> {
        let zero = Timestamp::ZERO;
        let is_positive = calendar::add(self.dialect, zero, &self.period, &TimeZone::UTC)
            .is_some_and(|end| end > zero);
        if is_positive || (self.times.is_some() && self.period.is_zero()) {
            return Ok(());
        }
        Err(ParseError::new("it would repeat without any time in between", offset))
    }

    pub fn first(&self, now: Timestamp, zone: &TimeZone) -> Option<Firing> {
        match (&self.form, self.dialect) {
            (Form::Plain, _) => self.firing(now, 0, zone),
            (Form::Start(start), Dialect::Zeebe) => {
                let anchor = start.in_zone(zone)?.max(now);
                self.firing(anchor, 0, zone)
            }
            (Form::Start(start), Dialect::Flowable) if self.times.is_some() => {
                let start = start.in_zone(zone)?;
                let slot = self.slot_after(start, 0, now, zone)?;
                let is_reached = self.times.is_none_or(|times| slot <= times + 1);
                let anchor = if is_reached { self.at(start, slot, zone)? } else { now };
                self.firing(anchor, 0, zone)
            }
            (Form::Start(moment) | Form::End(moment), _) => {
                let anchor = moment.in_zone(zone)?;
                let slot = self.slot_after(anchor, 0, now, zone)?;
                self.firing(anchor, slot, zone)
            }
        }
    }

    /// After `last`, which was carried out at `now`.
    pub fn next(&self, last: &Firing, now: Timestamp, zone: &TimeZone) -> Option<Firing> {
        let is_counted = match self.dialect {
            Dialect::Zeebe => true,
            Dialect::Flowable => self.times.is_some(),
            Dialect::Camunda7 => false,
        };
        // By the clock alone a firing before its time, by hand, uses up no slot.
        let slot = match is_counted {
            true => last.slot.checked_add(1)?,
            false => self.slot_after(last.anchor, 0, now, zone)?,
        };
        let mut next = self.firing(last.anchor, slot, zone)?;
        if self.dialect == Dialect::Flowable {
            next.at = next.at.max(now);
        }
        let is_over = self.ends_at(zone).is_some_and(|until| next.at > until);
        (!is_over).then_some(next)
    }

    pub fn ends_at(&self, zone: &TimeZone) -> Option<Timestamp> {
        self.until.as_ref().and_then(|until| until.in_zone(zone))
    }

    /// The moment of a slot; slots count from zero.
    pub fn at(&self, anchor: Timestamp, slot: u64, zone: &TimeZone) -> Option<Timestamp> {
        let own = match &self.form {
            Form::Start(start) if self.dialect == Dialect::Zeebe => start.own_zone(),
            _ => None,
        };
        let zone = own.as_ref().unwrap_or(zone);
        let slot = i64::try_from(slot).ok()?;
        let (anchor, count) = match self.form {
            // Nothing is added where Camunda is asked for no repetition.
            Form::Plain if self.dialect == Dialect::Camunda7 && self.times == Some(0) => {
                (anchor, 0)
            }
            // Camunda keeps the anchor without its milliseconds, but for the first firing.
            Form::Plain if self.dialect == Dialect::Camunda7 && slot > 0 => {
                let ms = anchor.as_ms();
                (Timestamp::from_ms(ms - ms.rem_euclid(1_000)), slot.checked_add(1)?)
            }
            Form::Plain => (anchor, slot.checked_add(1)?),
            Form::Start(_) => (anchor, slot),
            Form::End(_) => (anchor, slot - i64::try_from(self.slots_back()).ok()?),
        };
        calendar::add(self.dialect, anchor, &self.period.times(count)?, zone)
    }

    fn firing(&self, anchor: Timestamp, slot: u64, zone: &TimeZone) -> Option<Firing> {
        if self.slots().is_some_and(|slots| slot >= slots) {
            return None;
        }
        Some(Firing { at: self.at(anchor, slot, zone)?, anchor, slot })
    }

    fn slots(&self) -> Option<u64> {
        match (&self.form, self.dialect) {
            (Form::End(_), _) => Some(self.slots_back() + 1),
            (Form::Start(_), Dialect::Camunda7) => Some(self.times? + 1),
            _ => Some(self.times?.max(1)),
        }
    }

    fn slots_back(&self) -> u64 {
        self.times.unwrap_or(SLOTS_BACK)
    }

    /// The first slot from `from` on that is later than `now`. Moments grow with their slots, so
    /// the search doubles its steps and then halves them.
    fn slot_after(
        &self,
        anchor: Timestamp,
        from: u64,
        now: Timestamp,
        zone: &TimeZone,
    ) -> Option<u64> {
        // Beyond the calendar is later than anything; counted back from an end, it is the past.
        let out = match self.form {
            Form::End(_) => |slot: u64, back: u64| slot > back,
            _ => |_, _| true,
        };
        let is_later = |slot| match self.at(anchor, slot, zone) {
            Some(at) => at > now,
            None => out(slot, self.slots_back()),
        };
        if is_later(from) {
            return Some(from);
        }
        // A repetition that stands still never gets there.
        if self.period.is_zero() {
            return None;
        }
        let (mut behind, mut step) = (from, 1);
        while !is_later(behind + step) {
            behind += step;
            step *= 2;
            if behind > SLOTS_MAX {
                return None;
            }
        }
        let mut found = behind + step;
        while found - behind > 1 {
            let middle = behind + (found - behind) / 2;
            if is_later(middle) {
                found = middle;
            } else {
                behind = middle;
            }
        }
        Some(found)
    }
}

/// Slots are stored in 32 bits; a second each they last 136 years.
const SLOTS_MAX: u64 = u32::MAX as u64;

fn times(dialect: Dialect, head: &str) -> Result<Option<u64>, ParseError> {
    let digits = head.strip_prefix('R').unwrap_or(head);
    match digits {
        "" => Ok(None),
        "-1" if dialect == Dialect::Zeebe => Ok(None),
        _ if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits
            .parse::<u32>()
            .ok()
            .filter(|times| *times <= i32::MAX as u32)
            .map(|times| Some(times.into()))
            .ok_or_else(|| ParseError::new("the number of repetitions is too large", 1)),
        _ => Err(ParseError::new("expected a number of repetitions", 1)),
    }
}

/// The parts between slashes and where they begin. A slash in a zone's name parts nothing.
struct Parts<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Parts<'a> {
    type Item = (&'a str, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.text.get(self.at..)?;
        let start = self.at;
        let mut depth = 0;
        let end = rest.bytes().position(|byte| {
            match byte {
                b'[' => depth += 1,
                b']' => depth -= 1,
                _ => {}
            }
            byte == b'/' && depth <= 0
        });
        let length = end.unwrap_or(rest.len());
        self.at += length + 1;
        Some((&rest[..length], start))
    }
}
