//! What changes: instances, and the jobs that belong to no instance.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_interpreter::Record;
use orloj_types::{DefinitionKey, IncidentKey, InstanceKey, JobKey, Variables};

use super::signals::PendingSignal;
use super::start_timer::StartTimer;
use super::visits::Visits;

#[derive(Default)]
pub(super) struct State {
    pub facts: Facts,
    pub visits: Visits,
}

/// Copied before an action that may have to be undone; copies are cheap.
#[derive(Clone, Default)]
pub(super) struct Facts {
    /// By key, so oldest first.
    pub instances: BTreeMap<InstanceKey, Instance>,
    pub start_timers: BTreeMap<JobKey, StartTimer>,
    pub pending_signals: BTreeMap<JobKey, PendingSignal>,
    /// Why incidents were opened.
    pub reasons: BTreeMap<IncidentKey, Arc<str>>,
}

#[derive(Clone)]
pub(super) struct Instance {
    pub definition: DefinitionKey,
    pub state: InstanceState,
    /// `None`: it has ended.
    pub record: Option<Arc<Record>>,
    /// Of the instance as a whole, once it has ended.
    pub last_variables: Variables,
    /// The key of the message that started it, where messages carry keys.
    pub started_by_key: Option<Arc<str>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum InstanceState {
    Active,
    Completed,
    Cancelled,
}

impl InstanceState {
    pub fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Facts {
    /// Records of live instances, oldest first.
    pub fn live(&self) -> impl Iterator<Item = (&Instance, &Arc<Record>)> {
        self.instances.values().filter_map(|found| found.record.as_ref().map(|r| (found, r)))
    }

    pub fn record(&self, instance: InstanceKey) -> Option<Arc<Record>> {
        self.instances.get(&instance)?.record.clone()
    }
}
