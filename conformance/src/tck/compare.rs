//! Whether a result is the expected one.

use orloj_types::{DateTime, Decimal, NANOS_PER_SECOND, Temporal, Time, Value, Zone};

/// Decimals may differ by this share of the expected one: engines round at different digits.
const TOLERANCE: &str = "0.00000001";

pub fn is_same(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| is_same(a, b))
        }
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len()
                && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| is_same(a, b)))
        }
        (Value::Temporal(a), Value::Temporal(b)) => is_same_temporal(a, b),
        _ => match (decimal(expected), decimal(actual)) {
            (Some(expected), Some(actual)) => is_near(expected, actual),
            _ => false,
        },
    }
}

fn decimal(value: &Value) -> Option<Decimal> {
    match value {
        Value::Int(number) => Some(Decimal::from(*number)),
        Value::Decimal(number) => Some(*number),
        Value::Double(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

fn is_near(expected: Decimal, actual: Decimal) -> bool {
    let tolerance: Decimal = TOLERANCE.parse().expect("a number");
    let one = Decimal::from(1_i64);
    let scale = if expected.abs() > one { expected.abs() } else { one };
    (expected - actual).abs() <= tolerance * scale
}

fn is_same_temporal(expected: &Temporal, actual: &Temporal) -> bool {
    match (expected, actual) {
        (Temporal::Time(a), Temporal::Time(b)) => is_same_time(a, b),
        (Temporal::DateTime(a), Temporal::DateTime(b)) => is_same_moment(a, b),
        _ => expected == actual,
    }
}

fn is_same_time(a: &Time, b: &Time) -> bool {
    match (offset(&a.zone), offset(&b.zone)) {
        (Some(x), Some(y)) => a.clock.to_nanos() - x == b.clock.to_nanos() - y,
        _ => a == b,
    }
}

fn is_same_moment(a: &DateTime, b: &DateTime) -> bool {
    match (offset(&a.time.zone), offset(&b.time.zone)) {
        (Some(x), Some(y)) => a.to_local_nanos() - x == b.to_local_nanos() - y,
        _ => a == b,
    }
}

/// Nanoseconds east of UTC, where it does not depend on the day.
fn offset(zone: &Zone) -> Option<i128> {
    match zone {
        Zone::Offset(seconds) => Some(i128::from(*seconds) * NANOS_PER_SECOND),
        Zone::Named(name) if matches!(&**name, "UTC" | "Etc/UTC" | "Z" | "GMT") => Some(0),
        Zone::Named(_) | Zone::Local => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Value {
        Value::temporal(Time::parse(text).expect(text))
    }

    fn number(text: &str) -> Value {
        Value::Decimal(text.parse().expect(text))
    }

    #[test]
    fn decimals_are_near_and_times_by_value() {
        assert!(is_same(&number("0.333333333"), &number("0.33333333333333")));
        assert!(!is_same(&number("0.3333"), &number("0.33333333333333")));
        assert!(is_same(&Value::Int(2), &number("2.000")));
        assert!(is_same(&number("1e20"), &number("100000000000000000001")));
        assert!(is_same(&time("10:00:00Z"), &time("12:00:00+02:00")));
        assert!(!is_same(&time("10:00:00"), &time("10:00:00Z")));
        assert!(!is_same(&Value::Null, &Value::Bool(false)));
    }
}
