//! Stories on the whole engine, over each of its stores.

use std::time::Duration;

use orloj::api::Error;
use orloj::types::{
    Document, ElementInstanceKey, IncidentKey, InstanceKey, JobKey, TenantId, Timestamp,
    UserTaskKey,
};
use orloj::{
    ActivateJobs, BroadcastSignal, Correlate, Deploy, Extend, InstanceQuery, InstanceState,
    JobKind, LongPoll, MigrateInstance, Orloj, Page, PublishMessage, Resource, StartInstance,
    StoreChoice, UserTaskFilter, Which,
};

use orloj::settings::Settings;

use super::ast::{Behaviour, Story};
use super::decision::Decision;
use super::depth::{Depth, Lock, Refusal, Taken};
use super::engine::NodeTold;
use super::order::Order;
use super::pure::BEGINNING;
use super::scripts::SharedScripts;
use super::seen::{SeenIncident, SeenInstance, SeenJob, SeenState, SeenTask, SeenToken};
use crate::script_host::script_host;
use crate::sketch::Sketch;

const ALL: Page = Page { before: None, limit: 1_000 };

/// An engine with a pinned clock on a store of its own.
pub struct Runtime {
    pub(super) tokio: tokio::runtime::Runtime,
    pub(super) orloj: Orloj,
    /// Further nodes on the same store.
    pub(super) others: Vec<(String, Orloj)>,
    choice: StoreChoice,
    told: Told,
    scripts: SharedScripts,
    pub(super) first_process: String,
}

/// What every node of a story is made with.
struct Told {
    delegates: Vec<String>,
    settings: Option<Settings>,
    nodes: Vec<NodeTold>,
}

impl Runtime {
    /// The store must be empty.
    pub fn new(story: &Story, choice: StoreChoice) -> Self {
        let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let tokio = tokio.expect("a runtime");
        let told = Told {
            delegates: story.delegates().into_iter().map(str::to_owned).collect(),
            settings: story.settings.clone(),
            nodes: story.nodes.clone(),
        };
        let scripts = SharedScripts::default();
        let (orloj, others) = tokio.block_on(open_all(&choice, &told, &scripts, BEGINNING));
        let first_process = story.processes.first().map(|p| p.id.clone()).unwrap_or_default();
        Self { tokio, orloj, others, choice, told, scripts, first_process }
    }

    /// Stops the engine; its store can be removed afterwards.
    pub fn close(self) {
        self.tokio.block_on(async {
            for (_, node) in &self.others {
                node.shutdown().await;
            }
            self.orloj.shutdown().await;
        });
    }

    pub(super) fn settled<T>(
        &self,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Refusal> {
        self.tokio.block_on(async {
            let result = work.await;
            self.settle().await;
            result.map_err(Refusal::from)
        })
    }

    /// Nodes tell one another of what they have done, so one alone is never done.
    #[expect(clippy::disallowed_methods, reason = "a notice between real nodes takes real time")]
    pub(super) async fn settle(&self) {
        self.orloj.settle().await;
        if self.others.is_empty() {
            return;
        }
        for _ in 0..ROUNDS {
            tokio::time::sleep(NOTICE).await;
            for (_, node) in &self.others {
                node.settle().await;
            }
            self.orloj.settle().await;
        }
    }
}

/// How long a notice from one node to another may take, and how many may follow from one another.
const NOTICE: Duration = Duration::from_millis(60);
const ROUNDS: usize = 3;
/// The name of the first node; others have the one that the story gives them.
pub(super) const FIRST_NODE: &str = "story";

async fn open_all(
    choice: &StoreChoice,
    told: &Told,
    scripts: &SharedScripts,
    now: Timestamp,
) -> (Orloj, Vec<(String, Orloj)>) {
    let open = async |name: &str, settings: Option<&Settings>| {
        let mut builder = Orloj::builder().store(choice.clone()).executor(true).pinned_clock(now);
        if let Some(settings) = settings {
            builder = builder.settings(settings.clone());
        }
        // One at a time, so that the order of calls is the order in which jobs are taken.
        builder = builder.node_name(name).calls_max(1);
        if let Some(host) = script_host() {
            builder = builder.script_host(host);
        }
        for delegate in &told.delegates {
            let (scripts, name) = (scripts.clone(), name.to_owned());
            builder = builder.delegate(delegate, move |call: orloj::Call| {
                let result = scripts.call(&name, &call.delegate);
                async move { result }
            });
        }
        builder.build().await.expect("an engine")
    };
    let first = open(FIRST_NODE, told.settings.as_ref()).await;
    let mut others = Vec::new();
    for node in &told.nodes {
        others.push((node.name.clone(), open(&node.name, Some(&node.settings)).await));
    }
    (first, others)
}

impl Depth for Runtime {
    fn deploy(&mut self, sketch: &Sketch) -> Result<(), String> {
        let resource = Resource {
            name: format!("{}.bpmn", sketch.id).into(),
            content: sketch.to_xml().into_bytes().into(),
        };
        let deploy = Deploy {
            resources: vec![resource],
            plain_dialect: Some(sketch.dialect),
            activate_at: sketch.active_in_ms.map(|ms| self.orloj.now().plus_ms(ms)),
            ..Deploy::default()
        };
        let deployed = self.tokio.block_on(self.orloj.deploy(deploy));
        deployed.map(drop).map_err(|error| format!("{error}: {error:?}"))
    }

    fn deploy_decision(&mut self, decision: &Decision) -> Result<(), String> {
        let resource = Resource {
            name: format!("{}.dmn", decision.id).into(),
            content: decision.to_xml().into_bytes().into(),
        };
        let deploy = Deploy {
            resources: vec![resource],
            plain_dialect: Some(decision.dialect),
            ..Deploy::default()
        };
        let deployed = self.tokio.block_on(self.orloj.deploy(deploy));
        deployed.map(drop).map_err(|error| format!("{error}: {error:?}"))
    }

    fn settle_again(&mut self) -> bool {
        if self.others.is_empty() {
            return false;
        }
        self.tokio.block_on(self.settle());
        true
    }

    fn now(&self) -> Timestamp {
        self.orloj.now()
    }

    fn advance(&mut self, ms: i64) {
        let by = Duration::from_millis(u64::try_from(ms).expect("time goes forward"));
        self.orloj.advance(by).expect("the clock is pinned");
        for (_, node) in &self.others {
            node.advance(by).expect("the clock is pinned");
        }
        self.tokio.block_on(self.settle());
    }

    fn start(
        &mut self,
        process: &str,
        version: Option<usize>,
        variables: Document,
    ) -> Result<InstanceKey, Refusal> {
        let mut start = StartInstance::latest(process).with(variables);
        if let Some(version) = version {
            let version = i32::try_from(version).expect("a small number");
            start.which = Which::Version(process.into(), version);
        }
        self.settled(self.orloj.start(start)).map(|started| started.instance)
    }

    fn take(&mut self, lock: &Lock) -> Result<Option<Taken>, Refusal> {
        let activate = ActivateJobs {
            job_type: lock.job_type.as_str().into(),
            worker: lock.worker.as_str().into(),
            timeout_ms: lock.ms,
            jobs_max: 1,
            fetch_variables: Vec::new(),
            long_poll: LongPoll::No,
            bytes_max: 1 << 20,
        };
        let jobs = self.settled(self.orloj.activate_jobs(activate))?;
        Ok(jobs.into_iter().next().map(|job| Taken {
            job: job.key,
            job_type: job.job_type.to_string(),
            variables: Document::parse(&job.variables).expect("a JSON object"),
        }))
    }

    fn complete(&mut self, job: JobKey, variables: Document) -> Result<(), Refusal> {
        self.settled(self.orloj.complete_job(job, variables))
    }

    fn fail(&mut self, fail: orloj::FailJob) -> Result<(), Refusal> {
        self.settled(self.orloj.fail_job(fail))
    }

    fn throw(&mut self, throw: orloj::ThrowError) -> Result<(), Refusal> {
        self.settled(self.orloj.throw_error(throw))
    }

    fn extend(&mut self, job: JobKey, ms: i64) -> Result<(), Refusal> {
        self.settled(self.orloj.extend_lock(Extend { job, timeout_ms: ms }))
    }

    fn complete_task(&mut self, task: UserTaskKey, variables: Document) -> Result<(), Refusal> {
        self.settled(self.orloj.complete_user_task(task, variables))
    }

    fn set_variables(
        &mut self,
        scope: ElementInstanceKey,
        variables: Document,
        local: bool,
    ) -> Result<(), Refusal> {
        self.settled(self.orloj.set_variables(scope, variables, local)).map(drop)
    }

    fn update_retries(&mut self, job: JobKey, retries: i32) -> Result<(), Refusal> {
        self.settled(self.orloj.update_retries(job, retries))
    }

    fn resolve(&mut self, incident: IncidentKey) -> Result<(), Refusal> {
        self.settled(self.orloj.resolve_incident(incident))
    }

    fn cancel(&mut self, instance: InstanceKey) -> Result<(), Refusal> {
        self.settled(self.orloj.cancel(instance))
    }

    fn publish(&mut self, message: PublishMessage) -> Result<(), Refusal> {
        self.settled(self.orloj.publish_message(message)).map(drop)
    }

    fn correlate(&mut self, message: Correlate) -> Result<(), Refusal> {
        self.settled(self.orloj.correlate(message)).map(drop)
    }

    fn signal(&mut self, signal: BroadcastSignal) -> Result<(), Refusal> {
        self.settled(self.orloj.broadcast_signal(signal)).map(drop)
    }

    fn ask_conditions(
        &mut self,
        instance: InstanceKey,
        variables: Document,
    ) -> Result<(), Refusal> {
        self.settled(self.orloj.ask_conditions(instance, variables))
    }

    fn suspend(&mut self, instance: InstanceKey) -> Result<(), Refusal> {
        self.settled(self.orloj.suspend(instance))
    }

    fn resume(&mut self, instance: InstanceKey) -> Result<(), Refusal> {
        self.settled(self.orloj.resume(instance))
    }

    fn migrate(
        &mut self,
        instance: InstanceKey,
        process: &str,
        plan: &[(String, String)],
    ) -> Result<(), Refusal> {
        let plan = plan.iter().map(|(from, to)| (from.as_str().into(), to.as_str().into()));
        let migrate = MigrateInstance {
            which: Which::Latest(process.into()),
            tenant: TenantId::none(),
            plan: plan.collect(),
        };
        self.settled(self.orloj.migrate(instance, migrate))
    }

    fn instances(&mut self) -> Vec<(String, InstanceKey)> {
        let (live, ended) = self.tokio.block_on(async {
            let (instances, all) = (self.orloj.instances(), InstanceQuery::default());
            let live = instances.list(&all, ALL).await.expect("instances");
            (live, instances.list_ended(&all, ALL).await.expect("ended ones"))
        });
        let all = live.into_iter().chain(ended);
        let mut all: Vec<_> = all.map(|view| (view.process_id.to_string(), view.key)).collect();
        all.sort_by_key(|(_, key)| *key);
        all
    }

    fn script(&mut self, delegate: &str, script: &[Behaviour]) {
        self.scripts.add(delegate, script);
    }

    fn order(&mut self, order: Order) -> Result<(), Refusal> {
        self.ordered(order)
    }

    fn calls(&self) -> Vec<String> {
        self.scripts.calls()
    }

    fn calls_on(&self, node: &str) -> Vec<String> {
        self.scripts.calls_on(node)
    }

    /// What is kept in memory only cannot be started again; then there is nothing to do, unless
    /// the engine is to be told something else: a story that needs it says so by `restart with`.
    fn restart(&mut self, settings: Option<Settings>) {
        if self.choice == StoreChoice::Memory {
            return;
        }
        if settings.is_some() {
            self.told.settings = settings;
        }
        let now = self.orloj.now();
        (self.orloj, self.others) = self.tokio.block_on(async {
            for (_, node) in &self.others {
                node.shutdown().await;
            }
            self.orloj.shutdown().await;
            open_all(&self.choice, &self.told, &self.scripts, now).await
        });
        self.tokio.block_on(self.settle());
    }

    fn observe(&mut self, name: &str, key: InstanceKey) -> SeenInstance {
        let (detail, tasks) = self.tokio.block_on(async {
            let detail = self.orloj.instance(key).await.expect("it was started");
            let filter = UserTaskFilter { instance: Some(key) };
            (detail, self.orloj.user_tasks(filter, ALL).await.expect("tasks"))
        });
        let tokens = detail.elements.into_iter().map(|element| SeenToken {
            key: element.key,
            element: element.element.to_string(),
            variables: element.variables,
        });
        let job_log = detail.history.iter().filter_map(|event| {
            let word = match &*event.what {
                "job-created" => "created",
                "job-completed" => "completed",
                "job-failed" => "failed",
                "job-threw" => "threw",
                "job-cancelled" => "cancelled",
                "job-changed" => "changed",
                _ => return None,
            };
            Some((JobKey::new(event.key), word))
        });
        let job_log = job_log.collect();
        let opened = detail.history.iter().filter(|event| &*event.what == "incident-opened");
        let incidents_ever = opened.count();
        let entered = detail.history.iter().filter(|event| &*event.what == "element-entered");
        let mut jobs: Vec<SeenJob> = detail.jobs.into_iter().map(seen_job).collect();
        jobs.sort_by_key(|job| job.key);
        let mut incidents: Vec<SeenIncident> = detail
            .incidents
            .into_iter()
            .map(|incident| SeenIncident {
                key: incident.key,
                kind: incident.kind.to_string(),
                element: incident.element.to_string(),
                message: incident.message.to_string(),
            })
            .collect();
        incidents.sort_by_key(|incident| incident.key);
        let mut tasks: Vec<SeenTask> = tasks
            .into_iter()
            .map(|task| SeenTask { key: task.key, element: task.element.to_string() })
            .collect();
        tasks.sort_by_key(|task| task.key);
        SeenInstance {
            name: name.to_owned(),
            key,
            state: match detail.view.state {
                InstanceState::Active => SeenState::Alive,
                InstanceState::Completed => SeenState::Completed,
                InstanceState::Cancelled => SeenState::Cancelled,
            },
            tokens: tokens.collect(),
            variables: detail.variables,
            jobs,
            incidents,
            tasks,
            went: entered.map(|event| event.name.to_string()).collect(),
            job_log,
            incidents_ever,
        }
    }
}

fn seen_job(job: orloj::JobView) -> SeenJob {
    SeenJob {
        key: job.key,
        name: match job.kind {
            JobKind::Worker | JobKind::Listener => job.job_type.to_string(),
            _ => job.element.to_string(),
        },
        state: job.state,
        retries_left: job.retries_left,
        priority: job.priority,
        due_at: job.due_at,
        locked_by: job.locked_by.map(|owner| owner.to_string()),
        locked_until: job.locked_until,
    }
}
