//! Settings as a configuration file.

use std::collections::BTreeMap;

use crate::knobs::{ACQUISITION_KNOBS, KNOBS};
use crate::read::{Origin, Read};
use crate::settings::Settings;
use crate::value::{Value, bare};

/// The profile and every value that somebody wrote, each with where it came from; with `is_all`
/// the values that nobody wrote too.
pub fn to_toml(read: &Read, is_all: bool) -> String {
    let mut out = format!("profile = \"{}\"\n", read.settings.profile.as_str());
    let mut lines = Tables::default();
    lines.settings(&[], &read.settings, &read.origins, "", is_all);
    for (name, acquisition) in &read.settings.acquisitions {
        lines.open(&format!("acquisitions.{}", bare(name)));
        for knob in ACQUISITION_KNOBS {
            let origin = read.origins.get(&format!("acquisitions.{name}.{}", knob.name));
            if is_all || origin.is_some() {
                let path = ["acquisitions", name, knob.name];
                lines.add(&path, (knob.get)(acquisition), origin);
            }
        }
    }
    for (name, settings) in &read.settings.engines {
        let prefix = format!("engines.{name}.");
        let before = lines.tables.len();
        lines.settings(&["engines", name], settings, &read.origins, &prefix, is_all);
        // One that says nothing of its own is there all the same.
        if lines.tables.len() == before {
            lines.open(&format!("engines.{}", bare(name)));
        }
    }
    for (table, entries) in lines.tables {
        out.push_str(&format!("\n[{table}]\n"));
        entries.iter().for_each(|entry| out.push_str(entry));
    }
    let lists = [
        ("limits", read.settings.limits.iter().map(|l| l.to_value()).collect::<Vec<_>>()),
        ("breakers", read.settings.breakers.iter().map(|b| b.to_value()).collect()),
    ];
    for (name, items) in lists {
        for item in items {
            let Value::Table(table) = item else { continue };
            out.push_str(&format!("\n[[{name}]]\n"));
            for (key, value) in table {
                out.push_str(&format!("{} = {value}\n", bare(&key)));
            }
        }
    }
    out
}

/// Lines by table, in the order of the knobs.
#[derive(Default)]
struct Tables {
    tables: Vec<(String, Vec<String>)>,
}

impl Tables {
    fn settings(
        &mut self,
        path: &[&str],
        settings: &Settings,
        origins: &BTreeMap<String, Origin>,
        prefix: &str,
        is_all: bool,
    ) {
        for knob in KNOBS {
            let origin = origins.get(&format!("{prefix}{}", knob.name));
            // All values of a further engine would only repeat those above.
            if origin.is_some() || (is_all && prefix.is_empty()) {
                let path: Vec<&str> = path.iter().copied().chain(knob.name.split('.')).collect();
                self.add(&path, (knob.get)(settings), origin);
            }
        }
        for (key, value) in &settings.scripting {
            let origin = origins.get(&format!("{prefix}scripting.{key}"));
            if origin.is_some() {
                let path: Vec<&str> =
                    path.iter().copied().chain(["scripting", key.as_str()]).collect();
                self.add(&path, value.clone(), origin);
            }
        }
    }

    /// A table that is there even without a line.
    fn open(&mut self, table: &str) -> &mut Vec<String> {
        let at = match self.tables.iter().position(|(name, _)| name == table) {
            Some(at) => at,
            None => {
                self.tables.push((table.to_owned(), Vec::new()));
                self.tables.len() - 1
            }
        };
        &mut self.tables[at].1
    }

    fn add(&mut self, path: &[&str], value: Value, origin: Option<&Origin>) {
        let Some((key, table)) = path.split_last() else { return };
        let table: Vec<String> = table.iter().map(|part| bare(part)).collect();
        let table = table.join(".");
        let mut line = String::new();
        match origin {
            Some(Origin { place, property: Some(property) }) if !place.ends_with(property) => {
                line.push_str(&format!("# {}\n", one_line(&format!("{place} {property}"))));
            }
            Some(Origin { place, .. }) if *place != path.join(".") => {
                line.push_str(&format!("# {}\n", one_line(place)));
            }
            _ => {}
        }
        match value {
            // An empty text takes back what holds otherwise; that of the tenant is a tenant.
            Value::Nothing if origin.is_some() && *key != "tenant" => {
                line.push_str(&format!("{} = \"\"\n", bare(key)));
            }
            Value::Nothing => line.push_str(&format!("# {} is not set\n", bare(key))),
            value => line.push_str(&format!("{} = {value}\n", bare(key))),
        }
        self.open(&table).push(line);
    }
}

/// A comment ends with its line; what is quoted must not begin another.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
