//! What a story says. Public, so that other depths can play the same stories.

use orloj::settings::Settings;
use orloj_types::Document;

use super::decision::Decision;
use super::engine::NodeTold;
use super::order::Managing;
use crate::sketch::Sketch;

#[derive(Clone, Debug)]
pub struct Story {
    pub title: String,
    /// The lines of the story, as written.
    pub lines: Vec<String>,
    /// Number of its first line in the file, counted from 1.
    pub first_line: usize,
    pub processes: Vec<Sketch>,
    pub decisions: Vec<Decision>,
    /// `engine WORDS, …`; `None`: as an engine is that is told nothing, with its executor on.
    pub settings: Option<Settings>,
    /// `node NAME WORDS, …`: further ones on the same store.
    pub nodes: Vec<NodeTold>,
    pub steps: Vec<Step>,
}

impl Story {
    /// Whether it can only be played where an engine can be started again on what was there.
    pub fn needs_restart(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.action, Action::Restart(Some(_))))
    }

    /// Whether it can only be played where several nodes share a store.
    pub fn needs_cluster(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// Delegates that the application has registered: those a `delegate` line names.
    pub fn delegates(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .steps
            .iter()
            .filter_map(|step| match &step.action {
                Action::Delegate { name, .. } => Some(name.as_str()),
                _ => None,
            })
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

#[derive(Clone, Debug)]
pub struct Step {
    /// Counted from 0 within the story.
    pub line: usize,
    pub action: Action,
    pub expectations: Vec<Expectation>,
}

/// Jobs are named by their type, those of the engine by their element (a timer's is its event).
/// Without `of INSTANCE` an action is about the instance that was started last.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `start PROCESS [version 1] [as NAME] [JSON]`
    Start {
        process: String,
        /// The latest unless it is named.
        version: Option<usize>,
        name: String,
        variables: Document,
    },
    /// `10m pass`: everything on the way happens at its own time.
    Pass {
        ms: i64,
    },
    /// `the clock jumps 10m`: nobody was awake in between.
    Jump {
        ms: i64,
    },
    /// `worker NAME takes TYPE [for 5m]`
    Take {
        worker: String,
        job_type: String,
        lock_ms: i64,
    },
    /// `worker NAME completes JOB [of INSTANCE] [JSON]`
    Complete {
        job: JobName,
        variables: Document,
    },
    /// `worker NAME fails JOB [of INSTANCE] leaving N retries [waiting 10s] ["MESSAGE"] [JSON]`
    Fail {
        job: JobName,
        retries: i32,
        back_off_ms: i64,
        message: String,
        variables: Document,
    },
    /// `worker NAME throws CODE on JOB [of INSTANCE] ["MESSAGE"] [JSON]`
    Throw {
        job: JobName,
        code: String,
        message: String,
        variables: Document,
    },
    /// `worker NAME extends JOB by 10m [of INSTANCE]`
    Extend {
        job: JobName,
        ms: i64,
    },
    /// `user completes ELEMENT [of INSTANCE] [JSON]`
    CompleteTask {
        element: String,
        of: Option<String>,
        variables: Document,
    },
    /// `set JSON [locally] [at ELEMENT] [of INSTANCE]`
    Set {
        variables: Document,
        local: bool,
        at: Option<String>,
        of: Option<String>,
    },
    /// `give JOB N retries [of INSTANCE]`
    Retries {
        job: JobName,
        retries: i32,
    },
    /// `resolve ELEMENT [of INSTANCE]`: the incident there.
    Resolve {
        element: String,
        of: Option<String>,
    },
    /// `publish MESSAGE [key "KEY"] [for 10m] [id ID] [JSON]`: without `for` only who waits gets it.
    Publish {
        name: String,
        key: String,
        ttl_ms: i64,
        id: Option<String>,
        variables: Document,
    },
    /// `correlate MESSAGE [JSON]`: exactly one gets it.
    Correlate {
        name: String,
        variables: Document,
    },
    /// `signal NAME [JSON]`
    Signal {
        name: String,
        variables: Document,
    },
    /// `ask conditions [of INSTANCE] [JSON]`: of those that hear nothing by themselves, after the
    /// variables are set.
    AskConditions {
        of: Option<String>,
        variables: Document,
    },
    /// `suspend [INSTANCE]`, `resume [INSTANCE]`
    Suspend {
        of: Option<String>,
    },
    Resume {
        of: Option<String>,
    },
    /// `migrate to PROCESS [of INSTANCE] [ELEMENT=ELEMENT …]`: the second of a pair is of the new
    /// process.
    Migrate {
        process: String,
        of: Option<String>,
        plan: Vec<(String, String)>,
    },
    /// `cancel [INSTANCE]`
    Cancel {
        of: Option<String>,
    },
    /// `delegate NAME[: BEHAVIOUR, …]`: registered, and what it does the next times it is called;
    /// beyond that it succeeds.
    Delegate {
        name: String,
        script: Vec<Behaviour>,
    },
    /// What an operator does; [`Managing`] and [`super::Order`] list the words.
    Manage(Managing),
    /// `restart [with WORDS, …]`: the engine stops and starts again on the same store, told what
    /// the words say instead of what it was told at the head of the story. Where there is nothing
    /// to start again from, it only goes by the new words.
    Restart(Option<Box<Settings>>),
    /// `look`
    Look,
}

#[derive(Clone, Debug, PartialEq)]
pub struct JobName {
    pub name: String,
    pub of: Option<String>,
    /// Who acts on it.
    pub worker: String,
}

/// `succeeds [JSON]`, `fails ["MESSAGE"]`, `gives up ["MESSAGE"]`, `throws CODE [JSON]`, each with `N times` at the end.
#[derive(Clone, Debug, PartialEq)]
pub enum Behaviour {
    Succeeds { variables: Document },
    Fails { message: String },
    GivesUp { message: String },
    Throws { code: String, variables: Document },
}

/// `[INSTANCE: ]WHAT`
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    pub of: Option<String>,
    pub what: What,
    /// As written.
    pub text: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// `nothing`: all is as it was before the step.
    Nothing,
    /// `token at ELEMENT`, `2 tokens at ELEMENT`, `no token at ELEMENT`
    Tokens { count: usize, element: String },
    /// `job JOB waits` (for someone to take it), `… gone`, `… locked by WORKER`, `… parked`,
    /// `… failed`, `… dead` (the same), `… suspended`, `… threw`, `… due in 10m`, `… due at DATE`, `… has 2 retries`,
    /// `… has priority 5`, `… has no due date`, `… has a due date`, `2 jobs JOB`; `each job JOB …`
    /// where there are several
    Job { name: String, is: JobIs },
    /// `instance lives`, `instance ended`, `instance ended at ELEMENT`, `instance cancelled`
    Instance(InstanceIs),
    /// `rejected`, `rejected: WORDS`
    Rejected(Option<String>),
    /// `variables JSON`: exactly these, on the instance itself or `at ELEMENT`
    Variables { variables: Document, at: Option<String> },
    /// `variable NAME = JSON`, `… at ELEMENT`
    Variable { name: String, value: String, at: Option<String> },
    /// `no variable NAME`, `… at ELEMENT`
    NoVariable { name: String, at: Option<String> },
    /// `incident at ELEMENT`, `incident KIND at ELEMENT`, `… saying "TEXT"`
    Incident { kind: Option<String>, element: String, says: Option<String> },
    /// `2 instances of PROCESS`: that there ever were
    Instances { count: usize, process: String },
    /// `no incident`
    NoIncident,
    /// `task at ELEMENT`, `no task at ELEMENT`
    Task { element: String, is_there: bool },
    /// `NAME called 2 times`: since the story began
    Called { delegate: String, times: usize },
    /// `NODE ran A B`: the delegates called there since the story began, in order
    Ran { node: String, delegates: Vec<String> },
    /// `job log JOB created failed failed completed`: all that is known of the jobs of that name
    JobLog { name: String, words: Vec<String> },
    /// `2 incidents ever`: that there were in the instance so far
    IncidentsEver(usize),
    /// `calls A B C`: all calls since the story began, in order
    Calls(Vec<String>),
    /// `got nothing`, `got JOB`, `got JOB with JSON`
    Got { job: Option<String>, variables: Option<Document> },
    /// `went start pay late`: every element entered so far, in order
    Went(Vec<String>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum JobIs {
    Waiting,
    Gone,
    LockedBy(String),
    Parked,
    Suspended,
    Failed,
    Threw,
    DueIn(i64),
    NeverDue,
    HasDueDate,
    DueAt(String),
    Retries(i32),
    Priority(i64),
    Count(usize),
    Each(Box<Self>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum InstanceIs {
    Alive,
    Ended,
    EndedAt(String),
    Cancelled,
}
