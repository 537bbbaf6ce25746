//! The page that lists every property and every knob.

use crate::knobs::KNOBS;
use crate::properties::{Fate, Owner, Property, System, properties};
use crate::settings::Settings;
use crate::value::Value;

const HEAD: &str = "\
# Properties of Camunda 7 and Flowable

This page is made from the tables in `crates/settings`; a test keeps it up to date.

The configuration file takes the property names of both systems in the tables `[camunda]` and \
`[flowable]`: of the engine and its executor as their setters are called \
(`camunda.jobExecutorActivate`), of Spring Boot by their paths \
(`[camunda.bpm.job-execution]`, `[flowable.process.async.executor]`), with dashes or capitals as \
Spring allows them. Such a table brings the defaults of its system along, unless `profile` names \
others: `orloj`, `camunda7`, `flowable` or `chapter` (the defaults of the chapter on the async \
executor). A knob under its own name beats a property. A property that is accepted and has no \
effect is noted in the log when the node starts, one that asks for something that will not happen \
is a warning, and one that is unknown is an error which names the nearest that is known.

`orloj config import FILE...` turns a `processes.xml`, `bpm-platform.xml`, Spring bean XML, \
`application.yaml` or `application.properties` into such a file.

`queueSize` of Camunda counts batches: its knob is set to that many times the jobs of one \
acquisition. A job that acquisition selects is locked by the same statement and cannot be lost to \
another node, so Camunda's back-off (`backoffTimeInMillis`, `maxBackoff`, \
`backoffDecreaseThreshold`) begins only with timers and other waiting jobs that a node found due \
and another one was faster with; a job that an executor of the application's own rejects is given \
back and makes acquisition pause (100 ms, in profiles of Flowable the wait for a full queue) \
instead of shortening the next page. `acquisition.wait_ms_max` follows the waits in the profiles of Flowable, whose waits \
do not grow.

`bulkInsertEnabled = false` of Flowable (`rows.in_bulk = false`) is for diagnosis, and slow. A node \
then gathers no changes: what one command does to a hierarchy of instances is one commit. On \
PostgreSQL each row of it, be it inserted, updated or deleted, is sent by a call of its own, within \
one transaction, so that a change is all or nothing as ever and the server's log names the row that \
it trips over; all variables and pages of an instance that ends go by one call each. On SQLite \
these are statements of their own anyway. Where Flowable takes only its \
insertions apart, this takes apart updates and deletions too. It does not concern deployments, \
acquisitions, heartbeats and the clean-up of history, which are no changes of instances.
";

/// `docs/compat/properties.md`
pub fn page() -> String {
    let mut out = HEAD.to_owned();
    for (system, title) in [(System::Camunda7, "Camunda 7"), (System::Flowable, "Flowable")] {
        let of_system = || properties().filter(move |property| property.system == system);
        let turns = |property: &&Property| !matches!(property.fate, Fate::Without(_));
        out.push_str(&format!("\n## {title}: with an effect\n\n"));
        out.push_str("| property | in Spring Boot or Quarkus | type | default | here |\n");
        out.push_str("| --- | --- | --- | --- | --- |\n");
        of_system().filter(turns).for_each(|property| out.push_str(&row(property)));
        out.push_str(&format!("\n## {title}: without effect\n\n"));
        out.push_str("| properties | because |\n| --- | --- |\n");
        out.push_str(&without(of_system().filter(|property| !turns(property))));
    }
    out.push_str("\n## Knobs\n\n| knob | takes | default | what it does |\n");
    out.push_str("| --- | --- | --- | --- |\n");
    let defaults = Settings::default();
    for knob in KNOBS {
        let default = match (knob.get)(&defaults) {
            Value::Nothing => String::new(),
            value => format!("`{value}`"),
        };
        let expected = (knob.expected)();
        out.push_str(&format!("| `{}` | {expected} | {default} | {} |\n", knob.name, knob.doc));
    }
    out.push_str(TAIL);
    out
}

const TAIL: &str = "
Every knob can also be set by an environment variable: `ORLOJ_EXECUTOR_BY_PRIORITY` for \
`executor.by_priority`. Named acquisitions are tables `[acquisitions.NAME]` with the keys of \
`[acquisition]`, from which they take what they leave out; `executor.acquisition` names the one \
that an engine joins. Further engines are tables `[engines.NAME.…]` with the same tables inside. \
Limits and circuit breakers are lists of tables:

```toml
[[limits]]
topic = \"charge-card\"     # or tenant, or key
max_concurrent = 10
per_second = 50.0
burst = 100

[[breakers]]
topic = \"charge-card\"
failures = 5
window_ms = 60000
open_ms = 30000
```
";

fn row(property: &Property) -> String {
    let boot: Vec<String> = boot_names(property).iter().map(|name| format!("`{name}`")).collect();
    let default = match (property.default, property.chapter) {
        ("", None) => String::new(),
        (default, None) => format!("`{default}`"),
        (default, Some(chapter)) => format!("`{default}` (chapter: `{chapter}`)"),
    };
    let here = match property.fate {
        Fate::Knob(knob) => format!("`{knob}`"),
        Fate::Both(first, second) => format!("`{first}`, `{second}`"),
        Fate::Scripting(key) => format!("`scripting.{key}`"),
        Fate::Without(reason) => reason.to_owned(),
        Fate::Warns(value, reason) => format!("warning if `{value}`: {reason}"),
    };
    let name =
        if property.owner == Owner::Boot { String::new() } else { format!("`{}`", property.name) };
    let kind = property.kind.as_str();
    format!("| {name} | {} | {kind} | {default} | {here} |\n", boot.join(", "))
}

fn boot_names(property: &Property) -> Vec<String> {
    let mut names: Vec<String> = property.boot.iter().map(|name| (*name).to_owned()).collect();
    match (property.system, property.owner) {
        (_, Owner::Boot) => names.push(property.name.to_owned()),
        (System::Flowable, Owner::Executor) => {
            names.push(format!("flowable.process.async.executor.{}", kebab(property.name)));
        }
        _ => {}
    }
    names
}

fn kebab(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// By reason, in the order of the tables.
fn without<'p>(properties: impl Iterator<Item = &'p Property>) -> String {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for property in properties {
        let Fate::Without(reason) = property.fate else { continue };
        let mut names = boot_names(property);
        if property.owner != Owner::Boot {
            names.insert(0, property.name.to_owned());
        }
        let names = names.into_iter().map(|name| format!("`{name}`"));
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, list)) => list.extend(names),
            None => groups.push((reason, names.collect())),
        }
    }
    let rows = groups.iter().map(|(reason, names)| format!("| {} | {reason} |\n", names.join(" ")));
    rows.collect()
}
