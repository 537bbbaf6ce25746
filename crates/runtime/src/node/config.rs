use std::sync::Arc;

use orloj_types::EngineName;

#[derive(Clone, Debug)]
pub struct Config {
    /// The node's name, as history tells who ran a job.
    pub node_name: Arc<str>,
    pub engine: EngineName,
    /// Committer lanes.
    pub lanes: u8,
    /// Most changes of one group; beyond 256 the floor measurements show no gain.
    pub group_changes_max: usize,
    /// Whether this node runs the engine's own jobs.
    pub executor: bool,
    pub queue_jobs_max: usize,
    /// Calls of foreign code at the same time.
    pub calls_max: usize,
    /// Requests under way before new ones are refused.
    pub requests_max: usize,
    pub heartbeat_timeout_ms: i64,
    /// Committed changes whose effects happen before the node looks up again: a lane that has
    /// become free must not wait for long. Not less than what a driver takes in at once.
    pub work_off_max: usize,
    /// Whether other nodes may change the store: then nothing cached is proof.
    pub is_shared: bool,
    /// Instances kept in memory though nothing is to be done with them.
    pub idle_instances_max: usize,
    /// A deliberate defect, to prove that the simulation finds it. Only tests set it.
    pub sabotage: Option<Sabotage>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            node_name: "".into(),
            engine: EngineName::default(),
            lanes: 1,
            group_changes_max: 256,
            executor: true,
            queue_jobs_max: 8_192,
            calls_max: 256,
            requests_max: 20_000,
            heartbeat_timeout_ms: 5_000,
            work_off_max: 128,
            is_shared: false,
            idle_instances_max: 10_000,
            sabotage: None,
        }
    }
}

/// Defects planted by tests of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// Callers are answered before the disk has it (breaks I9).
    AnswerEarly,
    /// A lost answer counts as committed (breaks I9 and I1).
    AssumeLanded,
    /// A lost answer counts as not committed and is sent again without asking (breaks I2: whoever
    /// caused what has landed is told that it was refused).
    AssumeLost,
    /// Timers are taken for due before their time (breaks I8).
    FireEarly,
    /// Peers are fenced though they beat (breaks I3).
    FenceTheLiving,
    /// Exclusive jobs are locked as they come (breaks I5).
    IgnoreExclusive,
}
