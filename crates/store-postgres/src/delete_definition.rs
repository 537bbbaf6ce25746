//! Taking a version of a process away.

use orloj_store::{DefinitionDeleted, DeleteDefinition, Error};
use orloj_types::DefinitionKey;
use tokio_postgres::types::{ToSql, Type};

use crate::read;
use crate::store::Shared;
use crate::transaction::Transaction;

impl Shared {
    pub(crate) async fn delete_definition(
        &self,
        delete: &DeleteDefinition,
    ) -> Result<DefinitionDeleted, Error> {
        let transaction = Transaction::begin(&self.readers).await?;
        // Deployments count versions under the same lock.
        self.lock_advisory(&transaction, &format!("deploy {}", self.engine)).await?;
        let key = delete.key.raw();
        let by_key: [(&(dyn ToSql + Sync), Type); 1] = [(&key, Type::INT8)];
        let rows = transaction.rows(&self.sql.definition_load, &by_key).await?;
        let found = read::first(&rows, read::definition)?;
        let Some(row) = found.filter(|row| !row.is_deleted) else {
            transaction.roll_back().await?;
            return Ok(DefinitionDeleted::NotFound);
        };
        let (engine, tenant, process) =
            (row.engine.as_str(), row.tenant.as_str(), row.process_id.as_str());
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&engine, Type::TEXT), (&tenant, Type::TEXT), (&process, Type::TEXT)];
        let rows = transaction.rows(&self.sql.definition_live, &params).await?;
        let live = read::all(&rows, |row| row.get::<i64>(0).map(DefinitionKey::new))?;
        if !delete.agrees_with(&live) {
            transaction.roll_back().await?;
            return Ok(DefinitionDeleted::Overtaken);
        }
        transaction.execute(&self.sql.definition_delete, &by_key).await?;
        transaction.execute(&self.sql.definition_starts_delete, &by_key).await?;
        let gone = transaction.rows(&self.sql.definition_timers, &by_key).await?;
        let starts = self.start_rows(&delete.starts(&row));
        if !starts.is_empty() {
            transaction.execute(&self.sql.start_insert, &[starts.param()]).await?;
        }
        let come: Vec<_> = delete.heir.iter().flat_map(|heir| &heir.chores).collect();
        let is_logged = delete.logs_chores;
        self.exchange_chores(&transaction, &gone, &come, is_logged, delete.now).await?;
        let version = self.raise_settings(&transaction).await?;
        transaction.commit().await?;
        Ok(DefinitionDeleted::Done(version))
    }
}
