//! Groups: everything in one call, and what to make of its answer.

#![expect(clippy::disallowed_methods, reason = "a driver: it owns connections and their time")]

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use orloj_store::{CommitError, Committed, Error, Fit, Group, InstanceWrite, Lease, MessageKey};
use orloj_types::{InstanceKey, SubscriptionKey};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};

use crate::chore_group::ChoreRows;
use crate::connection::Connection;
use crate::error::{closed, describe, is_lost, of_group};
use crate::group::GroupRows;
use crate::sql::Sql;
use crate::statements;
use crate::store::Shared;
use crate::transaction::BEGIN;

/// A group of the usual size takes milliseconds; a server that is silent this long has lost it, or
/// us.
const ANSWER_MAX: Duration = Duration::from_secs(20);

/// What the procedure that commits groups raises.
const LANE_REFUSED: &str = "OJ001";
const REVISION_REFUSED: &str = "OJ002";
const INSTANCE_EXISTS: &str = "instance_pkey";
/// No instance has it.
const REVISION_NONE: i32 = -1;
/// The unique index of ids that messages carry.
const MESSAGE_ID_EXISTS: &str = "message_id";

/// One committer connection. It is opened when first needed, and again after it was lost.
#[derive(Default)]
pub(crate) struct Lane {
    connection: tokio::sync::Mutex<Option<Connection>>,
    prepared: Mutex<Ahead>,
}

/// The group that will most likely be next, translated.
#[derive(Default)]
struct Ahead {
    rows: Option<Prepared>,
    /// The last group that was sent: session and number.
    sent: (i64, i64),
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
        let mut ahead = self.prepared.lock().expect("nothing panics while it is held");
        ahead.sent = (group.lease.session, group.id);
        let prepared = ahead.rows.take()?;
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
        let (session, id) = (group.lease.session, group.id);
        // Held meanwhile: what comes too late must not tell what is at hand after the group.
        let lane = self.lane(group.lane);
        let mut ahead = lane.prepared.lock().expect("nothing panics while it is held");
        if ahead.sent.0 == session && ahead.sent.1 >= id {
            return;
        }
        // Too large a group is refused when it is committed, not here.
        let Ok(rows) = GroupRows::new(group, &self.types, &self.at_hand) else { return };
        ahead.rows = Some(Prepared { session, id, rows });
    }

    pub(crate) async fn commit(&self, group: &Group) -> Result<Committed, CommitError> {
        let rows = match self.lane(group.lane).take_prepared(group) {
            Some(rows) => rows,
            None => GroupRows::new(group, &self.types, &self.at_hand)?,
        };
        let hold = rows.locked_lowest.map(|key| self.floor.hold(key));
        let lowered = hold.as_ref().filter(|hold| hold.must_lower).and(rows.locked_lowest);
        let mut slot = self.lane(group.lane).connection.lock().await;
        // A reopened lane is known only to the store that did it; its epoch is learnt once.
        for attempt in 0..2 {
            let connection = self.lane_connection(&mut slot).await?;
            let epoch = self.epochs.get(group.lease.session, group.lane);
            let answer = self.send(connection, group, &rows, lowered, epoch).await;
            let is_broken = answer.as_ref().is_none_or(|a| a.as_ref().is_err_and(Failed::is_lost));
            if is_broken && let Some(connection) = slot.take() {
                connection.discard();
            }
            match judge(answer) {
                Verdict::Done(committed) => {
                    self.landed.note(group.lease.session, group.lane, group.id);
                    self.at_hand.landed(group);
                    return Ok(committed);
                }
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
                    return Err(self.find_losers(connection, group, &rows).await);
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
    async fn find_losers(
        &self,
        connection: &Connection,
        group: &Group,
        sent: &GroupRows,
    ) -> CommitError {
        let changes = &group.changes;
        let lost_by_events = match self.event_losers(connection, group).await {
            Ok(losers) => losers,
            Err(error) => return CommitError::Unavailable(describe(&error)),
        };
        let lost_by_chores = match self.chore_losers(connection, group).await {
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
        let mut revs: HashMap<i64, i32> = HashMap::new();
        for row in &rows {
            let (key, rev, job): (i64, i32, Option<i64>) = (row.get(0), row.get(1), row.get(2));
            self.at_hand.note(key, rev, job);
            let is_laid = sent.laid.binary_search(&key).is_ok();
            let at = sent.befores.binary_search_by_key(&key, |(instance, _)| *instance);
            let is_right = is_laid || at.is_ok_and(|at| sent.befores[at].1 == job);
            // Whoever was wrong about the job at hand has to read the instance again.
            revs.insert(key, if is_right { rev } else { REVISION_NONE });
        }
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
                lost_by_events.contains(at)
                    || lost_by_chores.contains(at)
                    || change.instances.iter().any(loses)
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

    /// None when the server stayed silent.
    async fn send(
        &self,
        connection: &Connection,
        group: &Group,
        rows: &GroupRows,
        lowered: Option<i64>,
        epoch: i32,
    ) -> Option<Result<Committed, Failed>> {
        let is_attached = group.changes.iter().any(|change| !change.statements.is_empty());
        if self.in_bulk && !is_attached {
            return send_at_once(connection, &self.sql, group, rows, lowered, epoch).await;
        }
        let (rows_apart, chores_apart): (Vec<GroupRows>, Vec<ChoreRows>);
        let chores = rows.chores.as_deref();
        let parts = if self.in_bulk {
            Parts { rows: vec![rows], chores: chores.into_iter().collect() }
        } else {
            rows_apart = rows.one_by_one(&self.types);
            let singles = chores.map(|chores| chores.one_by_one(&self.types));
            chores_apart = singles.unwrap_or_default();
            Parts { rows: rows_apart.iter().collect(), chores: chores_apart.iter().collect() }
        };
        // Each part may take as long as a whole group.
        let patience = ANSWER_MAX * u32::try_from(parts.len()).unwrap_or(u32::MAX);
        let answer = send_in_turn(connection, &self.sql, group, &parts, lowered, epoch);
        tokio::time::timeout(patience, answer).await.ok()?
    }
}

/// None when the server stayed silent.
async fn send_at_once(
    connection: &Connection,
    sql: &Sql,
    group: &Group,
    rows: &GroupRows,
    lowered: Option<i64>,
    epoch: i32,
) -> Option<Result<Committed, Failed>> {
    let Some(chores) = &rows.chores else {
        let answer = send_call(connection, sql, group, rows, lowered, epoch).await;
        return answer.map(|answer| answer.map_err(Failed::from));
    };
    // A transaction of two calls; its statements are sent at once. After an error the server
    // refuses the rest and takes COMMIT for a roll-back, so the first error is the answer.
    let mut params: Vec<(&(dyn ToSql + Sync), Type)> = vec![(&group.lease.session, Type::INT8)];
    params.extend(chores.params());
    params.push((&lowered, Type::INT8));
    let answer = async {
        tokio::join!(
            biased;
            connection.batch_execute(BEGIN),
            send_call(connection, sql, group, rows, None, epoch),
            connection.execute_typed(&sql.group_commit_chores, &params),
            connection.batch_execute("COMMIT"),
        )
    };
    let answer = tokio::time::timeout(ANSWER_MAX, answer).await.ok()?;
    let (begun, called, chores_written, ended) = answer;
    let called = called?;
    let answer = begun.and(called).and_then(|committed| {
        chores_written?;
        ended?;
        Ok(committed)
    });
    Some(answer.map_err(Failed::from))
}

/// What is sent in turn, within one transaction.
struct Parts<'a> {
    rows: Vec<&'a GroupRows>,
    chores: Vec<&'a ChoreRows>,
}

impl Parts<'_> {
    fn len(&self) -> usize {
        self.rows.len() + self.chores.len()
    }
}

/// A group with statements of the application, or one whose rows are sent one by one: each waits for
/// the one before it, and whoever wrote a statement is told which one failed.
async fn send_in_turn(
    connection: &Connection,
    sql: &Sql,
    group: &Group,
    parts: &Parts<'_>,
    lowered: Option<i64>,
    epoch: i32,
) -> Option<Result<Committed, Failed>> {
    let written = async {
        connection.batch_execute(BEGIN).await?;
        let mut committed = Committed::default();
        // The row of the node comes last: who holds it waits for nobody.
        let mut left = parts.len();
        let mut lowered_by = || {
            left -= 1;
            lowered.filter(|_| left == 0)
        };
        for rows in &parts.rows {
            let called = send_call(connection, sql, group, rows, lowered_by(), epoch).await;
            let Some(called) = called else { return Ok(None) };
            committed = called?;
        }
        for chores in &parts.chores {
            let session: (&(dyn ToSql + Sync), Type) = (&group.lease.session, Type::INT8);
            let lowered = lowered_by();
            let mut params = vec![session];
            params.extend(chores.params());
            params.push((&lowered, Type::INT8));
            connection.execute_typed(&sql.group_commit_chores, &params).await?;
        }
        let statements = group.changes.iter().flat_map(|change| &change.statements);
        for (at, statement) in statements.enumerate() {
            statements::run(connection, statement).await.map_err(|failed| match failed {
                statements::Failed::Refused(reason) => {
                    Failed { error: None, attached: Some((at, reason)) }
                }
                statements::Failed::Server(error) => {
                    Failed { attached: Some((at, describe(&error))), error: Some(error) }
                }
            })?;
        }
        Ok(Some(committed))
    };
    match written.await {
        Ok(Some(committed)) => {
            let ended = connection.batch_execute("COMMIT").await;
            Some(ended.map(|()| committed).map_err(Failed::from))
        }
        Ok(None) => None,
        Err(failed) => {
            // A connection that is lost has rolled back by itself.
            let _ = connection.batch_execute("ROLLBACK").await;
            Some(Err(failed))
        }
    }
}

/// Why a group was not committed.
struct Failed {
    /// None: the statement was not sent.
    error: Option<tokio_postgres::Error>,
    /// Which statement of the application it was, and why.
    attached: Option<(usize, String)>,
}

impl Failed {
    fn is_lost(&self) -> bool {
        self.error.as_ref().is_some_and(is_lost)
    }
}

impl From<tokio_postgres::Error> for Failed {
    fn from(error: tokio_postgres::Error) -> Self {
        Self { error: Some(error), attached: None }
    }
}

/// Everything of a group but its chores. None when the server stayed silent.
async fn send_call(
    connection: &Connection,
    sql: &Sql,
    group: &Group,
    rows: &GroupRows,
    lowered: Option<i64>,
    epoch: i32,
) -> Option<Result<Committed, tokio_postgres::Error>> {
    let lane = i16::from(group.lane);
    let params: [(&(dyn ToSql + Sync), Type); 21] = [
        (&group.lease.session, Type::INT8),
        (&lane, Type::INT2),
        (&group.id, Type::INT8),
        (&epoch, Type::INT4),
        (&rows.laid, Type::INT8_ARRAY),
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
    let sql = match &rows.pages {
        None => &sql.group_commit_with_events,
        Some(pages) => {
            params.extend(pages.params());
            &sql.group_commit_with_pages
        }
    };
    let answer = connection.query_typed(sql, &params);
    let answer = tokio::time::timeout(ANSWER_MAX, answer).await.ok()?;
    Some(answer.and_then(|rows| {
        let Some(row) = rows.first() else { return Ok(Committed::default()) };
        let numbers: Option<Vec<i64>> = row.try_get(0)?;
        Ok(Committed { fits: fits(&numbers.unwrap_or_default()) })
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

fn judge(answer: Option<Result<Committed, Failed>>) -> Verdict {
    let (error, attached) = match answer {
        Some(Ok(committed)) => return Verdict::Done(committed),
        Some(Err(Failed { error: Some(error), attached })) => (error, attached),
        Some(Err(Failed { error: None, attached })) => {
            let (at, reason) = attached.unwrap_or_default();
            return Verdict::Failed(CommitError::Attached { at, reason });
        }
        None => {
            let silent = format!("no answer within {} s", ANSWER_MAX.as_secs());
            return Verdict::Failed(CommitError::Unknown(silent));
        }
    };
    if let Some((at, reason)) = attached
        && !is_lost(&error)
        && !error.as_db_error().is_some_and(|server| is_passing(server.code()))
    {
        return Verdict::Failed(CommitError::Attached { at, reason });
    }
    match error.as_db_error() {
        Some(server) if server.code().code() == LANE_REFUSED => Verdict::LaneRefused,
        Some(server) if server.code().code() == REVISION_REFUSED => Verdict::RevisionRefused,
        Some(server) if server.constraint() == Some(INSTANCE_EXISTS) => Verdict::RevisionRefused,
        Some(server) if server.constraint() == Some(MESSAGE_ID_EXISTS) => Verdict::RevisionRefused,
        // A server that ends may have committed before it did.
        Some(server) if !is_lost(&error) => Verdict::Failed(of_group(&error, server.code())),
        _ => Verdict::Failed(CommitError::Unknown(describe(&error))),
    }
}

/// Whether the server is to blame and not the statement: another time it may work.
fn is_passing(code: &SqlState) -> bool {
    // Connections, roll-backs by deadlock, resources, operators, the system; a lock not to be had.
    const CLASSES: [&str; 5] = ["08", "40", "53", "57", "58"];
    let code = code.code();
    CLASSES.iter().any(|class| code.starts_with(class)) || code == "55P03"
}
