//! Reading: single rows by key, and pages.

use std::collections::HashMap;

use orloj_store::{
    EndedFilter, EndedRow, Error, HistoryRow, IncidentFilter, IncidentRow, InstanceFilter,
    InstanceRow, JobRow, LoadedInstance, PAGE_ROWS_MAX, Page, UserTaskFilter, UserTaskRow,
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
        let arm = |row: &tokio_postgres::Row| row.get::<_, i16>(8);
        let (instances, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(|r| arm(r) == 0);
        let (variables, pages): (Vec<_>, Vec<_>) = others.into_iter().partition(|r| arm(r) == 1);
        for row in &instances {
            self.at_hand.note(row.get(0), row.get(1), row.get(11));
        }
        let mut loaded: Vec<LoadedInstance> = read::all(&instances, read::instance)?
            .into_iter()
            .map(|row| LoadedInstance { row, variables: Vec::new(), pages: Vec::new() })
            .collect();
        let places: HashMap<InstanceKey, usize> =
            loaded.iter().enumerate().map(|(at, loaded)| (loaded.row.key, at)).collect();
        for variable in read::all(&variables, read::loaded_variable)? {
            // Variables of an instance that is no more are nobody's.
            if let Some(&at) = places.get(&variable.instance) {
                loaded[at].variables.push(variable);
            }
        }
        for page in read::all(&pages, read::loaded_page)? {
            if let Some(&at) = places.get(&page.instance) {
                loaded[at].pages.push(page);
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
        let values = InstanceValues::of(filter);
        self.page(&self.sql.instances, page, &values.params(), read::instance).await
    }

    pub(crate) async fn count_instances(&self, filter: &InstanceFilter) -> Result<u64, Error> {
        let values = InstanceValues::of(filter);
        self.count_page(&self.sql.instances, &values.params()).await
    }

    pub(crate) async fn ended(
        &self,
        filter: &EndedFilter,
        page: Page,
    ) -> Result<Vec<EndedRow>, Error> {
        let definition = filter.definition.map(|key| key.raw());
        let (process, tenant) = (filter.process_id.as_deref(), filter.tenant.as_deref());
        let business_key = filter.business_key.as_deref();
        let (before, after) =
            (filter.ended_before.map(|at| at.as_ms()), filter.ended_after.map(|at| at.as_ms()));
        let filter: [(&(dyn ToSql + Sync), Type); 7] = [
            (&process, Type::TEXT),
            (&definition, Type::INT8),
            (&tenant, Type::TEXT),
            (&business_key, Type::TEXT),
            (&filter.completed, Type::BOOL),
            (&before, Type::INT8),
            (&after, Type::INT8),
        ];
        self.page(&self.sql.ended, page, &filter, read::ended).await
    }

    pub(crate) async fn incidents(
        &self,
        filter: &IncidentFilter,
        page: Page,
    ) -> Result<Vec<IncidentRow>, Error> {
        let values = IncidentValues::of(filter);
        self.page(&self.sql.incidents, page, &values.params(), read::incident).await
    }

    pub(crate) async fn count_incidents(&self, filter: &IncidentFilter) -> Result<u64, Error> {
        let values = IncidentValues::of(filter);
        self.count_page(&self.sql.incidents, &values.params()).await
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

    /// All rows of a list that takes its filters as [`Self::page`] does.
    pub(crate) async fn count_page(&self, sql: &str, filter: Params<'_>) -> Result<u64, Error> {
        let engine = self.engine.as_str();
        let mut params: Vec<(&(dyn ToSql + Sync), Type)> =
            vec![(&engine, Type::TEXT), (&None::<i64>, Type::INT8), (&0_i64, Type::INT8)];
        params.extend(filter.iter().cloned());
        self.count(sql, &params).await
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

/// A filter as the statement takes it.
struct InstanceValues<'a> {
    process: Option<&'a str>,
    definition: Option<i64>,
    tenant: Option<&'a str>,
    business_key: Option<&'a str>,
    has_incidents: Option<bool>,
}

impl<'a> InstanceValues<'a> {
    fn of(filter: &'a InstanceFilter) -> Self {
        Self {
            process: filter.process_id.as_deref(),
            definition: filter.definition.map(|key| key.raw()),
            tenant: filter.tenant.as_deref(),
            business_key: filter.business_key.as_deref(),
            has_incidents: filter.has_incidents,
        }
    }

    fn params(&self) -> [(&(dyn ToSql + Sync), Type); 5] {
        [
            (&self.process, Type::TEXT),
            (&self.definition, Type::INT8),
            (&self.tenant, Type::TEXT),
            (&self.business_key, Type::TEXT),
            (&self.has_incidents, Type::BOOL),
        ]
    }
}

struct IncidentValues<'a> {
    instance: Option<i64>,
    definition: Option<i64>,
    tenant: Option<&'a str>,
    kind: Option<&'a str>,
    element: Option<&'a str>,
    job: Option<i64>,
    process: Option<&'a str>,
}

impl<'a> IncidentValues<'a> {
    fn of(filter: &'a IncidentFilter) -> Self {
        Self {
            instance: filter.instance.map(|key| key.raw()),
            definition: filter.definition.map(|key| key.raw()),
            tenant: filter.tenant.as_deref(),
            kind: filter.kind.as_deref(),
            element: filter.element.as_deref(),
            job: filter.job.map(|key| key.raw()),
            process: filter.process_id.as_deref(),
        }
    }

    fn params(&self) -> [(&(dyn ToSql + Sync), Type); 7] {
        [
            (&self.instance, Type::INT8),
            (&self.definition, Type::INT8),
            (&self.tenant, Type::TEXT),
            (&self.kind, Type::TEXT),
            (&self.element, Type::TEXT),
            (&self.job, Type::INT8),
            (&self.process, Type::TEXT),
        ]
    }
}
