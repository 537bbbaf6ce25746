use super::cleanup::CleanupSettings;
use crate::setting::{Setting, words};
use crate::value::Value;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistorySettings {
    pub level: HistoryLevel,
    /// How long ended instances of definitions without a time of their own are kept. `None`: for
    /// ever.
    pub ttl: Option<Ttl>,
    /// A definition must have a time to live, its own or `ttl`.
    pub ttl_required: bool,
    /// How long ended batches are kept.
    pub batch_ttl: Option<Ttl>,
    pub removal_time: RemovalTime,
    /// Whether a definition may set a level of its own.
    pub level_per_definition: bool,
    pub cleanup: CleanupSettings,
}

/// The default keeps incidents and the job log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum HistoryLevel {
    None,
    Activity,
    Audit,
    #[default]
    Full,
}

words!(HistoryLevel { None = "none", Activity = "activity", Audit = "audit", Full = "full" });

/// From when the time to live counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RemovalTime {
    Start,
    #[default]
    End,
    /// Rows carry no time of removal.
    None,
}

words!(RemovalTime { Start = "start", End = "end", None = "none" });

/// Whole days: `P180D`, or the number alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ttl {
    pub days: u32,
}

impl Setting for Ttl {
    fn expected() -> String {
        "a number of days, such as P180D".to_owned()
    }

    fn from_value(value: &Value) -> Option<Self> {
        let days = match value {
            Value::Number(days) => u32::try_from(*days).ok()?,
            Value::Text(text) => {
                let text = text.trim();
                let digits = text.strip_prefix('P').and_then(|rest| rest.strip_suffix('D'));
                digits.unwrap_or(text).parse().ok()?
            }
            _ => return None,
        };
        Some(Self { days })
    }

    fn to_value(&self) -> Value {
        Value::text(format!("P{}D", self.days))
    }
}
