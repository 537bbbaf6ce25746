//! Clients: they start instances and meddle with them.

use std::sync::Arc;

use orloj::node::{Event, JobCommand, Request, StartRequest};
use orloj::{BroadcastSignal, PublishMessage};
use orloj_interpreter::{Command, JobOrder};
use orloj_store::{
    Channel, JobKind, JobState, LimitScope, NewLimit, Notice, Rate, SetTenant, SubscriptionKind,
    TenantSet,
};
use orloj_types::{Document, InstanceKey, TenantId};

use super::happening::{Ask, Happening, Place};
use super::world::World;

/// Longer than what a record holds inline, so that rows of variables are exercised.
const LARGE_TEXT_CHARS: usize = 1_500;
/// Few, so that messages and waits meet.
const MESSAGE_KEYS: u64 = 3;
/// Longer than any run.
const MESSAGE_MS: i64 = 3_600_000;
const JANITOR_EVERY_US: i64 = 400_000;

impl World<'_> {
    /// Often several at once, and often about the same instance: races are the point.
    pub(crate) fn client_acts(&mut self) {
        if let (true, true, Some(to)) =
            (self.starts_left > 0, self.random.chance(400), self.some_node())
        {
            return self.start(to);
        }
        let instances: Vec<InstanceKey> = self.store.instances.keys().copied().collect();
        let Some(&hot) = self.random.pick(&instances) else { return };
        for _ in 0..self.random.between(1, 6) {
            let Some(to) = self.some_node() else { return };
            if self.plan.has_orders && self.random.chance(200) {
                self.order_some_job(to, hot);
                continue;
            }
            match self.random.below(30) {
                0 => self.cancel(to, hot),
                1..=8 => self.set_variables(to, hot),
                9..=14 => self.complete_some_task(to, hot),
                15..=20 => self.complete_some_job(to, hot),
                21..=24 => {
                    let name = ["paid", "paid", "stop", "order"][self.random.index(4)];
                    let key = self.random.below(MESSAGE_KEYS);
                    self.publish(to, name, &format!("k{key}"));
                }
                25 => self.signal(to),
                26 => self.delete_some(to),
                27 if self.plan.has_tenants => self.set_tenant(to),
                28 if self.plan.has_limits => self.set_limit(to),
                29 if self.plan.has_suspensions => self.suspend(to),
                _ => self.repair(),
            }
        }
    }

    /// Asks one node, and sometimes another for the same: who does not know whether a request
    /// arrived sends it again.
    fn ask_impatiently(&mut self, to: Place, ask: &Ask, request: impl Fn() -> Request) {
        self.ask(to, ask.clone(), request());
        if let (true, Some(other)) = (self.random.chance(300), self.some_node()) {
            self.ask(other, ask.clone(), request());
        }
    }

    fn start(&mut self, to: Place) {
        self.starts_left -= 1;
        let definitions = self.library.startable();
        let drawn = self.random.index(definitions.len());
        let definition = self.as_stored(&definitions[drawn]);
        let is_awaited = self.random.chance(250);
        let mut variables = Document::new()
            .with("asked", i64::try_from(self.next_request).unwrap_or(0))
            .with("total", self.random.between(0, 10))
            .with("id", format!("k{}", self.random.below(MESSAGE_KEYS)).as_str());
        if self.random.chance(150) {
            variables = variables.with("large", "x".repeat(LARGE_TEXT_CHARS).as_str());
        }
        let request = StartRequest {
            definition,
            business_key: None,
            variables,
            at: None,
            before: Vec::new(),
            await_end: is_awaited,
            tags: [].into(),
            stops_after: Vec::new(),
        };
        self.ask(to, Ask::Start { is_awaited }, Request::Start(request));
    }

    /// Buffered ones stay until the world ends. Whoever is started by one tells by which.
    fn publish(&mut self, to: Place, name: &str, key: &str) {
        let is_buffered = self.is_quiet || self.random.chance(700);
        let mut variables = Document::new();
        if name == "order" {
            let asked = i64::try_from(self.next_request).unwrap_or(0);
            variables = variables.with("asked", asked);
        }
        let has_id = self.random.chance(300);
        let id = has_id.then(|| format!("m{}", self.random.below(MESSAGE_KEYS)).into());
        let message = PublishMessage {
            name: name.into(),
            correlation_key: key.into(),
            time_to_live_ms: if is_buffered { MESSAGE_MS } else { 0 },
            message_id: id.filter(|_| !self.is_quiet),
            variables,
            ..PublishMessage::default()
        };
        self.marks.hit("message");
        self.ask(to, Ask::Publish { is_buffered }, Request::Publish(message));
    }

    fn signal(&mut self, to: Place) {
        let signal = BroadcastSignal { name: "go".into(), ..BroadcastSignal::default() };
        self.marks.hit("signal");
        self.ask(to, Ask::Signal, Request::Broadcast(signal));
    }

    /// As whoever sets something at a node: the store has it, and the node tells the others.
    fn set_limit(&mut self, at: Place) {
        let name: Arc<str> = ["D", "D", "charge", "mail"][self.random.index(4)].into();
        let scope = LimitScope::Topic;
        let now = self.clock_of(at.node);
        if self.random.chance(250) {
            let Ok(Some(version)) = self.store.delete_limit(scope, &name) else { return };
            self.note(|| format!("the limit of {name} is gone, version {version}"));
            self.marks.hit("limit deleted");
            self.checker.limit_deleted(scope, &name);
            return self.tell_settings(at, version);
        }
        let rate = Rate { jobs: 20, interval_ms: 1_000, burst: 3 };
        let limit = NewLimit {
            scope,
            name,
            max_concurrent: Some(u32::try_from(self.random.between(0, 3)).unwrap_or(1)),
            rate: self.random.chance(200).then_some(rate),
        };
        let Ok(version) = self.store.set_limit(limit.clone(), now) else { return };
        self.note(|| format!("{limit:?}, version {version}"));
        self.marks.hit("limit set");
        self.checker.limit_set(&self.store, &limit, version);
        self.tell_settings(at, version);
    }

    /// Those whose start calls no foreign code: what began before goes on.
    fn suspend(&mut self, at: Place) {
        let names = ["chain", "fork", "busy"];
        let Some(known) = self.library.named(names[self.random.index(3)]) else { return };
        let (key, is_suspended) = (known.key, self.random.chance(500));
        let Ok(Some(version)) = self.store.suspend_definitions(&[key], is_suspended) else {
            return;
        };
        self.note(|| format!("definition {key} suspended: {is_suspended}, version {version}"));
        self.marks.hit("definition suspended");
        self.checker.suspended(key, is_suspended.then_some(version));
        self.tell_settings(at, version);
    }

    /// Of those that hear no messages and signals, which have a tenant of their own.
    fn set_tenant(&mut self, at: Place) {
        let names = ["chain", "fork", "busy", "through", "caller", "callee", "timed"];
        let Some(known) = self.library.named(names[self.random.index(names.len())]) else { return };
        let tenant = TenantId::new(["", "acme", "other"][self.random.index(3)]);
        let (deployment, now) = (known.deployment, self.clock_of(at.node));
        let set = SetTenant { deployment, tenant, now, logs_chores: true };
        let Ok(TenantSet::Done(version)) = self.store.set_deployment_tenant(&set) else { return };
        self.note(|| format!("{set:?}, version {version}"));
        self.marks.hit("tenant changed");
        self.tell_settings(at, version);
    }

    fn tell_settings(&mut self, at: Place, version: i64) {
        let notice = Notice::Settings(version);
        self.notify(at, std::slice::from_ref(&notice));
        let event = Box::new(Event::Noticed(notice));
        self.after_us(0, 2_000, Happening::Event { to: at, event });
    }

    /// What would keep the world from coming to its end is taken away.
    pub(crate) fn lift_settings(&mut self) {
        let Some(at) = self.some_node() else { return };
        let limits = self.store.list_limits();
        for row in limits.into_iter().filter(|row| row.max_concurrent == Some(0)) {
            let Ok(Some(version)) = self.store.delete_limit(row.scope, &row.name) else { continue };
            self.checker.limit_deleted(row.scope, &row.name);
            self.tell_settings(at, version);
        }
        for key in self.store.stored_settings().suspended {
            let Ok(Some(version)) = self.store.suspend_definitions(&[key], false) else { continue };
            self.checker.suspended(key, None);
            self.tell_settings(at, version);
        }
    }

    /// Sends what someone waits for, unless it is on its way: a message that fits is left to the
    /// nodes.
    fn send_what_is_waited_for(&mut self) {
        let now = self.clock_of(0);
        let waits: Vec<_> = self.store.subscriptions.values().cloned().collect();
        let is_telling = !self.store.broadcasts.is_empty();
        for row in waits {
            let Some(to) = self.some_node() else { return };
            match (row.kind, &row.correlation_key) {
                (SubscriptionKind::Signal, _) if !is_telling => return self.signal(to),
                (SubscriptionKind::Message, Some(key)) if &*row.name == "paid" => {
                    let channel = Channel {
                        engine: row.engine.clone(),
                        tenant: row.tenant.clone(),
                        name: row.name.clone(),
                        correlation_key: key.clone(),
                    };
                    if self.store.fit(&channel, now).is_none() {
                        self.publish(to, "paid", key);
                    }
                }
                _ => {}
            }
        }
    }

    fn cancel(&mut self, to: Place, instance: InstanceKey) {
        self.ask_impatiently(to, &Ask::Cancel { instance }, || Request::Cancel { instance });
    }

    fn set_variables(&mut self, to: Place, instance: InstanceKey) {
        let name: Arc<str> = format!("v{}", self.next_request).into();
        let mut variables = Document::new().with(&name, 1);
        if self.random.chance(200) {
            let large = "y".repeat(LARGE_TEXT_CHARS + self.random.index(5));
            variables = variables.with("large", large.as_str());
        }
        let local = self.random.chance(500);
        let request = Request::Variables { scope: instance.root_scope(), variables, local };
        self.ask(to, Ask::Variables { instance, name }, request);
    }

    fn complete_some_task(&mut self, to: Place, of: InstanceKey) {
        let tasks = self.store.user_tasks.values().filter(|row| row.instance == of);
        let tasks: Vec<_> = tasks.map(|row| row.key).collect();
        if let Some(&task) = self.random.pick(&tasks) {
            self.ask_impatiently(to, &Ask::UserTask { task }, || Request::UserTask {
                task,
                variables: Document::new().with("answer", 42),
            });
        }
    }

    /// Whoever knows the key may complete a job: the first one wins.
    fn complete_some_job(&mut self, to: Place, of: InstanceKey) {
        let jobs = self.store.jobs.values().filter(|row| row.instance == of);
        let jobs: Vec<_> = jobs.map(|row| row.key).collect();
        if let Some(&job) = self.random.pick(&jobs) {
            self.ask_impatiently(to, &Ask::Complete { job }, || {
                let command =
                    JobCommand::Complete { variables: Document::new(), result: Box::default() };
                Request::Job { job, command }
            });
        }
    }

    /// As an operator does: with a job of the engine's own, whether it runs or not.
    fn order_some_job(&mut self, to: Place, of: InstanceKey) {
        let jobs = self.store.jobs.values().filter(|row| row.instance == of);
        let jobs: Vec<_> = jobs
            .filter(|row| matches!(row.kind, JobKind::AsyncBefore | JobKind::AsyncAfter))
            .map(|row| (row.key, row.lock_session.is_some()))
            .collect();
        let Some(&(job, is_locked)) = self.random.pick(&jobs) else { return };
        let soon = self.clock_of(to.node).plus_ms(self.random.between(-100, 400));
        let manage = |what| Command::ManageJob { job, what, failure: None };
        let command = match self.random.below(6) {
            0 => Command::SuspendJobs { jobs: vec![job] },
            1 | 2 => Command::ResumeJobs { jobs: vec![job] },
            3 => manage(JobOrder::SetDueDate { due: Some(soon), cascade: false }),
            4 => manage(JobOrder::SetRetries { retries: 0, due: None }),
            _ => manage(JobOrder::MoveToDeadLetters),
        };
        self.checker.ordered(job);
        if is_locked {
            self.marks.hit("job stopped while it runs");
        }
        self.order(to, of, command);
    }

    fn order(&mut self, to: Place, instance: InstanceKey, command: Command) {
        let command = Box::new(command);
        self.ask(to, Ask::Order, Request::Instance { instance, command, target: None });
    }

    /// What is suspended would wait for ever.
    fn resume_all(&mut self) {
        let suspended = self.store.jobs.values().filter(|row| row.state == JobState::Suspended);
        let suspended: Vec<_> = suspended.map(|row| (row.instance, row.key)).collect();
        for (instance, job) in suspended.into_iter().filter(|(instance, _)| instance.raw() != 0) {
            let Some(to) = self.some_node() else { return };
            self.checker.ordered(job);
            self.order(to, instance, Command::ResumeJobs { jobs: vec![job] });
        }
    }

    /// Gives failed jobs another try and closes incidents.
    fn repair(&mut self) {
        let incidents: Vec<_> =
            self.store.incidents.values().map(|row| (row.key, row.job)).collect();
        for (incident, job) in incidents {
            let Some(to) = self.some_node() else { return };
            let failed = job.and_then(|job| self.store.jobs.get(&job));
            if let Some(job) =
                failed.filter(|job| job.state == JobState::Failed && job.retries_left == 0)
            {
                let job = job.key;
                let command = JobCommand::UpdateRetries { retries: 2 };
                self.ask(to, Ask::Retries, Request::Job { job, command });
            } else {
                self.ask(to, Ask::Resolve { incident }, Request::Incident { incident });
            }
        }
    }

    pub(crate) fn janitor_acts(&mut self) {
        self.lift_settings();
        while self.starts_left > 0 {
            let Some(to) = self.some_node() else { break };
            self.start(to);
        }
        self.repair();
        self.resume_all();
        self.send_what_is_waited_for();
        let tasks: Vec<_> = self.store.user_tasks.keys().copied().collect();
        for task in tasks {
            let Some(to) = self.some_node() else { break };
            let variables = Document::new();
            self.ask(to, Ask::UserTask { task }, Request::UserTask { task, variables });
        }
        self.after_us(JANITOR_EVERY_US, 2 * JANITOR_EVERY_US, Happening::JanitorActs);
    }
}
