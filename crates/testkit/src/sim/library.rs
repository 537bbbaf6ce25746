//! The processes that run in the simulation.

use std::sync::Arc;

use orloj::Definition;
use orloj::node::chores::{NewStartTimer, start_timer_chore};
use orloj_interpreter::{Invoke, StartJob, StartTrigger};
use orloj_model::{Boundary, ElementKind, Process, Trigger, UncaughtError};
use orloj_store::{DefinitionRow, StartKind, StartRow};
use orloj_types::{DefinitionKey, DeploymentKey, EngineName, JobKey, TenantId, Timestamp};

use crate::sim_store::Core;
use crate::sketch::Sketch;

/// Everything the skeleton can do, in pieces small enough that a seed gets far with each. All of
/// them end when every delegate, worker and person does its work.
const SKETCHES: &[&str] = &[
    "process chain, camunda: start -> a{delegate D, async} -> b{delegate D, async nonexclusive} -> c{delegate D, async, async after} -> end",
    "process fork, camunda: start -> f+ -> a{delegate D, async} -> j+ -> end\n\
     f -> b{delegate D, async} -> j\n\
     f -> c{delegate D, async, retry R3/PT2S} -> d{delegate D, async} -> j\n\
     c @error(POOR) -> d",
    "process ranked, camunda: start -> f+ -> a{delegate D, async, priority 1} -> j+ -> end\n\
     f -> b{delegate D, async, priority 5} -> c{delegate D, async, priority 9} -> j\n\
     f -> v{timer 1s, nonexclusive} -> d{delegate D, async, priority 7} -> j\n\
     f -> w{timer 1s} -> j\n\
     f -> ask{user} -> e{delegate D, async, priority 3} -> j",
    "process order: start -> pay{service charge} -> x?{total > 5} -> ship{service ship, priority 9} -> end shipped\n\
     x? -> end small\n\
     pay @timer(4s) -> sorry{service mail} -> end late\n\
     pay @error(POOR) -> end poor",
    "process timers, camunda: start -> f+ -> w{timer 2s} -> a{delegate D} -> j+ -> end\n\
     f -> v{timer 2s, nonexclusive} -> b{delegate D, async} -> j",
    "process nagging: start -> work{service slow, in n = 1, out done = n + total} -> end\n\
     work @timer(R3/PT1S, alongside) -> note{service mail} -> end noted",
    "process asking: start -> ask{user} -> end\n\
     ask @timer(R/PT2S, alongside) -> remind{service mail} -> end reminded",
    "process mixed, flowable: start -> f+ -> a{delegate D, async} -> j+ -> end\n\
     f -> b{service mail, async} -> j\n\
     f -> c{delegate D, async nonexclusive, async after} -> j",
    "process busy, flowable: start -> f+ -> a{delegate D, async nonexclusive} -> b{delegate D, async nonexclusive} -> c{delegate D, async nonexclusive} -> j+ -> end\n\
     f -> ask{user} -> d{delegate D, async nonexclusive} -> j\n\
     f -> w{service charge} -> e{delegate D, async} -> j\n\
     w @error(POOR) -> e",
    "process through, camunda: start -> a{delegate D} -> b{delegate D} -> end",
    "process moved, camunda: start -> a{service charge} -> b{delegate D} -> c{delegate D, async} -> end\n\
     b @error(POOR) -> end poor",
    "process instant: start -> end",
    "process caller: start -> sub{call callee, in total = total, out done = worked} -> end\n\
     sub @timer(5s) -> end late\n\
     sub @error(POOR) -> end poor",
    "process callee: start -> x{service charge} -> end",
    "process parent, camunda: start -> f+ -> sub{call child} -> j+ -> end\n\
     f -> a{delegate D, async} -> b{delegate D, async} -> j",
    "process child, camunda: start -> c{delegate D, async} -> d{delegate D, async} -> end",
    "process waits: start -> m{message paid, key id} -> n{receive paid, key id} -> end\n\
     n @message(stop, key id) -> end stopped",
    "process hears: start -> s{signal go} -> a{service mail} -> end",
    "process again: start -> s{signal go} -> t{signal go} -> a{service mail} -> end",
    "process tells: start -> a{service mail} -> t{throw signal go} -> end",
    "process ordered: start{message order} -> work{service ship} -> end",
    "process told: start{signal go} -> work{service mail} -> end",
    "process timed: start{timer R2/2s} -> work{service mail} -> end",
];

/// How often the timers of the processes above start something.
pub(crate) const TIMED_STARTS: usize = 2;

/// Types that workers of the simulation serve.
pub(crate) const JOB_TYPES: [&str; 4] = ["charge", "ship", "mail", "slow"];

/// Definitions, read once for all seeds.
#[derive(Debug)]
pub struct Library {
    pub(crate) rows: Vec<DefinitionRow>,
    pub definitions: Vec<Arc<Definition>>,
}

impl Library {
    #[expect(clippy::new_without_default, reason = "reading ten processes is no default")]
    pub fn new() -> Self {
        let mut rows = Vec::new();
        let definitions = (1..).zip(SKETCHES).map(|(number, text)| {
            let sketch = Sketch::parse(text).unwrap_or_else(|error| panic!("{error} in {text}"));
            let process = sketch.to_process().unwrap_or_else(|error| panic!("{error}"));
            let row = DefinitionRow {
                key: DefinitionKey::new(number),
                engine: EngineName::default(),
                tenant: TenantId::none(),
                process_id: process.id.clone(),
                version: 1,
                deployment: DeploymentKey::new(number),
                resource_name: sketch.id.as_str().into(),
                checksum: [0; 16],
                dialect: "".into(),
                checks: 1,
                deployed_at: Timestamp::ZERO,
                suspended: false,
                is_deleted: false,
            };
            let definition = Definition::new(&row, process);
            rows.push(row);
            Arc::new(definition)
        });
        let definitions = definitions.collect();
        Self { rows, definitions }
    }

    /// Where an uncaught error ends its token, a join further on would wait for it for ever: that
    /// is what such a model means, and no business of the simulation.
    pub(crate) fn may_throw(&self, invoke: &Invoke, code: &str) -> bool {
        let Some(process) = self.get(invoke.definition).map(|known| &known.process) else {
            return false;
        };
        let is_caught = catches(process, &invoke.element, code);
        let ends_token = process.semantics.uncaught_error == UncaughtError::EndToken;
        let has_join =
            process.elements.iter().any(|e| matches!(e.kind, ElementKind::ParallelGateway));
        is_caught || !ends_token || !has_join
    }

    /// One in so many, with their definitions.
    pub(crate) fn some_deployments(&self, one_in: u64) -> Vec<(DeploymentKey, Vec<DefinitionKey>)> {
        let rows = self.rows.iter().step_by(usize::try_from(one_in).unwrap_or(1));
        rows.map(|row| (row.deployment, vec![row.key])).collect()
    }

    /// Those that a command can start.
    pub(crate) fn startable(&self) -> Vec<Arc<Definition>> {
        let all = self.definitions.iter();
        all.filter(|known| known.process.root.none_start.is_some()).cloned().collect()
    }

    pub(crate) fn named(&self, process: &str) -> Option<&Arc<Definition>> {
        self.definitions.iter().find(|known| &*known.process.id == process)
    }

    /// As if they had been deployed at this moment.
    pub(crate) fn deploy(&self, store: &mut Core, now: Timestamp) {
        for (row, known) in self.rows.iter().zip(&self.definitions) {
            store.definitions.insert(row.key, row.clone());
            for wait in orloj_interpreter::starts(&known.process, now) {
                let (kind, name) = match wait.trigger {
                    StartTrigger::Message { name } => (StartKind::Message, name),
                    StartTrigger::Signal { name } => (StartKind::Signal, name),
                    StartTrigger::Condition => (StartKind::Condition, "".into()),
                    StartTrigger::Timer { due_at, repeat } => {
                        let timer = start_timer_chore(&NewStartTimer {
                            // As every deployment, before all else.
                            key: JobKey::new(row.key.raw()),
                            engine: &row.engine,
                            tenant: &row.tenant,
                            definition: row.key,
                            event: &wait.event,
                            due_at,
                            repeat: repeat.as_ref(),
                            job: StartJob {
                                retries: 3,
                                priority: 0,
                                category: None,
                                is_suspended: false,
                            },
                            now,
                        });
                        store.jobs.insert(timer.key, timer);
                        continue;
                    }
                };
                let start = StartRow {
                    definition: row.key,
                    engine: row.engine.clone(),
                    tenant: row.tenant.clone(),
                    process_id: row.process_id.clone(),
                    event: wait.event.clone(),
                    kind,
                    name,
                };
                store.starts.insert((row.key, wait.event), start);
            }
        }
    }

    /// An error that nobody catches makes a job of a worker fail in Flowable, again and again.
    pub(crate) fn may_worker_throw(
        &self,
        definition: DefinitionKey,
        element: &str,
        code: &str,
    ) -> bool {
        let Some(process) = self.get(definition).map(|known| &known.process) else {
            return false;
        };
        process.semantics.uncaught_error != UncaughtError::Fail || catches(process, element, code)
    }

    pub(crate) fn get(&self, key: DefinitionKey) -> Option<&Arc<Definition>> {
        self.definitions.iter().find(|definition| definition.key == key)
    }
}

/// Whether a boundary event of the element catches the error.
fn catches(process: &Process, element: &str, code: &str) -> bool {
    process.elements.iter().any(|event| match &event.kind {
        ElementKind::BoundaryEvent(Boundary { attached_to, trigger, .. }) => {
            let Trigger::Error(catches) = trigger else { return false };
            &*process.element(*attached_to).id == element
                && catches.code.as_deref().is_none_or(|caught| caught == code)
        }
        _ => false,
    })
}
