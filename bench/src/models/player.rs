//! Plays one instance on the pure interpreter.

use std::sync::Arc;

use anyhow::{anyhow, bail};
use orloj_interpreter::{
    Command, Delegates, Event, Input, InvokeResults, JobChange, Outcome, Progress, Record, Run,
    Start,
};
use orloj_model::{Dialect, Options, Process, parse};
use orloj_types::{
    DefinitionKey, Document, InstanceKey, JobKey, KeyBlock, KeyGenerator, NodeNumber, TenantId,
    Timestamp,
};

pub struct Player {
    process: Arc<Process>,
    record: Option<Arc<Record>>,
    keys: KeyGenerator,
    now: Timestamp,
    /// Elements entered so far.
    pub visits: u64,
    /// Jobs that are there, oldest first.
    pub jobs: std::collections::BTreeSet<JobKey>,
}

struct Nobody;

impl Delegates for Nobody {
    fn knows(&self, _name: &str) -> bool {
        false
    }
}

impl Player {
    /// `inside` is what stands in the process.
    pub fn of(dialect: Dialect, inside: &str) -> anyhow::Result<Self> {
        let file = format!(
            r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
                xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"
                xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="bench">
                <process id="p" isExecutable="true">{inside}</process></definitions>"#
        );
        let parsed = parse(file.as_bytes(), &Options::of(dialect));
        if let Some(problem) = parsed.diagnostics.iter().find(|_| parsed.has_errors()) {
            bail!("the model of the benchmark: {problem}");
        }
        let process = parsed.processes.into_iter().next().ok_or_else(|| anyhow!("no process"))?;
        Ok(Self {
            process: Arc::new(process),
            record: None,
            keys: KeyGenerator::new(NodeNumber(1)),
            now: Timestamp::from_ms(1_900_000_000_000),
            visits: 0,
            jobs: std::collections::BTreeSet::new(),
        })
    }

    pub fn start(&mut self, variables: Document) -> anyhow::Result<()> {
        let instance = InstanceKey::new(self.keys.next(self.now));
        self.play(Command::Start(Start {
            instance,
            definition: DefinitionKey::new(1),
            tenant: TenantId::none(),
            business_key: None,
            variables,
            awaited_by: None,
            started_with: None,
            at: None,
            before: Vec::new(),
            stops_after: Vec::new(),
            tags: Arc::default(),
        }))
    }

    pub fn is_over(&self) -> bool {
        self.record.is_none()
    }

    pub fn play(&mut self, command: Command) -> anyhow::Result<()> {
        let mut run = Run::begin(Input {
            process: self.process.clone(),
            record: self.record.take(),
            command,
            now: self.now,
            keys: KeyBlock::default(),
            results: InvokeResults::new(),
            settings: Arc::default(),
        });
        match run.advance(&mut self.keys, &Nobody) {
            Progress::Done(outcome) => {
                self.keep(*outcome);
                Ok(())
            }
            other => bail!("the process of a benchmark goes on by itself, not {other:?}"),
        }
    }

    fn keep(&mut self, outcome: Outcome) {
        let entered = outcome.events.iter().filter(|e| matches!(e, Event::ElementEntered { .. }));
        self.visits += entered.count() as u64;
        for change in &outcome.jobs {
            match change {
                JobChange::Insert(row) => {
                    self.jobs.insert(row.job.key);
                }
                JobChange::Update { .. } => {}
                JobChange::Delete(key) => {
                    self.jobs.remove(key);
                }
            }
        }
        self.record = outcome.record.map(Arc::from);
    }
}
