//! Entries of Spring Boot's and Quarkus' files.

use orloj_settings::{Severity, System, Value};

use crate::gathered::{Gathered, Item, LeftOut};
use crate::import::store_of;

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

/// Of several documents of one file the later ones win, as in Spring.
pub fn gather(documents: Vec<Vec<Entry>>, gathered: &mut Gathered) {
    let before = gathered.items.len();
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
        let earlier = gathered.items.split_off(before);
        for entry in entries {
            gather_entry(entry, gathered);
        }
        overrule(earlier, before, gathered);
    }
}

/// What earlier documents said and the last one does not.
fn overrule(earlier: Vec<Item>, before: usize, gathered: &mut Gathered) {
    let mut last = gathered.items.split_off(before);
    for item in earlier {
        let Some(later) = last.iter_mut().find(|later| is_same(later, &item)) else {
            gathered.items.push(item);
            continue;
        };
        if let (Value::Table(later), Value::Table(table)) = (&mut later.value, &item.value) {
            // Maps are filled by all documents.
            for (key, value) in table {
                later.entry(key.clone()).or_insert_with(|| value.clone());
            }
            continue;
        }
        let message = format!("is overruled by {} ({})", later.name, later.place);
        gathered.note(Severity::Note, &item.name, &item.place, message);
    }
    gathered.items.extend(last);
}

/// Whether both set the same thing. Properties that stand for everything below them do not say.
fn is_same(later: &Item, earlier: &Item) -> bool {
    let is_one = !later.property.name.ends_with('*');
    let turns = |knob| earlier.property.fate.knobs().any(|other| other == knob);
    is_one && std::ptr::eq(later.property, earlier.property)
        || later.name.eq_ignore_ascii_case(&earlier.name)
        || later.property.fate.knobs().any(turns)
}

fn gather_entry(entry: Entry, gathered: &mut Gathered) {
    let Entry { key, value, place } = entry;
    if key == "spring.datasource.url"
        && let Value::Text(url) = &value
    {
        gathered.jdbc_url = Some(url.clone());
        if store_of(url).is_some() {
            return;
        }
    }
    // Quarkus puts names with dots into quotes.
    let key = key.replace('"', "");
    let folded = key.to_ascii_lowercase();
    let Some((_, system)) = PREFIXES.iter().find(|(prefix, _)| folded.starts_with(prefix)) else {
        return left_out(&key, &place, gathered);
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

/// What of the other frameworks has a place of its own here.
const HINTS: &[(&str, &str)] = &[
    ("spring.datasource.url", "`store` says where the tables are"),
    ("server.port", "`listen_http` says where the node is found"),
    ("spring.datasource.username", "the URL of `store` names the user"),
];

/// Keys of the application around the engine are counted by their first word.
fn left_out(key: &str, place: &str, gathered: &mut Gathered) {
    let group = key.split(['.', '[']).next().unwrap_or(key);
    let hint = HINTS.iter().find(|(hinted, _)| *hinted == key).map(|(_, hint)| *hint);
    match gathered.left_out.iter_mut().find(|left| left.group == group) {
        Some(left) => {
            left.count += 1;
            left.hints.extend(hint);
        }
        None => gathered.left_out.push(LeftOut {
            group: group.to_owned(),
            place: place.to_owned(),
            count: 1,
            hints: hint.into_iter().collect(),
        }),
    }
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
