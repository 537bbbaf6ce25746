//! What was written, taken piece by piece.

use std::collections::BTreeMap;

use crate::check::check;
use crate::error::{Error, Note};
use crate::knobs::Knob;
use crate::properties::{Fate, Kind, Owner, Property, System, convert, find_property, properties};
use crate::setting::Setting;
use crate::settings::{DEFAULT_ACQUISITION, Profile, Settings};
use crate::value::{Table, Value};

pub(super) const ACQUISITIONS: &str = "acquisitions";
pub(super) const ENGINES: &str = "engines";
pub(super) const PROFILE: &str = "profile";

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
    pub(super) settings: Settings,
    pub(super) origins: BTreeMap<String, Origin>,
    pub(super) notes: Vec<Note>,
    pub(super) errors: Vec<Error>,
    /// Knobs come after properties, which they beat.
    pub(super) knobs: Vec<Entry>,
    /// Of acquisitions and engines by name: they start from what holds for all.
    pub(super) named: Vec<Entry>,
    /// Acquisitions by name.
    pub(super) declared: Vec<String>,
    /// Engines by name.
    pub(super) declared_engines: Vec<String>,
    pub(super) queue_batches: Option<u32>,
    /// Whether someone said what the waits grow to.
    pub(super) is_wait_max_said: bool,
}

pub(super) struct Entry {
    pub(super) path: Vec<String>,
    pub(super) value: Value,
    pub(super) place: String,
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

    pub(super) fn over(settings: Settings) -> Self {
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

    pub(super) fn default(&mut self, property: &'static Property, text: &str) {
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

    pub(super) fn settings_now(mut self) -> Settings {
        self.follow();
        self.settings
    }

    /// Goes down to keys that mean something.
    pub(super) fn descend(&mut self, path: &mut Vec<String>, value: &Value) {
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
    pub(super) fn error_of(&mut self, name: &str, place: String, message: String) {
        let is_named = place == name || place.ends_with(&format!(".{name}"));
        self.error(place, if is_named { message } else { format!("{name}: {message}") });
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
            return Err(Error::in_order(self.errors));
        }
        self.warn_of_unreachable();
        self.warn_of_uuids();
        self.warn_of_batch_kinds();
        Ok(Read { settings: self.settings, notes: self.notes, origins: self.origins })
    }

    /// What follows from several values together.
    pub(super) fn follow(&mut self) {
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
}

pub(super) fn system_of(table: &str) -> Option<System> {
    [System::Camunda7, System::Flowable].into_iter().find(|system| system.table() == table)
}
