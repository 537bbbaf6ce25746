//! The tables of the file that are the engine's: knobs by their own names, and the property names
//! of Camunda 7 and Flowable.

use std::collections::BTreeMap;

use figment::Figment;
use figment::value::{Dict, Num, Value};
use orloj::script::SecureScripting;
use orloj_settings::{KNOBS, Read, Table, Value as Setting, read};

use super::error::{Error, Place, Problem};

pub const TABLES: &[&str] = &[
    "profile",
    "executor",
    "acquisition",
    "acquisitions",
    "jobs",
    "history",
    "batches",
    "metrics",
    "operations",
    "ids",
    "model",
    "rows",
    "limits",
    "breakers",
    "engines",
    "camunda",
    "flowable",
];

/// Keys that stood alone before there were tables; they go on meaning what they meant.
const ALIASES: &[(&str, &str)] =
    &[("heartbeat_timeout_ms", "heartbeat_timeout_ms"), ("node_name", "lock_owner")];

pub fn settings(figment: &Figment, place: &dyn Fn(&str) -> Place) -> Result<Read, Error> {
    let mut tree = Table::new();
    for table in TABLES {
        if let Ok(value) = figment.find_value(table) {
            tree.insert((*table).to_owned(), converted(&value));
        }
    }
    // `executor = false` is short for the one knob of its table that everybody needs.
    if let Some(flag) = tree.get("executor").filter(|value| !matches!(value, Setting::Table(_))) {
        let table = Table::from([("active".to_owned(), flag.clone())]);
        tree.insert("executor".to_owned(), Setting::Table(table));
    }
    let mut aliased = Vec::new();
    for (alone, knob) in ALIASES {
        if let Ok(value) = figment.find_value(alone) {
            aliased.push((format!("executor.{knob}"), *alone));
            let executor =
                tree.entry("executor".to_owned()).or_insert(Setting::Table(Table::new()));
            if let Setting::Table(executor) = executor {
                executor.insert((*knob).to_owned(), converted(&value));
            }
        }
    }
    read(&tree).map_err(|errors| {
        let placed = errors.into_iter().map(|error| {
            let alone = aliased.iter().find(|(knob, _)| *knob == error.place);
            let key = alone.map_or(error.place.as_str(), |(_, alone)| alone);
            Error { place: place(key), problem: Problem::Value(error.message) }
        });
        let mut errors: Vec<Error> = placed.collect();
        errors.sort_by_key(|error| error.place.line());
        let mut errors = errors.into_iter();
        let first = errors.next().expect("an error is said");
        // The rest is told in the same breath: each costs a start otherwise.
        let rest: String = errors.map(|error| format!("\n{error}")).collect();
        match first.problem {
            Problem::Value(message) => Error { problem: Problem::Value(message + &rest), ..first },
            _ => first,
        }
    })
}

/// What `[scripting]` says, and where it is silent what the properties of Flowable say.
pub fn scripting(
    written: Option<SecureScripting>,
    settings: &Table,
) -> Result<SecureScripting, String> {
    if let Some(written) = written {
        return Ok(written);
    }
    let dict: Dict = settings.iter().map(|(key, value)| (key.clone(), figment_of(value))).collect();
    Value::from(dict).deserialize().map_err(|error: figment::Error| error.to_string())
}

/// Where the knob of a variable goes: `EXECUTOR_BY_DUE` is `executor.by_due`.
pub fn knob_of_variable(name: &str) -> Option<&'static str> {
    KNOBS.iter().find(|knob| knob.variable() == name).map(|knob| knob.name)
}

/// Puts a value at a dotted key.
pub fn insert(dict: &mut Dict, key: &str, value: Value) {
    match key.split_once('.') {
        None => drop(dict.insert(key.to_owned(), value)),
        Some((table, rest)) => {
            let mut inner = match dict.remove(table) {
                Some(Value::Dict(_, inner)) => inner,
                _ => BTreeMap::new(),
            };
            insert(&mut inner, rest, value);
            dict.insert(table.to_owned(), Value::from(inner));
        }
    }
}

fn converted(value: &Value) -> Setting {
    match value {
        Value::String(_, text) => Setting::text(text.as_str()),
        Value::Char(_, c) => Setting::text(c.to_string()),
        Value::Bool(_, flag) => Setting::Flag(*flag),
        Value::Num(_, Num::F32(number)) => Setting::Decimal(f64::from(*number)),
        Value::Num(_, Num::F64(number)) => Setting::Decimal(*number),
        Value::Num(_, number) => number
            .to_i128()
            .or_else(|| number.to_u128().and_then(|number| number.try_into().ok()))
            .and_then(|number| i64::try_from(number).ok())
            // Larger than anything that can be set: it is told as it was written.
            .map_or_else(|| Setting::text(format!("{number:?}")), Setting::Number),
        Value::Empty(..) => Setting::Nothing,
        Value::Dict(_, dict) => Setting::Table(
            dict.iter().map(|(key, value)| (key.clone(), converted(value))).collect(),
        ),
        Value::Array(_, items) => Setting::List(items.iter().map(converted).collect()),
    }
}

fn figment_of(value: &Setting) -> Value {
    match value {
        Setting::Nothing => Value::from(String::new()),
        Setting::Flag(flag) => Value::from(*flag),
        Setting::Number(number) => Value::from(*number),
        Setting::Decimal(number) => Value::from(*number),
        Setting::Text(text) => Value::from(text.as_str()),
        Setting::List(items) => Value::from(items.iter().map(figment_of).collect::<Vec<_>>()),
        Setting::Table(table) => Value::from(
            table
                .iter()
                .map(|(key, value)| (key.clone(), figment_of(value)))
                .collect::<BTreeMap<_, _>>(),
        ),
    }
}
