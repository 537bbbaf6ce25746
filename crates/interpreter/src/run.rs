//! One command at work: interpreted until it needs foreign code or is done.

use std::sync::Arc;

use orloj_model::Process;
use orloj_types::{
    ElementId, ElementInstanceKey, InstanceKey, JobKey, KeyBlock, KeyGenerator, Timestamp,
};
use smallvec::{SmallVec, smallvec};

use crate::answers::Answers;
use crate::beans::BeanCalls;
use crate::command::{Command, Rejection};
use crate::failure::{Failure, Stop};
use crate::invoke::{Delegates, Invoke, InvokeResult, InvokeResults, Yield};
use crate::need::{Need, Supply};
use crate::outcome::{Event, Outcome};
use crate::record::Record;
use crate::settings::JobSettings;
use crate::turn::Turn;
use crate::work::{Beginning, Work};
use crate::{commands, exclusive, jobs, retries};

/// What a command is interpreted against.
#[derive(Clone)]
pub struct Input {
    pub process: Arc<Process>,
    /// `None` only for [`Command::Start`].
    pub record: Option<Arc<Record>>,
    pub command: Command,
    pub now: Timestamp,
    /// Rewound when an earlier attempt was lost, so that keys repeat.
    pub keys: KeyBlock,
    /// Results of an earlier attempt, used before foreign code is called again.
    pub results: InvokeResults,
    /// What operators have set about jobs.
    pub settings: Arc<JobSettings>,
}

#[derive(Debug)]
pub enum Progress {
    /// Call this, then [`Run::resume`].
    Invoke(Invoke),
    /// Find this, then [`Run::supply`].
    Need(Need),
    Done(Box<Outcome>),
    Rejected(Rejection),
}

/// One call of foreign code, among those of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallName(ElementInstanceKey, u32, ElementId);

/// One command being interpreted.
///
/// [`Run::advance`] goes on until foreign code is needed, answered by [`Run::resume`], or until
/// the command is done or refused. When the outcome loses the race against another command of the
/// instance, [`Run::again`] repeats it on the fresh record with the same keys and with the results
/// foreign code has already given.
#[derive(Debug)]
pub struct Run {
    /// First the one of the command's own instance, then those asked for.
    processes: SmallVec<[Arc<Process>; 1]>,
    command: Command,
    now: Timestamp,
    block: KeyBlock,
    answers: Answers,
    settings: Arc<JobSettings>,
    instance: InstanceKey,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    Fresh(Option<Arc<Record>>),
    Paused(Pause),
    Ended,
}

/// What is kept while the answer is found.
#[derive(Debug)]
struct Pause {
    work: Box<Work>,
    waits_for: WaitsFor,
}

#[derive(Debug)]
enum WaitsFor {
    /// Which invoke is to be answered.
    Result {
        element_instance: ElementInstanceKey,
        ordinal: u32,
        element: ElementId,
    },
    Supply(Box<Need>),
    /// It has been answered.
    Nothing,
}

impl Run {
    pub fn begin(input: Input) -> Self {
        let instance = match (&input.command, &input.record) {
            (Command::Start(start), _) => start.instance,
            (_, Some(record)) => record.instance,
            (_, None) => InstanceKey::default(),
        };
        let mut processes = smallvec![input.process];
        if let Command::Migrate(migrate) = &input.command {
            processes.push(migrate.target.clone());
        }
        Self {
            processes,
            command: input.command,
            now: input.now,
            block: input.keys,
            answers: input.results.into(),
            settings: input.settings,
            instance,
            stage: Stage::Fresh(input.record),
        }
    }

    /// From here on these settings hold: what has been decided stays decided.
    pub fn under(&mut self, settings: &Arc<JobSettings>) {
        if !Arc::ptr_eq(&self.settings, settings) {
            self.settings = settings.clone();
        }
    }

    /// The job whose lock must be held while this command calls foreign code, and when its
    /// outcome is committed.
    pub fn lock_needed(&self) -> Option<JobKey> {
        match self.command {
            Command::RunJob { job } => Some(job),
            _ => None,
        }
    }

    /// # Panics
    /// When the run has ended, or its invoke has not been answered.
    pub fn advance(&mut self, keys: &mut KeyGenerator, delegates: &dyn Delegates) -> Progress {
        match std::mem::replace(&mut self.stage, Stage::Ended) {
            Stage::Fresh(record) => self.start(record, keys, delegates),
            Stage::Paused(pause) => {
                let is_answered = matches!(pause.waits_for, WaitsFor::Nothing);
                assert!(is_answered, "what a run waits for is answered before it goes on");
                self.go_on(pause.work, keys, delegates)
            }
            Stage::Ended => panic!("a run that has ended goes no further"),
        }
    }

    /// The answer to the invoke that [`Run::advance`] gave.
    ///
    /// # Panics
    /// When no invoke waits for an answer.
    pub fn resume(&mut self, result: InvokeResult) {
        let Stage::Paused(pause) = &mut self.stage else {
            panic!("only an invoke is answered");
        };
        match std::mem::replace(&mut pause.waits_for, WaitsFor::Nothing) {
            WaitsFor::Result { element_instance, ordinal, element } => {
                self.answers.put(element_instance, ordinal, element, result);
            }
            _ => panic!("an invoke is answered once"),
        }
    }

    /// The call that an invoke waits for the answer of.
    pub fn call_at_work(&self) -> Option<CallName> {
        let Stage::Paused(pause) = &self.stage else { return None };
        match &pause.waits_for {
            WaitsFor::Result { element_instance, ordinal, element } => {
                Some(CallName(*element_instance, *ordinal, element.clone()))
            }
            _ => None,
        }
    }

    /// Whether the answer to a call has become part of the outcome.
    pub fn has_used(&self, call: &CallName) -> bool {
        self.answers.is_used(call.0, call.1, &call.2)
    }

    /// The call is answered otherwise when the command is interpreted [again](Run::again): what it
    /// said it would do could not be done.
    pub fn overrule(&mut self, call: CallName, result: InvokeResult) {
        self.answers.put(call.0, call.1, call.2, result);
    }

    /// The answer to the need that [`Run::advance`] gave.
    ///
    /// # Panics
    /// When no need waits for an answer, or for one of another kind.
    pub fn supply(&mut self, supply: Supply) {
        let Stage::Paused(pause) = &mut self.stage else {
            panic!("only a need is supplied");
        };
        let waits_for = std::mem::replace(&mut pause.waits_for, WaitsFor::Nothing);
        let WaitsFor::Supply(need) = waits_for else {
            panic!("a need is supplied once");
        };
        let work = &mut pause.work;
        match (*need, supply) {
            (Need::Definition(called), Supply::Definition(found)) => {
                let found = found.map(|(key, process)| {
                    self.processes.push(process);
                    (key, self.processes.len() - 1)
                });
                work.called.push((called, found));
            }
            (Need::Instance(instance), Supply::Instance(found)) => match found {
                Some((process, record)) => {
                    let record = Box::new(Arc::unwrap_or_clone(record));
                    work.join(record, &process, self.processes.len(), false);
                    self.processes.push(process);
                }
                None => {
                    work.absent.insert(instance);
                }
            },
            (Need::Asset(wanted), Supply::Asset(found)) => {
                work.assets.insert(wanted, found);
            }
            _ => panic!("a need is supplied with what it asks for"),
        }
    }

    /// After a lost race: the same command on a fresh record, with the keys and results of this
    /// attempt.
    pub fn again(mut self, record: Option<Arc<Record>>, now: Timestamp) -> Self {
        self.block = self.block.rewound();
        self.answers.reset();
        let own = if matches!(self.command, Command::Migrate(_)) { 2 } else { 1 };
        self.processes.truncate(own);
        Self { now, stage: Stage::Fresh(record), ..self }
    }

    fn start(
        &mut self,
        record: Option<Arc<Record>>,
        keys: &mut KeyGenerator,
        delegates: &dyn Delegates,
    ) -> Progress {
        let is_new = matches!(self.command, Command::Start(_));
        let record = match &self.command {
            Command::Start(start) => Some(Arc::new(commands::first_record(start, self.now))),
            _ => record,
        };
        let Some(record) = record else {
            return Progress::Rejected(Rejection::gone(&self.command, self.instance));
        };
        debug_assert!(exclusive::holds(&record), "what was written is what was promised");
        // A run that fails a job goes back to the record as it was.
        let before = self.command.job_run().map(|_| record.clone());
        let record = Box::new(Arc::unwrap_or_clone(record));
        let mut work = Box::new(Work::new(record, &self.processes[0], is_new));
        work.before = before;
        self.go_on(work, keys, delegates)
    }

    /// Does what the work begins with. `None`: it goes on.
    fn begin_work(
        &mut self,
        work: &mut Box<Work>,
        keys: &mut KeyGenerator,
        delegates: &dyn Delegates,
    ) -> Option<Progress> {
        let mut turn = self.turn(work, keys, delegates);
        match std::mem::replace(&mut turn.work.beginning, Beginning::Over) {
            Beginning::Over => None,
            Beginning::Ready(job) => {
                jobs::make_ready(&mut turn, job);
                None
            }
            Beginning::Failed(job, failure) => {
                retries::fail(&mut turn, job, *failure);
                None
            }
            Beginning::Command => match commands::begin(&mut turn) {
                Ok(()) => None,
                Err(Stop::Rejected(rejection)) => Some(Progress::Rejected(rejection)),
                Err(Stop::Failed(failure)) => Some(self.fail(work, failure, keys, delegates)),
            },
        }
    }

    fn go_on(
        &mut self,
        mut work: Box<Work>,
        keys: &mut KeyGenerator,
        delegates: &dyn Delegates,
    ) -> Progress {
        if !matches!(work.beginning, Beginning::Over) {
            if let Some(root) = exclusive::root_missing(&self.settings, &work) {
                return self.ask(work, Need::Instance(root));
            }
            if let Some(progress) = self.begin_work(&mut work, keys, delegates) {
                return progress;
            }
        }
        match self.turn(&mut work, keys, delegates).walk() {
            Ok(None) => {
                if work.failed.is_none() {
                    for element_instance in self.answers.unused() {
                        work.changes.event(Event::ResultDropped { element_instance });
                    }
                }
                Progress::Done(work.outcome(&self.processes))
            }
            Ok(Some(Yield::Invoke(invoke))) => self.pause(work, invoke, keys, delegates),
            Ok(Some(Yield::Need(need))) => self.ask(work, need),
            Err(failure) => self.fail(&mut work, failure, keys, delegates),
        }
    }

    fn ask(&mut self, work: Box<Work>, need: Need) -> Progress {
        let waits_for = WaitsFor::Supply(Box::new(need.clone()));
        self.stage = Stage::Paused(Pause { work, waits_for });
        Progress::Need(need)
    }

    fn pause(
        &mut self,
        mut work: Box<Work>,
        invoke: Invoke,
        keys: &mut KeyGenerator,
        delegates: &dyn Delegates,
    ) -> Progress {
        if let Command::JobDue { job, .. } = self.command
            && let Some(before) = work.before.take()
        {
            // Nobody holds the job's lock yet, so no foreign code may run.
            return self.instead(before, Beginning::Ready(job), keys, delegates);
        }
        let waits_for = WaitsFor::Result {
            element_instance: invoke.element_instance,
            ordinal: invoke.ordinal,
            element: invoke.element.clone(),
        };
        self.stage = Stage::Paused(Pause { work, waits_for });
        Progress::Invoke(invoke)
    }

    /// Undoes what was done. The job at work loses a retry; without one the caller hears of it.
    fn fail(
        &mut self,
        failed: &mut Work,
        failure: Failure,
        keys: &mut KeyGenerator,
        delegates: &dyn Delegates,
    ) -> Progress {
        let (Some(job), Some(before)) = (self.command.job_run(), failed.before.take()) else {
            return Progress::Rejected(failure.rejection());
        };
        if let Some(needs) = failure.needs {
            // The command could not begin yet.
            let process = &self.processes[0];
            let mut work = Box::new(Work::new(Box::new(Record::clone(&before)), process, false));
            work.before = Some(before);
            return match *needs {
                Yield::Need(need) => self.ask(work, need),
                Yield::Invoke(invoke) => self.pause(work, invoke, keys, delegates),
            };
        }
        let beginning = Beginning::Failed(job, Box::new(failure));
        self.instead(before, beginning, keys, delegates)
    }

    /// What was done is undone, and something else is done instead.
    fn instead(
        &mut self,
        before: Arc<Record>,
        beginning: Beginning,
        keys: &mut KeyGenerator,
        delegates: &dyn Delegates,
    ) -> Progress {
        let record = Box::new(Arc::unwrap_or_clone(before));
        let mut work = Box::new(Work::new(record, &self.processes[0], false));
        work.beginning = beginning;
        self.go_on(work, keys, delegates)
    }

    fn turn<'a>(
        &'a mut self,
        work: &'a mut Work,
        keys: &'a mut KeyGenerator,
        delegates: &'a dyn Delegates,
    ) -> Turn<'a> {
        let (_, process) = work.at();
        Turn {
            process: &self.processes[process],
            processes: &self.processes,
            command: &self.command,
            now: self.now,
            delegates,
            keys,
            block: &mut self.block,
            answers: &self.answers,
            settings: &self.settings,
            beans: BeanCalls::default(),
            work,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Registered, Sketch, Story, delegate, document, start, user, xor};
    use crate::{Command, InvokeResult, Progress, Record, Rejection, Run};

    fn chain() -> Story {
        let process = Sketch::camunda()
            .node("start", start())
            .node("first", delegate("First"))
            .node("gate", xor())
            .node("second", delegate("Second"))
            .node("third", delegate("Third"))
            .node("ask", user())
            .flows("start -> first -> gate")
            .flow_if("gate", "second", "n < 10")
            .default_flow("gate", "third")
            .flows("second -> ask")
            .flows("third -> ask")
            .async_before("first");
        let mut story = Story::of(process.build())
            .delegate("First", &[])
            .delegate("Second", &[InvokeResult::Done { variables: document(r#"{"s":2}"#) }])
            .delegate("Third", &[]);
        story.start(r#"{"n":1}"#);
        story
    }

    /// Goes on to the end; the answer is what was called on the way.
    fn finish(run: &mut Run, story: &mut Story) -> (Vec<String>, Progress) {
        let mut called = Vec::new();
        loop {
            match run.advance(&mut story.keys, &Registered(&story.delegates)) {
                Progress::Invoke(invoke) => {
                    called.push(invoke.callee.name().to_string());
                    run.resume(story.answer(&invoke));
                }
                end => return (called, end),
            }
        }
    }

    #[test]
    fn a_lost_race_costs_no_foreign_call_and_changes_nothing() {
        let mut story = chain();
        let command = Command::RunJob { job: story.job_of("first") };
        let mut run = Run::begin(story.input(command));
        assert_eq!(run.lock_needed(), Some(story.job_of("first")));
        let (called, first) = finish(&mut run, &mut story);
        assert_eq!(called, ["First", "Second"]);
        let mut run = run.again(story.record.clone(), story.now);
        let (called, second) = finish(&mut run, &mut story);
        assert!(called.is_empty());
        assert_eq!(format!("{first:?}"), format!("{second:?}"));
    }

    #[test]
    fn on_another_way_only_new_code_is_called_and_what_fits_nowhere_is_dropped() {
        let mut story = chain();
        let command = Command::RunJob { job: story.job_of("first") };
        let mut run = Run::begin(story.input(command));
        finish(&mut run, &mut story);
        let mut record = Record::clone(story.record.as_ref().expect("it lives"));
        let root = record.instance.root_scope();
        record.variables.insert(root, document(r#"{"n":20}"#).0);
        let mut run = run.again(Some(record.into()), story.now);
        let (called, end) = finish(&mut run, &mut story);
        assert_eq!(called, ["Third"], "the result of another element is not taken for its own");
        let Progress::Done(outcome) = end else { panic!("it is done") };
        insta::assert_snapshot!(story.names.outcome(&outcome), @r#"
        job1 completed
        entered first
        left first
        entered gate
        left gate
        entered third
        left third
        entered ask
        result dropped of third
        --
        delete job1
        insert task1 ask priority 50
        at ask task1
        instance: {"n":20}
        "#);
    }

    #[test]
    fn a_result_whose_token_is_gone_is_noted() {
        let mut story = chain();
        let command = Command::RunJob { job: story.job_of("first") };
        let mut run = Run::begin(story.input(command));
        finish(&mut run, &mut story);
        // Meanwhile the model's condition leads to where nothing is called.
        let mut record = Record::clone(story.record.as_ref().expect("it lives"));
        let key = record.elements.iter().next().expect("a token").key;
        record.elements.get_mut(key).expect("a token").element = "gate".into();
        let mut run = run.again(Some(record.into()), story.now);
        let (_, end) = finish(&mut run, &mut story);
        let Progress::Done(outcome) = end else { panic!("it is done") };
        let dropped =
            outcome.events.iter().filter(|e| matches!(e, crate::Event::ResultDropped { .. }));
        assert_eq!(dropped.count(), 2);
    }

    #[test]
    fn when_the_instance_is_gone_so_is_the_job() {
        let mut story = chain();
        let job = story.job_of("first");
        let run = Run::begin(story.input(Command::RunJob { job }));
        let mut run = run.again(None, story.now);
        let (_, end) = finish(&mut run, &mut story);
        assert!(matches!(end, Progress::Rejected(Rejection::JobNotFound(gone)) if gone == job));
    }

    #[test]
    fn runs_can_move_between_threads() {
        fn is_send<T: Send>() {}
        is_send::<Run>();
    }

    #[test]
    fn a_job_of_the_engine_is_no_job_to_a_worker_and_the_other_way_round() {
        let mut story = chain();
        let job = story.job_of("first");
        let told = story.complete("first", "{}");
        assert_eq!(told, format!("rejected: no job {}", "job1"));
        assert_eq!(story.jobs.len(), 1);
        story.delegates.clear();
        story.play(Command::RunJob { job });
        let worker = story.job_of("first");
        assert_eq!(
            story.interpret(Command::RunJob { job: worker }).map(|_| ()),
            Err(Rejection::JobNotFound(worker))
        );
    }
}
