//! The loop: deploy, start, then act on whatever waits.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use orloj_model::ParseHook;
use orloj_script::ScriptHost;
use orloj_types::Timestamp;

use crate::calls::Programs;
use crate::candidates::{Act, Choice, Failures, choose};
use crate::json::EPOCH;
use crate::keeper::Keeper;
use crate::order::{DocumentOrder, Subject};
use crate::run::{Engine, Pass, Run};
use crate::stubs::Stubs;
use crate::trace::{Played, Step, Stop, Trace};
use crate::wait::Wait;
use crate::watch::Watch;
use crate::world::{Failed, File, How, Refusal, World};

/// The start is not among them.
const ACTIONS_MAX: u32 = 60;
const CLOCK_MOVES_MAX: u32 = 20;
/// What workers throw where the subject names no error.
const ERROR_CODE: &str = "E";

/// What all runs share: stubs and somebody who runs scripts.
pub struct Stage {
    stubs: Arc<Stubs>,
    programs: Arc<Programs>,
    keeper: Option<Arc<dyn Keeper>>,
    hooks: Vec<Arc<dyn ParseHook>>,
}

#[derive(Debug, thiserror::Error)]
pub enum StageError {
    #[error("no runtime for scripts: {0}")]
    Runtime(#[from] std::io::Error),
}

impl Stage {
    /// Without a host there is no JavaScript.
    pub fn new(stubs: Stubs, host: Option<ScriptHost>) -> Result<Self, StageError> {
        let programs = Arc::new(Programs::new(host)?);
        Ok(Self { stubs: Arc::new(stubs), programs, keeper: None, hooks: Vec::new() })
    }

    /// Changes every model as it is read.
    #[must_use]
    pub fn with_hook(mut self, hook: impl ParseHook + 'static) -> Self {
        self.hooks.push(Arc::new(hook));
        self
    }

    /// Records are kept there between two steps.
    #[must_use]
    pub fn kept_by(mut self, keeper: Arc<dyn Keeper>) -> Self {
        self.keeper = Some(keeper);
        self
    }

    /// Plays the run to its end, however long that takes. [`play_one`](crate::play_one) gives it
    /// a limit and survives a panic.
    pub fn play(&self, run: &Run) -> Trace {
        self.play_watched(run, &Watch::default())
    }

    pub(crate) fn play_watched(&self, run: &Run, watch: &Watch) -> Trace {
        match read_files(run) {
            Ok(files) => self.play_files(run, &files, watch),
            Err(why) => Trace::failed(&run.id, run.engine, why),
        }
    }

    /// As [`Stage::play`], with the files at hand; those that the run names are not read.
    pub fn play_here(&self, run: &Run, files: &[File]) -> Trace {
        self.play_files(run, files, &Watch::default())
    }

    fn play_files(&self, run: &Run, files: &[File], watch: &Watch) -> Trace {
        let mut world = self.empty_world(run.engine, watch);
        match world.deploy(files) {
            Ok(_) => {}
            Err(Refusal::Rejected(why)) => return Trace::rejected(&run.id, run.engine, why),
            Err(Refusal::Unsupported(why)) => return Trace::failed(&run.id, run.engine, why),
        }
        match Rehearsal::new(run, files, world).play() {
            Ok((stop, played)) => Trace::played(&run.id, run.engine, stop, played),
            Err(why) => Trace::failed(&run.id, run.engine, why),
        }
    }

    /// A world in which nothing is deployed yet.
    pub fn world(&self, engine: Engine) -> World {
        self.empty_world(engine, &Watch::default())
    }

    fn empty_world(&self, engine: Engine, watch: &Watch) -> World {
        let world = World::new(engine, self.stubs.clone(), self.programs.clone(), watch.clone());
        world.kept_by(self.keeper.clone()).with_hooks(&self.hooks)
    }
}

fn read_files(run: &Run) -> Result<Vec<File>, String> {
    let read = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = fs::read(path).map_err(|error| format!("cannot read {name}: {error}"))?;
        Ok(File { name, bytes })
    };
    let files = run.files.iter().map(read).collect::<Result<Vec<_>, String>>()?;
    if files.is_empty() { Err("the run has no files".to_owned()) } else { Ok(files) }
}

/// One run at work.
struct Rehearsal<'a> {
    run: &'a Run,
    world: World,
    order: DocumentOrder,
    /// What workers throw in the pass `error`; Flowable's throw an error without code.
    error_code: Option<Arc<str>>,
    failures: Failures,
    failed_once: BTreeSet<Arc<str>>,
    steps: Vec<Step>,
    clock_moves: u32,
}

impl<'a> Rehearsal<'a> {
    fn new(run: &'a Run, files: &[File], world: World) -> Self {
        let subject = files.first().map(|file| Subject::of(&file.bytes)).unwrap_or_default();
        let error_code = match subject.error_code {
            None if run.engine == Engine::Flowable => None,
            code => Some(code.as_deref().unwrap_or(ERROR_CODE).into()),
        };
        Self {
            run,
            world,
            order: DocumentOrder::of(files.iter().map(|file| &*file.bytes)),
            error_code,
            failures: Failures::default(),
            failed_once: BTreeSet::new(),
            steps: Vec::new(),
            clock_moves: 0,
        }
    }

    fn play(mut self) -> Result<(Stop, Played), String> {
        let starts = self.world.starts();
        if let Some(process) = &self.run.start {
            let variables = self.run.variables().map_err(|error| error.to_string())?;
            let (act, started) = match self.world.start_by(process, &self.run.start_by) {
                Ok(start) => (start.words(), self.world.start_with(process, start, variables)),
                Err(failed) => ("start".to_owned(), Err(failed)),
            };
            self.step(&act, process, started.err())?;
        }
        let stop = self.act_until_done()?;
        let played = Played {
            starts,
            steps: self.steps,
            instances: self.world.instances(),
            activities: self.world.activities(),
            variables: self.world.variables(),
            jobs: self.world.jobs(),
            incidents: self.world.incidents(),
            reasons: self.world.incident_reasons(),
            unstable: Vec::new(),
        };
        Ok((stop, played))
    }

    fn act_until_done(&mut self) -> Result<Stop, String> {
        for action in 0.. {
            let waits = self.world.waits();
            let now = self.world.now();
            let choice = choose(&waits, self.run.pass, now, &self.order, &self.failures);
            let Some(choice) = choice else { break };
            let is_late = choice.act == Act::Clock && self.clock_moves == CLOCK_MOVES_MAX;
            if action == ACTIONS_MAX || is_late {
                return Ok(Stop::Limit);
            }
            self.perform(&choice)?;
        }
        Ok(Stop::Quiescent)
    }

    fn perform(&mut self, choice: &Choice) -> Result<(), String> {
        if choice.act == Act::Clock {
            self.clock_moves += 1;
            self.world.set_clock(choice.clock_to);
            return self.step("clock", "", None);
        }
        let how = match choice.act {
            Act::Worker => self.worker_how(&choice.on),
            _ => How::Complete,
        };
        let done = self.world.act(&choice.on, &how);
        if done.is_err() {
            self.failures.count(choice.on.counted_as);
        }
        self.step(choice.act.word(), &choice.on.element, done.err())
    }

    fn worker_how(&mut self, wait: &Wait) -> How {
        match self.run.pass {
            Pass::Fail if self.failed_once.insert(wait.element.clone()) => How::FailOnce,
            Pass::Error => How::Throw(self.error_code.clone()),
            Pass::Forward | Pass::Reverse | Pass::Fail => How::Complete,
        }
    }

    /// Writes down what has just happened.
    fn step(&mut self, act: &str, element: &str, failed: Option<Failed>) -> Result<(), String> {
        if self.world.is_given_up() {
            return Err("given up".to_owned());
        }
        let seen = self.world.take_seen();
        let mut waits: Vec<String> = self.world.waits().iter().map(Wait::to_string).collect();
        waits.sort();
        self.steps.push(Step {
            act: act.to_owned(),
            el: element.to_owned(),
            at: at(self.world.now()),
            error: failed.is_some(),
            why: failed.map(|failed| failed.to_string()),
            started: seen.started,
            ended: seen.ended,
            cancelled: seen.cancelled,
            waits,
        });
        Ok(())
    }
}

fn at(now: Timestamp) -> i64 {
    now.ms_since(EPOCH)
}
