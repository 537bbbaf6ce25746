//! Where parsed definitions are kept.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use orloj_types::DefinitionKey;
use rustc_hash::FxHashMap;

use crate::definition::Definition;

/// Keeps definitions that have been read and parsed; one that is not there is read again. It is
/// asked before every step of an instance that is not at work already, so it should be quick.
///
/// A definition changes its tenant at most, and is removed then; so nothing in a cache is out of
/// date.
pub trait DefinitionCache: Send + Sync + 'static {
    fn get(&self, key: DefinitionKey) -> Option<Arc<Definition>>;
    fn put(&self, definition: Arc<Definition>);
    fn remove(&self, key: DefinitionKey);
}

/// Keeps so many, and drops the one that was not asked for longest.
pub struct BoundedCache {
    definitions_max: usize,
    clock: AtomicU64,
    kept: RwLock<FxHashMap<DefinitionKey, Kept>>,
}

struct Kept {
    definition: Arc<Definition>,
    used: AtomicU64,
}

impl BoundedCache {
    /// A few kilobytes each; more than most applications ever deploy.
    pub const DEFINITIONS_MAX: usize = 1_000;

    /// At least one is kept.
    pub fn new(definitions_max: usize) -> Self {
        Self {
            definitions_max: definitions_max.max(1),
            clock: AtomicU64::new(0),
            kept: RwLock::default(),
        }
    }

    pub fn len(&self) -> usize {
        self.read().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn tick(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::Relaxed)
    }

    fn read(&self) -> RwLockReadGuard<'_, FxHashMap<DefinitionKey, Kept>> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, FxHashMap<DefinitionKey, Kept>> {
        self.kept.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for BoundedCache {
    fn default() -> Self {
        Self::new(Self::DEFINITIONS_MAX)
    }
}

impl DefinitionCache for BoundedCache {
    fn get(&self, key: DefinitionKey) -> Option<Arc<Definition>> {
        let kept = self.read();
        let found = kept.get(&key)?;
        found.used.store(self.tick(), Ordering::Relaxed);
        Some(found.definition.clone())
    }

    fn put(&self, definition: Arc<Definition>) {
        let mut kept = self.write();
        // Found by looking at all of them: a miss costs a read and a parse anyway.
        while kept.len() >= self.definitions_max && !kept.contains_key(&definition.key) {
            let oldest = kept.iter().min_by_key(|(_, kept)| kept.used.load(Ordering::Relaxed));
            let Some(oldest) = oldest.map(|(key, _)| *key) else { break };
            kept.remove(&oldest);
        }
        let used = AtomicU64::new(self.tick());
        kept.insert(definition.key, Kept { definition, used });
    }

    fn remove(&self, key: DefinitionKey) {
        self.write().remove(&key);
    }
}
