//! Reads.

use std::collections::BTreeMap;

use orloj_store::{
    DefinitionRow, EndedFilter, EndedRow, HistoryRow, IncidentFilter, IncidentRow, InstanceFilter,
    InstanceRow, JobFilter, JobRow, LoadedInstance, PAGE_ROWS_MAX, Page, UserTaskFilter,
    UserTaskRow,
};
use orloj_types::{
    DefinitionKey, ElementInstanceKey, EngineName, IncidentKey, InstanceKey, JobKey, ProcessId,
    UserTaskKey,
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
        })
        .collect()
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

    pub fn list_definitions(&self, page: Page) -> Vec<DefinitionRow> {
        let is_wanted = |row: &DefinitionRow| row.engine == self.engine;
        newest_first(&self.definitions, page, DefinitionKey::raw, is_wanted)
    }

    pub fn list_instances(&self, filter: &InstanceFilter, page: Page) -> Vec<InstanceRow> {
        newest_first(&self.instances, page, InstanceKey::raw, |row| {
            self.is_ours(&row.engine) && self.is_of(row.definition, filter.process_id.as_ref())
        })
    }

    pub fn list_ended(&self, filter: &EndedFilter, page: Page) -> Vec<EndedRow> {
        newest_first(&self.ended, page, InstanceKey::raw, |row| {
            self.is_ours(&row.engine) && self.is_of(row.definition, filter.process_id.as_ref())
        })
    }

    pub fn list_history(&self, instance: InstanceKey) -> Vec<HistoryRow> {
        let range = (instance, i32::MIN)..=(instance, i32::MAX);
        self.history.range(range).map(|(_, row)| row.clone()).collect()
    }

    pub fn list_jobs(&self, filter: &JobFilter, page: Page) -> Vec<JobRow> {
        newest_first(&self.jobs, page, JobKey::raw, |row| {
            self.is_ours(&row.engine)
                && filter.instance.is_none_or(|instance| row.instance == instance)
                && filter.job_type.as_ref().is_none_or(|job_type| row.job_type == *job_type)
                && filter.state.is_none_or(|state| row.state == state)
        })
    }

    pub fn list_incidents(&self, filter: &IncidentFilter, page: Page) -> Vec<IncidentRow> {
        newest_first(&self.incidents, page, IncidentKey::raw, |row| {
            self.is_ours(&row.engine)
                && filter.instance.is_none_or(|instance| row.instance == instance)
        })
    }

    pub fn list_user_tasks(&self, filter: &UserTaskFilter, page: Page) -> Vec<UserTaskRow> {
        newest_first(&self.user_tasks, page, UserTaskKey::raw, |row| {
            self.is_ours(&row.engine)
                && filter.instance.is_none_or(|instance| row.instance == instance)
        })
    }

    fn is_ours(&self, engine: &EngineName) -> bool {
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
