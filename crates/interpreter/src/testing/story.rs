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
    Invoke, InvokeResult, InvokeResults, JobChange, JobKind, JobRow, JobState, Outcome, Progress,
    Record, Rejection, Run, Start, ThrowError, UserTaskChange, exclusive,
};

/// 2030-01-01T00:00:00Z, where every story begins.
pub(crate) const BEGINNING: Timestamp = Timestamp::from_ms(1_893_456_000_000);

pub(crate) struct Story {
    pub(crate) process: Arc<Process>,
    pub(crate) record: Option<Arc<Record>>,
    pub(crate) now: Timestamp,
    pub(crate) keys: KeyGenerator,
    /// What registered delegates answer, the next first; without an entry nobody registered one.
    pub(crate) delegates: BTreeMap<String, Vec<InvokeResult>>,
    pub(crate) invoked: Vec<String>,
    pub(crate) names: Names,
    pub(crate) jobs: BTreeMap<JobKey, JobRow>,
    pub(crate) user_tasks: Vec<UserTaskKey>,
    pub(crate) incidents: Vec<IncidentKey>,
    /// As history tells it.
    history: History,
}

/// What is still open in history.
#[derive(Default)]
struct History {
    visits: BTreeSet<ElementInstanceKey>,
    jobs: BTreeSet<JobKey>,
    incidents: BTreeSet<IncidentKey>,
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
            keys: KeyGenerator::new(NodeNumber(1)),
            delegates: BTreeMap::new(),
            invoked: Vec::new(),
            names: Names::default(),
            jobs: BTreeMap::new(),
            user_tasks: Vec::new(),
            incidents: Vec::new(),
            history: History::default(),
        }
    }

    /// Registers a delegate, which gives these answers first and then succeeds.
    pub(crate) fn delegate(mut self, name: &str, answers: &[InvokeResult]) -> Self {
        self.delegates.insert(name.to_owned(), answers.to_vec());
        self
    }

    pub(crate) fn start(&mut self, variables: &str) -> String {
        let instance = InstanceKey::new(self.keys.next(self.now));
        self.play(Command::Start(Start {
            instance,
            definition: DefinitionKey::new(1),
            tenant: TenantId::none(),
            business_key: None,
            variables: document(variables),
            awaited_by: None,
        }))
    }

    pub(crate) fn run_job(&mut self, element: &str) -> String {
        let job = self.job_of(element);
        self.play(Command::RunJob { job })
    }

    pub(crate) fn job_due(&mut self, element: &str) -> String {
        let job = self.job_of(element);
        self.play(Command::JobDue { job })
    }

    pub(crate) fn complete(&mut self, element: &str, variables: &str) -> String {
        let job = self.job_of(element);
        let variables = document(variables);
        self.play(Command::CompleteJob { job, variables, activations: Vec::new() })
    }

    pub(crate) fn fail(&mut self, element: &str, retries: i32, back_off_ms: i64) -> String {
        let job = self.job_of(element);
        self.play(Command::FailJob(FailJob {
            job,
            retries,
            message: "out of order".into(),
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
        let task = self.token(element).1.expect("a user task waits there");
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
                self.keep(outcome);
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
        }
    }

    pub(crate) fn interpret(&mut self, command: Command) -> Result<Outcome, Rejection> {
        let mut run = Run::begin(self.input(command));
        loop {
            match run.advance(&mut self.keys, &Registered(&self.delegates)) {
                Progress::Done(outcome) => return Ok(outcome),
                Progress::Rejected(rejection) => return Err(rejection),
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
                UserTaskChange::Delete(key) => {
                    assert!(self.user_tasks.contains(&key), "only a stored task is deleted");
                    self.user_tasks.retain(|&task| task != key);
                }
            }
        }
        for change in outcome.incidents {
            match change {
                IncidentChange::Insert(row) => self.incidents.push(row.key),
                IncidentChange::Delete(key) => {
                    assert!(self.incidents.contains(&key), "only a stored incident is deleted");
                    self.incidents.retain(|&incident| incident != key);
                }
            }
        }
        assert_eq!(outcome.record.is_none(), outcome.end.is_some());
        self.record = outcome.record.map(Arc::new);
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
        let elements = self.record.as_ref().map_or(&[][..], |record| &record.elements);
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
            sorted(self.history.incidents.iter().copied()),
            sorted(self.incidents.iter().copied())
        );
        let elements = self.record.as_ref().map_or(&[][..], |record| &record.elements);
        let is_open = |e: &&ElementInstance| {
            let index = self.process.find(&e.element).expect("of this process");
            let is_join = matches!(self.process.element(index).kind, ElementKind::ParallelGateway);
            match e.state {
                ElementState::Entering => e.incident.as_ref().is_some_and(|i| i.job.is_none()),
                ElementState::Active => !is_join || self.process.semantics.joins == Joins::PerToken,
                ElementState::Leaving => false,
            }
        };
        let open: BTreeSet<_> = elements.iter().filter(is_open).map(|e| e.key).collect();
        assert_eq!(self.history.visits, open);
    }

    fn check_record(&self, record: &Record) {
        assert!(exclusive::holds(record), "an exclusive job is ready if and only if it holds");
        assert!(!record.elements.is_empty(), "a live instance has a token");
        for element in &record.elements {
            let index = self.process.find(&element.element).expect("of this process");
            let kind = &self.process.element(index).kind;
            let own_job = element.jobs.iter().any(
                |job| !matches!(&job.kind, JobKind::Timer { event, .. } if *event != element.element),
            );
            let reasons = [
                own_job,
                element.user_task.is_some(),
                element.incident.as_ref().is_some_and(|incident| incident.job.is_none()),
                matches!(kind, ElementKind::ParallelGateway)
                    && element.arrived_by.is_some()
                    && element.state == ElementState::Active,
            ];
            let count = reasons.iter().filter(|&&reason| reason).count();
            assert_eq!(count, 1, "a token has exactly one durable reason to wait: {element:?}");
            for job in &element.jobs {
                assert!(job.state != JobState::Waiting || job.due_at.is_some());
                let stopped = matches!(job.state, JobState::Failed | JobState::ErrorThrown);
                let mut incidents = element.incident.iter().chain(&element.timer_incidents);
                assert_eq!(incidents.any(|i| i.job == Some(job.key)), stopped);
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
            Event::IncidentClosed { key } => self.incidents.remove(key),
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
