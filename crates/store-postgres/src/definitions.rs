//! Definitions: deploying and finding them.

use std::collections::HashMap;
use std::sync::Arc;

use orloj_store::{
    DefinitionFilter, DefinitionRow, Error, NewDefinition, NewDeployment, NewResource, Page,
    StartRow, StoredDeployment, job_definitions_of, starts_of,
};
use orloj_types::{DefinitionKey, DeploymentKey, ProcessId, TenantId};
use tokio_postgres::types::{ToSql, Type};

use crate::read;
use crate::row_array::RowArray;
use crate::store::Shared;
use crate::transaction::Transaction;

type Latest = HashMap<ProcessId, DefinitionRow>;

impl Shared {
    pub(crate) async fn deploy(&self, new: &NewDeployment) -> Result<StoredDeployment, Error> {
        let transaction = Transaction::begin(&self.readers).await?;
        // One deployment of an engine at a time: versions are counted.
        self.lock_advisory(&transaction, &format!("deploy {}", new.engine)).await?;
        let latest = self.latest(&transaction, new).await?;
        let latest_decisions = self.latest_decisions(&transaction, new).await?;
        let latest_assets = self.latest_assets(&transaction, new).await?;
        let same =
            (same_as_latest(new, &latest), latest_decisions.same(new), latest_assets.same(new));
        if let (Some(definitions), Some(decisions), Some(assets)) = same {
            transaction.roll_back().await?;
            let (key, duplicate, settings) = (new.key, true, None);
            let stored =
                StoredDeployment { key, duplicate, definitions, decisions, assets, settings };
            return Ok(stored);
        }
        let definitions = next_versions(new, &latest);
        let resources = self.resource_rows(new);
        if !resources.is_empty() {
            transaction.execute(&self.sql.resource_insert, &[resources.param()]).await?;
        }
        let rows = self.definition_rows(&definitions);
        if !rows.is_empty() {
            transaction.execute(&self.sql.definition_insert, &[rows.param()]).await?;
        }
        let decisions = latest_decisions.next_versions(new);
        let rows = self.decision_rows(&decisions);
        if !rows.is_empty() {
            transaction.execute(&self.sql.decision_insert, &[rows.param()]).await?;
        }
        let assets = latest_assets.next_versions(new);
        let rows = self.asset_rows(&assets);
        if !rows.is_empty() {
            transaction.execute(&self.sql.asset_insert, &[rows.param()]).await?;
        }
        self.replace_starts(&transaction, new, &definitions).await?;
        self.replace_chores(&transaction, new, &definitions).await?;
        let settings = match new.has_suspended() {
            true => Some(self.raise_settings(&transaction).await?),
            false => None,
        };
        transaction.commit().await?;
        let (key, duplicate) = (new.key, false);
        Ok(StoredDeployment { key, duplicate, definitions, decisions, assets, settings })
    }

    pub(crate) async fn definition(
        &self,
        key: DefinitionKey,
    ) -> Result<Option<DefinitionRow>, Error> {
        let rows = self.read(&self.sql.definition_load, &[(&key.raw(), Type::INT8)]).await?;
        read::first(&rows, read::definition)
    }

    pub(crate) async fn find_definition(
        &self,
        process_id: &ProcessId,
        tenant: &TenantId,
        version: Option<i32>,
    ) -> Result<Option<DefinitionRow>, Error> {
        let (engine, tenant, process_id) =
            (self.engine.as_str(), tenant.as_str(), process_id.as_str());
        let params: [(&(dyn ToSql + Sync), Type); 4] = [
            (&engine, Type::TEXT),
            (&tenant, Type::TEXT),
            (&process_id, Type::TEXT),
            (&version, Type::INT4),
        ];
        read::first(&self.read(&self.sql.definition_find, &params).await?, read::definition)
    }

    pub(crate) async fn resource(
        &self,
        deployment: DeploymentKey,
        name: &str,
    ) -> Result<Option<Arc<[u8]>>, Error> {
        let key = deployment.raw();
        let params: [(&(dyn ToSql + Sync), Type); 2] = [(&key, Type::INT8), (&name, Type::TEXT)];
        let rows = self.read(&self.sql.resource_load, &params).await?;
        read::first(&rows, |row| Ok(row.get::<&[u8]>(0)?.into()))
    }

    pub(crate) async fn definitions(
        &self,
        filter: &DefinitionFilter,
        page: Page,
    ) -> Result<Vec<DefinitionRow>, Error> {
        let (process_id, tenant) = (filter.process_id.as_deref(), filter.tenant.as_deref());
        let deployment = filter.deployment.map(DeploymentKey::raw);
        let params: [(&(dyn ToSql + Sync), Type); 6] = [
            (&process_id, Type::TEXT),
            (&tenant, Type::TEXT),
            (&filter.version, Type::INT4),
            (&deployment, Type::INT8),
            (&filter.suspended, Type::BOOL),
            (&filter.only_latest, Type::BOOL),
        ];
        self.page(&self.sql.definitions, page, &params, read::definition).await
    }

    async fn latest(
        &self,
        transaction: &Transaction<'_>,
        new: &NewDeployment,
    ) -> Result<Latest, Error> {
        let processes: Vec<&str> =
            definitions_of(new).map(|(_, definition)| definition.process_id.as_str()).collect();
        let (engine, tenant) = (new.engine.as_str(), new.tenant.as_str());
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&engine, Type::TEXT), (&tenant, Type::TEXT), (&processes, Type::TEXT_ARRAY)];
        let rows = transaction.rows(&self.sql.definition_latest, &params).await?;
        let rows = read::all(&rows, read::definition)?;
        Ok(rows.into_iter().map(|row| (row.process_id.clone(), row)).collect())
    }

    /// Start events of versions that are not the latest any more start nothing.
    async fn replace_starts(
        &self,
        transaction: &Transaction<'_>,
        new: &NewDeployment,
        definitions: &[DefinitionRow],
    ) -> Result<(), Error> {
        if definitions.is_empty() {
            return Ok(());
        }
        let processes: Vec<&str> = definitions.iter().map(|row| row.process_id.as_str()).collect();
        let (engine, tenant) = (new.engine.as_str(), new.tenant.as_str());
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&engine, Type::TEXT), (&tenant, Type::TEXT), (&processes, Type::TEXT_ARRAY)];
        transaction.execute(&self.sql.start_replace, &params).await?;
        let rows = self.start_rows(&starts_of(new, definitions));
        if !rows.is_empty() {
            transaction.execute(&self.sql.start_insert, &[rows.param()]).await?;
        }
        Ok(())
    }

    /// Start timers of earlier versions go, in the order in which groups lock them: after start
    /// events. What comes with the new ones is written.
    async fn replace_chores(
        &self,
        transaction: &Transaction<'_>,
        new: &NewDeployment,
        definitions: &[DefinitionRow],
    ) -> Result<(), Error> {
        if definitions.is_empty() {
            return Ok(());
        }
        let processes: Vec<&str> = definitions.iter().map(|row| row.process_id.as_str()).collect();
        let (engine, tenant) = (new.engine.as_str(), new.tenant.as_str());
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&engine, Type::TEXT), (&tenant, Type::TEXT), (&processes, Type::TEXT_ARRAY)];
        let gone = transaction.rows(&self.sql.chore_replaced, &params).await?;
        let come: Vec<_> =
            definitions_of(new).flat_map(|(_, definition)| &definition.chores).collect();
        self.exchange_chores(transaction, &gone, &come, new.logs_chores, new.now).await?;
        let jobs = self.job_definition_rows(&job_definitions_of(new, definitions));
        if !jobs.is_empty() {
            transaction.execute(&self.sql.job_definition_insert, &[jobs.param()]).await?;
        }
        Ok(())
    }

    pub(crate) fn start_rows(&self, starts: &[StartRow]) -> RowArray {
        let mut rows = RowArray::new(&self.types.start_in);
        for row in starts {
            rows.push(|r| {
                r.int8(row.definition.raw()).text(&row.event).text(&row.engine).text(&row.tenant);
                r.text(&row.process_id).int2(row.kind as i16).text(&row.name);
            });
        }
        rows
    }

    fn resource_rows(&self, new: &NewDeployment) -> RowArray {
        let mut rows = RowArray::new(&self.types.resource_in);
        for resource in &new.resources {
            rows.push(|r| {
                r.int8(new.key.raw()).text(&resource.name).text(&new.engine).text(&new.tenant);
                r.bytes(&resource.content);
            });
        }
        rows
    }

    fn definition_rows(&self, definitions: &[DefinitionRow]) -> RowArray {
        let mut rows = RowArray::new(&self.types.definition_in);
        for row in definitions {
            rows.push(|r| {
                r.int8(row.key.raw()).text(&row.engine).text(&row.tenant).text(&row.process_id);
                r.int4(row.version).int8(row.deployment.raw()).text(&row.resource_name);
                r.bytes(&row.checksum).text(&row.dialect).int4(row.checks);
                r.int8(row.deployed_at.as_ms()).bool(row.suspended);
            });
        }
        rows
    }
}

fn definitions_of(new: &NewDeployment) -> impl Iterator<Item = (&NewResource, &NewDefinition)> {
    new.resources
        .iter()
        .flat_map(|resource| resource.definitions.iter().map(move |d| (resource, d)))
}

/// The stored definitions, if nothing is new.
fn same_as_latest(new: &NewDeployment, latest: &Latest) -> Option<Vec<DefinitionRow>> {
    definitions_of(new)
        .map(|(resource, definition)| {
            latest
                .get(&definition.process_id)
                .filter(|row| !row.is_deleted && row.resource_name == resource.name)
                .filter(|row| row.checksum == resource.checksum)
                .cloned()
        })
        .collect()
}

fn next_versions(new: &NewDeployment, latest: &Latest) -> Vec<DefinitionRow> {
    let mut versions: HashMap<&ProcessId, i32> =
        latest.iter().map(|(process, row)| (process, row.version)).collect();
    definitions_of(new)
        .map(|(resource, definition)| {
            let version = versions.entry(&definition.process_id).or_insert(0);
            *version += 1;
            DefinitionRow {
                key: definition.key,
                engine: new.engine.clone(),
                tenant: new.tenant.clone(),
                process_id: definition.process_id.clone(),
                version: *version,
                deployment: new.key,
                resource_name: Arc::clone(&resource.name),
                checksum: resource.checksum,
                dialect: Arc::clone(&resource.dialect),
                checks: resource.checks,
                deployed_at: new.now,
                suspended: definition.suspended,
                is_deleted: false,
            }
        })
        .collect()
}
