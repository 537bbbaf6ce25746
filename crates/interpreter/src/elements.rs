//! The live element instances of a record, found by key and by scope.

use std::collections::BTreeSet;
use std::collections::btree_map::{self, BTreeMap};

use orloj_types::ElementInstanceKey;

use crate::record::ElementInstance;

/// By key, so oldest first; an index by scope beside it keeps large scopes cheap.
#[derive(Clone, Debug, Default)]
pub struct Elements {
    by_key: BTreeMap<ElementInstanceKey, ElementInstance>,
    /// Scope and key of each.
    by_scope: BTreeSet<(ElementInstanceKey, ElementInstanceKey)>,
}

impl Elements {
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// Oldest first.
    pub fn iter(&self) -> btree_map::Values<'_, ElementInstanceKey, ElementInstance> {
        self.by_key.values()
    }

    pub fn get(&self, key: ElementInstanceKey) -> Option<&ElementInstance> {
        self.by_key.get(&key)
    }

    /// Its key and scope stay as they are.
    pub fn get_mut(&mut self, key: ElementInstanceKey) -> Option<&mut ElementInstance> {
        self.by_key.get_mut(&key)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut ElementInstance> {
        self.by_key.values_mut()
    }

    pub fn insert(&mut self, instance: ElementInstance) {
        self.by_scope.insert((instance.scope, instance.key));
        self.by_key.insert(instance.key, instance);
    }

    pub fn remove(&mut self, key: ElementInstanceKey) -> Option<ElementInstance> {
        let removed = self.by_key.remove(&key)?;
        self.by_scope.remove(&(removed.scope, key));
        Some(removed)
    }

    /// Those directly in a scope, oldest first.
    pub fn children(
        &self,
        scope: ElementInstanceKey,
    ) -> impl DoubleEndedIterator<Item = &ElementInstance> {
        let range =
            (scope, ElementInstanceKey::new(i64::MIN))..=(scope, ElementInstanceKey::new(i64::MAX));
        self.by_scope.range(range).map(|(_, key)| &self.by_key[key])
    }

    pub fn has_children(&self, scope: ElementInstanceKey) -> bool {
        self.children(scope).next().is_some()
    }
}

/// The index follows from the rest.
impl PartialEq for Elements {
    fn eq(&self, other: &Self) -> bool {
        self.by_key == other.by_key
    }
}

impl<'a> IntoIterator for &'a Elements {
    type Item = &'a ElementInstance;
    type IntoIter = btree_map::Values<'a, ElementInstanceKey, ElementInstance>;

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
