//! Variables by the scope they belong to.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Index;
use std::sync::Arc;

use orloj_model::VariableEvent;
use orloj_types::{ElementInstanceKey, Variables};

use crate::elements::PAGE_ELEMENTS_MAX;
use crate::pages::{Changed, Iter, Page, Pages};

type Kept = Pages<ElementInstanceKey, Variables, PAGE_ELEMENTS_MAX>;

/// By key of the scope; copies share what they do not change. The scope of the instance itself is
/// always in the record's own page, as no key is lower.
#[derive(Clone, Debug, Default)]
pub struct Scopes(Kept, Option<Notes>);

/// Which variables were set and taken away, in order. What watches them hears of a write that
/// changes nothing too, which no comparison of values shows.
#[derive(Clone, Debug, Default)]
struct Notes {
    writes: Vec<Write>,
    /// What a loop wrote, by its body, which nothing hears before a token that is in the body
    /// itself goes on.
    held: BTreeMap<ElementInstanceKey, Vec<Write>>,
    /// The variables of `held` by their scope, which belongs to one body only. There may be as
    /// many as instances of the loop, and each look at what has changed asks for them.
    held_names: BTreeMap<ElementInstanceKey, BTreeSet<Arc<str>>>,
}

impl Notes {
    fn hold(&mut self, body: ElementInstanceKey, writes: impl IntoIterator<Item = Write>) {
        for write in writes {
            self.held_names.entry(write.scope).or_default().insert(write.name.clone());
            self.held.entry(body).or_default().push(write);
        }
        #[cfg(test)]
        tests::note_held(self.held.values().map(Vec::len).sum());
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) scope: ElementInstanceKey,
    pub(crate) name: Arc<str>,
    pub(crate) event: VariableEvent,
}

/// What was written on the way here is no part of the variables.
impl PartialEq for Scopes {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Scopes {
    pub fn new() -> Self {
        Self::default()
    }

    /// The head and the pages as they were stored, each by key.
    pub fn from_parts(
        head: Vec<(ElementInstanceKey, Variables)>,
        pages: Vec<Page<ElementInstanceKey, Variables>>,
    ) -> Self {
        Self(Kept::from_parts(head, pages), None)
    }

    pub fn get(&self, scope: &ElementInstanceKey) -> Option<&Variables> {
        self.0.get(*scope)
    }

    pub fn get_mut(&mut self, scope: &ElementInstanceKey) -> Option<&mut Variables> {
        self.0.get_mut(*scope)
    }

    /// The variables of a scope, which may have none yet.
    pub fn get_or_default(&mut self, scope: ElementInstanceKey) -> &mut Variables {
        if self.0.get(scope).is_none() {
            self.0.insert(scope, Variables::new());
        }
        self.0.get_mut(scope).expect("it was put there")
    }

    pub fn insert(&mut self, scope: ElementInstanceKey, variables: Variables) {
        self.0.insert(scope, variables);
    }

    pub fn remove(&mut self, scope: &ElementInstanceKey) -> Option<Variables> {
        self.0.remove(*scope)
    }

    pub fn iter(&self) -> ScopesIter<'_> {
        self.0.iter().map(|(scope, variables)| (scope, variables))
    }

    /// Whether one is a copy of the other, and nothing was changed since.
    pub fn is_copy_of(&self, other: &Self) -> bool {
        self.0.is_copy_of(&other.0)
    }

    /// How many scopes have variables.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn keys(&self) -> impl Iterator<Item = &ElementInstanceKey> {
        self.0.iter().map(|(scope, _)| scope)
    }

    /// Those of the record's own page.
    pub fn head(&self) -> &[(ElementInstanceKey, Variables)] {
        self.0.head()
    }

    /// The other pages.
    pub fn pages(&self) -> impl Iterator<Item = &Page<ElementInstanceKey, Variables>> {
        self.0.stored()
    }

    /// The other pages that differ from those of `before`.
    pub fn changed_pages<'a>(
        &'a self,
        before: &'a Self,
    ) -> Vec<Changed<'a, ElementInstanceKey, Variables>> {
        self.0.changed(&before.0)
    }

    /// Whether all are in the record's own page.
    pub fn is_head_only(&self) -> bool {
        self.0.is_head_only()
    }
}

impl Scopes {
    /// From now on writes are noted.
    pub(crate) fn note_writes(&mut self) {
        self.1 = Some(Notes::default());
    }

    /// The command is over: what it wrote is nothing new to the next.
    pub(crate) fn end_notes(&mut self) {
        self.1 = None;
    }

    pub(crate) fn written(
        &mut self,
        scope: ElementInstanceKey,
        name: &Arc<str>,
        event: VariableEvent,
    ) {
        if let Some(notes) = &mut self.1 {
            notes.writes.push(Write { scope, name: name.clone(), event });
        }
    }

    /// What was noted since there were `from` writes is held for the body of a loop.
    pub(crate) fn hold_since(&mut self, from: usize, body: ElementInstanceKey) {
        if let Some(notes) = &mut self.1 {
            let held = notes.writes.split_off(from.min(notes.writes.len()));
            notes.hold(body, held);
        }
    }

    /// The variables that a scope inside of the loop was made with are held for its body.
    pub(crate) fn hold_new(&mut self, body: ElementInstanceKey, scope: ElementInstanceKey) {
        let Some(notes) = &mut self.1 else { return };
        let event = VariableEvent::Create;
        let made = self.0.get(scope).into_iter().flatten();
        notes.hold(body, made.map(|(name, _)| Write { scope, name: name.clone(), event }));
    }

    /// What is held for the body has been written now; whether there was anything.
    pub(crate) fn release(&mut self, body: ElementInstanceKey) -> bool {
        let Some(notes) = &mut self.1 else { return false };
        let Some(free) = notes.held.remove(&body) else { return false };
        for write in &free {
            notes.held_names.remove(&write.scope);
        }
        notes.writes.extend(free);
        true
    }

    /// What was noted since it was last forgotten.
    pub(crate) fn writes(&self) -> &[Write] {
        self.1.as_ref().map_or(&[], |notes| &notes.writes)
    }

    /// Whether a write of the variable is held for the body of a loop.
    pub(crate) fn is_held(&self, scope: ElementInstanceKey, name: &str) -> bool {
        let names = self.1.as_ref().and_then(|notes| notes.held_names.get(&scope));
        names.is_some_and(|names| names.contains(name))
    }

    /// The variables as they are, without what was noted on the way here.
    pub(crate) fn without_notes(&self) -> Self {
        Self(self.0.clone(), None)
    }

    pub(crate) fn forget_writes(&mut self) {
        if let Some(notes) = &mut self.1 {
            notes.writes.clear();
        }
    }
}

impl Scopes {
    /// All scopes whose variables may differ from those of `before`, at the cost of what differs.
    pub(crate) fn maybe_changed<'a>(
        &'a self,
        before: &'a Self,
    ) -> impl Iterator<Item = (ElementInstanceKey, &'a Variables)> {
        let pages = self.0.changed(&before.0).into_iter().filter_map(|(_, is)| is);
        let entries = self.0.head().iter().chain(pages.flat_map(|page| &page.entries));
        entries.map(|(scope, variables)| (*scope, variables))
    }
}

impl Scopes {
    /// All scopes of `before` that may not be here any more, at the cost of what differs.
    pub(crate) fn maybe_gone<'a>(
        &'a self,
        before: &'a Self,
    ) -> impl Iterator<Item = (ElementInstanceKey, &'a Variables)> {
        let pages = self.0.changed(&before.0).into_iter().filter_map(|(was, _)| was);
        let entries = before.0.head().iter().chain(pages.flat_map(|page| &page.entries));
        entries.map(|(scope, variables)| (*scope, variables))
    }
}

impl Index<&ElementInstanceKey> for Scopes {
    type Output = Variables;

    fn index(&self, scope: &ElementInstanceKey) -> &Variables {
        self.get(scope).expect("the scope has variables")
    }
}

pub type ScopesIter<'a> = std::iter::Map<
    Iter<'a, ElementInstanceKey, Variables>,
    fn(&'a (ElementInstanceKey, Variables)) -> (&'a ElementInstanceKey, &'a Variables),
>;

impl<'a> IntoIterator for &'a Scopes {
    type Item = (&'a ElementInstanceKey, &'a Variables);
    type IntoIter = ScopesIter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    thread_local! {
        /// The most writes that were held at a time.
        pub(crate) static HELD_MAX: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn note_held(held: usize) {
        HELD_MAX.with(|most| most.set(most.get().max(held)));
    }
}
