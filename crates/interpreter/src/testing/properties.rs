//! Random processes under random commands: whatever happens, the promises of the record hold
//! (`Story::check`), equal input gives equal output, and repeating a command with the results it
//! already has gives the same outcome without a call.

use std::sync::Arc;

use orloj_model::{ElementKind, Process, SavePoint, TimerKind};
use orloj_types::{IncidentKey, JobKey, UserTaskKey};
use proptest::prelude::*;

use super::sketch::{
    Sketch, and, catch, delegate, end, on_error, on_timer, start, user, worker, xor,
};
use super::story::{Registered, Story, document};
use crate::{
    Command, FailJob, Invoke, InvokeResult, Job, JobKind, JobOrder, JobState, Migrate, Outcome,
    Progress, Rejection, Run, ThrowError,
};

#[derive(Clone, Debug)]
enum Block {
    Task(Task),
    Wait(&'static str),
    Choice { value: u8, has_default: bool, ways: Vec<Vec<Block>> },
    Fork(Vec<Vec<Block>>),
}

#[derive(Clone, Debug)]
struct Task {
    kind: u8,
    before: Option<bool>,
    after: Option<bool>,
    boundary: u8,
    mapping: u8,
    retry: u8,
}

fn task() -> impl Strategy<Value = Block> {
    let save_point = || proptest::option::weighted(0.4, any::<bool>());
    (0..5_u8, save_point(), save_point(), 0..6_u8, 0..5_u8, 0..4_u8).prop_map(
        |(kind, before, after, boundary, mapping, retry)| {
            Block::Task(Task { kind, before, after, boundary, mapping, retry })
        },
    )
}

fn blocks() -> impl Strategy<Value = Vec<Block>> {
    let wait = prop_oneof![Just("PT10S"), Just("P1M"), Just("never"), Just("-PT1S")];
    let leaf = prop_oneof![4 => task(), 1 => wait.prop_map(Block::Wait)];
    let block = leaf.prop_recursive(3, 12, 3, |inner| {
        let way = || proptest::collection::vec(inner.clone(), 0..3);
        let ways = || proptest::collection::vec(way(), 1..4);
        prop_oneof![
            (0..4_u8, any::<bool>(), ways()).prop_map(|(value, has_default, ways)| {
                Block::Choice { value, has_default, ways }
            }),
            ways().prop_map(Block::Fork),
        ]
    });
    proptest::collection::vec(block, 1..5)
}

struct Pen {
    sketch: Sketch,
    count: usize,
}

impl Pen {
    fn node(&mut self, word: &str, kind: ElementKind) -> String {
        self.count += 1;
        let id = format!("{word}{}", self.count);
        self.change(|sketch| sketch.node(&id, kind));
        id
    }

    fn flow(&mut self, from: &str, to: &str) {
        self.change(|sketch| sketch.flows(&format!("{from} -> {to}")));
    }

    fn change(&mut self, change: impl FnOnce(Sketch) -> Sketch) {
        let sketch = std::mem::replace(&mut self.sketch, Sketch::zeebe());
        self.sketch = change(sketch);
    }

    /// Draws the blocks after `from`; the answer is where they end.
    fn draw(&mut self, from: String, blocks: &[Block]) -> String {
        let mut at = from;
        for block in blocks {
            at = match block {
                Block::Task(task) => self.draw_task(&at, task),
                Block::Wait(text) => {
                    let id = self.node("wait", catch(TimerKind::Duration, text));
                    self.flow(&at, &id);
                    id
                }
                Block::Fork(ways) => {
                    let (fork, join) = (self.node("fork", and()), self.node("join", and()));
                    self.flow(&at, &fork);
                    for way in ways {
                        let first = self.node("branch", user());
                        self.flow(&fork, &first);
                        let last = self.draw(first, way);
                        self.flow(&last, &join);
                    }
                    join
                }
                Block::Choice { value, has_default, ways } => {
                    let (gate, merge) = (self.node("gate", xor()), self.node("merge", xor()));
                    self.flow(&at, &gate);
                    for (number, way) in ways.iter().enumerate() {
                        let first = self.node("way", delegate("Work"));
                        let is_default = *has_default && number == 0;
                        let condition = format!("n > {}", usize::from(*value) + number);
                        self.change(|sketch| match is_default {
                            true => sketch.default_flow(&gate, &first),
                            false => sketch.flow_if(&gate, &first, &condition),
                        });
                        let last = self.draw(first, way);
                        self.flow(&last, &merge);
                    }
                    merge
                }
            };
        }
        at
    }

    fn draw_task(&mut self, from: &str, task: &Task) -> String {
        let kind = match task.kind {
            0 => worker("charge"),
            1 => user(),
            2 => delegate("Unknown"),
            _ => delegate("Work"),
        };
        let id = self.node("task", kind);
        self.flow(from, &id);
        let point = |exclusive: Option<bool>| exclusive.map(|exclusive| SavePoint { exclusive });
        self.change(|sketch| {
            sketch.with(&id, |e| {
                e.async_before = point(task.before);
                e.async_after = point(task.after);
            })
        });
        self.change(|sketch| match task.mapping {
            0 => sketch.input(&id, "n + 1", "own").output(&id, "own", "n"),
            1 => sketch.output(&id, "n", "deep.er"),
            2 => sketch.input(&id, "missing", "own"),
            _ => sketch,
        });
        self.change(|sketch| match task.retry {
            0 => sketch.retry(&id, "R2/PT10S"),
            1 => sketch.retry(&id, "PT1S,PT5S"),
            _ => sketch,
        });
        let event = match task.boundary {
            0 => on_timer(true, TimerKind::Duration, "PT10S"),
            1 => on_timer(false, TimerKind::Cycle, "R3/PT10S"),
            2 => on_error(Some("poor")),
            3 => on_error(None),
            _ => return id,
        };
        self.count += 1;
        let boundary = format!("event{}", self.count);
        self.change(|sketch| sketch.boundary(&id, &boundary, event));
        let behind = self.node("behind", delegate("Work"));
        self.flow(&boundary, &behind);
        id
    }
}

fn process(dialect: u8, blocks: &[Block]) -> Arc<Process> {
    let sketch = match dialect {
        0 => Sketch::zeebe(),
        1 => Sketch::camunda(),
        _ => Sketch::flowable(),
    };
    let mut pen = Pen { sketch, count: 0 };
    let first = pen.node("start", start());
    let last = pen.draw(first, blocks);
    let end = pen.node("end", end());
    pen.flow(&last, &end);
    pen.sketch.build()
}

/// What to do next, in two numbers; and what foreign code answers, should it be called.
type Deed = (u8, u8, u8);

fn command(story: &Story, (what, which, _): Deed) -> Command {
    fn pick<T: Copy>(items: &[T], which: u8) -> Option<T> {
        (!items.is_empty()).then(|| items[usize::from(which) % items.len()])
    }
    let jobs: Vec<JobKey> = story.jobs.keys().copied().collect();
    let job = pick(&jobs, which).unwrap_or_default();
    let is_worker = story.jobs.get(&job).is_some_and(|row| row.job.kind == JobKind::Worker);
    let variables = document(match which % 3 {
        0 => "{}",
        1 => r#"{"n":5,"own":1}"#,
        _ => r#"{"deep":3}"#,
    });
    let (result, activations) = (crate::JobResult::None, Vec::new());
    match what {
        0..40 if is_worker => Command::CompleteJob { job, variables, result, activations },
        0..40 => Command::RunJob { job },
        40..60 => Command::JobDue { job, at_once: true },
        60..75 => Command::FailJob(FailJob {
            job,
            retries: i32::from(which % 4) - 1,
            message: "no".into(),
            details: None,
            back_off_ms: i64::from(which % 3) * 1_000,
            variables,
            activations,
        }),
        75..90 => Command::ThrowError(ThrowError {
            job,
            code: if which % 2 == 0 { "poor" } else { "rich" }.into(),
            message: "no money".into(),
            variables,
            activations,
        }),
        90..100 => Command::UpdateRetries { job, retries: i32::from(which % 4) },
        100..130 => manage(story, job, which),
        130..150 => {
            let incident = pick(&story.incidents, which).unwrap_or(IncidentKey::new(1));
            Command::ResolveIncident { incident }
        }
        150..225 => {
            let task = pick(&story.user_tasks, which).unwrap_or(UserTaskKey::new(1));
            Command::CompleteUserTask { task, variables }
        }
        225..235 => Command::CompleteJob { job, variables, result, activations },
        235..246 => {
            let record = story.record.as_ref().expect("it lives");
            let scopes: Vec<_> = record.elements.iter().map(|e| e.key).collect();
            let scope = pick(&scopes, which).unwrap_or(record.instance.root_scope());
            Command::SetVariables { scope, variables, local: which % 2 == 0 }
        }
        246..251 => Command::Migrate(to_itself(story)),
        _ => Command::Cancel,
    }
}

/// Every element stays what it is.
fn to_itself(story: &Story) -> Migrate {
    let elements = story.process.elements.iter();
    Migrate {
        definition: orloj_types::DefinitionKey::new(1),
        target: story.process.clone(),
        plan: elements.map(|element| (element.id.clone(), element.id.clone())).collect(),
    }
}

fn manage(story: &Story, job: JobKey, which: u8) -> Command {
    let small = i32::from(which / 16) - 1;
    let due = (small > 0).then(|| story.now.plus_ms(i64::from(small) * 500));
    let what = match which % 13 {
        0 => return Command::SuspendJobs { jobs: story.jobs.keys().copied().collect() },
        1 => return Command::SuspendJobs { jobs: vec![job] },
        2 => return Command::ResumeJobs { jobs: vec![job] },
        3 => return Command::ResumeJobs { jobs: story.jobs.keys().copied().collect() },
        4 => return Command::ExecuteJob { job },
        5 => return Command::Suspend,
        6 => return Command::Resume,
        7 => JobOrder::SetRetries { retries: small, due: Some(due) },
        8 => JobOrder::SetDueDate { due, cascade: true },
        9 => JobOrder::RecalculateDueDate { from_creation: small > 3 },
        10 => JobOrder::MoveToDeadLetters,
        11 => JobOrder::MoveToExecutable { retries: small },
        _ => JobOrder::MoveTimerToExecutable,
    };
    Command::ManageJob { job, what, failure: None }
}

fn answer(_: &Invoke, number: u8) -> InvokeResult {
    match number {
        0 => InvokeResult::Done { variables: document("{}") },
        1..160 => InvokeResult::Done { variables: document(r#"{"n":3}"#) },
        160..210 => InvokeResult::Failed { message: "no line".into() },
        _ => InvokeResult::Error {
            code: "poor".into(),
            message: "no money".into(),
            variables: document(r#"{"left":1}"#),
        },
    }
}

fn interpret(run: &mut Run, story: &mut Story, number: Option<u8>) -> Result<Outcome, Rejection> {
    loop {
        match run.advance(&mut story.keys, &Registered(&story.delegates)) {
            Progress::Done(outcome) => return Ok(*outcome),
            Progress::Rejected(rejection) => return Err(rejection),
            Progress::Need(need) => panic!("one process needs no {need:?}"),
            Progress::Invoke(invoke) => {
                let number = number.expect("nothing new is called when a command is repeated");
                run.resume(answer(&invoke, number));
            }
        }
    }
}

fn play(story: &mut Story, command: Command, number: u8) {
    let (record, keys) = (story.record.clone(), story.keys.clone());
    let mut run = Run::begin(story.input(command.clone()));
    let first = interpret(&mut run, story, Some(number));

    let mut run = run.again(record.clone(), story.now);
    let repeated = interpret(&mut run, story, None);
    assert_eq!(format!("{first:?}"), format!("{repeated:?}"), "with what was already answered");

    story.keys = keys;
    let mut run = Run::begin(story.input(command));
    let fresh = interpret(&mut run, story, Some(number));
    assert_eq!(format!("{first:?}"), format!("{fresh:?}"), "equal input gives equal output");

    match first {
        Ok(outcome) => {
            // All that a person or a program could read must be printable.
            let _ = story.names.outcome(&outcome);
            story.keep(outcome);
        }
        Err(_) => assert_eq!(story.record, record),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_the_promises_hold(
        dialect in 0..3_u8,
        blocks in blocks(),
        deeds in proptest::collection::vec(any::<Deed>(), 1..40),
    ) {
        let mut story = Story::of(process(dialect, &blocks)).delegate("Work", &[]);
        for deed in deeds {
            if story.record.is_none() {
                let instance = orloj_types::InstanceKey::new(story.keys.next(story.now));
                let start = Command::Start(crate::Start {
                    instance,
                    definition: orloj_types::DefinitionKey::new(1),
                    tenant: orloj_types::TenantId::none(),
                    business_key: None,
                    variables: document(r#"{"n":1}"#),
                    awaited_by: None,
                    started_with: None,
                    at: None,
                    before: Vec::new(),
                    tags: Arc::default(),
                    stops_after: Vec::new(),
                });
                play(&mut story, start, deed.2);
            }
            if story.record.is_some() {
                let command = command(&story, deed);
                play(&mut story, command, deed.2);
            }
            story.pass(i64::from(deed.1) * 200);
        }
    }

    /// When everybody does what is asked, every instance ends.
    #[test]
    fn a_willing_world_brings_every_instance_to_an_end(dialect in 0..3_u8, blocks in blocks()) {
        let mut story = Story::of(process(dialect, &sound(blocks))).delegate("Work", &[]);
        story.start(r#"{"n":9,"missing":1}"#);
        let mut steps = 0;
        story.pass(40 * 86_400_000);
        while let Some(command) = next_deed(&story) {
            play(&mut story, command, 0);
            story.pass(40 * 86_400_000);
            steps += 1;
            prop_assert!(steps < 1_000, "it goes on and on");
        }
        prop_assert!(story.record.is_none());
    }
}

/// Without the texts that are no times.
fn sound(blocks: Vec<Block>) -> Vec<Block> {
    let sound_ways = |ways: Vec<Vec<Block>>| ways.into_iter().map(sound).collect();
    let sound_block = |block| match block {
        Block::Wait("never" | "-PT1S") => Block::Wait("PT10S"),
        Block::Fork(ways) => Block::Fork(sound_ways(ways)),
        Block::Choice { value, has_default, ways } => {
            Block::Choice { value, has_default, ways: sound_ways(ways) }
        }
        other => other,
    };
    blocks.into_iter().map(sound_block).collect()
}

/// What the oldest token waits for. Boundary timers do not fire: a branch that is interrupted
/// leaves its join waiting for ever, as BPMN wants it.
fn next_deed(story: &Story) -> Option<Command> {
    let variables = document("{}");
    let elements = story.record.as_ref()?.elements.iter();
    let task = elements.clone().find_map(|e| e.user_task);
    let mut jobs = elements.flat_map(|e| {
        let is_own =
            |job: &&Job| !matches!(&job.kind, JobKind::Timer { event, .. } if *event != e.element);
        e.jobs.iter().filter(is_own)
    });
    let job = jobs.find_map(|job| match (job.state, &job.kind) {
        (JobState::Ready, JobKind::Worker) => Some(Command::CompleteJob {
            result: crate::JobResult::None,
            job: job.key,
            variables: variables.clone(),
            activations: Vec::new(),
        }),
        (JobState::Ready, _) => Some(Command::RunJob { job: job.key }),
        (JobState::Waiting, _) if job.due_at <= Some(story.now) => {
            Some(Command::JobDue { job: job.key, at_once: true })
        }
        _ => None,
    });
    job.or(task.map(|task| Command::CompleteUserTask { task, variables }))
}
