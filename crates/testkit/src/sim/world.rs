use std::collections::BTreeMap;
use std::sync::Arc;

use orloj::node::{RequestId, Sabotage};
use orloj_store::Group;
use orloj_types::{EngineName, Timestamp};

use super::agenda::Agenda;
use super::check::Checker;
use super::happening::{Answered, Ask, Asked, Happening};
use super::journal::Journal;
use super::nodes::SimNode;
use super::workers::SimWorker;
use super::{Library, Marks, Plan, Random, Violation};
use crate::sim_store::Core;

/// 2030-01-01T00:00:00Z, where every run begins.
const BEGINNING_MS: i64 = 1_893_456_000_000;
/// How long everything may take to come to its end once the faults have stopped: several times
/// the longest wait there is, the probe for jobs whose notice was lost.
const QUIET_MS_MAX: i64 = 180_000;
/// More than this in one run means that something goes round in circles.
const HAPPENINGS_MAX: u64 = 400_000;
/// Clients act so often while there are faults.
const CLIENT_EVERY_MS: i64 = 60;

/// Why a run failed, and all that is needed to see it again.
#[derive(Debug)]
pub struct Failure {
    pub seed: u64,
    pub at_ms: i64,
    pub violation: Violation,
    /// Empty unless the run was asked to keep a journal.
    pub journal: Vec<String>,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for line in &self.journal {
            writeln!(f, "{line}")?;
        }
        write!(f, "seed {} at {} ms: {}", self.seed, self.at_ms, self.violation)
    }
}

/// A run in which everything held.
#[derive(Debug)]
pub struct Ran {
    pub marks: Marks,
    /// Empty unless the run was asked to keep a journal.
    pub journal: Vec<String>,
}

/// Runs one seed to its end.
pub fn run(
    library: &Library,
    seed: u64,
    sabotage: Option<Sabotage>,
    has_journal: bool,
) -> Result<Ran, Box<Failure>> {
    let mut world = World::new(library, seed, sabotage, has_journal);
    match world.live() {
        Ok(()) => Ok(Ran { marks: world.marks, journal: world.journal.into_lines() }),
        Err(violation) => Err(Box::new(Failure {
            seed,
            at_ms: world.now_us / 1_000,
            violation,
            journal: world.journal.into_lines(),
        })),
    }
}

pub(crate) struct World<'l> {
    pub(crate) library: &'l Library,
    pub(crate) plan: Plan,
    pub(crate) random: Random,
    pub(crate) now_us: i64,
    pub(crate) agenda: Agenda<Happening>,
    pub(crate) store: Core,
    pub(crate) nodes: Vec<SimNode>,
    pub(crate) workers: Vec<SimWorker>,
    pub(crate) asked: BTreeMap<RequestId, Asked>,
    pub(crate) next_request: u64,
    pub(crate) next_stream: u64,
    pub(crate) starts_left: u64,
    pub(crate) batches_made: i64,
    /// Groups under way whose senders have given up on the answer, by session and lane.
    pub(crate) undecided: BTreeMap<(i64, u8), Arc<Group>>,
    pub(crate) outage_until_us: i64,
    pub(crate) is_quiet: bool,
    pub(crate) checker: Checker,
    pub(crate) journal: Journal,
    pub(crate) marks: Marks,
}

impl<'l> World<'l> {
    fn new(library: &'l Library, seed: u64, sabotage: Option<Sabotage>, has_journal: bool) -> Self {
        let mut random = Random::new(seed);
        let plan = Plan::draw(&mut random, sabotage);
        let mut store = Core::new(EngineName::default(), plan.kind);
        library.deploy(&mut store, Timestamp::from_ms(BEGINNING_MS));
        let mut journal = Journal::new(has_journal);
        journal.note(0, || format!("{plan:?}"));
        Self {
            starts_left: plan.starts,
            batches_made: 0,
            nodes: (0..plan.nodes).map(SimNode::new).collect(),
            workers: SimWorker::all(),
            library,
            plan,
            random,
            now_us: 0,
            agenda: Agenda::new(),
            store,
            asked: BTreeMap::new(),
            next_request: 0,
            next_stream: 0,
            undecided: BTreeMap::new(),
            outage_until_us: 0,
            is_quiet: false,
            checker: Checker::default(),
            journal,
            marks: Marks::default(),
        }
    }

    fn live(&mut self) -> Result<(), Violation> {
        self.begin();
        let mut happened = 0;
        while let Some((at_us, what)) = self.agenda.pop() {
            self.now_us = at_us;
            happened += 1;
            self.happen(what)?;
            if self.is_quiet && self.is_over() {
                return self.checker.end(&self.store, self.library, &self.asked);
            }
            let quiet_ms = self.now_us / 1_000 - self.plan.faults_ms;
            if quiet_ms > QUIET_MS_MAX || happened > HAPPENINGS_MAX {
                return Err(self.stuck(happened));
            }
        }
        Err(Violation::new("I1", "nothing happens any more"))
    }

    fn begin(&mut self) {
        for node in 0..self.plan.nodes {
            if self.plan.faults.is_skewed {
                self.nodes[node].offset_ms = self.random.between(-300, 300);
            }
            self.add(0, Happening::Restart { node });
        }
        for worker in 0..self.workers.len() {
            let at = self.random.between(0, 500_000);
            self.add(at, SimWorker::first_act(&self.workers[worker], worker));
        }
        let faults_us = self.plan.faults_ms * 1_000;
        for at in (1..).map(|n| n * CLIENT_EVERY_MS * 1_000).take_while(|at| *at < faults_us) {
            let jitter = self.random.between(0, CLIENT_EVERY_MS * 1_000);
            self.add(at + jitter, Happening::ClientActs);
        }
        self.plan_faults(faults_us);
        self.add(faults_us, Happening::Quiet);
    }

    fn plan_faults(&mut self, faults_us: i64) {
        let faults = self.plan.faults.clone();
        type Strike = fn(usize) -> Happening;
        let strikes: [(u64, Strike); 6] = [
            (faults.crashes, |node| Happening::Crash { node }),
            (faults.pauses, |node| Happening::Pause { node }),
            (faults.jumps, |node| Happening::Jump { node }),
            (faults.outages, |_| Happening::Outage),
            (faults.drains, |node| Happening::Drain { node }),
            (faults.deafness, |node| Happening::Deafness { node }),
        ];
        for (times, strike) in strikes {
            for _ in 0..times {
                let at = self.random.between(100_000, faults_us);
                let node = self.random.index(self.plan.nodes);
                self.add(at, strike(node));
            }
        }
    }

    fn happen(&mut self, what: Happening) -> Result<(), Violation> {
        match what {
            Happening::Event { to, event } => self.deliver(to, *event),
            Happening::Flush { of } => self.flush(of)?,
            Happening::Wake { of } => self.wake(of)?,
            Happening::Call { from, action, fate } => self.arrive(from, *action, fate)?,
            Happening::Undecided { group } => self.decide(&group)?,
            Happening::GiveBack { lease, jobs } => {
                // Whoever gives back does so until it is done.
                let _ = self.store.release(lease, &jobs);
            }
            Happening::Crash { node } => self.crash(node),
            Happening::Restart { node } => self.restart(node)?,
            Happening::Pause { node } => self.pause(node),
            Happening::Resume { node } => self.resume(node),
            Happening::Jump { node } => self.jump(node),
            Happening::Outage => self.outage(),
            Happening::Drain { node } => self.drain(node),
            Happening::Deafness { node } => self.deafen(node),
            Happening::Quiet => self.quiet(),
            Happening::ClientActs => self.client_acts(),
            Happening::JanitorActs => self.janitor_acts(),
            Happening::WorkerOpens { worker } => self.worker_opens(worker),
            Happening::WorkerCloses { worker } => self.worker_closes(worker),
            Happening::WorkerPolls { worker } => self.worker_polls(worker),
            Happening::WorkerGets { worker, stream, job } => {
                self.worker_gets(worker, stream, &job);
            }
            Happening::WorkerActs { job, retries, how } => self.worker_acts(job, retries, how),
            Happening::PollGivenUp { worker, request } => self.poll_given_up(worker, request),
        }
        Ok(())
    }

    fn outage(&mut self) {
        if self.is_quiet {
            return;
        }
        let ms = self.random.between(20, 2_500);
        self.outage_until_us = self.now_us + ms * 1_000;
        self.note(|| format!("the store is away for {ms} ms"));
        self.marks.hit("outage");
    }

    /// From here on nothing fails any more.
    fn quiet(&mut self) {
        self.note(|| "faults stop".to_owned());
        self.is_quiet = true;
        self.outage_until_us = 0;
        for node in 0..self.nodes.len() {
            self.resume(node);
            if !self.nodes[node].is_up() {
                self.add(self.now_us, Happening::Restart { node });
            }
        }
        self.add(self.now_us, Happening::JanitorActs);
    }

    /// Everything that was started has ended, and everyone who asked a living node was answered.
    fn is_over(&self) -> bool {
        self.starts_left == 0
            && self.store.instances.is_empty()
            && self.store.broadcasts.is_empty()
            && self.store.jobs.values().all(|job| !job.kind.is_chore())
            && self.store.batches.is_empty()
            && self.undecided.is_empty()
            && self.nodes.iter().all(SimNode::is_up)
            && self.open_requests().next().is_none()
            && self.store.stored_settings().moved.iter().all(|row| row.is_settled)
    }

    fn open_requests(&self) -> impl Iterator<Item = (&RequestId, &Asked)> {
        self.asked.iter().filter(|(_, asked)| {
            asked.answer == Answered::NotYet
                && !matches!(asked.ask, Ask::Poll { .. })
                && self.nodes[asked.place.node].life == asked.place.life
        })
    }

    fn stuck(&self, happened: u64) -> Violation {
        let mut left = Vec::new();
        left.extend(self.store.instances.values().map(|row| {
            let record = self.store.record_of(row).unwrap_or_default();
            let tokens: Vec<String> = record.elements.into_iter().map(|e| e.element).collect();
            let process = self.library.get(row.definition).map(|known| &*known.process.id);
            format!("instance {} of {} at {tokens:?}", row.key, process.unwrap_or("?"))
        }));
        left.extend(self.store.jobs.values().map(|job| {
            format!(
                "job {} of {} at {}: {:?}, locked by {:?} {:?}, due {:?}",
                job.key,
                job.instance,
                job.element,
                job.state,
                job.lock_session,
                job.lock_worker,
                job.due_at
            )
        }));
        left.extend(
            self.open_requests().map(|(id, asked)| format!("request {} {:?}", id.0, asked.ask)),
        );
        Violation::new(
            "I1",
            format!(
                "not everything came to its end after {happened} happenings:\n  {}",
                left.join("\n  ")
            ),
        )
    }

    // ---- small helpers of everyone

    pub(crate) fn add(&mut self, at_us: i64, what: Happening) {
        let order = self.random.number();
        self.agenda.add(at_us.max(self.now_us), order, what);
    }

    pub(crate) fn after_us(&mut self, low: i64, high: i64, what: Happening) {
        let at = self.now_us + self.random.between(low, high);
        self.add(at, what);
    }

    pub(crate) fn note(&mut self, line: impl FnOnce() -> String) {
        self.journal.note(self.now_us, line);
    }

    pub(crate) fn clock_of(&self, node: usize) -> Timestamp {
        Timestamp::from_ms(BEGINNING_MS + self.now_us / 1_000 + self.nodes[node].offset_ms)
    }

    /// When a node's clock will show `at`, in the world's time.
    pub(crate) fn world_time_of(&self, node: usize, at: Timestamp) -> i64 {
        let ms = at.as_ms().saturating_sub(BEGINNING_MS + self.nodes[node].offset_ms);
        ms.saturating_mul(1_000)
    }

    /// A call or a message on its way: mostly fast.
    pub(crate) fn delay_us(&mut self) -> i64 {
        if !self.is_quiet && self.random.chance(self.plan.faults.slow_call) {
            self.marks.hit("slow call");
            return match self.random.chance(150) {
                true => self.random.between(300_000, 2_500_000),
                false => self.random.between(5_000, 150_000),
            };
        }
        let (least, most) = self.plan.delay_us;
        self.random.between(least, most)
    }
}
