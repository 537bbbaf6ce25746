//! The dialect of Spring 5.3 as the engines' library reads it: six fields, Sunday is 0 and 7.
//!
//! DIFFERENCE: that library leaves the last day of the month out where it stands in a list with
//! other days, takes `15W` there for `15`, and keeps only the first day or month of a range that runs backwards; both are
//! followed here. It fires an impossible time at once; here it never comes.

use super::days::{Days, DaysOfMonth, DaysOfWeek, Months};
use super::set::Set;
use super::word::{Word, words};
use super::{Cron, names};
use crate::error::ParseError;

const MACROS: [(&str, &str); 7] = [
    ("@yearly", "0 0 0 1 1 *"),
    ("@annually", "0 0 0 1 1 *"),
    ("@monthly", "0 0 0 1 * *"),
    ("@weekly", "0 0 0 * * 0"),
    ("@daily", "0 0 0 * * *"),
    ("@midnight", "0 0 0 * * *"),
    ("@hourly", "0 0 * * * *"),
];

pub(super) fn parse(text: &str) -> Result<Cron, ParseError> {
    if text.starts_with('@') {
        let Some((_, meaning)) = MACROS.iter().find(|(name, _)| *name == text) else {
            return Err(ParseError::new("there is no such name for a cron expression", 0));
        };
        return parse(meaning);
    }
    let fields = words(text);
    let [second, minute, hour, day, month, weekday] = fields[..] else {
        let message = format!("a cron expression has six fields, not {}", fields.len());
        return Err(ParseError::new(message, 0));
    };
    let mut of_month = days_of_month(day)?;
    let of_week = days_of_week(weekday)?;
    // Two fields that leave the day to each other leave it to nobody.
    if day.text == "?" && weekday.text == "?" {
        of_month = DaysOfMonth::default();
    }
    Ok(Cron {
        seconds: SECOND.set(second)?,
        minutes: MINUTE.set(minute)?,
        hours: HOUR.set(hour)?,
        days: Months::new(&Days { of_month, of_week }),
        months: MONTH.set(month)?,
        years: None,
        is_quartz: false,
        is_possible: true,
    })
}

struct Field {
    min: u8,
    max: u8,
    name: fn(&str) -> Option<u8>,
    backwards: Backwards,
}

enum Backwards {
    Refused,
    FirstOnly,
    Wraps,
}

const fn clock(max: u8) -> Field {
    Field { min: 0, max, name: |_| None, backwards: Backwards::Refused }
}

const SECOND: Field = clock(59);
const MINUTE: Field = clock(59);
const HOUR: Field = clock(23);
const DAY: Field = Field { min: 1, max: 31, name: |_| None, backwards: Backwards::FirstOnly };
const MONTH: Field = Field { min: 1, max: 12, name: names::month, backwards: Backwards::FirstOnly };
const WEEKDAY: Field = Field { min: 0, max: 7, name: names::weekday, backwards: Backwards::Wraps };

impl Field {
    fn set(&self, field: Word<'_>) -> Result<Set, ParseError> {
        field.split(',').try_fold(Set::default(), |set, part| Ok(set.union(self.part(part)?)))
    }

    fn part(&self, part: Word<'_>) -> Result<Set, ParseError> {
        let mut halves = part.split('/');
        let base = halves.next().unwrap_or(part);
        let step = halves.next();
        if halves.next().is_some() {
            return Err(part.wrong("more than one step"));
        }
        let width = match step {
            None => 1,
            Some(step) => step
                .text
                .parse::<u8>()
                .ok()
                .filter(|width| (1..=self.max).contains(width))
                .ok_or_else(|| step.wrong("expected a step"))?,
        };
        let (from, to) = match base.text.split_once('-') {
            Some((from, to)) => {
                let at = |text| Word { text, ..base };
                (self.number(at(from))?, self.number(at(to))?)
            }
            None if base.text == "*" || (base.text.is_empty() && step.is_some()) => {
                (self.min, self.max)
            }
            None if step.is_some() => (self.number(base)?, self.max),
            None => {
                let number = self.number(base)?;
                (number, number)
            }
        };
        if from <= to {
            return Ok((from..=to).step_by(width.into()).collect());
        }
        match self.backwards {
            Backwards::FirstOnly => Ok(Set::range(from, from)),
            Backwards::Wraps if width == 1 => {
                Ok(Set::range(from, self.max).union(Set::range(self.min, to)))
            }
            _ => Err(part.wrong("the range runs backwards")),
        }
    }

    fn number(&self, word: Word<'_>) -> Result<u8, ParseError> {
        let is_number = !word.text.is_empty() && word.text.bytes().all(|b| b.is_ascii_digit());
        let number = if is_number { word.text.parse().ok() } else { (self.name)(word.text) };
        number.filter(|number| (self.min..=self.max).contains(number)).ok_or_else(|| {
            word.wrong(&format!("expected a number from {} to {}", self.min, self.max))
        })
    }
}

fn days_of_month(field: Word<'_>) -> Result<DaysOfMonth, ParseError> {
    if field.text == "?" {
        return Ok(DaysOfMonth::all());
    }
    let mut days = DaysOfMonth::default();
    let is_list = field.text.contains(',');
    for part in field.split(',') {
        let text = part.text.to_ascii_uppercase();
        let last = if text == "LW" {
            days.nearest_before_last = Some(0);
            true
        } else if let Some(before) = text.strip_prefix("L-") {
            days.before_last = Some(small(part, before)?);
            true
        } else if let Some(number) = text.strip_suffix('L') {
            if !number.is_empty() {
                small(part, number)?;
            }
            days.before_last = Some(0);
            true
        } else {
            false
        };
        if last {
            if is_list {
                (days.before_last, days.nearest_before_last) = (None, None);
            }
        } else if let Some(number) = text.strip_suffix('W') {
            let day = DAY.number(Word { text: number, ..part })?;
            let days = if is_list { &mut days.plain } else { &mut days.nearest };
            days.insert(day);
        } else {
            days.plain = days.plain.union(DAY.part(part)?);
        }
    }
    Ok(days)
}

fn days_of_week(field: Word<'_>) -> Result<DaysOfWeek, ParseError> {
    if field.text == "?" {
        return Ok(DaysOfWeek::all());
    }
    let mut days = DaysOfWeek::default();
    for part in field.split(',') {
        let weekday =
            |text| -> Result<u8, ParseError> { Ok(WEEKDAY.number(Word { text, ..part })? % 7) };
        let text = part.text;
        if text.eq_ignore_ascii_case("L") {
            days.plain.insert(0);
        } else if let Some((day, week)) = text.split_once('#') {
            let (day, week) = (weekday(day)?, small(part, week)?);
            // A sixth Monday is no mistake, it only never comes.
            if let Some(weekdays) = days.nth.get_mut(usize::from(week).wrapping_sub(1)) {
                weekdays.insert(day);
            }
        } else if let Some(day) = text.strip_suffix(['L', 'l']) {
            days.last.insert(weekday(day)?);
        } else {
            days.plain = days.plain.union(WEEKDAY.part(part)?);
        }
    }
    // Sunday has two numbers.
    if days.plain.contains(7) {
        days.plain.insert(0);
    }
    days.plain = days.plain.intersection(Set::range(0, 6));
    Ok(days)
}

fn small(part: Word<'_>, digits: &str) -> Result<u8, ParseError> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match digits.parse::<u8>() {
        Ok(number) if is_number => Ok(number),
        _ => Err(part.wrong("expected a small number")),
    }
}
