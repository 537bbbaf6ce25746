//! The one place that talks to the interpreter: commands in, outcomes kept.

use std::collections::VecDeque;
use std::sync::Arc;

use orloj_interpreter::{
    Command, EndKind, Event, Input, InvokeResults, JobChange, JobKind, JobRow, LeaveKind, Need,
    Outcome, Progress, Record, Role, Run, Signal, Start, Supply,
};
use orloj_model::{Element, ElementKind};
use orloj_types::{
    DefinitionKey, Document, ElementId, ElementInstanceKey, InstanceKey, JobKey, KeyBlock, TenantId,
};

use super::World;
use super::state::{Instance, InstanceState};
use crate::run::Engine;

/// An action did not succeed as a whole.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Failed(pub(crate) String);

/// Signals that one action may send on, also to itself: what sends more never comes to an end.
const SIGNALS_MAX: usize = 10_000;

/// Jobs that one action may be cut into: a loop that never comes to an end is seen at last.
const CONTINUATIONS_MAX: usize = 256;

/// An instance to be.
pub(super) struct NewInstance<'a> {
    pub definition: DefinitionKey,
    /// The start event whose trigger came; `None`: the one without a trigger.
    pub at: Option<&'a ElementId>,
    pub variables: Document,
    /// The key of the message that starts it.
    pub message_key: Option<Arc<str>>,
}

/// What became of a command.
#[derive(Default)]
pub(super) struct Kept {
    /// The job that failed, where the command ran one.
    pub failed_job: Option<(JobKey, Arc<str>)>,
}

impl World {
    /// Does everything or nothing.
    pub(super) fn transact<T>(
        &mut self,
        action: impl FnOnce(&mut Self) -> Result<T, Failed>,
    ) -> Result<T, Failed> {
        let (facts, mark) = (self.state.facts.clone(), self.state.visits.mark());
        let done = action(self);
        if done.is_err() {
            self.state.facts = facts;
            self.state.visits.undo_to(mark);
        }
        done
    }

    /// Starts an instance, and does what follows from that elsewhere.
    pub(super) fn begin(&mut self, new: NewInstance<'_>) -> Result<(), Failed> {
        let mut signals = VecDeque::new();
        self.begin_quietly(new, &mut signals)?;
        self.hear_all(signals)
    }

    /// Interprets a command of an instance, and does what follows from it elsewhere.
    pub(super) fn command(
        &mut self,
        instance: InstanceKey,
        command: Command,
    ) -> Result<Kept, Failed> {
        let mut signals = VecDeque::new();
        let kept = self.command_quietly(instance, command, &mut signals)?;
        self.hear_all(signals)?;
        Ok(kept)
    }

    /// As [`World::begin`], but signals are left to the caller.
    pub(super) fn begin_quietly(
        &mut self,
        new: NewInstance<'_>,
        signals: &mut VecDeque<Signal>,
    ) -> Result<(), Failed> {
        let key = InstanceKey::new(self.keys.next(self.now));
        let start = Start {
            instance: key,
            definition: new.definition,
            tenant: TenantId::none(),
            business_key: None,
            variables: new.variables,
            awaited_by: None,
            started_with: None,
            at: new.at.cloned(),
            before: Vec::new(),
            tags: Arc::default(),
            stops_after: Vec::new(),
        };
        let outcome = self.interpret(new.definition, None, Command::Start(start))?;
        self.keep_whole(outcome, signals)?;
        if let Some(instance) = self.state.facts.instances.get_mut(&key) {
            instance.started_by_key = new.message_key;
        }
        Ok(())
    }

    /// As [`World::command`], but signals are left to the caller.
    pub(super) fn command_quietly(
        &mut self,
        key: InstanceKey,
        command: Command,
        signals: &mut VecDeque<Signal>,
    ) -> Result<Kept, Failed> {
        let instance = self.state.facts.instances.get(&key);
        let instance = instance.ok_or_else(|| Failed(format!("no instance {key}")))?;
        let (definition, record) = (instance.definition, instance.record.clone());
        let outcome = self.interpret(definition, record, command)?;
        let failed_job = outcome.events.iter().find_map(|event| match event {
            Event::JobFailed { key, message, .. } => Some((*key, message.clone())),
            _ => None,
        });
        self.keep_whole(outcome, signals)?;
        Ok(Kept { failed_job })
    }

    /// Keeps what a command did, and the rest of it: what the engine has left to jobs because it
    /// was too much for one commit belongs to the same action, and nobody sees those jobs.
    fn keep_whole(
        &mut self,
        outcome: Outcome,
        signals: &mut VecDeque<Signal>,
    ) -> Result<(), Failed> {
        let mut left: VecDeque<_> = self.left_of(&outcome).collect();
        self.keep(outcome, signals);
        let mut done = 0;
        while let Some((key, job)) = left.pop_front() {
            let instance = self.state.facts.instances.get(&key);
            let alive = instance.and_then(|i| Some((i.definition, i.record.clone()?)));
            let Some((definition, record)) = alive else { continue };
            done += 1;
            if record.job(job).is_none() || done > CONTINUATIONS_MAX {
                continue;
            }
            let outcome = self.interpret(definition, Some(record), Command::ExecuteJob { job })?;
            left.extend(self.left_of(&outcome));
            self.keep(outcome, signals);
        }
        Ok(())
    }

    /// The jobs that a command was cut off with.
    fn left_of(&self, outcome: &Outcome) -> impl Iterator<Item = (InstanceKey, JobKey)> + use<> {
        let mut left = Vec::new();
        for outcome in std::iter::once(outcome).chain(&outcome.others) {
            for change in &outcome.jobs {
                if let JobChange::Insert(row) = change
                    && self.is_left(outcome.record.as_deref(), row)
                {
                    left.push((outcome.instance, row.job.key));
                }
            }
        }
        left.into_iter()
    }

    fn is_left(&self, record: Option<&Record>, row: &JobRow) -> bool {
        match row.job.kind {
            // Models of Zeebe have no save points.
            JobKind::AsyncBefore | JobKind::AsyncAfter => self.engine == Engine::Zeebe,
            JobKind::AsyncComplete if self.engine == Engine::Zeebe => true,
            // Instances of a multi-instance body are still to be made.
            JobKind::AsyncComplete => {
                let body = record.and_then(|record| record.element(row.element_instance));
                let numbers = body.and_then(|body| body.multi);
                numbers.is_some_and(|numbers| numbers.created < numbers.total) && !row.job.exclusive
            }
            _ => false,
        }
    }

    /// Sends signals, and those that follow from them.
    pub(super) fn hear_all(&mut self, mut signals: VecDeque<Signal>) -> Result<(), Failed> {
        let mut heard = 0;
        while let Some(signal) = signals.pop_front() {
            heard += 1;
            if heard > SIGNALS_MAX {
                return Err(Failed(format!("more than {SIGNALS_MAX} signals in one action")));
            }
            self.broadcast(&signal, &mut signals)?;
        }
        Ok(())
    }

    fn interpret(
        &mut self,
        definition: DefinitionKey,
        record: Option<Arc<Record>>,
        command: Command,
    ) -> Result<Outcome, Failed> {
        let mut run = Run::begin(Input {
            process: self.definitions.get(definition).process.clone(),
            record,
            command,
            now: self.now,
            keys: KeyBlock::default(),
            results: InvokeResults::new(),
            settings: Arc::default(),
        });
        loop {
            if self.watch.is_given_up() {
                return Err(Failed("given up".to_owned()));
            }
            match run.advance(&mut self.keys, &self.calls) {
                Progress::Done(outcome) => return Ok(*outcome),
                Progress::Rejected(rejection) => return Err(Failed(rejection.to_string())),
                Progress::Invoke(invoke) => {
                    let definition = self.definitions.get(invoke.definition);
                    let (process, deployment) = (&definition.process, definition.deployment);
                    let result = self.calls.answer(&invoke, process, |call| {
                        let found =
                            self.definitions.decision(&call.decision, &call.binding, deployment);
                        found.map(|decision| &decision.model)
                    });
                    run.resume(result);
                }
                Progress::Need(need) => run.supply(self.supply(&need)),
            }
        }
    }

    fn supply(&self, need: &Need) -> Supply {
        match need {
            Need::Definition(called) => {
                let deployment = self.definitions.get(called.caller).deployment;
                let found = self.definitions.bound(&called.process, &called.binding, deployment);
                // Nothing here is deployed for a tenant.
                let found =
                    found.filter(|_| called.tenant.is_empty() || called.falls_back_to_no_tenant);
                Supply::Definition(found.map(|found| (found.key, found.process.clone())))
            }
            Need::Asset(wanted) => {
                let deployment = self.definitions.get(wanted.definition).deployment;
                Supply::Asset(self.definitions.asset(wanted, deployment))
            }
            Need::Instance(key) => {
                let found = self.state.facts.instances.get(key).and_then(|instance| {
                    let process = self.definitions.get(instance.definition).process.clone();
                    instance.record.clone().map(|record| (process, record))
                });
                Supply::Instance(found)
            }
        }
    }

    fn keep(&mut self, outcome: Outcome, signals: &mut VecDeque<Signal>) {
        signals.extend(outcome.signals);
        for other in outcome.others {
            self.keep(other, signals);
        }
        for event in outcome.events {
            self.note(event, outcome.definition);
        }
        let (definition, variables) = (outcome.definition, orloj_types::Variables::new());
        let instance =
            self.state.facts.instances.entry(outcome.instance).or_insert_with(|| Instance {
                definition,
                state: InstanceState::Active,
                record: None,
                last_variables: variables,
                started_by_key: None,
            });
        instance.record = outcome.record.map(|record| match &self.keeper {
            Some(keeper) => keeper.keep(*record),
            None => Arc::from(record),
        });
        if let Some(end) = outcome.end {
            instance.last_variables = end.variables.0;
            instance.state = match end.how {
                EndKind::Completed => InstanceState::Completed,
                EndKind::Cancelled => InstanceState::Cancelled,
            };
        }
    }

    fn note(&mut self, event: Event, definition: DefinitionKey) {
        match event {
            Event::ElementEntered { key, element, role, .. } => {
                let process = &self.definitions.get(definition).process;
                let model = process.find(&element).map(|index| process.element(index));
                // History does not mention what the model does not name.
                if model.is_some_and(|model| !model.has_id) {
                    return;
                }
                let is_boundary =
                    |model: &Element| matches!(model.kind, ElementKind::BoundaryEvent(_));
                // That a boundary event has fired is known when it is done.
                if self.engine == Engine::Flowable && model.is_some_and(is_boundary) {
                    let name = scope_name(&element, role, self.engine);
                    self.state.visits.enter_unnoticed(key, name);
                    return;
                }
                self.note_entered(key, &element, role);
            }
            Event::ElementLeft { key, how } => {
                self.state.visits.leave(key, how == LeaveKind::Terminated);
            }
            Event::IncidentOpened { key, message, .. } => {
                self.state.facts.reasons.insert(key, message);
            }
            _ => {}
        }
    }

    fn note_entered(&mut self, key: ElementInstanceKey, element: &ElementId, role: Role) {
        // Flowable's history knows the instances of a multi-instance activity, but not the whole.
        if role == Role::Body && self.engine == Engine::Flowable {
            return;
        }
        self.state.visits.enter(key, scope_name(element, role, self.engine));
    }
}

/// The name that visits and variables have in a trace.
pub(super) fn scope_name(element: &ElementId, role: Role, engine: Engine) -> Arc<str> {
    match role {
        Role::Branch => format!("{element}#innerInstance").into(),
        Role::Body if engine != Engine::Flowable => format!("{element}#body").into(),
        _ => element.as_str().into(),
    }
}
