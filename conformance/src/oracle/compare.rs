//! How far a trace agrees with that of the real engine.
//!
//! A level counts only when those below hold: L0 is the deployment, L1 where the run came to, L2
//! what was visited and left behind, L3 every step.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::notation::written;

pub const LEVELS: [&str; 4] = ["L0", "L1", "L2", "L3"];

/// Clocks of recordings may be off by this.
const TIME_MS_MAX: f64 = 1_000.0;
/// Numbers may differ by this share of the larger one.
const SHARE_MAX: f64 = 1e-9;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// How many levels hold, from none to all four.
    pub levels: usize,
    /// The first difference.
    pub why: Option<String>,
}

/// What differs between the reference and a trace, in one respect.
type Difference = fn(&Value, &Value) -> Option<String>;

/// Compares a trace with the reference; `None`: there is no trace.
pub fn compare(reference: &Value, actual: Option<&Value>) -> Verdict {
    let Some(actual) = actual else { return failed(0, "no trace".to_owned()) };
    let deploy = &reference["deploy"];
    if *deploy != actual["deploy"] {
        let note = actual["note"].as_str().unwrap_or_default();
        let why = format!("deploy: {}, here {} ({note})", bare(deploy), bare(&actual["deploy"]));
        return failed(0, why);
    }
    if deploy == "rejected" {
        return Verdict { levels: 4, why: None };
    }
    if actual["stop"] == "error" {
        return failed(1, format!("stopped: {}", bare(&actual["note"])));
    }
    let skip: BTreeSet<&str> = items(&reference["unstable"]).filter_map(Value::as_str).collect();
    let counts = |what: &str| !skip.contains(what);
    let differences: [(usize, bool, Difference); 8] = [
        (1, counts("instances"), |r, a| differ("instances", &r["instances"], &a["instances"])),
        (1, counts("starts"), |r, a| differ("starts", &r["starts"], &a["starts"])),
        (1, counts("steps"), |r, a| differ("last waits", last_waits(r), last_waits(a))),
        (2, counts("activities"), |r, a| activities(&r["activities"], &a["activities"])),
        (2, counts("variables"), |r, a| variables(&r["variables"], &a["variables"])),
        (2, counts("incidents"), |r, a| differ("incidents", &r["incidents"], &a["incidents"])),
        (3, counts("steps"), |r, a| steps(&r["steps"], &a["steps"])),
        (3, counts("jobs"), |r, a| jobs(&r["jobs"], &a["jobs"])),
    ];
    for (levels, is_compared, difference) in differences {
        if is_compared && let Some(why) = difference(reference, actual) {
            return failed(levels, why);
        }
    }
    Verdict { levels: 4, why: None }
}

fn failed(levels: usize, why: String) -> Verdict {
    Verdict { levels, why: Some(why) }
}

/// How often each item occurs, by how it is written.
fn bag(list: &Value) -> BTreeMap<String, i64> {
    let mut bag = BTreeMap::new();
    for item in items(list) {
        *bag.entry(written(item)).or_default() += 1;
    }
    bag
}

fn differ(what: &str, reference: &Value, actual: &Value) -> Option<String> {
    let (expected, found) = (bag(reference), bag(actual));
    if expected == found {
        return None;
    }
    let missing = shown_rest(&expected, &found);
    let extra = shown_rest(&found, &expected);
    Some(format!("{what}: missing {missing}; extra {extra}"))
}

/// What the first has more of than the second.
fn shown_rest(of: &BTreeMap<String, i64>, without: &BTreeMap<String, i64>) -> String {
    let mut rest = Vec::new();
    for (item, count) in of {
        for _ in 0..(count - without.get(item).copied().unwrap_or_default()) {
            rest.push(item.trim_matches('"'));
        }
    }
    rest.sort_unstable();
    if rest.is_empty() { "nothing".to_owned() } else { rest.join(", ") }
}

fn last_waits(trace: &Value) -> &Value {
    static NOTHING: Value = Value::Null;
    let steps = trace["steps"].as_array();
    steps.and_then(|steps| steps.last()).map_or(&NOTHING, |step| &step["waits"])
}

fn activities(reference: &Value, actual: &Value) -> Option<String> {
    let (expected, found) = (visited(reference), visited(actual));
    let elements: BTreeSet<&str> = expected.keys().chain(found.keys()).copied().collect();
    for element in elements {
        let (expected, found) = (expected.get(element), found.get(element));
        if expected != found {
            let shown = |counts: Option<&&Value>| {
                counts.map_or_else(|| "None".to_owned(), |counts| written(counts))
            };
            return Some(format!(
                "activity {element} [ended, cancelled, open]: {}, here {}",
                shown(expected),
                shown(found)
            ));
        }
    }
    None
}

/// Elements that were visited at all.
fn visited(activities: &Value) -> BTreeMap<&str, &Value> {
    let entries = activities.as_object().into_iter().flatten();
    let was = |counts: &Value| items(counts).any(|count| count.as_i64() != Some(0));
    entries.filter(|(_, counts)| was(counts)).map(|(el, counts)| (el.as_str(), counts)).collect()
}

fn variables(reference: &Value, actual: &Value) -> Option<String> {
    let mut left: Vec<&Value> = items(actual).collect();
    for row in items(reference) {
        let is_it = |other: &&Value| {
            other[0] == row[0] && other[1] == row[1] && is_same_value(&row[2], &other[2])
        };
        let Some(hit) = left.iter().find(|other| is_it(other)).copied() else {
            let named = |other: &&Value| other[0] == row[0] && other[1] == row[1];
            let found: Vec<Value> =
                items(actual).filter(named).map(|other| other[2].clone()).collect();
            return Some(format!(
                "variable {} of {}: {}, here {}",
                bare(&row[1]),
                bare(&row[0]),
                written(&row[2]),
                written(&Value::Array(found))
            ));
        };
        take(&mut left, hit);
    }
    let extra = left.first()?;
    Some(format!("variable {} of {}: not in the reference", bare(&extra[1]), bare(&extra[0])))
}

fn is_same_value(a: &Value, b: &Value) -> bool {
    if is_object(a) || is_object(b) {
        return true;
    }
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            if let (Some(a), Some(b)) = (a.get("date"), b.get("date")) {
                return distance(a, b) <= TIME_MS_MAX;
            }
            a.len() == b.len()
                && a.iter().all(|(k, v)| b.get(k).is_some_and(|other| is_same_value(v, other)))
        }
        (Value::Number(x), Value::Number(y)) => {
            let (x, y) = (x.as_f64().unwrap_or(f64::NAN), y.as_f64().unwrap_or(f64::NAN));
            (x - y).abs() <= SHARE_MAX * 1f64.max(x.abs()).max(y.abs())
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same_value(a, b))
        }
        _ => a == b,
    }
}

/// A value whose inside was not recorded.
fn is_object(value: &Value) -> bool {
    value.get("object").is_some_and(|flag| match flag {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(entries) => !entries.is_empty(),
    })
}

fn steps(reference: &Value, actual: &Value) -> Option<String> {
    let found: Vec<&Value> = items(actual).collect();
    for (n, step) in items(reference).enumerate() {
        let name = format!("step {n} ({} {})", bare(&step["do"]), bare(&step["el"]));
        let Some(other) = found.get(n) else { return Some(format!("{name}: not taken")) };
        let head = |step: &Value| {
            format!("{} {} error={}", bare(&step["do"]), bare(&step["el"]), bare(&step["error"]))
        };
        if ["do", "el", "error"].iter().any(|key| step[key] != other[key]) {
            return Some(format!("step {n}: {}, here {}", head(step), head(other)));
        }
        let at = if other["at"].is_null() { &Value::from(-1) } else { &other["at"] };
        if distance(&step["at"], at) > TIME_MS_MAX {
            return Some(format!("{name}: at {}, here {}", bare(&step["at"]), bare(at)));
        }
        for key in ["started", "ended", "cancelled", "waits"] {
            let difference = differ(&format!("{name} {key}"), &step[key], &other[key]);
            if difference.is_some() {
                return difference;
            }
        }
    }
    let taken = items(reference).count();
    (found.len() > taken).then(|| format!("step {taken}: not in the reference"))
}

fn jobs(reference: &Value, actual: &Value) -> Option<String> {
    let mut left: Vec<&Value> = items(actual).collect();
    for job in items(reference) {
        let Some(hit) = left.iter().find(|other| is_same_job(job, other)).copied() else {
            let same: Vec<Value> =
                items(actual).filter(|other| other["el"] == job["el"]).cloned().collect();
            return Some(format!("job {}: here {}", written(job), written(&Value::Array(same))));
        };
        take(&mut left, hit);
    }
    left.first().map(|extra| format!("job {}: not in the reference", written(extra)))
}

/// What the reference does not tell of a job may be anything.
fn is_same_job(job: &Value, other: &Value) -> bool {
    let fields = job.as_object().into_iter().flatten();
    let is_same = |(key, value): (&String, &Value)| match other.get(key) {
        None => false,
        Some(found) if key == "in" && !value.is_null() && !found.is_null() => {
            distance(value, found) <= TIME_MS_MAX
        }
        Some(found) => is_equal(value, found),
    };
    fields.into_iter().all(is_same)
}

/// Takes away the first row that equals the one that was hit.
fn take(left: &mut Vec<&Value>, hit: &Value) {
    if let Some(at) = left.iter().position(|other| is_equal(hit, other)) {
        left.remove(at);
    }
}

/// Equal as in the language of the reference program, where true is one.
fn is_equal(a: &Value, b: &Value) -> bool {
    let number = |value: &Value| match value {
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        other => other.as_f64(),
    };
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let has = |(key, value): (&String, &Value)| {
                b.get(key).is_some_and(|other| is_equal(value, other))
            };
            a.len() == b.len() && a.iter().all(has)
        }
        _ => match (number(a), number(b)) {
            (Some(a), Some(b)) => a == b,
            _ => a == b,
        },
    }
}

fn distance(a: &Value, b: &Value) -> f64 {
    (a.as_f64().unwrap_or(f64::NAN) - b.as_f64().unwrap_or(f64::NAN)).abs()
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// A text without its quotes.
fn bare(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Null => "None".to_owned(),
        other => written(other),
    }
}
