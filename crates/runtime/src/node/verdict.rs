//! What the store has made of changes: callers are answered when theirs is on disk, and commands
//! that lost a race are interpreted again.

use orloj_interpreter::{Activation, Command};
use orloj_types::InstanceKey;
use smallvec::SmallVec;

use super::claims::Ended;
use super::event::{Reply, Work, WorkOrigin};
use super::lane::{Done, Entry, Other, Verdict};
use super::slot::{SlotState, Task};
use super::{Node, Sabotage};
use crate::api::Error;

impl Node {
    pub(super) fn verdict(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Nothing => {}
            Verdict::Committed(landed) => {
                let bytes = landed.entries.as_slice().iter().map(|entry| entry.bytes).sum();
                self.metrics.group_committed(landed.entries.len(), bytes);
                self.on_disk.push_back(landed);
            }
            Verdict::Lost(entries) => {
                self.metrics.conflicts.inc_by(entries.len() as u64);
                self.interpret_again(entries);
            }
            Verdict::Refused(entry, reason) => {
                self.metrics.store_errors.inc();
                let lane = self.lane_of(entry.family);
                if let Some(sole) = entry.sole {
                    let error = Error::Internal(format!("the store refused the change: {reason}"));
                    self.sole_ended(sole, &Ended::Refused(&error));
                }
                let followers = self.lanes[lane].take_followers(entry.family);
                for done in entry.done {
                    self.forget(done.effects);
                    let error = Error::Internal(format!("the store refused the change: {reason}"));
                    self.set_aside(&done.attempt.work, error);
                    let others = done.others.into_iter().map(|other| other.instance);
                    for instance in others.chain([done.instance]) {
                        self.undo_pending(instance);
                        self.reload(instance);
                    }
                }
                self.interpret_again(followers);
            }
            Verdict::Fenced(entries) => self.fenced(entries),
        }
    }

    pub(super) fn committed(&mut self, entry: Entry) {
        // Nearly always one.
        let mut touched: SmallVec<[InstanceKey; 2]> = SmallVec::new();
        if let Some(sole) = entry.sole {
            self.sole_ended(sole, &Ended::Done);
        }
        for mut done in entry.done {
            let others = std::mem::take(&mut done.others).into_iter().map(|other| other.instance);
            for instance in others.chain([done.instance]) {
                self.undo_pending(instance);
                touched.push(instance);
            }
            self.finish(done);
        }
        for instance in touched {
            if let Some(slot) = self.slots.get_mut(&instance) {
                slot.known_at = self.now;
            }
            self.rest(instance);
        }
    }

    /// What follows from a command once it is on disk.
    fn finish(&mut self, done: Done) {
        let Done { attempt, effects, instance, .. } = done;
        self.count(&effects, &attempt.work);
        for (job, attempt) in effects.gone {
            self.let_go(job, attempt);
            self.reserved.remove(&job);
            self.job_over(job);
            self.known_jobs.remove(job);
        }
        self.settle_reservations(effects.places_back, effects.credits_back);
        for queued in effects.queued {
            // A job that failed and is tried at once is among those gone, and ours again.
            self.reserved.remove(&queued.job);
            if queued.attempt == 0 {
                // It was there before: the store lists locks that are given by an update.
                self.listed.insert(queued.job);
            }
            self.held.insert(queued.job, queued.attempt);
            self.queue.push_reserved(queued);
        }
        self.job_topics.extend(effects.topics);
        for (taker, job) in effects.handed {
            let activation = Activation { worker: job.worker.clone(), at: self.now };
            self.hand(taker, job, vec![activation]);
        }
        self.engine_jobs_unlocked(effects.unlocked);
        for job_type in effects.ready_types {
            self.tell_ready(job_type);
        }
        for at in effects.due {
            self.watch_due(at);
        }
        if effects.frees_slot {
            self.tell_slots_freed();
        }
        if effects.lets_neighbours {
            self.jobs_ready(self.engine_type.clone());
        }
        if effects.has_errands {
            self.broadcasts.raise();
        }
        for (queue, overtaking) in effects.overtaking {
            self.overtake(queue, overtaking);
        }
        for instance in effects.blocked {
            self.unblock(instance);
        }
        if let Some(answer) = effects.answered {
            self.worker_answered(answer);
        }
        let failed =
            effects.failed.filter(|_| matches!(attempt.work.command, Command::ExecuteJob { .. }));
        if let (Some(failed), WorkOrigin::Client { id, .. }) = (failed, attempt.work.origin) {
            self.reply(id, Err(Error::JobFailed(*failed)));
        } else if !self.sabotaged(Sabotage::AnswerEarly) {
            self.answer(instance, &attempt.work);
        }
        for (instance, end) in effects.ends {
            self.metrics.instances_ended.inc();
            match end.awaited_by {
                Some(node) if node == self.lease.node => {
                    if let Some(id) = self.awaiting.remove(&instance) {
                        let (completed, variables) = (end.completed, end.variables);
                        self.reply(id, Ok(Reply::Finished { instance, completed, variables }));
                    }
                }
                Some(node) => self.notices.ended.push((instance, node)),
                None => {}
            }
        }
    }

    /// Tells whoever caused the work that it is done.
    pub(super) fn answer(&mut self, instance: InstanceKey, work: &Work) {
        match work.origin {
            WorkOrigin::Client { id, awaits_end: true } => {
                self.metrics.instances_started.inc();
                self.awaiting.insert(instance, id);
            }
            WorkOrigin::Client { id, awaits_end: false } => {
                let reply = match &work.command {
                    Command::Start(_) => {
                        self.metrics.instances_started.inc();
                        Reply::Started { instance }
                    }
                    Command::SetVariables { .. } => Reply::Keys(vec![self.keys.next(self.now)]),
                    Command::CompleteJob { .. } => {
                        self.metrics.worker_jobs_completed.inc();
                        Reply::Done
                    }
                    _ => Reply::Done,
                };
                self.reply(id, Ok(reply));
            }
            WorkOrigin::Engine { .. } => {
                self.metrics.engine_jobs_run.inc();
            }
            WorkOrigin::Due { job } => self.due_done(job),
            origin => {
                if matches!(work.command, Command::Start(_)) {
                    self.metrics.instances_started.inc();
                }
                self.event_ended(origin, &Ended::Done);
            }
        }
    }

    /// Changes that lost a race: their instances are read again and only the pure part of their
    /// commands is repeated.
    fn interpret_again(&mut self, entries: Vec<Entry>) {
        let mut leaders = Vec::new();
        let mut dropped = Vec::new();
        let mut lost = Vec::new();
        for mut entry in entries {
            if let Some(sole) = entry.sole.take() {
                self.sole_ended(sole, &Ended::Lost);
            }
            lost.push(entry);
        }
        for done in lost.into_iter().rev().flat_map(|entry| entry.done.into_iter().rev()) {
            self.forget(done.effects);
            let is_start = matches!(done.attempt.work.command, Command::Start(_));
            for Other { instance, is_new } in done.others {
                self.undo_pending(instance);
                match is_new {
                    true => self.unstart(instance),
                    false => self.reload(instance),
                }
                if done.attempt.work.claims.is_some() && is_new {
                    self.rest(instance);
                }
            }
            self.undo_pending(done.instance);
            if done.attempt.work.claims.is_some() {
                dropped.push(done.attempt.work.origin);
            } else if let Some(slot) = self.slots.get_mut(&done.instance) {
                slot.waiting.push_front(Task::Again(done.attempt));
            }
            match self.slots.get_mut(&done.instance) {
                Some(_) if is_start => self.unstart(done.instance),
                Some(slot) if slot.state == SlotState::Loading => {}
                Some(_) => self.reload(done.instance),
                None => debug_assert!(false, "a slot stays while changes of it are pending"),
            }
            if !leaders.contains(&done.instance) {
                leaders.push(done.instance);
            }
        }
        for leader in leaders.into_iter().rev() {
            self.run_slot(leader);
        }
        for origin in dropped.into_iter().rev() {
            self.event_ended(origin, &Ended::Lost);
        }
    }

    /// The instance has not been started after all; the command that does it is repeated.
    fn unstart(&mut self, instance: InstanceKey) {
        if let Some(slot) = self.slots.get_mut(&instance) {
            slot.record = None;
            slot.rev = 0;
            slot.events.clear();
            slot.state = SlotState::Ready;
        }
    }

    fn undo_pending(&mut self, instance: InstanceKey) {
        if let Some(slot) = self.slots.get_mut(&instance) {
            slot.pending -= 1;
        }
    }
}
