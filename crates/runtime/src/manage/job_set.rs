//! Which jobs a verb is for.

use orloj_store::{JobFilter, JobKind, JobRow, JobState};
use orloj_types::{
    DefinitionKey, InstanceKey, JobDefinitionKey, JobKey, ProcessId, TenantId, Timestamp,
};

/// Jobs that go by a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobSet {
    All,
    /// With retries, due and not suspended.
    Executable,
    /// Locked, by a node or a worker.
    Acquired,
    Timers,
    /// Of the engine's own that are no timers.
    Messages,
    /// Those that workers ask for.
    Workers,
    DeadLetters,
    Suspended,
    /// Jobs of no instance.
    Chores,
}

const TIMERS: [JobKind; 6] = [
    JobKind::Timer,
    JobKind::StartTimer,
    JobKind::SuspendDefinition,
    JobKind::ActivateDefinition,
    JobKind::SuspendJobDefinition,
    JobKind::ActivateJobDefinition,
];
const MESSAGES: [JobKind; 8] = [
    JobKind::AsyncBefore,
    JobKind::AsyncAfter,
    JobKind::AsyncComplete,
    JobKind::Signal,
    JobKind::BatchSeed,
    JobKind::BatchMonitor,
    JobKind::BatchPart,
    JobKind::HistoryCleanup,
];
const WORKERS: [JobKind; 2] = [JobKind::Worker, JobKind::Listener];
const CHORES: [JobKind; 9] = [
    JobKind::StartTimer,
    JobKind::SuspendDefinition,
    JobKind::ActivateDefinition,
    JobKind::SuspendJobDefinition,
    JobKind::ActivateJobDefinition,
    JobKind::BatchSeed,
    JobKind::BatchMonitor,
    JobKind::BatchPart,
    JobKind::HistoryCleanup,
];

/// What belongs to a process itself: the jobs of its instances, and those that start them. Parts of
/// batches and suspensions to come are about it, but somebody else's.
const OF_PROCESS: [JobKind; 8] = [
    JobKind::AsyncBefore,
    JobKind::AsyncAfter,
    JobKind::AsyncComplete,
    JobKind::Signal,
    JobKind::Worker,
    JobKind::Listener,
    JobKind::Timer,
    JobKind::StartTimer,
];

impl JobSet {
    pub const ALL: [Self; 9] = [
        Self::All,
        Self::Executable,
        Self::Acquired,
        Self::Timers,
        Self::Messages,
        Self::Workers,
        Self::DeadLetters,
        Self::Suspended,
        Self::Chores,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Executable => "executable",
            Self::Acquired => "acquired",
            Self::Timers => "timers",
            Self::Messages => "messages",
            Self::Workers => "workers",
            Self::DeadLetters => "dead-letters",
            Self::Suspended => "suspended",
            Self::Chores => "chores",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.word() == word)
    }

    /// Those of the filter that are in the set.
    pub fn narrow(self, mut filter: JobFilter, now: Timestamp) -> JobFilter {
        match self {
            Self::All => {}
            Self::Executable => filter.executable_at = Some(now),
            Self::Acquired => filter.is_locked = Some(true),
            Self::Timers => of_kinds(&mut filter, &TIMERS),
            Self::Messages => of_kinds(&mut filter, &MESSAGES),
            Self::Workers => of_kinds(&mut filter, &WORKERS),
            Self::Chores => of_kinds(&mut filter, &CHORES),
            Self::DeadLetters => in_state(&mut filter, JobState::Failed),
            Self::Suspended => in_state(&mut filter, JobState::Suspended),
        }
        filter
    }

    /// As [`Self::narrow`], for an order: what is meant for a process or a definition is for the
    /// jobs of its instances and those that start them, unless it names kinds, a batch or chores.
    pub fn narrow_order(self, filter: JobFilter, now: Timestamp) -> JobFilter {
        match self {
            Self::Chores => self.narrow(filter, now),
            _ => self.narrow(of_process(filter), now),
        }
    }

    /// Whether a job is in the set.
    pub(crate) fn has(self, row: &JobRow, now: Timestamp) -> bool {
        // No set asks for a process.
        self.narrow(JobFilter::default(), now).matches(row, |_| None)
    }
}

/// What an order for a process or a definition means, unless it names kinds or a batch.
pub(super) fn of_process(mut filter: JobFilter) -> JobFilter {
    let is_of_process = filter.process_id.is_some() || filter.definition.is_some();
    if is_of_process && filter.kinds.is_empty() && filter.batch.is_none() {
        of_kinds(&mut filter, &OF_PROCESS);
    }
    filter
}

fn of_kinds(filter: &mut JobFilter, set: &[JobKind]) {
    let is_in = |kind: &JobKind| filter.kinds.is_empty() || filter.kinds.contains(kind);
    let kinds: Vec<JobKind> = set.iter().copied().filter(is_in).collect();
    if kinds.is_empty() {
        return none_of(filter);
    }
    filter.kinds = kinds;
}

fn in_state(filter: &mut JobFilter, state: JobState) {
    if !filter.states.is_empty() && !filter.states.contains(&state) {
        return none_of(filter);
    }
    filter.states = vec![state];
}

/// An empty list would mean all; no job has the key zero.
fn none_of(filter: &mut JobFilter) {
    filter.keys = vec![JobKey::new(0)];
}

/// The jobs of something.
#[derive(Clone, Debug)]
pub enum JobScope {
    Keys(Vec<JobKey>),
    Filter(JobFilter),
    JobDefinition(JobDefinitionKey),
    /// Those of a job definition that match, too.
    JobDefinitionAnd(JobDefinitionKey, JobFilter),
    Instance(InstanceKey),
    Definition(DefinitionKey),
    /// Of all versions; `None`: of every tenant.
    Process(ProcessId, Option<TenantId>),
}

impl From<JobKey> for JobScope {
    fn from(key: JobKey) -> Self {
        Self::Keys(vec![key])
    }
}

impl From<Vec<JobKey>> for JobScope {
    fn from(keys: Vec<JobKey>) -> Self {
        Self::Keys(keys)
    }
}

impl From<JobFilter> for JobScope {
    fn from(filter: JobFilter) -> Self {
        Self::Filter(filter)
    }
}
