//! What is set about jobs: in the configuration, and in the store while nodes run.
//!
//! A node reads what is in the store when its life begins and whenever the version of the settings
//! has moved, and tells with every beat which version it goes by. It says so only when nothing is
//! under way any more that was decided under an earlier one: whoever has set something and seen
//! its version with every live node knows that it holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_interpreter::{JobOverride, JobSettings};
use orloj_model::{JobDefinition, JobHandler};
use orloj_store::{JobDefinitionRow, JobKind, JobRow, LimitScope, Rate, StoredSettings};
use orloj_types::{BatchKey, DefinitionKey, DeploymentKey, TenantId, Timestamp};
use rustc_hash::{FxHashMap, FxHashSet};

use super::answer::Question;
use super::chores::{batch_job_kind, batch_of_job_definition};
use super::event::Find;
use super::{Node, Phase, RETRY_MS, Sabotage};

/// Between two looks for jobs that a rate has held up.
const RATE_LOOK_MS_MIN: i64 = 10;
const RATE_LOOK_MS_MAX: i64 = 2_000;
/// Looks in vain before the usual ways of finding jobs have to do.
const RATE_LOOKS_MAX: u32 = 12;

#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Read in this life. Before, nothing is handed over: it might be limited.
    is_read: bool,
    is_reading: bool,
    version: i64,
    /// The newest version that was told of.
    told: i64,
    /// What the last beat said to have been seen.
    reported: i64,
    /// As configured.
    base: Arc<JobSettings>,
    /// With what is in the store.
    jobs: Arc<JobSettings>,
    /// Definitions that their rows have told to be suspended, with a version of the settings that
    /// this node has yet to read.
    suspended: BTreeMap<DefinitionKey, i64>,
    /// What is set for the job definitions of batches.
    batches: FxHashMap<(BatchKey, JobKind), JobOverride>,
    limits: Limits,
    /// Definitions that have another tenant than they were deployed with.
    moved: FxHashMap<DefinitionKey, Moved>,
    /// Deployments whose change of the tenant is to be settled.
    pub(super) unsettled: Vec<DeploymentKey>,
    pub(super) is_settling: bool,
    /// Not before.
    pub(super) settle_at: Timestamp,
    /// Types whose jobs a rate may be holding up.
    rated: BTreeMap<Arc<str>, RateWait>,
}

#[derive(Debug)]
struct Moved {
    tenant: TenantId,
    /// What may be under way with an earlier one, as far as this node has seen them.
    former: Vec<TenantId>,
}

/// What is limited; how far is for the store to say.
#[derive(Debug, Default)]
struct Limits {
    topics: FxHashSet<Arc<str>>,
    tenants: FxHashSet<Arc<str>>,
    keys: FxHashSet<Arc<str>>,
    /// The shortest time in which a rate lets another job begin.
    rate_ms: Option<i64>,
}

#[derive(Clone, Copy, Debug)]
struct RateWait {
    at: Timestamp,
    /// The moment has come, and the look is under way.
    is_looking: bool,
    in_vain: u32,
}

impl Known {
    pub fn new(base: Arc<JobSettings>) -> Self {
        Self { jobs: base.clone(), base, ..Self::default() }
    }

    pub fn jobs(&self) -> &Arc<JobSettings> {
        &self.jobs
    }

    /// What is set for the chores of a batch.
    pub fn of_batch(&self, batch: BatchKey, kind: JobKind) -> JobOverride {
        self.batches.get(&(batch, kind)).copied().unwrap_or_default()
    }

    /// `None`: the one it was deployed with.
    pub fn tenant_of(&self, definition: DefinitionKey) -> Option<&TenantId> {
        if self.moved.is_empty() {
            return None;
        }
        self.moved.get(&definition).map(|moved| &moved.tenant)
    }

    /// Whether a definition had the tenant before, and not when it was deployed.
    pub fn had_tenant(&self, definition: DefinitionKey, tenant: &TenantId) -> bool {
        self.moved.get(&definition).is_some_and(|moved| moved.former.contains(tenant))
    }

    /// To a chore that may be older than that. Those of batches have the tenant of their batch.
    pub fn give_tenant(&self, chore: &mut JobRow) {
        let tenant = self.tenant_of(chore.definition).filter(|_| chore.batch.is_none());
        if let Some(tenant) = tenant {
            chore.tenant = tenant.clone();
        }
    }

    pub fn version(&self) -> i64 {
        self.version
    }

    pub fn has_limits(&self) -> bool {
        !self.limits.is_empty()
    }

    /// Whether only an acquisition may lock the job.
    pub fn is_limited(&self, topic: &Arc<str>, tenant: &str, key: Option<&Arc<str>>) -> bool {
        !self.is_read || (!self.limits.is_empty() && self.limits.has(topic, tenant, key))
    }

    /// Whether the end of such a job may let another begin.
    pub fn counts(&self, topic: &Arc<str>, tenant: &str, key: Option<&Arc<str>>) -> bool {
        self.limits.has(topic, tenant, key)
    }

    /// A new life begins.
    pub fn doubt(&mut self) {
        self.is_read = false;
        self.is_reading = false;
        self.is_settling = false;
        self.reported = 0;
    }

    /// When a rate may let a job begin.
    pub fn wake_at(&self) -> Option<Timestamp> {
        self.rated.values().map(|wait| wait.at).min()
    }

    fn know(&mut self, stored: &StoredSettings) {
        self.is_read = true;
        self.version = stored.version;
        self.told = self.told.max(stored.version);
        self.limits = Limits::of(stored);
        let of_batch = |row: &JobDefinitionRow| {
            let set = JobOverride { is_suspended: row.suspended, priority: row.priority };
            Some(((batch_of_job_definition(row)?, batch_job_kind(&row.kind)), set))
        };
        self.batches = stored.job_definitions.iter().filter_map(of_batch).collect();
        self.rated.clear();
        for row in &stored.moved {
            let tenant = row.tenant.clone();
            let new = || Moved { tenant: tenant.clone(), former: Vec::new() };
            let moved = self.moved.entry(row.key).or_insert_with(new);
            if moved.tenant != tenant {
                moved.former.push(std::mem::replace(&mut moved.tenant, tenant));
            }
        }
        let unsettled = stored.moved.iter().filter(|row| !row.is_settled);
        self.unsettled = unsettled.map(|row| row.deployment).collect();
        self.unsettled.dedup();
        let has_set = !stored.suspended.is_empty() || !stored.job_definitions.is_empty();
        self.jobs =
            if has_set { Arc::new(with_set(&self.base, stored)) } else { self.base.clone() };
        self.suspended.retain(|_, version| *version > stored.version);
        for definition in self.suspended.keys() {
            suspend(&mut self.jobs, *definition);
        }
    }

    /// A definition may be deployed suspended, and started on a node that has not read the settings
    /// since: then its row is what counts.
    pub fn heed(&mut self, definition: DefinitionKey, suspended_under: Option<i64>) {
        let newer = suspended_under.filter(|version| *version > self.version);
        let Some(version) = newer else { return };
        self.told = self.told.max(version);
        if self.suspended.insert(definition, version).is_none() {
            suspend(&mut self.jobs, definition);
        }
    }
}

impl Limits {
    fn of(stored: &StoredSettings) -> Self {
        let mut limits = Self::default();
        for row in &stored.limits {
            let names = match row.scope {
                LimitScope::Topic => &mut limits.topics,
                LimitScope::Tenant => &mut limits.tenants,
                LimitScope::Key => &mut limits.keys,
            };
            names.insert(row.name.clone());
        }
        let each_ms = |rate: Rate| i64::from(rate.interval_ms) / i64::from(rate.jobs.max(1));
        let rates = stored.limits.iter().filter_map(|row| row.rate);
        let shortest = rates.map(each_ms).min();
        limits.rate_ms = shortest.map(|ms| ms.clamp(RATE_LOOK_MS_MIN, RATE_LOOK_MS_MAX));
        limits
    }

    fn is_empty(&self) -> bool {
        self.topics.is_empty() && self.tenants.is_empty() && self.keys.is_empty()
    }

    fn has(&self, topic: &Arc<str>, tenant: &str, key: Option<&Arc<str>>) -> bool {
        self.topics.contains(topic)
            || self.tenants.contains(tenant)
            || key.is_some_and(|key| self.keys.contains(key))
    }
}

fn suspend(settings: &mut Arc<JobSettings>, definition: DefinitionKey) {
    let settings = &mut Arc::make_mut(settings).definitions;
    settings.entry(definition).or_default().is_suspended = true;
}

fn with_set(base: &JobSettings, stored: &StoredSettings) -> JobSettings {
    let mut settings = base.clone();
    for definition in &stored.suspended {
        settings.definitions.entry(*definition).or_default().is_suspended = true;
    }
    for row in &stored.job_definitions {
        // One of a newer release; nothing here makes jobs of it.
        let Some(handler) = JobHandler::from_word(&row.kind) else { continue };
        let of = JobDefinition {
            element: row.element.as_str().into(),
            handler,
            configuration: row.configuration.clone(),
        };
        let set = JobOverride { is_suspended: row.suspended, priority: row.priority };
        settings.definitions.entry(row.definition).or_default().jobs.insert(of, set);
    }
    settings
}

impl Node {
    /// What the store had when this node joined. Without it the node reads by itself.
    pub fn know_settings(&mut self, stored: &StoredSettings) {
        self.known.is_reading = false;
        let is_news = !self.known.is_read || self.known.version != stored.version;
        self.known.know(stored);
        if !is_news {
            return;
        }
        self.chores.give_tenants(&self.known);
        // Others may wait until this node says so.
        self.heartbeat.hasten(self.now);
        // What was held up may go on now.
        self.slots_freed();
        if self.known.limits.rate_ms.is_some() {
            self.rate_holds_up(&self.engine_type.clone());
            for job_type in self.demands.keys().cloned().collect::<Vec<_>>() {
                self.rate_holds_up(&job_type);
            }
        }
    }

    pub(super) fn settings_told(&mut self, version: i64) {
        self.known.told = self.known.told.max(version);
    }

    /// Whoever tells waits to hear that they are seen; what was decided by older ones may have
    /// been under way at the last beat.
    pub(super) fn settings_asked(&mut self, version: i64) {
        self.settings_told(version);
        if self.known.reported < version && self.settings_seen() >= version {
            self.heartbeat.hasten(self.now);
        }
    }

    /// Reads what has been set since.
    pub(super) fn check_settings(&mut self) {
        let is_old = !self.known.is_read || self.known.told > self.known.version;
        if is_old
            && !self.known.is_reading
            && self.phase == Phase::Running
            && self.now >= self.retry_at
        {
            self.known.is_reading = true;
            self.find(Question::Settings, Find::Settings);
        }
    }

    pub(super) fn settings_unknown(&mut self) {
        self.known.is_reading = false;
        self.retry_at = self.now.plus_ms(RETRY_MS);
    }

    /// What a beat says; others may wait for it.
    pub(super) fn report_settings(&mut self) -> i64 {
        self.known.reported = self.settings_seen();
        self.known.reported
    }

    /// The version that everything under way was decided by.
    pub(super) fn settings_seen(&self) -> i64 {
        if !self.known.is_read {
            return 0;
        }
        if self.sabotaged(Sabotage::SeeTooEarly) {
            return self.known.version;
        }
        let lanes = self.lanes.iter().filter_map(super::Lane::settings);
        let acquisitions = self.questions.values().filter_map(Question::settings);
        lanes.chain(acquisitions).chain([self.known.version]).min().unwrap_or(0)
    }

    /// Whether only an acquisition may lock the job.
    pub(super) fn is_limited(
        &self,
        topic: &Arc<str>,
        tenant: &str,
        key: Option<&Arc<str>>,
    ) -> bool {
        self.known.is_limited(topic, tenant, key) && !self.sabotaged(Sabotage::IgnoreLimits)
    }

    /// A job that counts has ended, here or elsewhere: others of any type may begin.
    pub(super) fn slots_freed(&mut self) {
        self.engine_jobs_ready();
        for demand in self.demands.values_mut() {
            demand.backlog.raise();
        }
    }

    pub(super) fn tell_slots_freed(&mut self) {
        self.slots_freed();
        if self.has_peers {
            self.notices.types.insert(self.engine_type.clone());
        }
    }

    // ---- rates

    /// Jobs of this type may be left that have to wait for their rate.
    pub(super) fn rate_holds_up(&mut self, job_type: &Arc<str>) {
        if let Some(ms) = self.known.limits.rate_ms {
            let wait = RateWait { at: self.now.plus_ms(ms), is_looking: false, in_vain: 0 };
            self.known.rated.insert(job_type.clone(), wait);
        }
    }

    /// A look for jobs of this type brought nothing.
    pub(super) fn rate_in_vain(&mut self, job_type: &str) {
        let Some(ms) = self.known.limits.rate_ms else { return };
        let Some(wait) = self.known.rated.get_mut(job_type) else { return };
        if !std::mem::take(&mut wait.is_looking) {
            // It was looked for other reasons, and before its time.
            return;
        }
        wait.at = self.now.plus_ms((ms << wait.in_vain.min(16)).min(RATE_LOOK_MS_MAX));
        wait.in_vain += 1;
        if wait.in_vain > RATE_LOOKS_MAX {
            self.known.rated.remove(job_type);
        }
    }

    pub(super) fn check_rates(&mut self) {
        let now = self.now;
        if self.known.wake_at().is_none_or(|at| at > now) {
            return;
        }
        let mut due = Vec::new();
        for (job_type, wait) in &mut self.known.rated {
            if wait.at <= now {
                wait.at = now.plus_ms(RATE_LOOK_MS_MAX);
                wait.is_looking = true;
                due.push(job_type.clone());
            }
        }
        for job_type in due {
            if job_type.is_empty() {
                self.engine_jobs_ready();
            } else if let Some(demand) = self.demands.get_mut(&job_type) {
                demand.backlog.raise();
            } else {
                self.known.rated.remove(&job_type);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use orloj_store::MovedDefinition;

    use super::*;

    /// Settings that were read before it was deployed say nothing about it.
    #[test]
    fn a_definition_that_came_suspended_is_so_until_newer_settings_are_read() {
        let key = DefinitionKey::new(1);
        let stored = |version, suspended: &[DefinitionKey]| StoredSettings {
            version,
            suspended: suspended.to_vec(),
            ..StoredSettings::default()
        };
        let mut known = Known::default();
        known.know(&stored(4, &[]));
        known.heed(key, Some(6));
        assert!(known.jobs().is_suspended(key));
        assert_eq!(known.told, 6, "and they are read");
        known.know(&stored(5, &[]));
        assert!(known.jobs().is_suspended(key), "an answer that was under way");
        known.know(&stored(6, &[key]));
        assert!(known.jobs().is_suspended(key));
        known.know(&stored(7, &[]));
        known.heed(key, Some(6));
        assert!(!known.jobs().is_suspended(key), "it has been activated since");
    }

    /// What was begun in one of them is given the last one, whenever it is written.
    #[test]
    fn tenants_of_before_are_remembered() {
        let mut known = Known::default();
        let key = DefinitionKey::new(1);
        for tenant in ["acme", "acme", "other"].map(TenantId::new) {
            let deployment = DeploymentKey::new(2);
            let moved = vec![MovedDefinition { key, tenant, deployment, is_settled: true }];
            known.know(&StoredSettings { moved, ..StoredSettings::default() });
        }
        assert_eq!(known.tenant_of(key), Some(&TenantId::new("other")));
        assert!(known.had_tenant(key, &TenantId::new("acme")));
        assert!(!known.had_tenant(key, &TenantId::new("third")));
    }
}
