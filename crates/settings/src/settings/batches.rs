use std::collections::BTreeMap;

use super::history::Ttl;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchSettings {
    /// Jobs made by one run of a batch's seed.
    pub jobs_per_seed: u32,
    /// Items handled by one job.
    pub invocations_per_job: u32,
    /// The same by kind of batch.
    pub invocations_per_job_by_kind: BTreeMap<String, u32>,
    /// How often the progress of a batch is looked at.
    pub poll_ms: u64,
    /// The same as a cron expression (Quartz), as Flowable has it.
    pub poll_cycle: Option<String>,
    /// Of seed, monitor and parts.
    pub priority: i64,
    /// How long ended batches are kept, by kind.
    pub ttl_by_kind: BTreeMap<String, Ttl>,
}

impl Default for BatchSettings {
    fn default() -> Self {
        Self {
            jobs_per_seed: 100,
            invocations_per_job: 1,
            invocations_per_job_by_kind: BTreeMap::new(),
            poll_ms: 30_000,
            poll_cycle: None,
            priority: 0,
            ttl_by_kind: BTreeMap::new(),
        }
    }
}
