//! The log of chores.

use std::collections::BTreeSet;

use orloj_store::{ChoreEvent, ChoreLogFilter, ChoreLogRow, Error, JobKind, JobRow, Page};
use orloj_types::{
    BatchKey, DefinitionKey, ElementId, EngineName, IncidentKey, JobKey, TenantId, Timestamp,
};
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use crate::group::put_job_row;
use crate::read::{self, Columns};
use crate::row_array::RowArray;
use crate::store::Shared;
use crate::transaction::Transaction;

impl Shared {
    pub(crate) async fn chore_log(
        &self,
        filter: &ChoreLogFilter,
        page: Page,
    ) -> Result<Vec<ChoreLogRow>, Error> {
        let (job, bits) = (filter.job.map(JobKey::raw), filter.event_bits());
        let definition = filter.definition.map(DefinitionKey::raw);
        let (batch, message) = (filter.batch.map(BatchKey::raw), filter.message.as_deref());
        let params: [(&(dyn ToSql + Sync), Type); 5] = [
            (&job, Type::INT8),
            (&bits, Type::INT8),
            (&definition, Type::INT8),
            (&batch, Type::INT8),
            (&message, Type::TEXT),
        ];
        self.page(&self.sql.chore_log, page, &params, row).await
    }

    /// The chores that come in the place of those which were deleted; the incidents of what is
    /// gone go too.
    pub(crate) async fn exchange_chores(
        &self,
        transaction: &Transaction<'_>,
        gone: &[Row],
        come: &[&JobRow],
        is_logged: bool,
        now: Timestamp,
    ) -> Result<(), Error> {
        let gone = read::all(gone, read::job)?;
        let mut chores = RowArray::new(&self.types.job_in);
        for row in come {
            put_job_row(&mut chores, row);
        }
        if !chores.is_empty() {
            transaction.execute(&self.sql.chore_insert, &[chores.param()]).await?;
        }
        // The incident about a chore has its number.
        let keys: Vec<i64> = gone.iter().map(|row| row.key.raw()).collect();
        let mut had_incident = BTreeSet::new();
        if !keys.is_empty() {
            let params: [(&(dyn ToSql + Sync), Type); 1] = [(&keys, Type::INT8_ARRAY)];
            let rows = transaction.rows(&self.sql.incidents_delete, &params).await?;
            had_incident.extend(read::all(&rows, |row| row.get::<i64>(0).map(IncidentKey::new))?);
        }
        let mut log = RowArray::new(&self.types.chore_log_in);
        for row in &gone {
            put_log(&mut log, &ChoreLogRow::of(row, ChoreEvent::Deleted, now));
            if had_incident.contains(&IncidentKey::new(row.key.raw())) {
                put_log(&mut log, &ChoreLogRow::of(row, ChoreEvent::IncidentDeleted, now));
            }
        }
        for row in come {
            put_log(&mut log, &ChoreLogRow::of(row, ChoreEvent::Created, now));
        }
        if is_logged && !log.is_empty() {
            transaction.execute(&self.sql.chore_log_insert, &[log.param()]).await?;
        }
        Ok(())
    }
}

pub(crate) fn put_log(rows: &mut RowArray, row: &ChoreLogRow) {
    rows.push(|r| {
        r.int8(row.job.raw()).text(&row.engine).text(&row.tenant).int8(row.definition.raw());
        r.text(&row.element).int2(row.kind as i16);
        r.int8_or_null(row.batch.map(|key| key.raw())).int2(row.event as i16);
        r.int8(row.at.as_ms()).int4(row.retries).int8(row.priority);
        r.int8_or_null(row.due_at.map(|at| at.as_ms()));
        r.text_or_null(row.message.as_deref()).text_or_null(row.details.as_deref());
        r.text_or_null(row.failed_element.as_deref());
        r.text_or_null(row.incident.as_deref()).text_or_null(row.run_by.as_deref());
    });
}

fn row(row: &Columns<'_>) -> Result<ChoreLogRow, Error> {
    Ok(ChoreLogRow {
        number: row.get(0)?,
        job: JobKey::new(row.get(1)?),
        engine: EngineName::new(row.text(2)?),
        tenant: TenantId::new(row.text(3)?),
        definition: DefinitionKey::new(row.get(4)?),
        element: ElementId::new(row.text(5)?),
        kind: row.named(6, "kind of job", JobKind::from_number)?,
        batch: row.get::<Option<i64>>(7)?.map(BatchKey::new),
        event: row.named(8, "event", ChoreEvent::from_number)?,
        at: row.time(9)?,
        retries: row.get(10)?,
        priority: row.get(11)?,
        due_at: row.time_or_null(12)?,
        message: row.text_or_null(13)?,
        details: row.text_or_null(14)?,
        failed_element: row.text_or_null(15)?.map(ElementId::new),
        incident: row.text_or_null(16)?,
        run_by: row.text_or_null(17)?,
    })
}
