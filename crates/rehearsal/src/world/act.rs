//! Actions: what a client, a worker, a person or the executor does to the engine.

use std::collections::VecDeque;
use std::sync::Arc;

use orloj_interpreter::{Command, FailJob, JobKind, JobResult, SubscriptionKind, ThrowError};
use orloj_types::{Document, InstanceKey, JobKey, SubscriptionKey};

use super::World;
use super::engine::{Failed, NewInstance};
use crate::run::Engine;
use crate::wait::{Handle, Wait, WaitKind};

/// What a worker does with its job. Everything else is only ever completed.
#[derive(Clone, Debug)]
pub enum How {
    Complete,
    /// Fails with one retry left and no delay.
    FailOnce,
    /// Throws the error with this code.
    Throw(Option<Arc<str>>),
}

impl World {
    /// Starts an instance of the latest version of a process at its start event without trigger.
    pub fn start(&mut self, process: &str, variables: Document) -> Result<(), Failed> {
        let definition = self.definitions.latest(process).map(|found| found.key);
        let missing = || Failed(format!("no process '{process}' is deployed"));
        let definition = definition.ok_or_else(missing)?;
        self.transact(|world| {
            world.begin(NewInstance { definition, at: None, variables, message_key: None })
        })
    }

    /// Acts on what [`World::waits`] has shown. A job that fails loses a retry; of everything else
    /// that fails nothing stays.
    pub fn act(&mut self, wait: &Wait, how: &How) -> Result<(), Failed> {
        match wait.handle {
            Handle::Job { instance, job } => match wait.kind {
                WaitKind::Async | WaitKind::Timer => self.run_job(instance, job),
                WaitKind::User => self.transact(|world| world.complete_job(instance, job)),
                _ => self.transact(|world| world.work(instance, job, how)),
            },
            Handle::Start(timer) => self.run_start_timer(timer),
            Handle::PendingSignal(job) => self.run_pending_signal(job),
            Handle::UserTask { instance, task } => self.transact(|world| {
                let variables = Document::new();
                world.command(instance, Command::CompleteUserTask { task, variables }).map(drop)
            }),
            Handle::Subscription { instance, subscription } => {
                self.transact(|world| world.trigger(instance, subscription))
            }
            Handle::Element { .. } => Err(Failed("nothing to act on".to_owned())),
        }
    }

    /// A job of the engine's own. One that fails is still there afterwards, or gave up.
    /// The loop runs any job it likes, whatever other exclusive job of the instance is first.
    fn run_job(&mut self, instance: InstanceKey, job: JobKey) -> Result<(), Failed> {
        let kept = self.transact(|world| world.command(instance, Command::ExecuteJob { job }))?;
        match kept.failed_job {
            Some((failed, message)) if failed == job => Err(Failed(message.to_string())),
            _ => Ok(()),
        }
    }

    fn complete_job(&mut self, instance: InstanceKey, job: JobKey) -> Result<(), Failed> {
        let (variables, activations) = (Document::new(), Vec::new());
        let command = Command::CompleteJob { job, variables, result: JobResult::None, activations };
        self.command(instance, command).map(drop)
    }

    fn work(&mut self, instance: InstanceKey, job: JobKey, how: &How) -> Result<(), Failed> {
        match how {
            How::Complete => self.complete_job(instance, job),
            // Listeners cannot throw.
            How::Throw(_) if self.is_listener(instance, job) => self.complete_job(instance, job),
            How::Throw(code) => {
                // Elsewhere an error is thrown without a message.
                let message = if self.engine == Engine::Zeebe { "thrown by the run" } else { "" };
                let command = Command::ThrowError(ThrowError {
                    job,
                    code: code.clone().unwrap_or_default(),
                    message: message.into(),
                    variables: Document::new(),
                    activations: Vec::new(),
                });
                self.command(instance, command).map(drop)
            }
            How::FailOnce => {
                let command = Command::FailJob(FailJob {
                    job,
                    retries: 1,
                    message: "failed".into(),
                    details: None,
                    back_off_ms: 0,
                    variables: Document::new(),
                    activations: Vec::new(),
                });
                self.command(instance, command).map(drop)
            }
        }
    }

    fn is_listener(&self, instance: InstanceKey, job: JobKey) -> bool {
        let record = self.state.facts.record(instance);
        let found = record.as_ref().and_then(|record| record.job(job));
        found.is_some_and(|(_, job)| matches!(job.kind, JobKind::Listener { .. }))
    }

    fn trigger(
        &mut self,
        instance: InstanceKey,
        subscription: SubscriptionKey,
    ) -> Result<(), Failed> {
        let record = self.state.facts.record(instance);
        let found = record.as_ref().and_then(|record| record.subscription(subscription));
        let kind = found.map(|(_, found)| found.kind.clone());
        match kind {
            Some(SubscriptionKind::Signal { name }) => self.send_signal(&name),
            Some(SubscriptionKind::Message { name, correlation_key })
                if self.engine == Engine::Zeebe =>
            {
                self.publish(&name, &correlation_key.unwrap_or_default())
            }
            Some(SubscriptionKind::Message { name, .. })
                if name.is_empty() && self.engine == Engine::Flowable =>
            {
                Err(Failed("a message without a name cannot be sent".to_owned()))
            }
            _ => {
                let variables = Document::new();
                let command = Command::Trigger { subscription, variables };
                self.command(instance, command).map(drop)
            }
        }
    }

    fn run_pending_signal(&mut self, job: JobKey) -> Result<(), Failed> {
        self.transact(|world| {
            let pending = world.state.facts.pending_signals.remove(&job);
            let Some(pending) = pending else { return Ok(()) };
            let mut more = VecDeque::new();
            world.deliver(&pending, &mut more)?;
            world.hear_all(more)
        })
    }
}
