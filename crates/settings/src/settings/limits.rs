use crate::setting::{Setting, words};
use crate::value::{Table, Value};

/// How much of one kind may run at once or start per second, over all nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitSettings {
    pub scope: LimitScope,
    /// The topic, tenant or key that is limited.
    pub name: String,
    pub max_concurrent: Option<u32>,
    pub per_second: Option<f64>,
    /// Starts saved up while nothing ran. `None`: one second's worth.
    pub burst: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LimitScope {
    /// The type of a worker job; of an engine job the foreign code it calls.
    Topic,
    Tenant,
    /// A key of the model's own.
    Key,
}

words!(LimitScope { Topic = "topic", Tenant = "tenant", Key = "key" });

/// When jobs of a topic are left alone because they only fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakerSettings {
    /// `*`: every one that has no breaker of its own.
    pub topic: String,
    /// So many failures in a row within the window open the breaker.
    pub failures: u32,
    pub window_ms: u64,
    /// How long it stays open before one job is tried.
    pub open_ms: u64,
}

/// Rates are kept as a number of jobs in a number of milliseconds, each of 32 bits: from one job in
/// 49 days to four million per second, fractions included.
const RATES: std::ops::RangeInclusive<f64> = 2.4e-7..=4_000_000.0;
const BREAKER_FAILURES_DEFAULT: u32 = 5;
const BREAKER_WINDOW_MS_DEFAULT: u64 = 60_000;
const BREAKER_OPEN_MS_DEFAULT: u64 = 30_000;

/// A key that cannot be used and why.
pub type Fault = (&'static str, String);

impl LimitSettings {
    pub(crate) fn read(table: &Table) -> Result<Self, Fault> {
        known(table, &["topic", "tenant", "key", "max_concurrent", "per_second", "burst"])?;
        let mut scopes = [LimitScope::Topic, LimitScope::Tenant, LimitScope::Key]
            .into_iter()
            .filter(|scope| table.contains_key(scope.as_str()));
        let (Some(scope), None) = (scopes.next(), scopes.next()) else {
            return Err(("", "a limit has exactly one of topic, tenant and key".to_owned()));
        };
        let limit = Self {
            scope,
            name: required(table, scope.as_str())?,
            max_concurrent: optional(table, "max_concurrent")?,
            per_second: optional(table, "per_second")?,
            burst: optional(table, "burst")?,
        };
        let is_positive = |number: f64| number > 0.0;
        match &limit {
            Self { max_concurrent: None, per_second: None, .. } => {
                Err(("", "a limit has max_concurrent, per_second or both".to_owned()))
            }
            Self { per_second: Some(rate), .. } if !is_positive(*rate) => {
                Err(("per_second", format!("{rate} is not above 0; max_concurrent = 0 stops all")))
            }
            Self { per_second: Some(rate), .. } if !RATES.contains(rate) => {
                let range = "one job in 49 days to four million per second";
                Err(("per_second", format!("{rate} cannot be kept: {range} can")))
            }
            Self { burst: Some(0), .. } => Err(("burst", "0 would stop all".to_owned())),
            Self { burst: Some(_), per_second: None, .. } => {
                Err(("burst", "means nothing without per_second".to_owned()))
            }
            _ => Ok(limit),
        }
    }

    pub(crate) fn to_value(&self) -> Value {
        let mut table = Table::new();
        table.insert(self.scope.as_str().to_owned(), self.name.to_value());
        insert(&mut table, "max_concurrent", &self.max_concurrent);
        insert(&mut table, "per_second", &self.per_second);
        insert(&mut table, "burst", &self.burst);
        Value::Table(table)
    }
}

impl BreakerSettings {
    pub(crate) fn read(table: &Table) -> Result<Self, Fault> {
        known(table, &["topic", "failures", "window_ms", "open_ms"])?;
        let failures = optional(table, "failures")?.unwrap_or(BREAKER_FAILURES_DEFAULT);
        if failures == 0 {
            return Err(("failures", "0 would never close".to_owned()));
        }
        Ok(Self {
            topic: required(table, "topic")?,
            failures,
            window_ms: optional(table, "window_ms")?.unwrap_or(BREAKER_WINDOW_MS_DEFAULT),
            open_ms: optional(table, "open_ms")?.unwrap_or(BREAKER_OPEN_MS_DEFAULT),
        })
    }

    pub(crate) fn to_value(&self) -> Value {
        let mut table = Table::new();
        table.insert("topic".to_owned(), self.topic.to_value());
        table.insert("failures".to_owned(), self.failures.to_value());
        table.insert("window_ms".to_owned(), self.window_ms.to_value());
        table.insert("open_ms".to_owned(), self.open_ms.to_value());
        Value::Table(table)
    }
}

fn known(table: &Table, keys: &[&'static str]) -> Result<(), Fault> {
    match table.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(key) => Err(("", format!("unknown key {key}; there are {}", keys.join(", ")))),
        None => Ok(()),
    }
}

fn required(table: &Table, key: &'static str) -> Result<String, Fault> {
    match optional::<String>(table, key)? {
        Some(name) if !name.is_empty() => Ok(name),
        _ => Err((key, "must be given and not be empty".to_owned())),
    }
}

fn optional<T: Setting>(table: &Table, key: &'static str) -> Result<Option<T>, Fault> {
    let Some(value) = table.get(key) else { return Ok(None) };
    match T::from_value(value) {
        Some(value) => Ok(Some(value)),
        None => Err((key, format!("found {}, expected {}", value.describe(), T::expected()))),
    }
}

fn insert<T: Setting>(table: &mut Table, key: &str, value: &Option<T>) {
    if let Some(value) = value {
        table.insert(key.to_owned(), value.to_value());
    }
}
