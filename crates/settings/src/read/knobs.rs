//! Knobs by their own names, and the tables of limits and breakers.

use super::reader::{Entry, Origin, PROFILE, Reader};
use crate::error::Severity;
use crate::knobs::{KNOBS, Knob};
use crate::nearest::nearest;
use crate::settings::{BreakerSettings, LimitSettings};
use crate::value::{Table, Value};

const QUEUE: &str = "executor.queue_jobs_max";
/// More than any file of ours; a list made to hurt must not be compared pairwise.
const LIMITS_MAX: usize = 10_000;

impl Reader {
    pub(super) fn take_knobs(&mut self) {
        for Entry { path, value, place } in std::mem::take(&mut self.knobs) {
            let name = path.join(".");
            match name.as_str() {
                PROFILE => continue,
                "limits" => self.take_limits(&value, &place),
                "breakers" => self.take_breakers(&value, &place),
                _ => match Knob::find(&name) {
                    Some(knob) => self.turn(knob, &value, place),
                    None => self.unknown_knob(&name, place),
                },
            }
        }
    }

    pub(super) fn turn(&mut self, knob: &'static Knob, value: &Value, place: String) {
        if let Err(message) = (knob.set)(&mut self.settings, value) {
            return self.error(place, message);
        }
        if knob.name == QUEUE {
            self.queue_batches = None;
        }
        let origin = Origin { place: place.clone(), property: None };
        if let Some(Origin { place: earlier, property: Some(property) }) =
            self.origins.insert(knob.name.to_owned(), origin)
        {
            self.said(Severity::Note, &property, earlier, format!("is overruled by {place}"));
        }
    }

    pub(super) fn unknown_knob(&mut self, name: &str, place: String) {
        let others = ["limits", "breakers", PROFILE];
        let known = KNOBS.iter().map(|knob| knob.name).chain(others);
        let message = match nearest(name, known) {
            Some(known) => format!("unknown key; the nearest is '{known}'"),
            None => "unknown key".to_owned(),
        };
        self.error(place, message);
    }

    pub(super) fn take_limits(&mut self, value: &Value, place: &str) {
        for (at, table) in self.tables(value, place) {
            match LimitSettings::read(&table) {
                Ok(limit) => self.settings.limits.push(limit),
                Err((key, message)) => self.error(at_key(&at, key), message),
            }
        }
    }

    pub(super) fn take_breakers(&mut self, value: &Value, place: &str) {
        for (at, table) in self.tables(value, place) {
            match BreakerSettings::read(&table) {
                Ok(breaker) => self.settings.breakers.push(breaker),
                Err((key, message)) => self.error(at_key(&at, key), message),
            }
        }
    }

    /// The tables of a list with their places.
    pub(super) fn tables(&mut self, value: &Value, place: &str) -> Vec<(String, Table)> {
        let Value::List(items) = value else {
            let message = format!("found {}, expected tables: [[{place}]]", value.describe());
            self.error(place.to_owned(), message);
            return Vec::new();
        };
        if items.len() > LIMITS_MAX {
            self.error(place.to_owned(), format!("more than {LIMITS_MAX} entries"));
            return Vec::new();
        }
        let mut tables = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let at = format!("{place}[{}]", at + 1);
            match item {
                Value::Table(table) => tables.push((at, table.clone())),
                _ => self.error(at, format!("found {}, expected a table", item.describe())),
            }
        }
        tables
    }
}

pub(super) fn at_key(place: &str, key: &str) -> String {
    if key.is_empty() { place.to_owned() } else { format!("{place}.{key}") }
}
