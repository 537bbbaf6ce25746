//! Which jobs a query is about.

use std::ops::RangeInclusive;
use std::sync::Arc;

use orloj_types::{
    BatchKey, DefinitionKey, ElementId, InstanceKey, JobKey, ProcessId, TenantId, Timestamp,
};

use crate::rows::{JobKind, JobRow, JobState};

/// Absent fields and empty lists match all. Found by an index are keys, batches, chores of a
/// definition (`instance` 0 and `definition`), what is stopped (failed, thrown or suspended) and what
/// is ready, unlocked and of one type; other fields are looked for row by row, within the time limit
/// of reads. The jobs of an instance have their keys in its record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobFilter {
    pub keys: Vec<JobKey>,
    pub instance: Option<InstanceKey>,
    pub definition: Option<DefinitionKey>,
    /// Of any version.
    pub process_id: Option<ProcessId>,
    pub tenant: Option<TenantId>,
    pub element: Option<ElementId>,
    /// Where the last failure was.
    pub failed_element: Option<ElementId>,
    pub kinds: Vec<JobKind>,
    pub states: Vec<JobState>,
    pub job_type: Option<Arc<str>>,
    pub topic: Option<Arc<str>>,
    pub category: Option<Arc<str>>,
    pub limit_key: Option<Arc<str>>,
    pub batch: Option<BatchKey>,
    /// Strictly; a job without a due date is neither.
    pub due_before: Option<Timestamp>,
    pub due_after: Option<Timestamp>,
    pub created_before: Option<Timestamp>,
    pub created_after: Option<Timestamp>,
    pub has_failure: Option<bool>,
    /// The whole text.
    pub failure: Option<Arc<str>>,
    pub has_retries: Option<bool>,
    /// With retries, neither suspended nor stopped, and due at this moment if it has a due date.
    pub executable_at: Option<Timestamp>,
    pub priorities: Option<RangeInclusive<i64>>,
    pub is_locked: Option<bool>,
    /// The worker that holds it.
    pub owner: Option<Arc<str>>,
    /// The node that holds it.
    pub session: Option<i64>,
    pub order: JobOrder,
    /// Rows to leave out, for orders that a key cannot continue.
    pub offset: u32,
}

impl JobFilter {
    /// `process_of` names the process of a definition.
    pub fn matches(
        &self,
        job: &JobRow,
        process_of: impl Fn(DefinitionKey) -> Option<ProcessId>,
    ) -> bool {
        fn is<T: PartialEq>(wanted: Option<&T>, found: Option<&T>) -> bool {
            wanted.is_none_or(|wanted| found == Some(wanted))
        }
        fn one_of<T: PartialEq>(wanted: &[T], found: &T) -> bool {
            wanted.is_empty() || wanted.contains(found)
        }
        let has_process = self
            .process_id
            .as_ref()
            .is_none_or(|wanted| process_of(job.definition).as_ref() == Some(wanted));
        one_of(&self.keys, &job.key)
            && is(self.instance.as_ref(), Some(&job.instance))
            && is(self.definition.as_ref(), Some(&job.definition))
            && has_process
            && is(self.tenant.as_ref(), Some(&job.tenant))
            && is(self.element.as_ref(), Some(&job.element))
            && is(self.failed_element.as_ref(), job.failed_element.as_ref())
            && one_of(&self.kinds, &job.kind)
            && one_of(&self.states, &job.state)
            && is(self.job_type.as_ref(), Some(&job.job_type))
            && is(self.topic.as_ref(), Some(&job.topic))
            && is(self.category.as_ref(), job.category.as_ref())
            && is(self.limit_key.as_ref(), job.limit_key.as_ref())
            && is(self.batch.as_ref(), job.batch.as_ref())
            && self.due_before.is_none_or(|at| job.due_at.is_some_and(|due| due < at))
            && self.due_after.is_none_or(|at| job.due_at.is_some_and(|due| due > at))
            && self.created_before.is_none_or(|at| job.created_at < at)
            && self.created_after.is_none_or(|at| job.created_at > at)
            && self.has_failure.is_none_or(|has| job.failure.is_some() == has)
            && is(self.failure.as_ref(), job.failure.as_ref())
            && self.has_retries.is_none_or(|has| (job.retries_left > 0) == has)
            && self.executable_at.is_none_or(|at| is_executable(job, at))
            && self.priorities.as_ref().is_none_or(|range| range.contains(&job.priority))
            && self.is_locked.is_none_or(|is_locked| job.is_locked() == is_locked)
            && is(self.owner.as_ref(), job.lock_worker.as_ref())
            && is(self.session.as_ref(), job.lock_session.as_ref())
    }
}

fn is_executable(job: &JobRow, at: Timestamp) -> bool {
    job.retries_left > 0
        && matches!(job.state, JobState::Ready | JobState::Waiting | JobState::Parked)
        && job.due_at.is_none_or(|due| due <= at)
}

/// The newer of two equal ones comes first. Jobs without a due date come last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JobOrder {
    /// The only order in which [`crate::Page::before`] continues a page.
    #[default]
    NewestFirst,
    OldestFirst,
    EarliestDueFirst,
    LatestDueFirst,
    LowestPriorityFirst,
    HighestPriorityFirst,
    FewestRetriesFirst,
    MostRetriesFirst,
    /// As workers acquire them: of equal priority the oldest comes first.
    NextFirst,
}

impl JobOrder {
    /// Jobs sort as these do, lowest first.
    pub fn place(self, job: &JobRow) -> (bool, i64, i64) {
        let (due, key) = (job.due_at, job.key.raw());
        let due_ms = due.map_or(0, Timestamp::as_ms);
        let (is_last, place) = match self {
            Self::NewestFirst => (false, !key),
            Self::OldestFirst => (false, key),
            Self::EarliestDueFirst => (due.is_none(), due_ms),
            Self::LatestDueFirst => (due.is_none(), !due_ms),
            Self::LowestPriorityFirst => (false, job.priority),
            Self::HighestPriorityFirst | Self::NextFirst => (false, !job.priority),
            Self::FewestRetriesFirst => (false, job.retries_left.into()),
            Self::MostRetriesFirst => (false, !i64::from(job.retries_left)),
        };
        (is_last, place, if self == Self::NextFirst { key } else { !key })
    }
}
