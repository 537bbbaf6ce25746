//! From what was written to settings: profile, then properties of the compatible systems, then
//! knobs by their own names. All problems are gathered; none is dropped.

use std::collections::BTreeMap;

use crate::check::{Conflict, check};
use crate::error::{Error, Note, Severity};
use crate::knobs::{ACQUISITION_KNOBS, KNOBS, Knob};
use crate::nearest::nearest;
use crate::properties::{
    Fate, Kind, Owner, Property, System, convert, find_boot, find_property, properties, unknown,
};
use crate::setting::Setting;
use crate::settings::{
    AcquisitionSettings, BreakerSettings, DEFAULT_ACQUISITION, IdGenerator, LimitSettings, Profile,
    Settings,
};
use crate::value::{Table, Value, shortened};

const ACQUISITIONS: &str = "acquisitions";
const ENGINES: &str = "engines";
const PROFILE: &str = "profile";
const GENERATOR: &str = "ids.generator";
const UUIDS: &str = "is not done yet: everything is named by keys of 64 bits, as clients of Zeebe \
                     need it; the faces that show ids as text will derive UUIDs from them";
const QUEUE: &str = "executor.queue_jobs_max";
/// More than any file of ours; a list made to hurt must not be compared pairwise.
const LIMITS_MAX: usize = 10_000;

/// What was read, and where each value came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    pub settings: Settings,
    pub notes: Vec<Note>,
    /// By dotted name; what is not listed is a default.
    pub origins: BTreeMap<String, Origin>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub place: String,
    /// The property of the compatible system that was written, if it was one.
    pub property: Option<String>,
}

/// Reads the tables of a configuration file; keys that are none of ours are errors. Places are
/// dotted keys.
pub fn read(tree: &Table) -> Result<Read, Vec<Error>> {
    let profile = profile_of(tree).map_err(|error| vec![error])?;
    let mut reader = Reader::new(profile);
    for (key, value) in tree {
        reader.descend(&mut vec![key.clone()], value);
    }
    reader.finish()
}

/// The one that is written, or else that of the system whose names are used.
fn profile_of(tree: &Table) -> Result<Profile, Error> {
    let error = |message: String| Error { place: PROFILE.to_owned(), message };
    if let Some(value) = tree.get(PROFILE) {
        return Profile::from_value(value).ok_or_else(|| {
            error(format!("found {}, expected {}", value.describe(), Profile::expected()))
        });
    }
    match [System::Camunda7, System::Flowable].map(|system| tree.contains_key(system.table())) {
        [false, false] => Ok(Profile::Orloj),
        [true, false] => Ok(Profile::Camunda7),
        [false, true] => Ok(Profile::Flowable),
        [true, true] => {
            Err(error("say whose defaults hold: there are tables of both systems".to_owned()))
        }
    }
}

impl Settings {
    /// The defaults of a profile.
    pub fn of(profile: Profile) -> Self {
        Reader::new(profile).settings_now()
    }
}

/// Takes what was written piece by piece.
pub struct Reader {
    settings: Settings,
    origins: BTreeMap<String, Origin>,
    notes: Vec<Note>,
    errors: Vec<Error>,
    /// Knobs come after properties, which they beat.
    knobs: Vec<Entry>,
    /// Of acquisitions and engines by name: they start from what holds for all.
    named: Vec<Entry>,
    /// Acquisitions by name.
    declared: Vec<String>,
    /// Engines by name.
    declared_engines: Vec<String>,
    queue_batches: Option<u32>,
    /// Whether someone said what the waits grow to.
    is_wait_max_said: bool,
}

struct Entry {
    path: Vec<String>,
    value: Value,
    place: String,
}

impl Reader {
    pub fn new(profile: Profile) -> Self {
        let mut reader = Self::over(Settings { profile, ..Settings::default() });
        let (system, is_chapter) = match profile {
            Profile::Orloj => return reader,
            Profile::Camunda7 => (System::Camunda7, false),
            Profile::Flowable => (System::Flowable, false),
            Profile::Chapter => (System::Flowable, true),
        };
        for property in properties().filter(|property| property.system == system) {
            let default = match property.chapter {
                Some(chapter) if is_chapter => chapter,
                _ => property.default,
            };
            // Whether the executor runs depends on where the engine runs, not on whose names
            // are used; and what only a framework around the engine sets is not its default.
            let is_left =
                property.fate == Fate::Knob("executor.active") || property.owner == Owner::Boot;
            if !default.is_empty() && !is_left {
                reader.default(property, default);
            }
        }
        reader
    }

    fn over(settings: Settings) -> Self {
        Self {
            settings,
            origins: BTreeMap::new(),
            notes: Vec::new(),
            errors: Vec::new(),
            knobs: Vec::new(),
            named: Vec::new(),
            declared: Vec::new(),
            declared_engines: Vec::new(),
            queue_batches: None,
            is_wait_max_said: false,
        }
    }

    fn default(&mut self, property: &'static Property, text: &str) {
        let value = convert(property, &Value::text(text)).expect("a default fits its property");
        for name in property.fate.knobs() {
            if property.kind == Kind::Batches {
                self.queue_batches = u32::from_value(&value);
                continue;
            }
            let knob = Knob::find(name).expect("a property turns a knob that exists");
            (knob.set)(&mut self.settings, &value).expect("a default fits its knob");
        }
    }

    fn settings_now(mut self) -> Settings {
        self.follow();
        self.settings
    }

    /// Goes down to keys that mean something.
    fn descend(&mut self, path: &mut Vec<String>, value: &Value) {
        let is_knob = Knob::find(&path.join(".")).is_some();
        // Maps are values of their properties.
        let is_map = path.len() > 1
            && [System::Camunda7, System::Flowable].into_iter().any(|system| {
                path[path.len() - 2] == system.table()
                    && path.last().and_then(|name| find_property(system, name, true)).is_some()
            });
        match value {
            Value::Table(table) if !is_knob && !is_map => {
                match path.as_slice() {
                    [first, name] if first == ACQUISITIONS => {
                        self.declare_acquisition(&name.clone());
                    }
                    [first, name] if first == ENGINES => self.declare_engine(&name.clone()),
                    _ => {}
                }
                for (key, value) in table {
                    path.push(key.clone());
                    self.descend(path, value);
                    path.pop();
                }
            }
            _ => self.put(path.clone(), value.clone(), path.join(".")),
        }
    }

    /// Takes one value. `path` is a knob, a property below `camunda` or `flowable`, or either
    /// below `acquisitions.NAME` or `engines.NAME`.
    pub fn put(&mut self, mut path: Vec<String>, value: Value, place: String) {
        // The acquisition called default is the one that has no name.
        if path.len() > 2 && path[0] == ACQUISITIONS && path[1] == DEFAULT_ACQUISITION {
            let is_property = system_of(&path[2]).is_some();
            path.drain(..2);
            if !is_property {
                path.insert(0, "acquisition".to_owned());
            }
        }
        let first = path.first().map_or("", String::as_str);
        if matches!(first, ACQUISITIONS | ENGINES) {
            self.named.push(Entry { path, value, place });
        } else if let Some(system) = system_of(first) {
            self.property(system, &path[1..], &value, place);
        } else {
            self.knobs.push(Entry { path, value, place });
        }
    }

    /// Takes one value of a property that was found already; `name` as it was written.
    pub fn put_property(
        &mut self,
        property: &'static Property,
        name: &str,
        value: &Value,
        place: String,
    ) {
        self.take(property, name, value, place);
    }

    /// There is an acquisition of this name, even if nothing is said of it.
    pub fn declare_acquisition(&mut self, name: &str) {
        if name != DEFAULT_ACQUISITION {
            self.declared.push(name.to_owned());
        }
    }

    /// The same of an engine.
    pub fn declare_engine(&mut self, name: &str) {
        self.declared_engines.push(name.to_owned());
    }

    /// A property by its full name in Spring Boot or Quarkus.
    fn put_boot(&mut self, system: System, name: &str, value: &Value, place: String) {
        match find_boot(name) {
            Some(property) => self.take(property, name, value, place),
            None => self.unknown(system, name, place),
        }
    }

    /// Says something about what was written.
    pub fn note(&mut self, note: Note) {
        self.notes.push(note);
    }

    pub fn error(&mut self, place: String, message: String) {
        let error = Error { place, message };
        // A property that turns two knobs is wrong once.
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// About a property, which a line and a column do not name.
    fn error_of(&mut self, name: &str, place: String, message: String) {
        let is_named = place == name || place.ends_with(&format!(".{name}"));
        self.error(place, if is_named { message } else { format!("{name}: {message}") });
    }

    fn property(&mut self, system: System, path: &[String], value: &Value, place: String) {
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

    fn unknown(&mut self, system: System, name: &str, place: String) {
        self.error(place, unknown(system, name));
    }

    fn take(&mut self, property: &'static Property, name: &str, value: &Value, place: String) {
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

    fn said(&mut self, severity: Severity, name: &str, place: String, message: String) {
        self.notes.push(Note { severity, place, property: name.to_owned(), message });
    }

    fn turn_by(
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

    /// The settings, checked as a whole.
    pub fn finish(mut self) -> Result<Read, Vec<Error>> {
        self.take_knobs();
        self.follow();
        self.take_acquisitions();
        let conflicts = check(&self.settings);
        self.blame("", conflicts.clone());
        self.take_engines(&conflicts);
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        self.warn_of_unreachable();
        self.warn_of_uuids();
        Ok(Read { settings: self.settings, notes: self.notes, origins: self.origins })
    }

    fn take_knobs(&mut self) {
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

    fn turn(&mut self, knob: &'static Knob, value: &Value, place: String) {
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

    fn unknown_knob(&mut self, name: &str, place: String) {
        let others = ["limits", "breakers", PROFILE];
        let known = KNOBS.iter().map(|knob| knob.name).chain(others);
        let message = match nearest(name, known) {
            Some(known) => format!("unknown key; the nearest is '{known}'"),
            None => "unknown key".to_owned(),
        };
        self.error(place, message);
    }

    fn take_limits(&mut self, value: &Value, place: &str) {
        for (at, table) in self.tables(value, place) {
            match LimitSettings::read(&table) {
                Ok(limit) => self.settings.limits.push(limit),
                Err((key, message)) => self.error(at_key(&at, key), message),
            }
        }
    }

    fn take_breakers(&mut self, value: &Value, place: &str) {
        for (at, table) in self.tables(value, place) {
            match BreakerSettings::read(&table) {
                Ok(breaker) => self.settings.breakers.push(breaker),
                Err((key, message)) => self.error(at_key(&at, key), message),
            }
        }
    }

    /// The tables of a list with their places.
    fn tables(&mut self, value: &Value, place: &str) -> Vec<(String, Table)> {
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

    /// What follows from several values together.
    fn follow(&mut self) {
        if let Some(batches) = self.queue_batches.take() {
            let jobs = batches.saturating_mul(self.settings.acquisition.jobs_max);
            self.settings.executor.queue_jobs_max = jobs;
        }
        // Flowable's waits do not grow.
        let is_flowable = matches!(self.settings.profile, Profile::Flowable | Profile::Chapter);
        let acquisition = &mut self.settings.acquisition;
        self.is_wait_max_said |= self.origins.contains_key("acquisition.wait_ms_max");
        if is_flowable && !self.is_wait_max_said {
            acquisition.wait_ms_max = acquisition.wait_ms;
        }
    }

    fn take_acquisitions(&mut self) {
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

    fn take_named(
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

    fn turn_named(
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
    fn take_engines(&mut self, of_all: &[Conflict]) {
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
    fn blame(&mut self, prefix: &str, conflicts: Vec<Conflict>) {
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

    /// Keys stay what they are until there is a face that shows ids as text.
    fn warn_of_uuids(&mut self) {
        let engines = self.settings.engines.iter().map(|(name, settings)| {
            (format!("{ENGINES}.{name}.{GENERATOR}"), settings.ids.generator)
        });
        let all = std::iter::once((GENERATOR.to_owned(), self.settings.ids.generator));
        let wanted: Vec<String> = all
            .chain(engines)
            .filter(|(_, generator)| *generator == IdGenerator::Uuid)
            .map(|(knob, _)| knob)
            .collect();
        for knob in wanted {
            // An engine that only follows the others was warned of with them.
            let Some(origin) = self.origins.get(&knob).cloned() else { continue };
            let name = origin.property.unwrap_or_else(|| GENERATOR.to_owned());
            self.said(Severity::Warning, &name, origin.place, UUIDS.to_owned());
        }
    }

    /// Nothing forbids it, since another node may take them.
    fn warn_of_unreachable(&mut self) {
        let executor = &self.settings.executor;
        let range = executor.priority_min..=executor.priority_max;
        let priorities = [
            ("batches.priority", self.settings.batches.priority),
            ("history.cleanup.priority", self.settings.history.cleanup.priority),
        ];
        for (knob, priority) in priorities {
            if !range.contains(&priority) {
                let place = match self.origins.get("executor.priority_min") {
                    Some(origin) => origin.place.clone(),
                    None => "executor.priority_max".to_owned(),
                };
                let message = format!(
                    "{priority} lies outside the priorities that this node takes, {} to {}",
                    range.start(),
                    range.end()
                );
                self.said(Severity::Warning, knob, place, message);
            }
        }
    }
}

/// A knob speaks of milliseconds where its property was written in another unit.
fn in_units(property: &Property, message: String) -> String {
    match property.kind {
        Kind::Seconds | Kind::Duration => format!("{message} (milliseconds)"),
        _ => message,
    }
}

fn system_of(table: &str) -> Option<System> {
    [System::Camunda7, System::Flowable].into_iter().find(|system| system.table() == table)
}

fn at_key(place: &str, key: &str) -> String {
    if key.is_empty() { place.to_owned() } else { format!("{place}.{key}") }
}
