//! Indexes of the job table that are made when someone needs them.

use orloj_store::{Error, LimitScope, Order};
use tokio_postgres::types::Type;

use crate::error::portable;
use crate::order;
use crate::read;
use crate::sql::{in_schema, quoted};
use crate::store::Shared;

/// Up to this size of the table an index is made at once, within a moment in which nobody writes.
/// For a larger one the server reads the table twice and lets everybody go on meanwhile.
const AT_ONCE_BYTES_MAX: i64 = 64 << 20;

struct State {
    exists: bool,
    is_valid: bool,
    is_being_made: bool,
    table_bytes: i64,
}

impl Shared {
    pub(crate) async fn make_order_index(&self, order: Order) -> Result<(), Error> {
        order::check(order)?;
        match order::definition(order) {
            Some((name, on)) => self.make_index(&name, &on).await,
            None => Ok(()),
        }
    }

    /// The one that counts the locked jobs of a scope.
    pub(crate) async fn make_limit_index(&self, scope: LimitScope) -> Result<(), Error> {
        let (name, column, has_any) = match scope {
            LimitScope::Topic => ("job_locked_topic", "topic", "topic <> ''"),
            LimitScope::Tenant => ("job_locked_tenant", "tenant", "tenant <> ''"),
            LimitScope::Key => ("job_locked_key", "limit_key", "limit_key IS NOT NULL"),
        };
        let on = format!(
            "(engine, {column}) WHERE {has_any} \
             AND (lock_session IS NOT NULL OR lock_until IS NOT NULL)"
        );
        self.make_index(name, &on).await
    }

    async fn make_index(&self, name: &str, on: &str) -> Result<(), Error> {
        let state = self.index_state(name).await?;
        // One that another node is making serves this one too, a little later.
        if state.is_valid || state.is_being_made {
            return Ok(());
        }
        if state.exists {
            // Whoever made it did not live to the end.
            let sql = format!("DROP INDEX CONCURRENTLY IF EXISTS {}.{name}", quoted(&self.schema));
            self.run_alone(&sql).await?;
        }
        let how = if state.table_bytes > AT_ONCE_BYTES_MAX { "CONCURRENTLY" } else { "" };
        let sql = format!("CREATE INDEX {how} IF NOT EXISTS {name} ON orloj.job {on}");
        tracing::info!(name, how, "making an index");
        match self.run_alone(&in_schema(&sql, &self.schema)).await {
            Ok(()) => Ok(()),
            // Two nodes that make it at once get in each other's way; one of them succeeds.
            Err(error) => match self.index_state(name).await? {
                State { is_valid: true, .. } | State { is_being_made: true, .. } => Ok(()),
                _ => Err(error),
            },
        }
    }

    async fn index_state(&self, name: &str) -> Result<State, Error> {
        let schema = self.schema.as_str();
        let params = [
            (&schema as &(dyn tokio_postgres::types::ToSql + Sync), Type::TEXT),
            (&name, Type::TEXT),
        ];
        let rows = self.read(&self.sql.index_state, &params).await?;
        let state = read::first(&rows, |row| {
            Ok(State {
                exists: row.get(0)?,
                is_valid: row.get(1)?,
                is_being_made: row.get(2)?,
                table_bytes: row.get::<Option<i64>>(3)?.unwrap_or(0),
            })
        })?;
        state.ok_or_else(|| Error::Damaged("the catalogue gave no answer".to_owned()))
    }

    /// One statement on its own, as long as it takes.
    async fn run_alone(&self, sql: &str) -> Result<(), Error> {
        let mut connection = self.readers.get().await?;
        connection.dirty = true;
        connection.batch_execute(sql).await.map_err(|e| portable(&e))?;
        connection.dirty = false;
        Ok(())
    }
}
