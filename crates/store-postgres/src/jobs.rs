//! Jobs: locks moved and cleared outside of groups.

#![expect(clippy::disallowed_methods, reason = "a driver: it owns connections and their time")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use orloj_store::{Error, ExtendLock, Extended, JobRow, Lease};
use orloj_types::{JobKey, Timestamp};
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use crate::read;
use crate::row_array::RowArray;
use crate::store::Shared;

/// Worker locks cleared by one statement; more of them take several, so that none is long.
const EXPIRED_AT_ONCE: i64 = 5_000;
/// How often to try again to give back what an acquisition took whose answer was lost.
const GIVE_BACK_EVERY: Duration = Duration::from_secs(1);

impl Shared {
    /// What of an acquisition whose answer was lost did land.
    pub(crate) async fn find_taken(
        self: &Arc<Self>,
        lease: Lease,
        taken: Vec<JobRow>,
    ) -> Result<Vec<JobRow>, Error> {
        let held: Vec<(JobKey, i32)> = taken.iter().map(|job| (job.key, job.attempt)).collect();
        let found = self.ask_taken(lease, &held).await;
        if found.is_err() {
            tokio::spawn(give_back(Arc::clone(self), lease, held));
        }
        found
    }

    async fn ask_taken(&self, lease: Lease, held: &[(JobKey, i32)]) -> Result<Vec<JobRow>, Error> {
        let rows = self.held_rows(held);
        let params = [(&lease.session as &(dyn ToSql + Sync), Type::INT8), rows.param()];
        read::all(&self.write(&self.sql.job_taken, &params).await?, read::job)
    }

    pub(crate) async fn due(&self, now: Timestamp, limit: u32) -> Result<Vec<JobRow>, Error> {
        self.due_by(&self.sql.job_due, now, limit).await
    }

    pub(crate) async fn due_for_workers(
        &self,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<JobRow>, Error> {
        self.due_by(&self.sql.job_due_worker, now, limit).await
    }

    async fn due_by(&self, sql: &str, now: Timestamp, limit: u32) -> Result<Vec<JobRow>, Error> {
        let (engine, now, limit) = (self.engine.as_str(), now.as_ms(), i64::from(limit));
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&engine, Type::TEXT), (&now, Type::INT8), (&limit, Type::INT8)];
        read::all(&self.read(sql, &params).await?, read::job)
    }

    pub(crate) async fn expire(&self, now: Timestamp) -> Result<Vec<Arc<str>>, Error> {
        let (engine, now) = (self.engine.as_str(), now.as_ms());
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&engine, Type::TEXT), (&now, Type::INT8), (&EXPIRED_AT_ONCE, Type::INT8)];
        let mut types = BTreeSet::new();
        loop {
            let rows: Vec<Row> = self.write(&self.sql.job_expire, &params).await?;
            types.extend(read::all(&rows, |row| row.text(0))?);
            if (rows.len() as i64) < EXPIRED_AT_ONCE {
                return Ok(types.into_iter().collect());
            }
        }
    }

    pub(crate) async fn release(&self, lease: Lease, jobs: &[(JobKey, i32)]) -> Result<(), Error> {
        if jobs.is_empty() {
            return Ok(());
        }
        let rows = self.held_rows(jobs);
        let params = [(&lease.session as &(dyn ToSql + Sync), Type::INT8), rows.param()];
        self.write(&self.sql.job_at_hand_release, &params).await?;
        self.write(&self.sql.job_release, &params).await.map(drop)
    }

    pub(crate) async fn extend_lock(&self, extend: ExtendLock) -> Result<Extended, Error> {
        let (key, until, now) = (extend.job.raw(), extend.until.as_ms(), extend.now.as_ms());
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&key, Type::INT8), (&until, Type::INT8), (&now, Type::INT8)];
        let rows = self.write(&self.sql.job_extend_lock, &params).await?;
        let found = read::first(&rows, |row| Ok((row.get::<bool>(0)?, row.get::<bool>(1)?)))?;
        Ok(match found {
            Some((true, _)) => Extended::Done,
            Some((false, true)) => Extended::NotLocked,
            Some((false, false)) | None => Extended::NotFound,
        })
    }

    fn held_rows(&self, held: &[(JobKey, i32)]) -> RowArray {
        let mut rows = RowArray::new(&self.types.job_held);
        for (key, attempt) in held {
            rows.push(|r| {
                r.int8(key.raw()).int4(*attempt);
            });
        }
        rows
    }
}

/// Until the server has taken it, or the session is gone and its locks with it.
async fn give_back(shared: Arc<Shared>, lease: Lease, held: Vec<(JobKey, i32)>) {
    while !shared.connector.is_closed() {
        match shared.release(lease, &held).await {
            Ok(()) => return,
            Err(error) => tracing::warn!(%error, "could not give jobs back yet"),
        }
        tokio::time::sleep(GIVE_BACK_EVERY).await;
    }
}
