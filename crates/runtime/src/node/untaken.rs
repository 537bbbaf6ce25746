//! Ready jobs that no live node takes, so that nobody wonders for long why they do not run.
//!
//! One node looks, rarely, and only while no live node takes everything.

use std::collections::{BTreeMap, BTreeSet};

use orloj_executor::not_taken_by;
use orloj_store::{JobRow, NodeProfile, NodeRow, Pulse};
use orloj_types::{DeploymentKey, JobKey, Timestamp};

use super::answer::Question;
use super::event::Find;
use super::{Node, Phase};

/// Between two looks.
const LOOK_MS: i64 = 10_000;
/// Jobs looked at; what the others need is the same most of the time.
pub(super) const LOOK_JOBS_MAX: u32 = 200;
/// Different reasons said in the log in one life.
const SAID_MAX: usize = 100;

#[derive(Debug, Default)]
pub(crate) struct Untaken {
    /// As of the last look.
    pub jobs: Vec<UntakenJobs>,
    nodes: Vec<NodeRow>,
    look_at: Timestamp,
    is_looking: bool,
    /// What nodes take has changed since the look that is under way began.
    is_outdated: bool,
    /// Reasons that the log has already.
    said: BTreeSet<String>,
}

/// Ready jobs that no live node takes, for one set of reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UntakenJobs {
    /// Of those looked at.
    pub jobs: u32,
    /// One of them.
    pub example: JobKey,
    /// Why each node leaves them, in words.
    pub reason: String,
}

impl Node {
    pub(super) fn look_for_untaken(&mut self, pulse: &Pulse) {
        let takes_all = |node: &NodeRow| {
            let NodeProfile { order, fires_timers, .. } = node.profile;
            node.profile == NodeProfile { order, fires_timers, ..NodeProfile::default() }
        };
        if !pulse.engine_jobs_ready || pulse.nodes.iter().any(takes_all) {
            self.untaken.jobs.clear();
            return;
        }
        let mut nodes = pulse.nodes.clone();
        // The store may not have been told yet.
        if let Some(own) = nodes.iter_mut().find(|node| node.session == self.lease.session) {
            let registered: Vec<_> = self.registered.keys().copied().collect();
            own.profile = self.config.executor.profile(&registered);
        }
        let profiles = |nodes: &[NodeRow]| -> Vec<NodeProfile> {
            nodes.iter().map(|node| node.profile.clone()).collect()
        };
        if profiles(&nodes) != profiles(&self.untaken.nodes) {
            self.forget_untaken();
        }
        let is_first = self.sessions.first() == Some(&self.lease.session);
        let is_time = self.now >= self.untaken.look_at && !self.untaken.is_looking;
        if !is_first || !is_time || self.phase != Phase::Running {
            return;
        }
        (self.untaken.is_looking, self.untaken.is_outdated) = (true, false);
        self.untaken.nodes = nodes;
        self.find(Question::Untaken, Find::Untaken { offset: 0, limit: LOOK_JOBS_MAX });
    }

    pub(super) fn untaken_found(&mut self, jobs: &[(JobRow, Option<DeploymentKey>)]) {
        self.untaken_unknown();
        if std::mem::take(&mut self.untaken.is_outdated) {
            self.untaken.look_at = self.now;
            return;
        }
        let mut found: BTreeMap<String, UntakenJobs> = BTreeMap::new();
        for (job, deployment) in jobs {
            let Some(reason) = reason(&self.untaken.nodes, job, *deployment) else { continue };
            let first = UntakenJobs { jobs: 0, example: job.key, reason: reason.clone() };
            found.entry(reason).or_insert(first).jobs += 1;
        }
        for untaken in found.values() {
            if self.untaken.said.len() < SAID_MAX
                && self.untaken.said.insert(untaken.reason.clone())
            {
                let UntakenJobs { jobs, example, reason } = untaken;
                tracing::warn!(jobs, %example, "ready jobs that no live node takes: {reason}");
            }
        }
        self.untaken.jobs = found.into_values().collect();
    }

    pub(super) fn untaken_unknown(&mut self) {
        self.untaken.is_looking = false;
        self.untaken.look_at = self.now.plus_ms(LOOK_MS);
    }

    /// What a node takes has changed: the next look is at once, and one under way tells nothing.
    pub(super) fn forget_untaken(&mut self) {
        self.untaken.jobs.clear();
        self.untaken.look_at = self.now;
        self.untaken.is_outdated = self.untaken.is_looking;
    }

    /// A new life asks anew.
    pub(super) fn look_anew(&mut self) {
        self.untaken.is_looking = false;
    }
}

/// `None`: a node takes it.
fn reason(nodes: &[NodeRow], job: &JobRow, deployment: Option<DeploymentKey>) -> Option<String> {
    let mut reasons = Vec::new();
    for node in nodes {
        let kept_out = not_taken_by(&node.profile, job, deployment);
        if kept_out.is_empty() {
            return None;
        }
        let words: Vec<&str> = kept_out.iter().map(|reason| reason.words()).collect();
        reasons.push(format!("node '{}': {}", node.name, words.join(", ")));
    }
    Some(reasons.join("; "))
}
