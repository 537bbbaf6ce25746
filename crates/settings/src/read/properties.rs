//! Properties of the compatible systems: each turns knobs, or is told why it does not.

use super::reader::{Origin, Reader};
use crate::error::{Note, Severity};
use crate::knobs::Knob;
use crate::properties::{
    Fate, Kind, Owner, Property, System, convert, find_boot, find_property, unknown,
};
use crate::setting::Setting;
use crate::value::{Value, shortened};

const QUEUE: &str = "executor.queue_jobs_max";

impl Reader {
    /// A property by its full name in Spring Boot or Quarkus.
    pub(super) fn put_boot(&mut self, system: System, name: &str, value: &Value, place: String) {
        match find_boot(name) {
            Some(property) => self.take(property, name, value, place),
            None => self.unknown(system, name, place),
        }
    }

    pub(super) fn property(
        &mut self,
        system: System,
        path: &[String],
        value: &Value,
        place: String,
    ) {
        match path {
            [name] => match find_property(system, name, true) {
                Some(property) => self.take(property, name, value, place),
                None if system == System::Flowable => {
                    match find_boot(&format!("flowable.{name}")) {
                        Some(property) => self.take(property, name, value, place),
                        None => self.unknown(system, name, place),
                    }
                }
                None => self.unknown(system, name, place),
            },
            _ => {
                let name = format!("{}.{}", system.table(), path.join("."));
                self.put_boot(system, &name, value, place);
            }
        }
    }

    pub(super) fn unknown(&mut self, system: System, name: &str, place: String) {
        self.error(place, unknown(system, name));
    }

    pub(super) fn take(
        &mut self,
        property: &'static Property,
        name: &str,
        value: &Value,
        place: String,
    ) {
        let converted = match convert(property, value) {
            Ok(converted) => converted,
            Err(message) => return self.error_of(name, place, message),
        };
        match property.fate {
            Fate::Knob(_) | Fate::Both(..) => {
                for knob in property.fate.knobs() {
                    self.turn_by(property, knob, name, &converted, &place);
                }
            }
            Fate::Scripting(key) => {
                if converted != Value::Nothing {
                    self.settings.scripting.insert(key.to_owned(), converted);
                    let origin = Origin { place, property: Some(name.to_owned()) };
                    self.origins.insert(format!("scripting.{key}"), origin);
                }
            }
            Fate::Without(reason) => {
                // A class or bean is worth naming; what a framework's keys hold may be a secret.
                let what = match value {
                    Value::Text(class)
                        if property.kind == Kind::Object && property.owner != Owner::Boot =>
                    {
                        format!("{} ", shortened(class))
                    }
                    _ => String::new(),
                };
                self.said(Severity::Note, name, place, format!("{what}has no effect: {reason}"));
            }
            Fate::Warns(asked, reason) => {
                let is_asked = match &converted {
                    Value::Text(text) => text == asked,
                    other => other.to_string() == asked,
                };
                if is_asked {
                    self.said(Severity::Warning, name, place, format!("is not done: {reason}"));
                } else {
                    self.said(Severity::Note, name, place, "is so here anyway".to_owned());
                }
            }
        }
    }

    pub(super) fn said(&mut self, severity: Severity, name: &str, place: String, message: String) {
        self.notes.push(Note { severity, place, property: name.to_owned(), message });
    }

    pub(super) fn turn_by(
        &mut self,
        property: &'static Property,
        knob_name: &'static str,
        name: &str,
        value: &Value,
        place: &str,
    ) {
        let knob = Knob::find(knob_name).expect("a property turns a knob that exists");
        let before = (knob.get)(&self.settings);
        let batches_before = self.queue_batches;
        if property.kind == Kind::Batches {
            match u32::from_value(value) {
                Some(0) | None => {
                    let message = "0 batches are no queue".to_owned();
                    return self.error_of(name, place.to_owned(), message);
                }
                Some(batches) => self.queue_batches = Some(batches),
            }
        } else {
            // Nothing written is nothing said, unless the knob can be unset.
            if *value == Value::Nothing && (knob.set)(&mut self.settings, value).is_err() {
                return;
            }
            if let Err(message) = (knob.set)(&mut self.settings, value) {
                let message = in_units(property, message);
                return self.error_of(name, place.to_owned(), message);
            }
            if knob_name == QUEUE {
                self.queue_batches = None;
            }
        }
        let origin = Origin { place: place.to_owned(), property: Some(name.to_owned()) };
        let is_other = (knob.get)(&self.settings) != before || self.queue_batches != batches_before;
        if let Some(earlier) = self.origins.insert(knob_name.to_owned(), origin)
            && is_other
        {
            let earlier_name = earlier.property.unwrap_or_default();
            let message =
                format!("{knob_name} was already set by {earlier_name} ({})", earlier.place);
            self.error_of(name, place.to_owned(), message);
        }
    }
}

/// A knob speaks of milliseconds where its property was written in another unit.
pub(super) fn in_units(property: &Property, message: String) -> String {
    match property.kind {
        Kind::Seconds | Kind::Duration => format!("{message} (milliseconds)"),
        _ => message,
    }
}
