//! Commands: from a request to a reply.

use std::panic::{AssertUnwindSafe, catch_unwind};

use orloj_interpreter::{
    Activation, Command, FailJob, Input, InvokeResult, InvokeResults, Progress, Record, Rejection,
    Run, Start, ThrowError,
};
use orloj_store::Error as StoreError;
use orloj_types::{InstanceKey, JobKey, KeyBlock, Timestamp};

use super::answer::Question;
use super::claims::Ended;
use super::event::{
    Action, CallId, Find, Found, JobCommand, Reply, Request, RequestId, StartRequest, Work,
    WorkOrigin,
};
use super::lane::{Done, Entry, Other, Verdict};
use super::slot::{Attempt, Identity, Slot, SlotState, Task};
use super::{Node, Phase, Sabotage};
use crate::api::{Error, Missing};
use crate::codec;

impl Node {
    pub(super) fn request(&mut self, id: RequestId, request: Request) {
        match self.phase {
            Phase::Running => {}
            Phase::Joining => {
                return self.reply(id, Err(Error::Unavailable("joining the cluster".into())));
            }
            Phase::Draining | Phase::Stopped => return self.reply(id, Err(Error::ShuttingDown)),
        }
        match request {
            Request::Start(start) => self.start(id, start),
            Request::Job { job, command } => match self.known_jobs.get(job) {
                Some(known) => {
                    let (instance, activations) = (known.instance, known.activations.clone());
                    self.submit_job(id, instance, job, command, activations);
                }
                None => self.find(Question::Job { id, job, command }, Find::Job(job)),
            },
            Request::Incident { incident } => {
                self.find(Question::Incident { id, incident }, Find::Incident(incident));
            }
            Request::UserTask { task, variables } => {
                self.find(Question::UserTask { id, task, variables }, Find::UserTask(task));
            }
            Request::Variables { scope, variables, local } => {
                let question = Question::Scope { id, scope, variables, local };
                self.find(question, Find::Scope(scope));
            }
            Request::Instance { instance, command, target } => {
                if let Some(target) = target {
                    self.definitions.entry(target.key).or_insert(target);
                }
                self.client_work(id, instance, *command);
            }
            Request::Publish(message) => self.publish(id, message),
            Request::Broadcast(signal) => self.broadcast(id, signal),
            Request::Trigger { subscription, variables } => {
                let question = Question::Trigger { id, subscription, variables };
                self.find(question, Find::Subscription(subscription));
            }
            Request::Cancel { instance } => self.client_work(id, instance, Command::Cancel),
            Request::Activate(activate) => self.activate(id, activate),
            Request::Keys { count } => {
                let keys = (0..count).map(|_| self.keys.next(self.now)).collect();
                self.reply(id, Ok(Reply::Keys(keys)));
            }
            Request::Settle => self.settling.push(id),
        }
    }

    pub(super) fn request_dropped(&mut self, id: RequestId) {
        self.poll_dropped(id);
        self.awaiting.retain(|_, waiting| *waiting != id);
    }

    fn start(&mut self, id: RequestId, start: StartRequest) {
        let waiting: usize = self.slots.len();
        if waiting >= self.config.requests_max + self.config.idle_instances_max {
            let reason = format!("{waiting} instances are being worked on");
            return self.reply(id, Err(Error::Overloaded(reason)));
        }
        let instance = InstanceKey::new(self.keys.next(self.now));
        let awaited_by = start.await_end.then_some(self.lease.node);
        let tenant = start.definition.tenant.clone();
        let command = Command::Start(Start {
            instance,
            definition: start.definition.key,
            tenant: tenant.clone(),
            business_key: start.business_key.clone(),
            variables: start.variables,
            awaited_by,
            started_with: None,
            at: start.at,
        });
        self.definitions.entry(start.definition.key).or_insert_with(|| start.definition.clone());
        let slot = Slot {
            state: SlotState::Ready,
            definition: Some(start.definition),
            start: Some(Identity { tenant, awaited_by, started_with: None }),
            fresh: true,
            ..Slot::default()
        };
        self.slots.insert(instance, Box::new(slot));
        let origin = WorkOrigin::Client { id, awaits_end: start.await_end };
        self.submit(instance, Task::Work(Box::new(Work { command, origin, claims: None })));
    }

    pub(super) fn find(&mut self, question: Question, find: Find) {
        let ticket = self.ask(question);
        self.actions.push(Action::Find { ticket, find });
    }

    pub(super) fn found(&mut self, ticket: super::Ticket, result: Result<Found, StoreError>) {
        let Some(question) = self.questions.remove(&ticket) else { return };
        let found = match result {
            Ok(found) => found,
            Err(error) => {
                self.metrics.store_errors.inc();
                return self.unanswered(&question, &error);
            }
        };
        match (question, found) {
            (Question::Job { id, job, command }, Found::Job(row)) => {
                let activations = codec::activations(&row);
                self.submit_job(id, row.instance, job, command, activations);
            }
            (Question::Job { id, job, .. }, _) => {
                self.reply(id, Err(Rejection::JobNotFound(job).into()));
            }
            (Question::Incident { id, incident }, Found::Instance(instance)) => {
                self.client_work(id, instance, Command::ResolveIncident { incident });
            }
            (Question::Incident { id, incident }, _) => {
                self.reply(id, Err(Rejection::IncidentNotFound(incident).into()));
            }
            (Question::UserTask { id, task, variables }, Found::Instance(instance)) => {
                self.client_work(id, instance, Command::CompleteUserTask { task, variables });
            }
            (Question::UserTask { id, task, .. }, _) => {
                self.reply(id, Err(Rejection::UserTaskNotFound(task).into()));
            }
            (Question::Scope { id, scope, variables, local }, Found::Instance(instance)) => {
                let command = Command::SetVariables { scope, variables, local };
                self.client_work(id, instance, command);
            }
            (Question::Scope { id, scope, .. }, _) => {
                self.reply(id, Err(Error::Missing(Missing::ElementInstance(scope.raw()))));
            }
            (Question::Ended { id, instance }, Found::Ended(row)) => {
                let result = orloj_store::format::decode_variables(&row.variables)
                    .map(|variables| {
                        let completed = row.completed;
                        Reply::Finished { instance, completed, variables }
                    })
                    .map_err(|error| Error::Internal(error.to_string()));
                self.reply(id, result);
            }
            // The notice came before the reader could see the end; the next one finds it.
            (Question::Ended { id, instance }, _) => {
                self.awaiting.insert(instance, id);
            }
            (Question::Trigger { id, subscription, variables }, Found::Instance(instance)) => {
                self.client_work(id, instance, Command::Trigger { subscription, variables });
            }
            (Question::Trigger { id, subscription, .. }, _) => {
                self.reply(id, Err(Rejection::SubscriptionNotFound(subscription).into()));
            }
            (Question::Publish { id, message }, Found::Receivers(receivers)) => {
                self.receivers_found(id, *message, *receivers);
            }
            (Question::Correlate { message }, Found::Message(row)) => {
                self.message_found(message, Some(*row));
            }
            (Question::Correlate { message }, _) => self.message_found(message, None),
            (Question::Channel { tries, refused }, Found::Fit(fit)) => {
                self.fit_found(Some(fit), tries, refused);
            }
            (Question::Fits, Found::Fits(fits)) => self.fits_found(fits),
            (Question::ExpireMessages, Found::Count(count)) => self.messages_expired(count),
            (Question::DueStarts, Found::Starts(rows)) => self.due_starts_found(rows),
            (Question::Broadcasts, Found::Broadcasts(rows)) => self.broadcasts_found(rows),
            (Question::Receivers { broadcast }, Found::Subscriptions(rows)) => {
                self.subscriptions_found(broadcast, rows);
            }
            (Question::Receivers { broadcast }, Found::Starts(rows)) => {
                self.starts_found(broadcast, rows);
            }
            (Question::Receivers { broadcast }, Found::Candidates(rows)) => {
                self.candidates_found(broadcast, rows);
            }
            (
                Question::EngineAcquire { .. }
                | Question::WorkerAcquire { .. }
                | Question::Publish { .. }
                | Question::Channel { .. }
                | Question::Fits
                | Question::ExpireMessages
                | Question::DueStarts
                | Question::Broadcasts
                | Question::Receivers { .. },
                _,
            ) => {}
        }
    }

    fn unanswered(&mut self, question: &Question, error: &StoreError) {
        match question {
            Question::Correlate { message } => self.correlation_unanswered(*message),
            Question::Channel { .. } => self.messages.doubt(),
            Question::Fits => self.fits_unknown(),
            Question::ExpireMessages => self.messages_expired(0),
            Question::DueStarts => self.due_starts_unknown(),
            Question::Broadcasts | Question::Receivers { .. } => self.leave_broadcast(),
            _ => {}
        }
        let Some(id) = question.asked_by() else { return };
        if let Question::Ended { instance, .. } = question {
            // The instance has ended all the same; whoever waits is told with the next look.
            self.awaiting.insert(*instance, id);
            return;
        }
        self.reply(id, Err(store_error(error)));
    }

    fn submit_job(
        &mut self,
        id: RequestId,
        instance: InstanceKey,
        job: JobKey,
        command: JobCommand,
        activations: Vec<Activation>,
    ) {
        let command = match command {
            JobCommand::Complete { variables } => {
                Command::CompleteJob { job, variables, activations }
            }
            JobCommand::Fail { retries, message, back_off_ms, variables } => {
                Command::FailJob(FailJob {
                    job,
                    retries,
                    message,
                    back_off_ms,
                    variables,
                    activations,
                })
            }
            JobCommand::Throw { code, message, variables } => {
                Command::ThrowError(ThrowError { job, code, message, variables, activations })
            }
            JobCommand::UpdateRetries { retries } => Command::UpdateRetries { job, retries },
        };
        self.client_work(id, instance, command);
    }

    fn client_work(&mut self, id: RequestId, instance: InstanceKey, command: Command) {
        let origin = WorkOrigin::Client { id, awaits_end: false };
        self.submit(instance, Task::Work(Box::new(Work { command, origin, claims: None })));
    }

    /// Does one thing with an instance whose state is there.
    pub(super) fn execute(&mut self, instance: InstanceKey, task: Task) {
        let Some(slot) = self.slots.get_mut(&instance) else { return };
        let is_asked = matches!(task, Task::Work(_) | Task::Again(_));
        if slot.record.is_none() && slot.pending > 0 && is_asked {
            // It has ended, but the disk does not have that yet: whoever is told that it is gone
            // must not find it after a crash.
            return slot.verify_before(task);
        }
        let runs_job =
            matches!(&task, Task::Work(work) if matches!(work.origin, WorkOrigin::Engine { .. }));
        if runs_job
            && self.config.is_shared
            && !slot.fresh
            && slot.record.is_some()
            && slot.is_doubtful(self.now, self.has_peers)
        {
            return slot.verify_before(task);
        }
        let Some(slot) = self.slots.get(&instance) else { return };
        let attempt = match task {
            Task::Lend { leader, mut attempt } => {
                let is_lent = self.lend(instance, &mut attempt);
                debug_assert!(is_lent, "a task is executed on a state that is there");
                self.call_over(leader);
                return self.go_on(leader, attempt);
            }
            Task::Deliver { taker, row } => return self.deliver(instance, taker, row),
            Task::Work(work) if is_orphaning(&work, slot.record.as_deref()) => {
                let root = slot.record.as_ref().map_or(instance, |record| record.hierarchy());
                return self.refuse(&work, Error::IsCalled { instance, root });
            }
            Task::Work(work) => {
                let Some(definition) = &slot.definition else {
                    return self.missing(instance, &work);
                };
                let run = Run::begin(Input {
                    process: definition.process.clone(),
                    record: slot.record.clone(),
                    command: work.command.clone(),
                    now: self.time_for(&work),
                    keys: KeyBlock::default(),
                    results: InvokeResults::default(),
                });
                Box::new(Attempt { work: *work, run, basis: slot.basis(), lent: Vec::new() })
            }
            Task::Again(attempt) => {
                let is_start = matches!(attempt.work.command, Command::Start(_));
                if slot.record.is_none() && !is_start {
                    return self.missing(instance, &attempt.work);
                }
                let run = attempt.run.again(slot.record.clone(), self.now);
                Box::new(Attempt { run, basis: slot.basis(), work: attempt.work, lent: Vec::new() })
            }
        };
        let is_start = matches!(attempt.work.command, Command::Start(_));
        if slot.record.is_none() && !is_start {
            return self.missing(instance, &attempt.work);
        }
        self.drive(instance, attempt);
    }

    pub(super) fn drive(&mut self, instance: InstanceKey, mut attempt: Box<Attempt>) {
        let progress = loop {
            let (keys, delegates) = (&mut self.keys, &*self.delegates);
            // A defect of the interpreter is contained to the instance it shows in.
            let advanced = catch_unwind(AssertUnwindSafe(|| attempt.run.advance(keys, delegates)));
            let Ok(progress) = advanced else {
                let error = Error::Internal("the interpreter panicked".into());
                return self.set_aside(&attempt.work, error);
            };
            let Progress::Need(need) = progress else { break progress };
            match self.meet(instance, attempt, need) {
                Some(served) => attempt = served,
                None => return,
            }
        };
        match progress {
            Progress::Need(_) => {}
            Progress::Done(_) if !self.is_lent_current(&attempt) => {
                if let Some(slot) = self.slots.get_mut(&instance) {
                    slot.waiting.push_front(Task::Again(attempt));
                }
            }
            Progress::Done(outcome) => {
                if self.sabotaged(Sabotage::AnswerEarly) {
                    self.answer(instance, &attempt.work);
                }
                self.apply(instance, attempt, outcome);
            }
            Progress::Rejected(rejection) => self.rejected(instance, attempt, rejection),
            Progress::Invoke(invoke) => {
                if !self.heartbeat.is_trusted(self.now) && self.put_back(instance, &attempt.work) {
                    return;
                }
                let call = self.next_call();
                if let Some(slot) = self.slots.get_mut(&instance) {
                    slot.calls += 1;
                }
                self.calls.insert(call, (instance, attempt));
                self.actions.push(Action::Invoke { call, invoke: Box::new(invoke) });
            }
        }
    }

    pub(super) fn invoked(&mut self, call: CallId, result: InvokeResult) {
        let Some((instance, mut attempt)) = self.calls.remove(&call) else { return };
        attempt.run.resume(result);
        if let Some(slot) = self.slots.get_mut(&instance) {
            slot.calls = slot.calls.saturating_sub(1);
        }
        self.go_on(instance, attempt);
    }

    fn rejected(&mut self, instance: InstanceKey, attempt: Box<Attempt>, rejection: Rejection) {
        let is_start = matches!(attempt.work.command, Command::Start(_));
        // A refusal must not rest on what another node may have changed, nor on what is not on
        // disk yet.
        if !is_start
            && let Some(slot) = self.slots.get_mut(&instance)
            && (slot.pending > 0 || (self.config.is_shared && !slot.fresh))
        {
            return slot.verify_before(Task::Again(attempt));
        }
        self.refuse(&attempt.work, rejection.into());
    }

    /// There is no such instance, as far as the store knows.
    fn missing(&mut self, instance: InstanceKey, work: &Work) {
        let rejection = Rejection::gone(&work.command, instance);
        self.refuse(work, rejection.into());
    }

    /// Work that can never be done as it is. A job is kept locked and out of the way, so that it
    /// neither spins nor gets lost: the node's next life tries it again.
    fn set_aside(&mut self, work: &Work, error: Error) {
        tracing::error!(%error, origin = ?work.origin, "work set aside");
        match work.origin {
            WorkOrigin::Client { .. } => self.refuse(work, error),
            WorkOrigin::Engine { .. } => {}
            WorkOrigin::Due { job } => {
                self.set_aside.insert(job);
                self.due_done(job);
            }
            origin => self.event_ended(origin, &Ended::Refused(&error)),
        }
    }

    /// Whoever caused the work learns that it was not done.
    pub(super) fn refuse(&mut self, work: &Work, error: Error) {
        match work.origin {
            WorkOrigin::Client { id, .. } => self.reply(id, Err(error)),
            WorkOrigin::Engine { job, .. } => {
                // The job is gone, or no longer ours.
                self.held.remove(&job);
            }
            WorkOrigin::Due { job } => self.due_done(job),
            origin => self.event_ended(origin, &Ended::Refused(&error)),
        }
    }

    pub(super) fn give_up(&mut self, task: Task, error: &StoreError) {
        match task {
            Task::Work(work) => self.refuse(&work, store_error(error)),
            Task::Again(attempt) => self.refuse(&attempt.work, store_error(error)),
            Task::Lend { leader, attempt } => {
                self.call_over(leader);
                self.refuse(&attempt.work, store_error(error));
                self.rest(leader);
            }
            Task::Deliver { taker, row } => self.undeliverable(taker, &row),
        }
    }

    fn time_for(&self, work: &Work) -> Timestamp {
        let is_due = matches!(work.command, Command::JobDue { .. });
        if is_due && self.sabotaged(Sabotage::FireEarly) {
            return Timestamp::MAX.plus_ms(-1);
        }
        self.now
    }

    pub(super) fn verdict(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Nothing => {}
            Verdict::Committed(landed) => {
                self.metrics.group_committed(landed.entries.len());
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
        let mut touched = Vec::new();
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
        for job in effects.gone {
            self.held.remove(&job);
            self.known_jobs.remove(job);
        }
        self.settle_reservations(effects.places_back, effects.credits_back);
        for queued in effects.queued {
            // A job that failed and is tried at once is among those gone, and ours again.
            self.held.insert(queued.job);
            self.queue.push_reserved(queued);
        }
        for (taker, job) in effects.handed {
            let activation = Activation { worker: job.worker.clone(), at: self.now };
            self.hand(taker, job, vec![activation]);
        }
        for job_type in effects.ready_types {
            self.jobs_ready(job_type);
        }
        for at in effects.due {
            self.watch_due(at);
        }
        if effects.has_errands {
            self.broadcasts.raise();
        }
        if !self.sabotaged(Sabotage::AnswerEarly) {
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

/// A called instance that ended by itself would leave its caller waiting for ever.
fn is_orphaning(work: &Work, record: Option<&Record>) -> bool {
    let is_called = record.is_some_and(|record| record.caller.is_some());
    is_called && matches!(work.command, Command::Cancel | Command::Delete)
}

pub(crate) fn store_error(error: &StoreError) -> Error {
    match error {
        StoreError::Unavailable(_) | StoreError::Fenced => Error::Unavailable(error.to_string()),
        other => Error::Internal(other.to_string()),
    }
}
