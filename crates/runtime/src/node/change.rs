//! From an outcome of the interpreter to a change of the store, and what follows once it is
//! committed. Here jobs are locked: a job that is ready and has a taker on this node is inserted
//! already locked for it and handed over after the commit.

use std::sync::Arc;

use orloj_executor::{QueuedJob, Taker, TakerId};
use orloj_interpreter::{
    Activation, EndKind, Event, IncidentChange, JobChange, JobState, Outcome, Record,
    SubscriptionChange, UserTaskChange,
};
use orloj_store::format::{RecordWriter, encode_activation, encode_variables};
use orloj_store::{
    Change, EndedRow, HistoryRow, InstanceRow, InstanceWrite, JobUpdate, JobWrite, LockWrite,
};
use orloj_types::{Document, InstanceKey, JobKey, NodeNumber, Timestamp};

use super::claims::holder;
use super::event::WorkOrigin;
use super::lane::{Done, Entry, Other};
use super::slot::{Attempt, Slot, SlotState};
use super::{Node, Phase, Sabotage};
use crate::api::ActivatedJob;
use crate::codec;
use crate::definition::Definition;

/// History gathers in the instance's row up to this size before it gets a row of its own: one
/// insert then serves many steps (docs/adr/0004 has the figures).
const EVENTS_INLINE_BYTES_MAX: usize = 1_024;

/// What to do when a change has been committed.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    /// Engine jobs this node has locked; a place in the queue is reserved for each.
    pub queued: Vec<QueuedJob>,
    /// Worker jobs locked for a taker of this node; one of its credits is spent on each.
    pub handed: Vec<(TakerId, Box<ActivatedJob>)>,
    /// Types of the ready jobs that nobody here takes.
    pub ready_types: Vec<Arc<str>>,
    pub due: Vec<Timestamp>,
    /// Jobs that this change ends or unlocks.
    pub gone: Vec<JobKey>,
    /// Instances that have ended.
    pub ends: Vec<(InstanceKey, EndEffect)>,
    /// Something is left to be told to other instances.
    pub has_errands: bool,
    /// Places and credits reserved for jobs that a merged later command has ended already.
    pub places_back: usize,
    pub credits_back: Vec<TakerId>,
}

#[derive(Debug)]
pub(crate) struct EndEffect {
    pub completed: bool,
    pub variables: Document,
    pub awaited_by: Option<NodeNumber>,
}

impl Node {
    /// Turns an outcome into a change on its way to the store; the slot moves on at once.
    pub(super) fn apply(&mut self, instance: InstanceKey, attempt: Box<Attempt>, outcome: Outcome) {
        let Some(slot) = self.slots.get(&instance) else { return };
        let record = outcome.record.as_ref().or(slot.record.as_deref());
        let family = record.map_or(instance, Record::hierarchy);
        let mut outcome = self.with_activation(&attempt, outcome);
        let parts = std::mem::take(&mut outcome.others);
        let mut change = Change::default();
        let mut effects = Effects::default();
        self.change_slot(outcome, &mut change, &mut effects);
        self.claim(instance, &attempt, &mut change);
        let mut others = Vec::with_capacity(parts.len());
        for part in parts {
            others.push(Other { instance: part.instance, is_new: part.is_new });
            self.change_slot(part, &mut change, &mut effects);
        }
        let bytes = change_bytes(&change);
        let done = vec![Done { attempt, effects, instance, others }];
        let lane = self.lane_of(family);
        self.lanes[lane].push(Entry { family, change, bytes, done, sole: None });
    }

    /// One instance moves on: its slot at once, its rows with the change.
    fn change_slot(&mut self, mut outcome: Outcome, change: &mut Change, effects: &mut Effects) {
        let instance = outcome.instance;
        let mut slot = self.slots.remove(&instance).unwrap_or_else(|| {
            // Called by the command.
            let definition = self.definitions.get(&outcome.definition).cloned();
            let slot = Slot { state: SlotState::Ready, definition, ..Slot::default() };
            Box::new(slot)
        });
        let signals = std::mem::take(&mut outcome.signals);
        if !signals.is_empty() {
            let record = outcome.record.as_ref().or(slot.record.as_deref());
            let tenant = record.map(|record| record.tenant.clone());
            let tenant = tenant.or_else(|| Some(slot.definition.as_ref()?.tenant.clone()));
            let rows = self.signal_rows(signals, &tenant.unwrap_or_default());
            change.broadcasts_added.extend(rows);
            effects.has_errands = true;
        }
        self.change(instance, &mut slot, outcome, change, effects);
        slot.pending += 1;
        self.slots.insert(instance, slot);
    }

    /// History tells which node ran a job, as it tells which worker did.
    fn with_activation(&self, attempt: &Attempt, mut outcome: Outcome) -> Outcome {
        if let WorkOrigin::Engine { job, since } = attempt.work.origin {
            let activation = Activation { worker: self.config.node_name.clone(), at: since };
            outcome.events.insert(0, Event::JobActivated { key: job, activation });
        }
        outcome
    }

    fn change(
        &mut self,
        instance: InstanceKey,
        slot: &mut Slot,
        outcome: Outcome,
        change: &mut Change,
        effects: &mut Effects,
    ) {
        let engine = self.config.engine.clone();
        let old = slot.record.take();
        let old = old.as_deref();
        // An instance that ends keeps no record; its rows still need who it was.
        let Some(identity) = outcome.record.as_ref().or(old) else {
            debug_assert!(outcome.end.is_some(), "started and ended in one command");
            return self.change_of_instant_end(instance, slot, outcome, change, effects);
        };
        let now = self.now;
        let started_at = identity.started_at;
        codec::append_events(&mut slot.events, &outcome.events, instance, started_at, now);

        for job in outcome.jobs {
            self.job_change(job, old, identity, slot, change, effects);
        }
        for task in outcome.user_tasks {
            match task {
                UserTaskChange::Insert(row) => {
                    change.user_tasks_added.push(codec::user_task_row(&engine, identity, row, now))
                }
                UserTaskChange::Delete(key) => change.user_tasks_gone.push(key),
                // The row keeps the element it was made for; the record knows the new one.
                UserTaskChange::Move { .. } => {}
            }
        }
        for incident in outcome.incidents {
            match incident {
                IncidentChange::Insert(row) => {
                    change.incidents_added.push(codec::incident_row(&engine, identity, row, now))
                }
                IncidentChange::Delete(key) => change.incidents_gone.push(key),
            }
        }
        for subscription in outcome.subscriptions {
            match subscription {
                SubscriptionChange::Insert(row) => {
                    change.subscriptions_added.push(codec::subscription_row(&engine, identity, row))
                }
                SubscriptionChange::Delete(key) => change.subscriptions_gone.push(key),
            }
        }
        let large = codec::large_variables(&engine, instance, old, outcome.record.as_ref());
        change.variables.extend(large);

        let expected_rev = slot.rev;
        slot.rev += 1;
        let is_over = outcome.end.is_some();
        if is_over || slot.events.len() > EVENTS_INLINE_BYTES_MAX {
            change.history.push(HistoryRow {
                instance,
                rev: slot.rev,
                engine: engine.clone(),
                tenant: identity.tenant.clone(),
                at: now,
                events: std::mem::take(&mut slot.events),
            });
        }
        if let Some(end) = outcome.end {
            let completed = end.how == EndKind::Completed;
            if let (Some(key), Some(definition), true) =
                (&identity.started_with, slot.definition.clone(), old.is_some())
            {
                let process = &definition.process;
                self.release_holder(instance, process, &identity.tenant, key, change);
                effects.has_errands = true;
            }
            change.ended.push(EndedRow {
                key: instance,
                engine,
                tenant: identity.tenant.clone(),
                definition: identity.definition,
                business_key: identity.business_key.clone(),
                completed,
                started_at,
                ended_at: now,
                variables: encode_variables(&end.variables),
                caller: identity.caller.map(|caller| caller.instance),
                root: identity.caller.map(|caller| caller.root),
            });
            if old.is_some() {
                change.instances.push(InstanceWrite::Delete { key: instance, expected_rev });
            }
            let awaited_by = identity.awaited_by;
            let effect = EndEffect { completed, variables: end.variables, awaited_by };
            effects.ends.push((instance, effect));
        } else if old.is_some() {
            let mut record = codec::encode(identity);
            if slot.row_definition.is_some_and(|known| known != identity.definition) {
                RecordWriter::migrated(&mut record, identity.definition.raw());
            }
            slot.record_bytes = codec::in_memory_bytes(&record, identity);
            change.instances.push(InstanceWrite::Update {
                key: instance,
                expected_rev,
                rev: slot.rev,
                record,
                events: slot.events.clone(),
            });
        } else {
            let record = codec::encode(identity);
            slot.record_bytes = codec::in_memory_bytes(&record, identity);
            if let (Some(key), Some(definition)) = (&identity.started_with, &slot.definition) {
                let process = &definition.process.id;
                let row = holder(&engine, &identity.tenant, process, instance, key);
                change.messages_added.push(row);
            }
            slot.row_definition = Some(identity.definition);
            change.instances.push(InstanceWrite::Insert(InstanceRow {
                key: instance,
                rev: slot.rev,
                engine,
                tenant: identity.tenant.clone(),
                definition: identity.definition,
                business_key: identity.business_key.clone(),
                caller: identity.caller.map(|caller| caller.instance),
                root: identity.caller.map(|caller| caller.root),
                record,
                events: slot.events.clone(),
            }));
        }
        slot.record = outcome.record.map(Arc::new);
        if let Some(record) = &slot.record
            && slot.definition.as_ref().is_some_and(|known| known.key != record.definition)
        {
            // Migrated; the command has brought the new one along.
            slot.definition = self.definitions.get(&record.definition).cloned();
        }
    }

    fn job_change(
        &mut self,
        job: JobChange,
        old: Option<&Record>,
        record: &Record,
        slot: &Slot,
        change: &mut Change,
        effects: &mut Effects,
    ) {
        match job {
            JobChange::Delete(key) => {
                effects.gone.push(key);
                change.jobs.push(JobWrite::Delete(key));
            }
            JobChange::Insert(row) => {
                if row.job.state == JobState::Waiting {
                    effects.due.extend(row.job.due_at);
                }
                let ignores_queue = self.sabotaged(Sabotage::IgnoreExclusive);
                let is_ready = row.job.state == JobState::Ready
                    || (ignores_queue && row.job.state == JobState::Parked);
                let lock = if is_ready {
                    self.lock_for(&row, true, record, slot, effects)
                } else {
                    LockWrite::Clear
                };
                let mut row = codec::job_insert(&self.config.engine, record, row);
                match lock {
                    LockWrite::Session(session) => {
                        row.lock_session = Some(session);
                        row.attempt = 1;
                    }
                    LockWrite::Worker { worker, until, activations } => {
                        row.lock_worker = Some(worker);
                        row.lock_until = Some(until);
                        row.activations = activations;
                        row.attempt = 1;
                    }
                    LockWrite::Keep | LockWrite::Clear => {}
                }
                change.jobs.push(JobWrite::Insert(row));
            }
            JobChange::Update { row, unlock } => {
                if row.job.state == JobState::Waiting {
                    effects.due.extend(row.job.due_at);
                }
                let key = row.job.key;
                let was_ready = old
                    .and_then(|old| old.job(key))
                    .is_some_and(|(_, job)| job.state == JobState::Ready);
                let becomes_ready = row.job.state == JobState::Ready && (unlock || !was_ready);
                if unlock {
                    effects.gone.push(key);
                }
                let lock = if becomes_ready {
                    match self.lock_for(&row, false, record, slot, effects) {
                        LockWrite::Clear if !unlock => LockWrite::Keep,
                        lock => lock,
                    }
                } else if unlock {
                    LockWrite::Clear
                } else {
                    LockWrite::Keep
                };
                let update: JobUpdate = codec::job_update(&row, lock);
                change.jobs.push(JobWrite::Update(update));
            }
        }
    }

    /// The lock a job that has become ready is written with: this node's own, a worker's that
    /// waits here, or none. A worker job that was there before is acquired instead: only its row
    /// knows how often it was locked.
    fn lock_for(
        &mut self,
        row: &orloj_interpreter::JobRow,
        is_new: bool,
        record: &Record,
        slot: &Slot,
        effects: &mut Effects,
    ) -> LockWrite {
        let job = &row.job;
        if !job.kind.is_for_clients() {
            if self.may_queue() && self.queue.reserve() {
                self.held.insert(job.key);
                effects.queued.push(QueuedJob { job: job.key, instance: record.instance });
                return LockWrite::Session(self.lease.session);
            }
            effects.ready_types.push(self.engine_type.clone());
            return LockWrite::Clear;
        }
        let taker = match self.demands.get_mut(&job.job_type) {
            Some(demand) if is_new && self.phase == Phase::Running => demand.hand_over(),
            _ => None,
        };
        let (Some(taker), Some(definition)) = (taker, slot.definition.as_ref()) else {
            effects.ready_types.push(job.job_type.clone());
            return LockWrite::Clear;
        };
        let until = self.now.plus_ms(taker.lock_ms);
        let activated = activated_job(row, 1, record, definition, &taker, until);
        effects.handed.push((taker.id, Box::new(activated)));
        LockWrite::Worker {
            activations: encode_activation(&taker.worker, self.now),
            worker: taker.worker,
            until,
        }
    }

    /// An instance that never waits leaves no row of its own: only its history.
    fn change_of_instant_end(
        &mut self,
        instance: InstanceKey,
        slot: &mut Slot,
        outcome: Outcome,
        change: &mut Change,
        effects: &mut Effects,
    ) {
        let now = self.now;
        let start = slot.start.take().unwrap_or_default();
        let engine = self.config.engine.clone();
        codec::append_events(&mut slot.events, &outcome.events, instance, now, now);
        slot.rev += 1;
        change.history.push(HistoryRow {
            instance,
            rev: slot.rev,
            engine: engine.clone(),
            tenant: start.tenant.clone(),
            at: now,
            events: std::mem::take(&mut slot.events),
        });
        if let (Some(end), Some(definition)) = (outcome.end, slot.definition.clone()) {
            let completed = end.how == EndKind::Completed;
            if let Some(key) = &start.started_with {
                // Nobody else may have the key at this moment.
                let process = &definition.process;
                let row = holder(&engine, &start.tenant, &process.id, instance, key);
                change.messages_added.push(row);
                self.release_holder(instance, process, &start.tenant, key, change);
                effects.has_errands = true;
            }
            change.ended.push(EndedRow {
                key: instance,
                engine,
                tenant: start.tenant,
                definition: definition.key,
                business_key: end.business_key,
                completed,
                started_at: now,
                ended_at: now,
                variables: encode_variables(&end.variables),
                caller: end.caller.map(|caller| caller.instance),
                root: end.caller.map(|caller| caller.root),
            });
            let awaited_by = start.awaited_by;
            let effect = EndEffect { completed, variables: end.variables, awaited_by };
            effects.ends.push((instance, effect));
        }
    }

    /// Undoes the reservations of effects that will not happen.
    pub(super) fn forget(&mut self, effects: Effects) {
        for queued in effects.queued {
            self.queue.release();
            // A job that failed and was to be tried at once is held as it was before.
            if !effects.gone.contains(&queued.job) {
                self.held.remove(&queued.job);
            }
        }
        for (taker, _) in effects.handed {
            self.return_credit(taker, 1);
        }
        self.settle_reservations(effects.places_back, effects.credits_back);
    }

    pub(super) fn settle_reservations(&mut self, places: usize, credits: Vec<TakerId>) {
        for _ in 0..places {
            self.queue.release();
        }
        for taker in credits {
            self.return_credit(taker, 1);
        }
    }
}

/// A job as its worker gets it.
pub(super) fn activated_job(
    row: &orloj_interpreter::JobRow,
    attempt: i32,
    record: &Record,
    definition: &Definition,
    taker: &Taker,
    deadline: Timestamp,
) -> ActivatedJob {
    let mut variables = record.visible(row.element_instance);
    if !taker.fetch.is_empty() {
        variables.retain(|name, _| taker.fetch.contains(name));
    }
    ActivatedJob {
        key: row.job.key,
        job_type: row.job.job_type.clone(),
        instance: record.instance,
        definition: definition.key,
        process_id: definition.process.id.clone(),
        version: definition.version,
        element: row.element.clone(),
        element_instance: row.element_instance,
        headers: definition.headers(&row.element),
        worker: taker.worker.clone(),
        retries: row.job.retries_left,
        deadline,
        variables: Document(variables).to_json(),
        tenant: record.tenant.clone(),
        priority: row.job.priority,
        business_key: record.business_key.clone(),
        attempt,
    }
}

fn change_bytes(change: &Change) -> usize {
    let instances = change.instances.iter().map(|write| match write {
        InstanceWrite::Insert(row) => row.record.len() + row.events.len(),
        InstanceWrite::Update { record, events, .. } => record.len() + events.len(),
        InstanceWrite::Delete { .. } => 0,
    });
    let history = change.history.iter().map(|row| row.events.len());
    let variables = change.variables.iter().map(|write| match write {
        orloj_store::VariableWrite::Put(row) => row.value.bytes.len(),
        _ => 0,
    });
    instances.sum::<usize>() + history.sum::<usize>() + variables.sum::<usize>()
}
