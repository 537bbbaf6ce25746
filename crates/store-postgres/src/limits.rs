//! Limits as rows.

use std::sync::Arc;

use orloj_store::{Error, LimitRow, LimitScope, NewLimit, Rate};
use orloj_types::{EngineName, Timestamp};
use tokio_postgres::types::{ToSql, Type};

use crate::error::damaged;
use crate::read::{self, Columns};
use crate::store::Shared;
use crate::transaction::Transaction;

impl Shared {
    pub(crate) async fn limits(&self) -> Result<Vec<LimitRow>, Error> {
        let engine = self.engine.as_str();
        read::all(&self.read(&self.sql.limits, &[(&engine, Type::TEXT)]).await?, limit)
    }

    pub(crate) async fn set_limit(&self, new: NewLimit, now: Timestamp) -> Result<i64, Error> {
        new.check()?;
        self.make_limit_index(new.scope).await?;
        let transaction = Transaction::begin(&self.readers).await?;
        let place =
            Place { engine: self.engine.as_str(), scope: new.scope, name: &new.name.clone() };
        let old = place.run(&transaction, &self.sql.limit_load).await?;
        let old = read::first(&old, limit)?;
        let row = LimitRow::replacing(old.as_ref(), new, self.engine.clone(), now);
        let (scope, name) = (row.scope as i16, &*row.name);
        let number = |of: fn(&Rate) -> u32| row.rate.as_ref().map(|rate| i64::from(of(rate)));
        let max_concurrent = row.max_concurrent.map(i64::from);
        let jobs = number(|rate| rate.jobs);
        let interval = number(|rate| rate.interval_ms);
        let burst = number(|rate| rate.burst);
        let (engine, refilled_at) = (self.engine.as_str(), row.refilled_at.as_ms());
        let params: [(&(dyn ToSql + Sync), Type); 9] = [
            (&engine, Type::TEXT),
            (&scope, Type::INT2),
            (&name, Type::TEXT),
            (&max_concurrent, Type::INT8),
            (&jobs, Type::INT8),
            (&interval, Type::INT8),
            (&burst, Type::INT8),
            (&row.tokens, Type::INT8),
            (&refilled_at, Type::INT8),
        ];
        transaction.execute(&self.sql.limit_put, &params).await?;
        let version = self.raise_settings(&transaction).await?;
        transaction.commit().await?;
        Ok(version)
    }

    /// Its index stays: making one again costs more than keeping it.
    pub(crate) async fn delete_limit(
        &self,
        scope: LimitScope,
        name: &Arc<str>,
    ) -> Result<Option<i64>, Error> {
        let transaction = Transaction::begin(&self.readers).await?;
        let (engine, scope, name) = (self.engine.as_str(), scope as i16, &**name);
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&engine, Type::TEXT), (&scope, Type::INT2), (&name, Type::TEXT)];
        if transaction.execute(&self.sql.limit_delete, &params).await? == 0 {
            transaction.roll_back().await?;
            return Ok(None);
        }
        let version = self.raise_settings(&transaction).await?;
        transaction.commit().await?;
        Ok(Some(version))
    }
}

struct Place<'a> {
    engine: &'a str,
    scope: LimitScope,
    name: &'a str,
}

impl Place<'_> {
    async fn run(
        &self,
        transaction: &Transaction<'_>,
        sql: &str,
    ) -> Result<Vec<tokio_postgres::Row>, Error> {
        let scope = self.scope as i16;
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&self.engine, Type::TEXT), (&scope, Type::INT2), (&self.name, Type::TEXT)];
        transaction.rows(sql, &params).await
    }
}

pub(crate) fn limit(row: &Columns<'_>) -> Result<LimitRow, Error> {
    let number = |at: usize| -> Result<Option<u32>, Error> {
        let stored: Option<i64> = row.get(at)?;
        stored.map(|n| u32::try_from(n).map_err(|e| damaged("limit", e))).transpose()
    };
    let rate = match (number(4)?, number(5)?, number(6)?) {
        (Some(jobs), Some(interval_ms), Some(burst)) => Some(Rate { jobs, interval_ms, burst }),
        _ => None,
    };
    Ok(LimitRow {
        engine: EngineName::new(row.text(0)?),
        scope: row.named(1, "scope of a limit", LimitScope::from_number)?,
        name: row.text(2)?,
        max_concurrent: number(3)?,
        rate,
        tokens: row.get(7)?,
        refilled_at: row.time(8)?,
    })
}

/// With the number of locked jobs behind it.
pub(crate) fn counted(row: &Columns<'_>) -> Result<(LimitRow, u64), Error> {
    let locked: i64 = row.get(9)?;
    Ok((limit(row)?, locked.unsigned_abs()))
}
