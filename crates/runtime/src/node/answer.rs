//! What a node remembers while it waits for answers.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_executor::TakerId;
use orloj_interpreter::Activation;
use orloj_store::{BroadcastKey, Fit, MessageKey, Notice};
use orloj_types::{DeploymentKey, Document, InstanceKey, JobKey, NodeNumber, Timestamp};
use rustc_hash::FxHashMap;

use super::event::{JobCommand, RequestId};
use crate::api::{ActivatedJob, PublishMessage};

/// What a question to the store was asked for.
#[derive(Debug)]
pub(crate) enum Question {
    EngineAcquire {
        limit: usize,
        /// The version of the settings it was asked under.
        settings: i64,
    },
    /// How often a job that is to be given back has been locked.
    GiveBack {
        job: JobKey,
    },
    WorkerAcquire {
        job_type: Arc<str>,
        taker: TakerId,
        mark: u64,
        limit: usize,
        settings: i64,
    },
    /// What is set in the store.
    Settings,
    /// Ready jobs that perhaps no live node takes.
    Untaken,
    /// Ready jobs that perhaps this node does not take, while others wait for them.
    Blocking,
    /// Those that wait for such a one.
    Parked {
        holder: JobKey,
    },
    SettleTenants {
        deployments: Vec<DeploymentKey>,
    },
    Job {
        id: RequestId,
        job: JobKey,
        command: JobCommand,
    },
    Incident {
        id: RequestId,
        incident: orloj_types::IncidentKey,
    },
    UserTask {
        id: RequestId,
        task: orloj_types::UserTaskKey,
        variables: Document,
    },
    Scope {
        id: RequestId,
        scope: orloj_types::ElementInstanceKey,
        variables: Document,
        local: bool,
    },
    Ended {
        id: RequestId,
        instance: InstanceKey,
    },
    Trigger {
        id: RequestId,
        subscription: orloj_types::SubscriptionKey,
        variables: Document,
    },
    Publish {
        id: RequestId,
        message: Box<PublishMessage>,
    },
    Correlate {
        message: MessageKey,
    },
    /// What fits now; not again what was refused.
    Channel {
        tries: u8,
        refused: Option<Fit>,
    },
    Fits,
    ExpireMessages,
    Broadcasts,
    /// A chore that someone wants done now.
    RunChore {
        id: RequestId,
        job: JobKey,
    },
    /// What a chore needs to know.
    Chore {
        job: JobKey,
    },
    Suspension {
        number: u64,
    },
    /// Of an errand.
    Receivers {
        broadcast: BroadcastKey,
    },
}

impl Question {
    /// Who waits for the answer, if it is not the node itself.
    pub fn asked_by(&self) -> Option<RequestId> {
        match self {
            Self::Job { id, .. }
            | Self::RunChore { id, .. }
            | Self::Incident { id, .. }
            | Self::UserTask { id, .. }
            | Self::Scope { id, .. }
            | Self::Ended { id, .. }
            | Self::Trigger { id, .. }
            | Self::Publish { id, .. } => Some(*id),
            Self::EngineAcquire { .. }
            | Self::GiveBack { .. }
            | Self::WorkerAcquire { .. }
            | Self::Settings
            | Self::Untaken
            | Self::Blocking
            | Self::Parked { .. }
            | Self::SettleTenants { .. }
            | Self::Correlate { .. }
            | Self::Channel { .. }
            | Self::Fits
            | Self::ExpireMessages
            | Self::Chore { .. }
            | Self::Suspension { .. }
            | Self::Broadcasts
            | Self::Receivers { .. } => None,
        }
    }

    /// Whether the answer may let another exclusive job go first.
    pub fn is_about_turns(&self) -> bool {
        matches!(self, Self::Blocking | Self::Parked { .. })
    }

    /// The version of the settings that an acquisition was asked under.
    pub fn settings(&self) -> Option<i64> {
        match self {
            Self::EngineAcquire { settings, .. } | Self::WorkerAcquire { settings, .. } => {
                Some(*settings)
            }
            _ => None,
        }
    }

    /// Whether the node itself wants to know, to correlate something.
    pub fn is_correlation(&self) -> bool {
        matches!(self, Self::Correlate { .. } | Self::Channel { .. } | Self::Fits)
    }
}

/// A poll and the jobs gathered for it.
#[derive(Debug)]
pub(crate) struct PollState {
    pub id: RequestId,
    pub jobs: Vec<ActivatedJob>,
    pub bytes: usize,
    pub bytes_max: usize,
    /// Acquired jobs whose variables are still being read.
    pub expected: usize,
    /// Answer at once if there is nothing.
    pub at_once: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct KnownJob {
    pub instance: InstanceKey,
    pub job_type: Arc<str>,
    pub activations: Vec<Activation>,
}

/// How many jobs each of the two generations holds.
const GENERATION_JOBS_MAX: usize = 32_768;

/// Jobs handed out by this node, so that their completion needs no look-up. Two generations: the
/// older one is dropped when the newer is full, so memory stays bounded whatever clients do.
#[derive(Debug, Default)]
pub(crate) struct KnownJobs {
    newer: FxHashMap<JobKey, KnownJob>,
    older: FxHashMap<JobKey, KnownJob>,
}

impl KnownJobs {
    pub fn insert(&mut self, key: JobKey, job: KnownJob) {
        if self.newer.len() >= GENERATION_JOBS_MAX {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(key, job);
    }

    pub fn get(&self, key: JobKey) -> Option<&KnownJob> {
        self.newer.get(&key).or_else(|| self.older.get(&key))
    }

    pub fn remove(&mut self, key: JobKey) {
        if self.newer.remove(&key).is_none() {
            self.older.remove(&key);
        }
    }

    pub fn clear(&mut self) {
        self.newer.clear();
        self.older.clear();
    }
}

/// Hints for the other nodes, gathered between two flushes.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    pub joined: bool,
    pub types: BTreeSet<Arc<str>>,
    pub due_at: Option<Timestamp>,
    pub ended: Vec<(InstanceKey, NodeNumber)>,
    pub settings: Option<i64>,
}

impl Notices {
    pub fn take(&mut self) -> Vec<Notice> {
        let mut notices = Vec::new();
        notices.extend(std::mem::take(&mut self.joined).then_some(Notice::Joined));
        if !self.types.is_empty() {
            let types = std::mem::take(&mut self.types).into_iter().collect();
            notices.push(Notice::JobsReady { types });
        }
        notices.extend(self.due_at.take().map(Notice::DueAt));
        notices.extend(self.settings.take().map(Notice::Settings));
        let ended = self.ended.drain(..);
        notices.extend(ended.map(|(instance, node)| Notice::InstanceEnded { instance, node }));
        notices
    }
}
