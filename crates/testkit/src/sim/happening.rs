//! Everything that can happen in the world.

use std::sync::Arc;

use orloj::ActivatedJob;
use orloj::node::{Action, Event, RequestId};
use orloj_executor::TakerId;
use orloj_store::{Group, Lease};
use orloj_types::{IncidentKey, InstanceKey, JobKey, UserTaskKey};

/// One life of one node: what is meant for an earlier life reaches nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub node: usize,
    pub life: u64,
}

#[derive(Debug)]
pub(crate) enum Happening {
    /// Something reaches a node.
    Event {
        to: Place,
        event: Box<Event>,
    },
    Flush {
        of: Place,
    },
    Wake {
        of: Place,
    },
    /// A call of a node reaches the store.
    Call {
        from: Place,
        action: Box<Action>,
        fate: Fate,
    },
    /// A group whose answer was lost before it was decided.
    Undecided {
        group: Arc<Group>,
    },
    /// A store gives back what an acquisition took whose answer was lost: it promises that.
    GiveBack {
        lease: Lease,
        jobs: Vec<(JobKey, i32)>,
    },

    Crash {
        node: usize,
    },
    Restart {
        node: usize,
    },
    Pause {
        node: usize,
    },
    Resume {
        node: usize,
    },
    Jump {
        node: usize,
    },
    Outage,
    Drain {
        node: usize,
    },
    Deafness {
        node: usize,
    },
    /// Faults stop from here on.
    Quiet,

    ClientActs,
    /// Repairs what is broken and finishes what waits for people.
    JanitorActs,
    WorkerOpens {
        worker: usize,
    },
    WorkerCloses {
        worker: usize,
    },
    WorkerPolls {
        worker: usize,
    },
    WorkerGets {
        worker: usize,
        stream: TakerId,
        job: Box<ActivatedJob>,
    },
    WorkerActs {
        job: JobKey,
        retries: i32,
        how: HowDone,
    },
    /// A poll was not answered in time: its client goes away.
    PollGivenUp {
        worker: usize,
        request: RequestId,
    },
}

/// What becomes of a call to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Fine,
    /// It never arrives.
    RequestLost,
    /// It is done, and nobody hears of it.
    AnswerLost,
    /// The node dies as the store does it.
    CrashWithApply,
    /// The node dies when it has taken the answer and before it does anything about it.
    CrashWithAnswer,
}

/// How a worker ends a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HowDone {
    Complete,
    Fail { back_off_ms: i64 },
    Throw { code: &'static str },
    Extend,
}

/// What was asked of a node.
#[derive(Clone, Debug)]
pub(crate) enum Ask {
    Start { is_awaited: bool },
    Complete { job: JobKey },
    Fail { job: JobKey },
    Throw { job: JobKey },
    Retries,
    Resolve { incident: IncidentKey },
    UserTask { task: UserTaskKey },
    Variables { instance: InstanceKey, name: Arc<str> },
    Cancel { instance: InstanceKey },
    Poll { worker: usize },
    Publish { is_buffered: bool },
    Batch,
    Signal,
    Order,
}

#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub ask: Ask,
    pub place: Place,
    pub answer: Answered,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answered {
    NotYet,
    Done,
    /// By the rules: surely nothing was changed.
    Refused,
    /// The caller cannot know.
    Unknown,
}
