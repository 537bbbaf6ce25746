use orloj_store::Error;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use crate::error::portable;
use crate::pool::{Pool, Pooled};

pub(crate) type Params<'a> = &'a [(&'a (dyn ToSql + Sync), Type)];

/// Whatever the database's defaults are.
pub(crate) const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

/// A transaction of several round trips. Dropped without [`Self::commit`] it takes its connection
/// with it, and the server takes everything back.
pub(crate) struct Transaction<'a> {
    connection: Pooled<'a>,
}

impl<'a> Transaction<'a> {
    pub async fn begin(pool: &'a Pool) -> Result<Self, Error> {
        let mut connection = pool.get().await?;
        connection.dirty = true;
        connection.batch_execute(BEGIN).await.map_err(|e| portable(&e))?;
        Ok(Self { connection })
    }

    pub async fn rows(&self, sql: &str, params: Params<'_>) -> Result<Vec<Row>, Error> {
        self.connection.query_typed(sql, params).await.map_err(|e| portable(&e))
    }

    pub async fn execute(&self, sql: &str, params: Params<'_>) -> Result<u64, Error> {
        self.connection.execute_typed(sql, params).await.map_err(|e| portable(&e))
    }

    /// Several statements at once, without parameters.
    pub async fn batch(&self, sql: &str) -> Result<(), Error> {
        self.connection.batch_execute(sql).await.map_err(|e| portable(&e))
    }

    pub async fn commit(self) -> Result<(), Error> {
        self.end("COMMIT").await
    }

    pub async fn roll_back(self) -> Result<(), Error> {
        self.end("ROLLBACK").await
    }

    async fn end(mut self, how: &str) -> Result<(), Error> {
        self.connection.batch_execute(how).await.map_err(|e| portable(&e))?;
        self.connection.dirty = false;
        Ok(())
    }
}
