//! Reading: single rows by key, and pages.

use std::collections::HashMap;

use orloj_store::{
    EndedFilter, EndedRow, Error, HistoryRow, IncidentFilter, IncidentRow, InstanceFilter,
    InstanceRow, JobFilter, JobRow, LoadedInstance, PAGE_ROWS_MAX, Page, UserTaskFilter,
    UserTaskRow,
};
use orloj_types::{ElementInstanceKey, IncidentKey, InstanceKey, JobKey, UserTaskKey};
use tokio_postgres::types::{ToSql, Type};

use crate::read::{self, Columns};
use crate::store::Shared;
use crate::transaction::Params;

/// Where the rows an element instance waits with are looked for first: two seconds of keys.
const NEAR_KEYS: i64 = 2_000 << 22;
const NEAR_ROWS_MAX: i64 = 1_000;

impl Shared {
    pub(crate) async fn load(
        &self,
        instances: &[InstanceKey],
    ) -> Result<Vec<LoadedInstance>, Error> {
        let keys: Vec<i64> = instances.iter().map(|key| key.raw()).collect();
        let rows = self.read(&self.sql.instance_load, &[(&keys, Type::INT8_ARRAY)]).await?;
        let is_variable = |row: &tokio_postgres::Row| row.get::<_, bool>(8);
        let (variables, instances): (Vec<_>, Vec<_>) = rows.into_iter().partition(is_variable);
        let mut loaded: Vec<LoadedInstance> = read::all(&instances, read::instance)?
            .into_iter()
            .map(|row| LoadedInstance { row, variables: Vec::new() })
            .collect();
        let places: HashMap<InstanceKey, usize> =
            loaded.iter().enumerate().map(|(at, loaded)| (loaded.row.key, at)).collect();
        for variable in read::all(&variables, read::loaded_variable)? {
            // Variables of an instance that is no more are nobody's.
            if let Some(&at) = places.get(&variable.instance) {
                loaded[at].variables.push(variable);
            }
        }
        Ok(loaded)
    }

    pub(crate) async fn job(&self, key: JobKey) -> Result<Option<JobRow>, Error> {
        self.by_key(&self.sql.job_load, key.raw(), read::job).await
    }

    pub(crate) async fn incident(&self, key: IncidentKey) -> Result<Option<IncidentRow>, Error> {
        self.by_key(&self.sql.incident_load, key.raw(), read::incident).await
    }

    pub(crate) async fn user_task(&self, key: UserTaskKey) -> Result<Option<UserTaskRow>, Error> {
        self.by_key(&self.sql.user_task_load, key.raw(), read::user_task).await
    }

    pub(crate) async fn ended_instance(&self, key: InstanceKey) -> Result<Option<EndedRow>, Error> {
        self.by_key(&self.sql.ended_load, key.raw(), read::ended).await
    }

    pub(crate) async fn instance_of(
        &self,
        scope: ElementInstanceKey,
    ) -> Result<Option<InstanceKey>, Error> {
        let (key, near_below) = (scope.raw(), scope.raw().saturating_add(NEAR_KEYS));
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&key, Type::INT8), (&near_below, Type::INT8), (&NEAR_ROWS_MAX, Type::INT8)];
        let rows = self.read(&self.sql.instance_of, &params).await?;
        let found = read::first(&rows, |row| row.get::<Option<i64>>(0))?;
        Ok(found.flatten().map(InstanceKey::new))
    }

    pub(crate) async fn history(&self, instance: InstanceKey) -> Result<Vec<HistoryRow>, Error> {
        let rows = self.read(&self.sql.history_load, &[(&instance.raw(), Type::INT8)]).await?;
        read::all(&rows, read::history)
    }

    pub(crate) async fn instances(
        &self,
        filter: &InstanceFilter,
        page: Page,
    ) -> Result<Vec<InstanceRow>, Error> {
        let process = filter.process_id.as_deref();
        let filter: [(&(dyn ToSql + Sync), Type); 1] = [(&process, Type::TEXT)];
        self.page(&self.sql.instances, page, &filter, read::instance).await
    }

    pub(crate) async fn ended(
        &self,
        filter: &EndedFilter,
        page: Page,
    ) -> Result<Vec<EndedRow>, Error> {
        let process = filter.process_id.as_deref();
        let filter: [(&(dyn ToSql + Sync), Type); 1] = [(&process, Type::TEXT)];
        self.page(&self.sql.ended, page, &filter, read::ended).await
    }

    pub(crate) async fn jobs(&self, filter: &JobFilter, page: Page) -> Result<Vec<JobRow>, Error> {
        let instance = filter.instance.map(|key| key.raw());
        let job_type = filter.job_type.as_deref();
        let state = filter.state.map(|state| state as i16);
        let filter: [(&(dyn ToSql + Sync), Type); 3] =
            [(&instance, Type::INT8), (&job_type, Type::TEXT), (&state, Type::INT2)];
        self.page(&self.sql.jobs, page, &filter, read::job).await
    }

    pub(crate) async fn incidents(
        &self,
        filter: &IncidentFilter,
        page: Page,
    ) -> Result<Vec<IncidentRow>, Error> {
        let instance = filter.instance.map(|key| key.raw());
        let filter: [(&(dyn ToSql + Sync), Type); 1] = [(&instance, Type::INT8)];
        self.page(&self.sql.incidents, page, &filter, read::incident).await
    }

    pub(crate) async fn user_tasks(
        &self,
        filter: &UserTaskFilter,
        page: Page,
    ) -> Result<Vec<UserTaskRow>, Error> {
        let instance = filter.instance.map(|key| key.raw());
        let filter: [(&(dyn ToSql + Sync), Type); 1] = [(&instance, Type::INT8)];
        self.page(&self.sql.user_tasks, page, &filter, read::user_task).await
    }

    /// Every list takes the engine, the key to start before and the number of rows, then filters.
    pub(crate) async fn page<T>(
        &self,
        sql: &str,
        page: Page,
        filter: Params<'_>,
        read: fn(&Columns<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let (engine, limit) = (self.engine.as_str(), i64::from(page.limit.min(PAGE_ROWS_MAX)));
        let mut params: Vec<(&(dyn ToSql + Sync), Type)> =
            vec![(&engine, Type::TEXT), (&page.before, Type::INT8), (&limit, Type::INT8)];
        params.extend(filter.iter().cloned());
        read::all(&self.read(sql, &params).await?, read)
    }

    pub(crate) async fn by_key<T>(
        &self,
        sql: &str,
        key: i64,
        read: fn(&Columns<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        read::first(&self.read(sql, &[(&key, Type::INT8)]).await?, read)
    }
}
