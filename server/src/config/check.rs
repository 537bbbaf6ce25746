//! From what was written to what a node can run with.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use orloj::model::{Transform, Transforms};
use orloj::script::SecureScripting;
use orloj_settings::{Note, Origin, Read, Settings};
use tracing_subscriber::filter::Targets;

use super::address::Address;
use super::data_dir;
use super::error::{Error, Place, Problem};
use super::settings::scripting;
use super::sources::Written;
use super::store_url::StoreUrl;

const LISTEN_GRPC_DEFAULT: &str = "127.0.0.1:26500";
const LISTEN_HTTP_DEFAULT: &str = "127.0.0.1:8080";
/// Warnings of all parts, and the few lines that a start and a stop leave.
const LOG_DEFAULT: &str = "warn,orloj_server=info";
/// Shorter, and a disk that is slow once costs a node its locks.
pub const HEARTBEAT_TIMEOUT_MS_MIN: u64 = 100;
/// Ten minutes without the jobs of a dead node is more than anyone wants.
pub const HEARTBEAT_TIMEOUT_MS_MAX: u64 = 600_000;
/// The store does the waiting; two threads keep it busy, and each costs memory.
const THREADS_DEFAULT: u64 = 2;
pub const THREADS_MAX: u64 = 256;
/// A column of the heartbeat row; longer names only make listings unreadable.
const NODE_NAME_CHARS_MAX: usize = 200;

/// A checked configuration.
#[derive(Clone, Debug)]
pub struct Config {
    pub store: StoreUrl,
    /// To be created when the store is a file inside it.
    pub data_dir: PathBuf,
    pub listen_grpc: Address,
    pub listen_http: Address,
    /// `None`: made from the host's name and the process id.
    pub node_name: Option<String>,
    pub heartbeat_timeout: Duration,
    pub executor: bool,
    /// Every knob of the engine.
    pub settings: Settings,
    /// Where each of them was written, by knob; the others are defaults.
    pub origins: BTreeMap<String, Origin>,
    /// What of the settings is not done as written.
    pub notes: Vec<Note>,
    pub threads: usize,
    pub log: Targets,
    /// What scripts may see and use up.
    pub scripting: SecureScripting,
    /// Changes to models as they are deployed.
    pub transforms: Transforms,
}

pub fn check(
    written: Written,
    read: Read,
    variable: impl Fn(&str) -> Option<String>,
    store_file: &str,
    place: &dyn Fn(&str) -> Place,
) -> Result<Config, Error> {
    let data_dir = written.data_dir.unwrap_or_else(|| data_dir::default(variable));
    let store = match written.store {
        Some(text) => parsed("store", &text, place)?,
        None => StoreUrl::sqlite(&data_dir.join(store_file)),
    };
    let listen_grpc = written.listen_grpc.as_deref().unwrap_or(LISTEN_GRPC_DEFAULT);
    let listen_http = written.listen_http.as_deref().unwrap_or(LISTEN_HTTP_DEFAULT);
    let Read { settings, mut notes, origins } = read;
    for note in &mut notes {
        note.place = place(&note.place).to_string();
    }
    let is_alone = written.node_name.is_some();
    let heartbeat_ms = settings.executor.heartbeat_timeout_ms;
    let threads =
        in_range("threads", written.threads.unwrap_or(THREADS_DEFAULT), 1..=THREADS_MAX, place)?;
    let log = written.log.as_deref().unwrap_or(LOG_DEFAULT);
    Ok(Config {
        store,
        data_dir,
        listen_grpc: parsed("listen_grpc", listen_grpc, place)?,
        listen_http: parsed("listen_http", listen_http, place)?,
        node_name: written
            .node_name
            .or_else(|| settings.executor.lock_owner.clone())
            .map(|name| node_name(name, is_alone, place))
            .transpose()?,
        heartbeat_timeout: Duration::from_millis(heartbeat_ms),
        executor: settings.executor.active.unwrap_or(true),
        threads: usize::try_from(threads).expect("at most THREADS_MAX"),
        log: log_levels(log, place)?,
        scripting: scripting(written.scripting, &settings.scripting)
            .map_err(|problem| value("flowable", problem, place))?,
        transforms: checked_transforms(written.transforms, place)?,
        settings,
        origins,
        notes,
    })
}

pub fn checked_transforms(
    transforms: Vec<Transform>,
    place: &dyn Fn(&str) -> Place,
) -> Result<Transforms, Error> {
    Transforms::new(transforms).map_err(|wrong| {
        value(&format!("transforms[{}].{}", wrong.number, wrong.key), wrong.reason, place)
    })
}

/// A bare word that is no level would be taken for the name of a part, and silence all others.
fn log_levels(text: &str, place: &dyn Fn(&str) -> Place) -> Result<Targets, Error> {
    const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
    let is_level = |word: &str| LEVELS.contains(&word.trim().to_ascii_lowercase().as_str());
    match text.split(',').find(|word| !word.contains('=') && !is_level(word)) {
        None => parsed("log", text, place),
        Some(word) => {
            let problem = format!(
                "'{}' is neither a level ({}) nor PART=LEVEL",
                word.trim(),
                LEVELS.join(", ")
            );
            Err(value("log", problem, place))
        }
    }
}

fn parsed<T: FromStr>(key: &str, text: &str, place: &dyn Fn(&str) -> Place) -> Result<T, Error>
where
    T::Err: ToString,
{
    text.parse().map_err(|error: T::Err| value(key, error.to_string(), place))
}

fn in_range(
    key: &str,
    number: u64,
    range: std::ops::RangeInclusive<u64>,
    place: &dyn Fn(&str) -> Place,
) -> Result<u64, Error> {
    if range.contains(&number) {
        return Ok(number);
    }
    let problem = format!("{number} is not within {} to {}", range.start(), range.end());
    Err(value(key, problem, place))
}

/// `is_alone`: written by the key of its own, not as the owner of locks.
fn node_name(name: String, is_alone: bool, place: &dyn Fn(&str) -> Place) -> Result<String, Error> {
    let fits = !name.trim().is_empty()
        && name.chars().count() <= NODE_NAME_CHARS_MAX
        && !name.chars().any(char::is_control);
    if fits {
        Ok(name)
    } else {
        let problem = format!("a node's name has 1 to {NODE_NAME_CHARS_MAX} printable characters");
        Err(value(if is_alone { "node_name" } else { "executor.lock_owner" }, problem, place))
    }
}

fn value(key: &str, problem: String, place: &dyn Fn(&str) -> Place) -> Error {
    Error { place: place(key), problem: Problem::Value(problem) }
}
