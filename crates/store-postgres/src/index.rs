//! Indexes that are made beside those who write: what was added to the schema when tables may have
//! been large already, and those of the job table that are made when someone needs them.

#![expect(clippy::disallowed_methods, reason = "a driver: it owns connections and their time")]

use std::sync::Arc;
use std::time::Duration;

use orloj_store::{Error, LimitScope, Order};
use tokio_postgres::types::{ToSql, Type};

use crate::error::portable;
use crate::order;
use crate::read;
use crate::sql::{in_schema, quoted};
use crate::store::Shared;

/// Up to this size of the table an index is made at once, within a moment in which nobody writes.
/// For a larger one the server reads the table twice and lets everybody go on meanwhile.
const AT_ONCE_BYTES_MAX: i64 = 64 << 20;
/// How often to ask whether another node has made an index.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

pub(crate) struct Index<'a> {
    pub name: &'a str,
    pub table: &'a str,
    /// Columns and condition.
    pub on: &'a str,
    /// Whether every acquisition reads by it: without it nobody works.
    pub is_needed: bool,
}

impl Index<'_> {
    pub fn sql(&self, how: &str) -> String {
        let Self { name, table, on, .. } = self;
        format!("CREATE INDEX {how} IF NOT EXISTS {name} ON orloj.{table} {on}")
    }
}

/// A job that goes from one hand to the next within a node is in none of those of the job table.
pub(crate) const INDEXES: &[Index<'static>] = &[
    // What is old is found by its age, so that a clean-up reads what it removes and little more.
    useful("ended_age", "ended", "(engine, definition_key, ended_at)"),
    useful("operation_age", "operation", "(engine, at)"),
    useful("meter_age", "meter", "(engine, at)"),
    useful("ended_batch_age", "ended_batch", "(engine, ended_at)"),
    useful(
        "ended_batch_removal",
        "ended_batch",
        "(engine, removal_at) WHERE removal_at IS NOT NULL",
    ),
    // What is told of a batch goes with it.
    useful("chore_log_batch", "chore_log", "(batch_key, number) WHERE batch_key IS NOT NULL"),
    // Jobs at hand, by which those of a dead node are found.
    Index {
        name: "instance_at_hand",
        table: "instance",
        on: "(at_hand_session) WHERE at_hand_session IS NOT NULL",
        is_needed: true,
    },
    // Exclusive jobs that were stopped while they run.
    Index {
        name: "job_still_held",
        table: "job",
        on: "(instance_key) WHERE state <> 0 AND lock_session IS NOT NULL AND exclusive",
        is_needed: true,
    },
    // The locks of a session that recovery does not find by their age.
    useful("job_listed", "job", "(lock_session) WHERE lock_listed AND lock_session IS NOT NULL"),
    // Dead letters and what is suspended.
    useful("job_stopped", "job", "(engine, state, key) WHERE state >= 3"),
    // Only the beginning: a business key may be longer than an entry of an index. Steps never change
    // it, so they stay heap-only.
    useful(
        "instance_business_key",
        "instance",
        "(engine, left(business_key, 250), key) WHERE business_key IS NOT NULL",
    ),
    // The messages that the instances of a business key wait for.
    useful("subscription_instance", "subscription", "(instance_key) WHERE kind = 0"),
];

/// What reads by it works without, but reads more.
const fn useful(name: &'static str, table: &'static str, on: &'static str) -> Index<'static> {
    Index { name, table, on, is_needed: false }
}

struct State {
    exists: bool,
    is_valid: bool,
    is_being_made: bool,
    table_bytes: i64,
}

impl Shared {
    /// Those of the schema that are missing. Small tables have theirs when this returns, and so have
    /// acquisitions those they need; the others are made while the node works already.
    pub(crate) async fn make_schema_indexes(self: &Arc<Self>) -> Result<(), Error> {
        let (schema, names) = (self.schema.as_str(), INDEXES.iter().map(|index| index.name));
        let names: Vec<&str> = names.collect();
        let params: [(&(dyn ToSql + Sync), Type); 2] =
            [(&schema, Type::TEXT), (&names, Type::TEXT_ARRAY)];
        let rows = self.read(&self.sql.indexes_valid, &params).await?;
        let valid = read::all(&rows, |row| row.text(0))?;
        let mut later = Vec::new();
        for index in INDEXES.iter().filter(|index| !valid.iter().any(|name| **name == *index.name))
        {
            let is_small = self.index_state(index).await?.table_bytes <= AT_ONCE_BYTES_MAX;
            match is_small || index.is_needed {
                true => self.make_index(index).await?,
                false => later.push(index),
            }
        }
        if !later.is_empty() {
            tokio::spawn(make_later(Arc::clone(self), later));
        }
        Ok(())
    }

    pub(crate) async fn make_order_index(&self, order: Order) -> Result<(), Error> {
        order::check(order)?;
        match order::definition(order) {
            Some((name, on)) => {
                self.make_index(&Index { name: &name, table: "job", on: &on, is_needed: true })
                    .await
            }
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
        self.make_index(&Index { name, table: "job", on: &on, is_needed: true }).await
    }

    async fn make_index(&self, index: &Index<'_>) -> Result<(), Error> {
        let name = index.name;
        let state = self.made_by_others(index).await?;
        if state.is_valid || state.is_being_made {
            return Ok(());
        }
        if state.exists {
            // Whoever made it did not live to the end.
            let sql = format!("DROP INDEX CONCURRENTLY IF EXISTS {}.{name}", quoted(&self.schema));
            self.run_alone(&sql).await?;
        }
        let how = if state.table_bytes > AT_ONCE_BYTES_MAX { "CONCURRENTLY" } else { "" };
        tracing::info!(name, how, "making an index");
        match self.run_alone(&in_schema(&index.sql(how), &self.schema)).await {
            Ok(()) => Ok(()),
            // Two nodes that make it at once get in each other's way; one of them succeeds.
            Err(error) => match self.made_by_others(index).await? {
                State { is_valid: true, .. } | State { is_being_made: true, .. } => Ok(()),
                _ => Err(error),
            },
        }
    }

    /// One that another node is making serves this one too, a little later: who needs it waits.
    async fn made_by_others(&self, index: &Index<'_>) -> Result<State, Error> {
        loop {
            let state = self.index_state(index).await?;
            if state.is_valid || !state.is_being_made || !index.is_needed {
                return Ok(state);
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    async fn index_state(&self, index: &Index<'_>) -> Result<State, Error> {
        let schema = self.schema.as_str();
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&schema, Type::TEXT), (&index.name, Type::TEXT), (&index.table, Type::TEXT)];
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

    /// One statement on its own, as long as it takes: on a connection that nobody waits for.
    async fn run_alone(&self, sql: &str) -> Result<(), Error> {
        let connection = self.readers.open().await?;
        connection.batch_execute(sql).await.map_err(|e| portable(&e))
    }
}

/// The next start makes those that could not be made.
async fn make_later(shared: Arc<Shared>, indexes: Vec<&Index<'_>>) {
    for index in indexes {
        if let Err(error) = shared.make_index(index).await {
            tracing::warn!(name = index.name, %error, "could not make an index");
        }
    }
}
