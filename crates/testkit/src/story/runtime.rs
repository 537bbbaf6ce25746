//! Stories on the whole engine, over each of its stores.

use std::time::Duration;

use orloj::api::Error;
use orloj::types::{
    Document, ElementInstanceKey, IncidentKey, InstanceKey, JobKey, Timestamp, UserTaskKey,
};
use orloj::{
    ActivateJobs, BroadcastSignal, Correlate, Deploy, Extend, InstanceState, JobKind, LongPoll,
    Orloj, Page, PublishMessage, Resource, StartInstance, StoreChoice, UserTaskFilter,
};

use super::ast::{Behaviour, Story};
use super::decision::Decision;
use super::depth::{Depth, Lock, Refusal, Taken};
use super::pure::BEGINNING;
use super::scripts::SharedScripts;
use super::seen::{SeenIncident, SeenInstance, SeenJob, SeenState, SeenTask, SeenToken};
use crate::script_host::script_host;
use crate::sketch::Sketch;

const ALL: Page = Page { before: None, limit: 1_000 };

/// An engine with a pinned clock on a store of its own.
pub struct Runtime {
    tokio: tokio::runtime::Runtime,
    orloj: Orloj,
    choice: StoreChoice,
    delegates: Vec<String>,
    scripts: SharedScripts,
}

impl Runtime {
    /// The store must be empty.
    pub fn new(story: &Story, choice: StoreChoice) -> Self {
        let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let tokio = tokio.expect("a runtime");
        let delegates = story.delegates().into_iter().map(str::to_owned).collect::<Vec<_>>();
        let scripts = SharedScripts::default();
        let orloj = tokio.block_on(open(&choice, &delegates, &scripts, BEGINNING));
        Self { tokio, orloj, choice, delegates, scripts }
    }

    /// Stops the engine; its store can be removed afterwards.
    pub fn close(self) {
        self.tokio.block_on(self.orloj.shutdown());
    }

    fn settled<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, Refusal> {
        self.tokio.block_on(async {
            let result = work.await;
            self.orloj.settle().await;
            result.map_err(Refusal::from)
        })
    }
}

async fn open(
    choice: &StoreChoice,
    delegates: &[String],
    scripts: &SharedScripts,
    now: Timestamp,
) -> Orloj {
    let mut builder =
        Orloj::builder().store(choice.clone()).node_name("story").executor(true).pinned_clock(now);
    if let Some(host) = script_host() {
        builder = builder.script_host(host);
    }
    for name in delegates {
        let scripts = scripts.clone();
        builder = builder.delegate(name, move |call: orloj::Call| {
            let result = scripts.call(&call.delegate);
            async move { result }
        });
    }
    builder.build().await.expect("an engine")
}

impl Depth for Runtime {
    fn deploy(&mut self, sketch: &Sketch) -> Result<(), String> {
        let resource = Resource {
            name: format!("{}.bpmn", sketch.id).into(),
            content: sketch.to_xml().into_bytes().into(),
        };
        let deploy = Deploy {
            resources: vec![resource],
            plain_dialect: sketch.dialect,
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
            plain_dialect: decision.dialect,
            ..Deploy::default()
        };
        let deployed = self.tokio.block_on(self.orloj.deploy(deploy));
        deployed.map(drop).map_err(|error| format!("{error}: {error:?}"))
    }

    fn now(&self) -> Timestamp {
        self.orloj.now()
    }

    fn advance(&mut self, ms: i64) {
        let by = Duration::from_millis(u64::try_from(ms).expect("time goes forward"));
        self.orloj.advance(by).expect("the clock is pinned");
        self.tokio.block_on(self.orloj.settle());
    }

    fn start(&mut self, process: &str, variables: Document) -> Result<InstanceKey, Refusal> {
        let start = StartInstance::latest(process).with(variables);
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

    fn suspend(&mut self, instance: InstanceKey) -> Result<(), Refusal> {
        self.settled(self.orloj.suspend(instance))
    }

    fn resume(&mut self, instance: InstanceKey) -> Result<(), Refusal> {
        self.settled(self.orloj.resume(instance))
    }

    fn instances(&mut self) -> Vec<(String, InstanceKey)> {
        let (live, ended) = self.tokio.block_on(async {
            let live = self.orloj.instances(None, false, ALL).await.expect("instances");
            (live, self.orloj.instances(None, true, ALL).await.expect("ended ones"))
        });
        let all = live.into_iter().chain(ended);
        let mut all: Vec<_> = all.map(|view| (view.process_id.to_string(), view.key)).collect();
        all.sort_by_key(|(_, key)| *key);
        all
    }

    fn script(&mut self, delegate: &str, script: &[Behaviour]) {
        self.scripts.add(delegate, script);
    }

    fn calls(&self) -> Vec<String> {
        self.scripts.calls()
    }

    fn restart(&mut self) {
        if self.choice == StoreChoice::Memory {
            return;
        }
        let now = self.orloj.now();
        self.orloj = self.tokio.block_on(async {
            self.orloj.shutdown().await;
            let orloj = open(&self.choice, &self.delegates, &self.scripts, now).await;
            orloj.settle().await;
            orloj
        });
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
        }
    }
}

fn seen_job(job: orloj::JobView) -> SeenJob {
    SeenJob {
        key: job.key,
        name: match job.kind {
            JobKind::Worker => job.job_type.to_string(),
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
