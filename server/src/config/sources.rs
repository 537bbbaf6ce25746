//! Gathers what was written in the file, the environment and flags.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use figment::providers::{Format, Toml};
use figment::value::{Dict, Map, Value};
use figment::{Figment, Metadata, Profile, Provider, Source};
use orloj::model::{Transform, Transforms};
use orloj::script::SecureScripting;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::check::{Config, check, checked_transforms};
use super::error::{Error, Place, Problem};
use super::keys::{CONFIG_FILE_DEFAULT, ENVIRONMENT_PREFIX, KEYS, Key, Kind};
use super::lines::line_of;
use super::settings::{self, insert, knob_of_variable};

const FROM_ENVIRONMENT: &str = "environment";
const FROM_FLAGS: &str = "flags";
/// Meant for the command line or for finding the file, not for the node.
const OTHER_VARIABLES: &[&str] = &["CONFIG", "URL"];

/// Values of the command line.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    pub config: Option<PathBuf>,
    pub store: Option<String>,
    pub data_dir: Option<String>,
    pub listen_grpc: Option<String>,
    pub listen_http: Option<String>,
    pub node_name: Option<String>,
    pub heartbeat_timeout_ms: Option<u64>,
    pub executor: Option<bool>,
    pub threads: Option<u64>,
    pub log: Option<String>,
}

/// What was written, by whomever; not yet checked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some are only there to be known")]
pub struct Written {
    pub store: Option<String>,
    pub data_dir: Option<PathBuf>,
    pub listen_grpc: Option<String>,
    pub listen_http: Option<String>,
    pub node_name: Option<String>,
    pub heartbeat_timeout_ms: Option<u64>,
    pub threads: Option<u64>,
    pub log: Option<String>,
    /// A table of the file, with the names that Flowable gave its secure scripting.
    pub scripting: Option<SecureScripting>,
    /// Tables of the file: changes to models as they are deployed.
    #[serde(default)]
    pub transforms: Vec<Transform>,
    // Tables of the engine: known here, read by `settings`.
    profile: Option<IgnoredAny>,
    executor: Option<IgnoredAny>,
    acquisition: Option<IgnoredAny>,
    acquisitions: Option<IgnoredAny>,
    jobs: Option<IgnoredAny>,
    history: Option<IgnoredAny>,
    batches: Option<IgnoredAny>,
    metrics: Option<IgnoredAny>,
    operations: Option<IgnoredAny>,
    ids: Option<IgnoredAny>,
    model: Option<IgnoredAny>,
    rows: Option<IgnoredAny>,
    limits: Option<IgnoredAny>,
    breakers: Option<IgnoredAny>,
    engines: Option<IgnoredAny>,
    camunda: Option<IgnoredAny>,
    flowable: Option<IgnoredAny>,
}

/// The configuration of a node that serves.
pub fn for_serve(
    flags: &Flags,
    environment: impl IntoIterator<Item = (String, String)>,
) -> Result<Config, Error> {
    let environment: BTreeMap<String, String> = environment.into_iter().collect();
    let mut figment = Figment::new();
    if let Some(file) = config_file(flags, &environment)? {
        figment = figment.merge(Toml::file_exact(file));
    }
    figment = figment.merge(environment_values(&environment)).merge(flag_values(flags));
    finish(&figment, &environment, "orloj.db")
}

/// The configuration of a node for trying things out. It takes flags only: a configuration file
/// that happens to lie in the folder may name a store that no demo belongs into.
pub fn for_dev(
    flags: &Flags,
    environment: impl IntoIterator<Item = (String, String)>,
) -> Result<Config, Error> {
    let environment: BTreeMap<String, String> = environment.into_iter().collect();
    finish(&Figment::new().merge(flag_values(flags)), &environment, "dev.db")
}

/// The transforms of a configuration file, for those who read models without a node.
pub fn transforms_of(file: &Path) -> Result<Transforms, Error> {
    let flags = Flags { config: Some(file.to_owned()), ..Flags::default() };
    config_file(&flags, &BTreeMap::new())?;
    let figment = Figment::new().merge(Toml::file_exact(file));
    let written: Written = figment.extract().map_err(error_of)?;
    checked_transforms(written.transforms, &|key| {
        place_of(figment.find_metadata("transforms"), key)
    })
}

fn finish(
    figment: &Figment,
    environment: &BTreeMap<String, String>,
    store_file: &str,
) -> Result<Config, Error> {
    let written: Written = figment.extract().map_err(error_of)?;
    let variable = |name: &str| environment.get(name).cloned();
    let metadata = |key: &str| {
        // Lists are told apart by numbers and keys of their own.
        let key = key.split('[').next().unwrap_or(key);
        // A default that does not fit the rest of its table is blamed on the table.
        let table = key.split('.').next().unwrap_or(key);
        figment.find_metadata(key).or_else(|| figment.find_metadata(table))
    };
    let place = |key: &str| place_of(metadata(key), key);
    let read = settings::settings(figment, &place)?;
    check(written, read, variable, store_file, &place)
}

/// A file that someone named must be there; the default one may be absent.
fn config_file(
    flags: &Flags,
    environment: &BTreeMap<String, String>,
) -> Result<Option<PathBuf>, Error> {
    let from_environment = environment.get("ORLOJ_CONFIG").filter(|path| !path.is_empty());
    let (file, place) = match (&flags.config, from_environment) {
        (Some(file), _) => (file.clone(), Place::Flag("--config".to_owned())),
        (None, Some(file)) => (file.into(), Place::Variable("ORLOJ_CONFIG".to_owned())),
        (None, None) => {
            let file = Path::new(CONFIG_FILE_DEFAULT);
            return Ok(file.exists().then(|| file.to_owned()));
        }
    };
    match std::fs::File::open(&file) {
        Ok(_) => Ok(Some(file)),
        Err(error) => Err(Error {
            place,
            problem: Problem::Unreadable(format!("{}: {error}", file.display())),
        }),
    }
}

/// Values with a name of where they came from.
struct Values {
    from: &'static str,
    dict: Dict,
}

impl Provider for Values {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.from)
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        Ok(Profile::Default.collect(self.dict.clone()))
    }
}

/// An empty variable counts as absent, as container tools set such for what is left out.
fn environment_values(environment: &BTreeMap<String, String>) -> Values {
    let mut dict = Dict::new();
    for (variable, text) in environment {
        let Some(name) = variable.strip_prefix(ENVIRONMENT_PREFIX) else { continue };
        if text.is_empty() || OTHER_VARIABLES.contains(&name) || is_of_others(name) {
            continue;
        }
        if let Some(knob) = knob_of_variable(name) {
            insert(&mut dict, knob, Value::from(text.as_str()));
            continue;
        }
        let name = name.to_lowercase();
        let value = match Key::find(&name).map(|key| key.kind) {
            Some(Kind::Number) => text.parse::<u64>().map(Value::from).ok(),
            Some(Kind::Flag) => text.parse::<bool>().map(Value::from).ok(),
            Some(Kind::Text) | None => None,
        };
        let value = value.unwrap_or_else(|| Value::from(text.as_str()));
        insert(&mut dict, in_table(&name), value);
    }
    Values { from: FROM_ENVIRONMENT, dict }
}

/// Kubernetes gives every pod `ORLOJ_SERVICE_HOST`, `ORLOJ_PORT_8080_TCP` and the like when a
/// service is called orloj; the tests and benchmarks have variables of their own. They are nobody's
/// spelling mistake.
fn is_of_others(name: &str) -> bool {
    const PREFIXES: [&str; 5] = ["PORT_", "SERVICE_", "TEST_", "BENCH_", "SIM_"];
    name == "PORT" || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// The key of the flag or variable of this name; it must not take the place of a whole table.
fn in_table(name: &str) -> &str {
    if name == "executor" { "executor.active" } else { name }
}

fn flag_values(flags: &Flags) -> Values {
    let mut dict = Dict::new();
    for key in KEYS {
        let value = match key.name {
            "store" => flags.store.as_deref().map(Value::from),
            "data_dir" => flags.data_dir.as_deref().map(Value::from),
            "listen_grpc" => flags.listen_grpc.as_deref().map(Value::from),
            "listen_http" => flags.listen_http.as_deref().map(Value::from),
            "node_name" => flags.node_name.as_deref().map(Value::from),
            "heartbeat_timeout_ms" => flags.heartbeat_timeout_ms.map(Value::from),
            "executor" => flags.executor.map(Value::from),
            "threads" => flags.threads.map(Value::from),
            "log" => flags.log.as_deref().map(Value::from),
            other => unreachable!("{other} has no flag"),
        };
        if let Some(value) = value {
            insert(&mut dict, in_table(key.name), value);
        }
    }
    Values { from: FROM_FLAGS, dict }
}

fn error_of(error: figment::Error) -> Error {
    use figment::error::Kind as Fault;
    let inside = nested(&error.path);
    let key = match &inside {
        Some(key) => Some(key.clone()),
        None => error.path.last().cloned(),
    };
    let problem = match &error.kind {
        Fault::UnknownField(_, known) if inside.is_some() => {
            Problem::Value(format!("unknown key; there are {}", known.join(", ")))
        }
        Fault::UnknownField(..) => Problem::Unknown,
        Fault::InvalidType(found, expected) => {
            Problem::Value(format!("found {found}, expected {}", plain(expected)))
        }
        Fault::InvalidValue(found, expected) => {
            Problem::Value(format!("found {found}, expected {}", plain(expected)))
        }
        Fault::Message(text) if key.is_none() => Problem::Syntax(text.trim().to_owned()),
        other => Problem::Value(other.to_string()),
    };
    let key = match (&error.kind, inside) {
        (Fault::UnknownField(name, _), None) => Some(name.clone()),
        (Fault::UnknownField(name, _), Some(inside)) if !inside.ends_with(&format!(".{name}")) => {
            Some(format!("{inside}.{name}"))
        }
        _ => key,
    };
    let place = match (error.metadata.as_ref(), key) {
        (metadata, Some(key)) => place_of(metadata, &key),
        (Some(metadata), None) => match &metadata.source {
            Some(Source::File(path)) => Place::File(path.clone()),
            _ => Place::Default("config".to_owned()),
        },
        (None, None) => Place::Default("config".to_owned()),
    };
    Error { place, problem }
}

/// `transforms[2].set.retry_cycle` for what lies in the second of the tables.
fn nested(path: &[String]) -> Option<String> {
    let (table, rest) = path.split_first()?;
    let (number, rest) = rest.split_first()?;
    let at: usize = number.parse().ok()?;
    let mut key = format!("{table}[{}]", at + 1);
    for part in rest {
        match part.parse::<usize>() {
            Ok(at) => key.push_str(&format!("[{}]", at + 1)),
            Err(_) => key.push_str(&format!(".{part}")),
        }
    }
    Some(key)
}

/// Names of Rust types mean nothing to the reader.
fn plain(expected: &str) -> &str {
    match expected {
        "u64" | "u32" | "i64" => "a whole number",
        "a boolean" => "true or false",
        other => other,
    }
}

fn place_of(metadata: Option<&Metadata>, key: &str) -> Place {
    let is_file = matches!(metadata, Some(Metadata { source: Some(Source::File(_)), .. }));
    let key = if key == "executor.active" && !is_file { "executor" } else { key };
    match metadata {
        Some(metadata) if metadata.name == FROM_ENVIRONMENT => Place::Variable(Key::variable(key)),
        Some(metadata) if metadata.name == FROM_FLAGS => Place::Flag(Key::flag(key)),
        Some(Metadata { source: Some(Source::File(path)), .. }) => {
            Place::FileKey(path.clone(), line_of(path, key), key.to_owned())
        }
        _ => Place::Default(key.to_owned()),
    }
}
