//! Everything a rule may touch while a command is interpreted.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::{Beans, Effect, Environment, EvalError, Expression};
use orloj_model::{Conditions, Element, ElementIndex, Process, Semantics};
use orloj_types::{
    ElementId, ElementInstanceKey, InstanceKey, JobKey, KeyBlock, KeyGenerator, Timestamp, Value,
};

use crate::agenda::{MemberIndex, Step};
use crate::answers::Answers;
use crate::beans::{BeanCalls, CallableBeans};
use crate::command::Command;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::host::ProcessHost;
use crate::invoke::{Delegates, Yield};
use crate::need::Need;
use crate::outcome::Event;
use crate::record::{ElementInstance, Job};
use crate::settings::JobSettings;
use crate::variables::View;
use crate::work::Work;
use crate::{element, errors, events, flow, foreign, instance, scope, stage};

pub(crate) struct Turn<'a> {
    /// Of the instance at work.
    pub(crate) process: &'a Process,
    pub(crate) processes: &'a [Arc<Process>],
    pub(crate) command: &'a Command,
    pub(crate) now: Timestamp,
    pub(crate) delegates: &'a dyn Delegates,
    pub(crate) keys: &'a mut KeyGenerator,
    pub(crate) block: &'a mut KeyBlock,
    pub(crate) answers: &'a Answers,
    pub(crate) settings: &'a JobSettings,
    pub(crate) beans: BeanCalls,
    pub(crate) work: &'a mut Work,
}

/// Where the process is that an instance migrates to.
const TARGET: usize = 1;

impl<'a> Turn<'a> {
    /// Works off the agenda. When something from outside is needed, its step stays first.
    pub(crate) fn walk(&mut self) -> Ruled<Option<Yield>> {
        loop {
            let Some((member, step)) = self.next_step() else {
                // What a failed job leaves behind moves no token.
                if self.work.failed.is_none() && element::inclusive_gateway::reconsider_all(self) {
                    continue;
                }
                break;
            };
            self.switch(member);
            let again = step.clone();
            self.beans.reset();
            match self.perform(step) {
                Ok(None) => {
                    self.end_calls();
                    crate::engine_events::tell_news(self);
                }
                Ok(yielded) => return Ok(yielded),
                Err(Failure { needs: Some(needs), .. }) => {
                    self.switch(member);
                    self.work.push_next(again);
                    return Ok(Some(*needs));
                }
                Err(failure) => return Err(failure),
            }
        }
        crate::gathered::settle_all(self);
        crate::multi_instance::leave_checks(self);
        Ok(None)
    }

    /// What expressions of a step have called is called no more: later calls are others.
    pub(crate) fn end_calls(&mut self) {
        if self.beans.take_count() > 0 {
            self.work.calls += 1;
        }
    }

    /// What was ended says its farewell first; what watches variables comes when nothing else is
    /// left.
    fn next_step(&mut self) -> Option<(MemberIndex, Step)> {
        let farewells = std::mem::take(&mut self.work.farewells);
        for (member, farewell) in farewells.into_iter().rev() {
            self.work.agenda.push_next(member, Step::Farewell(farewell));
        }
        let next = self.work.agenda.pop();
        let next =
            next.or_else(|| Some((self.work.pending.first().copied()?, Step::LastConditions)));
        let next = next.or_else(|| Some((*self.work.news.first_key_value()?.0, Step::Listen)));
        next.or_else(|| {
            let (member, afterwards) = self.work.afterwards.pop_front()?;
            Some((member, Step::Afterwards(afterwards)))
        })
    }

    fn perform(&mut self, step: Step) -> Ruled<Option<Yield>> {
        let is_over = self.work.ended.is_some();
        match step {
            Step::Return => element::call_activity::hand_back(self)?,
            Step::CancelCalled { instance } => instance::cancel_called(self, instance)?,
            Step::Farewell(farewell) => crate::farewell::say(self, *farewell)?,
            Step::Queued { job, instance, queue } => {
                crate::exclusive::queued(self, job, instance, queue)?;
            }
            Step::LeaveQueue { job, root } => crate::exclusive::leave_shared(self, job, root)?,
            Step::IncidentBelow { incident, root_cause, kind } => {
                crate::incidents::climb(self, incident, root_cause, kind)?;
            }
            Step::IncidentBelowClosed { incident, how } => {
                crate::incidents::follow(self, incident, how)?;
            }
            Step::Conditions | Step::LastConditions if is_over => {
                let (member, _) = self.work.at();
                self.work.pending.remove(&member);
            }
            Step::Listen => crate::variable_listeners::listen(self)?,
            Step::Signal(signal) if is_over => self.work.signals.push(*signal),
            Step::Afterwards(put_off) => crate::afterwards::call(self, &put_off)?,
            Step::Tell(told) => crate::engine_events::hear(self, &told)?,
            _ if is_over => {}
            Step::Take { flow, scope, listener, with } => {
                flow::take(self, flow, scope, listener, with)?;
            }
            Step::Arrive { element, scope, role, with } => {
                flow::arrive(self, element, scope, None, role, with)?;
            }
            Step::Go { key, stage } => return stage::go(self, key, stage),
            Step::Close { scope } => scope::close_if_empty(self, scope)?,
            Step::Instruct { next } => {
                if let Command::Modify { instructions } = self.command {
                    crate::commands::follow(self, instructions, next)?;
                }
            }
            Step::Resubscribe { key } => crate::commands::resubscribe(self, key)?,
            Step::Throw(throwing) => errors::throw(self, *throwing)?,
            Step::Signal(signal) => events::hear(self, *signal)?,
            // What it waited on may have come to its end in the meantime.
            Step::Occur { host, .. } if self.work.record.element(host).is_none() => {}
            Step::Occur { host, event, with } => events::occur(self, host, event, with)?,
            Step::Conditions => crate::conditions::ask_all(self)?,
            Step::LastConditions => crate::conditions::ask_last(self)?,
            Step::BeginInstance { starts, listener } => instance::begin(self, starts, listener)?,
            Step::EndInstance { listener } => instance::end(self, listener)?,
        }
        Ok(None)
    }

    /// Puts another instance to work.
    pub(crate) fn switch(&mut self, member: MemberIndex) {
        self.work.switch(member);
        let (_, process) = self.work.at();
        self.process = &self.processes[process];
    }

    /// The instance at work is one of the command's other process from now on.
    pub(crate) fn adopt_target(&mut self) {
        self.work.adopt(self.processes, TARGET);
        self.process = &self.processes[TARGET];
    }

    /// The member that is an instance, which may have to be asked for; `None`: it is gone.
    pub(crate) fn member(&self, instance: InstanceKey) -> Ruled<Option<MemberIndex>> {
        if let Some(member) = self.work.member(instance) {
            return Ok(Some(member));
        }
        if self.work.absent.contains(&instance) {
            return Ok(None);
        }
        Err(Failure::needs(&self.process_element(), Yield::Need(Need::Instance(instance))))
    }

    /// The process under the name of an element, for what belongs to none.
    pub(crate) fn process_element(&self) -> ElementId {
        ElementId::from(&*self.process.id)
    }

    pub(crate) fn semantics(&self) -> &'a Semantics {
        &self.process.semantics
    }

    pub(crate) fn next_key(&mut self) -> i64 {
        self.block.next(self.keys, self.now)
    }

    pub(crate) fn event(&mut self, event: Event) {
        self.work.changes.event(event);
    }

    pub(crate) fn index_of(&self, id: &ElementId) -> ElementIndex {
        self.process.find(id).expect("a record is interpreted with its own definition")
    }

    pub(crate) fn model(&self, index: ElementIndex) -> &'a Element {
        self.process.element(index)
    }

    /// The element that an element instance visits; `None` for the instance itself.
    pub(crate) fn model_of(&self, key: ElementInstanceKey) -> Option<ElementIndex> {
        let record = &self.work.record;
        (key != record.root.key).then(|| self.index_of(&self.element(key).element))
    }

    pub(crate) fn element(&self, key: ElementInstanceKey) -> &ElementInstance {
        let found = self.work.record.element(key);
        found.expect("a rule is only given element instances of the record")
    }

    pub(crate) fn element_mut(&mut self, key: ElementInstanceKey) -> &mut ElementInstance {
        let found = self.work.record.element_mut(key);
        found.expect("a rule is only given element instances of the record")
    }

    pub(crate) fn job_mut(&mut self, key: JobKey) -> Option<&mut Job> {
        let record = &mut self.work.record;
        if record.root.jobs.iter().any(|job| job.key == key) {
            let own = &mut Arc::make_mut(&mut record.root).jobs;
            return own.iter_mut().find(|job| job.key == key);
        }
        record.elements.job_mut(key)
    }

    /// Variables have changed: what waits for that is asked before anything else goes on.
    pub(crate) fn note_variables(&mut self) {
        self.work.changes.is_record_changed = true;
        if self.work.watches() {
            let (member, _) = self.work.at();
            self.work.pending.insert(member);
        }
    }

    /// Whether what watches variables is to be asked before the instance at work goes on.
    pub(crate) fn must_ask(&self) -> bool {
        let (member, _) = self.work.at();
        self.semantics().conditions == Conditions::OnChange && self.work.pending.contains(&member)
    }

    /// What methods called by expressions wanted of the variables.
    #[inline]
    pub(crate) fn apply_bean_replies(&mut self) {
        if self.beans.has_replies() {
            self.apply_replies();
        }
    }

    fn apply_replies(&mut self) {
        for (key, reply) in self.beans.take_replies() {
            let record = &self.work.record;
            let scope = match record.element(key) {
                Some(_) => key,
                None => record.root.key,
            };
            foreign::apply(self, scope, &reply);
        }
    }

    /// The value of an expression as seen from `scope`.
    pub(crate) fn evaluate(
        &self,
        of: &ElementId,
        scope: ElementInstanceKey,
        expression: &Expression,
    ) -> Ruled<Value> {
        self.evaluate_in(of, &View::new(&self.work.record, scope), expression)
    }

    /// As [`Turn::evaluate`], where a date is wanted: one that FEEL has made comes as it is.
    pub(crate) fn evaluate_temporal(
        &self,
        of: &ElementId,
        scope: ElementInstanceKey,
        expression: &Expression,
    ) -> Ruled<Value> {
        let view = View::new(&self.work.record, scope);
        self.evaluate_as(of, &view, expression, |environment| environment.keeping_temporals())
    }

    pub(crate) fn evaluate_in(
        &self,
        of: &ElementId,
        view: &View<'_>,
        expression: &Expression,
    ) -> Ruled<Value> {
        self.evaluate_as(of, view, expression, |environment| environment)
    }

    fn evaluate_as(
        &self,
        of: &ElementId,
        view: &View<'_>,
        expression: &Expression,
        adapt: for<'e> fn(Environment<'e>) -> Environment<'e>,
    ) -> Ruled<Value> {
        let beans = CallableBeans { turn: self, key: view.scope(), element: of };
        self.evaluate_among(of, view, expression, &beans, adapt)
    }

    /// As [`Turn::evaluate_in`], with other beans.
    pub(crate) fn evaluate_with(
        &self,
        of: &ElementId,
        view: &View<'_>,
        expression: &Expression,
        beans: &dyn Beans,
    ) -> Ruled<Value> {
        self.evaluate_among(of, view, expression, beans, |environment| environment)
    }

    fn evaluate_among(
        &self,
        of: &ElementId,
        view: &View<'_>,
        expression: &Expression,
        beans: &dyn Beans,
        adapt: for<'e> fn(Environment<'e>) -> Environment<'e>,
    ) -> Ruled<Value> {
        let event = self.beans.event();
        let (process, worker) = (self.process, self.work.worker.as_ref());
        let activity = self.beans.activity();
        let element = activity.as_ref().unwrap_or(of);
        let turn = self;
        let host = ProcessHost { turn, process, element, view, beans, event, worker };
        let seed = self.seed(view.scope(), expression);
        let environment = Environment::new(view, self.now).with_host(&host).with_seed(seed);
        match expression.evaluate(&adapt(environment)) {
            Ok(evaluated) => Ok(evaluated.value),
            Err(error) => Err(self.failed(of, &error)),
        }
    }

    /// The value of an expression that may also change variables, and these changes.
    pub(crate) fn evaluate_script(
        &self,
        of: &ElementId,
        scope: ElementInstanceKey,
        expression: &Expression,
    ) -> Ruled<(Value, Vec<Effect>)> {
        let inputs: Option<BTreeMap<Arc<str>, Value>> = self.beans.inputs().map(|inputs| {
            inputs.0.iter().map(|(name, value)| (name.clone(), Value::from(value))).collect()
        });
        let view = View::new(&self.work.record, scope);
        let view = match &inputs {
            Some(inputs) => view.only(inputs),
            None => view,
        };
        let beans = CallableBeans { turn: self, key: scope, element: of };
        let event = self.beans.event();
        let (process, worker) = (self.process, self.work.worker.as_ref());
        let activity = self.beans.activity();
        let element = activity.as_ref().unwrap_or(of);
        let (turn, view) = (self, &view);
        let host = ProcessHost { turn, process, element, view, beans: &beans, event, worker };
        let seed = self.seed(scope, expression);
        let environment = Environment::new(view, self.now).with_host(&host).with_seed(seed);
        match expression.evaluate_with_effects(&environment) {
            Ok((evaluated, effects)) => Ok((evaluated.value, effects)),
            Err(error) => Err(self.failed(of, &error)),
        }
    }

    /// Chance of an evaluation: another for every visit, expression and moment, and the same when
    /// a step is repeated.
    fn seed(&self, scope: ElementInstanceKey, expression: &Expression) -> u64 {
        /// Of the FNV-1a hash.
        const PRIME: u64 = 0x0100_0000_01b3;
        let key = (scope.raw() as u64) ^ (self.now.as_ms() as u64).rotate_left(32);
        let text = expression.source().bytes();
        text.fold(key, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
    }

    fn failed(&self, of: &ElementId, error: &EvalError) -> Failure {
        if let Some(failure) = self.beans.take_stopped() {
            return failure;
        }
        let kind = match error {
            EvalError::UnknownName { .. } | EvalError::UnknownProperty { .. } => {
                FailureKind::UnknownName
            }
            _ => FailureKind::ExtractValue,
        };
        Failure::new(of, kind, format!("an expression failed: {error}"))
    }
}
