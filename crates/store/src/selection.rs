//! What a node's executor takes of the engine's jobs, and in which order.

use std::ops::RangeInclusive;
use std::sync::Arc;

use orloj_types::{DefinitionKey, Order, TenantId};

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
