//! A node's life: heartbeat, fencing, joining anew, leaving.

use orloj_executor::Heartbeat;
use orloj_store::{Beat, Error as StoreError, Lease, Notice, Pulse};
use orloj_types::{InstanceKey, JobKey, KeyGenerator};

use super::answer::Question;
use super::claims::Ended;
use super::event::{Action, Find};
use super::executing::Description;
use super::lane::{Entry, Lane};
use super::slot::Task;
use super::{Node, Phase, Sabotage};
use crate::api::Error;

/// How often the ends that callers wait for are looked for.
const PROBE_MS: i64 = 10_000;
/// A job held for longer is listed: the floor of this node's locks goes on without it, so that a
/// recovery reads no more than some seconds of keys besides what is listed.
const HELD_LONG_MS: i64 = 10_000;
/// The next beat takes the others.
const LISTED_PER_BEAT_MAX: usize = 256;

impl Node {
    /// Beats when it is time, and stops foreign code while the lease is in doubt.
    pub(super) fn live(&mut self) {
        if matches!(self.phase, Phase::Joining | Phase::Stopped) || self.is_leaving {
            return;
        }
        if !self.heartbeat.is_trusted(self.now) && !self.calls.is_empty() {
            self.abort_calls();
        }
        if self.heartbeat.poll(self.now) {
            self.is_pulse_stale = false;
            let key_high = self.keys.high();
            self.listed.retain(|job| self.held.contains_key(job));
            let unlisted = self.held.keys().filter(|job| !self.listed.contains(job));
            // Whatever is locked later has a higher key than any given so far, or is listed.
            let lowest = unlisted.clone().next().into_iter().chain(self.reserved.first()).min();
            let lock_floor = lowest.copied().unwrap_or(JobKey::new(key_high));
            let long_before = self.now.plus_ms(-HELD_LONG_MS);
            let long_held = unlisted.take_while(|job| job.made_at() < long_before);
            let long_held = long_held.take(LISTED_PER_BEAT_MAX).copied().collect();
            let beat = Beat {
                lease: self.lease,
                now: self.now,
                key_high,
                lock_floor,
                long_held,
                settings_seen: self.report_settings(),
            };
            self.actions.push(Action::Beat(beat));
        }
    }

    fn abort_calls(&mut self) {
        self.actions.push(Action::AbortInvokes);
        let mut calls: Vec<_> = self.calls.drain().collect();
        calls.sort_by_key(|(call, _)| *call);
        for (_, (instance, attempt)) in calls {
            if let Some(slot) = self.slots.get_mut(&instance) {
                slot.calls = slot.calls.saturating_sub(1);
            }
            if !self.put_back(instance, &attempt.work) {
                let error = Error::Unavailable("the store does not answer".into());
                self.refuse(&attempt.work, error);
            }
            self.rest(instance);
        }
    }

    pub(super) fn beaten(&mut self, session: i64, result: Result<Pulse, StoreError>) {
        if session != self.lease.session {
            return;
        }
        let pulse = match result {
            Ok(pulse) => pulse,
            Err(StoreError::Fenced) => return self.fenced(Vec::new()),
            Err(error) => {
                if !std::mem::replace(&mut self.is_store_away, true) {
                    tracing::warn!(%error, "the store does not answer");
                }
                self.metrics.store_errors.inc();
                return self.heartbeat.missed(self.now);
            }
        };
        if std::mem::take(&mut self.is_store_away) {
            tracing::warn!("the store answers again");
        }
        self.listed.extend(&pulse.listed);
        self.describe_if_owed();
        let suspects = self.heartbeat.beaten(&pulse, self.now);
        for suspect in suspects {
            self.actions.push(Action::Fence { session: suspect.session, beat: suspect.beat });
        }
        if self.sabotaged(Sabotage::FenceTheLiving) {
            for peer in pulse.nodes.iter().filter(|n| n.session != self.lease.session) {
                self.actions.push(Action::Fence { session: peer.session, beat: peer.beat });
            }
        }
        self.sessions = pulse.nodes.iter().map(|node| node.session).collect();
        self.sessions.sort_unstable();
        let firing = pulse.nodes.iter().filter(|node| node.profile.fires_timers);
        self.firing_sessions = firing.map(|node| node.session).collect();
        self.firing_sessions.sort_unstable();
        let was_alone = !self.has_peers;
        self.has_peers = self.sessions.len() > 1;
        if self.has_peers && was_alone {
            // What has become ready before this node knew of them nobody has told them.
            self.notices.types.insert(self.engine_type.clone());
        }
        self.has_pulse = true;
        if let Some(at) = pulse.next_due_at {
            // A lock that ends right now is not over yet, and nothing else is due that this node
            // would do something about: it has looked at this moment.
            let has_looked = self.none_due_at == Some(self.now);
            if at > self.now || !has_looked {
                self.due.add(at);
            }
            if at >= self.now || !has_looked {
                self.watch_lock_end(at);
            }
        }
        if pulse.engine_jobs_ready {
            self.jobs_seen();
        }
        self.settings_told(pulse.settings_version);
        self.look_for_untaken(&pulse);
        self.look_for_blocking(&pulse);
        self.look_after_messages(&pulse);
        self.look_after_broadcasts(&pulse);
        self.probe_ends();
    }

    /// The notice that an awaited instance has ended may be lost.
    fn probe_ends(&mut self) {
        if !self.config.is_shared || self.now < self.ends_probed_at.plus_ms(PROBE_MS) {
            return;
        }
        self.ends_probed_at = self.now;
        let mut awaited: Vec<InstanceKey> = self.awaiting.keys().copied().collect();
        awaited.sort_unstable();
        for instance in awaited {
            self.look_for_end(instance);
        }
    }

    fn look_for_end(&mut self, instance: InstanceKey) {
        if let Some(id) = self.awaiting.remove(&instance) {
            let ticket = self.ask(Question::Ended { id, instance });
            self.actions.push(Action::Find { ticket, find: Find::Ended(instance) });
        }
    }

    pub(super) fn peer_fenced(&mut self, result: Result<bool, StoreError>) {
        match result {
            Ok(true) => {
                self.metrics.peers_fenced.inc();
                self.engine_jobs_ready();
            }
            Ok(false) => {}
            Err(_) => {
                self.metrics.store_errors.inc();
            }
        }
    }

    pub(super) fn noticed(&mut self, notice: Notice) {
        match notice {
            Notice::JobsReady { types } => {
                if self.known.has_limits() {
                    // One that has ended elsewhere may let others of any type begin.
                    self.slots_freed();
                }
                for job_type in types {
                    if job_type.is_empty() {
                        self.engine_jobs_ready();
                    } else if let Some(demand) = self.demands.get_mut(&job_type) {
                        demand.backlog.raise();
                    }
                }
            }
            Notice::DueAt(at) => {
                self.due.add(at);
                self.watch_lock_end(at);
            }
            Notice::InstanceEnded { instance, node } if node == self.lease.node => {
                self.look_for_end(instance);
            }
            Notice::Joined => {
                self.has_peers = true;
                self.heartbeat.hasten(self.now);
            }
            Notice::Listening => {
                // Without hints nobody tells of ready jobs, so nothing was missed.
                if self.config.executor.hint {
                    self.engine_jobs_ready();
                }
                self.demands.values_mut().for_each(|demand| demand.backlog.raise());
                self.heartbeat.hasten(self.now);
            }
            Notice::Settings(version) => self.settings_asked(version),
            Notice::InstanceEnded { .. } | Notice::Deployed => {}
        }
    }

    pub(super) fn send_notices(&mut self) {
        let notices = self.notices.take();
        if self.has_peers && !notices.is_empty() {
            self.actions.push(Action::Notify(notices));
        }
    }

    /// The lease is gone: nothing of this life may go on. Callers are told, and a new life begins.
    pub(super) fn fenced(&mut self, entries: Vec<Entry>) {
        if matches!(self.phase, Phase::Joining | Phase::Stopped) {
            return;
        }
        self.metrics.fenced.inc();
        let was_draining = self.phase == Phase::Draining;
        self.phase = Phase::Joining;
        self.actions.push(Action::AbortInvokes);
        let error = || Error::Unavailable("this node was fenced".into());
        let mut lost = entries;
        for lane in &mut self.lanes {
            lost.extend(lane.drop_all());
        }
        for entry in lost {
            for done in entry.done {
                for (taker, _) in done.effects.handed {
                    self.return_credit(taker, 1);
                }
                for taker in done.effects.credits_back {
                    self.return_credit(taker, 1);
                }
                self.refuse(&done.attempt.work, error());
            }
            if let Some(sole) = entry.sole {
                self.sole_ended(sole, &Ended::Refused(&error()));
            }
        }
        let mut calls: Vec<_> = self.calls.drain().collect();
        calls.sort_by_key(|(call, _)| *call);
        for (_, (_, attempt)) in calls {
            self.refuse(&attempt.work, error());
        }
        let mut slots: Vec<_> = self.slots.drain().collect();
        slots.sort_by_key(|(instance, _)| *instance);
        for (_, slot) in slots {
            for task in slot.waiting {
                match task {
                    Task::Work(work) => self.refuse(&work, error()),
                    Task::Again(attempt) | Task::Lend { attempt, .. } => {
                        self.refuse(&attempt.work, error());
                    }
                    Task::Deliver { taker, row } => self.undeliverable(taker, &row),
                }
            }
        }
        self.queue.clear();
        self.held.clear();
        self.beginning.clear();
        self.offers.clear();
        self.reserved.clear();
        self.overtakings.clear();
        self.giving_back.clear();
        self.to_find_later.clear();
        self.job_topics.clear();
        self.call_topics.clear();
        self.known_jobs.clear();
        self.due_jobs.clear();
        self.firing.clear();
        self.held_up = None;
        self.set_aside.clear();
        self.to_release.clear();
        self.releasing.clear();
        self.listed.clear();
        self.to_load.clear();
        self.to_load_later.clear();
        self.without_definition.clear();
        self.drop_publications(&error());
        self.messages.clear();
        self.broadcasts.clear();
        self.start_events.clear();
        self.drop_suspensions(&error());
        self.drop_asked(&error());
        self.chores.clear();
        self.finding_due = false;
        self.has_lost_due = false;
        self.expiring = false;
        self.engine_acquiring = false;
        self.drop_questions(&error());
        if was_draining {
            self.phase = Phase::Stopped;
            self.actions.push(Action::Stopped);
        } else {
            self.actions.push(Action::Join);
        }
    }

    /// Answers of the store that are under way must not start anything in this state. Only what
    /// was acquired for workers still counts: their locks know no session.
    fn drop_questions(&mut self, error: &Error) {
        let mut dropped: Vec<_> = self
            .questions
            .extract_if(|_, question| !matches!(question, Question::WorkerAcquire { .. }))
            .collect();
        dropped.sort_by_key(|(ticket, _)| *ticket);
        for (_, question) in dropped {
            if let Some(id) = question.asked_by() {
                self.reply(id, Err(error.clone()));
            }
        }
    }

    pub(super) fn joined(&mut self, result: Result<Lease, StoreError>) {
        if self.phase != Phase::Joining {
            return;
        }
        let Ok(lease) = result else {
            // The driver asks again after a pause of its own.
            self.metrics.store_errors.inc();
            self.actions.push(Action::Join);
            return;
        };
        let high = self.keys.high();
        self.lease = lease;
        self.keys = KeyGenerator::new(lease.node);
        self.keys.raise_above(lease.keys_above.max(high));
        self.keys.next(self.now);
        self.heartbeat = Heartbeat::new(lease.session, self.config.heartbeat_timeout_ms, self.now);
        self.lanes = self.config.new_lanes();
        self.forget_engine_jobs();
        self.look_anew();
        self.known.doubt();
        self.watch_hung_anew();
        for demand in self.demands.values_mut() {
            demand.backlog.raise();
        }
        self.due.add(self.now);
        self.has_pulse = false;
        self.has_peers = self.config.is_shared;
        self.notices.joined = self.config.is_shared;
        self.phase = Phase::Running;
        // The claim says what the node took when it was built.
        self.description = Description::Owed;
        self.describe();
    }

    pub(super) fn drain(&mut self) {
        match self.phase {
            Phase::Running => {
                self.phase = Phase::Draining;
                let wait_ms = self.config.executor.shutdown_wait_ms;
                self.drain_until = Some(self.now.plus_ms(wait_ms));
                // Others need not wait for what is still running here.
                self.give_back_queued();
            }
            Phase::Joining => {
                self.phase = Phase::Stopped;
                self.actions.push(Action::Stopped);
            }
            Phase::Draining | Phase::Stopped => return,
        }
        let mut takers: Vec<_> = self.taker_types.keys().copied().collect();
        takers.sort_unstable();
        for taker in takers {
            match self.polls.get(&taker) {
                Some(_) => self.answer_poll(taker),
                None => self.actions.push(Action::CloseStream { stream: taker }),
            }
        }
        for id in std::mem::take(&mut self.settling) {
            self.reply(id, Err(Error::ShuttingDown));
        }
        let mut awaiting: Vec<_> = self.awaiting.drain().collect();
        awaiting.sort_unstable();
        for (_, id) in awaiting {
            self.reply(id, Err(Error::ShuttingDown));
        }
    }

    /// Leaves when nothing of this node is under way, or its time is up. What is still locked then
    /// is given back with the lease, and nothing of it is committed any more.
    pub(super) fn check_drained(&mut self) {
        if self.phase != Phase::Draining || self.is_leaving {
            return;
        }
        let is_done = self.calls.is_empty()
            && self.lanes.iter().all(Lane::is_idle)
            && self.slots.values().all(|slot| slot.waiting.is_empty());
        let is_late = self.drain_until.is_some_and(|until| until <= self.now);
        if is_late && !is_done {
            tracing::warn!(calls = self.calls.len(), "leaving though not everything is done");
            self.actions.push(Action::AbortInvokes);
        }
        if is_done || is_late {
            self.is_leaving = true;
            self.actions.push(Action::Leave { lease: self.lease });
        }
    }

    pub(super) fn left(&mut self) {
        self.phase = Phase::Stopped;
        self.actions.push(Action::Stopped);
    }

    /// Answers those who wait for quiet.
    pub(super) fn check_settled(&mut self) {
        if self.settling.is_empty() || !self.is_settled() {
            return;
        }
        if self.is_pulse_stale {
            // Of what others left behind only the next moment is known: ask for the one after.
            return self.heartbeat.hasten(self.now);
        }
        for id in std::mem::take(&mut self.settling) {
            self.reply(id, Ok(super::Reply::Done));
        }
    }

    fn is_settled(&self) -> bool {
        let works = self.is_executing();
        let runs_jobs = works
            && (!self.queue.is_empty()
                || !self.offers.is_empty()
                || self.is_taking() && !self.watermark.is_clear() && self.rested_at().is_none()
                || self.engine_acquiring
                || self.finding_due
                || !self.due_jobs.is_empty()
                || self.due.next().is_some_and(|at| self.looking.due_look_at(at) <= self.now));
        let is_told = self.phase != Phase::Running
            || (self.messages.is_idle()
                && self.broadcasts.is_idle()
                && self.start_events.is_idle()
                && self.chores.is_idle()
                && !self.questions.values().any(Question::is_correlation)
                && !self.questions.values().any(Question::is_about_turns));
        self.has_pulse
            && !self.heartbeat.is_under_way()
            && !runs_jobs
            && !self.gives_back()
            && !self.expiring
            && is_told
            && self.calls.is_empty()
            && self.lanes.iter().all(Lane::is_idle)
            && self.slots.values().all(|slot| slot.waiting.is_empty())
    }
}
