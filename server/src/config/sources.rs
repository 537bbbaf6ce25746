//! Gathers what was written in the file, the environment and flags.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use figment::providers::{Format, Toml};
use figment::value::{Dict, Map, Value};
use figment::{Figment, Metadata, Profile, Provider, Source};
use orloj::script::SecureScripting;
use serde::Deserialize;

use super::check::{Config, check};
use super::error::{Error, Place, Problem};
use super::keys::{CONFIG_FILE_DEFAULT, ENVIRONMENT_PREFIX, KEYS, Key, Kind};

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
pub struct Written {
    pub store: Option<String>,
    pub data_dir: Option<PathBuf>,
    pub listen_grpc: Option<String>,
    pub listen_http: Option<String>,
    pub node_name: Option<String>,
    pub heartbeat_timeout_ms: Option<u64>,
    pub executor: Option<bool>,
    pub threads: Option<u64>,
    pub log: Option<String>,
    /// A table of the file, with the names that Flowable gave its secure scripting.
    pub scripting: Option<SecureScripting>,
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

fn finish(
    figment: &Figment,
    environment: &BTreeMap<String, String>,
    store_file: &str,
) -> Result<Config, Error> {
    let written: Written = figment.extract().map_err(error_of)?;
    let variable = |name: &str| environment.get(name).cloned();
    check(written, variable, store_file, &|key| place_of(figment.find_metadata(key), key))
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
        let name = name.to_lowercase();
        let value = match Key::find(&name).map(|key| key.kind) {
            Some(Kind::Number) => text.parse::<u64>().map(Value::from).ok(),
            Some(Kind::Flag) => text.parse::<bool>().map(Value::from).ok(),
            Some(Kind::Text) | None => None,
        };
        dict.insert(name, value.unwrap_or_else(|| Value::from(text.as_str())));
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
            dict.insert(key.name.to_owned(), value);
        }
    }
    Values { from: FROM_FLAGS, dict }
}

fn error_of(error: figment::Error) -> Error {
    use figment::error::Kind as Fault;
    let key = error.path.last().cloned();
    let problem = match &error.kind {
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
    let key = match &error.kind {
        Fault::UnknownField(name, _) => Some(name.clone()),
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

/// Names of Rust types mean nothing to the reader.
fn plain(expected: &str) -> &str {
    match expected {
        "u64" | "u32" | "i64" => "a whole number",
        "a boolean" => "true or false",
        other => other,
    }
}

fn place_of(metadata: Option<&Metadata>, key: &str) -> Place {
    match metadata {
        Some(metadata) if metadata.name == FROM_ENVIRONMENT => Place::Variable(Key::variable(key)),
        Some(metadata) if metadata.name == FROM_FLAGS => Place::Flag(Key::flag(key)),
        Some(Metadata { source: Some(Source::File(path)), .. }) => {
            Place::FileKey(path.clone(), key.to_owned())
        }
        _ => Place::Default(key.to_owned()),
    }
}
