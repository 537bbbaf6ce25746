//! From an outcome of the interpreter to a change of the store, and what follows once it is
//! committed. Here jobs are locked: a job that is ready and has a taker on this node is inserted
//! already locked for it and handed over after the commit.

use std::sync::Arc;

use orloj_executor::{BreakerState, QueuedJob, Rank, TakerId};
use orloj_interpreter::{
    Activation, Command, EndKind, Event, IncidentChange, JobChange, JobFailure, JobState, Outcome,
    Overtaking, Record, SubscriptionChange, UserTaskChange,
};
use orloj_settings::HistoryLevel;
use orloj_store::format::encode_activation;
use orloj_store::{
    Change, EndedRow, HistoryRow, IncidentNote, InstanceRow, InstanceWrite, JobUpdate, JobWrite,
    LockWrite,
};
use orloj_types::{Document, InstanceKey, JobKey, NodeNumber, Timestamp};
use thin_vec::ThinVec;

use super::bytes::change_bytes;
use super::claims::holder;
use super::event::WorkOrigin;
use super::executing::Counts;
use super::handed::activated_job;
use super::lane::{Done, Entry, Other};
use super::slot::{Attempt, Slot, SlotState};
use super::workers::WorkerAnswer;
use super::{Node, Phase, Sabotage};
use crate::api::ActivatedJob;
use crate::codec::{self, Origin};
use crate::history::{self, Deed};

/// History gathers in the instance's row up to this size before it gets a row of its own: one
/// insert then serves many steps (docs/adr/0004 has the figures).
const EVENTS_INLINE_BYTES_MAX: usize = 1_024;

/// What to do when a change has been committed.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    /// Engine jobs this node has locked; a place in the queue is reserved for each.
    pub queued: ThinVec<QueuedJob>,
    /// Worker jobs locked for a taker of this node; one of its credits is spent on each.
    pub handed: ThinVec<(TakerId, Box<ActivatedJob>)>,
    /// Types of the ready jobs that nobody here takes.
    pub ready_types: ThinVec<Arc<str>>,
    /// Ranks of the engine jobs that this node would take and left unlocked.
    pub unlocked: ThinVec<Rank>,
    /// Of those queued, the exclusive ones.
    pub locked_exclusive: u64,
    /// Engine jobs left unlocked because the queue is full.
    pub rejected: u64,
    /// What breakers count the queued jobs by.
    pub topics: ThinVec<(JobKey, Arc<str>)>,
    pub counts: Counts,
    pub due: ThinVec<Timestamp>,
    /// Jobs that this change ends or unlocks.
    pub gone: ThinVec<(JobKey, Option<i32>)>,
    /// Instances that have ended.
    pub ends: ThinVec<(InstanceKey, EndEffect)>,
    /// A job that counts for a limit has ended or is unlocked.
    pub frees_slot: bool,
    /// Exclusive jobs that were kept out by one of this change can be acquired now.
    pub lets_neighbours: bool,
    /// Exclusive jobs that go before the one whose turn it is in the queue of an instance.
    pub overtaking: ThinVec<(InstanceKey, Overtaking)>,
    /// Instances with exclusive jobs that wait for one that this node may not take.
    pub blocked: ThinVec<InstanceKey>,
    /// Something is left to be told to other instances.
    pub has_errands: bool,
    /// Places and credits reserved for jobs that a merged later command has ended already.
    pub places_back: usize,
    pub credits_back: ThinVec<TakerId>,
    /// Why the job that was run is not done.
    pub failed: Option<Box<JobFailure>>,
    /// What a worker has said.
    pub answered: Option<WorkerAnswer>,
}

#[derive(Debug)]
pub(crate) struct EndEffect {
    pub completed: bool,
    pub variables: Document,
    pub awaited_by: Option<NodeNumber>,
}

impl Node {
    /// Turns an outcome into a change on its way to the store; the slot moves on at once.
    pub(super) fn apply(
        &mut self,
        instance: InstanceKey,
        attempt: Box<Attempt>,
        mut outcome: Box<Outcome>,
    ) {
        if let WorkOrigin::Due { job } = attempt.work.origin {
            self.fired(job);
        }
        let Some(slot) = self.slots.get(&instance) else { return };
        let record = outcome.record.as_deref().or(slot.record.as_deref());
        let family = record.map_or(instance, Record::hierarchy);
        self.note_activation(&attempt, &mut outcome);
        let failed = outcome.failed.take().map(Box::new);
        let mut parts = std::mem::take(&mut outcome.others);
        self.add_looked_at(&attempt, &mut parts);
        let mut change = Change::default();
        let answered = self.answer_of_worker(instance, &attempt.work.command);
        let mut effects = Effects { failed, answered, ..Effects::default() };
        let job = attempt.work.command.job_run();
        effects.counts.note(&outcome.events, job);
        self.change_slot(outcome, &mut change, &mut effects);
        self.claim(instance, &attempt, &mut change);
        change.operations.extend(attempt.work.log.iter().cloned());
        if effects.failed.is_none() && !attempt.attached.is_empty() {
            change.statements = attempt.statements().into();
        }
        let mut others = Vec::with_capacity(parts.len());
        for part in parts {
            others.push(Other { instance: part.instance, is_new: part.is_new });
            effects.counts.note(&part.events, job);
            self.change_slot(Box::new(part), &mut change, &mut effects);
        }
        Self::claim_free(&attempt, &mut change);
        let bytes = change_bytes(&change);
        let done = vec![Done { attempt, effects, instance, others }];
        let lane = self.lane_of(family);
        let settings = self.known.version();
        self.lanes[lane].push(Entry { family, change, bytes, done, sole: None, settings });
    }

    /// What a command has seen of another instance and not changed may be what has been true once:
    /// another node may have moved it on. So it is written as it is, and its revision decides.
    fn add_looked_at(&self, attempt: &Attempt, parts: &mut Vec<Outcome>) {
        if !self.has_peers {
            return;
        }
        for (instance, _) in &attempt.lent {
            let is_part = parts.iter().any(|part| part.instance == *instance);
            let slot = self.slots.get(instance).filter(|_| !is_part);
            if let Some(record) = slot.and_then(|slot| slot.record.as_deref()) {
                parts.push(Outcome::unchanged(record.clone()));
            }
        }
    }

    /// For the breaker of the job's type.
    fn answer_of_worker(&self, instance: InstanceKey, command: &Command) -> Option<WorkerAnswer> {
        if !self.breakers.is_on() {
            return None;
        }
        let (job, is_failed) = match command {
            Command::CompleteJob { job, .. } => (*job, false),
            // A BPMN error is an answer like another.
            Command::ThrowError(throw) => (throw.job, false),
            Command::FailJob(fail) => (fail.job, true),
            _ => return None,
        };
        let record = self.slots.get(&instance)?.record.as_ref()?;
        let (_, job) = record.job(job)?;
        Some(WorkerAnswer { job_type: job.job_type.clone(), is_failed })
    }

    /// One instance moves on: its slot at once, its rows with the change.
    fn change_slot(
        &mut self,
        mut outcome: Box<Outcome>,
        change: &mut Change,
        effects: &mut Effects,
    ) {
        let instance = outcome.instance;
        let mut slot = self.slots.remove(&instance).unwrap_or_else(|| {
            // Called by the command.
            let definition = self.definitions.get(&outcome.definition).cloned();
            let slot = Slot { state: SlotState::Ready, definition, ..Slot::default() };
            Box::new(slot)
        });
        self.give_tenant(&mut slot, &mut outcome);
        let signals = std::mem::take(&mut outcome.signals);
        if !signals.is_empty() {
            let record = outcome.record.as_deref().or(slot.record.as_deref());
            let tenant = record.map(|record| record.tenant.clone());
            let tenant = tenant.or_else(|| {
                let definition = slot.definition.as_ref()?;
                Some(self.tenant_of(definition))
            });
            let rows = self.signal_rows(signals, &tenant.unwrap_or_default());
            change.broadcasts_added.extend(rows);
            effects.has_errands = true;
        }
        effects.overtaking.extend(outcome.overtaking.map(|overtaking| (instance, overtaking)));
        self.change(instance, &mut slot, outcome, change, effects);
        let has_parked =
            |record: &Arc<Record>| record.exclusive.parked_count() > 0 && self.is_choosy();
        if slot.record.as_ref().is_some_and(has_parked) {
            effects.blocked.push(instance);
        }
        slot.pending += 1;
        self.slots.insert(instance, slot);
    }

    /// History tells which node ran a job, as it tells which worker did: one that it had locked,
    /// one that was done when it was due, one that someone ran by hand.
    fn note_activation(&self, attempt: &Attempt, outcome: &mut Outcome) {
        let Some(job) = attempt.work.command.job_run() else { return };
        let is_run = |event: &Event| {
            let run = match event {
                Event::JobCompleted { key } | Event::JobFailed { key, .. } => Some(*key),
                _ => None,
            };
            run == Some(job)
        };
        let at = match attempt.work.origin {
            WorkOrigin::Engine { since, .. } => since,
            // One that has only become ready was not run.
            _ if outcome.events.iter().any(is_run) => self.now,
            _ => return,
        };
        let activation = Activation { worker: self.config.node_name.clone(), at };
        outcome.events.insert(0, Event::JobActivated { key: job, activation });
    }

    fn change(
        &mut self,
        instance: InstanceKey,
        slot: &mut Slot,
        outcome: Box<Outcome>,
        change: &mut Change,
        effects: &mut Effects,
    ) {
        let engine = self.config.engine.clone();
        let old = slot.record.take();
        let old = old.as_deref();
        // An instance that ends keeps no record; its rows still need who it was.
        let Some(identity) = outcome.record.as_deref().or(old) else {
            debug_assert!(outcome.end.is_some(), "started and ended in one command");
            return self.change_of_instant_end(instance, slot, outcome, change, effects);
        };
        let now = self.now;
        let started_at = identity.started_at;
        let deed = Deed {
            events: &outcome.events,
            before: old,
            after: outcome.record.as_deref(),
            end: outcome.end.as_ref(),
        };
        let level = self.history_level(slot);
        history::note(&mut slot.events, level, &deed, Origin { instance, started_at }, now);

        change.migrations.extend(self.migration(old, identity, &outcome.jobs));
        change.jobs.reserve_exact(outcome.jobs.len());
        change.instances.reserve_exact(1);
        for job in outcome.jobs {
            self.job_change(job, old, identity, slot, change, effects);
        }
        for task in outcome.user_tasks {
            match task {
                UserTaskChange::Insert(row) => {
                    change.user_tasks_added.push(codec::user_task_row(&engine, identity, row, now))
                }
                UserTaskChange::Delete(key) => change.user_tasks_gone.push(key),
                // Part of the migration.
                UserTaskChange::Move { .. } => {}
            }
        }
        for incident in outcome.incidents {
            match incident {
                IncidentChange::Insert(row) => {
                    change.incidents_added.push(codec::incident_row(&engine, identity, row, now))
                }
                IncidentChange::Delete(key) => change.incidents_gone.push(key),
                IncidentChange::Annotate { key, annotation } => {
                    change.incidents_annotated.push(IncidentNote { key, annotation });
                }
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
        let new = outcome.record.as_deref();
        let (large, grown) = codec::large_variables(&engine, instance, old, new);
        slot.large_bytes = slot.large_bytes.saturating_add_signed(grown);
        change.variables.extend(large);
        change.pages.extend(codec::page_writes(&engine, instance, old, new));

        let expected_rev = slot.rev;
        slot.rev += 1;
        let is_over = outcome.end.is_some() && !slot.events.bytes().is_empty();
        if is_over || slot.events.bytes().len() > EVENTS_INLINE_BYTES_MAX {
            change.history.push(HistoryRow {
                instance,
                rev: slot.rev,
                engine: engine.clone(),
                tenant: identity.tenant.clone(),
                at: now,
                events: slot.events.take(),
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
            let awaited_by = identity.awaited_by;
            let row = EndedRow {
                key: instance,
                engine,
                tenant: identity.tenant.clone(),
                definition: identity.definition,
                business_key: identity.business_key.clone(),
                completed,
                started_at,
                ended_at: now,
                variables: Vec::new(),
                caller: identity.caller.map(|caller| caller.instance),
                root: identity.caller.map(|caller| caller.root),
                removal_at: self.removal_at(slot, started_at),
            };
            let is_awaited = self.config.is_shared && awaited_by.is_some();
            change.ended.extend(history::ended(level, is_awaited, row, &end.variables));
            if old.is_some() {
                change.instances.push(InstanceWrite::Delete { key: instance, expected_rev });
            }
            let effect = EndEffect { completed, variables: end.variables, awaited_by };
            effects.ends.push((instance, effect));
        } else if old.is_some() {
            let record = codec::encode(identity);
            slot.record_bytes = codec::in_memory_bytes(&record, identity, slot.large_bytes);
            change.instances.push(InstanceWrite::Update {
                key: instance,
                expected_rev,
                rev: slot.rev,
                record,
                events: slot.events.bytes().to_vec(),
            });
        } else {
            let record = codec::encode(identity);
            slot.record_bytes = codec::in_memory_bytes(&record, identity, slot.large_bytes);
            if let (Some(key), Some(definition)) = (&identity.started_with, &slot.definition) {
                let process = &definition.process.id;
                let row = holder(&engine, &identity.tenant, process, instance, key);
                change.messages_added.push(row);
            }
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
                events: slot.events.bytes().to_vec(),
            }));
        }
        slot.record = outcome.record.map(Arc::from);
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
                effects.frees_slot |= self.is_counted(key, old, slot);
                effects.gone.push((key, self.held.get(&key).copied()));
                self.let_neighbours(key, old, effects);
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
                let mut row = codec::job_insert(&self.config.engine, record, row, self.now);
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
                change.jobs.push(JobWrite::Insert(Box::new(row)));
            }
            JobChange::Update { row, unlock } => {
                if row.job.state == JobState::Waiting {
                    effects.due.extend(row.job.due_at);
                }
                let key = row.job.key;
                // No run of a job that was set aside could give its lock back.
                let is_stopped = row.job.state != JobState::Ready;
                let unlock = unlock || is_stopped && self.set_aside.contains_key(&key);
                let was = old.and_then(|old| old.job(key)).map(|(_, job)| job.state);
                let is_kept = was == Some(JobState::Ready) && !unlock;
                let becomes_ready = row.job.state == JobState::Ready && !is_kept;
                if unlock {
                    effects.frees_slot |= self.is_counted(key, old, slot);
                    effects.gone.push((key, self.held.get(&key).copied()));
                    self.let_neighbours(key, old, effects);
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

    /// The lock of a job that was stopped while it ran goes: exclusive ones beside it, which this
    /// change need not be about, can be acquired now.
    fn let_neighbours(&self, key: JobKey, old: Option<&Record>, effects: &mut Effects) {
        effects.lets_neighbours |= old.is_some_and(|old| old.still_held.contains(&key));
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
            return self.lock_engine_job(row, is_new, record, effects);
        }
        let is_limited = self.is_limited(&row.topic, &record.tenant, job.limit_key.as_ref());
        if is_limited {
            self.rate_holds_up(&job.job_type);
        }
        let is_open = self.breakers.state(&job.job_type, self.now) != BreakerState::Closed;
        let is_held_up = is_limited || is_open;
        let taker = match self.demands.get_mut(&job.job_type) {
            Some(demand) if is_new && !is_held_up && self.phase == Phase::Running => {
                demand.hand_over()
            }
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

    /// Whether a limit counts the job while it is locked.
    fn is_counted(&self, key: JobKey, old: Option<&Record>, slot: &Slot) -> bool {
        if !self.known.has_limits() {
            return false;
        }
        let Some((old, (element, job))) = old.and_then(|old| Some((old, old.job(key)?))) else {
            return false;
        };
        let process = slot.definition.as_ref().map(|definition| &definition.process);
        let topic =
            match process.and_then(|process| Some((process, process.find(&element.element)?))) {
                Some((process, index)) if !job.kind.is_for_clients() => {
                    &process.element(index).jobs.topic
                }
                _ => &job.job_type,
            };
        self.known.counts(topic, &old.tenant, job.limit_key.as_ref())
    }

    /// An instance that never waits leaves no row of its own: only its history.
    fn change_of_instant_end(
        &mut self,
        instance: InstanceKey,
        slot: &mut Slot,
        outcome: Box<Outcome>,
        change: &mut Change,
        effects: &mut Effects,
    ) {
        let now = self.now;
        let start = slot.start.take().unwrap_or_default();
        let engine = self.config.engine.clone();
        let (events, end) = (&outcome.events, outcome.end.as_ref());
        let deed = Deed { events, before: None, after: None, end };
        let level = self.history_level(slot);
        history::note(&mut slot.events, level, &deed, Origin { instance, started_at: now }, now);
        slot.rev += 1;
        if !slot.events.bytes().is_empty() {
            change.history.push(HistoryRow {
                instance,
                rev: slot.rev,
                engine: engine.clone(),
                tenant: start.tenant.clone(),
                at: now,
                events: slot.events.take(),
            });
        }
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
            let awaited_by = start.awaited_by;
            let row = EndedRow {
                key: instance,
                engine,
                tenant: start.tenant,
                definition: definition.key,
                business_key: end.business_key,
                completed,
                started_at: now,
                ended_at: now,
                variables: Vec::new(),
                caller: end.caller.map(|caller| caller.instance),
                root: end.caller.map(|caller| caller.root),
                removal_at: self.removal_at(slot, now),
            };
            let is_awaited = self.config.is_shared && awaited_by.is_some();
            change.ended.extend(history::ended(level, is_awaited, row, &end.variables));
            let effect = EndEffect { completed, variables: end.variables, awaited_by };
            effects.ends.push((instance, effect));
        }
    }

    /// The model's own, where the settings let it have one.
    fn history_level(&self, slot: &Slot) -> HistoryLevel {
        let definition = slot.definition.as_ref();
        let own = definition.and_then(|definition| definition.process.history_depth);
        history::level_of(&self.config.settings.history, own)
    }

    /// Of an instance that ends now.
    fn removal_at(&self, slot: &Slot, started_at: Timestamp) -> Option<Timestamp> {
        let of_definition = slot.definition.as_ref().and_then(|d| d.process.time_to_live);
        history::removal_at(&self.config.settings.history, of_definition, started_at, self.now)
    }

    /// Undoes the reservations of effects that will not happen.
    pub(super) fn forget(&mut self, effects: Effects) {
        for queued in effects.queued {
            self.queue.release();
            self.reserved.remove(&queued.job);
        }
        for rank in effects.unlocked {
            self.unlocked.remove(&rank);
        }
        for (job, _) in effects.gone {
            self.reserved.remove(&job);
        }
        for (taker, _) in effects.handed {
            self.return_credit(taker, 1);
        }
        self.settle_reservations(effects.places_back, effects.credits_back);
    }

    pub(super) fn settle_reservations(&mut self, places: usize, credits: ThinVec<TakerId>) {
        for _ in 0..places {
            self.queue.release();
        }
        for taker in credits {
            self.return_credit(taker, 1);
        }
    }
}
