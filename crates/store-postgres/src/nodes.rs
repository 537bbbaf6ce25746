//! Nodes: leases, beats, and taking leases away.

use orloj_store::format::encode_profile;
use orloj_store::{Beat, Claim, Error, Lease, NodeRow, Pulse};
use orloj_types::{JobKey, KeyGenerator, NODE_NUMBER_MAX, NodeNumber};
use tokio_postgres::types::{ToSql, Type};

use crate::error::damaged;
use crate::migrate::ADVISORY_CLASS;
use crate::read;
use crate::store::Shared;
use crate::transaction::Transaction;

/// An owner may have given keys since its last beat; its successor stays this far above what was
/// told: ten seconds of keys, several times the time-out of a heartbeat.
const KEYS_UNTOLD: i64 = 10_000 << 22;
/// The floor of a node that has taken nothing since its last beat.
const NOTHING_TAKEN: i64 = i64::MAX;

impl Shared {
    pub(crate) async fn join(&self, claim: &Claim) -> Result<Lease, Error> {
        self.make_order_index(claim.profile.order).await?;
        let transaction = Transaction::begin(&self.readers).await?;
        self.lock_advisory(&transaction, "join").await?;
        let engine = claim.engine.as_str();
        let params: [(&(dyn ToSql + Sync), Type); 2] =
            [(&engine, Type::TEXT), (&claim.name, Type::TEXT)];
        for row in transaction.rows(&self.sql.node_named, &params).await? {
            self.remove_node(&transaction, row.get(0), None).await?;
        }
        // Of nodes that were removed by one of an earlier version, which knows of none.
        transaction.execute(&self.sql.job_at_hand_clear, &[]).await?;

        let numbers_max = i32::from(NODE_NUMBER_MAX);
        let free =
            transaction.rows(&self.sql.node_number_free, &[(&numbers_max, Type::INT4)]).await?;
        let free = free.first().ok_or_else(|| {
            Error::Unavailable(format!("all {} node numbers are taken", NODE_NUMBER_MAX + 1))
        })?;
        let number: i16 = free.get(0);
        let told: Option<i64> = free.get(1);
        let node = NodeNumber(u16::try_from(number).map_err(|e| damaged("node number", e))?);
        // The node holds nothing yet, but its first jobs may come before its first beat: all of
        // them have keys of this moment or later, also where its clock is set back.
        let earliest = KeyGenerator::new(node).next(claim.now);
        let keys_above =
            told.map_or(earliest, |high| high.saturating_add(KEYS_UNTOLD).max(earliest));
        let (lock_floor, now) = (keys_above, claim.now.as_ms());
        self.floor.begin(lock_floor);
        let profile = encode_profile(&claim.profile);
        let params: [(&(dyn ToSql + Sync), Type); 8] = [
            (&number, Type::INT2),
            (&engine, Type::TEXT),
            (&claim.name, Type::TEXT),
            (&now, Type::INT8),
            (&keys_above, Type::INT8),
            (&lock_floor, Type::INT8),
            (&NOTHING_TAKEN, Type::INT8),
            (&profile, Type::BYTEA),
        ];
        let inserted = transaction.rows(&self.sql.node_insert, &params).await?;
        let inserted = inserted.first().ok_or_else(|| damaged("node", "no session was given"))?;
        let session: i64 = inserted.get(0);
        let lanes = i32::from(claim.lanes);
        let params: [(&(dyn ToSql + Sync), Type); 2] =
            [(&session, Type::INT8), (&lanes, Type::INT4)];
        transaction.execute(&self.sql.lane_insert, &params).await?;
        transaction.commit().await?;
        Ok(Lease { node, session, keys_above })
    }

    /// On a connection of its own: a node that waits for its turn behind long queries would be
    /// taken for dead.
    pub(crate) async fn beat(&self, beat: Beat) -> Result<Pulse, Error> {
        let floor = self.floor.for_beat(beat.lock_floor.raw());
        let (now, engine) = (beat.now.as_ms(), self.engine.as_str());
        let params: [(&(dyn ToSql + Sync), Type); 7] = [
            (&beat.lease.session, Type::INT8),
            (&now, Type::INT8),
            (&beat.key_high, Type::INT8),
            (&floor, Type::INT8),
            (&NOTHING_TAKEN, Type::INT8),
            (&engine, Type::TEXT),
            (&beat.settings_seen, Type::INT8),
        ];
        let listed = self.list_locks(&beat).await?;
        self.forget_landed(beat.lease.session).await?;
        let rows = self.run(&self.pulse, &self.sql.node_beat, &params).await?;
        let pulse = |row: &read::Columns<'_>| {
            Ok(Pulse {
                next_due_at: row.time_or_null(7)?,
                engine_jobs_ready: row.get(8)?,
                nodes: Vec::new(),
                newest_definition: row.get(9)?,
                has_broadcasts: row.get(10)?,
                message_expires_at: row.time_or_null(11)?,
                settings_version: row.get(12)?,
                listed: Vec::new(),
            })
        };
        let pulse = read::first(&rows, pulse)?.ok_or(Error::Fenced)?;
        Ok(Pulse { nodes: read::all(&rows, read::node)?, listed, ..pulse })
    }

    async fn list_locks(&self, beat: &Beat) -> Result<Vec<JobKey>, Error> {
        if beat.long_held.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<i64> = beat.long_held.iter().map(|key| key.raw()).collect();
        let params: [(&(dyn ToSql + Sync), Type); 2] =
            [(&beat.lease.session, Type::INT8), (&keys, Type::INT8_ARRAY)];
        let rows = self.run(&self.pulse, &self.sql.job_list_locks, &params).await?;
        read::all(&rows, |row| Ok(JobKey::new(row.get(0)?)))
    }

    async fn forget_landed(&self, session: i64) -> Result<(), Error> {
        let past = self.landed.past(session);
        if past.lanes.is_empty() {
            return Ok(());
        }
        let params: [(&(dyn ToSql + Sync), Type); 4] = [
            (&session, Type::INT8),
            (&past.lanes, Type::INT2_ARRAY),
            (&past.firsts, Type::INT8_ARRAY),
            (&past.lasts, Type::INT8_ARRAY),
        ];
        self.run(&self.pulse, &self.sql.landed_forget, &params).await?;
        self.landed.forget(session, &past);
        Ok(())
    }

    pub(crate) async fn fence(&self, session: i64, beat: i64) -> Result<bool, Error> {
        // Only looking first: taking the lanes of a node that lives would hold it up.
        let params: [(&(dyn ToSql + Sync), Type); 2] =
            [(&session, Type::INT8), (&beat, Type::INT8)];
        if self.read(&self.sql.node_beat_at, &params).await?.is_empty() {
            return Ok(false);
        }
        self.remove(session, Some(beat)).await
    }

    pub(crate) async fn leave(&self, lease: Lease) -> Result<(), Error> {
        self.remove(lease.session, None).await?;
        self.landed.end(lease.session);
        Ok(())
    }

    pub(crate) async fn nodes(&self) -> Result<Vec<NodeRow>, Error> {
        let engine = self.engine.as_str();
        let rows = self.read(&self.sql.nodes, &[(&engine, Type::TEXT)]).await?;
        read::all(&rows, read::node)
    }

    async fn remove(&self, session: i64, beat: Option<i64>) -> Result<bool, Error> {
        let transaction = Transaction::begin(&self.readers).await?;
        let removed = self.remove_node(&transaction, session, beat).await?;
        match removed {
            true => transaction.commit().await?,
            false => transaction.roll_back().await?,
        }
        Ok(removed)
    }

    /// Each statement has to see what those have committed whom the one before it waited for:
    /// closing the lanes waits for groups under way, deleting the node for acquisitions, and both
    /// may have locked jobs.
    async fn remove_node(
        &self,
        transaction: &Transaction<'_>,
        session: i64,
        beat: Option<i64>,
    ) -> Result<bool, Error> {
        transaction.execute(&self.sql.lane_delete, &[(&session, Type::INT8)]).await?;
        transaction.execute(&self.sql.landed_delete, &[(&session, Type::INT8)]).await?;
        let params: [(&(dyn ToSql + Sync), Type); 2] =
            [(&session, Type::INT8), (&beat, Type::INT8)];
        let gone = transaction.rows(&self.sql.node_delete, &params).await?;
        let Some(gone) = gone.first() else { return Ok(false) };
        let (number, key_high, floor): (i16, i64, i64) = (gone.get(0), gone.get(1), gone.get(2));
        let params: [(&(dyn ToSql + Sync), Type); 2] =
            [(&number, Type::INT2), (&key_high, Type::INT8)];
        transaction.execute(&self.sql.node_number_keep, &params).await?;
        let params: [(&(dyn ToSql + Sync), Type); 2] =
            [(&session, Type::INT8), (&floor, Type::INT8)];
        // Instances before jobs, as in groups.
        let mut cleared = transaction.execute(&self.sql.job_at_hand_clear, &[]).await?;
        cleared += transaction.execute(&self.sql.job_clear_session, &params).await?;
        tracing::info!(session, cleared, "node removed");
        Ok(true)
    }

    /// Until the end of the transaction, across all nodes.
    pub(crate) async fn lock_advisory(
        &self,
        transaction: &Transaction<'_>,
        what: &str,
    ) -> Result<(), Error> {
        let what = format!("{what} {}", self.schema);
        let params: [(&(dyn ToSql + Sync), Type); 2] =
            [(&ADVISORY_CLASS, Type::INT4), (&what, Type::TEXT)];
        transaction.rows(&self.sql.lock_advisory, &params).await.map(drop)
    }
}
