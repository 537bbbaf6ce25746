//! The live element instances of a record, found by key, by scope, by job and by subscription.

use orloj_types::{ElementInstanceKey, JobKey, SubscriptionKey};

use crate::pages::{Changed, Iter, Page, Pages};
use crate::record::{ElementInstance, Job, Subscription, SubscriptionKind};

/// Element instances of one page. A page is copied by the first change of a command and written
/// whole by a step, some kilobytes at most; 16 plain ones stay below what PostgreSQL keeps in a
/// row.
pub const PAGE_ELEMENTS_MAX: usize = 16;
/// Entries of the indexes are small, and they are not written.
const INDEX_PAGE_MAX: usize = 128;

type Kept = Pages<ElementInstanceKey, ElementInstance, PAGE_ELEMENTS_MAX>;

/// By key, so oldest first.
#[derive(Clone, Debug, Default)]
pub struct Elements {
    by_key: Kept,
    /// Only of those with more than one page: a page is searched as fast.
    index: Option<Box<Index>>,
}

#[derive(Clone, Debug, Default)]
struct Index {
    /// Scope and key of each.
    by_scope: Pages<(ElementInstanceKey, ElementInstanceKey), (), INDEX_PAGE_MAX>,
    jobs: Pages<JobKey, ElementInstanceKey, INDEX_PAGE_MAX>,
    subscriptions: Pages<SubscriptionKey, ElementInstanceKey, INDEX_PAGE_MAX>,
    /// Those of them that wait for a condition.
    conditions: Pages<SubscriptionKey, ElementInstanceKey, INDEX_PAGE_MAX>,
}

impl Index {
    fn of(elements: &Kept) -> Self {
        let mut index = Self::default();
        elements.iter().for_each(|(_, instance)| index.add(instance));
        index
    }

    fn add(&mut self, instance: &ElementInstance) {
        self.by_scope.insert((instance.scope, instance.key), ());
        for job in &instance.jobs {
            self.jobs.insert(job.key, instance.key);
        }
        instance.subscriptions.iter().for_each(|s| self.add_subscription(s, instance.key));
    }

    fn add_subscription(&mut self, subscription: &Subscription, of: ElementInstanceKey) {
        self.subscriptions.insert(subscription.key, of);
        if subscription.kind == SubscriptionKind::Condition {
            self.conditions.insert(subscription.key, of);
        }
    }

    fn remove(&mut self, instance: &ElementInstance) {
        self.by_scope.remove((instance.scope, instance.key));
        for job in &instance.jobs {
            self.jobs.remove(job.key);
        }
        for subscription in &instance.subscriptions {
            self.subscriptions.remove(subscription.key);
            self.conditions.remove(subscription.key);
        }
    }
}

impl Elements {
    /// The head and the pages as they were stored, each by key.
    pub fn from_parts(
        head: Vec<ElementInstance>,
        pages: Vec<Page<ElementInstanceKey, ElementInstance>>,
    ) -> Self {
        let head = head.into_iter().map(|instance| (instance.key, instance)).collect();
        let by_key = Kept::from_parts(head, pages);
        let index = (!by_key.is_head_only()).then(|| Box::new(Index::of(&by_key)));
        Self { by_key, index }
    }

    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// Whether all are in the record's own page.
    pub fn is_head_only(&self) -> bool {
        self.by_key.is_head_only()
    }

    /// Those of the record's own page, oldest first.
    pub fn head(&self) -> impl ExactSizeIterator<Item = &ElementInstance> {
        self.by_key.head().iter().map(|(_, instance)| instance)
    }

    /// The other pages.
    pub fn pages(&self) -> impl Iterator<Item = &Page<ElementInstanceKey, ElementInstance>> {
        self.by_key.stored()
    }

    /// The other pages that differ from those of `before`.
    pub fn changed_pages<'a>(
        &'a self,
        before: &'a Self,
    ) -> Vec<Changed<'a, ElementInstanceKey, ElementInstance>> {
        self.by_key.changed(&before.by_key)
    }

    /// Oldest first.
    pub fn iter(&self) -> ElementsIter<'_> {
        self.by_key.iter().map(|(_, instance)| instance)
    }

    pub fn get(&self, key: ElementInstanceKey) -> Option<&ElementInstance> {
        self.by_key.get(key)
    }

    /// Its key and scope stay as they are; jobs and subscriptions that come or go are told.
    pub fn get_mut(&mut self, key: ElementInstanceKey) -> Option<&mut ElementInstance> {
        self.by_key.get_mut(key)
    }

    pub fn insert(&mut self, instance: ElementInstance) {
        match &mut self.index {
            Some(index) => {
                if let Some(known) = self.by_key.get(instance.key) {
                    index.remove(known);
                }
                index.add(&instance);
                self.by_key.insert(instance.key, instance);
            }
            None => {
                self.by_key.insert(instance.key, instance);
                if !self.by_key.is_head_only() {
                    self.index = Some(Box::new(Index::of(&self.by_key)));
                }
            }
        }
    }

    pub fn remove(&mut self, key: ElementInstanceKey) -> Option<ElementInstance> {
        let removed = self.by_key.remove(key)?;
        if let Some(index) = &mut self.index {
            index.remove(&removed);
            if self.by_key.is_head_only() {
                self.index = None;
            }
        }
        Some(removed)
    }

    /// The element instance has a job more.
    pub(crate) fn job_added(&mut self, job: JobKey, of: ElementInstanceKey) {
        if let (Some(index), true) = (&mut self.index, self.by_key.get(of).is_some()) {
            index.jobs.insert(job, of);
        }
    }

    /// The job has been taken from its element instance.
    pub(crate) fn job_removed(&mut self, job: JobKey) {
        if let Some(index) = &mut self.index {
            index.jobs.remove(job);
        }
    }

    pub(crate) fn subscription_added(
        &mut self,
        subscription: SubscriptionKey,
        of: ElementInstanceKey,
    ) {
        let Some(index) = &mut self.index else { return };
        let added = self.by_key.get(of).into_iter().flat_map(|instance| &instance.subscriptions);
        for known in added.filter(|known| known.key == subscription) {
            index.add_subscription(known, of);
        }
    }

    pub(crate) fn subscription_removed(&mut self, subscription: SubscriptionKey) {
        if let Some(index) = &mut self.index {
            index.subscriptions.remove(subscription);
            index.conditions.remove(subscription);
        }
    }

    /// The job and the element instance it belongs to.
    pub fn job(&self, key: JobKey) -> Option<(&ElementInstance, &Job)> {
        let job_of =
            |instance: &'_ ElementInstance| instance.jobs.iter().position(|job| job.key == key);
        let (instance, at) = match &self.index {
            Some(index) => {
                let instance = self.by_key.get(*index.jobs.get(key)?)?;
                (instance, job_of(instance)?)
            }
            None => self.head().find_map(|instance| Some((instance, job_of(instance)?)))?,
        };
        Some((instance, &instance.jobs[at]))
    }

    pub(crate) fn job_mut(&mut self, key: JobKey) -> Option<&mut Job> {
        let (instance, _) = self.job(key)?;
        let of = instance.key;
        self.get_mut(of)?.jobs.iter_mut().find(|job| job.key == key)
    }

    /// The subscription and the element instance it belongs to.
    pub fn subscription(&self, key: SubscriptionKey) -> Option<(&ElementInstance, &Subscription)> {
        let place_in = |instance: &'_ ElementInstance| {
            instance.subscriptions.iter().position(|subscription| subscription.key == key)
        };
        let (instance, at) = match &self.index {
            Some(index) => {
                let instance = self.by_key.get(*index.subscriptions.get(key)?)?;
                (instance, place_in(instance)?)
            }
            None => self.head().find_map(|instance| Some((instance, place_in(instance)?)))?,
        };
        Some((instance, &instance.subscriptions[at]))
    }

    /// Those directly in a scope, oldest first.
    pub fn children(
        &self,
        scope: ElementInstanceKey,
    ) -> impl DoubleEndedIterator<Item = &ElementInstance> {
        let (low, high) = (ElementInstanceKey::new(i64::MIN), ElementInstanceKey::new(i64::MAX));
        let indexed = self.index.iter().flat_map(move |index| {
            index
                .by_scope
                .range((scope, low), (scope, high))
                .filter_map(|((_, key), ())| self.get(*key))
        });
        let head = match self.index {
            Some(_) => &[][..],
            None => self.by_key.head(),
        };
        let found = head.iter().map(|(_, instance)| instance);
        found.filter(move |instance| instance.scope == scope).chain(indexed)
    }

    pub fn has_children(&self, scope: ElementInstanceKey) -> bool {
        match self.index {
            None => self.by_key.head().iter().any(|(_, instance)| instance.scope == scope),
            Some(_) => self.children(scope).next().is_some(),
        }
    }

    /// How many wait for conditions; of a single page how many are there.
    pub(crate) fn condition_count(&self) -> usize {
        self.index.as_ref().map_or(self.len(), |index| index.conditions.len())
    }

    /// Those that wait for conditions, and of a single page all.
    pub(crate) fn watching(&self) -> Vec<ElementInstanceKey> {
        match &self.index {
            None => self.head().map(|instance| instance.key).collect(),
            Some(index) => index.conditions.iter().map(|(_, of)| *of).collect(),
        }
    }

    /// Those that have subscriptions, oldest first.
    pub(crate) fn subscribed(&self) -> Vec<&ElementInstance> {
        match &self.index {
            None => self.head().filter(|instance| !instance.subscriptions.is_empty()).collect(),
            Some(index) => {
                let mut keys: Vec<_> = index.subscriptions.iter().map(|(_, of)| *of).collect();
                keys.sort_unstable();
                keys.dedup();
                keys.into_iter().filter_map(|key| self.get(key)).collect()
            }
        }
    }

    /// Whether the indexes say what is there.
    pub(crate) fn is_sound(&self) -> bool {
        match &self.index {
            None => self.by_key.is_head_only(),
            Some(index) => {
                let fresh = Index::of(&self.by_key);
                index.by_scope == fresh.by_scope
                    && index.jobs == fresh.jobs
                    && index.subscriptions == fresh.subscriptions
                    && index.conditions == fresh.conditions
            }
        }
    }
}

/// The indexes follow from the rest.
impl PartialEq for Elements {
    fn eq(&self, other: &Self) -> bool {
        self.by_key == other.by_key
    }
}

pub type ElementsIter<'a> = std::iter::Map<
    Iter<'a, ElementInstanceKey, ElementInstance>,
    fn(&'a (ElementInstanceKey, ElementInstance)) -> &'a ElementInstance,
>;

impl<'a> IntoIterator for &'a Elements {
    type Item = &'a ElementInstance;
    type IntoIter = ElementsIter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl FromIterator<ElementInstance> for Elements {
    fn from_iter<I: IntoIterator<Item = ElementInstance>>(instances: I) -> Self {
        let mut elements = Self::default();
        for instance in instances {
            elements.insert(instance);
        }
        elements
    }
}
