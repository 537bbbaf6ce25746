//! What a node counts. Counters are shared with the registry that `/metrics` prints.

use std::sync::Arc;

use orloj_executor::Meters;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Clone, Debug, Default)]
pub struct Metrics {
    pub instances_started: Counter,
    pub instances_ended: Counter,
    pub engine_jobs_run: Counter,
    pub worker_jobs_activated: Counter,
    pub worker_jobs_completed: Counter,
    pub acquired: Counter,
    pub locks_expired: Counter,
    pub groups: Counter,
    pub changes: Counter,
    /// The largest group so far, in bytes.
    pub group_bytes_max: Gauge,
    pub conflicts: Counter,
    pub store_errors: Counter,
    pub fenced: Counter,
    pub peers_fenced: Counter,
    pub breakers_opened: Counter,
    pub hung: Counter,
    pub streams: Gauge,
    /// The same by the names of Camunda, since they were last written down.
    pub meters: Arc<Meters>,
}

impl Metrics {
    pub fn register(&self, registry: &mut Registry) {
        let mut counter = |name: &str, help: &str, counter: &Counter| {
            registry.register(name, help, counter.clone());
        };
        counter("orloj_instances_started", "Instances started", &self.instances_started);
        counter("orloj_instances_ended", "Instances ended", &self.instances_ended);
        counter("orloj_engine_jobs_run", "Jobs of the engine itself run", &self.engine_jobs_run);
        counter(
            "orloj_worker_jobs_activated",
            "Jobs given to workers",
            &self.worker_jobs_activated,
        );
        counter(
            "orloj_worker_jobs_completed",
            "Jobs completed by workers",
            &self.worker_jobs_completed,
        );
        counter("orloj_jobs_acquired", "Jobs locked by acquisition queries", &self.acquired);
        counter("orloj_worker_locks_expired", "Worker locks that ran out", &self.locks_expired);
        counter("orloj_commit_groups", "Groups committed", &self.groups);
        counter("orloj_commit_changes", "Changes committed", &self.changes);
        counter("orloj_conflicts", "Changes interpreted again after a lost race", &self.conflicts);
        counter("orloj_store_errors", "Requests the store did not answer", &self.store_errors);
        counter("orloj_fenced", "Times this node lost its lease", &self.fenced);
        counter("orloj_peers_fenced", "Dead nodes fenced by this one", &self.peers_fenced);
        counter("orloj_breakers_opened", "Circuit breakers opened", &self.breakers_opened);
        counter("orloj_hung_jobs", "Jobs given up after running for too long", &self.hung);
        registry.register(
            "orloj_commit_group_bytes_max",
            "Bytes of the largest group committed",
            self.group_bytes_max.clone(),
        );
        registry.register("orloj_job_streams", "Open job streams", self.streams.clone());
    }

    pub(crate) fn group_committed(&self, changes: usize, bytes: usize) {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        self.group_bytes_max.inner().fetch_max(bytes, std::sync::atomic::Ordering::Relaxed);
        self.groups.inc();
        self.changes.inc_by(changes as u64);
    }
}
