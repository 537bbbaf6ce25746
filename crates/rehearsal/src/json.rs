//! Values of variables as a trace shows them.

use jiff::tz::TimeZone;
use orloj_types::{StoredValue, Timestamp, Value, ValueTag};
use serde_json::{Value as Json, json};

use crate::run::Engine;

/// 2030-01-01T00:00:00Z, where the clock of every run stands at first.
pub const EPOCH: Timestamp = Timestamp::from_ms(1_893_456_000_000);

/// Plain JSON where the value is; dates as milliseconds since the epoch of runs; everything else
/// is an object whose inside is not told.
pub fn shown(value: &StoredValue, engine: Engine) -> Json {
    match value.tag {
        ValueTag::Bytes | ValueTag::Xml | ValueTag::Object | ValueTag::File => object(),
        ValueTag::DateTime => match Value::from(value) {
            Value::Int(ms) => date(Timestamp::from_ms(ms)),
            _ => Json::Null,
        },
        // Zeebe keeps what FEEL computes as text.
        ValueTag::Temporal if engine != Engine::Zeebe => {
            let text = std::str::from_utf8(&value.bytes).unwrap_or_default();
            moment(text).map_or_else(object, date)
        }
        ValueTag::Null
        | ValueTag::Bool
        | ValueTag::Int
        | ValueTag::Double
        | ValueTag::Decimal
        | ValueTag::Text
        | ValueTag::Json
        | ValueTag::Temporal => serde_json::from_str(&value.to_json()).unwrap_or_else(|_| object()),
    }
}

fn date(at: Timestamp) -> Json {
    json!({ "date": at.ms_since(EPOCH) })
}

fn object() -> Json {
    json!({ "object": true })
}

/// A date, with its time or at its beginning, where no zone is named in UTC.
fn moment(text: &str) -> Option<Timestamp> {
    if let Ok(zoned) = text.parse::<jiff::Zoned>() {
        return Some(Timestamp::from_ms(zoned.timestamp().as_millisecond()));
    }
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Some(Timestamp::from_ms(at.as_millisecond()));
    }
    let local: jiff::civil::DateTime = text.parse().ok()?;
    let at = local.to_zoned(TimeZone::UTC).ok()?;
    Some(Timestamp::from_ms(at.timestamp().as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn temporal(text: &str) -> StoredValue {
        StoredValue::new(ValueTag::Temporal, text.as_bytes())
    }

    #[test]
    fn plain_values_are_plain() {
        let stored = Value::Double(0.5).to_stored();
        assert_eq!(shown(&stored, Engine::Camunda7), json!(0.5));
        let stored = Value::Decimal("12.50".parse().unwrap()).to_stored();
        assert_eq!(shown(&stored, Engine::Zeebe), json!(12.5));
        let stored = Value::list(vec![Value::Int(1), Value::text("a")]).to_stored();
        assert_eq!(shown(&stored, Engine::Flowable), json!([1, "a"]));
        assert_eq!(shown(&StoredValue::null(), Engine::Flowable), Json::Null);
        let infinite = Value::Double(f64::INFINITY).to_stored();
        let shown = shown(&infinite, Engine::Camunda7);
        assert!(shown == object() || shown.is_null(), "{shown}");
    }

    #[test]
    fn dates_count_from_the_epoch_of_runs() {
        let ms = EPOCH.as_ms() + 60_000;
        let stored = StoredValue::new(ValueTag::DateTime, &ms.to_be_bytes());
        assert_eq!(shown(&stored, Engine::Camunda7), json!({"date": 60_000}));
        for text in ["2030-01-01T01:00:00+01:00", "2030-01-01", "2030-01-01T00:00:00Z"] {
            assert_eq!(shown(&temporal(text), Engine::Camunda7), json!({"date": 0}), "{text}");
            assert_eq!(shown(&temporal(text), Engine::Zeebe), json!(text));
        }
    }

    #[test]
    fn what_is_no_json_is_an_object() {
        let stored = StoredValue::new(ValueTag::Object, b"x");
        assert_eq!(shown(&stored, Engine::Camunda7), json!({"object": true}));
        assert_eq!(shown(&temporal("PT5M"), Engine::Camunda7), json!({"object": true}));
    }
}
