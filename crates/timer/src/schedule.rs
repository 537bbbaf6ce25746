use jiff::tz::TimeZone;
use orloj_types::Timestamp;

use crate::calendar;
use crate::cron::Cron;
use crate::date::Moment;
use crate::dialect::{Dialect, Kind};
use crate::error::ParseError;
use crate::period::Period;
use crate::repeat::Repeat;

/// Longest text. The longest sensible one, a cron expression that lists everything, is shorter.
pub const TEXT_BYTES_MAX: usize = 1_000;

/// When a timer fires, read from its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    dialect: Dialect,
    plan: Plan,
}

#[derive(Clone, Debug, PartialEq)]
enum Plan {
    At(Moment),
    After(Period),
    /// A duration from a date on: Camunda and Flowable.
    From(Moment, Period),
    Repeat(Repeat),
    Cron(Box<Cron>),
}

/// One firing, and what is needed to find the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Firing {
    pub at: Timestamp,
    /// What the slots of a repetition are counted from.
    pub anchor: Timestamp,
    /// From zero. A series that skips has firings with gaps between their slots.
    pub slot: u64,
}

impl Schedule {
    pub fn parse(dialect: Dialect, kind: Kind, text: &str) -> Result<Self, ParseError> {
        if text.len() > TEXT_BYTES_MAX {
            let message = format!("the text is longer than {TEXT_BYTES_MAX} bytes");
            return Err(ParseError::new(message, TEXT_BYTES_MAX));
        }
        let is_zeebe = dialect == Dialect::Zeebe;
        let plan = match kind {
            Kind::Date if !is_zeebe && text.starts_with('P') => {
                Plan::After(Period::parse_as_date(text, 0)?)
            }
            Kind::Date => Plan::At(Moment::parse(dialect, text, 0)?),
            Kind::Duration if !is_zeebe && text.starts_with('R') => {
                Plan::Repeat(Repeat::parse(dialect, text)?)
            }
            Kind::Duration => duration(dialect, text)?,
            Kind::Cycle if text.starts_with('R') => Plan::Repeat(Repeat::parse(dialect, text)?),
            Kind::Cycle => Plan::Cron(Box::new(Cron::parse(dialect, text)?)),
        };
        Ok(Self { dialect, plan })
    }

    /// Of a text that may be written for any of the engines; the most exact of them is asked
    /// first.
    pub fn of_any(kind: Kind, text: &str) -> Result<Self, ParseError> {
        Self::parse(Dialect::Zeebe, kind, text)
            .or_else(|_| Self::parse(Dialect::Camunda7, kind, text))
    }

    /// A date with its time and its zone: Zeebe's.
    pub fn zoned_date(text: &str) -> Result<Self, ParseError> {
        Self::parse(Dialect::Zeebe, Kind::Date, text)
    }

    /// For people, who need not say what kind of text it is.
    pub fn guess(dialect: Dialect, text: &str) -> Result<Self, ParseError> {
        let kind = if text.starts_with(['R', '@']) || text.contains(char::is_whitespace) {
            Kind::Cycle
        } else if Period::begins(text) {
            Kind::Duration
        } else {
            Kind::Date
        };
        Self::parse(dialect, kind, text)
    }

    /// Whether there can be more than one firing.
    pub fn repeats(&self) -> bool {
        matches!(self.plan, Plan::Repeat(_) | Plan::Cron(_))
    }

    /// The moment after which nothing fires, where the text names one. It does not count for the
    /// first firing: whoever sets the timer asks.
    pub fn ends_at(&self, zone: &TimeZone) -> Option<Timestamp> {
        match &self.plan {
            Plan::Repeat(repeat) => repeat.ends_at(zone),
            _ => None,
        }
    }

    /// The first firing of a timer that is made at `now` in an engine whose zone is `zone`. It may
    /// be past; `None`: never, be it that the series is over, that no day fits, or that the moment
    /// is beyond the calendar.
    pub fn first(&self, now: Timestamp, zone: &TimeZone) -> Option<Firing> {
        let once = |at| Firing { at, anchor: now, slot: 0 };
        match &self.plan {
            Plan::At(moment) => moment.in_zone(zone).map(once),
            Plan::After(period) => calendar::add(self.dialect, now, period, zone).map(once),
            Plan::From(moment, period) => {
                calendar::add(self.dialect, moment.in_zone(zone)?, period, zone).map(once)
            }
            Plan::Repeat(repeat) => repeat.first(now, zone),
            Plan::Cron(cron) => cron.next_after(now, zone).map(once),
        }
    }

    /// The firing behind `last`, which was carried out at `now`; `None` when that was the last.
    pub fn next(&self, last: &Firing, now: Timestamp, zone: &TimeZone) -> Option<Firing> {
        match &self.plan {
            Plan::At(_) | Plan::After(_) | Plan::From(..) => None,
            Plan::Repeat(repeat) => repeat.next(last, now, zone),
            Plan::Cron(cron) => {
                let at = cron.next_after(now.max(last.at), zone)?;
                Some(Firing { at, anchor: last.anchor, slot: last.slot.saturating_add(1) })
            }
        }
    }

    /// The moment of slot `n` of a repetition, from zero; of other texts only the first is known.
    pub fn nth(&self, anchor: Timestamp, n: u64, zone: &TimeZone) -> Option<Timestamp> {
        match &self.plan {
            Plan::Repeat(repeat) => repeat.at(anchor, n, zone),
            _ => self.first(anchor, zone).filter(|_| n == 0).map(|firing| firing.at),
        }
    }

    /// The first firing later than `moment`, of a timer that is made then.
    pub fn next_after(&self, moment: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let mut firing = self.first(moment, zone)?;
        while firing.at <= moment {
            firing = self.next(&firing, moment, zone)?;
        }
        Some(firing.at)
    }

    /// All firings of a timer that is made at `now`, each carried out as soon as it is due.
    pub fn firings(&self, now: Timestamp, zone: TimeZone) -> Firings<'_> {
        Firings { schedule: self, next: self.first(now, &zone), zone }
    }
}

pub struct Firings<'a> {
    schedule: &'a Schedule,
    next: Option<Firing>,
    zone: TimeZone,
}

impl Iterator for Firings<'_> {
    type Item = Timestamp;

    fn next(&mut self) -> Option<Timestamp> {
        let firing = self.next.take()?;
        self.next = self.schedule.next(&firing, firing.at, &self.zone);
        Some(firing.at)
    }
}

/// A duration, or two of start, duration and end with a slash between them.
fn duration(dialect: Dialect, text: &str) -> Result<Plan, ParseError> {
    let Some((left, right)) = text.split_once('/') else {
        return Ok(Plan::After(Period::parse(dialect, text, 0)?));
    };
    let base = left.len() + 1;
    match (dialect, Period::begins(left), Period::begins(right)) {
        (Dialect::Zeebe, false, true) => {
            Period::parse(dialect, right, base)?;
            Ok(Plan::At(Moment::parse(dialect, left, 0)?))
        }
        (Dialect::Camunda7 | Dialect::Flowable, false, true) => {
            Ok(Plan::From(Moment::parse(dialect, left, 0)?, Period::parse(dialect, right, base)?))
        }
        (Dialect::Camunda7 | Dialect::Flowable, is_period, false) => {
            if is_period {
                Period::parse(dialect, left, 0)?;
            } else {
                Moment::parse(dialect, left, 0)?;
            }
            Ok(Plan::At(Moment::parse(dialect, right, base)?))
        }
        _ => Err(ParseError::new("expected one duration", base)),
    }
}
