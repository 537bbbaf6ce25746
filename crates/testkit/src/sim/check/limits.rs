//! What people set while jobs run: it holds from the moment every live node goes by it.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_store::{InstanceWrite, LimitScope, NewLimit};
use orloj_types::DefinitionKey;

use super::{Checker, Violation};
use crate::sim_store::Core;

#[derive(Debug, Default)]
pub(super) struct Settings {
    limits: BTreeMap<(LimitScope, Arc<str>), Limit>,
    /// With the version that says so.
    suspended: BTreeMap<DefinitionKey, i64>,
}

#[derive(Debug)]
struct Limit {
    /// From this version on there is one.
    since: i64,
    max: u64,
    /// As many may be locked. More than `max` only if they were locked before it held.
    allowed: Option<u64>,
}

impl Checker {
    pub fn limit_set(&mut self, store: &Core, limit: &NewLimit, version: i64) {
        let Some(max) = limit.max_concurrent.map(u64::from) else {
            self.settings.limits.remove(&(limit.scope, limit.name.clone()));
            return;
        };
        let place = (limit.scope, limit.name.clone());
        let locked = locked(store, &place);
        let known = self.settings.limits.entry(place);
        let known = known.or_insert(Limit { since: version, max, allowed: None });
        known.max = max;
        // Nobody hands over what is limited already, and acquisitions read the row.
        known.allowed = known.allowed.map(|_| max.max(locked));
    }

    pub fn limit_deleted(&mut self, scope: LimitScope, name: &Arc<str>) {
        self.settings.limits.remove(&(scope, name.clone()));
    }

    pub fn suspended(&mut self, definition: DefinitionKey, version: Option<i64>) {
        match version {
            Some(version) => self.settings.suspended.insert(definition, version),
            None => self.settings.suspended.remove(&definition),
        };
    }

    /// No more are locked than a limit allows.
    pub fn limits(&mut self, store: &Core) -> Result<(), Violation> {
        if self.settings.limits.is_empty() {
            return Ok(());
        }
        let seen = seen(store);
        for (place, limit) in &mut self.settings.limits {
            let locked = locked(store, place);
            if limit.allowed.is_none() && seen >= limit.since {
                limit.allowed = Some(limit.max.max(locked));
            }
            let Some(allowed) = &mut limit.allowed else { continue };
            if locked > *allowed {
                let message = format!("{locked} jobs of {place:?} are locked, {allowed} may be");
                return Err(Violation::new("I6", message));
            }
            *allowed = limit.max.max(locked);
        }
        Ok(())
    }

    /// No instance of a suspended definition begins.
    pub fn no_start(&self, seen: i64, write: &InstanceWrite) -> Result<(), Violation> {
        let InstanceWrite::Insert(row) = write else { return Ok(()) };
        match self.settings.suspended.get(&row.definition) {
            Some(version) if seen >= *version && row.caller.is_none() => {
                let message = format!("instance {} of a suspended definition begins", row.key);
                Err(Violation::new("suspension", message))
            }
            _ => Ok(()),
        }
    }
}

/// The version that every live node goes by.
pub(super) fn seen(store: &Core) -> i64 {
    store.nodes().iter().map(|node| node.settings_seen).min().unwrap_or(i64::MAX)
}

fn locked(store: &Core, (scope, name): &(LimitScope, Arc<str>)) -> u64 {
    let counts = |job: &&orloj_store::JobRow| {
        job.is_locked()
            && match scope {
                LimitScope::Topic => job.topic == *name,
                LimitScope::Tenant => *job.tenant == **name,
                LimitScope::Key => job.limit_key.as_ref() == Some(name),
            }
    };
    store.jobs.values().filter(counts).count() as u64
}
