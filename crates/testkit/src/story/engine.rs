//! What the engine of a story is told: `engine WORDS, WORDS, …` at its head, `node NAME WORDS, …`
//! for each further node on the same store.
//!
//! | words | what they set |
//! | --- | --- |
//! | `camunda profile`, `flowable profile`, `chapter profile` | whose defaults hold; comes first |
//! | `by priority`, `timers first`, `by due date`, `aging 10s` | the order of acquisition |
//! | `priorities 10 to 20`, `priorities from 10`, `priorities up to 20` | the range that is taken |
//! | `categories a b` | the only ones that are taken |
//! | `deployment aware` | only jobs of registered deployments |
//! | `exclusive over hierarchies` | one exclusive job per tree of instances |
//! | `retries 5`, `cycle R3/PT10M` | where the model says nothing |
//! | `without priorities`, `without incidents`, `due dates always` | as the settings of jobs say |
//! | `executor off` | nothing runs until `executor starts` |
//! | `NAME = VALUE` | a knob by its dotted name, or a property of Camunda 7 or Flowable |
//!
//! All of it goes through the reader of configuration files: a story cannot say what a file could
//! not.

use orloj::settings::{PROPERTIES, Profile, Reader, Settings, System, Value};

use super::parse::{duration_of, number};
use crate::text::split_outside;

/// One thing that is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    path: Vec<String>,
    value: Value,
}

/// A further node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeTold {
    pub name: String,
    pub settings: Settings,
}

/// Of the head line of a story, after `engine`.
pub(super) fn engine(text: &str) -> Result<(Profile, Vec<Told>), String> {
    let mut profile = Profile::Orloj;
    let mut told = Vec::new();
    for part in split_outside(text, ",")?.into_iter().map(str::trim) {
        match part.strip_suffix(" profile") {
            Some("camunda") => profile = Profile::Camunda7,
            Some("flowable") => profile = Profile::Flowable,
            Some("chapter") => profile = Profile::Chapter,
            Some(other) => return Err(format!("no profile '{other}'")),
            None => told.extend(item(part)?),
        }
    }
    Ok((profile, told))
}

/// The settings, checked as a file's would be.
pub(super) fn settings(profile: Profile, told: &[Told]) -> Result<Settings, String> {
    let mut reader = Reader::new(profile);
    for told in told {
        reader.put(told.path.clone(), told.value.clone(), told.path.join("."));
    }
    let read = reader.finish().map_err(|errors| {
        let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
        errors.join("; ")
    })?;
    Ok(read.settings)
}

fn item(text: &str) -> Result<Vec<Told>, String> {
    if let Some((name, value)) = text.split_once('=') {
        return Ok(vec![named(name.trim(), value.trim())]);
    }
    let flag = |name: &str, on: bool| Ok(vec![told(name, Value::Flag(on))]);
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["by", "priority"] => flag("executor.by_priority", true),
        ["timers", "first"] => flag("executor.timers_first", true),
        ["by", "due", "date"] => flag("executor.by_due", true),
        ["aging", step] => {
            Ok(vec![told("executor.aging_step_ms", Value::Number(duration_of(step)?))])
        }
        ["priorities", "from", from] => Ok(vec![lowest(from)?]),
        ["priorities", "up", "to", to] => Ok(vec![highest(to)?]),
        ["priorities", from, "to", to] => Ok(vec![lowest(from)?, highest(to)?]),
        ["categories", ref names @ ..] => {
            let names = names.iter().map(|name| Value::text(*name)).collect();
            Ok(vec![told("executor.categories", Value::List(names))])
        }
        ["deployment", "aware"] => flag("executor.deployment_aware", true),
        ["exclusive", "over", "hierarchies"] => flag("executor.exclusive_over_hierarchies", true),
        ["retries", count] => Ok(vec![told("jobs.retries", Value::Number(number(count)?))]),
        ["cycle", cycle] => {
            Ok(vec![told("jobs.retry_cycle", Value::text(cycle.trim_matches('"')))])
        }
        ["without", "priorities"] => flag("jobs.prioritized", false),
        ["without", "incidents"] => flag("jobs.incidents", false),
        ["due", "dates", "always"] => flag("jobs.due_never_null", true),
        ["executor", "off"] => flag("executor.active", false),
        _ => Err(format!("an engine is not told '{text}'")),
    }
}

fn lowest(text: &str) -> Result<Told, String> {
    Ok(told("executor.priority_min", Value::Number(number(text)?)))
}

fn highest(text: &str) -> Result<Told, String> {
    Ok(told("executor.priority_max", Value::Number(number(text)?)))
}

/// A knob has dots; a property is that of the system that knows it, Camunda's first.
fn named(name: &str, value: &str) -> Told {
    let value = match value.trim_matches('"') {
        "true" => Value::Flag(true),
        "false" => Value::Flag(false),
        text => text.parse().map_or_else(|_| Value::text(text), Value::Number),
    };
    if name.contains('.') {
        return told(name, value);
    }
    let is_flowable = |property: &&orloj::settings::Property| {
        property.name == name && property.system == System::Flowable
    };
    let is_camunda = |property: &&orloj::settings::Property| {
        property.name == name && property.system == System::Camunda7
    };
    let all = || PROPERTIES.iter().flat_map(|table| table.iter());
    let system = match (all().find(is_camunda), all().find(is_flowable)) {
        (None, Some(_)) => "flowable",
        _ => "camunda",
    };
    Told { path: vec![system.to_owned(), name.to_owned()], value }
}

fn told(name: &str, value: Value) -> Told {
    Told { path: name.split('.').map(str::to_owned).collect(), value }
}
