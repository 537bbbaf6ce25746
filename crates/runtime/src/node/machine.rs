//! The machine's own motions: an event is taken, a batch of them is flushed, and when it wants to be
//! woken.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use orloj_executor::{Breakers, Demand, DueWatch, Heartbeat, HungWatch, JobQueue, Watermark};
use orloj_interpreter::Delegates;
use orloj_store::{CommitError, Lease, Selection};
use orloj_types::{InstanceKey, KeyGenerator, Timestamp};
use rustc_hash::{FxHashMap, FxHashSet};

use super::answer::{KnownJobs, Notices, Question};
use super::config::{Config, Sabotage};
use super::event::{Action, Event, Reply, RequestId, Ticket};
use super::lane::{self, Lane, Verdict};
use super::{
    Node, Phase, broadcasts, chores, engine_jobs, executing, known, messages, offers, overtaking,
    registered, slots, start_events, untaken,
};
use crate::api::Error;
use crate::metrics::Metrics;

impl Node {
    pub fn new(
        config: Config,
        lease: Lease,
        delegates: Arc<dyn Delegates + Send + Sync>,
        metrics: Metrics,
        now: Timestamp,
    ) -> Self {
        let is_shared = config.is_shared;
        let mut keys = KeyGenerator::new(lease.node);
        keys.raise_above(lease.keys_above);
        // The first beat tells where keys begin, though none may have been given by then: a
        // successor whose clock shows the same moment must not give them again.
        keys.next(now);
        let lanes = config.new_lanes();
        Self {
            heartbeat: Heartbeat::new(lease.session, config.heartbeat_timeout_ms, now),
            queue: JobQueue::new(config.executor.queue_jobs_max),
            looking: engine_jobs::Looking::new(config.executor.cadence()),
            is_selective: config.executor.selection()
                != Selection { order: config.executor.order, ..Selection::default() },
            selection: config.executor.selection(),
            breakers: Breakers::new(config.executor.breakers.clone()),
            hung: HungWatch::new(config.executor.longest_run, now),
            idle_slots: slots::IdleSlots::new(config.idle_instances_max),
            known: known::Known::new(config.jobs.clone()),
            registered: registered::Registered::new(),
            given_up: VecDeque::new(),
            untaken: untaken::Untaken::default(),
            overtakings: overtaking::Overtakings::default(),
            grown_until: Timestamp::ZERO,
            drain_until: None,
            config,
            metrics,
            delegates,
            now,
            phase: Phase::Running,
            lease,
            keys,
            actions: Vec::new(),
            definitions: FxHashMap::default(),
            without_definition: FxHashMap::default(),
            slots: FxHashMap::default(),
            to_load: Vec::new(),
            to_load_later: Vec::new(),
            loads: 0,
            lanes,
            on_disk: VecDeque::new(),
            calls: FxHashMap::default(),
            next_call: 0,
            questions: FxHashMap::default(),
            next_ticket: 0,
            watermark: Watermark::default(),
            unlocked: BTreeSet::new(),
            engine_acquiring: false,
            engine_type: "".into(),
            held: BTreeMap::new(),
            beginning: FxHashSet::default(),
            offers: offers::Offers::default(),
            giving_back: FxHashMap::default(),
            to_find_later: Vec::new(),
            breaker_at: None,
            job_topics: FxHashMap::default(),
            call_topics: FxHashMap::default(),
            reserved: BTreeSet::new(),
            demands: BTreeMap::new(),
            taker_types: FxHashMap::default(),
            polls: FxHashMap::default(),
            // Streams are named by drivers, polls by the node itself, from the upper half.
            next_taker: 1 << 63,
            served_polls: Vec::new(),
            known_jobs: KnownJobs::default(),
            due: DueWatch::default(),
            lock_end: None,
            messages: messages::Messages::default(),
            broadcasts: broadcasts::Broadcasts::default(),
            start_events: start_events::StartEvents::default(),
            chores: chores::Chores::default(),
            listed: BTreeSet::new(),
            to_release: Vec::new(),
            releasing: FxHashMap::default(),
            due_jobs: FxHashMap::default(),
            firing: BTreeSet::new(),
            due_looks: 0,
            due_looks_done: 0,
            held_up: None,
            set_aside: FxHashMap::default(),
            more_due: false,
            last_due: None,
            finding_due: false,
            has_lost_due: false,
            expiring: false,
            retry_at: Timestamp::ZERO,
            awaiting: FxHashMap::default(),
            ends_probed_at: now,
            settling: Vec::new(),
            notices: Notices { joined: is_shared, ..Notices::default() },
            sessions: Vec::new(),
            firing_sessions: Vec::new(),
            // Until the first pulse says otherwise.
            has_peers: is_shared,
            is_store_away: false,
            description: executing::Description::default(),
            has_pulse: false,
            is_pulse_stale: false,
            none_due_at: None,
            is_leaving: false,
        }
    }

    /// Takes one event. Call [`Node::flush`] after a batch of them.
    pub fn handle(&mut self, now: Timestamp, event: Event) {
        self.now = self.now.max(now);
        // What comes by the hundred need not wait for effects; to it they happen a moment later.
        let can_wait = matches!(
            event,
            Event::Request { .. }
                | Event::Invoked { .. }
                | Event::Committed { result: Ok(_), .. }
                | Event::StreamCredit { .. }
                | Event::Noticed(_)
                | Event::Tick
        );
        if !can_wait {
            self.work_off(usize::MAX);
        }
        match event {
            Event::Request { id, request } => self.request(id, request),
            Event::RequestDropped { id } => self.request_dropped(id),
            Event::StreamOpened { id, stream } => self.stream_opened(id, stream),
            Event::StreamCredit { id, jobs } => self.return_credit(id, jobs),
            Event::StreamClosed { id } => self.stream_closed(id),
            Event::Undelivered { jobs } => self.release(jobs),
            Event::Invoked { call, result, statements } => self.invoked(call, result, statements),
            Event::OfferAnswered { offer, is_taken } => self.offer_answered(offer, is_taken),
            Event::Loaded { instances, result } => self.loaded(&instances, result),
            Event::DefinitionLoaded { key, result } => self.definition_loaded(key, result),
            Event::DefinitionFound { call, result } => self.definition_found(call, result),
            Event::AssetFound { call, result } => {
                self.supply_found(call, result.map(orloj_interpreter::Supply::Asset));
            }
            // An answer to an earlier life of this node is about groups that are given up.
            Event::Committed { session, .. } | Event::Landed { session, .. }
                if session != self.lease.session => {}
            Event::Committed { lane, group, result, .. } => {
                let fits = result.as_ref().map_or(Vec::new(), |committed| committed.fits.clone());
                let result = self.doubted(result.map(|_| ()));
                let verdict = self.lane_mut(lane).committed(group, result, now);
                let goes_on = matches!(verdict, Verdict::Committed(_));
                self.verdict(verdict);
                if goes_on {
                    // The lane has its next group before the effects of this one happen.
                    self.flush_lanes();
                }
                for fit in fits {
                    self.correlate(fit, 0);
                }
            }
            Event::Landed { lane, group, result, .. } => {
                // What the lost answer said about messages is looked up.
                self.messages.doubt();
                let verdict = self.lane_mut(lane).landed(group, result, now);
                self.verdict(verdict);
            }
            Event::Acquired { ticket, result } => self.acquired(ticket, result),
            Event::Found { ticket, result } => self.found(ticket, result),
            Event::Due { result } => self.due_found(result),
            Event::Expired { result } => self.expired(result),
            Event::Released { jobs, result } => self.released(&jobs, &result),
            Event::Beaten { session, result } => self.beaten(session, result),
            Event::Fenced { result } => self.peer_fenced(result),
            Event::Joined { result } => self.joined(result),
            Event::Left => self.left(),
            Event::Described { session, is_told } => self.described(session, is_told),
            Event::Noticed(notice) => self.noticed(notice),
            Event::LockExtended { until } => self.watch_lock_end(until),
            Event::Tick => {}
            Event::Drain => self.drain(),
        }
    }

    /// Decides what to send now that a batch of events has been taken.
    pub fn flush(&mut self, now: Timestamp) -> Vec<Action> {
        self.now = self.now.max(now);
        let is_ending = self.phase != Phase::Running || !self.settling.is_empty();
        self.work_off(if is_ending { usize::MAX } else { self.config.work_off_max });
        self.live();
        self.end_polls();
        self.check_due();
        self.check_broadcasts();
        self.check_breakers();
        self.check_hung();
        self.check_settings();
        self.check_tenants();
        self.check_rates();
        self.check_looks();
        self.retry_give_back();
        self.pump();
        self.serve_all();
        self.flush_lanes();
        self.send_loads();
        self.send_releases();
        self.send_notices();
        self.evict();
        self.check_settled();
        self.check_drained();
        // The next batch asks for about as much.
        let next = Vec::with_capacity(self.actions.len());
        std::mem::replace(&mut self.actions, next)
    }

    /// What should not wait for [`Node::flush`]: the next group of a lane that has just become
    /// free. Empty most of the time.
    pub fn urgent(&mut self) -> Vec<Action> {
        if self.on_disk.is_empty() { Vec::new() } else { std::mem::take(&mut self.actions) }
    }

    /// Whether effects of committed changes are still to be worked off.
    pub fn has_backlog(&self) -> bool {
        !self.on_disk.is_empty()
    }

    /// Lets the effects of committed changes happen, of so many at most.
    pub(super) fn work_off(&mut self, changes: usize) {
        let mut left = changes;
        while left > 0 {
            let Some(landed) = self.on_disk.front_mut() else { break };
            match landed.entries.next() {
                Some(entry) => {
                    self.committed(entry);
                    left -= 1;
                }
                None => {
                    self.on_disk.pop_front();
                    self.answer_served_polls();
                }
            }
        }
    }

    /// When [`Event::Tick`] is wanted at the latest.
    pub fn wake_at(&self) -> Option<Timestamp> {
        if self.phase == Phase::Stopped {
            return None;
        }
        if self.can_pump() || self.has_backlog() {
            return Some(self.now);
        }
        // What waits for an answer asks for no moment, or the driver would spin until it came.
        let beats = self.phase != Phase::Joining && !self.is_leaving;
        let heartbeat = beats.then(|| self.heartbeat.wake_at(self.now)).flatten();
        let lanes = self.lanes.iter().filter_map(Lane::wake_at);
        let polls = self.demands.values().filter_map(Demand::next_deadline);
        let is_running = self.phase == Phase::Running;
        let finds_due = is_running && !self.finding_due && self.due_jobs.is_empty();
        let due = finds_due.then(|| self.due.next()).flatten();
        let due = due.map(|at| self.looking.due_look_at(at));
        let expires = is_running && !self.expiring;
        let locks = expires.then_some(self.lock_end).flatten();
        let later = |at: Timestamp| (at > self.now).then_some(at);
        let retries = [self.retry_at, self.offers.resume_at, self.known.settle_at];
        let retry = retries.into_iter().filter_map(later).min();
        let errands = is_running.then(|| self.broadcasts.wake_at()).flatten();
        let known = heartbeat.into_iter().chain(lanes).chain(polls).chain(due).chain(locks);
        let breaker = is_running.then_some(self.breaker_at).flatten();
        let hung = is_running.then(|| self.hung.next_at(self.running())).flatten();
        let rates = is_running.then(|| self.known.wake_at()).flatten();
        let looks = is_running.then(|| self.look_at()).flatten();
        let drained = self.drain_until.filter(|_| !self.is_leaving);
        let rested = is_running.then(|| self.rested_at()).flatten();
        let more = rates.into_iter().chain(looks).chain(drained).chain(rested);
        known.chain(retry).chain(errands).chain(breaker).chain(hung).chain(more).min()
    }

    /// Whether no more than one change is on its way to the store.
    pub fn awaits_little(&self) -> bool {
        self.lanes.iter().map(Lane::changes).sum::<usize>() <= 1
    }

    pub fn lease(&self) -> Lease {
        self.lease
    }

    /// Whether commands are taken: also not when the store has been silent for so long that
    /// others may count this node as dead.
    pub fn is_ready(&self) -> bool {
        self.phase == Phase::Running && self.heartbeat.is_trusted(self.now)
    }

    pub(super) fn flush_lanes(&mut self) {
        if self.phase == Phase::Joining {
            return;
        }
        for lane in &mut self.lanes {
            let action = lane.flush(self.lease, self.now);
            self.actions.extend(action.map(|action| match action {
                lane::LaneAction::Commit(group) => Action::Commit(group),
                lane::LaneAction::Prepare(group) => Action::Prepare(group),
                lane::LaneAction::AskLanded { number, group } => {
                    Action::AskLanded { lease: self.lease, lane: number, group }
                }
            }));
        }
    }

    pub(super) fn lane_mut(&mut self, lane: u8) -> &mut Lane {
        &mut self.lanes[usize::from(lane)]
    }

    /// An instance always uses the same lane.
    pub(super) fn lane_of(&self, instance: InstanceKey) -> usize {
        // Keys of one moment differ in their low bits only; the multiplication spreads them.
        let spread = (instance.raw() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        usize::try_from(spread % self.lanes.len() as u64).unwrap_or(0)
    }

    pub(super) fn reply(&mut self, id: RequestId, result: Result<Reply, Error>) {
        self.actions.push(Action::Reply { id, result });
    }

    pub(super) fn ask(&mut self, question: Question) -> Ticket {
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        self.questions.insert(ticket, question);
        ticket
    }

    pub(super) fn sabotaged(&self, by: Sabotage) -> bool {
        self.config.sabotage == Some(by)
    }

    /// Where the planted defects about lost answers sit.
    pub(super) fn doubted(&self, result: Result<(), CommitError>) -> Result<(), CommitError> {
        match result {
            Err(CommitError::Unknown(_)) if self.sabotaged(Sabotage::AssumeLanded) => Ok(()),
            Err(CommitError::Unknown(why)) if self.sabotaged(Sabotage::AssumeLost) => {
                Err(CommitError::Unavailable(why))
            }
            result => result,
        }
    }
}
