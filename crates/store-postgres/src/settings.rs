//! What people set while jobs run, and the version that tells nodes of it.

use orloj_store::format::encode_profile;
use orloj_store::{
    Error, JobDefinitionChange, JobDefinitionFilter, JobDefinitionRow, Lease, NodeProfile, Page,
    StoredSettings,
};
use orloj_types::{DefinitionKey, ElementId, EngineName, JobDefinitionKey, ProcessId, TenantId};
use tokio_postgres::types::{ToSql, Type};

use crate::error::damaged;
use crate::read::{self, Columns};
use crate::row_array::RowArray;
use crate::store::Shared;
use crate::transaction::{Params, Transaction};

impl Shared {
    /// Last in its transaction: everybody who sets something waits for its row.
    pub(crate) async fn raise_settings(&self, transaction: &Transaction<'_>) -> Result<i64, Error> {
        let engine = self.engine.as_str();
        let rows = transaction.rows(&self.sql.settings_raise, &[(&engine, Type::TEXT)]).await?;
        let version = read::first(&rows, |row| row.get(0))?;
        version.ok_or_else(|| damaged("settings", "no version was given"))
    }

    /// The version first: what is set meanwhile is set once more with the next one.
    pub(crate) async fn settings(&self) -> Result<StoredSettings, Error> {
        let engine = self.engine.as_str();
        let params: [(&(dyn ToSql + Sync), Type); 1] = [(&engine, Type::TEXT)];
        let version = self.read(&self.sql.settings_version, &params).await?;
        let version = read::first(&version, |row| row.get(0))?;
        let suspended = self.read(&self.sql.definitions_suspended, &params).await?;
        let set = self.read(&self.sql.job_definitions_set, &params).await?;
        Ok(StoredSettings {
            version: version.unwrap_or(0),
            limits: self.limits().await?,
            suspended: read::all(&suspended, |row| row.get(0).map(DefinitionKey::new))?,
            job_definitions: read::all(&set, job_definition)?,
            moved: self.moved_definitions(&params).await?,
        })
    }

    pub(crate) async fn describe_node(
        &self,
        lease: Lease,
        profile: &NodeProfile,
    ) -> Result<i64, Error> {
        self.make_order_index(profile.order).await?;
        let bytes = encode_profile(profile);
        let params: [(&(dyn ToSql + Sync), Type); 2] =
            [(&lease.session, Type::INT8), (&bytes, Type::BYTEA)];
        self.set(&self.sql.node_describe, &params).await?.ok_or(Error::Fenced)
    }

    pub(crate) async fn suspend_definitions(
        &self,
        definitions: &[DefinitionKey],
        suspended: bool,
    ) -> Result<Option<i64>, Error> {
        let keys: Vec<i64> = definitions.iter().map(|key| key.raw()).collect();
        let params: [(&(dyn ToSql + Sync), Type); 2] =
            [(&keys, Type::INT8_ARRAY), (&suspended, Type::BOOL)];
        self.set(&self.sql.definition_suspend, &params).await
    }

    pub(crate) async fn set_job_definition(
        &self,
        key: JobDefinitionKey,
        change: JobDefinitionChange,
    ) -> Result<Option<i64>, Error> {
        let (key, is_set, priority) =
            (key.raw(), change.priority.is_some(), change.priority.flatten());
        let params: [(&(dyn ToSql + Sync), Type); 4] = [
            (&key, Type::INT8),
            (&change.suspended, Type::BOOL),
            (&is_set, Type::BOOL),
            (&priority, Type::INT8),
        ];
        self.set(&self.sql.job_definition_set, &params).await
    }

    pub(crate) async fn job_definition(
        &self,
        key: JobDefinitionKey,
    ) -> Result<Option<JobDefinitionRow>, Error> {
        self.by_key(&self.sql.job_definition_load, key.raw(), job_definition).await
    }

    pub(crate) async fn job_definitions(
        &self,
        filter: &JobDefinitionFilter,
        page: Page,
    ) -> Result<Vec<JobDefinitionRow>, Error> {
        let values = JobDefinitionValues::of(filter);
        self.page(&self.sql.job_definitions, page, &values.params(), job_definition).await
    }

    pub(crate) async fn count_job_definitions(
        &self,
        filter: &JobDefinitionFilter,
    ) -> Result<u64, Error> {
        let values = JobDefinitionValues::of(filter);
        self.count_page(&self.sql.job_definitions, &values.params()).await
    }

    pub(crate) fn job_definition_rows(&self, rows: &[JobDefinitionRow]) -> RowArray {
        let mut array = RowArray::new(&self.types.job_definition_in);
        for row in rows {
            put_job_definition(&mut array, row);
        }
        array
    }

    /// The version of the settings; `None` when the statement met no row.
    async fn set(&self, sql: &str, params: Params<'_>) -> Result<Option<i64>, Error> {
        let transaction = Transaction::begin(&self.readers).await?;
        if transaction.execute(sql, params).await? == 0 {
            transaction.roll_back().await?;
            return Ok(None);
        }
        let version = self.raise_settings(&transaction).await?;
        transaction.commit().await?;
        Ok(Some(version))
    }
}

pub(crate) fn put_job_definition(array: &mut RowArray, row: &JobDefinitionRow) {
    array.push(|r| {
        r.int8(row.key.raw()).text(&row.engine).text(&row.tenant);
        r.int8(row.definition.raw()).text(&row.process_id).text(&row.element);
        r.text(&row.kind).text(&row.configuration).bool(row.suspended);
        r.int8_or_null(row.priority);
    });
}

fn job_definition(row: &Columns<'_>) -> Result<JobDefinitionRow, Error> {
    Ok(JobDefinitionRow {
        key: JobDefinitionKey::new(row.get(0)?),
        engine: EngineName::new(row.text(1)?),
        tenant: TenantId::new(row.text(2)?),
        definition: DefinitionKey::new(row.get(3)?),
        process_id: ProcessId::new(row.text(4)?),
        element: ElementId::new(row.text(5)?),
        kind: row.text(6)?,
        configuration: row.text(7)?,
        suspended: row.get(8)?,
        priority: row.get(9)?,
    })
}

struct JobDefinitionValues<'a> {
    definition: Option<i64>,
    process: Option<&'a str>,
    tenant: Option<&'a str>,
    element: Option<&'a str>,
    kind: Option<&'a str>,
    configuration: Option<&'a str>,
    suspended: Option<bool>,
    has_priority: Option<bool>,
}

impl<'a> JobDefinitionValues<'a> {
    fn of(filter: &'a JobDefinitionFilter) -> Self {
        Self {
            definition: filter.definition.map(DefinitionKey::raw),
            process: filter.process_id.as_deref(),
            tenant: filter.tenant.as_deref(),
            element: filter.element.as_deref(),
            kind: filter.kind.as_deref(),
            configuration: filter.configuration.as_deref(),
            suspended: filter.suspended,
            has_priority: filter.has_priority,
        }
    }

    fn params(&self) -> [(&(dyn ToSql + Sync), Type); 8] {
        [
            (&self.definition, Type::INT8),
            (&self.process, Type::TEXT),
            (&self.tenant, Type::TEXT),
            (&self.element, Type::TEXT),
            (&self.kind, Type::TEXT),
            (&self.configuration, Type::TEXT),
            (&self.suspended, Type::BOOL),
            (&self.has_priority, Type::BOOL),
        ]
    }
}
