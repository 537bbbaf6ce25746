//! Loading instances, giving them work, forgetting them.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use orloj_store::{Error as StoreError, LoadedInstance};
use orloj_types::{DefinitionKey, InstanceKey};
use rustc_hash::FxHashMap;

use super::slot::{SlotState, Task};
use super::{Action, Node, RETRY_MS};
use crate::api::Error;
use crate::codec;
use crate::definition::Definition;

/// Instances asked for in one read.
const LOAD_INSTANCES_MAX: usize = 256;
/// Memory of instances kept though nothing is to be done with them.
const IDLE_BYTES_MAX: usize = 32 << 20;
/// A large instance is forgotten this long after it has had its last work. While it has some it
/// stays: to read it again with every step would take longer than the step.
const LARGE_KEPT_MS: i64 = 1_000;

/// Which instances have been without work for the longest time.
#[derive(Debug)]
pub(crate) struct IdleSlots {
    order: VecDeque<(InstanceKey, u64, usize)>,
    /// Of all in `order`, those used again since included.
    bytes: usize,
    /// Large ones are kept apart, so that they do not push all others out.
    large: BTreeSet<InstanceKey>,
    stamp: u64,
    instances_max: usize,
}

impl IdleSlots {
    pub fn new(instances_max: usize) -> Self {
        Self { order: VecDeque::new(), bytes: 0, large: BTreeSet::new(), stamp: 0, instances_max }
    }
}

impl Node {
    /// Gives an instance something to do, loading it first if need be.
    pub(super) fn submit(&mut self, instance: InstanceKey, task: Task) {
        let slot = self.slots.entry(instance).or_insert_with(|| {
            self.to_load.push(instance);
            Box::default()
        });
        slot.has_late_task |= slot.is_load_sent;
        slot.waiting.push_back(task);
        self.run_slot(instance);
    }

    /// Works off what waits for an instance, one after another.
    pub(super) fn run_slot(&mut self, instance: InstanceKey) {
        loop {
            let Some(slot) = self.slots.get_mut(&instance) else { return };
            if slot.state != SlotState::Ready || slot.waiting.is_empty() {
                break;
            }
            if let (Some(record), None) = (&slot.record, &slot.definition) {
                let key = record.definition;
                let Some(definition) = self.definitions.get(&key) else {
                    // What is submitted until it comes is younger than what was read.
                    slot.fresh = false;
                    return self.want_definition(key, instance);
                };
                slot.definition = Some(definition.clone());
            }
            let Some(task) = slot.waiting.pop_front() else { break };
            self.execute(instance, task);
        }
        if let Some(slot) = self.slots.get_mut(&instance) {
            slot.fresh = false;
        }
        self.rest(instance);
    }

    /// To be called when an instance may have nothing left to do.
    pub(super) fn rest(&mut self, instance: InstanceKey) {
        let Some(slot) = self.slots.get_mut(&instance) else { return };
        if slot.state == SlotState::Verifying && slot.pending == 0 {
            slot.state = SlotState::Loading;
            self.to_load.push(instance);
        }
        if !slot.is_idle() {
            return;
        }
        if slot.record.is_none() {
            self.slots.remove(&instance);
            return;
        }
        self.idle_slots.stamp += 1;
        slot.used = self.idle_slots.stamp;
        let bytes = slot.bytes();
        if slot.is_large() {
            self.idle_slots.large.insert(instance);
            return;
        }
        self.idle_slots.bytes += bytes;
        self.idle_slots.order.push_back((instance, slot.used, bytes));
    }

    /// Drops what this node believes about an instance and reads it again.
    pub(super) fn reload(&mut self, instance: InstanceKey) {
        if let Some(slot) = self.slots.get_mut(&instance) {
            slot.state = SlotState::Loading;
            slot.record = None;
            slot.events.clear();
            self.to_load.push(instance);
        }
    }

    pub(super) fn loaded(
        &mut self,
        instances: &[InstanceKey],
        result: Result<Vec<LoadedInstance>, StoreError>,
    ) {
        let rows = match result {
            Ok(rows) => rows,
            Err(error) => {
                self.metrics.store_errors.inc();
                return self.load_failed(instances, &error);
            }
        };
        let mut found: FxHashMap<InstanceKey, LoadedInstance> =
            rows.into_iter().map(|row| (row.row.key, row)).collect();
        for &instance in instances {
            let loaded = found.remove(&instance);
            let Some(slot) = self.slots.get_mut(&instance) else { continue };
            if slot.state != SlotState::Loading {
                continue;
            }
            match loaded.map(|loaded| codec::decode(&loaded).map(|record| (loaded, record))) {
                Some(Ok((loaded, record))) => {
                    slot.rev = loaded.row.rev;
                    slot.definition.take_if(|known| known.key != record.definition);
                    slot.events = loaded.row.events.into();
                    let large = loaded.variables.iter().map(|row| row.value.bytes.len());
                    slot.large_bytes = large.sum();
                    let stored = &loaded.row.record;
                    slot.record_bytes = codec::in_memory_bytes(stored, &record, slot.large_bytes);
                    slot.record = Some(record.into());
                }
                None => slot.record = None,
                Some(Err(error)) => {
                    self.load_failed(&[instance], &error);
                    continue;
                }
            }
            slot.state = SlotState::Ready;
            slot.is_load_sent = false;
            slot.fresh = !std::mem::take(&mut slot.has_late_task);
            self.loads += 1;
            slot.loaded = self.loads;
            slot.known_at = self.now;
            self.run_slot(instance);
        }
    }

    /// The store is not there, or the record is damaged: whoever waits is told. The engine's own
    /// jobs are still ours and so are the results foreign code has given for them; they wait until
    /// the store answers.
    fn load_failed(&mut self, instances: &[InstanceKey], error: &StoreError) {
        for instance in instances {
            let Some(mut slot) = self.slots.remove(instance) else { continue };
            let (kept, given_up): (VecDeque<Task>, VecDeque<Task>) =
                slot.waiting.into_iter().partition(Task::is_engine_job);
            if !kept.is_empty() {
                slot.state = SlotState::Loading;
                slot.record = None;
                slot.waiting = kept;
                slot.is_load_sent = false;
                slot.has_late_task = false;
                self.slots.insert(*instance, slot);
                self.to_load_later.push(*instance);
                self.retry_at = self.now.plus_ms(RETRY_MS);
            }
            for task in given_up {
                self.give_up(task, error);
            }
        }
    }

    fn want_definition(&mut self, key: DefinitionKey, instance: InstanceKey) {
        let waiting = self.without_definition.entry(key).or_insert_with(|| {
            self.actions.push(Action::LoadDefinition { key });
            Vec::new()
        });
        waiting.push(instance);
    }

    pub(super) fn definition_loaded(
        &mut self,
        key: DefinitionKey,
        result: Result<Arc<Definition>, Error>,
    ) {
        let waiting = self.without_definition.remove(&key).unwrap_or_default();
        if let Ok(definition) = &result {
            self.known.heed(definition.key, definition.suspended_under);
            self.definitions.insert(key, definition.clone());
        }
        self.start_waiting(key, result.as_ref().err());
        self.chores_definition(key, result.as_ref().err());
        match result {
            Ok(_) => {
                for instance in waiting {
                    self.run_slot(instance);
                }
            }
            // A start has brought it along meanwhile, and its instances are at work.
            Err(_) if self.definitions.contains_key(&key) => {
                for instance in waiting {
                    self.run_slot(instance);
                }
            }
            Err(error) => {
                let error = StoreError::Unavailable(error.to_string());
                self.load_failed(&waiting, &error);
            }
        }
    }

    pub(super) fn send_loads(&mut self) {
        if self.now >= self.retry_at {
            self.to_load.append(&mut self.to_load_later);
        }
        while !self.to_load.is_empty() {
            let rest = self.to_load.split_off(self.to_load.len().min(LOAD_INSTANCES_MAX));
            let instances = std::mem::replace(&mut self.to_load, rest);
            for instance in &instances {
                if let Some(slot) = self.slots.get_mut(instance) {
                    slot.is_load_sent = true;
                }
            }
            self.actions.push(Action::Load { instances });
        }
    }

    /// Forgets the instances that were idle for the longest time.
    pub(super) fn evict(&mut self) {
        let mut lent = Vec::new();
        // Entries used again since make the order longer, and heavier, than what is idle.
        while self.idle_slots.order.len() > self.idle_slots.instances_max
            || self.idle_slots.bytes > IDLE_BYTES_MAX
        {
            let Some((instance, stamp, bytes)) = self.idle_slots.order.pop_front() else { break };
            self.idle_slots.bytes -= bytes;
            let is_idle = self.slots.get(&instance).is_some_and(|s| s.used == stamp && s.is_idle());
            if is_idle && self.slots.get(&instance).is_some_and(|s| s.lent_until > self.now) {
                lent.push((instance, stamp, bytes));
            } else if is_idle {
                self.slots.remove(&instance);
            }
        }
        let (slots, now) = (&mut self.slots, self.now);
        self.idle_slots.large.retain(|instance| {
            let Some(slot) = slots.get(instance) else { return false };
            if !slot.is_idle() {
                return false;
            }
            let is_over = now.ms_since(slot.known_at) > LARGE_KEPT_MS && slot.lent_until <= now;
            if is_over {
                slots.remove(instance);
            }
            !is_over
        });
        for entry in lent {
            self.idle_slots.bytes += entry.2;
            self.idle_slots.order.push_back(entry);
        }
    }
}
