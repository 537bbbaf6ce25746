//! Requests: what callers ask for becomes work of an instance, at once or when it is known which.

use orloj_interpreter::{Activation, Command, FailJob, Start, ThrowError};
use orloj_types::{InstanceKey, JobKey};

use super::answer::Question;
use super::chores::Afterwards;
use super::claims::{Claims, Sole};
use super::event::{
    Find, JobCommand, Manage, Reply, Request, RequestId, StartRequest, Work, WorkOrigin,
};
use super::slot::{Identity, Slot, SlotState, Task};
use super::{Node, Phase};
use crate::api::Error;

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
                    self.learn(target);
                }
                self.client_work(id, instance, *command);
            }
            Request::Manage(manage) => self.manage(id, *manage),
            Request::Write(mut change) => {
                self.follow_chores(&mut change);
                self.forget_batches(&change.batches);
                let key = self.keys.next(self.now);
                let afterwards = Afterwards::of(&change.chores);
                self.commit_sole(key, *change, Sole::Written { id, afterwards });
            }
            Request::RunChore { job } => self.run_chore(id, job),
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
            Request::Suspend(suspension) => self.suspend_now(id, suspension),
            Request::Executor { is_active } => self.switch_executor(id, is_active),
            Request::Register { deployments } => self.register(id, deployments),
            Request::Unregister { deployments } => self.unregister(id, &deployments),
            Request::Registered => self.list_registered(id),
            Request::Report => self.report(id),
            Request::CloseBreaker { topic } => self.close_breaker(id, &topic),
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
        let tenant = self.tenant_of(&start.definition);
        let command = Command::Start(Start {
            instance,
            definition: start.definition.key,
            tenant: tenant.clone(),
            business_key: start.business_key.clone(),
            variables: start.variables,
            awaited_by,
            started_with: None,
            at: start.at,
            before: start.before,
            tags: start.tags,
            stops_after: start.stops_after,
        });
        self.learn(start.definition.clone());
        let slot = Slot {
            state: SlotState::Ready,
            definition: Some(start.definition),
            start: Some(Identity { tenant, awaited_by, started_with: None }),
            fresh: true,
            ..Slot::default()
        };
        self.slots.insert(instance, Box::new(slot));
        let origin = WorkOrigin::Client { id, awaits_end: start.await_end };
        self.submit(instance, Task::Work(Box::new(Work::new(command, origin))));
    }

    pub(super) fn submit_job(
        &mut self,
        id: RequestId,
        instance: InstanceKey,
        job: JobKey,
        command: JobCommand,
        activations: Vec<Activation>,
    ) {
        let command = match command {
            JobCommand::Complete { variables, result } => {
                Command::CompleteJob { job, variables, result: *result, activations }
            }
            JobCommand::Fail { retries, message, details, back_off_ms, variables } => {
                Command::FailJob(FailJob {
                    job,
                    retries,
                    message,
                    details,
                    back_off_ms,
                    variables,
                    activations,
                })
            }
            JobCommand::Throw { code, message, variables } => {
                Command::ThrowError(ThrowError { job, code, message, variables, activations })
            }
            JobCommand::HoldBack { message } => Command::HoldBackJob { job, message, activations },
            JobCommand::UpdateRetries { retries } => Command::UpdateRetries { job, retries },
        };
        self.client_work(id, instance, command);
    }

    fn manage(&mut self, id: RequestId, manage: Manage) {
        let Manage { instance, command, target, log, free } = manage;
        if let Some(target) = target {
            self.learn(target);
        }
        let claims = free.map(|job| Box::new(Claims { free: Some(job), ..Claims::default() }));
        let origin = WorkOrigin::Client { id, awaits_end: false };
        let work = Work { claims, log, ..Work::new(command, origin) };
        self.submit(instance, Task::Work(Box::new(work)));
    }

    pub(super) fn client_work(&mut self, id: RequestId, instance: InstanceKey, command: Command) {
        let origin = WorkOrigin::Client { id, awaits_end: false };
        self.submit(instance, Task::Work(Box::new(Work::new(command, origin))));
    }
}
