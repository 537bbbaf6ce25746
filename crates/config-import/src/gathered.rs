//! What a file says, before anybody asks whether it makes sense.

use orloj_settings::properties::{find_boot, find_property, unknown};
use orloj_settings::{Error, Kind, Note, Property, Severity, System, Value};

use crate::placeholder::{Placeholder, placeholder};

/// One property of a system.
pub struct Item {
    pub system: System,
    pub scope: Scope,
    /// As it was written.
    pub name: String,
    pub property: &'static Property,
    pub value: Value,
    pub place: String,
}

/// Whom it concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    All,
    Acquisition(String),
    Engine(String),
}

/// What one or several files say.
#[derive(Default)]
pub struct Gathered {
    pub items: Vec<Item>,
    /// Engines in the order of the files, and the acquisition each joins, with the place.
    pub engines: Vec<Engine>,
    /// Acquisitions by name.
    pub acquisitions: Vec<String>,
    pub notes: Vec<Note>,
    pub errors: Vec<Error>,
    /// A JDBC URL, which hints at what `store` should be.
    pub jdbc_url: Option<String>,
    /// Engines that archives name; which of them needs no name is known at the end.
    pub archives: Vec<Archive>,
    /// Keys that are not of the engine, by their first word.
    pub left_out: Vec<LeftOut>,
    /// Systems that were seen, even where they say nothing.
    pub systems: Vec<System>,
}

pub struct Engine {
    pub name: String,
    pub joins: Option<(String, String)>,
}

pub struct LeftOut {
    pub group: String,
    /// Of the first.
    pub place: String,
    pub count: usize,
    pub hints: Vec<&'static str>,
}

pub struct Archive {
    pub engine: String,
    pub place: String,
}

impl Gathered {
    pub fn see(&mut self, system: System) {
        if !self.systems.contains(&system) {
            self.systems.push(system);
        }
    }

    /// A property by the name of its setter.
    pub fn property(
        &mut self,
        system: System,
        scope: Scope,
        name: &str,
        value: Value,
        place: String,
    ) {
        self.see(system);
        match find_property(system, name, false) {
            Some(property) => self.push(system, scope, name, property, value, place),
            None => self.unknown(system, name, place),
        }
    }

    /// A property by its name in Spring Boot or Quarkus.
    pub fn boot(&mut self, system: System, name: &str, value: Value, place: String) {
        self.see(system);
        match find_boot(name) {
            Some(property) => self.push(system, Scope::All, name, property, value, place),
            None => self.unknown(system, name, place),
        }
    }

    fn push(
        &mut self,
        system: System,
        scope: Scope,
        name: &str,
        property: &'static Property,
        value: Value,
        place: String,
    ) {
        if name.eq_ignore_ascii_case("jdbcUrl")
            && let Value::Text(url) = &value
        {
            self.jdbc_url = Some(url.clone());
        }
        let is_filled_in = property.kind != Kind::Object && property.fate.knobs().next().is_some();
        let value = match &value {
            Value::Text(text) if is_filled_in => match placeholder(text) {
                Placeholder::None => value,
                Placeholder::Default(default) => {
                    let message = format!("the default of {text} was taken");
                    self.note(Severity::Note, name, &place, message);
                    Value::text(default)
                }
                Placeholder::Open => {
                    let message = format!(
                        "{text} is filled in elsewhere and was not taken; set {} yourself",
                        property.fate.knobs().collect::<Vec<_>>().join(" and ")
                    );
                    return self.note(Severity::Warning, name, &place, message);
                }
            },
            _ => value,
        };
        let name = name.to_owned();
        self.items.push(Item { system, scope, name, property, value, place });
    }

    pub fn unknown(&mut self, system: System, name: &str, place: String) {
        self.errors.push(Error { place, message: unknown(system, name) });
    }

    pub fn note(&mut self, severity: Severity, name: &str, place: &str, message: String) {
        let (place, property) = (place.to_owned(), name.to_owned());
        self.notes.push(Note { severity, place, property, message });
    }

    pub fn error(&mut self, place: String, message: String) {
        self.errors.push(Error { place, message });
    }
}
