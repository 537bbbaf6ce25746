//! Stories on the interpreter alone: no store, no task, no time but the story's.
//!
//! What a store and an executor do is played as simply as it can be: rows in maps, jobs run one
//! after another, in the order that the story's engine has.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use orloj::api::Fault;
use orloj::calls::{Programs, answer_decision};
use orloj::script::SecureScripting;
use orloj::settings::Settings;
use orloj_dmn::{Mode, Model, Options};
use orloj_interpreter::{
    Bound, Callee, Command, DecisionCall, Delegates, EndKind, Event, FailJob, IncidentChange,
    IncidentRow, Input, Invoke, InvokeResult, InvokeResults, JobChange, JobKind, JobResult, JobRow,
    JobSettings, JobState, Need, Outcome, Overtaking, Progress, Record, Rejection, Run, Signal,
    Start, Supply, ThrowError, UserTaskChange, UserTaskRow, job_variables,
};
use orloj_model::{Dialect, Process};
use orloj_types::{
    DefinitionKey, Document, ElementInstanceKey, IncidentKey, InstanceKey, JobKey, KeyBlock,
    KeyGenerator, NodeNumber, TenantId, Timestamp, UserTaskKey,
};

use super::ast::{Behaviour, Story};
use super::decision::Decision;
use super::depth::{Depth, Lock, Refusal, Taken};
use super::order::Order;
use super::pure_events::{Buffered, TimerStart};
use super::pure_orders::{Later, Taking};
use super::scripts::SharedScripts;
use super::seen::{SeenIncident, SeenInstance, SeenJob, SeenState, SeenTask, SeenToken};
use crate::script_host::script_host;
use crate::sketch::Sketch;

/// 2030-01-01T00:00:00Z, where every story begins.
pub const BEGINNING: Timestamp = Timestamp::from_ms(1_893_456_000_000);

pub struct Pure {
    pub(super) now: Timestamp,
    pub(super) keys: KeyGenerator,
    /// All versions, the oldest first.
    pub(super) processes: BTreeMap<String, Vec<(DefinitionKey, Arc<Process>)>>,
    pub(super) instances: BTreeMap<InstanceKey, Instance>,
    pub(super) jobs: BTreeMap<JobKey, Job>,
    tasks: BTreeMap<UserTaskKey, (InstanceKey, UserTaskRow)>,
    pub(super) incidents: BTreeMap<IncidentKey, (InstanceKey, IncidentRow)>,
    registered: Registered,
    scripts: SharedScripts,
    programs: Programs,
    /// Version tag and model of each version.
    decisions: BTreeMap<String, Vec<(Option<String>, Model)>>,
    tokio: tokio::runtime::Runtime,
    pub(super) messages: Vec<Buffered>,
    pub(super) signals: VecDeque<(Signal, i64)>,
    pub(super) timers: Vec<TimerStart>,
    pub(super) taking: Taking,
    pub(super) job_settings: Arc<JobSettings>,
    pub(super) later: Vec<Later>,
    /// The process that is meant where none is named.
    pub(super) first_process: String,
    /// Processes in its dialect.
    pub(super) flowable: BTreeSet<String>,
    /// Why the job failed that was executed by hand.
    pub(super) failed: Option<String>,
}

pub(super) struct Instance {
    pub(super) process_id: String,
    pub(super) process: Arc<Process>,
    /// `None`: it has ended.
    pub(super) record: Option<Arc<Record>>,
    pub(super) state: SeenState,
    variables: Document,
    went: Vec<String>,
    job_log: Vec<(JobKey, &'static str)>,
    incidents_ever: usize,
}

impl Instance {
    pub(super) fn new(process: Arc<Process>) -> Self {
        Self {
            process_id: process.id.to_string(),
            process,
            record: None,
            state: SeenState::Alive,
            variables: Document::new(),
            went: Vec::new(),
            job_log: Vec::new(),
            incidents_ever: 0,
        }
    }
}

pub(super) struct Job {
    pub(super) instance: InstanceKey,
    pub(super) row: JobRow,
    worker: Option<(String, Timestamp)>,
}

struct Registered(Vec<String>);

impl Delegates for Registered {
    fn knows(&self, name: &str) -> bool {
        self.0.iter().any(|known| known == name)
    }
}

impl Pure {
    pub fn new(story: &Story) -> Self {
        let taking = Taking::new(story.settings.as_ref());
        Self {
            now: BEGINNING,
            keys: KeyGenerator::new(NodeNumber(0)),
            processes: BTreeMap::new(),
            instances: BTreeMap::new(),
            jobs: BTreeMap::new(),
            tasks: BTreeMap::new(),
            incidents: BTreeMap::new(),
            registered: Registered(story.delegates().into_iter().map(str::to_owned).collect()),
            scripts: SharedScripts::default(),
            programs: Programs::new(script_host(), SecureScripting::default()),
            decisions: BTreeMap::new(),
            tokio: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime for scripts"),
            messages: Vec::new(),
            signals: VecDeque::new(),
            timers: Vec::new(),
            job_settings: Arc::new(taking.job_settings()),
            taking,
            later: Vec::new(),
            first_process: story.processes.first().map(|p| p.id.clone()).unwrap_or_default(),
            flowable: BTreeSet::new(),
            failed: None,
        }
    }

    /// Does a command and everything that follows from it at this moment.
    pub(super) fn command(
        &mut self,
        instance: InstanceKey,
        command: Command,
    ) -> Result<(), Refusal> {
        let done = self.interpret(instance, command);
        self.settle();
        done.map_err(|rejection| Refusal::from(&rejection))
    }

    pub(super) fn interpret(
        &mut self,
        key: InstanceKey,
        command: Command,
    ) -> Result<(), Rejection> {
        let instance = self.instances.get(&key).ok_or(Rejection::InstanceNotFound(key))?;
        let is_by_hand = matches!(command, Command::ExecuteJob { .. });
        let mut run = Run::begin(Input {
            process: instance.process.clone(),
            record: instance.record.clone(),
            command,
            now: self.now,
            keys: KeyBlock::default(),
            results: InvokeResults::new(),
            settings: self.job_settings.clone(),
        });
        loop {
            match run.advance(&mut self.keys, &self.registered) {
                Progress::Done(mut outcome) => {
                    let mut overtaking = Vec::new();
                    overtaking.extend(outcome.overtaking.map(|overtaking| (key, overtaking)));
                    for other in std::mem::take(&mut outcome.others) {
                        overtaking.extend(other.overtaking.map(|o| (other.instance, o)));
                        self.keep_other(other);
                    }
                    if is_by_hand {
                        self.failed = outcome.failed.as_ref().map(|why| why.message.to_string());
                    }
                    self.keep(key, *outcome);
                    for (queue, Overtaking { holder, by }) in overtaking {
                        // Nothing is locked here.
                        self.interpret(queue, Command::Overtake { holder, by })?;
                    }
                    return Ok(());
                }
                Progress::Need(need) => run.supply(self.supply(&need)),
                Progress::Rejected(rejection) => return Err(rejection),
                Progress::Invoke(invoke) => run.resume(self.invoke(&invoke)),
            }
        }
    }

    /// What a command needs besides its own instance. Here everything is deployed by itself.
    fn supply(&self, need: &Need) -> Supply {
        match need {
            // Stories deploy processes only.
            Need::Asset(_) => Supply::Asset(None),
            Need::Instance(key) => {
                let found = self.instances.get(key).and_then(|instance| {
                    instance.record.clone().map(|record| (instance.process.clone(), record))
                });
                Supply::Instance(found)
            }
            Need::Definition(called) => {
                let versions = self.processes.get(&*called.process);
                Supply::Definition(versions.and_then(|versions| match &called.binding {
                    Bound::Latest | Bound::DeploymentOrLatest => versions.last().cloned(),
                    Bound::Version(number) => {
                        let at = usize::try_from(*number).ok()?.checked_sub(1)?;
                        versions.get(at).cloned()
                    }
                    Bound::VersionTag(tag) => {
                        let is_tagged =
                            |process: &Process| process.version_tag.as_deref() == Some(&**tag);
                        versions.iter().rev().find(|(_, process)| is_tagged(process)).cloned()
                    }
                    Bound::Deployment | Bound::Definition => None,
                }))
            }
        }
    }

    /// An instance that was called, or that called the command's own.
    fn keep_other(&mut self, outcome: Outcome) {
        if outcome.is_new {
            let versions = self.processes.values().flatten();
            let process = versions.into_iter().find(|(key, _)| *key == outcome.definition);
            let (_, process) = process.expect("it was supplied").clone();
            self.instances.insert(outcome.instance, Instance::new(process));
        }
        self.keep(outcome.instance, outcome);
    }

    fn invoke(&self, invoke: &Invoke) -> InvokeResult {
        let name = match &invoke.callee {
            Callee::Delegate { name, .. }
            | Callee::Bean { bean: name, .. }
            | Callee::Builtin { kind: name, .. } => name,
            Callee::Resource { name, .. } => {
                return InvokeResult::Failed { message: format!("no script '{name}'").into() };
            }
            Callee::Program { program, result_variable } => {
                let process = &self.instances[&invoke.instance].process;
                let run = self.programs.run(program, result_variable.clone(), invoke, process);
                return self.tokio.block_on(run);
            }
            Callee::Decision(call) => {
                return match self.decision(call) {
                    Some(model) => answer_decision(model, call, invoke),
                    None => InvokeResult::NotFound { message: "no such decision".into() },
                };
            }
        };
        match self.scripts.call("", name) {
            Ok(variables) => InvokeResult::Done { variables },
            Err(Fault::Detailed { message, details, is_final }) => InvokeResult::Faulted {
                message: message.into(),
                details: details.map(Into::into),
                is_final,
            },
            Err(Fault::Failed(message)) => InvokeResult::Failed { message: message.into() },
            Err(Fault::Error { code, message, variables }) => {
                InvokeResult::Error { code: code.into(), message: message.into(), variables }
            }
        }
    }

    fn decision(&self, call: &DecisionCall) -> Option<&Model> {
        let versions = self.decisions.get(&*call.decision)?;
        match &call.binding {
            Bound::Latest | Bound::DeploymentOrLatest => versions.last().map(|(_, model)| model),
            // Here everything is deployed by itself.
            Bound::Deployment | Bound::Definition => None,
            Bound::Version(number) => {
                let at = usize::try_from(*number).ok()?.checked_sub(1)?;
                versions.get(at).map(|(_, model)| model)
            }
            Bound::VersionTag(tag) => {
                let mut tagged = versions.iter().rev();
                tagged.find(|(known, _)| known.as_deref() == Some(&**tag)).map(|(_, model)| model)
            }
        }
    }

    fn keep(&mut self, key: InstanceKey, outcome: Outcome) {
        for signal in outcome.signals {
            let key = self.keys.next(self.now);
            self.signals.push_back((signal, key));
        }
        for change in outcome.jobs {
            match change {
                JobChange::Insert(row) => {
                    let job = Job { instance: key, row, worker: None };
                    self.jobs.insert(job.row.job.key, job);
                }
                JobChange::Update { row, unlock } => {
                    if let Some(job) = self.jobs.get_mut(&row.job.key) {
                        let failure = row.failure.clone().or_else(|| job.row.failure.take());
                        job.row = JobRow { failure, ..row };
                        job.worker.take_if(|_| unlock);
                    }
                }
                JobChange::Delete(job) => {
                    self.jobs.remove(&job);
                }
            }
        }
        for change in outcome.user_tasks {
            match change {
                UserTaskChange::Insert(row) => {
                    self.tasks.insert(row.key, (key, row));
                }
                UserTaskChange::Move { key, element } => {
                    if let Some((_, row)) = self.tasks.get_mut(&key) {
                        row.element = element;
                    }
                }
                UserTaskChange::Delete(task) => {
                    self.tasks.remove(&task);
                }
            }
        }
        for change in outcome.incidents {
            match change {
                IncidentChange::Insert(row) => {
                    self.incidents.insert(row.key, (key, row));
                }
                IncidentChange::Delete(incident) => {
                    self.incidents.remove(&incident);
                }
                IncidentChange::Annotate { .. } => {}
            }
        }
        let instance = self.instances.get_mut(&key).expect("it was just interpreted");
        instance.record = outcome.record.map(Arc::from);
        if let Some(end) = outcome.end {
            instance.variables = end.variables;
            instance.state = match end.how {
                EndKind::Completed => SeenState::Completed,
                EndKind::Cancelled => SeenState::Cancelled,
            };
        }
        for event in outcome.events {
            let logged = match event {
                Event::ElementEntered { element, .. } => {
                    instance.went.push(element.to_string());
                    continue;
                }
                Event::IncidentOpened { .. } => {
                    instance.incidents_ever += 1;
                    continue;
                }
                Event::JobCreated { key, .. } => (key, "created"),
                Event::JobCompleted { key } => (key, "completed"),
                Event::JobFailed { key, .. } => (key, "failed"),
                Event::JobThrew { key, .. } => (key, "threw"),
                Event::JobCancelled { key } => (key, "cancelled"),
                Event::JobChanged { key, .. } => (key, "changed"),
                _ => continue,
            };
            instance.job_log.push(logged);
        }
    }

    /// Runs the engine's own jobs and what is due, until nothing is left to do.
    pub(super) fn settle(&mut self) {
        self.expire();
        loop {
            while let Some((instance, command)) = self.next_job() {
                // What is no longer possible is not done.
                let _ = self.interpret(instance, command);
            }
            if !self.something_happens() {
                break;
            }
        }
    }

    /// The latest unless it is named.
    pub(super) fn version_of(
        &self,
        process: &str,
        version: Option<usize>,
    ) -> Result<(DefinitionKey, Arc<Process>), Refusal> {
        let found = self.processes.get(process).and_then(|versions| match version {
            None => versions.last(),
            Some(number) => versions.get(number.checked_sub(1)?),
        });
        found.cloned().ok_or_else(|| Refusal("no such process".into()))
    }

    fn expire(&mut self) {
        let now = self.now;
        for job in self.jobs.values_mut() {
            job.worker.take_if(|(_, until)| *until < now);
        }
    }

    pub(super) fn instance_of(&self, job: JobKey) -> Result<InstanceKey, Refusal> {
        let found = self.jobs.get(&job).map(|job| job.instance);
        found.ok_or_else(|| Refusal::from(&Rejection::JobNotFound(job)))
    }
}

impl Depth for Pure {
    fn deploy_decision(&mut self, decision: &Decision) -> Result<(), String> {
        let mode = match decision.dialect {
            Dialect::Zeebe => Mode::Camunda8,
            Dialect::Camunda7 => Mode::Camunda7,
            Dialect::Flowable => Mode::Flowable,
        };
        let options = Options { mode, ..Options::default() };
        let model = Model::parse(decision.to_xml().as_bytes(), &options);
        let model = model.map_err(|problems| problems.to_string())?;
        let version = (decision.tag.clone(), model);
        self.decisions.entry(decision.id.clone()).or_default().push(version);
        Ok(())
    }

    fn deploy(&mut self, sketch: &Sketch) -> Result<(), String> {
        let process = sketch.to_process()?;
        if sketch.dialect == Dialect::Flowable {
            self.flowable.insert(sketch.id.clone());
        }
        let key = DefinitionKey::new(self.keys.next(self.now));
        self.wait_for_starts(&sketch.id, key, &process);
        self.processes.entry(sketch.id.clone()).or_default().push((key, process));
        if let Some(ms) = sketch.active_in_ms {
            self.activate_later(&sketch.id, ms);
        }
        Ok(())
    }

    fn now(&self) -> Timestamp {
        self.now
    }

    fn advance(&mut self, ms: i64) {
        self.now = self.now.plus_ms(ms);
        self.settle();
    }

    fn start(
        &mut self,
        process: &str,
        version: Option<usize>,
        variables: Document,
    ) -> Result<InstanceKey, Refusal> {
        let (definition, process) = self.version_of(process, version)?;
        let key = InstanceKey::new(self.keys.next(self.now));
        self.instances.insert(key, Instance::new(process));
        let start = Start {
            instance: key,
            definition,
            tenant: TenantId::none(),
            business_key: None,
            variables,
            awaited_by: None,
            started_with: None,
            at: None,
            before: Vec::new(),
            tags: Arc::default(),
            stops_after: Vec::new(),
        };
        let started = self.command(key, Command::Start(start));
        if started.is_err() {
            self.instances.remove(&key);
        }
        started.map(|()| key)
    }

    fn take(&mut self, lock: &Lock) -> Result<Option<Taken>, Refusal> {
        let wanted = self.jobs.values_mut().filter(|job| {
            job.row.job.kind.is_for_clients()
                && *job.row.job.job_type == *lock.job_type
                && job.row.job.state == JobState::Ready
                && job.worker.is_none()
        });
        let first = wanted.min_by_key(|job| (Reverse(job.row.job.priority), job.row.job.key));
        let Some(job) = first else { return Ok(None) };
        job.worker = Some((lock.worker.clone(), self.now.plus_ms(lock.ms)));
        let visible = self.instances.get(&job.instance).and_then(|instance| {
            let record = instance.record.as_ref()?;
            let (element, kind) = (job.row.element_instance, &job.row.job.kind);
            Some(job_variables(&instance.process, record, element, kind))
        });
        Ok(Some(Taken {
            job: job.row.job.key,
            job_type: lock.job_type.clone(),
            variables: Document(visible.unwrap_or_default()),
        }))
    }

    fn complete(&mut self, job: JobKey, variables: Document) -> Result<(), Refusal> {
        let instance = self.instance_of(job)?;
        let (result, activations) = (JobResult::None, Vec::new());
        self.command(instance, Command::CompleteJob { job, variables, result, activations })
    }

    fn fail(&mut self, fail: orloj::FailJob) -> Result<(), Refusal> {
        let instance = self.instance_of(fail.job)?;
        let orloj::FailJob { job, retries, message, details, back_off_ms, variables } = fail;
        let activations = Vec::new();
        let fail = FailJob { job, retries, message, details, back_off_ms, variables, activations };
        self.command(instance, Command::FailJob(fail))
    }

    fn throw(&mut self, throw: orloj::ThrowError) -> Result<(), Refusal> {
        let instance = self.instance_of(throw.job)?;
        let orloj::ThrowError { job, code, message, variables } = throw;
        let throw = ThrowError { job, code, message, variables, activations: Vec::new() };
        self.command(instance, Command::ThrowError(throw))
    }

    fn extend(&mut self, job: JobKey, ms: i64) -> Result<(), Refusal> {
        self.instance_of(job)?;
        let until = self.now.plus_ms(ms);
        match self.jobs.get_mut(&job).and_then(|job| job.worker.as_mut()) {
            Some(worker) => {
                worker.1 = until;
                Ok(())
            }
            None => Err(Refusal("job is not locked".into())),
        }
    }

    fn complete_task(&mut self, task: UserTaskKey, variables: Document) -> Result<(), Refusal> {
        let instance = self.tasks.get(&task).map(|(instance, _)| *instance);
        let missing = || Refusal::from(&Rejection::UserTaskNotFound(task));
        let command = Command::CompleteUserTask { task, variables };
        self.command(instance.ok_or_else(missing)?, command)
    }

    fn set_variables(
        &mut self,
        scope: ElementInstanceKey,
        variables: Document,
        local: bool,
    ) -> Result<(), Refusal> {
        let owner = self.instances.iter().find(|(key, instance)| {
            let record = instance.record.as_ref();
            key.root_scope() == scope || record.is_some_and(|r| r.element(scope).is_some())
        });
        let missing = || Refusal::from(&Rejection::ScopeNotFound(scope));
        let instance = *owner.ok_or_else(missing)?.0;
        self.command(instance, Command::SetVariables { scope, variables, local })
    }

    fn update_retries(&mut self, job: JobKey, retries: i32) -> Result<(), Refusal> {
        let instance = self.instance_of(job)?;
        self.command(instance, Command::UpdateRetries { job, retries })
    }

    fn resolve(&mut self, incident: IncidentKey) -> Result<(), Refusal> {
        let instance = self.incidents.get(&incident).map(|(instance, _)| *instance);
        let missing = || Refusal::from(&Rejection::IncidentNotFound(incident));
        self.command(instance.ok_or_else(missing)?, Command::ResolveIncident { incident })
    }

    fn cancel(&mut self, instance: InstanceKey) -> Result<(), Refusal> {
        self.command(instance, Command::Cancel)
    }

    fn publish(&mut self, message: orloj::PublishMessage) -> Result<(), Refusal> {
        self.publish_message(message)
    }

    fn correlate(&mut self, message: orloj::Correlate) -> Result<(), Refusal> {
        self.correlate_message(message)
    }

    fn signal(&mut self, signal: orloj::BroadcastSignal) -> Result<(), Refusal> {
        let orloj::BroadcastSignal { name, variables, .. } = signal;
        let key = self.keys.next(self.now);
        let signal = Signal { name, variables, only: None, heard_by: None, is_async: false };
        self.signals.push_back((signal, key));
        self.settle();
        Ok(())
    }

    fn ask_conditions(
        &mut self,
        instance: InstanceKey,
        variables: Document,
    ) -> Result<(), Refusal> {
        self.command(instance, Command::AskConditions { variables })
    }

    fn suspend(&mut self, instance: InstanceKey) -> Result<(), Refusal> {
        self.command(instance, Command::Suspend)
    }

    fn resume(&mut self, instance: InstanceKey) -> Result<(), Refusal> {
        self.command(instance, Command::Resume)
    }

    fn migrate(
        &mut self,
        instance: InstanceKey,
        process: &str,
        plan: &[(String, String)],
    ) -> Result<(), Refusal> {
        self.migrate_to(instance, process, plan)
    }

    fn instances(&mut self) -> Vec<(String, InstanceKey)> {
        let all = self.instances.iter();
        all.map(|(key, instance)| (instance.process_id.clone(), *key)).collect()
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

    fn restart(&mut self, settings: Option<Settings>) {
        self.start_again(settings);
    }

    fn observe(&mut self, name: &str, key: InstanceKey) -> SeenInstance {
        let instance = &self.instances[&key];
        let record = instance.record.as_ref();
        let own = |scope: ElementInstanceKey| {
            let variables = record.and_then(|record| record.variables.get(&scope));
            Document(variables.cloned().unwrap_or_default())
        };
        let elements = record.into_iter().flat_map(|record| &record.elements);
        let tokens = elements.map(|element| SeenToken {
            key: element.key,
            element: element.element.to_string(),
            variables: own(element.key),
        });
        let jobs = self.jobs.values().filter(|job| job.instance == key).map(seen_job);
        let incidents = self.incidents.values().filter(|(of, _)| *of == key);
        let tasks = self.tasks.values().filter(|(of, _)| *of == key);
        SeenInstance {
            name: name.to_owned(),
            key,
            state: instance.state,
            tokens: tokens.collect(),
            variables: match record {
                Some(_) => own(key.root_scope()),
                None => instance.variables.clone(),
            },
            jobs: jobs.collect(),
            incidents: incidents
                .map(|(_, row)| SeenIncident {
                    key: row.key,
                    kind: row.kind.to_string(),
                    element: row.element.to_string(),
                    message: row.message.to_string(),
                })
                .collect(),
            tasks: tasks
                .map(|(_, row)| SeenTask { key: row.key, element: row.element.to_string() })
                .collect(),
            went: instance.went.clone(),
            job_log: instance.job_log.clone(),
            incidents_ever: instance.incidents_ever,
        }
    }
}

fn seen_job(job: &Job) -> SeenJob {
    let row = &job.row;
    SeenJob {
        key: row.job.key,
        name: match row.job.kind {
            JobKind::Worker | JobKind::Listener { .. } => row.job.job_type.to_string(),
            _ => row.element.to_string(),
        },
        state: match row.job.state {
            JobState::Ready => orloj_store::JobState::Ready,
            JobState::Waiting => orloj_store::JobState::Waiting,
            JobState::Parked => orloj_store::JobState::Parked,
            JobState::Failed => orloj_store::JobState::Failed,
            JobState::ErrorThrown => orloj_store::JobState::ErrorThrown,
            JobState::Suspended => orloj_store::JobState::Suspended,
        },
        retries_left: row.job.retries_left,
        priority: row.job.priority,
        due_at: row.job.due_at,
        locked_by: job.worker.as_ref().map(|(worker, _)| worker.clone()),
        locked_until: job.worker.as_ref().map(|(_, until)| *until),
    }
}
