//! What people set while jobs run: limits, suspensions, priorities.

use std::sync::Arc;

use orloj_store::{
    Error, JobDefinitionChange, JobDefinitionFilter, JobDefinitionRow, LimitRow, LimitScope,
    NewLimit, Page, Permits, StoredSettings,
};
use orloj_types::{DefinitionKey, JobDefinitionKey, Timestamp};

use super::Core;
use super::queries::newest_first;

impl Core {
    pub(super) fn raise_settings(&mut self) -> i64 {
        self.settings_version += 1;
        self.settings_version
    }

    pub fn stored_settings(&self) -> StoredSettings {
        let suspended = self.definitions.values().filter(|row| row.suspended);
        let set = self.job_definitions.values();
        let set = set.filter(|row| row.suspended || row.priority.is_some());
        StoredSettings {
            version: self.settings_version,
            limits: self.list_limits(),
            suspended: suspended.map(|row| row.key).collect(),
            job_definitions: set.cloned().collect(),
            moved: self.moved_definitions(),
        }
    }

    pub fn list_limits(&self) -> Vec<LimitRow> {
        self.limits.values().cloned().collect()
    }

    pub fn set_limit(&mut self, limit: NewLimit, now: Timestamp) -> Result<i64, Error> {
        self.open()?;
        limit.check()?;
        let place = (limit.scope, limit.name.clone());
        let row = LimitRow::replacing(self.limits.get(&place), limit, self.engine.clone(), now);
        self.limits.insert(place, row);
        Ok(self.raise_settings())
    }

    pub fn delete_limit(
        &mut self,
        scope: LimitScope,
        name: &Arc<str>,
    ) -> Result<Option<i64>, Error> {
        self.open()?;
        let gone = self.limits.remove(&(scope, name.clone()));
        Ok(gone.map(|_| self.raise_settings()))
    }

    pub(super) fn permits(&self, now: Timestamp) -> Permits {
        let counted = self.limits.values().map(|row| {
            let own = self.jobs.values().filter(|job| job.engine == self.engine);
            let locked = own.filter(|job| job.is_locked() && row.matches(job)).count();
            (row.clone(), locked as u64)
        });
        Permits::new(counted, now)
    }

    pub fn suspend_definitions(
        &mut self,
        definitions: &[DefinitionKey],
        suspended: bool,
    ) -> Result<Option<i64>, Error> {
        self.open()?;
        let mut found = false;
        for key in definitions {
            if let Some(row) = self.definitions.get_mut(key) {
                row.suspended = suspended;
                found = true;
            }
        }
        Ok(found.then(|| self.raise_settings()))
    }

    pub fn list_job_definitions(
        &self,
        filter: &JobDefinitionFilter,
        page: Page,
    ) -> Vec<JobDefinitionRow> {
        newest_first(&self.job_definitions, page, JobDefinitionKey::raw, |row| {
            self.is_ours(&row.engine) && filter.matches(row)
        })
    }

    pub fn count_job_definitions(&self, filter: &JobDefinitionFilter) -> u64 {
        let ours = self.job_definitions.values().filter(|row| self.is_ours(&row.engine));
        ours.filter(|row| filter.matches(row)).count() as u64
    }

    pub fn set_job_definition(
        &mut self,
        key: JobDefinitionKey,
        change: JobDefinitionChange,
    ) -> Result<Option<i64>, Error> {
        self.open()?;
        let Some(row) = self.job_definitions.get_mut(&key) else { return Ok(None) };
        row.suspended = change.suspended.unwrap_or(row.suspended);
        row.priority = change.priority.unwrap_or(row.priority);
        Ok(Some(self.raise_settings()))
    }
}
