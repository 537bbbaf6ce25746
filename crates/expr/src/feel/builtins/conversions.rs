use orloj_types::{Clock, Date, DateTime, NANOS_PER_SECOND, Temporal, Time, Value, Zone};

use super::super::session::{Outcome, Session};
use super::super::temporal::months_between;
use super::super::zone;
use super::arguments::{number as number_of, outcome, single, temporal, text};
use super::text_form;
use crate::number::Number;

/// Finding a zone by its name.
const ZONE_STEPS: usize = 20;

pub(super) fn date(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    outcome(match arguments {
        [from] => match single(session, from) {
            Value::Text(text) => {
                session.read_text(text.len())?;
                Date::parse(text).map(Value::temporal)
            }
            Value::Temporal(temporal) => match &**temporal {
                Temporal::Date(date) => Some(Value::temporal(*date)),
                Temporal::DateTime(date_time) => Some(Value::temporal(date_time.date)),
                _ => None,
            },
            _ => None,
        },
        _ => {
            let part = |at| number_of(session, arguments, at)?.whole();
            let small = |at| u8::try_from(part(at)?).ok();
            (|| {
                let year = i32::try_from(part(0)?).ok()?;
                Date::new(year, small(1)?, small(2)?).map(Value::temporal)
            })()
        }
    })
}

pub(super) fn time(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    outcome(match arguments {
        [from] => match single(session, from) {
            Value::Text(text) => {
                session.meter.steps(ZONE_STEPS, session.at)?;
                session.read_text(text.len())?;
                zone::parse_time(text, session.mode).map(Value::temporal)
            }
            Value::Temporal(temporal) => match &**temporal {
                Temporal::Time(time) => Some(Value::temporal(time.clone())),
                Temporal::DateTime(date_time) => Some(Value::temporal(date_time.time.clone())),
                Temporal::Date(_) => {
                    Some(Value::temporal(Time { clock: Clock::default(), zone: Zone::UTC }))
                }
                _ => None,
            },
            _ => None,
        },
        _ => time_of_parts(session, arguments).map(Value::temporal),
    })
}

/// Seconds may have a fraction; the offset is a duration or null.
fn time_of_parts(session: &Session<'_>, arguments: &[Value]) -> Option<Time> {
    let small = |at| u8::try_from(number_of(session, arguments, at)?.truncated()?).ok();
    let seconds = number_of(session, arguments, 2)?;
    if seconds.is_negative() {
        return None;
    }
    let nanos = seconds.mul(Number::Int(NANOS_PER_SECOND as i64))?.to_i128()?;
    let second = u8::try_from(nanos / NANOS_PER_SECOND).ok()?;
    let clock = Clock::new(small(0)?, small(1)?, second, (nanos % NANOS_PER_SECOND) as u32)?;
    let zone = match arguments.get(3) {
        None | Some(Value::Null) => Zone::Local,
        Some(_) => match temporal(session, arguments, 3)? {
            Temporal::Nanos(nanos) => Zone::offset(i32::try_from(nanos / NANOS_PER_SECOND).ok()?)?,
            _ => return None,
        },
    };
    Some(Time { clock, zone })
}

pub(super) fn date_and_time(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    outcome(match arguments {
        [from] => match single(session, from) {
            Value::Text(text) => {
                session.meter.steps(ZONE_STEPS, session.at)?;
                session.read_text(text.len())?;
                zone::parse_date_time(text, session.mode).map(Value::temporal)
            }
            Value::Temporal(temporal) => match &**temporal {
                Temporal::DateTime(date_time) => Some(Value::temporal(date_time.clone())),
                Temporal::Date(date) if session.is_standard() => Some(Value::temporal(DateTime {
                    date: *date,
                    time: Time { clock: Clock::default(), zone: Zone::Local },
                })),
                _ => None,
            },
            _ => None,
        },
        _ => joined(session, arguments).map(Value::temporal),
    })
}

/// A day and a time; in Camunda's engine also a moment and the zone to see it in.
fn joined(session: &Session<'_>, arguments: &[Value]) -> Option<DateTime> {
    if let (false, Some(name)) = (session.is_standard(), text(session, arguments, 1)) {
        let Temporal::DateTime(moment) = temporal(session, arguments, 0)? else { return None };
        let zone = match Time::parse(&format!("00:00:00@{name}")) {
            Some(time) => time.zone,
            None => Time::parse(&format!("00:00:00{name}"))?.zone,
        };
        if !zone::exists(&zone) {
            return None;
        }
        return match zone::instant(moment) {
            Some(nanos) => zone::at_instant(nanos, &zone),
            None => Some(DateTime { time: Time { zone, ..moment.time.clone() }, ..moment.clone() }),
        };
    }
    let date = match temporal(session, arguments, 0)? {
        Temporal::Date(date) => *date,
        Temporal::DateTime(date_time) => date_time.date,
        _ => return None,
    };
    match temporal(session, arguments, 1)? {
        Temporal::Time(time) => Some(DateTime { date, time: time.clone() }),
        _ => None,
    }
}

/// Text with the separators that are given; without, a literal with a sign.
pub(super) fn number(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(source) = text(session, arguments, 0) else {
        // DIFFERENCE: Camunda's engine converts texts only.
        let plain = number_of(session, arguments, 0)
            .filter(|_| arguments.len() == 1 && session.is_standard());
        return outcome(plain.map(Number::into_value));
    };
    session.read_text(source.len())?;
    let separator = |at: usize, allowed: &str| match arguments.get(at) {
        None | Some(Value::Null) => Some(None),
        Some(_) => {
            let found = text(session, arguments, at)?;
            let fits = found.chars().count() == 1 && allowed.contains(found);
            fits.then(|| found.chars().next())
        }
    };
    let (Some(grouping), Some(point)) = (separator(1, " ,."), separator(2, ",.")) else {
        return Ok(Value::Null);
    };
    if grouping.is_some() && grouping == point {
        return Ok(Value::Null);
    }
    let mut plain = String::with_capacity(source.len());
    for c in source.chars() {
        match c {
            c if Some(c) == grouping => {}
            c if Some(c) == point => plain.push('.'),
            '.' if point.is_some() => return Ok(Value::Null),
            c => plain.push(c),
        }
    }
    outcome(literal(&plain).map(Number::into_value))
}

fn literal(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let first = digits.as_bytes().first()?;
    let plain = (first.is_ascii_digit() || *first == b'.')
        && !fraction.is_empty()
        && (whole.is_empty() || whole.as_bytes()[0].is_ascii_digit());
    if plain { Number::from_text(text) } else { None }
}

pub(super) fn string(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    match &arguments[0] {
        Value::Null => Ok(Value::Null),
        text @ Value::Text(_) => Ok(text.clone()),
        value => {
            let text = text_form::text_of(session, value)?;
            Ok(Value::text(text))
        }
    }
}

pub(super) fn duration(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    outcome(match single(session, &arguments[0]) {
        Value::Text(text) => {
            session.read_text(text.len())?;
            match Temporal::parse(text) {
                Some(duration @ (Temporal::Months(_) | Temporal::Nanos(_))) => {
                    Some(Value::temporal(duration))
                }
                _ => None,
            }
        }
        value => match value.as_temporal() {
            Some(Temporal::Months(_) | Temporal::Nanos(_)) => Some(value.clone()),
            _ => None,
        },
    })
}

pub(super) fn years_and_months_duration(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let day = |at| match temporal(session, arguments, at)? {
        Temporal::Date(date) => Some(DateTime {
            date: *date,
            time: Time { clock: Clock::default(), zone: Zone::Local },
        }),
        Temporal::DateTime(date_time) => Some(date_time.clone()),
        _ => None,
    };
    let months = day(0).zip(day(1)).map(|(from, to)| months_between(&from, &to));
    outcome(months.map(|months| Value::temporal(Temporal::Months(months))))
}
