//! Variables by name, shared until they are changed.

use std::collections::{BTreeMap, btree_map};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::value::StoredValue;

type Map = BTreeMap<Arc<str>, StoredValue>;

/// A map that costs nothing to copy: every command works on a copy of its instance's state, and
/// most commands leave most variables alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables(Arc<Map>);

impl Variables {
    pub fn new() -> Self {
        Self::default()
    }
}

impl Deref for Variables {
    type Target = Map;

    fn deref(&self) -> &Map {
        &self.0
    }
}

impl DerefMut for Variables {
    fn deref_mut(&mut self) -> &mut Map {
        Arc::make_mut(&mut self.0)
    }
}

impl From<Map> for Variables {
    fn from(map: Map) -> Self {
        Self(Arc::new(map))
    }
}

impl FromIterator<(Arc<str>, StoredValue)> for Variables {
    fn from_iter<I: IntoIterator<Item = (Arc<str>, StoredValue)>>(entries: I) -> Self {
        Self::from(Map::from_iter(entries))
    }
}

impl IntoIterator for Variables {
    type Item = (Arc<str>, StoredValue);
    type IntoIter = btree_map::IntoIter<Arc<str>, StoredValue>;

    fn into_iter(self) -> Self::IntoIter {
        Arc::unwrap_or_clone(self.0).into_iter()
    }
}

impl<'a> IntoIterator for &'a Variables {
    type Item = (&'a Arc<str>, &'a StoredValue);
    type IntoIter = btree_map::Iter<'a, Arc<str>, StoredValue>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
