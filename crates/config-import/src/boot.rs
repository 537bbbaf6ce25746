//! Entries of Spring Boot's and Quarkus' files.

use orloj_settings::{Severity, System, Value};

use crate::gathered::Gathered;

/// One value by its dotted name.
pub struct Entry {
    pub key: String,
    pub value: Value,
    pub place: String,
}

const PREFIXES: &[(&str, System)] = &[
    ("camunda.bpm.", System::Camunda7),
    ("quarkus.camunda.", System::Camunda7),
    ("flowable.", System::Flowable),
];

/// Documents of a single profile of Spring only hold there, and nobody knows here which is on.
const ON_PROFILE: &[&str] = &["spring.config.activate.on-profile", "spring.profiles"];

pub fn gather(documents: Vec<Vec<Entry>>, gathered: &mut Gathered) {
    for entries in documents {
        let on_profile = entries.iter().find(|entry| ON_PROFILE.contains(&entry.key.as_str()));
        if let Some(entry) = on_profile {
            let message = format!(
                "{} is chosen elsewhere: the {} values of this document were not taken",
                entry.value,
                entries.len() - 1
            );
            gathered.note(Severity::Warning, &entry.key, &entry.place, message);
            continue;
        }
        for entry in entries {
            gather_entry(entry, gathered);
        }
    }
}

fn gather_entry(entry: Entry, gathered: &mut Gathered) {
    let Entry { key, value, place } = entry;
    if key == "spring.datasource.url"
        && let Value::Text(url) = &value
    {
        gathered.jdbc_url = Some(url.clone());
    }
    // Quarkus puts names with dots into quotes.
    let key = key.replace('"', "");
    let folded = key.to_ascii_lowercase();
    let Some((_, system)) = PREFIXES.iter().find(|(prefix, _)| folded.starts_with(prefix)) else {
        return;
    };
    // The map of a property is spread over keys of its own.
    for map in MAPS {
        if let Some(rest) = folded.strip_prefix(map)
            && let Some(inner) = rest.strip_prefix('.')
        {
            let inner = &key[key.len() - inner.len()..];
            let pair = Value::Table([(inner.to_owned(), value)].into());
            return add_pair(*system, map, pair, place, gathered);
        }
    }
    gathered.boot(*system, &key, value, place);
}

/// Properties whose values are maps.
const MAPS: &[&str] = &[
    "camunda.bpm.generic-properties.properties.invocations-per-batch-job-by-batch-type",
    "camunda.bpm.generic-properties.properties.invocationsperbatchjobbybatchtype",
    "camunda.bpm.generic-properties.properties.batch-operations-for-history-cleanup",
    "camunda.bpm.generic-properties.properties.batchoperationsforhistorycleanup",
];

fn add_pair(system: System, map: &str, pair: Value, place: String, gathered: &mut Gathered) {
    let earlier = gathered.items.iter_mut().find(|item| item.name == map);
    match (earlier, pair) {
        (Some(item), Value::Table(pair)) => {
            if let Value::Table(table) = &mut item.value {
                table.extend(pair);
            }
        }
        (_, pair) => gathered.boot(system, map, pair, place),
    }
}
