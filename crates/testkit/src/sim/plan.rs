use orloj::node::{Config, Sabotage};
use orloj_types::EngineName;

use super::Random;
use crate::sim_store::Kind;

/// What a seed's world looks like. Not every fault is on in every world: some defects only show
/// where the others keep quiet.
#[derive(Clone, Debug)]
pub struct Plan {
    pub kind: Kind,
    pub nodes: usize,
    /// One of them may leave the engine's own jobs to the others.
    pub has_idler: bool,
    pub config: Config,
    /// How long faults happen.
    pub faults_ms: i64,
    pub starts: u64,
    /// How long a call or a message usually takes, at least and at most.
    pub delay_us: (i64, i64),
    pub faults: Faults,
}

/// How often each fault strikes: in a thousand calls, or times in a run.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    pub crash_at_commit: u64,
    pub commit_answer_lost: u64,
    pub commit_refused: u64,
    pub call_lost: u64,
    pub notice_lost: u64,
    pub slow_call: u64,
    pub crashes: u64,
    pub pauses: u64,
    pub jumps: u64,
    pub outages: u64,
    pub drains: u64,
    /// Heartbeats alone do not get through for a while.
    pub deafness: u64,
    /// Foreign code and workers that do not just succeed.
    pub misbehaviour: u64,
    pub is_skewed: bool,
}

impl Plan {
    pub fn draw(random: &mut Random, sabotage: Option<Sabotage>) -> Self {
        let kind = if random.chance(200) { Kind::Embedded } else { Kind::Cluster };
        let nodes = match kind {
            Kind::Embedded => 1,
            // Races need two.
            Kind::Cluster => [1, 2, 2, 2, 3, 3][random.index(6)],
        };
        let small =
            |random: &mut Random, usual: usize, least: i64, most: i64| match random.chance(400) {
                true => usize::try_from(random.between(least, most)).unwrap_or(usual),
                false => usual,
            };
        let config = Config {
            engine: EngineName::default(),
            lanes: 1 + u8::from(kind == Kind::Cluster && random.chance(700)),
            group_changes_max: small(random, 256, 1, 3),
            executor: true,
            queue_jobs_max: small(random, 8_192, 1, 4),
            calls_max: small(random, 256, 1, 3),
            heartbeat_timeout_ms: 1_000,
            work_off_max: small(random, 128, 1, 3),
            is_shared: kind == Kind::Cluster,
            idle_instances_max: small(random, 10_000, 0, 2),
            sabotage,
            ..Config::default()
        };
        Self {
            kind,
            nodes,
            has_idler: nodes > 1 && random.chance(200),
            config,
            faults_ms: random.between(3_000, 8_000),
            starts: 3 + random.below(13),
            // Where everything takes its time, more happens in between.
            delay_us: if random.chance(400) { (500, 12_000) } else { (50, 2_000) },
            faults: Faults::draw(random),
        }
    }
}

impl Faults {
    fn draw(random: &mut Random) -> Self {
        let mut often = |most: u64| match random.chance(600) {
            true => 1 + random.below(most),
            false => 0,
        };
        Self {
            crash_at_commit: often(40),
            commit_answer_lost: often(120),
            commit_refused: often(60),
            call_lost: often(60),
            notice_lost: often(500),
            slow_call: often(60),
            crashes: often(3),
            pauses: often(3),
            jumps: often(2),
            outages: often(2),
            drains: often(2),
            deafness: often(2),
            misbehaviour: often(500),
            is_skewed: often(1) > 0,
        }
    }
}
