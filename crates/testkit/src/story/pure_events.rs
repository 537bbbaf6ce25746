//! Messages, signals and start events of the interpreter alone: as simple as they can be.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_interpreter::{
    Command, Repeat, Signal, Start, StartTrigger, Subscription, SubscriptionKind, next_start,
    start_is_over, start_job, starts,
};
use orloj_model::{Process, RetryCycle, RetryPlan};
use orloj_types::{
    DefinitionKey, Document, ElementId, InstanceKey, SubscriptionKey, TenantId, Timestamp,
};

use super::depth::Refusal;
use super::pure::{Instance, Pure};
use super::seen::SeenState;

/// A message that waits.
pub(super) struct Buffered {
    message: orloj::PublishMessage,
    expires_at: Timestamp,
    /// Processes that have got it.
    taken: BTreeSet<String>,
}

/// A start event's timer.
pub(super) struct TimerStart {
    process: String,
    event: ElementId,
    due_at: Timestamp,
    repeat: Option<Repeat>,
    failures: usize,
}

/// A start event of the latest version of a process.
struct Wanted {
    process: String,
    event: ElementId,
}

impl Pure {
    /// The timers of a new version take the place of those of the old one.
    pub(super) fn wait_for_starts(&mut self, id: &str, _key: DefinitionKey, process: &Process) {
        self.timers.retain(|timer| timer.process != id);
        for wait in starts(process, self.now) {
            if let StartTrigger::Timer { due_at, repeat } = wait.trigger {
                let (process, event) = (id.to_owned(), wait.event);
                let failures = 0;
                self.timers.push(TimerStart { process, event, due_at, repeat, failures });
            }
        }
    }

    pub(super) fn publish_message(
        &mut self,
        message: orloj::PublishMessage,
    ) -> Result<(), Refusal> {
        self.forget_expired();
        let is_same = |known: &Buffered| {
            known.message.message_id.is_some()
                && known.message.message_id == message.message_id
                && known.message.name == message.name
                && known.message.correlation_key == message.correlation_key
        };
        if self.messages.iter().any(is_same) {
            return Err(Refusal("message exists".into()));
        }
        let expires_at = self.now.plus_ms(message.time_to_live_ms);
        let is_kept = message.time_to_live_ms > 0;
        self.messages.push(Buffered { message, expires_at, taken: BTreeSet::new() });
        while self.correlate_one() {}
        if !is_kept {
            self.messages.pop();
        }
        self.settle();
        Ok(())
    }

    pub(super) fn correlate_message(&mut self, message: orloj::Correlate) -> Result<(), Refusal> {
        let waits: Vec<_> = self.waits(|subscription| match &subscription.kind {
            SubscriptionKind::Message { name, .. } => *name == message.name,
            _ => false,
        });
        match waits[..] {
            [] => {}
            [(_, instance, subscription)] => {
                let variables = message.variables;
                return self.command(instance, Command::Trigger { subscription, variables });
            }
            _ => return Err(Refusal(format!("{} wait", waits.len().min(2)))),
        }
        let wanted = self.wanted(
            |trigger| matches!(trigger, StartTrigger::Message { name } if *name == message.name),
        );
        let [wanted] = &wanted[..] else {
            return Err(Refusal(format!("{} wait", wanted.len().min(2))));
        };
        let started = self.try_start(wanted, message.variables, None);
        self.settle();
        started
    }

    /// Something that comes from outside of the instances; false: nothing does.
    pub(super) fn something_happens(&mut self) -> bool {
        if let Some((signal, key)) = self.signals.pop_front() {
            self.hear(&signal, key);
            return true;
        }
        self.forget_expired();
        self.correlate_one() || self.do_later() || self.fire()
    }

    fn forget_expired(&mut self) {
        let now = self.now;
        self.messages.retain(|known| known.expires_at > now);
    }

    /// The oldest message for the oldest wait of a process that has not got it; true: there was
    /// one.
    fn correlate_one(&mut self) -> bool {
        for at in 0..self.messages.len() {
            let known = &self.messages[at];
            let message = known.message.clone();
            let waits = self.waits(|subscription| match &subscription.kind {
                SubscriptionKind::Message { name, correlation_key: Some(key) } => {
                    *name == message.name && *key == message.correlation_key
                }
                _ => false,
            });
            let fit = waits.into_iter().find(|(process, _, _)| !known.taken.contains(process));
            if let Some((process, instance, subscription)) = fit {
                self.messages[at].taken.insert(process);
                let variables = message.variables;
                let _ = self.interpret(instance, Command::Trigger { subscription, variables });
                return true;
            }
            let wanted = self.wanted(
                |trigger| matches!(trigger, StartTrigger::Message { name } if *name == message.name),
            );
            let key = Some(message.correlation_key.clone()).filter(|key| !key.is_empty());
            for wanted in wanted {
                let known = &self.messages[at];
                if known.taken.contains(&wanted.process) || self.is_held(&wanted.process, &key) {
                    continue;
                }
                self.messages[at].taken.insert(wanted.process.clone());
                self.start_at(&wanted, message.variables, key);
                return true;
            }
        }
        false
    }

    fn is_held(&self, process: &str, key: &Option<Arc<str>>) -> bool {
        let mut alive = self.instances.values().filter_map(|instance| {
            let record = instance.record.as_ref()?;
            (instance.process_id == process).then_some(record)
        });
        key.is_some() && alive.any(|record| record.started_with == *key)
    }

    /// Everyone who waited when it was thrown hears a signal.
    fn hear(&mut self, signal: &Signal, thrown: i64) {
        let waits = self.waits(|subscription| match &subscription.kind {
            SubscriptionKind::Signal { name } => {
                *name == signal.name && subscription.key.raw() < thrown
            }
            _ => false,
        });
        for (_, instance, subscription) in waits {
            let is_deaf = signal.heard_by == Some(instance);
            if !is_deaf && signal.only.is_none_or(|only| only == instance) {
                let variables = signal.variables.clone();
                let command = match signal.is_async {
                    true => Command::DeferTrigger { subscription, variables },
                    false => Command::Trigger { subscription, variables },
                };
                // One that heard it may have ended another's wait.
                let _ = self.interpret(instance, command);
            }
        }
        if signal.only.is_some() {
            return;
        }
        let wanted = self.wanted(
            |trigger| matches!(trigger, StartTrigger::Signal { name } if *name == signal.name),
        );
        for wanted in wanted {
            self.start_at(&wanted, signal.variables.clone(), None);
        }
    }

    fn fire(&mut self) -> bool {
        if !self.taking.is_on {
            return false;
        }
        let is_taken = |timer: &TimerStart| {
            let (definition, process) = self.processes[&timer.process].last().expect("a version");
            let (settings, now) = (&self.job_settings, self.now);
            let job = start_job(process, &timer.event, *definition, settings, now);
            !job.is_suspended
                && self.taking.takes_such(*definition, job.priority, job.category.as_deref())
        };
        let due = |timer: &TimerStart| {
            timer.due_at <= self.now && !self.is_suspended(&timer.process) && is_taken(timer)
        };
        let Some(at) = self.timers.iter().position(due) else {
            return false;
        };
        let timer = self.timers.remove(at);
        let latest = self.processes[&timer.process].last().expect("a version").1.clone();
        // A repetition goes on from its first try, whatever becomes of that.
        let repeat = timer.repeat.clone().filter(|_| timer.failures == 0);
        let is_over = start_is_over(&latest, &timer.event, timer.due_at, self.now);
        if is_over == Ok(true) {
            return true;
        }
        let next = repeat.and_then(|repeat| next_start(&latest, &timer.event, &repeat, self.now));
        if let Some((due_at, repeat)) = next {
            let (process, event) = (timer.process.clone(), timer.event.clone());
            let repeat = Some(repeat);
            self.timers.push(TimerStart { process, event, due_at, repeat, failures: 0 });
        }
        let wanted = Wanted { process: timer.process.clone(), event: timer.event.clone() };
        if is_over.is_err() || !self.start_at(&wanted, Document::new(), None) {
            self.try_start_again(timer, &latest);
        }
        true
    }

    fn try_start_again(&mut self, timer: TimerStart, process: &Process) {
        let event = process.elements.iter().find(|element| element.id == timer.event);
        let plan = match event.and_then(|event| event.jobs.retry_cycle.as_ref()) {
            Some(RetryCycle::Fixed(plan)) => plan.clone(),
            _ => RetryPlan::parse("R3/PT0S").expect("a cycle"),
        };
        let failures = timer.failures + 1;
        if failures >= plan.tries as usize {
            return;
        }
        let wait = &plan.waits[(failures - 1).min(plan.waits.len() - 1)];
        let wait = wait.0.total(jiff::Unit::Millisecond).expect("no months") as i64;
        self.timers.push(TimerStart { due_at: self.now.plus_ms(wait), failures, ..timer });
    }

    /// False: it could not be started.
    fn start_at(&mut self, wanted: &Wanted, variables: Document, key: Option<Arc<str>>) -> bool {
        self.try_start(wanted, variables, key).is_ok()
    }

    fn try_start(
        &mut self,
        wanted: &Wanted,
        variables: Document,
        key: Option<Arc<str>>,
    ) -> Result<(), Refusal> {
        let versions = &self.processes[&wanted.process];
        let (definition, process) = versions.last().expect("a version").clone();
        let instance = InstanceKey::new(self.keys.next(self.now));
        self.instances.insert(instance, Instance::new(process));
        let start = Start {
            instance,
            definition,
            tenant: TenantId::none(),
            business_key: None,
            variables,
            awaited_by: None,
            started_with: key,
            at: Some(wanted.event.clone()),
            before: Vec::new(),
            tags: Arc::default(),
            stops_after: Vec::new(),
        };
        let started = self.interpret(instance, Command::Start(start));
        if started.is_err() {
            self.instances.remove(&instance);
        }
        started.map_err(|rejection| Refusal::from(&rejection))
    }

    /// Start events of the latest versions.
    fn wanted(&self, is_it: impl Fn(&StartTrigger) -> bool) -> Vec<Wanted> {
        let latest =
            self.processes.iter().filter_map(|(id, versions)| Some((id, versions.last()?)));
        let mut latest: Vec<_> = latest.map(|(id, (key, process))| (*key, id, process)).collect();
        latest.sort_by_key(|(key, _, _)| *key);
        let waits = latest.into_iter().flat_map(|(_, id, process)| {
            let found = starts(process, self.now).into_iter().filter(|wait| is_it(&wait.trigger));
            let found: Vec<_> = found.map(|wait| (id.clone(), wait.event)).collect();
            found
        });
        waits.map(|(process, event)| Wanted { process, event }).collect()
    }

    /// Process, instance and key of the waits that are meant, oldest first.
    fn waits(
        &self,
        is_it: impl Fn(&Subscription) -> bool,
    ) -> Vec<(String, InstanceKey, SubscriptionKey)> {
        let mut found = Vec::new();
        for (key, instance) in &self.instances {
            let Some(record) = instance.record.as_ref() else { continue };
            if instance.state != SeenState::Alive {
                continue;
            }
            for holder in record.holders() {
                let meant = holder.subscriptions.iter().filter(|wait| is_it(wait));
                found.extend(meant.map(|wait| (instance.process_id.clone(), *key, wait.key)));
            }
        }
        found.sort_by_key(|(_, _, wait)| *wait);
        found
    }
}
