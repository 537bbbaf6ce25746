//! What operators do, as a story says it and as a depth is asked.

pub use orloj_interpreter::JobOrder;
use orloj_types::JobKey;

use super::ast::JobName;

/// What an operator does, in the words of the story.
#[derive(Clone, Debug, PartialEq)]
pub enum Managing {
    /// `prioritise JOB 5`, `execute JOB`, … each with `[of INSTANCE]` at the end
    Job { job: JobName, verb: JobVerb },
    /// Anything else names no job.
    Other(Order),
}

#[derive(Clone, Debug, PartialEq)]
pub enum JobVerb {
    /// `prioritise JOB 5`
    Prioritise(i64),
    /// `suspend job JOB`, `resume job JOB`
    Suspend,
    Resume,
    /// `execute JOB`: here and now, whatever holds it back
    Execute,
    /// `delete job JOB`
    Delete,
    /// `bury JOB`: to the dead letters
    Bury,
    /// `revive JOB with 3 retries`: from the dead letters
    Revive {
        retries: i32,
    },
    /// `due JOB in 10m [cascading]`, `due JOB now`, `due JOB never`
    Due {
        due: DueDate,
        cascade: bool,
    },
    /// `recalculate JOB [from its creation]`
    Recalculate {
        from_creation: bool,
    },
    /// `retries JOB 5 [due in 10m]`
    Retries {
        retries: i32,
        due: Option<DueDate>,
    },
    /// `fire JOB`: a timer before its time
    Fire,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DueDate {
    In(i64),
    Never,
}

/// What a depth is asked to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    Job {
        job: JobKey,
        what: JobOrder,
    },
    SuspendJob(JobKey),
    ResumeJob(JobKey),
    ExecuteJob(JobKey),
    /// `override ELEMENT [of PROCESS] to 9 [with jobs]`, `clear override ELEMENT [of PROCESS]`
    Override {
        of: ElementName,
        priority: Option<i64>,
        with_jobs: bool,
    },
    /// `suspend jobs of ELEMENT [of PROCESS] [only new] [in 10m]`, `resume jobs of …`
    JobsOf {
        of: ElementName,
        suspend: bool,
        with_jobs: bool,
        in_ms: Option<i64>,
    },
    /// `suspend process P [with instances] [in 10m]`, `resume process P …`
    Process {
        process: String,
        suspend: bool,
        with_instances: bool,
        in_ms: Option<i64>,
    },
    /// `revive all with 3 retries`: every dead letter of the engine; `delete all dead letters`
    DeadLetters {
        /// `None`: they are deleted.
        revive: Option<i32>,
    },
    /// `retries 3 for jobs of ELEMENT [of PROCESS]`: for those that have none left
    RetriesOf {
        of: ElementName,
        retries: i32,
    },
    /// `register P [version 1] [on NODE]`, `unregister P …`
    Registration {
        process: String,
        /// The latest unless it is named.
        version: Option<usize>,
        node: Option<String>,
        is_registered: bool,
    },
    /// `executor starts [on NODE]`, `executor stops [on NODE]`
    Executor {
        node: Option<String>,
        on: bool,
    },
}

/// An element whose jobs are meant: of the latest version of the process, of the first process of
/// the story unless one is named.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementName {
    pub element: String,
    pub process: Option<String>,
}
