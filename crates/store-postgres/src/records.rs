//! Batches, operations and meters as they are read, and the removal of what is old.

use orloj_store::{
    BatchFilter, BatchRow, EndedBatchRow, Error, MeterQuery, MeterRow, MeterSum, OperationFilter,
    OperationRow, PAGE_ROWS_MAX, PRUNE_ROWS_MAX, Page, Prune, PruneQuery, Pruned,
};
use orloj_types::{
    BatchKey, DefinitionKey, EngineName, InstanceKey, JobDefinitionKey, OperationKey, TenantId,
    Timestamp,
};
use tokio_postgres::types::{ToSql, Type};

use crate::read::{self, Columns};
use crate::row_array::RowArray;
use crate::store::Shared;

impl Shared {
    pub(crate) async fn batch(&self, key: BatchKey) -> Result<Option<BatchRow>, Error> {
        self.by_key(&self.sql.batch_load, key.raw(), batch).await
    }

    pub(crate) async fn batches(
        &self,
        filter: &BatchFilter,
        page: Page,
    ) -> Result<Vec<BatchRow>, Error> {
        let (kind, tenant) = (filter.kind.as_deref(), filter.tenant.as_deref());
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&kind, Type::TEXT), (&tenant, Type::TEXT), (&filter.suspended, Type::BOOL)];
        self.page(&self.sql.batches, page, &params, batch).await
    }

    pub(crate) async fn ended_batches(
        &self,
        filter: &BatchFilter,
        page: Page,
    ) -> Result<Vec<EndedBatchRow>, Error> {
        let (kind, tenant) = (filter.kind.as_deref(), filter.tenant.as_deref());
        let params: [(&(dyn ToSql + Sync), Type); 2] = [(&kind, Type::TEXT), (&tenant, Type::TEXT)];
        self.page(&self.sql.ended_batches, page, &params, ended_batch).await
    }

    pub(crate) async fn operations(
        &self,
        filter: &OperationFilter,
        page: Page,
    ) -> Result<Vec<OperationRow>, Error> {
        let group = filter.group.map(OperationKey::raw);
        let (user, operation) = (filter.user.as_deref(), filter.operation.as_deref());
        let (entity, property) = (filter.entity.as_deref(), filter.property.as_deref());
        let instance = filter.instance.map(InstanceKey::raw);
        let definition = filter.definition.map(DefinitionKey::raw);
        let job_definition = filter.job_definition.map(JobDefinitionKey::raw);
        let (from, until) = (filter.from.map(Timestamp::as_ms), filter.until.map(Timestamp::as_ms));
        let params: [(&(dyn ToSql + Sync), Type); 11] = [
            (&group, Type::INT8),
            (&user, Type::TEXT),
            (&operation, Type::TEXT),
            (&entity, Type::TEXT),
            (&filter.entity_key, Type::INT8),
            (&instance, Type::INT8),
            (&definition, Type::INT8),
            (&job_definition, Type::INT8),
            (&property, Type::TEXT),
            (&from, Type::INT8),
            (&until, Type::INT8),
        ];
        self.page(&self.sql.operations, page, &params, operation_row).await
    }

    pub(crate) async fn add_meters(&self, meters: &[MeterRow]) -> Result<(), Error> {
        if meters.is_empty() {
            return Ok(());
        }
        let mut rows = RowArray::new(&self.types.meter_in);
        for row in meters {
            rows.push(|r| {
                r.text(&row.engine).text(&row.name).int8(row.at.as_ms());
                r.text(&row.reporter).int8(row.value);
            });
        }
        self.write(&self.sql.meter_add, &[rows.param()]).await.map(drop)
    }

    pub(crate) async fn meters(&self, query: &MeterQuery) -> Result<Vec<MeterSum>, Error> {
        let engine = self.engine.as_str();
        let (name, reporter) = (query.name.as_deref(), query.reporter.as_deref());
        let (from, until) = (query.from.map(Timestamp::as_ms), query.until.map(Timestamp::as_ms));
        let interval = query.interval_ms.map(|ms| ms.max(1));
        let limit = i64::from(query.limit.min(PAGE_ROWS_MAX));
        let params: [(&(dyn ToSql + Sync), Type); 8] = [
            (&engine, Type::TEXT),
            (&name, Type::TEXT),
            (&reporter, Type::TEXT),
            (&from, Type::INT8),
            (&until, Type::INT8),
            (&interval, Type::INT8),
            (&query.by_reporter, Type::BOOL),
            (&limit, Type::INT8),
        ];
        read::all(&self.read(&self.sql.meters, &params).await?, meter_sum)
    }

    pub(crate) async fn prune(&self, query: &PruneQuery) -> Result<Pruned, Error> {
        let engine = self.engine.as_str();
        let limit = i64::from(query.limit.min(PRUNE_ROWS_MAX));
        let rows = match &query.what {
            Prune::Removable { until, minutes } => {
                let until = until.as_ms();
                let (first, last) = (i64::from(*minutes.start()), i64::from(*minutes.end()));
                let params: [(&(dyn ToSql + Sync), Type); 5] = [
                    (&engine, Type::TEXT),
                    (&until, Type::INT8),
                    (&first, Type::INT8),
                    (&last, Type::INT8),
                    (&limit, Type::INT8),
                ];
                self.write(&self.sql.prune_removable, &params).await?
            }
            Prune::Ended { before, own, minutes } => {
                let before = before.map(Timestamp::as_ms);
                let (first, last) = (i64::from(*minutes.start()), i64::from(*minutes.end()));
                let definitions: Vec<i64> = own.iter().map(|(key, _)| key.raw()).collect();
                let moments: Vec<Option<i64>> =
                    own.iter().map(|(_, before)| before.map(Timestamp::as_ms)).collect();
                let params: [(&(dyn ToSql + Sync), Type); 7] = [
                    (&engine, Type::TEXT),
                    (&before, Type::INT8),
                    (&first, Type::INT8),
                    (&last, Type::INT8),
                    (&limit, Type::INT8),
                    (&definitions, Type::INT8_ARRAY),
                    (&moments, Type::INT8_ARRAY),
                ];
                self.write(&self.sql.prune_ended, &params).await?
            }
            Prune::Instances(instances) => {
                let keys = instances.iter().take(PRUNE_ROWS_MAX as usize);
                let keys: Vec<i64> = keys.map(|key| key.raw()).collect();
                let params: [(&(dyn ToSql + Sync), Type); 2] =
                    [(&engine, Type::TEXT), (&keys, Type::INT8_ARRAY)];
                self.write(&self.sql.prune_instances, &params).await?
            }
            Prune::BatchKeys(batches) => {
                let looked_at = batches.iter().take(PRUNE_ROWS_MAX.min(query.limit) as usize);
                let keys: Vec<i64> = looked_at.map(|key| key.raw()).collect();
                let params: [(&(dyn ToSql + Sync), Type); 2] =
                    [(&engine, Type::TEXT), (&keys, Type::INT8_ARRAY)];
                self.write(&self.sql.prune_batch_keys, &params).await?
            }
            Prune::Batches { until } => {
                let until = until.as_ms();
                let params: [(&(dyn ToSql + Sync), Type); 3] =
                    [(&engine, Type::TEXT), (&until, Type::INT8), (&limit, Type::INT8)];
                self.write(&self.sql.prune_batches, &params).await?
            }
            Prune::BatchesEnded { before, kinds } => {
                let before = before.as_ms();
                let (words, are_left_out) = kinds.words();
                let words: Vec<&str> = words.iter().map(|word| &**word).collect();
                let params: [(&(dyn ToSql + Sync), Type); 5] = [
                    (&engine, Type::TEXT),
                    (&before, Type::INT8),
                    (&limit, Type::INT8),
                    (&words, Type::TEXT_ARRAY),
                    (&are_left_out, Type::BOOL),
                ];
                self.write(&self.sql.prune_batches_ended, &params).await?
            }
            Prune::Operations { before } => {
                let before = before.as_ms();
                let params: [(&(dyn ToSql + Sync), Type); 3] =
                    [(&engine, Type::TEXT), (&before, Type::INT8), (&limit, Type::INT8)];
                self.write(&self.sql.prune_operations, &params).await?
            }
            Prune::ChoreLog { before } => {
                let before = before.as_ms();
                let params: [(&(dyn ToSql + Sync), Type); 3] =
                    [(&engine, Type::TEXT), (&before, Type::INT8), (&limit, Type::INT8)];
                self.write(&self.sql.prune_chore_log, &params).await?
            }
            Prune::BatchLog(batch) => {
                let batch = batch.raw();
                let params: [(&(dyn ToSql + Sync), Type); 3] =
                    [(&engine, Type::TEXT), (&batch, Type::INT8), (&limit, Type::INT8)];
                self.write(&self.sql.prune_batch_log, &params).await?
            }
            Prune::Meters { before } => {
                let before = before.as_ms();
                let params: [(&(dyn ToSql + Sync), Type); 3] =
                    [(&engine, Type::TEXT), (&before, Type::INT8), (&limit, Type::INT8)];
                self.write(&self.sql.prune_meters, &params).await?
            }
        };
        let pruned = read::first(&rows, |row| {
            let rows: i64 = row.get(0)?;
            Ok(Pruned { rows: u32::try_from(rows).unwrap_or(u32::MAX) })
        })?;
        Ok(pruned.unwrap_or_default())
    }

    pub(crate) async fn set_removal(
        &self,
        instances: &[InstanceKey],
        at: Option<Timestamp>,
    ) -> Result<u32, Error> {
        let (engine, at) = (self.engine.as_str(), at.map(Timestamp::as_ms));
        let keys: Vec<i64> = instances.iter().map(|key| key.raw()).collect();
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&engine, Type::TEXT), (&keys, Type::INT8_ARRAY), (&at, Type::INT8)];
        let rows = self.write(&self.sql.ended_removal, &params).await?;
        let moved = read::first(&rows, |row| row.get::<i64>(0))?.unwrap_or(0);
        Ok(u32::try_from(moved).unwrap_or(u32::MAX))
    }

    pub(crate) async fn set_batch_removal(
        &self,
        batches: &[BatchKey],
        at: Option<Timestamp>,
    ) -> Result<u32, Error> {
        let (engine, at) = (self.engine.as_str(), at.map(Timestamp::as_ms));
        let keys: Vec<i64> = batches.iter().map(|key| key.raw()).collect();
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&engine, Type::TEXT), (&keys, Type::INT8_ARRAY), (&at, Type::INT8)];
        let rows = self.write(&self.sql.ended_batch_removal, &params).await?;
        let moved = read::first(&rows, |row| row.get::<i64>(0))?.unwrap_or(0);
        Ok(u32::try_from(moved).unwrap_or(u32::MAX))
    }
}

fn batch(row: &Columns<'_>) -> Result<BatchRow, Error> {
    Ok(BatchRow {
        key: BatchKey::new(row.get(0)?),
        engine: EngineName::new(row.text(1)?),
        tenant: TenantId::new(row.text(2)?),
        kind: row.text(3)?,
        total: row.get(4)?,
        parts_made: row.get(5)?,
        config: row.get(6)?,
        suspended: row.get(7)?,
        created_at: row.time(8)?,
        started_at: row.time_or_null(9)?,
        created_by: row.text_or_null(10)?,
    })
}

fn ended_batch(row: &Columns<'_>) -> Result<EndedBatchRow, Error> {
    Ok(EndedBatchRow {
        key: BatchKey::new(row.get(0)?),
        engine: EngineName::new(row.text(1)?),
        tenant: TenantId::new(row.text(2)?),
        kind: row.text(3)?,
        total: row.get(4)?,
        created_at: row.time(5)?,
        started_at: row.time_or_null(6)?,
        created_by: row.text_or_null(7)?,
        ended_at: row.time(8)?,
        removal_at: row.time_or_null(9)?,
        parts_made: row.get(10)?,
        parts_done: row.get(11)?,
        parts_failed: row.get(12)?,
    })
}

fn operation_row(row: &Columns<'_>) -> Result<OperationRow, Error> {
    Ok(OperationRow {
        key: OperationKey::new(row.get(0)?),
        group: OperationKey::new(row.get(1)?),
        engine: EngineName::new(row.text(2)?),
        tenant: TenantId::new(row.text(3)?),
        at: row.time(4)?,
        user: row.text_or_null(5)?,
        operation: row.text(6)?,
        entity: row.text(7)?,
        entity_key: row.get(8)?,
        instance: row.get::<Option<i64>>(9)?.map(InstanceKey::new),
        definition: row.get::<Option<i64>>(10)?.map(DefinitionKey::new),
        job_definition: row.get::<Option<i64>>(11)?.map(JobDefinitionKey::new),
        property: row.text_or_null(12)?,
        old: row.text_or_null(13)?,
        new: row.text_or_null(14)?,
    })
}

fn meter_sum(row: &Columns<'_>) -> Result<MeterSum, Error> {
    Ok(MeterSum {
        at: row.time(0)?,
        name: row.text(1)?,
        reporter: row.text_or_null(2)?,
        value: row.get(3)?,
    })
}
