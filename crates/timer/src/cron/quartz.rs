//! The dialect of Quartz: six fields and perhaps the year, Sunday is 1, ranges may run over the
//! end. Days are given by the month or by the week, and the other field is `?`.
//!
//! DIFFERENCE: as in that library, text behind the first three letters of a name is not looked at,
//! a step behind names has no effect, and `#` and `W` count for the first day of a list only.

use super::days::{Days, DaysOfMonth, DaysOfWeek, Months};
use super::set::Set;
use super::word::{Word, words};
use super::years::{YEAR_MAX, YEAR_MIN, Years};
use super::{Cron, names};
use crate::error::ParseError;

const BEFORE_LAST_MAX: u8 = 30;

pub(super) fn parse(text: &str) -> Result<Cron, ParseError> {
    let fields = words(text);
    let [second, minute, hour, day, month, weekday, ref rest @ ..] = fields[..] else {
        let message = format!("a cron expression has six or seven fields, not {}", fields.len());
        return Err(ParseError::new(message, 0));
    };
    match (day.text == "?", weekday.text == "?") {
        (true, true) => return Err(weekday.wrong("only one of both days may be '?'")),
        (false, false) => return Err(weekday.wrong("one of both days must be '?'")),
        _ => {}
    }
    Ok(Cron {
        seconds: SECOND.set(second)?,
        minutes: MINUTE.set(minute)?,
        hours: HOUR.set(hour)?,
        days: Months::new(&Days { of_month: days_of_month(day)?, of_week: days_of_week(weekday)? }),
        months: MONTH.set(month)?,
        years: rest.first().filter(|word| word.text != "*").map(|word| years(*word)).transpose()?,
        is_quartz: true,
        is_possible: true,
    })
}

struct Field {
    min: u8,
    max: u8,
    name: fn(&str) -> Option<u8>,
}

const SECOND: Field = Field { min: 0, max: 59, name: |_| None };
const MINUTE: Field = SECOND;
const HOUR: Field = Field { min: 0, max: 23, name: |_| None };
const DAY: Field = Field { min: 1, max: 31, name: |_| None };
const MONTH: Field = Field { min: 1, max: 12, name: names::month };
const WEEKDAY: Field = Field { min: 1, max: 7, name: weekday_name };

fn weekday_name(name: &str) -> Option<u8> {
    names::weekday(name).map(|day| day + 1)
}

impl Field {
    fn set(&self, field: Word<'_>) -> Result<Set, ParseError> {
        let mut set = Set::default();
        for part in parts(field) {
            set = set.union(self.part(part)?);
        }
        if set.is_empty() { Err(field.wrong("expected a number")) } else { Ok(set) }
    }

    fn part(&self, part: Word<'_>) -> Result<Set, ParseError> {
        if part.text.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return self.named(part);
        }
        let (base, step) = match part.text.split_once('/') {
            Some((base, step)) => (base, Some(self.step(part, step)?)),
            None => (part.text, None),
        };
        let (from, to) = match base.split_once('-') {
            Some((from, to)) => (self.number(part, from)?, self.number(part, to)?),
            None if base == "*" || (base.is_empty() && step.is_some()) => (self.min, self.max),
            None => {
                let number = self.number(part, base)?;
                (number, if step.is_some_and(|step| step > 0) { self.max } else { number })
            }
        };
        Ok(self.range(from, to, step.unwrap_or(1).max(1)))
    }

    /// Over the end where `to` is smaller.
    fn range(&self, from: u8, to: u8, step: u8) -> Set {
        if from <= to {
            return (from..=to).step_by(step.into()).collect();
        }
        let count = self.max - self.min + 1;
        let over = (from..=to + count).step_by(step.into());
        over.map(|number| if number > self.max { number - count } else { number }).collect()
    }

    fn named(&self, part: Word<'_>) -> Result<Set, ParseError> {
        let (from, rest) = self.leading_name(part, part.text)?;
        let to = match rest.strip_prefix('-') {
            Some(name) => self.leading_name(part, name)?.0,
            None => from,
        };
        Ok(self.range(from, to, 1))
    }

    fn leading_name<'a>(&self, part: Word<'_>, text: &'a str) -> Result<(u8, &'a str), ParseError> {
        let (name, rest) = text.split_at_checked(3).ok_or_else(|| part.wrong("expected a name"))?;
        let number = (self.name)(name).ok_or_else(|| part.wrong("there is no such name"))?;
        Ok((number, rest))
    }

    fn step(&self, part: Word<'_>, digits: &str) -> Result<u8, ParseError> {
        let max = if self.min == 0 { self.max } else { self.max - self.min + 1 };
        number(digits)
            .filter(|step| *step <= max)
            .ok_or_else(|| part.wrong(&format!("expected a step up to {max}")))
    }

    fn number(&self, part: Word<'_>, digits: &str) -> Result<u8, ParseError> {
        number(digits).filter(|number| (self.min..=self.max).contains(number)).ok_or_else(|| {
            part.wrong(&format!("expected a number from {} to {}", self.min, self.max))
        })
    }
}

fn days_of_month(field: Word<'_>) -> Result<DaysOfMonth, ParseError> {
    if field.text == "?" {
        return Ok(DaysOfMonth::all());
    }
    let text = field.text.to_ascii_uppercase();
    let mut days = DaysOfMonth::default();
    if let Some(rest) = text.strip_prefix('L') {
        let (rest, nearest) = match rest.strip_suffix('W') {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let before = match rest.strip_prefix('-') {
            Some(digits) => number(digits).filter(|before| *before <= BEFORE_LAST_MAX),
            None if rest.is_empty() => Some(0),
            None => None,
        };
        let before = before.ok_or_else(|| field.wrong("expected L, LW, or L-n"))?;
        if nearest {
            days.nearest_before_last = Some(before);
        } else {
            days.before_last = Some(before);
        }
        return Ok(days);
    }
    let mut nearest = false;
    for part in parts(field) {
        let plain = part.text.strip_suffix(['W', 'w']);
        nearest |= plain.is_some();
        let set = match plain {
            Some(digits) => {
                let day = DAY.number(part, digits)?;
                Set::range(day, day)
            }
            None => DAY.part(part)?,
        };
        days.plain = days.plain.union(set);
    }
    if nearest && let Some(first) = days.plain.first() {
        days = DaysOfMonth { nearest: Set::range(first, first), ..DaysOfMonth::default() };
    }
    if days == DaysOfMonth::default() {
        return Err(field.wrong("expected a day"));
    }
    Ok(days)
}

fn days_of_week(field: Word<'_>) -> Result<DaysOfWeek, ParseError> {
    if field.text == "?" {
        return Ok(DaysOfWeek::all());
    }
    let mut days = DaysOfWeek::default();
    if field.text.eq_ignore_ascii_case("L") {
        days.plain.insert(6);
        return Ok(days);
    }
    if let Some(day) = field.text.strip_suffix(['L', 'l'])
        && let Some(day) = number(day).or_else(|| weekday_name(day))
        && (1..=7).contains(&day)
    {
        days.last.insert(day - 1);
        return Ok(days);
    }
    let mut week = None;
    let mut set = Set::default();
    for part in parts(field) {
        let plain = match part.text.split_once('#') {
            Some((day, digits)) => {
                let number = number(digits).filter(|week| (1..=5).contains(week));
                if number.is_none() || week.is_some() {
                    return Err(part.wrong("expected one # with a number from 1 to 5"));
                }
                week = number;
                Word { text: day, ..part }
            }
            None => part,
        };
        set = set.union(WEEKDAY.part(plain)?);
    }
    let Some(first) = set.first() else { return Err(field.wrong("expected a weekday")) };
    match week {
        Some(week) => days.nth[usize::from(week) - 1].insert(first - 1),
        None => days.plain = set.iter().map(|day| day - 1).collect(),
    }
    Ok(days)
}

fn years(field: Word<'_>) -> Result<Years, ParseError> {
    let mut years = Years::default();
    let last = i64::from(YEAR_MAX);
    for part in parts(field) {
        let wrong = || part.wrong("expected a year");
        let year = |text: &str| text.parse::<u16>().map(i64::from).map_err(|_| wrong());
        let (base, step) = match part.text.split_once('/') {
            Some((base, step)) => (base, Some(year(step)?)),
            None => (part.text, None),
        };
        let (from, to) = match base.split_once('-') {
            Some((from, to)) => (year(from)?, year(to)?),
            None if base == "*" => (i64::from(YEAR_MIN), last),
            None => {
                let from = year(base)?;
                (from, if step.is_some() { last } else { from })
            }
        };
        if from > to && step.is_none() {
            return Err(part.wrong("the range of years runs backwards"));
        }
        let mut at = from;
        while at <= to {
            years.insert(at);
            at += step.unwrap_or(1).max(1);
        }
    }
    Ok(years)
}

/// Of a list; empty ones are passed over.
fn parts(field: Word<'_>) -> impl Iterator<Item = Word<'_>> {
    field.split(',').filter(|part| !part.text.is_empty())
}

fn number(digits: &str) -> Option<u8> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}
