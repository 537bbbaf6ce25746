//! What nodes ask for, done with delays and faults: the driver of the simulation.

use std::sync::Arc;

use orloj::Definition;
use orloj::api::Error as ApiError;
use orloj::node::{Action, CallId, Event};
use orloj_interpreter::{Invoke, InvokeResult};
use orloj_store::{
    ChoreWrite, CommitError, Committed, Error as StoreError, Group, JobRow, JobState, Lease,
    Notice, Wanted,
};
use orloj_types::Document;

use super::Violation;
use super::check::Called;
use super::happening::{Fate, Happening, Place};
use super::look_up::look_up;
use super::nodes::{SimNode, label, short};
use super::world::World;

impl World<'_> {
    /// As the store has it now, with the tenant that it was given meanwhile.
    pub(crate) fn as_stored(&self, known: &Arc<Definition>) -> Arc<Definition> {
        match self.store.definitions.get(&known.key) {
            Some(row) => Arc::new(Definition::new(row, known.process.clone())),
            None => known.clone(),
        }
    }

    pub(crate) fn perform_all(&mut self, of: Place, actions: Vec<Action>) -> Result<(), Violation> {
        for action in actions {
            self.note(|| format!("{} -> {}", label(of), short(&action)));
            self.perform(of, action)?;
            if !self.is_current(of) {
                // It crashed in the middle.
                break;
            }
        }
        Ok(())
    }

    fn perform(&mut self, of: Place, action: Action) -> Result<(), Violation> {
        match action {
            Action::Reply { id, result } => self.replied(of, id, result)?,
            Action::Push { stream, job } => self.pushed(of, stream, *job)?,
            Action::CloseStream { stream } => self.stream_ended(of, stream),
            Action::Invoke { call, invoke } => self.invoke(of, call, &invoke)?,
            Action::AbortInvoke { call } => {
                if let Some(called) = self.nodes[of.node].calls.remove(&call) {
                    self.checker.aborted(&called);
                    self.marks.hit("call aborted");
                }
            }
            Action::AbortInvokes => {
                let calls = std::mem::take(&mut self.nodes[of.node].calls);
                for called in calls.into_values() {
                    self.checker.aborted(&called);
                    self.marks.hit("call aborted");
                }
            }
            Action::Stopped => {
                self.marks.hit("left");
                self.end_life(of.node);
            }
            Action::Notify(notices) => self.notify(of, &notices),
            Action::Commit(group) => self.send_group(of, group),
            other => self.send(of, other),
        }
        Ok(())
    }

    fn send(&mut self, from: Place, action: Action) {
        let fate = match self.is_quiet {
            false if self.random.chance(self.plan.faults.call_lost) => {
                self.marks.hit("call lost");
                match self.random.chance(500) {
                    true => Fate::RequestLost,
                    false => Fate::AnswerLost,
                }
            }
            _ => Fate::Fine,
        };
        let mut delay = self.delay_us();
        if let Action::Join = action {
            // The pause of the driver between two attempts.
            delay += 200_000;
        }
        self.add(self.now_us + delay, Happening::Call { from, action: Box::new(action), fate });
    }

    /// The points at which a node may die or the network may lose something.
    fn send_group(&mut self, from: Place, group: Arc<Group>) {
        let faults = self.plan.faults.clone();
        if !self.is_quiet && self.random.chance(faults.crash_at_commit) {
            let fate = match self.random.below(4) {
                0 => {
                    self.marks.hit("crash before commit");
                    return self.crash(from.node);
                }
                1 => Fate::CrashWithApply,
                2 => Fate::CrashWithAnswer,
                _ => {
                    // It leaves the node as its last act.
                    self.marks.hit("crash as it sends");
                    let delay = self.delay_us();
                    let action = Box::new(Action::Commit(group));
                    let fate = Fate::Fine;
                    self.add(self.now_us + delay, Happening::Call { from, action, fate });
                    return self.crash(from.node);
                }
            };
            let delay = self.delay_us();
            let action = Box::new(Action::Commit(group));
            return self.add(self.now_us + delay, Happening::Call { from, action, fate });
        }
        if !self.is_quiet && self.random.chance(faults.commit_answer_lost) {
            let lost = |world: &mut Self, group: &Group| {
                let result = Err(CommitError::Unknown("connection closed".into()));
                world.answer_commit(from, group, result);
            };
            match self.random.below(3) {
                0 => {
                    self.marks.hit("commit lost before");
                    return lost(self, &group);
                }
                1 => {
                    self.marks.hit("commit lost under way");
                    self.undecided.insert((group.lease.session, group.lane), group.clone());
                    lost(self, &group);
                    return self.after_us(500, 1_000_000, Happening::Undecided { group });
                }
                _ => {
                    self.marks.hit("commit lost after");
                    let delay = self.delay_us();
                    let (action, fate) = (Box::new(Action::Commit(group)), Fate::AnswerLost);
                    return self.add(self.now_us + delay, Happening::Call { from, action, fate });
                }
            }
        }
        if !self.is_quiet && self.random.chance(faults.commit_refused) {
            self.marks.hit("commit unavailable");
            let result = Err(CommitError::Unavailable("no connection".into()));
            return self.answer_commit(from, &group, result);
        }
        let delay = self.delay_us();
        let (action, fate) = (Box::new(Action::Commit(group)), Fate::Fine);
        self.add(self.now_us + delay, Happening::Call { from, action, fate });
    }

    fn answer_commit(&mut self, to: Place, group: &Group, result: Result<Committed, CommitError>) {
        let (session, lane, id) = (group.lease.session, group.lane, group.id);
        self.answer(to, Event::Committed { session, lane, group: id, result });
    }

    fn answer(&mut self, to: Place, event: Event) {
        let delay = self.delay_us();
        self.add(self.now_us + delay, Happening::Event { to, event: Box::new(event) });
    }

    /// A call reaches the store.
    pub(crate) fn arrive(
        &mut self,
        from: Place,
        action: Action,
        fate: Fate,
    ) -> Result<(), Violation> {
        if !self.reaches_store(from) {
            return Ok(());
        }
        let is_away = self.now_us < self.outage_until_us;
        let is_deaf = !self.is_quiet
            && matches!(action, Action::Beat(_))
            && self.now_us < self.nodes[from.node].deaf_until_us;
        let is_lost = is_away || is_deaf || fate == Fate::RequestLost;
        if let Action::Commit(group) = action {
            return self.arrive_group(from, &group, fate, is_away);
        }
        let answer_lost = fate == Fate::AnswerLost;
        let away = || StoreError::Unavailable("no connection".into());
        macro_rules! call {
            ($result:expr) => {
                match is_lost {
                    true => Err(away()),
                    false => {
                        let result = $result;
                        if answer_lost { Err(away()) } else { result }
                    }
                }
            };
        }
        let event = match action {
            Action::Load { instances } => {
                let result = call!(Ok(self.store.load(&instances)));
                Event::Loaded { instances, result }
            }
            Action::LoadDefinition { key } => {
                let found = self.library.get(key).map(|known| self.as_stored(known));
                let missing = || ApiError::Unavailable("no connection".into());
                let result = if is_lost || answer_lost { None } else { found };
                Event::DefinitionLoaded { key, result: result.ok_or_else(missing) }
            }
            Action::FindDefinition { call, called } => {
                let found = self.library.named(&called.process).cloned();
                let away = || ApiError::Unavailable("no connection".into());
                let result = if is_lost || answer_lost { Err(away()) } else { Ok(found) };
                Event::DefinitionFound { call, result }
            }
            Action::FindAsset { call, .. } => {
                // The worlds of simulations have none.
                let away = || ApiError::Unavailable("no connection".into());
                let result = if is_lost || answer_lost { Err(away()) } else { Ok(None) };
                Event::AssetFound { call, result }
            }
            Action::AskLanded { lease, lane, group } => {
                if !is_lost {
                    self.await_decision(lease, lane)?;
                }
                let result = call!(self.store.landed(lease, lane, group));
                Event::Landed { session: lease.session, lane, group, result }
            }
            Action::Acquire { ticket, acquire } => {
                let taken = match is_lost {
                    true => Err(away()),
                    false => self.store.acquire(&acquire),
                };
                if let Ok(jobs) = &taken
                    && !self.store.limits.is_empty()
                {
                    self.marks.add("job taken within limits", jobs.len() as u64);
                }
                if let (Ok(jobs), Wanted::Engine(_), true) = (&taken, &acquire.wanted, answer_lost)
                {
                    self.give_back_later(acquire.lease, jobs);
                }
                Event::Acquired { ticket, result: if answer_lost { Err(away()) } else { taken } }
            }
            Action::Find { ticket, find } => {
                Event::Found { ticket, result: call!(look_up(&mut self.store, &find)) }
            }
            Action::FindDue { now, limit, is_for_workers: false } => {
                Event::Due { result: call!(self.store.due(now, limit)) }
            }
            Action::FindDue { now, limit, is_for_workers: true } => {
                Event::Due { result: call!(self.store.due_for_workers(now, limit)) }
            }
            Action::Expire { now } => Event::Expired { result: call!(self.store.expire(now)) },
            Action::Release { lease, jobs } => {
                let result = call!(self.store.release(lease, &jobs));
                Event::Released { jobs, result }
            }
            Action::Beat(beat) => {
                let session = beat.lease.session;
                let result = call!({
                    let result = self.store.beat(&beat);
                    if result.is_ok() {
                        self.checker.beaten(session, self.now_us);
                    }
                    result
                });
                Event::Beaten { session, result }
            }
            Action::Fence { session, beat } => {
                let result = call!({
                    let result = self.store.fence(session, beat);
                    if result == Ok(true) {
                        self.marks.hit("peer fenced");
                        self.note(|| format!("session {session} is fenced"));
                        self.checker.fenced(&self.plan, from.node, session, self.now_us)?;
                    }
                    result
                });
                Event::Fenced { result }
            }
            Action::Join => {
                let result = call!(self.join(from.node).map(Ok)?);
                if result.is_ok() {
                    self.marks.hit("joined again");
                }
                Event::Joined { result }
            }
            Action::Describe { lease, profile } => {
                let told: Result<_, StoreError> = call!(self.store.describe_node(lease, profile));
                Event::Described { session: lease.session, is_told: told.is_ok() }
            }
            Action::Leave { lease } => {
                let _ = call!(self.store.leave(lease));
                Event::Left
            }
            Action::Commit(_)
            | Action::Reply { .. }
            | Action::Push { .. }
            | Action::CloseStream { .. }
            | Action::Invoke { .. }
            | Action::AbortInvoke { .. }
            | Action::AbortInvokes
            // Only an application that brings an executor is asked.
            | Action::Offer { .. }
            | Action::Prepare(_)
            | Action::Notify(_)
            | Action::Stopped => return Ok(()),
        };
        self.checker.locks(&self.store)?;
        self.answer(from, event);
        Ok(())
    }

    fn arrive_group(
        &mut self,
        from: Place,
        group: &Group,
        fate: Fate,
        is_away: bool,
    ) -> Result<(), Violation> {
        if is_away {
            let result = Err(CommitError::Unavailable("no connection".into()));
            self.answer_commit(from, group, result);
            return Ok(());
        }
        let result = self.apply(group)?;
        match fate {
            Fate::AnswerLost => {
                let result = Err(CommitError::Unknown("connection closed".into()));
                self.answer_commit(from, group, result);
            }
            Fate::CrashWithApply if !self.is_quiet => {
                self.marks.hit("crash after commit");
                self.crash(from.node);
            }
            Fate::CrashWithAnswer
                if !self.is_quiet && self.is_current(from) && !self.is_paused(from.node) =>
            {
                self.marks.hit("crash with answer");
                let (session, lane, id) = (group.lease.session, group.lane, group.id);
                self.deliver(from, Event::Committed { session, lane, group: id, result });
                self.crash(from.node);
            }
            _ => self.answer_commit(from, group, result),
        }
        Ok(())
    }

    /// Does a group in the store and judges what it did.
    fn apply(&mut self, group: &Group) -> Result<Result<Committed, CommitError>, Violation> {
        let before = self.checker.before(&self.store, group);
        let result = self.store.commit(group);
        self.note(|| format!("group {} of {} {}", group.id, group.lease.session, short(&result)));
        match &result {
            Ok(_) => {
                self.marks.add("change", group.changes.len() as u64);
                // Only an exclusive job that nobody held is parked in this way.
                let chores = group.changes.iter().flat_map(|change| &change.chores);
                let overtaken = chores.filter(|write| {
                    matches!(write, ChoreWrite::Update(update) if update.state == JobState::Parked)
                });
                self.marks.add("job overtaken", overtaken.count() as u64);
                self.checker.applied(&self.store, self.library, &before, group)?;
                self.checker.in_order(&self.store, self.plan.strict_order(), group)?;
            }
            Err(CommitError::Conflicts(losers)) => self.marks.add("conflict", losers.len() as u64),
            Err(CommitError::Fenced) => self.marks.hit("group of a fenced node"),
            Err(CommitError::Statement(reason)) => {
                return Err(Violation::new("store", format!("a statement failed: {reason}")));
            }
            Err(_) => {}
        }
        Ok(result)
    }

    /// A group that was under way when its answer was lost arrives, if nobody has asked since.
    pub(crate) fn decide(&mut self, group: &Group) -> Result<(), Violation> {
        let place = (group.lease.session, group.lane);
        let is_open = self.undecided.get(&place).is_some_and(|open| open.id == group.id);
        if is_open && self.now_us >= self.outage_until_us {
            self.undecided.remove(&place);
            self.apply(group)?.ok();
        } else if is_open {
            self.undecided.remove(&place);
        }
        Ok(())
    }

    /// A question about a lane waits for what is under way there.
    fn await_decision(&mut self, lease: Lease, lane: u8) -> Result<(), Violation> {
        if let Some(group) = self.undecided.remove(&(lease.session, lane))
            && self.random.chance(500)
        {
            self.apply(&group)?.ok();
        }
        Ok(())
    }

    pub(crate) fn join(&mut self, node: usize) -> Result<Lease, Violation> {
        let lease = self.store.join(&self.claim_of(node));
        let lease = lease.map_err(|error| Violation::new("store", error.to_string()))?;
        self.checker.beaten(lease.session, self.now_us);
        self.checker.locks(&self.store)?;
        Ok(lease)
    }

    /// A session's locks outlive a lost answer, so a store gives back what the node will never hear
    /// of. A worker's locks run out.
    fn give_back_later(&mut self, lease: Lease, jobs: &[JobRow]) {
        let jobs = jobs.iter().map(|job| (job.key, job.attempt)).collect();
        self.after_us(1_000, 1_000_000, Happening::GiveBack { lease, jobs });
    }

    /// Hints go to every other node; some are lost, late or told twice.
    pub(crate) fn notify(&mut self, from: Place, notices: &[Notice]) {
        let others: Vec<Place> = self.nodes.iter().map(|node| node.place()).collect();
        for notice in notices {
            for to in others.iter().filter(|to| to.node != from.node) {
                let times = match self.is_quiet {
                    false if self.random.chance(self.plan.faults.notice_lost) => {
                        self.marks.hit("notice lost or doubled");
                        if self.random.chance(600) { 0 } else { 2 }
                    }
                    _ => 1,
                };
                for _ in 0..times {
                    let delay = self.delay_us();
                    let event = Box::new(Event::Noticed(notice.clone()));
                    self.add(self.now_us + delay, Happening::Event { to: *to, event });
                }
            }
        }
    }

    fn invoke(&mut self, of: Place, call: CallId, invoke: &Invoke) -> Result<(), Violation> {
        let session = self.nodes[of.node].node.as_ref().map(|node| node.lease().session);
        let called = self.checker.invoked(&self.store, session, invoke)?;
        self.runs_once(&called)?;
        self.nodes[of.node].calls.insert(call, called);
        let result = self.foreign_result(invoke);
        let at = self.now_us + self.foreign_time_us();
        let event = Box::new(Event::Invoked { call, result, statements: Vec::new() });
        self.add(at, Happening::Event { to: of, event });
        Ok(())
    }

    /// While a node that lives runs a job, nobody runs it a second time.
    fn runs_once(&self, called: &Called) -> Result<(), Violation> {
        let is_live = |node: &&SimNode| {
            let session = node.node.as_ref().map(|node| node.lease().session);
            session.is_some_and(|session| self.store.has_session(session))
        };
        let mut running = self.nodes.iter().filter(is_live).flat_map(|node| node.calls.values());
        match running.find(|running| running.is_same_job(called)) {
            None => Ok(()),
            Some(running) => {
                let message = format!("{called:?} is called while {running:?} runs");
                Err(Violation::new("I5", message))
            }
        }
    }

    fn foreign_result(&mut self, invoke: &Invoke) -> InvokeResult {
        let done = InvokeResult::Done { variables: Document::new().with(&invoke.element, true) };
        if self.is_quiet || !self.random.chance(self.plan.faults.misbehaviour) {
            return done;
        }
        self.marks.hit("foreign code misbehaves");
        let code = match self.random.below(3) {
            0 => "POOR",
            1 => "UNHEARD",
            _ => "",
        };
        match !code.is_empty() && self.library.may_throw(invoke, code) {
            true => InvokeResult::Error {
                code: code.into(),
                message: "no money".into(),
                variables: Document::new().with("left", 3),
            },
            false => InvokeResult::Failed { message: "out of order".into() },
        }
    }

    fn foreign_time_us(&mut self) -> i64 {
        match self.random.below(20) {
            0 if !self.is_quiet => self.random.between(100_000, 2_500_000),
            1..=3 => self.random.between(2_000, 60_000),
            _ => self.random.between(20, 2_000),
        }
    }
}
