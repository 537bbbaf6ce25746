//! Plays commands on a sketch and keeps the rows as a store would, to check them against the
//! record after every command.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use orloj_model::{ElementKind, Joins, Process};
use orloj_types::{
    DefinitionKey, Document, ElementInstanceKey, IncidentKey, InstanceKey, JobKey, KeyBlock,
    KeyGenerator, NodeNumber, TenantId, Timestamp, UserTaskKey,
};

use super::show::Names;
use crate::{
    Command, Delegates, ElementInstance, ElementState, Event, FailJob, IncidentChange, Input,
    Invoke, InvokeResult, InvokeResults, JobChange, JobKind, JobRow, JobSettings, JobState, Need,
    Outcome, Progress, Record, Rejection, Role, Run, Start, Supply, ThrowError, UserTaskChange,
    exclusive,
};

/// 2030-01-01T00:00:00Z, where every story begins.
pub(crate) const BEGINNING: Timestamp = Timestamp::from_ms(1_893_456_000_000);

pub(crate) struct Story {
    pub(crate) process: Arc<Process>,
    pub(crate) record: Option<Arc<Record>>,
    pub(crate) now: Timestamp,
    pub(crate) settings: Arc<JobSettings>,
    pub(crate) keys: KeyGenerator,
    /// What registered delegates answer, the next first; without an entry nobody registered one.
    pub(crate) delegates: BTreeMap<String, Vec<InvokeResult>>,
    pub(crate) invoked: Vec<String>,
    pub(crate) names: Names,
    pub(crate) jobs: BTreeMap<JobKey, JobRow>,
    pub(crate) user_tasks: Vec<UserTaskKey>,
    pub(crate) incidents: Vec<IncidentKey>,
    /// Processes that can be called.
    pub(crate) callable: BTreeMap<String, (DefinitionKey, Arc<Process>)>,
    /// Keys of deployed forms and linked files.
    pub(crate) assets: BTreeMap<String, i64>,
    /// Instances other than the story's own.
    pub(crate) others: BTreeMap<InstanceKey, Arc<Record>>,
    /// As history tells it.
    history: History,
}

/// What is still open in history.
#[derive(Default)]
struct History {
    visits: BTreeSet<ElementInstanceKey>,
    jobs: BTreeSet<JobKey>,
    incidents: BTreeSet<IncidentKey>,
    tasks: BTreeSet<UserTaskKey>,
}

pub(crate) struct Registered<'a>(pub(crate) &'a BTreeMap<String, Vec<InvokeResult>>);

impl Delegates for Registered<'_> {
    fn knows(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

pub(crate) fn document(json: &str) -> Document {
    Document::parse(json).expect(json)
}

impl Story {
    pub(crate) fn of(process: Arc<Process>) -> Self {
        Self {
            process,
            record: None,
            now: BEGINNING,
            settings: Arc::default(),
            keys: KeyGenerator::new(NodeNumber(1)),
            delegates: BTreeMap::new(),
            invoked: Vec::new(),
            names: Names::default(),
            jobs: BTreeMap::new(),
            user_tasks: Vec::new(),
            incidents: Vec::new(),
            callable: BTreeMap::new(),
            assets: BTreeMap::new(),
            others: BTreeMap::new(),
            history: History::default(),
        }
    }

    pub(crate) fn settings(mut self, settings: JobSettings) -> Self {
        self.settings = Arc::new(settings);
        self
    }

    /// Registers a delegate, which gives these answers first and then succeeds.
    pub(crate) fn delegate(mut self, name: &str, answers: &[InvokeResult]) -> Self {
        self.delegates.insert(name.to_owned(), answers.to_vec());
        self
    }

    /// Deploys a process that can be called.
    pub(crate) fn callable(mut self, name: &str, process: Arc<Process>) -> Self {
        let key = match Arc::ptr_eq(&process, &self.process) {
            true => DefinitionKey::new(1),
            false => DefinitionKey::new(2 + self.callable.len() as i64),
        };
        self.callable.insert(name.to_owned(), (key, process));
        self
    }

    /// Plays a command on the youngest called instance.
    pub(crate) fn in_called(&mut self, command: impl FnOnce(&Record) -> Command) -> String {
        let (key, _) = self.others.last_key_value().expect("something is called");
        self.in_other(*key, command)
    }

    /// Plays a command on another instance than the story's own.
    pub(crate) fn in_other(
        &mut self,
        instance: InstanceKey,
        command: impl FnOnce(&Record) -> Command,
    ) -> String {
        let record = self.others[&instance].clone();
        let process = self.process_of(record.definition);
        let command = command(&record);
        let input = Input { process, record: Some(record), ..self.input(command) };
        match self.run(input) {
            Err(rejection) => self.names.rejection(&rejection),
            Ok(outcome) => {
                let told = self.names.outcome(&outcome);
                self.keep_all(outcome);
                told
            }
        }
    }

    fn process_of(&self, definition: DefinitionKey) -> Arc<Process> {
        let mut callable = self.callable.values();
        let found = callable.find(|(key, _)| *key == definition).map(|(_, process)| process);
        found.unwrap_or(&self.process).clone()
    }

    fn keep_all(&mut self, mut outcome: Outcome) {
        let mine = self.record.as_ref().map(|record| record.instance);
        for other in std::mem::take(&mut outcome.others) {
            self.keep_one(other, mine);
        }
        self.keep_one(outcome, mine);
    }

    fn keep_one(&mut self, outcome: Outcome, mine: Option<InstanceKey>) {
        if mine == Some(outcome.instance) || (mine.is_none() && outcome.definition.raw() == 1) {
            self.keep(outcome);
            return;
        }
        match outcome.record {
            Some(record) => {
                assert!(exclusive::holds(&record));
                self.others.insert(outcome.instance, Arc::from(record));
            }
            None => {
                self.others.remove(&outcome.instance);
            }
        }
    }

    pub(crate) fn start(&mut self, variables: &str) -> String {
        self.start_at(variables, &[])
    }

    pub(crate) fn start_before(&mut self, elements: &[&str]) -> String {
        self.start_at("{}", elements)
    }

    fn start_at(&mut self, variables: &str, before: &[&str]) -> String {
        let instance = InstanceKey::new(self.keys.next(self.now));
        self.play(Command::Start(Start {
            instance,
            definition: DefinitionKey::new(1),
            tenant: TenantId::none(),
            business_key: None,
            variables: document(variables),
            awaited_by: None,
            started_with: None,
            at: None,
            before: before.iter().map(|&id| id.into()).collect(),
            tags: Arc::default(),
            stops_after: Vec::new(),
        }))
    }

    pub(crate) fn run_job(&mut self, element: &str) -> String {
        let job = self.job_of(element);
        self.play(Command::RunJob { job })
    }

    pub(crate) fn job_due(&mut self, element: &str) -> String {
        let job = self.job_of(element);
        self.play(Command::JobDue { job, at_once: true })
    }

    pub(crate) fn complete(&mut self, element: &str, variables: &str) -> String {
        let job = self.job_of(element);
        let variables = document(variables);
        let (result, activations) = (crate::JobResult::None, Vec::new());
        self.play(Command::CompleteJob { job, variables, result, activations })
    }

    pub(crate) fn fail(&mut self, element: &str, retries: i32, back_off_ms: i64) -> String {
        let job = self.job_of(element);
        self.play(Command::FailJob(FailJob {
            job,
            retries,
            message: "out of order".into(),
            details: None,
            back_off_ms,
            variables: Document::new(),
            activations: Vec::new(),
        }))
    }

    pub(crate) fn throw(&mut self, element: &str, code: &str, variables: &str) -> String {
        let job = self.job_of(element);
        self.play(Command::ThrowError(ThrowError {
            job,
            code: code.into(),
            message: "no money".into(),
            variables: document(variables),
            activations: Vec::new(),
        }))
    }

    pub(crate) fn complete_user_task(&mut self, element: &str, variables: &str) -> String {
        let record = self.record.as_ref().expect("the instance lives");
        let mut tokens = record.elements.iter().filter(|e| &*e.element == element);
        let task = tokens.find_map(|e| e.user_task).expect("a user task waits there");
        self.play(Command::CompleteUserTask { task, variables: document(variables) })
    }

    pub(crate) fn resolve(&mut self) -> String {
        let incident = *self.incidents.last().expect("an incident is open");
        self.play(Command::ResolveIncident { incident })
    }

    pub(crate) fn pass(&mut self, ms: i64) {
        self.now = self.now.plus_ms(ms);
    }

    /// The job that waits on an element; a timer's on its event.
    pub(crate) fn job_of(&self, element: &str) -> JobKey {
        let mut rows = self.jobs.values().filter(|row| &*row.element == element);
        rows.next().unwrap_or_else(|| panic!("no job of {element}")).job.key
    }

    /// The oldest token on an element, and its user task.
    pub(crate) fn token(&self, element: &str) -> (ElementInstanceKey, Option<UserTaskKey>) {
        let record = self.record.as_ref().expect("the instance lives");
        let mut tokens = record.elements.iter().filter(|e| &*e.element == element);
        tokens.next().map(|e| (e.key, e.user_task)).expect("a token is there")
    }

    /// Plays a command to its end and tells what happened.
    pub(crate) fn play(&mut self, command: Command) -> String {
        match self.interpret(command) {
            Err(rejection) => self.names.rejection(&rejection),
            Ok(outcome) => {
                let told = self.names.outcome(&outcome);
                self.keep_all(outcome);
                told
            }
        }
    }

    pub(crate) fn input(&self, command: Command) -> Input {
        Input {
            process: self.process.clone(),
            record: self.record.clone(),
            command,
            now: self.now,
            keys: KeyBlock::default(),
            results: InvokeResults::new(),
            settings: self.settings.clone(),
        }
    }

    pub(crate) fn interpret(&mut self, command: Command) -> Result<Outcome, Rejection> {
        self.run(self.input(command))
    }

    fn run(&mut self, input: Input) -> Result<Outcome, Rejection> {
        let mut run = Run::begin(input);
        loop {
            match run.advance(&mut self.keys, &Registered(&self.delegates)) {
                Progress::Done(outcome) => return Ok(*outcome),
                Progress::Rejected(rejection) => return Err(rejection),
                Progress::Need(Need::Definition(called)) => {
                    run.supply(Supply::Definition(self.callable.get(&*called.process).cloned()));
                }
                Progress::Need(Need::Asset(wanted)) => {
                    run.supply(Supply::Asset(self.assets.get(&*wanted.id).copied()));
                }
                Progress::Need(Need::Instance(key)) => {
                    let mine = self.record.iter().find(|record| record.instance == key);
                    let found = mine.or_else(|| self.others.get(&key)).cloned();
                    let found = found.map(|record| (self.process_of(record.definition), record));
                    run.supply(Supply::Instance(found));
                }
                Progress::Invoke(invoke) => {
                    let answer = self.answer(&invoke);
                    run.resume(answer);
                }
            }
        }
    }

    pub(crate) fn answer(&mut self, invoke: &Invoke) -> InvokeResult {
        self.invoked.push(format!("{} {}", invoke.callee.name(), invoke.variables.to_json()));
        let answers = self.delegates.get_mut(&*invoke.callee.name()).expect("it is registered");
        match answers.is_empty() {
            true => InvokeResult::Done { variables: Document::new() },
            false => answers.remove(0),
        }
    }

    /// Takes an outcome as committed.
    pub(crate) fn keep(&mut self, outcome: Outcome) {
        for event in &outcome.events {
            self.history.note(event);
        }
        for change in outcome.jobs {
            match change {
                JobChange::Insert(row) => {
                    let known = self.jobs.insert(row.job.key, row);
                    assert!(known.is_none(), "a job is inserted once");
                }
                JobChange::Update { row, .. } => {
                    let known = self.jobs.insert(row.job.key, row);
                    assert!(known.is_some(), "only a stored job is updated");
                }
                JobChange::Delete(key) => {
                    assert!(self.jobs.remove(&key).is_some(), "only a stored job is deleted");
                }
            }
        }
        for change in outcome.user_tasks {
            match change {
                UserTaskChange::Insert(row) => self.user_tasks.push(row.key),
                UserTaskChange::Move { key, .. } => assert!(self.user_tasks.contains(&key)),
                UserTaskChange::Delete(key) => {
                    assert!(self.user_tasks.contains(&key), "only a stored task is deleted");
                    self.user_tasks.retain(|&task| task != key);
                }
            }
        }
        for change in outcome.incidents {
            match change {
                IncidentChange::Insert(row) => self.incidents.push(row.key),
                IncidentChange::Annotate { key, .. } => assert!(self.incidents.contains(&key)),
                IncidentChange::Delete(key) => {
                    assert!(self.incidents.contains(&key), "only a stored incident is deleted");
                    self.incidents.retain(|&incident| incident != key);
                }
            }
        }
        assert_eq!(outcome.record.is_none(), outcome.end.is_some());
        self.record = outcome.record.map(Arc::from);
        self.check();
    }

    /// What must hold between any two commands.
    fn check(&self) {
        self.check_rows();
        self.check_history();
        if let Some(record) = &self.record {
            self.check_record(record);
        }
    }

    /// The rows are those of the record.
    fn check_rows(&self) {
        let record = self.record.as_ref();
        let elements: Vec<&ElementInstance> =
            record.map(|record| record.holders().collect()).unwrap_or_default();
        let jobs = elements.iter().flat_map(|e| &e.jobs);
        let rows: BTreeMap<_, _> = self.jobs.values().map(|row| (row.job.key, &row.job)).collect();
        assert_eq!(jobs.map(|job| (job.key, job)).collect::<BTreeMap<_, _>>(), rows);

        let tasks = elements.iter().filter_map(|e| e.user_task);
        assert_eq!(sorted(tasks), sorted(self.user_tasks.iter().copied()));
        let incidents = elements.iter().flat_map(|e| e.incident.iter().chain(&e.timer_incidents));
        assert_eq!(sorted(incidents.map(|i| i.key)), sorted(self.incidents.iter().copied()));
    }

    /// History knows as open what the record has, no more and no less.
    fn check_history(&self) {
        assert!(self.history.jobs.iter().eq(self.jobs.keys()));
        assert_eq!(
            sorted(self.history.tasks.iter().copied()),
            sorted(self.user_tasks.iter().copied())
        );
        assert_eq!(
            sorted(self.history.incidents.iter().copied()),
            sorted(self.incidents.iter().copied())
        );
        let record = self.record.as_ref();
        let elements: Vec<&ElementInstance> =
            record.map(|record| record.elements.iter().collect()).unwrap_or_default();
        let is_open = |e: &ElementInstance| {
            let index = self.process.find(&e.element).expect("of this process");
            let model = self.process.element(index);
            // A completed scope in which something is undone.
            if e.role == Role::Handler && !model.is_for_compensation {
                return false;
            }
            let is_join =
                matches!(model.kind, ElementKind::ParallelGateway | ElementKind::InclusiveGateway);
            match e.state {
                ElementState::Entering => e.incident.as_ref().is_some_and(|i| i.job.is_none()),
                ElementState::Ending => true,
                ElementState::Active => {
                    // One whose tokens are there waits for its listeners.
                    let is_through = e.arrived_by.as_ref() == Some(&e.element);
                    !is_join || is_through || self.process.semantics.joins == Joins::PerToken
                }
                ElementState::Leaving => {
                    self.process.semantics.choices.ends_by_job
                        && model.async_after.is_some()
                        && !is_join
                        && !matches!(e.role, Role::Body | Role::Inner)
                        && !matches!(model.kind, ElementKind::SubProcess(_))
                }
            }
        };
        let open: BTreeSet<_> = elements.iter().filter(|e| is_open(e)).map(|e| e.key).collect();
        assert_eq!(self.history.visits, open);
    }

    fn check_record(&self, record: &Record) {
        assert!(exclusive::holds(record), "an exclusive job is ready if and only if it holds");
        let is_listening = !record.root.jobs.is_empty();
        assert!(is_listening || !record.elements.is_empty(), "a live instance has a token");
        for element in &record.elements {
            let index = self.process.find(&element.element).expect("of this process");
            let kind = &self.process.element(index).kind;
            let own_job = element.jobs.iter().any(
                |job| !matches!(&job.kind, JobKind::Timer { event, .. } if *event != element.element),
            );
            let is_join =
                matches!(kind, ElementKind::ParallelGateway | ElementKind::InclusiveGateway);
            let is_own = |id: &orloj_types::ElementId| *id == element.element;
            let is_stopped = element.incident.as_ref().is_some_and(|found| found.job.is_none());
            let reasons = [
                // A user task waits for its listeners first, and for a person where one of them
                // cannot be asked.
                own_job || (element.user_task.is_some() && !is_stopped),
                element.subscriptions.iter().any(|s| is_own(&s.event))
                    || matches!(kind, ElementKind::EventGateway),
                element.called.is_some(),
                record.elements.has_children(element.key),
                element.undoing > 0,
                is_stopped,
                is_join
                    && element.arrived_by.as_ref().is_some_and(|by| !is_own(by))
                    && element.state == ElementState::Active,
            ];
            let count = reasons.iter().filter(|&&reason| reason).count();
            let is_scope = matches!(kind, ElementKind::SubProcess(_))
                || element.undoing > 0
                || element.multi.is_some();
            assert!(count == 1 || is_scope, "a token has one durable reason to wait: {element:?}");
            for job in &element.jobs {
                assert!(job.state != JobState::Waiting || job.due_at.is_some());
                if job.state == JobState::Suspended && job.retries_left > 0 {
                    // It may have been suspended while it waited for a person.
                    continue;
                }
                let stopped = matches!(
                    job.state,
                    JobState::Failed | JobState::ErrorThrown | JobState::Suspended
                );
                let mut incidents = element.incident.iter().chain(&element.timer_incidents);
                let is_told = incidents.any(|i| i.job == Some(job.key));
                assert_eq!(is_told, stopped && !self.settings.without_incidents);
            }
        }
        for scope in record.variables.keys() {
            let lives = *scope == record.instance.root_scope() || record.element(*scope).is_some();
            assert!(lives, "variables go with their scope");
        }
    }
}

impl History {
    fn note(&mut self, event: &Event) {
        let fits = match event {
            Event::ElementEntered { key, .. } => self.visits.insert(*key),
            Event::ElementLeft { key, .. } => self.visits.remove(key),
            Event::JobCreated { key, .. } => self.jobs.insert(*key),
            Event::JobCompleted { key } | Event::JobCancelled { key } => self.jobs.remove(key),
            // The end of a job whose error is caught; otherwise it waits with an incident.
            Event::JobThrew { key, .. } => self.jobs.remove(key),
            Event::IncidentOpened { key, job, .. } => {
                self.jobs.extend(*job);
                self.incidents.insert(*key)
            }
            Event::IncidentClosed { key, .. } => self.incidents.remove(key),
            Event::UserTaskCreated { key, .. } => self.tasks.insert(*key),
            Event::UserTaskAssigned { key, .. } => self.tasks.contains(key),
            Event::UserTaskEnded { key, .. } => self.tasks.remove(key),
            _ => true,
        };
        assert!(fits, "everything begins and ends once: {event:?}");
    }
}

fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort();
    items
}
