//! From files to settings.

use std::collections::BTreeMap;

use orloj_settings::{
    Error, Knob, Note, Profile, Read, Reader, Settings, Severity, System, Value, to_toml,
};

use crate::beans::Beans;
use crate::descriptor::{Descriptor, is_descriptor};
use crate::gathered::{Archive, Engine, Gathered, Item, LeftOut, Scope};
use crate::recognise::{Format, recognise};
use crate::{boot, properties_file, text, yaml};

/// A file and what is in it.
pub struct File<'f> {
    /// For messages, and to tell its kind.
    pub name: &'f str,
    pub bytes: &'f [u8],
}

/// What the files mean here.
#[derive(Clone, Debug)]
pub struct Imported {
    pub read: Read,
    /// What `store` could be, from a JDBC URL.
    pub store: Option<String>,
}

/// Reads all files as one configuration. Errors come with places; none of the files is taken then.
pub fn import(files: &[File<'_>], profile: Option<Profile>) -> Result<Imported, Vec<Error>> {
    let mut gathered = Gathered::default();
    for file in files {
        gather(file, &mut gathered);
    }
    let names: Vec<&str> = files.iter().map(|file| file.name).collect();
    let all = names.join(", ");
    let profile = match (profile, gathered.systems.as_slice()) {
        (_, []) if gathered.errors.is_empty() => {
            let message = "nothing of Camunda 7 or Flowable in it".to_owned();
            return Err(vec![Error { place: all, message }]);
        }
        (_, [_, _, ..]) => {
            let message = "files of both systems; import them apart".to_owned();
            gathered.error(all, message);
            Profile::Orloj
        }
        (Some(profile), _) => profile,
        (None, [System::Flowable]) => Profile::Flowable,
        (None, _) => Profile::Camunda7,
    };
    let store = gathered.jdbc_url.as_deref().and_then(store_of);
    let errors = std::mem::take(&mut gathered.errors);
    let result = settle(gathered, profile);
    match result {
        Ok(read) if errors.is_empty() => Ok(Imported { read, store }),
        Ok(_) => Err(Error::in_order(errors)),
        Err(further) => Err(Error::in_order(errors.into_iter().chain(further).collect())),
    }
}

impl Imported {
    /// The configuration file.
    pub fn to_toml(&self) -> String {
        let mut out =
            String::from("# Made by `orloj config import`. Each value says where it came from.\n");
        if let Some(store) = &self.store {
            out.push_str(&format!(
                "# The tables of the other system are not used; a database of its own could be:\n\
                 # store = \"{store}\"\n"
            ));
        }
        out.push_str(&to_toml(&self.read, false));
        if !self.read.notes.is_empty() {
            out.push_str("\n# Not taken, or not as it was:\n");
            for note in &self.read.notes {
                out.push_str(&format!("# {}\n", one_line(&note.to_string())));
            }
        }
        out
    }

    pub fn notes(&self) -> &[Note] {
        &self.read.notes
    }
}

fn gather(file: &File<'_>, gathered: &mut Gathered) {
    let documents = match recognise(file.name, file.bytes) {
        None => {
            let message = "neither XML nor .yaml nor .properties".to_owned();
            return gathered.error(file.name.to_owned(), message);
        }
        Some(Format::Xml) => return gather_xml(file, gathered),
        Some(Format::Yaml) => yaml::documents(file.name, &text::decode(file.bytes)),
        Some(Format::Properties) => {
            Ok(properties_file::documents(file.name, &text::decode(file.bytes)))
        }
    };
    match documents {
        Ok(documents) => boot::gather(documents, gathered),
        Err(error) => gathered.errors.push(error),
    }
}

fn gather_xml(file: &File<'_>, gathered: &mut Gathered) {
    let refused = |refusal: orloj_xml::Refusal| Error {
        place: format!("{}:{}:{}", file.name, refusal.position.line, refusal.position.column),
        message: refusal.message,
    };
    let mut read = || -> Result<(), orloj_xml::Refusal> {
        orloj_xml::gate::check_size(file.bytes)?;
        let text = orloj_xml::decode(file.bytes)?;
        orloj_xml::gate::check(&orloj_xml::Places::new(&text))?;
        let tree = orloj_xml::build_tree(&text)?;
        let root = tree.root_element();
        match root.tag_name().name() {
            name if is_descriptor(name) => Descriptor { file: file.name, gathered }.read(root),
            "beans" => Beans::read(file.name, gathered, root),
            name => gathered.error(
                format!("{}:1:1", file.name),
                format!("<{name}> is neither a deployment descriptor nor beans of Spring"),
            ),
        }
        Ok(())
    };
    if let Err(refusal) = read() {
        gathered.errors.push(refused(refusal));
    }
}

/// The engine called `default`, or the only one, is the one that needs no name. What it says holds
/// for itself alone in the other system, and for all engines that say nothing else here: these get
/// what they would have had without it.
fn settle(gathered: Gathered, profile: Profile) -> Result<Read, Vec<Error>> {
    let Gathered { items, engines, acquisitions, notes, archives, left_out, .. } = gathered;
    let unnamed = match engines.as_slice() {
        [only] => only.name.as_str(),
        _ => "default",
    };
    let named: Vec<&str> =
        engines.iter().map(|engine| engine.name.as_str()).filter(|name| *name != unnamed).collect();
    let mut shared = Reader::new(profile);
    let mut reader = Reader::new(profile);
    notes.into_iter().for_each(|note| reader.note(note));
    archives.into_iter().for_each(|archive| reader.note(sent_to(archive, unnamed)));
    left_out.into_iter().for_each(|left| reader.note(told(left)));
    acquisitions.iter().for_each(|name| reader.declare_acquisition(name));
    named.iter().for_each(|name| reader.declare_engine(name));
    // Knobs that one engine turns, with the place.
    let mut turned: BTreeMap<(&str, &'static str), &str> = BTreeMap::new();
    for Item { system, scope, name, property, value, place } in &items {
        let (table, name) = (system.table().to_owned(), name.as_str());
        match scope {
            Scope::All => {
                shared.put_property(property, name, value, place.clone());
                reader.put_property(property, name, value, place.clone());
            }
            Scope::Engine(engine) => {
                let knobs = property.fate.knobs();
                turned.extend(knobs.map(|knob| ((engine.as_str(), knob), place.as_str())));
                if engine == unnamed {
                    reader.put_property(property, name, value, place.clone());
                } else {
                    let path = vec!["engines".to_owned(), engine.clone(), table, name.to_owned()];
                    reader.put(path, value.clone(), place.clone());
                }
            }
            Scope::Acquisition(acquisition) => {
                let path =
                    vec!["acquisitions".to_owned(), acquisition.clone(), table, name.to_owned()];
                reader.put(path, value.clone(), place.clone());
            }
        }
    }
    for Engine { name, joins } in &engines {
        let Some((joined, place)) = joins else { continue };
        turned.insert((name, "executor.acquisition"), place);
        let mut path = vec!["executor".to_owned(), "acquisition".to_owned()];
        if name != unnamed {
            path.splice(0..0, ["engines".to_owned(), name.clone()]);
        }
        reader.put(path, Value::text(joined.as_str()), place.clone());
    }
    let shared = shared.finish().map_or_else(|_| Settings::of(profile), |read| read.settings);
    for ((_, knob), place) in turned.iter().filter(|((engine, _), _)| *engine == unnamed) {
        let value = Knob::find(knob).map_or(Value::Nothing, |knob| (knob.get)(&shared));
        for engine in named.iter().filter(|engine| !turned.contains_key(&(**engine, *knob))) {
            let mut path = vec!["engines".to_owned(), (*engine).to_owned()];
            path.extend(knob.split('.').map(str::to_owned));
            let place = format!("{place} is of the engine '{unnamed}' alone");
            reader.put(path, value.clone(), place);
        }
    }
    reader.finish()
}

fn told(LeftOut { group, place, count, hints }: LeftOut) -> Note {
    let values = if count == 1 { "value" } else { "values" };
    let mut message = format!("{count} {values} not taken: not of the engine");
    hints.iter().for_each(|hint| message.push_str(&format!("; {hint}")));
    Note { severity: Severity::Note, place, property: format!("{group}.*"), message }
}

/// Where an archive's models go.
fn sent_to(Archive { engine, place }: Archive, unnamed: &str) -> Note {
    let address = match engine == unnamed || engine == "default" {
        true => "the one that needs no name takes them at /api/deployments".to_owned(),
        false => format!(
            "one that has its table [engines.{engine}] takes them at \
             /api/engine/{engine}/deployments"
        ),
    };
    let message =
        format!("{engine} was not taken: models go to the engine that they are sent to; {address}");
    Note { severity: Severity::Note, place, property: "process-engine".to_owned(), message }
}

/// `jdbc:postgresql://HOST:PORT/NAME?…` to a URL of ours. The password stays behind.
pub(crate) fn store_of(jdbc: &str) -> Option<String> {
    let rest = jdbc.trim().strip_prefix("jdbc:postgresql://")?;
    let address = rest.split(['?', '"', '\\']).next().unwrap_or(rest);
    let is_plain = !address.is_empty() && !address.chars().any(char::is_control);
    is_plain.then(|| format!("postgres://USER@{address}_orloj"))
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
