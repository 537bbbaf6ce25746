//! Small groups of knobs.

use super::history::Ttl;
use crate::setting::words;

/// Counters that are kept in the store, to be asked for by time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricsSettings {
    pub enabled: bool,
    /// Whether they are written to the store.
    pub stored: bool,
    pub interval_ms: u64,
    /// Whose counters they are. `None`: the node's name.
    pub reporter: Option<String>,
    /// How long they are kept. `None`: for ever.
    pub ttl: Option<Ttl>,
}

impl Default for MetricsSettings {
    fn default() -> Self {
        Self { enabled: true, stored: true, interval_ms: 900_000, reporter: None, ttl: None }
    }
}

/// The log of what people did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationSettings {
    /// Only what a person who is known by name did.
    pub authenticated_only: bool,
    /// Entries that one operation on many things may write; 1: a summary, -1: one for each.
    pub entries_max: i64,
    /// How long it is kept. `None`: for ever.
    pub ttl: Option<Ttl>,
}

impl Default for OperationSettings {
    fn default() -> Self {
        Self { authenticated_only: true, entries_max: 1, ttl: None }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdSettings {
    pub generator: IdGenerator,
}

/// How new things are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdGenerator {
    /// Numbers of 64 bits, made by the node.
    #[default]
    Keys,
    Uuid,
}

words!(IdGenerator { Keys = "keys", Uuid = "uuid" });

/// What models mean where the system they were made for leaves it to its configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSettings {
    /// A BPMN error that nobody catches fails the job instead of ending the path.
    pub unhandled_error_fails: bool,
    /// Parallel multi-instances are left by an exclusive job.
    pub parallel_multi_instance_async_leave: bool,
    /// Definitions kept parsed in memory. `None`: the node's own limit.
    pub definition_cache_max: Option<u32>,
    /// Elements that one command may enter.
    pub visits_max: u32,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            unhandled_error_fails: false,
            parallel_multi_instance_async_leave: true,
            definition_cache_max: None,
            visits_max: 10_000,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowSettings {
    /// Rows that one query may ask for. `None`: the API's own limit.
    pub query_max: Option<u32>,
    /// Whether a commit gathers changes and sends the rows of each kind together. Otherwise every
    /// change is a commit and every row a statement of its own, for diagnosis.
    pub in_bulk: bool,
}

impl Default for RowSettings {
    fn default() -> Self {
        Self { query_max: None, in_bulk: true }
    }
}
