//! The rows of a step, the same for both stores.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::rng::Rng;

/// What a token tree with a few variables takes.
pub const STATE_BYTES: usize = 300;
pub const PAYLOAD_BYTES: usize = 100;
/// With its three columns a history row is about 150 bytes.
pub const HISTORY_BYTES: usize = 120;
pub const HISTORY_ROWS: usize = 2;

/// Instances at work at the same time.
pub const INSTANCES_HOT: usize = 2_000;
/// Steps in one transaction; beyond that more brings nothing.
pub const GROUP_STEPS: usize = 256;

/// Random bytes to cut values from: making them anew for each step would be measured too.
pub struct Pool(Vec<u8>);

const POOL_BYTES: usize = 64 * 1024;
/// The highest offset plus the furthest piece cut from it stays inside the pool.
const OFFSET_MAX: usize = 60_000;
const PAYLOAD_AT: usize = 400;
const HISTORY_AT: usize = 1_000;
const HISTORY_STRIDE: usize = 200;

impl Pool {
    pub fn new(rng: &mut Rng) -> Pool {
        Pool(rng.bytes(POOL_BYTES))
    }

    pub fn state(&self, offset: usize) -> &[u8] {
        self.cut(offset, STATE_BYTES)
    }

    pub fn payload(&self, offset: usize) -> &[u8] {
        self.cut(offset + PAYLOAD_AT, PAYLOAD_BYTES)
    }

    pub fn history(&self, offset: usize, row: usize) -> &[u8] {
        self.cut(offset + HISTORY_AT + row * HISTORY_STRIDE, HISTORY_BYTES)
    }

    fn cut(&self, from: usize, length: usize) -> &[u8] {
        &self.0[from..from + length]
    }
}

/// One step to be written.
#[derive(Clone, Debug)]
pub struct Step {
    pub instance: i64,
    /// The revision it must find.
    pub rev: i32,
    pub done_job: i64,
    pub next_job: i64,
    /// Where in the pool its values are cut.
    pub offset: usize,
}

/// A set of instances that take steps in turn, in an order that is random and stays the same.
pub struct Workload {
    instances: Vec<Instance>,
    at: usize,
    rng: Rng,
    jobs: JobIds,
}

struct Instance {
    id: i64,
    rev: i32,
    job: i64,
}

impl Workload {
    /// Instance n has job n at first; all of revision 0.
    pub fn new(
        ids: impl Iterator<Item = i64>,
        shuffle: &mut Rng,
        seed: u64,
        jobs: JobIds,
    ) -> Workload {
        let mut instances: Vec<Instance> = ids.map(|id| Instance { id, rev: 0, job: id }).collect();
        shuffle.shuffle(&mut instances);
        Workload { instances, at: 0, rng: Rng::new(seed), jobs }
    }

    /// The next `count` steps, counted as done: the caller gives up at the first that fails.
    pub fn take(&mut self, count: usize, steps: &mut Vec<Step>) {
        assert!(count <= self.instances.len(), "an instance would step twice in one group");
        steps.clear();
        for next_job in self.jobs.take(count) {
            let instance = &mut self.instances[self.at];
            steps.push(Step {
                instance: instance.id,
                rev: instance.rev,
                done_job: instance.job,
                next_job,
                offset: self.rng.below(OFFSET_MAX),
            });
            instance.rev += 1;
            instance.job = next_job;
            self.at = (self.at + 1) % self.instances.len();
        }
    }
}

/// Ascending job ids, given in blocks to all workloads that share the source: each block lies at
/// the end of the index when it is taken, as an engine's keys do.
#[derive(Clone)]
pub struct JobIds(Arc<AtomicI64>);

impl JobIds {
    pub fn after(last: i64) -> JobIds {
        JobIds(Arc::new(AtomicI64::new(last + 1)))
    }

    fn take(&self, count: usize) -> Range<i64> {
        let first = self.0.fetch_add(count as i64, Ordering::Relaxed);
        first..first + count as i64
    }
}

/// The offset that the values of a loaded (not yet stepped) row are cut at.
pub fn loaded_offset(id: i64) -> usize {
    (id as usize * 37) % OFFSET_MAX
}

/// The hot ones are the last of all.
pub fn hot(instances: i64) -> Range<i64> {
    instances + 1 - (INSTANCES_HOT as i64).min(instances)..instances + 1
}

/// The median of what was measured.
pub fn median(values: &mut [f64]) -> f64 {
    assert!(!values.is_empty(), "a median of nothing");
    values.sort_by(f64::total_cmp);
    values[(values.len() - 1) / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_an_instance_follow_each_other_and_job_ids_are_given_once() {
        let mut shuffle = Rng::new(1);
        let jobs = JobIds::after(10);
        let mut one = Workload::new(1..=5, &mut shuffle, 2, jobs.clone());
        let mut two = Workload::new(6..=10, &mut shuffle, 3, jobs);
        let (mut steps, mut given) = (Vec::new(), Vec::new());
        let mut last: std::collections::BTreeMap<i64, (i32, i64)> =
            (1..=10).map(|id| (id, (0, id))).collect();
        for _ in 0..7 {
            for workload in [&mut one, &mut two] {
                workload.take(4, &mut steps);
                for step in &steps {
                    let known = last.get_mut(&step.instance).unwrap();
                    assert_eq!((step.rev, step.done_job), *known);
                    *known = (step.rev + 1, step.next_job);
                    given.push(step.next_job);
                }
            }
        }
        let count = given.len();
        given.sort_unstable();
        given.dedup();
        assert_eq!(given.len(), count);
    }

    #[test]
    fn every_cut_is_inside_the_pool_and_has_its_size() {
        let pool = Pool::new(&mut Rng::new(42));
        let offset = OFFSET_MAX - 1;
        assert_eq!(pool.state(offset).len(), STATE_BYTES);
        assert_eq!(pool.payload(offset).len(), PAYLOAD_BYTES);
        assert_eq!(pool.history(offset, HISTORY_ROWS - 1).len(), HISTORY_BYTES);
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&mut [9.0, 1.0, 5.0]), 5.0);
        assert_eq!(median(&mut [2.0, 1.0]), 1.0);
    }

    #[test]
    fn the_hot_instances_are_the_last() {
        assert_eq!(hot(100_000), 98_001..100_001);
        assert_eq!(hot(5), 1..6);
    }
}
