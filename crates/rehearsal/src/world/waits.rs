//! What everything waits for.

use std::sync::Arc;

use orloj_interpreter::{ElementInstance, Job, JobKind, JobState, Record, Role, SubscriptionKind};
use orloj_model::{ElementKind, Process, Trigger};
use orloj_types::{ElementInstanceKey, Value};

use super::World;
use super::engine::scope_name;
use super::signals::{start_triggers, text_of};
use crate::run::Engine;
use crate::wait::{Handle, Wait, WaitKind, text};

const LOOP_COUNTER: &str = "loopCounter";
/// The type of the jobs that stand for user tasks in Zeebe.
const USER_TASK_TYPE: &str = "io.camunda.zeebe:userTask";

impl World {
    /// What live instances and the timers of definitions wait for.
    pub fn waits(&self) -> Vec<Wait> {
        let mut waits = Vec::new();
        for (_, record) in self.state.facts.live() {
            let process = &self.definitions.get(record.definition).process;
            let see = Sight { engine: self.engine, record, process };
            for holder in record.holders() {
                see.waits_of(holder, &mut waits);
            }
        }
        for (&key, timer) in &self.state.facts.start_timers {
            waits.push(Wait {
                kind: WaitKind::Timer,
                element: timer.event.as_str().into(),
                name: None,
                due_at: Some(timer.due_at),
                actionable: timer.retries_left > 0,
                loop_counter: -1,
                age: key.raw(),
                handle: Handle::Start(key),
                counted_as: Handle::Start(key),
            });
        }
        for (&key, pending) in &self.state.facts.pending_signals {
            waits.push(Wait {
                kind: WaitKind::Async,
                element: pending.event.as_str().into(),
                name: None,
                due_at: None,
                actionable: true,
                loop_counter: -1,
                age: key.raw(),
                handle: Handle::PendingSignal(key),
                counted_as: Handle::PendingSignal(key),
            });
        }
        waits
    }

    /// What waits at definitions, sorted.
    pub fn starts(&self) -> Vec<String> {
        let mut starts = Vec::new();
        // It does not know a name that is empty.
        let is_flowable = self.engine == Engine::Flowable;
        for definition in self.definitions.all_latest() {
            for (event, trigger) in start_triggers(&definition.process) {
                let name = |expression| text_of(expression, self.now).unwrap_or_default();
                let (kind, name) = match trigger {
                    Trigger::Message(message) => {
                        let name = Some(name(&message.name));
                        let is_known = |name: &Arc<str>| !name.is_empty() || !is_flowable;
                        (WaitKind::Message, name.filter(is_known))
                    }
                    Trigger::Signal(signal) => (WaitKind::Signal, Some(name(&signal.name))),
                    Trigger::Condition(_) => (WaitKind::Condition, None),
                    Trigger::Registry(event) if event.is_manual => continue,
                    Trigger::Registry(event) => (WaitKind::Registry, Some(name(&event.event_type))),
                    Trigger::Variable(change) => {
                        (WaitKind::Variable, Some(change.variable.clone()))
                    }
                    _ => continue,
                };
                starts.push(text(kind, event, name.as_deref()));
            }
        }
        let timers = self.state.facts.start_timers.values();
        starts.extend(timers.map(|timer| text(WaitKind::Timer, &timer.event, None)));
        starts.sort();
        starts
    }
}

/// One instance, and how its engine looks at it.
pub(super) struct Sight<'a> {
    pub engine: Engine,
    pub record: &'a Record,
    pub process: &'a Process,
}

impl Sight<'_> {
    fn waits_of(&self, holder: &ElementInstance, waits: &mut Vec<Wait>) {
        let instance = self.record.instance;
        let loop_counter = self.loop_counter(holder.key);
        let wait = |kind, element: Arc<str>, name, age, handle| Wait {
            kind,
            element,
            name,
            due_at: None,
            actionable: true,
            loop_counter,
            age,
            handle,
            counted_as: handle,
        };
        for job in &holder.jobs {
            let kind = kind_of(job, self.engine);
            let name = (kind == WaitKind::Worker).then(|| job.job_type.clone());
            let handle = Handle::Job { instance, job: job.key };
            let due_at = matches!(kind, WaitKind::Async | WaitKind::Timer).then_some(job.due_at);
            // A job that looks after a body is as far as the instance that made it.
            let place = job.job_type.parse().ok();
            let place = place.filter(|_| job.kind == JobKind::AsyncComplete);
            waits.push(Wait {
                loop_counter: place.unwrap_or(loop_counter),
                due_at: due_at.flatten(),
                actionable: !matches!(
                    job.state,
                    JobState::Failed | JobState::ErrorThrown | JobState::Suspended
                ),
                ..wait(kind, self.job_element(holder, job), name, job.key.raw(), handle)
            });
        }
        if let Some(task) = holder.user_task
            && !holder.jobs.iter().any(|job| matches!(job.kind, JobKind::Listener { .. }))
            && holder.incident.as_ref().is_none_or(|incident| incident.job.is_some())
        {
            let element = holder.element.as_str().into();
            let handle = Handle::UserTask { instance, task };
            waits.push(wait(WaitKind::User, element, None, task.raw(), handle));
        }
        let is_hidden = self.hides_hand(holder);
        for found in &holder.subscriptions {
            if is_hidden && found.kind == SubscriptionKind::Hand {
                continue;
            }
            let (kind, name) = match &found.kind {
                // Flowable does not know a name that is empty.
                SubscriptionKind::Message { name, .. }
                    if name.is_empty() && self.engine == Engine::Flowable =>
                {
                    (WaitKind::Message, None)
                }
                SubscriptionKind::Message { name, .. } => (WaitKind::Message, Some(name.clone())),
                SubscriptionKind::Signal { name } => (WaitKind::Signal, Some(name.clone())),
                SubscriptionKind::Condition => (WaitKind::Condition, None),
                SubscriptionKind::Hand => (WaitKind::Receive, None),
                SubscriptionKind::Registry { event_type } => {
                    (WaitKind::Registry, Some(event_type.clone()))
                }
                SubscriptionKind::Variable { name } => (WaitKind::Variable, Some(name.clone())),
            };
            let handle = Handle::Subscription { instance, subscription: found.key };
            // A client of Camunda names the execution, which may wait for several events.
            let counted_as = match self.engine {
                Engine::Camunda7 => Handle::Element { instance, element_instance: holder.key },
                Engine::Flowable | Engine::Zeebe => handle,
            };
            waits.push(Wait {
                counted_as,
                actionable: kind != WaitKind::Receive || !self.is_busy_ad_hoc(holder),
                ..wait(kind, found.event.as_str().into(), name, found.key.raw(), handle)
            });
        }
    }

    /// A client of Camunda cannot tell a receive task without a message from the events that its
    /// execution waits for; what is seen are the events.
    fn hides_hand(&self, holder: &ElementInstance) -> bool {
        let is_event = |kind: &SubscriptionKind| {
            matches!(
                kind,
                SubscriptionKind::Message { .. }
                    | SubscriptionKind::Signal { .. }
                    | SubscriptionKind::Condition
            )
        };
        let has_events =
            |holder: &ElementInstance| holder.subscriptions.iter().any(|s| is_event(&s.kind));
        // Alone in its scope a token has the scope's execution.
        let scope = self.record.element(holder.scope).filter(|_| self.is_alone(holder));
        self.engine == Engine::Camunda7 && (has_events(holder) || scope.is_some_and(has_events))
    }

    /// Whether no other token is in the scope, and the element is no scope itself.
    fn is_alone(&self, holder: &ElementInstance) -> bool {
        let Some(index) = self.process.find(&holder.element) else { return false };
        let element = self.process.element(index);
        let is_in_turn = element.multi.as_ref().is_some_and(|multi| multi.is_sequential);
        // Of a loop the boundary events belong to the body, which an instance in turn has alone.
        let is_scope = !element.inputs.is_empty()
            || !element.outputs.is_empty()
            || (!is_in_turn && (!element.boundaries.is_empty() || element.multi.is_some()));
        !is_scope && self.record.elements.children(holder.scope).count() == 1
    }

    /// The name of the element that a job is about.
    pub fn job_element(&self, holder: &ElementInstance, job: &Job) -> Arc<str> {
        match &job.kind {
            JobKind::Timer { event, .. } => event.as_str().into(),
            _ if holder.key == self.record.root.key => self.process.id.as_str().into(),
            _ => self.element_name(holder),
        }
    }

    /// The name that waits, jobs and incidents have. Zeebe's do not tell a body from its inside.
    pub fn element_name(&self, holder: &ElementInstance) -> Arc<str> {
        if holder.key == self.record.root.key {
            return self.process.id.as_str().into();
        }
        match self.engine {
            Engine::Zeebe if holder.role != Role::Branch => holder.element.as_str().into(),
            _ => scope_name(&holder.element, holder.role, self.engine),
        }
    }

    /// An ad-hoc subprocess is continued by hand once nothing runs in it.
    fn is_busy_ad_hoc(&self, holder: &ElementInstance) -> bool {
        let element = self.process.find(&holder.element).map(|index| self.process.element(index));
        matches!(element.map(|element| &element.kind), Some(ElementKind::SubProcess(_)))
            && self.record.elements.has_children(holder.key)
    }

    /// The index in the nearest multi-instance around it, -1 outside of one.
    fn loop_counter(&self, from: ElementInstanceKey) -> i64 {
        let mut next = self.record.element(from);
        while let Some(holder) = next {
            let name = match self.engine {
                Engine::Flowable if holder.role == Role::Inner => self.index_variable(holder),
                Engine::Flowable => None,
                Engine::Camunda7 | Engine::Zeebe => Some(LOOP_COUNTER.into()),
            };
            let own = self.record.variables.get(&holder.key);
            let value = name.and_then(|name| own?.get(&*name).map(Value::from));
            if let Some(Value::Int(counter)) = value {
                return counter;
            }
            if holder.key == self.record.root.key {
                return -1;
            }
            next = self.record.element(holder.scope);
        }
        -1
    }

    fn index_variable(&self, holder: &ElementInstance) -> Option<Arc<str>> {
        let element = self.process.element(self.process.find(&holder.element)?);
        let own = element.multi.as_ref()?.index_variable.clone();
        Some(own.unwrap_or_else(|| LOOP_COUNTER.into()))
    }
}

fn kind_of(job: &Job, engine: Engine) -> WaitKind {
    match job.kind {
        JobKind::Timer { .. } => WaitKind::Timer,
        JobKind::Worker if engine == Engine::Zeebe && *job.job_type == *USER_TASK_TYPE => {
            WaitKind::User
        }
        JobKind::Worker | JobKind::Listener { .. } => WaitKind::Worker,
        JobKind::AsyncBefore
        | JobKind::AsyncAfter
        | JobKind::AsyncComplete
        | JobKind::Signal { .. } => WaitKind::Async,
    }
}

/// Whether a trace lists the job at its end, and as what.
pub(super) fn shown_kind(job: &Job, engine: Engine) -> Option<WaitKind> {
    match kind_of(job, engine) {
        kind @ (WaitKind::Async | WaitKind::Timer) => Some(kind),
        // Elsewhere workers have tables of their own.
        kind => (engine == Engine::Zeebe).then_some(kind),
    }
}
