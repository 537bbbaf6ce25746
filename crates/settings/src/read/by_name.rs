//! Acquisitions and engines that have names: they start from what holds for all.

use std::collections::BTreeMap;

use super::reader::{ACQUISITIONS, ENGINES, Entry, Origin, PROFILE, Reader, system_of};
use crate::check::{Conflict, check};
use crate::knobs::ACQUISITION_KNOBS;
use crate::nearest::nearest;
use crate::properties::{Property, convert, find_boot, find_property};
use crate::settings::AcquisitionSettings;
use crate::value::Value;

impl Reader {
    pub(super) fn take_acquisitions(&mut self) {
        let (mine, others) = std::mem::take(&mut self.named)
            .into_iter()
            .partition(|entry| entry.path[0] == ACQUISITIONS);
        self.named = others;
        let mine: Vec<Entry> = mine;
        for name in std::mem::take(&mut self.declared) {
            let base = self.settings.acquisition.clone();
            self.settings.acquisitions.insert(name, base);
        }
        for Entry { path, value, place } in mine {
            match path.as_slice() {
                [_, name, key] => {
                    let (name, key) = (name.clone(), key.clone());
                    self.turn_named(&name, &key, &value, &place, None);
                }
                [_, name, table, rest @ ..] if system_of(table).is_some() => {
                    let system = system_of(table).expect("just asked");
                    let property = match rest {
                        [property] => find_property(system, property, true),
                        _ => find_boot(&format!("{table}.{}", rest.join("."))),
                    };
                    let (name, written) = (name.clone(), rest.join("."));
                    match property {
                        Some(property) => {
                            self.take_named(&name, property, &written, &value, place);
                        }
                        None => self.unknown(system, &written, place),
                    }
                }
                _ => self.error(place, "expected acquisitions.NAME.KEY".to_owned()),
            }
        }
    }

    pub(super) fn take_named(
        &mut self,
        name: &str,
        property: &'static Property,
        written: &str,
        value: &Value,
        place: String,
    ) {
        let is_own = |knob: &str| knob.starts_with("acquisition.");
        if !property.fate.knobs().next().is_some_and(is_own) {
            // What does not belong to one acquisition holds for the executor.
            self.take(property, written, value, place);
            return self.follow();
        }
        match convert(property, value) {
            Err(message) => self.error_of(written, place, message),
            Ok(value) => {
                for knob in property.fate.knobs() {
                    let key = knob.strip_prefix("acquisition.").expect("just asked");
                    self.turn_named(name, key, &value, &place, Some(written));
                }
            }
        }
    }

    pub(super) fn turn_named(
        &mut self,
        name: &str,
        key: &str,
        value: &Value,
        place: &str,
        property: Option<&str>,
    ) {
        let Some(knob) = ACQUISITION_KNOBS.iter().find(|knob| knob.name == key) else {
            let message = match nearest(key, ACQUISITION_KNOBS.iter().map(|knob| knob.name)) {
                Some(known) => format!("unknown key; the nearest is '{known}'"),
                None => "unknown key".to_owned(),
            };
            return self.error(place.to_owned(), message);
        };
        let base: &AcquisitionSettings = &self.settings.acquisition;
        let mut named =
            self.settings.acquisitions.get(name).cloned().unwrap_or_else(|| base.clone());
        match (knob.set)(&mut named, value) {
            Err(message) => match property {
                Some(name) => self.error_of(name, place.to_owned(), message),
                None => self.error(place.to_owned(), message),
            },
            Ok(()) => {
                let origin =
                    Origin { place: place.to_owned(), property: property.map(str::to_owned) };
                self.origins.insert(format!("{ACQUISITIONS}.{name}.{key}"), origin);
            }
        }
        self.settings.acquisitions.insert(name.to_owned(), named);
    }

    /// Each engine starts from what holds for all, and has no engines of its own.
    pub(super) fn take_engines(&mut self, of_all: &[Conflict]) {
        let declared = std::mem::take(&mut self.declared_engines);
        let mut engines: BTreeMap<String, Vec<Entry>> =
            declared.into_iter().map(|name| (name, Vec::new())).collect();
        for entry in std::mem::take(&mut self.named) {
            match entry.path.get(1) {
                Some(name) if entry.path.len() > 2 => {
                    engines.entry(name.clone()).or_default().push(entry);
                }
                _ => self.error(entry.place, "expected engines.NAME.TABLE.KEY".to_owned()),
            }
        }
        for (name, entries) in engines {
            let mut reader = Self::over(self.settings.clone());
            reader.is_wait_max_said = self.is_wait_max_said;
            for Entry { path, value, place } in entries {
                let rest = path[2..].to_vec();
                if matches!(rest[0].as_str(), ENGINES | ACQUISITIONS | PROFILE) {
                    let message = format!("{} is not for a single engine", rest[0]);
                    reader.error(place, message);
                } else {
                    reader.put(rest, value, place);
                }
            }
            reader.take_knobs();
            reader.follow();
            let mut conflicts = check(&reader.settings);
            // What is wrong for all was said once.
            conflicts.retain(|conflict| !of_all.contains(conflict));
            reader.blame(&format!("{ENGINES}.{name}."), conflicts);
            self.errors.extend(reader.errors);
            self.notes.extend(reader.notes);
            for (knob, origin) in reader.origins {
                self.origins.insert(format!("{ENGINES}.{name}.{knob}"), origin);
            }
            self.settings.engines.insert(name, reader.settings);
        }
    }

    /// The place where the value in conflict was written; a default is named by its knob.
    pub(super) fn blame(&mut self, prefix: &str, conflicts: Vec<Conflict>) {
        for Conflict { knobs, message } in conflicts {
            let written = knobs.iter().find_map(|knob| self.origins.get(knob)).cloned();
            match written {
                Some(Origin { place, property: Some(name) }) => {
                    self.error_of(&name, place, message)
                }
                Some(Origin { place, property: None }) => self.error(place, message),
                None => self.error(format!("{prefix}{}", knobs[0]), message),
            }
        }
    }
}
