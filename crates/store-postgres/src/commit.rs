//! Groups: everything in one call, and what to make of its answer.

#![expect(clippy::disallowed_methods, reason = "a driver: it owns connections and their time")]

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use orloj_store::{
    CommitError, Committed, Error, Fit, Group, InstanceWrite, Lease, MessageKey, StartFit,
};
use orloj_types::{DefinitionKey, ElementId, InstanceKey, SubscriptionKey};
use tokio_postgres::types::{ToSql, Type};

use crate::connection::Connection;
use crate::error::{closed, describe, is_lost, of_group};
use crate::group::GroupRows;
use crate::sql::Sql;
use crate::store::Shared;

/// A group of the usual size takes milliseconds; a server that is silent this long has lost it, or
/// us.
const ANSWER_MAX: Duration = Duration::from_secs(20);

/// What the procedure that commits groups raises.
const LANE_REFUSED: &str = "OJ001";
const REVISION_REFUSED: &str = "OJ002";
const INSTANCE_EXISTS: &str = "instance_pkey";
/// The unique index of ids that messages carry.
const MESSAGE_ID_EXISTS: &str = "message_id";
const HOLD_EXISTS: &str = "start_hold_pkey";

/// One committer connection. It is opened when first needed, and again after it was lost.
#[derive(Default)]
pub(crate) struct Lane {
    connection: tokio::sync::Mutex<Option<Connection>>,
    prepared: Mutex<Option<Prepared>>,
}

/// The rows of a group that will most likely be next.
struct Prepared {
    session: i64,
    id: i64,
    rows: GroupRows,
}

impl Lane {
    pub async fn close(&self) {
        self.connection.lock().await.take();
    }

    fn take_prepared(&self, group: &Group) -> Option<GroupRows> {
        let prepared = self.prepared.lock().expect("nothing panics while it is held").take()?;
        let is_it = prepared.session == group.lease.session && prepared.id == group.id;
        is_it.then_some(prepared.rows)
    }
}

/// The epochs of lanes that were reopened; all others are at 0.
#[derive(Default)]
pub(crate) struct Epochs(Mutex<HashMap<(i64, u8), i32>>);

impl Epochs {
    fn get(&self, session: i64, lane: u8) -> i32 {
        let epochs = self.0.lock().expect("nothing panics while it is held");
        epochs.get(&(session, lane)).copied().unwrap_or(0)
    }

    fn set(&self, session: i64, lane: u8, epoch: i32) {
        let mut epochs = self.0.lock().expect("nothing panics while it is held");
        epochs.insert((session, lane), epoch);
    }
}

impl Shared {
    pub(crate) fn prepare(&self, group: &Group) {
        // Too large a group is refused when it is committed, not here.
        let Ok(rows) = GroupRows::new(group, &self.types) else { return };
        let (session, id) = (group.lease.session, group.id);
        let mut prepared =
            self.lane(group.lane).prepared.lock().expect("nothing panics while it is held");
        *prepared = Some(Prepared { session, id, rows });
    }

    pub(crate) async fn commit(&self, group: &Group) -> Result<Committed, CommitError> {
        let rows = match self.lane(group.lane).take_prepared(group) {
            Some(rows) => rows,
            None => GroupRows::new(group, &self.types)?,
        };
        let hold = rows.locked_lowest.map(|key| self.floor.hold(key));
        let lowered = hold.as_ref().filter(|hold| hold.must_lower).and(rows.locked_lowest);
        let mut slot = self.lane(group.lane).connection.lock().await;
        // A reopened lane is known only to the store that did it; its epoch is learnt once.
        for attempt in 0..2 {
            let connection = self.lane_connection(&mut slot).await?;
            let epoch = self.epochs.get(group.lease.session, group.lane);
            let answer = send(connection, &self.sql, group, &rows, lowered, epoch).await;
            let is_broken = answer.as_ref().is_none_or(|a| a.as_ref().is_err_and(is_lost));
            if is_broken && let Some(connection) = slot.take() {
                connection.discard();
            }
            match judge(answer) {
                Verdict::Done(committed) => return Ok(committed),
                Verdict::Failed(error) => return Err(error),
                Verdict::LaneRefused => {
                    let connection = self.lane_connection(&mut slot).await?;
                    self.learn_epoch(connection, group, epoch).await?;
                    if attempt > 0 {
                        break;
                    }
                }
                Verdict::RevisionRefused => {
                    let connection = self.lane_connection(&mut slot).await?;
                    return Err(self.find_losers(connection, group).await);
                }
            }
        }
        Err(CommitError::Unavailable("the lane was reopened meanwhile".to_owned()))
    }

    /// See the contract. Whoever asks has lost an answer, and with it a connection whose last
    /// transaction the server may even have yet to begin: the lane is reopened, so that what is
    /// said here stays true.
    pub(crate) async fn landed(&self, lease: Lease, lane: u8, id: i64) -> Result<bool, Error> {
        let sql = &self.sql.lane_reopen;
        let lane_number = i16::from(lane);
        let params: [(&(dyn ToSql + Sync), Type); 2] =
            [(&lease.session, Type::INT8), (&lane_number, Type::INT2)];
        let rows = self.write(sql, &params).await?;
        let row = rows.first().ok_or(Error::Fenced)?;
        let (group_id, epoch): (i64, i32) = (row.get(0), row.get(1));
        self.epochs.set(lease.session, lane, epoch);
        Ok(group_id >= id)
    }

    async fn lane_connection<'a>(
        &self,
        slot: &'a mut Option<Connection>,
    ) -> Result<&'a Connection, CommitError> {
        let unavailable = |error: Error| CommitError::Unavailable(error.to_string());
        if self.connector.is_closed() {
            return Err(unavailable(closed()));
        }
        if slot.as_ref().is_none_or(|connection| connection.is_closed()) {
            *slot = Some(self.connector.open().await.map_err(unavailable)?);
        }
        Ok(slot.as_ref().expect("it was just opened"))
    }

    async fn learn_epoch(
        &self,
        connection: &Connection,
        group: &Group,
        sent: i32,
    ) -> Result<(), CommitError> {
        let lane = i16::from(group.lane);
        let params: [(&(dyn ToSql + Sync), Type); 2] =
            [(&group.lease.session, Type::INT8), (&lane, Type::INT2)];
        let rows = connection.query_typed(&self.sql.lane_epoch, &params).await;
        let rows = rows.map_err(|e| CommitError::Unavailable(describe(&e)))?;
        match rows.first().map(|row| row.get::<_, i32>(0)) {
            None => Err(CommitError::Fenced),
            Some(epoch) => {
                tracing::debug!(lane, sent, epoch, "the lane was reopened");
                self.epochs.set(group.lease.session, group.lane, epoch);
                Ok(())
            }
        }
    }

    /// Which changes meet another revision, or another state of something else, than they expect.
    async fn find_losers(&self, connection: &Connection, group: &Group) -> CommitError {
        let changes = &group.changes;
        let lost_by_events = match self.event_losers(connection, group).await {
            Ok(losers) => losers,
            Err(error) => return CommitError::Unavailable(describe(&error)),
        };
        let writes = || changes.iter().flat_map(|change| &change.instances);
        let keys: Vec<i64> = writes().map(|write| write.key().raw()).collect();
        let sql = &self.sql.instance_revs;
        let rows = match connection.query_typed(sql, &[(&keys, Type::INT8_ARRAY)]).await {
            Ok(rows) => rows,
            Err(error) => return CommitError::Unavailable(describe(&error)),
        };
        let revs: HashMap<i64, i32> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        let loses = |write: &InstanceWrite| {
            let found = revs.get(&write.key().raw());
            match write {
                InstanceWrite::Insert(_) => found.is_some(),
                InstanceWrite::Update { expected_rev, .. }
                | InstanceWrite::Delete { expected_rev, .. } => found != Some(expected_rev),
            }
        };
        let losers: Vec<usize> = changes
            .iter()
            .enumerate()
            .filter(|(at, change)| {
                lost_by_events.contains(at) || change.instances.iter().any(loses)
            })
            .map(|(at, _)| at)
            .collect();
        if losers.is_empty() {
            // The one in the way has gone since, or the group names an instance twice. Taken apart,
            // the group goes through in the first case and shows the culprit in the second.
            return CommitError::Statement("a revision was refused, now all are right".to_owned());
        }
        CommitError::Conflicts(losers)
    }
}

/// None when the server stayed silent.
async fn send(
    connection: &Connection,
    sql: &Sql,
    group: &Group,
    rows: &GroupRows,
    lowered: Option<i64>,
    epoch: i32,
) -> Option<Result<Committed, tokio_postgres::Error>> {
    let lane = i16::from(group.lane);
    let params: [(&(dyn ToSql + Sync), Type); 20] = [
        (&group.lease.session, Type::INT8),
        (&lane, Type::INT2),
        (&group.id, Type::INT8),
        (&epoch, Type::INT4),
        rows.instances_updated.param(),
        rows.instances_deleted.param(),
        rows.instances_inserted.param(),
        (&rows.jobs_deleted, Type::INT8_ARRAY),
        rows.jobs_updated.param(),
        rows.jobs_inserted.param(),
        (&rows.variables_cleared, Type::INT8_ARRAY),
        rows.variables_deleted.param(),
        rows.variables_put.param(),
        (&rows.user_tasks_deleted, Type::INT8_ARRAY),
        rows.user_tasks_inserted.param(),
        (&rows.incidents_deleted, Type::INT8_ARRAY),
        rows.incidents_inserted.param(),
        rows.history.param(),
        rows.ended.param(),
        (&lowered, Type::INT8),
    ];
    let Some(events) = &rows.events else {
        let answer = connection.execute_typed(&sql.group_commit, &params);
        let answer = tokio::time::timeout(ANSWER_MAX, answer).await;
        return Some(answer.ok()?.map(|_| Committed::default()));
    };
    let mut params = Vec::from(params);
    params.extend(events.params());
    let answer = connection.query_typed(&sql.group_commit_with_events, &params);
    let answer = tokio::time::timeout(ANSWER_MAX, answer).await.ok()?;
    Some(answer.and_then(|rows| {
        let Some(row) = rows.first() else { return Ok(Committed::default()) };
        let numbers: Option<Vec<i64>> = row.try_get(0)?;
        let messages: Option<Vec<i64>> = row.try_get(1)?;
        let definitions: Option<Vec<i64>> = row.try_get(2)?;
        let events: Option<Vec<&str>> = row.try_get(3)?;
        let starts = messages.unwrap_or_default().into_iter().zip(definitions.unwrap_or_default());
        let starts = starts.zip(events.unwrap_or_default());
        let start_fit = |((message, definition), event)| StartFit {
            message: MessageKey::new(message),
            definition: DefinitionKey::new(definition),
            event: ElementId::new(event),
        };
        let start_fits = starts.map(start_fit).collect();
        Ok(Committed { fits: fits(&numbers.unwrap_or_default()), start_fits })
    }))
}

/// Three numbers each.
fn fits(numbers: &[i64]) -> Vec<Fit> {
    let fit = |of_one: &[i64; 3]| Fit {
        message: MessageKey::new(of_one[0]),
        subscription: SubscriptionKey::new(of_one[1]),
        instance: InstanceKey::new(of_one[2]),
    };
    numbers.as_chunks().0.iter().map(fit).collect()
}

enum Verdict {
    Done(Committed),
    /// The lane is gone, or was reopened.
    LaneRefused,
    /// Some instance has another revision than expected, or exists; or something else is not as
    /// expected.
    RevisionRefused,
    Failed(CommitError),
}

fn judge(answer: Option<Result<Committed, tokio_postgres::Error>>) -> Verdict {
    let error = match answer {
        Some(Ok(committed)) => return Verdict::Done(committed),
        Some(Err(error)) => error,
        None => {
            let silent = format!("no answer within {} s", ANSWER_MAX.as_secs());
            return Verdict::Failed(CommitError::Unknown(silent));
        }
    };
    match error.as_db_error() {
        Some(server) if server.code().code() == LANE_REFUSED => Verdict::LaneRefused,
        Some(server) if server.code().code() == REVISION_REFUSED => Verdict::RevisionRefused,
        Some(server) if server.constraint() == Some(INSTANCE_EXISTS) => Verdict::RevisionRefused,
        Some(server) if server.constraint() == Some(MESSAGE_ID_EXISTS) => Verdict::RevisionRefused,
        Some(server) if server.constraint() == Some(HOLD_EXISTS) => Verdict::RevisionRefused,
        // A server that ends may have committed before it did.
        Some(server) if !is_lost(&error) => Verdict::Failed(of_group(&error, server.code())),
        _ => Verdict::Failed(CommitError::Unknown(describe(&error))),
    }
}
