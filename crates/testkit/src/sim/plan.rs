use std::sync::Arc;

use orloj::node::{Config, ExecutorOptions, Sabotage};
use orloj::settings::{BatchSettings, Settings};
use orloj::{BreakerOptions, BreakerRules, LongestRun, Order};
use orloj_interpreter::JobSettings;
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
    /// What each node takes; the last one takes everything.
    pub takes: Vec<Takes>,
    /// Whether people set limits, and suspend definitions, while jobs run.
    pub has_limits: bool,
    pub has_suspensions: bool,
    /// Whether people give deployments other tenants.
    pub has_tenants: bool,
    /// Whether people suspend, delay and bury single jobs, whoever runs them.
    pub has_orders: bool,
    /// How long faults happen.
    pub faults_ms: i64,
    pub starts: u64,
    /// How long a call or a message usually takes, at least and at most.
    pub delay_us: (i64, i64),
    pub faults: Faults,
}

/// What a node takes of the engine's own jobs.
#[derive(Clone, Debug)]
pub struct Takes {
    pub priorities: std::ops::RangeInclusive<i64>,
    pub has_categories: bool,
    /// One in so many definitions is registered; `None`: it is not aware of deployments.
    pub registered: Option<u64>,
    pub takes_jobs: bool,
    pub fires_timers: bool,
    pub hint: bool,
    pub caller_runs: bool,
}

impl Takes {
    fn everything() -> Self {
        Self {
            priorities: i64::MIN..=i64::MAX,
            has_categories: false,
            registered: None,
            takes_jobs: true,
            fires_timers: true,
            hint: true,
            caller_runs: false,
        }
    }

    fn draw(random: &mut Random) -> Self {
        Self {
            priorities: match random.below(4) {
                0 => 1..=100,
                1 => -100..=0,
                _ => i64::MIN..=i64::MAX,
            },
            has_categories: random.chance(100),
            registered: random.chance(400).then(|| 1 + random.below(3)),
            takes_jobs: random.chance(850),
            fires_timers: random.chance(850),
            hint: random.chance(850),
            caller_runs: random.chance(300),
        }
    }
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
        let has_breakers = random.chance(200);
        let over_hierarchies = random.chance(300);
        let config = Config {
            engine: EngineName::default(),
            lanes: 1 + u8::from(kind == Kind::Cluster && random.chance(700)),
            group_changes_max: small(random, 256, 1, 3),
            executor: ExecutorOptions {
                queue_jobs_max: small(random, 8_192, 1, 4),
                order: any_order(random),
                // Shorter than foreign code may take.
                longest_run: LongestRun {
                    job_ms: random.chance(200).then(|| random.between(20, 200)),
                    timer_ms: random.chance(200).then(|| random.between(20, 200)),
                    look_every_ms: random.between(0, 50),
                },
                breakers: BreakerRules {
                    all: has_breakers.then(|| BreakerOptions {
                        failures_in_a_row: 2,
                        open_ms: random.between(20, 500),
                        ..BreakerOptions::default()
                    }),
                    ..BreakerRules::default()
                },
                over_hierarchies,
                ..ExecutorOptions::default()
            },
            calls_max: small(random, 256, 1, 3),
            heartbeat_timeout_ms: 1_000,
            work_off_max: small(random, 128, 1, 3),
            is_shared: kind == Kind::Cluster,
            idle_instances_max: small(random, 10_000, 0, 2),
            sabotage,
            settings: Arc::new(Settings {
                batches: BatchSettings {
                    jobs_per_seed: 1,
                    poll_ms: 300,
                    ..BatchSettings::default()
                },
                ..Settings::default()
            }),
            ..Config::default()
        };
        Self {
            kind,
            nodes,
            has_idler: nodes > 1 && random.chance(200),
            takes: (0..nodes)
                .map(|node| match node + 1 < nodes && random.chance(400) {
                    true => Takes::draw(random),
                    false => Takes::everything(),
                })
                .collect(),
            has_limits: random.chance(350),
            has_suspensions: random.chance(200),
            has_tenants: random.chance(250),
            has_orders: random.chance(300),
            config,
            faults_ms: random.between(3_000, 8_000),
            starts: 3 + random.below(13),
            // Where everything takes its time, more happens in between.
            delay_us: if random.chance(400) { (500, 12_000) } else { (50, 2_000) },
            faults: Faults::draw(random),
        }
    }
}

impl Plan {
    /// As a node is built.
    pub fn config_of(&self, node: usize) -> Config {
        let mut config = self.config.clone();
        let takes = &self.takes[node];
        config.executor = ExecutorOptions {
            is_active: !(self.has_idler && node == 0),
            priorities: takes.priorities.clone(),
            categories: takes.has_categories.then(|| vec!["night".into()]),
            deployment_aware: takes.registered.is_some(),
            takes_jobs: takes.takes_jobs,
            fires_timers: takes.fires_timers,
            hint: takes.hint,
            caller_runs: takes.caller_runs,
            ..config.executor
        };
        let exclusive_order = Some(config.executor.order);
        let exclusive_over_hierarchies = config.executor.over_hierarchies;
        config.jobs = Arc::new(JobSettings {
            exclusive_order,
            exclusive_over_hierarchies,
            ..JobSettings::default()
        });
        config
    }

    /// The order in which every node takes its jobs, where nothing is left out for a while.
    pub fn strict_order(&self) -> Option<Order> {
        let is_open = !self.has_limits && !self.has_orders;
        let is_strict = is_open && self.config.executor.breakers.is_empty();
        is_strict.then_some(self.config.executor.order)
    }
}

fn any_order(random: &mut Random) -> Order {
    match random.chance(250) {
        true => Order::Aging { step_ms: random.between(0, 2_000) },
        false => Order::Flags {
            priority: random.chance(500),
            timers_first: random.chance(500),
            due: random.chance(500),
        },
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
