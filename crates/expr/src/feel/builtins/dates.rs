use orloj_types::{Date, Temporal, Value, Zone};

use super::super::session::{Outcome, Session};
use super::super::zone;
use super::arguments::{boolean, outcome, temporal};

const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const NANOS_PER_MILLISECOND: i128 = 1_000_000;

fn day(session: &Session<'_>, arguments: &[Value]) -> Option<Date> {
    match temporal(session, arguments, 0)? {
        Temporal::Date(date) => Some(*date),
        Temporal::DateTime(date_time) => Some(date_time.date),
        _ => None,
    }
}

pub(super) fn day_of_year(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    outcome(day(session, arguments).map(|day| Value::Int(day.day_of_year().into())))
}

pub(super) fn day_of_week(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let day = day(session, arguments);
    outcome(day.map(|day| Value::text(WEEKDAYS[usize::from(day.weekday() - 1)])))
}

pub(super) fn month_of_year(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let day = day(session, arguments);
    outcome(day.map(|day| Value::text(MONTHS[usize::from(day.month() - 1)])))
}

pub(super) fn week_of_year(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    outcome(day(session, arguments).map(|day| Value::Int(day.week_of_year().into())))
}

pub(super) fn last_day_of_month(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    outcome(day(session, arguments).map(|day| Value::temporal(day.last_of_month())))
}

pub(super) fn now(session: &mut Session<'_>, _arguments: &[Value]) -> Outcome {
    let nanos = i128::from(session.environment.now.as_ms()) * NANOS_PER_MILLISECOND;
    // DIFFERENCE: Camunda's engine has a zone of this name where the standard has an offset.
    let zone = match session.zone() {
        Zone::Offset(0) if !session.is_standard() => Zone::Named("UTC".into()),
        zone => zone.clone(),
    };
    outcome(zone::at_instant(nanos, &zone).map(Value::temporal))
}

pub(super) fn today(session: &mut Session<'_>, _arguments: &[Value]) -> Outcome {
    let nanos = i128::from(session.environment.now.as_ms()) * NANOS_PER_MILLISECOND;
    outcome(zone::at_instant(nanos, session.zone()).map(|now| Value::temporal(now.date)))
}

/// The same value in the same form: a moment in another zone is another one.
pub(super) fn is(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let argument = |at: usize| arguments.get(at).unwrap_or(&Value::Null);
    let same = match (argument(0), argument(1)) {
        (Value::Temporal(a), Value::Temporal(b)) => a == b,
        (a, b) => session.same(a, b)?,
    };
    boolean(Some(same))
}
