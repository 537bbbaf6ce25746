//! What a node's executor takes of the engine's jobs, and in which order.

use std::ops::RangeInclusive;
use std::sync::Arc;

use orloj_types::{DefinitionKey, JobKey, TenantId, Timestamp};

use crate::rows::{JobKind, JobRow};

/// The same selection decides what an acquisition takes and what a node hands to itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    pub order: Order,
    pub priorities: RangeInclusive<i64>,
    /// `Some`: jobs of these definitions, in ascending order, and those that belong to none.
    pub definitions: Option<Arc<[DefinitionKey]>>,
    /// `Some`: jobs of these categories; those without one are not taken.
    pub categories: Option<Arc<[Arc<str>]>>,
    /// `Some`: jobs of this tenant.
    pub tenant: Option<TenantId>,
    /// Topics that are not taken for the moment: circuit breakers that are open, limits known to
    /// be reached. The empty one is nobody's.
    pub without_topics: Arc<[Arc<str>]>,
    /// Leaves [`JobKind::HistoryCleanup`] to others.
    pub without_cleanup: bool,
    /// Exclusive jobs of a whole hierarchy exclude each other, not only those of an instance.
    pub over_hierarchies: bool,
    /// Jobs without a due date are not taken until they are given one.
    pub needs_due_date: bool,
}

impl Default for Selection {
    /// Everything, by priority.
    fn default() -> Self {
        Self {
            order: Order::default(),
            priorities: i64::MIN..=i64::MAX,
            definitions: None,
            categories: None,
            tenant: None,
            without_topics: Arc::new([]),
            without_cleanup: false,
            over_hierarchies: false,
            needs_due_date: false,
        }
    }
}

impl Selection {
    /// Whether a job of the engine's own is one of those, whatever its state.
    pub fn takes(&self, job: &JobRow) -> bool {
        self.takes_such(&Traits {
            definition: job.definition,
            tenant: &job.tenant,
            priority: job.priority,
            category: job.category.as_ref(),
            topic: &job.topic,
            kind: job.kind,
            has_due_date: job.due_at.is_some(),
        })
    }

    /// The same of a job that has no row yet.
    pub fn takes_such(&self, job: &Traits<'_>) -> bool {
        let has_definition = self.definitions.as_ref().is_none_or(|definitions| {
            job.definition.raw() == 0 || definitions.binary_search(&job.definition).is_ok()
        });
        let has_category = self.categories.as_ref().is_none_or(|categories| {
            job.category.is_some_and(|category| categories.contains(category))
        });
        self.priorities.contains(&job.priority)
            && has_definition
            && has_category
            && self.tenant.as_ref().is_none_or(|tenant| tenant == job.tenant)
            && (job.topic.is_empty() || !self.without_topics.contains(job.topic))
            && !(self.without_cleanup && job.kind == JobKind::HistoryCleanup)
            && (job.has_due_date || !self.needs_due_date)
    }
}

/// What a selection goes by.
#[derive(Clone, Copy, Debug)]
pub struct Traits<'a> {
    pub definition: DefinitionKey,
    pub tenant: &'a TenantId,
    pub priority: i64,
    pub category: Option<&'a Arc<str>>,
    pub topic: &'a Arc<str>,
    pub kind: JobKind,
    pub has_due_date: bool,
}

/// The key of a job has the last word in every order. A job without a due date counts as due when
/// it was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Of the three that are set the earlier counts more: highest priority first, timers before
    /// other jobs, earliest due date first.
    Flags { priority: bool, timers_first: bool, due: bool },
    /// By due date minus priority times step: a job overtakes one that has waited `step_ms` longer
    /// for each point of priority it has more. Nothing in that changes while a job waits, so one
    /// index serves it for ever.
    Aging { step_ms: i64 },
}

impl Default for Order {
    fn default() -> Self {
        Self::Flags { priority: true, timers_first: false, due: false }
    }
}

impl Order {
    /// Eleven days; a longer step could make the product with a priority overflow.
    pub const AGING_STEP_MS_MAX: i64 = 1_000_000_000;
    /// Priorities beyond, in either direction, count as this much.
    pub const AGING_PRIORITY_MAX: i64 = i32::MAX as i64;
    /// Moments beyond, in either direction, count as this: far outside of any calendar.
    pub const AGING_RUN_AT_MAX: i64 = 4_000_000_000_000_000_000;
    /// No order is asked for: only keys tell jobs apart.
    pub const NONE: Self = Self::Flags { priority: false, timers_first: false, due: false };

    /// Whether a store can keep it.
    pub fn is_valid(self) -> bool {
        match self {
            Self::Flags { .. } => true,
            Self::Aging { step_ms } => (0..=Self::AGING_STEP_MS_MAX).contains(&step_ms),
        }
    }

    /// Whether jobs have an order besides their age.
    pub fn is_set(self) -> bool {
        self != Self::NONE
    }

    /// Whether due dates decide before anything that differs between timers.
    pub fn is_by_due(self) -> bool {
        matches!(self, Self::Flags { priority: false, due: true, .. })
    }

    /// What a job counts where jobs age: the lowest goes first. Stores sort by the same.
    pub fn aging_rank(priority: i64, run_at: Timestamp, step_ms: i64) -> i64 {
        let run_at = run_at.as_ms().clamp(-Self::AGING_RUN_AT_MAX, Self::AGING_RUN_AT_MAX);
        let priority = priority.clamp(-Self::AGING_PRIORITY_MAX, Self::AGING_PRIORITY_MAX);
        run_at - priority * step_ms.clamp(0, Self::AGING_STEP_MS_MAX)
    }

    /// Jobs sort as these do, lowest first.
    pub fn place(self, job: &JobRow) -> [i64; 4] {
        self.place_of(job.priority, job.kind, job.due_at.unwrap_or(job.created_at), job.key)
    }

    /// The same, of a job whose row is not at hand. `run_at`: when it is due, or was created.
    pub fn place_of(
        self,
        priority: i64,
        kind: JobKind,
        run_at: Timestamp,
        key: JobKey,
    ) -> [i64; 4] {
        let key = key.raw();
        match self {
            Self::Flags { priority: by_priority, timers_first, due } => [
                // The complement turns the order around and cannot overflow.
                if by_priority { !priority } else { 0 },
                i64::from(timers_first && !kind.is_timer()),
                if due { run_at.as_ms() } else { 0 },
                key,
            ],
            Self::Aging { step_ms } => [Self::aging_rank(priority, run_at, step_ms), 0, 0, key],
        }
    }
}
