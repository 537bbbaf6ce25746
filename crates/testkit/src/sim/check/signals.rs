//! A signal reaches all it is for, whoever dies on the way, and each of them once.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_store::{
    BroadcastKey, BroadcastRow, BroadcastWrite, Change, InstanceWrite, StartKind, SubscriptionKind,
};
use orloj_types::{DefinitionKey, InstanceKey, SubscriptionKey};

use super::{Checker, Violation};
use crate::sim_store::Core;

#[derive(Debug, Default)]
pub(crate) struct OnItsWay {
    /// Those that waited when it was committed.
    waits: BTreeSet<SubscriptionKey>,
    starts: BTreeSet<DefinitionKey>,
    /// Those that have heard it.
    told: BTreeSet<InstanceKey>,
    started: BTreeSet<DefinitionKey>,
}

impl Checker {
    /// `store` is as the group has left it.
    pub(super) fn signals(&mut self, store: &Core, change: &Change) -> Result<(), Violation> {
        for row in &change.broadcasts_added {
            if let Some((name, except)) = signal_of(row) {
                self.signals.insert(row.key, on_its_way(store, row, &name, except));
            }
        }
        for write in &change.broadcasts {
            match write {
                BroadcastWrite::Progress { key, .. } => self.told(*key, change)?,
                BroadcastWrite::Done { key, .. } => self.over(store, *key)?,
            }
        }
        Ok(())
    }

    fn told(&mut self, key: BroadcastKey, change: &Change) -> Result<(), Violation> {
        let Some(signal) = self.signals.get_mut(&key) else { return Ok(()) };
        let inserted = change.instances.iter().filter_map(|write| match write {
            InstanceWrite::Insert(row) => Some(row.definition),
            InstanceWrite::Update { .. } | InstanceWrite::Delete { .. } => None,
        });
        for definition in inserted.filter(|definition| signal.starts.contains(definition)) {
            if !signal.started.insert(definition) {
                let message = format!("signal {key} starts {definition} twice");
                return Err(Violation::new("signals", message));
            }
        }
        let updated = change.instances.iter().filter_map(|write| match write {
            InstanceWrite::Update { key, .. } | InstanceWrite::Delete { key, .. } => Some(*key),
            InstanceWrite::Insert(_) => None,
        });
        if change.subscriptions_gone.is_empty() {
            return Ok(());
        }
        for instance in updated {
            if !signal.told.insert(instance) {
                let message = format!("instance {instance} hears signal {key} twice");
                return Err(Violation::new("signals", message));
            }
        }
        Ok(())
    }

    fn over(&mut self, store: &Core, key: BroadcastKey) -> Result<(), Violation> {
        let Some(signal) = self.signals.remove(&key) else { return Ok(()) };
        if let Some(wait) = signal.waits.iter().find(|wait| store.subscriptions.contains_key(wait))
        {
            let message = format!("signal {key} is over, but {wait} has not heard it");
            return Err(Violation::new("signals", message));
        }
        if let Some(missing) = signal.starts.difference(&signal.started).next() {
            let message = format!("signal {key} is over, but has not started {missing}");
            return Err(Violation::new("signals", message));
        }
        Ok(())
    }
}

fn on_its_way(
    store: &Core,
    row: &BroadcastRow,
    name: &Arc<str>,
    except: Option<InstanceKey>,
) -> OnItsWay {
    let waits = store.subscriptions.values().filter(|wait| {
        wait.kind == SubscriptionKind::Signal
            && (&wait.name, &wait.tenant) == (name, &row.tenant)
            && Some(wait.instance) != except
    });
    let starts = store.starts.values().filter(|start| {
        start.kind == StartKind::Signal && (&start.name, &start.tenant) == (name, &row.tenant)
    });
    OnItsWay {
        waits: waits.map(|wait| wait.key).collect(),
        starts: starts.map(|start| start.definition).collect(),
        ..OnItsWay::default()
    }
}

/// The name, and who has heard it already; nothing for other errands.
fn signal_of(row: &BroadcastRow) -> Option<(Arc<str>, Option<InstanceKey>)> {
    let Some(marked) = row.name.strip_prefix('\u{1}') else {
        return Some((row.name.clone(), None));
    };
    let (instance, name) = marked.strip_prefix("but ")?.split_once(' ')?;
    Some((name.into(), Some(InstanceKey::new(instance.parse().ok()?))))
}
