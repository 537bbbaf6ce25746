//! Acquisition: which jobs are locked, in which order, and within which limits.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_store::format::encode_activation;
use orloj_store::{Acquire, Error, Exhausted, JobRow, LimitRow, Order, Permits, Selection, Wanted};
use orloj_types::Timestamp;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row};

use crate::error::{is_guard, portable};
use crate::order::in_order;
use crate::pool::Pooled;
use crate::row_array::RowArray;
use crate::store::Shared;
use crate::transaction::BEGIN;
use crate::{limits, read};

impl Shared {
    pub(crate) async fn acquire(self: &Arc<Self>, acquire: &Acquire) -> Result<Vec<JobRow>, Error> {
        match &acquire.wanted {
            Wanted::Engine(selection) => self.acquire_for_engine(acquire, selection).await,
            Wanted::Worker { job_type, worker, until } => {
                self.acquire_for_worker(acquire, job_type, worker, *until).await
            }
        }
    }

    /// One statement: what is taken though its answer was lost comes back when the lock ends.
    async fn acquire_for_worker(
        self: &Arc<Self>,
        acquire: &Acquire,
        job_type: &str,
        worker: &str,
        until: Timestamp,
    ) -> Result<Vec<JobRow>, Error> {
        let (limit, until) = (i64::from(acquire.limit), until.as_ms());
        let engine = self.engine.as_str();
        let activation = encode_activation(worker, acquire.now);
        let params: [(&(dyn ToSql + Sync), Type); 7] = [
            (&acquire.lease.session, Type::INT8),
            (&engine, Type::TEXT),
            (&limit, Type::INT8),
            (&job_type, Type::TEXT),
            (&worker, Type::TEXT),
            (&until, Type::INT8),
            (&activation, Type::BYTEA),
        ];
        let of_engine = [(&engine as &(dyn ToSql + Sync), Type::TEXT)];
        let connection = self.readers.get().await?;
        let (limits, taken) = tokio::join!(
            biased;
            connection.query_typed(&self.sql.limits, &of_engine),
            connection.query_typed(&self.sql.job_acquire_worker, &params),
        );
        let is_limited = !limits.map_err(|e| portable(&e))?.is_empty();
        let taken = read::all(&taken.map_err(|e| lease_error(&e))?, read::job)?;
        if !is_limited || !taken.is_empty() {
            return Ok(taken);
        }
        drop(connection);
        self.acquire_within_limits(acquire).await
    }

    /// A lock for the session lasts as long as the node, so the node must never lose sight of one:
    /// it is committed only when the node knows which jobs it is about to get.
    async fn acquire_for_engine(
        self: &Arc<Self>,
        acquire: &Acquire,
        selection: &Selection,
    ) -> Result<Vec<JobRow>, Error> {
        let limit = i64::from(acquire.limit);
        let engine = self.engine.as_str();
        let values = SelectionValues::of(selection);
        let mut params: Vec<(&(dyn ToSql + Sync), Type)> =
            vec![(&acquire.lease.session, Type::INT8), (&engine, Type::TEXT), (&limit, Type::INT8)];
        params.extend(values.params());
        let of_engine = [(&engine as &(dyn ToSql + Sync), Type::TEXT)];
        let sql = in_order(&self.sql.job_acquire_engine, selection.order);
        let mut connection = self.readers.get().await?;
        connection.dirty = true;
        let (begun, limits, taken) = tokio::join!(
            biased;
            connection.batch_execute(BEGIN),
            connection.query_typed(&self.sql.limits, &of_engine),
            connection.query_typed(&sql, &params),
        );
        begun.map_err(|e| portable(&e))?;
        let limits = limits.map_err(|e| portable(&e))?;
        let taken = match taken {
            Ok(rows) => read::all(&rows, read::job)?,
            Err(error) => {
                if connection.batch_execute("ROLLBACK").await.is_ok() {
                    connection.dirty = false;
                }
                return Err(lease_error(&error));
            }
        };
        let is_limited = !limits.is_empty() && taken.is_empty();
        let taken = self.commit_taken(connection, acquire, taken).await?;
        if is_limited { self.acquire_within_limits(acquire).await } else { Ok(taken) }
    }

    /// Each round is a transaction, which holds the limits it needs, all at once and in order, so
    /// that nobody waits in circles. What a round leaves has reached a limit that the next one
    /// knows of.
    async fn acquire_within_limits(
        self: &Arc<Self>,
        acquire: &Acquire,
    ) -> Result<Vec<JobRow>, Error> {
        let mut taken: Vec<JobRow> = Vec::new();
        let mut exhausted = None;
        loop {
            let missing = i64::from(acquire.limit) - taken.len() as i64;
            let round = self.acquire_round(acquire, missing, &mut exhausted).await;
            let (jobs, left) = match round {
                Ok(round) => round,
                // What was taken before is held: the node must know of it.
                Err(error) if taken.is_empty() => return Err(error),
                Err(_) => break,
            };
            taken.extend(jobs);
            if left == 0 || taken.len() as i64 >= i64::from(acquire.limit) {
                break;
            }
        }
        let order = order_of(acquire);
        taken.sort_unstable_by_key(|job| job.place(order));
        Ok(taken)
    }

    /// What was taken, and how many candidates were left because of a limit.
    async fn acquire_round(
        self: &Arc<Self>,
        acquire: &Acquire,
        missing: i64,
        exhausted: &mut Option<Exhausted>,
    ) -> Result<(Vec<JobRow>, usize), Error> {
        let mut connection = self.readers.get().await?;
        connection.dirty = true;
        connection.batch_execute(BEGIN).await.map_err(|e| portable(&e))?;
        let known = match exhausted.take() {
            Some(known) => known,
            None => self.permits(&connection, acquire.now).await?.exhausted(),
        };
        let candidates = self.candidates(&connection, acquire, missing, &known).await?;
        self.hold_limits(&connection, &candidates).await?;
        // After the rows are held: whoever held them before has committed.
        let mut permits = self.permits(&connection, acquire.now).await?;
        let (chosen, left): (Vec<_>, Vec<_>) =
            candidates.into_iter().partition(|job| permits.take(job));
        let jobs = self.lock_chosen(&connection, acquire, &chosen).await?;
        self.use_tokens(&connection, &permits).await?;
        *exhausted = Some(permits.exhausted());
        let jobs = self.commit_taken(connection, acquire, jobs).await?;
        Ok((jobs, left.len()))
    }

    async fn permits(&self, client: &Client, now: Timestamp) -> Result<Permits, Error> {
        let engine = self.engine.as_str();
        let rows = client.query_typed(&self.sql.limits_locked, &[(&engine, Type::TEXT)]).await;
        let limits = read::all(&rows.map_err(|e| portable(&e))?, limits::counted)?;
        Ok(Permits::new(limits, now))
    }

    async fn candidates(
        &self,
        client: &Client,
        acquire: &Acquire,
        limit: i64,
        exhausted: &Exhausted,
    ) -> Result<Vec<JobRow>, Error> {
        let engine = self.engine.as_str();
        let mut params: Vec<(&(dyn ToSql + Sync), Type)> =
            vec![(&acquire.lease.session, Type::INT8), (&engine, Type::TEXT), (&limit, Type::INT8)];
        let (topics, tenants, keys) =
            (texts(&exhausted.topics), texts(&exhausted.tenants), texts(&exhausted.keys));
        let reached: [(&(dyn ToSql + Sync), Type); 3] =
            [(&topics, Type::TEXT_ARRAY), (&tenants, Type::TEXT_ARRAY), (&keys, Type::TEXT_ARRAY)];
        let found = match &acquire.wanted {
            Wanted::Engine(selection) => {
                let values = SelectionValues::of(selection);
                params.extend(values.params());
                params.extend(reached);
                let sql = in_order(&self.sql.job_candidates_engine, selection.order);
                client.query_typed(&sql, &params).await
            }
            Wanted::Worker { job_type, .. } => {
                let job_type = &**job_type;
                params.push((&job_type, Type::TEXT));
                params.extend(reached);
                client.query_typed(&self.sql.job_candidates_worker, &params).await
            }
        };
        read::all(&found.map_err(|e| lease_error(&e))?, read::job)
    }

    /// The rows of the limits that candidates match.
    async fn hold_limits(&self, client: &Client, candidates: &[JobRow]) -> Result<(), Error> {
        let engine = self.engine.as_str();
        let rows = client.query_typed(&self.sql.limits, &[(&engine, Type::TEXT)]).await;
        let limits: Vec<LimitRow> = read::all(&rows.map_err(|e| portable(&e))?, limits::limit)?;
        let matched: Vec<&LimitRow> =
            limits.iter().filter(|limit| candidates.iter().any(|job| limit.matches(job))).collect();
        if matched.is_empty() {
            return Ok(());
        }
        let scopes: Vec<i16> = matched.iter().map(|limit| limit.scope as i16).collect();
        let names: Vec<&str> = matched.iter().map(|limit| &*limit.name).collect();
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&engine, Type::TEXT), (&scopes, Type::INT2_ARRAY), (&names, Type::TEXT_ARRAY)];
        let held = client.query_typed(&self.sql.limit_hold, &params).await;
        held.map(drop).map_err(|e| portable(&e))
    }

    async fn lock_chosen(
        &self,
        client: &Client,
        acquire: &Acquire,
        chosen: &[JobRow],
    ) -> Result<Vec<JobRow>, Error> {
        if chosen.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<i64> = chosen.iter().map(|job| job.key.raw()).collect();
        let locked: Result<Vec<Row>, _> = match &acquire.wanted {
            Wanted::Engine(_) => {
                let params: [(&(dyn ToSql + Sync), Type); 2] =
                    [(&acquire.lease.session, Type::INT8), (&keys, Type::INT8_ARRAY)];
                client.query_typed(&self.sql.job_lock_session, &params).await
            }
            Wanted::Worker { worker, until, .. } => {
                let activation = encode_activation(worker, acquire.now);
                let (worker, until) = (&**worker, until.as_ms());
                let params: [(&(dyn ToSql + Sync), Type); 4] = [
                    (&worker, Type::TEXT),
                    (&until, Type::INT8),
                    (&activation, Type::BYTEA),
                    (&keys, Type::INT8_ARRAY),
                ];
                client.query_typed(&self.sql.job_lock_worker, &params).await
            }
        };
        read::all(&locked.map_err(|e| portable(&e))?, read::job)
    }

    async fn use_tokens(&self, client: &Client, permits: &Permits) -> Result<(), Error> {
        let mut rows = RowArray::new(&self.types.limit_token);
        for limit in permits.used() {
            rows.push(|r| {
                r.int2(limit.scope as i16).text(&limit.name).int8(limit.tokens);
                r.int8(limit.refilled_at.as_ms());
            });
        }
        if rows.is_empty() {
            return Ok(());
        }
        let engine = self.engine.as_str();
        let params = [(&engine as &(dyn ToSql + Sync), Type::TEXT), rows.param()];
        let used = client.execute_typed(&self.sql.limit_use, &params).await;
        used.map(drop).map_err(|e| portable(&e))
    }

    async fn commit_taken(
        self: &Arc<Self>,
        mut connection: Pooled<'_>,
        acquire: &Acquire,
        taken: Vec<JobRow>,
    ) -> Result<Vec<JobRow>, Error> {
        let is_for_node = matches!(acquire.wanted, Wanted::Engine(_));
        match connection.batch_execute("COMMIT").await {
            Ok(()) => {
                connection.dirty = false;
                Ok(taken)
            }
            // A worker's locks end by themselves.
            Err(error) if !is_for_node => Err(portable(&error)),
            Err(error) => {
                // Frees its turn first: the question below needs one.
                drop(connection);
                tracing::warn!(%error, jobs = taken.len(), "lost the answer to an acquisition");
                self.find_taken(acquire.lease, taken).await
            }
        }
    }
}

/// What the statements take of a selection.
struct SelectionValues {
    lowest: i64,
    highest: i64,
    definitions: Option<Vec<i64>>,
    categories: Option<Vec<String>>,
    without_topics: Option<Vec<String>>,
    without_cleanup: bool,
    tenant: Option<String>,
    over_hierarchies: bool,
    needs_due_date: bool,
}

impl SelectionValues {
    fn of(selection: &Selection) -> Self {
        let texts = |texts: &Arc<[Arc<str>]>| texts.iter().map(|text| text.to_string()).collect();
        let topics = Some(&selection.without_topics).filter(|topics| !topics.is_empty());
        let definitions = selection.definitions.as_ref();
        Self {
            lowest: *selection.priorities.start(),
            highest: *selection.priorities.end(),
            definitions: definitions.map(|keys| keys.iter().map(|key| key.raw()).collect()),
            categories: selection.categories.as_ref().map(texts),
            without_topics: topics.map(texts),
            without_cleanup: selection.without_cleanup,
            tenant: selection.tenant.as_ref().map(|tenant| tenant.to_string()),
            over_hierarchies: selection.over_hierarchies,
            needs_due_date: selection.needs_due_date,
        }
    }

    fn params(&self) -> [(&(dyn ToSql + Sync), Type); 9] {
        [
            (&self.lowest, Type::INT8),
            (&self.highest, Type::INT8),
            (&self.definitions, Type::INT8_ARRAY),
            (&self.categories, Type::TEXT_ARRAY),
            (&self.without_topics, Type::TEXT_ARRAY),
            (&self.without_cleanup, Type::BOOL),
            (&self.tenant, Type::TEXT),
            (&self.over_hierarchies, Type::BOOL),
            (&self.needs_due_date, Type::BOOL),
        ]
    }
}

fn order_of(acquire: &Acquire) -> Order {
    match &acquire.wanted {
        Wanted::Engine(selection) => selection.order,
        Wanted::Worker { .. } => Order::default(),
    }
}

fn texts(names: &BTreeSet<Arc<str>>) -> Vec<&str> {
    names.iter().map(|name| &**name).collect()
}

fn lease_error(error: &tokio_postgres::Error) -> Error {
    if is_guard(error) { Error::Fenced } else { portable(error) }
}
