//! Reads.

use std::collections::BTreeMap;

use orloj_store::format::{RecordMessage, decode_record};
use orloj_store::{
    AssetRow, DecisionRow, DefinitionFilter, DefinitionRow, EndedFilter, EndedRow, Error,
    HistoryRow, IncidentFilter, IncidentRow, InstanceFilter, InstanceRow, JobFilter, JobRow,
    LoadedInstance, PAGE_ROWS_MAX, Page, UserTaskFilter, UserTaskRow,
};
use orloj_types::{
    DefinitionKey, ElementInstanceKey, EngineName, IncidentKey, InstanceKey, ProcessId, UserTaskKey,
};

use super::Core;

impl Core {
    pub fn load(&self, instances: &[InstanceKey]) -> Vec<LoadedInstance> {
        let rows = instances.iter().filter_map(|key| self.instances.get(key));
        rows.map(|row| LoadedInstance {
            row: row.clone(),
            variables: self
                .variables
                .values()
                .filter(|variable| variable.instance == row.key)
                .cloned()
                .collect(),
            pages: self.pages.values().filter(|page| page.instance == row.key).cloned().collect(),
        })
        .collect()
    }

    /// The record of an instance, with its pages.
    pub fn record_of(&self, row: &InstanceRow) -> Result<RecordMessage, Error> {
        let mut record = decode_record(&row.record)?;
        for page in self.pages.values().filter(|page| page.instance == row.key) {
            let part = decode_record(&page.bytes)?;
            record.elements.extend(part.elements);
            record.scopes.extend(part.scopes);
        }
        if record.exclusive_parked.is_empty() {
            let holders = record.root.iter().chain(&record.elements);
            let jobs = holders.flat_map(|element| &element.jobs).filter(|job| job.ticket > 0);
            let mut parked: Vec<_> = jobs.map(|job| (job.ticket, job.key)).collect();
            parked.sort_unstable();
            record.exclusive_parked = parked.into_iter().map(|(_, key)| key).collect();
        }
        Ok(record)
    }

    pub fn instance_of(&self, scope: ElementInstanceKey) -> Option<InstanceKey> {
        let own = InstanceKey::new(scope.raw());
        if self.instances.contains_key(&own) {
            return Some(own);
        }
        let jobs = self.jobs.values().map(|row| (row.element_instance, row.instance));
        let incidents = self.incidents.values().map(|row| (row.element_instance, row.instance));
        let tasks = self.user_tasks.values().map(|row| (row.element_instance, row.instance));
        let waits = self.subscriptions.values().map(|row| (row.element_instance, row.instance));
        let mut all = jobs.chain(incidents).chain(tasks).chain(waits);
        all.find(|(element, _)| *element == scope).map(|(_, instance)| instance)
    }

    pub fn list_definitions(&self, filter: &DefinitionFilter, page: Page) -> Vec<DefinitionRow> {
        fn is<T: PartialEq>(wanted: Option<&T>, found: &T) -> bool {
            wanted.is_none_or(|wanted| wanted == found)
        }
        let is_there = |row: &DefinitionRow| row.engine == self.engine && !row.is_deleted;
        let is_latest = |row: &DefinitionRow| {
            let follows = |later: &DefinitionRow| {
                later.tenant == row.tenant
                    && later.process_id == row.process_id
                    && later.version > row.version
            };
            !self.definitions.values().any(|later| is_there(later) && follows(later))
        };
        let is_wanted = |row: &DefinitionRow| {
            is_there(row)
                && is(filter.process_id.as_ref(), &row.process_id)
                && is(filter.tenant.as_ref(), &row.tenant)
                && is(filter.version.as_ref(), &row.version)
                && is(filter.deployment.as_ref(), &row.deployment)
                && is(filter.suspended.as_ref(), &row.suspended)
                && (!filter.only_latest || is_latest(row))
        };
        newest_first(&self.definitions, page, DefinitionKey::raw, is_wanted)
    }

    pub fn list_decisions(&self, page: Page) -> Vec<DecisionRow> {
        let is_wanted = |row: &DecisionRow| row.engine == self.engine && !row.is_deleted;
        newest_first(&self.decisions, page, |key| key.0, is_wanted)
    }

    pub fn list_assets(&self, page: Page) -> Vec<AssetRow> {
        let is_wanted = |row: &AssetRow| row.engine == self.engine && !row.is_deleted;
        newest_first(&self.assets, page, |key| key.0, is_wanted)
    }

    pub fn list_instances(&self, filter: &InstanceFilter, page: Page) -> Vec<InstanceRow> {
        newest_first(&self.instances, page, InstanceKey::raw, |row| self.is_instance(row, filter))
    }

    pub fn count_instances(&self, filter: &InstanceFilter) -> u64 {
        self.instances.values().filter(|row| self.is_instance(row, filter)).count() as u64
    }

    fn is_instance(&self, row: &InstanceRow, filter: &InstanceFilter) -> bool {
        let has_incidents =
            |has: bool| self.incidents.values().any(|incident| incident.instance == row.key) == has;
        self.is_ours(&row.engine)
            && self.is_of(row.definition, filter.process_id.as_ref())
            && filter.definition.is_none_or(|definition| row.definition == definition)
            && filter.tenant.as_ref().is_none_or(|tenant| row.tenant == *tenant)
            && filter.business_key.as_ref().is_none_or(|key| row.business_key.as_ref() == Some(key))
            && filter.has_incidents.is_none_or(has_incidents)
    }

    pub fn list_ended(&self, filter: &EndedFilter, page: Page) -> Vec<EndedRow> {
        newest_first(&self.ended, page, InstanceKey::raw, |row| {
            self.is_ours(&row.engine)
                && self.is_of(row.definition, filter.process_id.as_ref())
                && filter.definition.is_none_or(|definition| row.definition == definition)
                && filter.tenant.as_ref().is_none_or(|tenant| row.tenant == *tenant)
                && filter
                    .business_key
                    .as_ref()
                    .is_none_or(|key| row.business_key.as_ref() == Some(key))
                && filter.completed.is_none_or(|completed| row.completed == completed)
                && filter.ended_before.is_none_or(|at| row.ended_at < at)
                && filter.ended_after.is_none_or(|at| row.ended_at > at)
        })
    }

    pub fn list_history(&self, instance: InstanceKey) -> Vec<HistoryRow> {
        let range = (instance, i32::MIN)..=(instance, i32::MAX);
        self.history.range(range).map(|(_, row)| row.clone()).collect()
    }

    pub fn list_jobs(&self, filter: &JobFilter, page: Page) -> Vec<JobRow> {
        let before = page.before.unwrap_or(i64::MAX);
        let of_page =
            self.jobs.values().filter(|job| page.before.is_none() || job.key.raw() < before);
        let mut jobs: Vec<&JobRow> = of_page.filter(|job| self.is_job(job, filter)).collect();
        jobs.sort_by_key(|job| filter.order.place(job));
        let limit = page.limit.min(PAGE_ROWS_MAX) as usize;
        jobs.into_iter().skip(filter.offset as usize).take(limit).cloned().collect()
    }

    pub fn count_jobs(&self, filter: &JobFilter) -> u64 {
        self.jobs.values().filter(|job| self.is_job(job, filter)).count() as u64
    }

    fn is_job(&self, job: &JobRow, filter: &JobFilter) -> bool {
        let process_of =
            |key: DefinitionKey| self.definitions.get(&key).map(|row| row.process_id.clone());
        self.is_ours(&job.engine) && filter.matches(job, process_of)
    }

    pub fn list_incidents(&self, filter: &IncidentFilter, page: Page) -> Vec<IncidentRow> {
        newest_first(&self.incidents, page, IncidentKey::raw, |row| self.is_incident(row, filter))
    }

    pub fn count_incidents(&self, filter: &IncidentFilter) -> u64 {
        self.incidents.values().filter(|row| self.is_incident(row, filter)).count() as u64
    }

    fn is_incident(&self, row: &IncidentRow, filter: &IncidentFilter) -> bool {
        self.is_ours(&row.engine)
            && filter.instance.is_none_or(|instance| row.instance == instance)
            && filter.definition.is_none_or(|definition| row.definition == definition)
            && filter.tenant.as_ref().is_none_or(|tenant| row.tenant == *tenant)
            && filter.kind.as_ref().is_none_or(|kind| row.kind == *kind)
            && filter.element.as_ref().is_none_or(|element| row.element == *element)
            && filter.job.is_none_or(|job| row.job == Some(job))
            && self.is_of(row.definition, filter.process_id.as_ref())
    }

    pub fn list_user_tasks(&self, filter: &UserTaskFilter, page: Page) -> Vec<UserTaskRow> {
        newest_first(&self.user_tasks, page, UserTaskKey::raw, |row| {
            self.is_ours(&row.engine)
                && filter.instance.is_none_or(|instance| row.instance == instance)
        })
    }

    pub(super) fn is_ours(&self, engine: &EngineName) -> bool {
        *engine == self.engine
    }

    fn is_of(&self, definition: DefinitionKey, process_id: Option<&ProcessId>) -> bool {
        process_id.is_none_or(|wanted| {
            self.definitions.get(&definition).is_some_and(|row| row.process_id == *wanted)
        })
    }
}

pub(super) fn newest_first<K: Copy, R: Clone>(
    rows: &BTreeMap<K, R>,
    page: Page,
    raw: impl Fn(K) -> i64,
    is_wanted: impl Fn(&R) -> bool,
) -> Vec<R> {
    rows.iter()
        .rev()
        .filter(|(key, _)| page.before.is_none_or(|before| raw(**key) < before))
        .filter(|(_, row)| is_wanted(row))
        .take(page.limit.min(PAGE_ROWS_MAX) as usize)
        .map(|(_, row)| row.clone())
        .collect()
}
