//! Groups: everything in one round trip, and what to make of the answers.
//!
//! BEGIN, the statements and COMMIT are sent together. A statement that fails, be it one of our
//! checks or the server's, leaves the transaction in a state in which COMMIT takes it back and
//! still answers well; so what counts is that every statement was answered well, and then COMMIT.

#![expect(clippy::disallowed_methods, reason = "a driver: it owns connections and their time")]

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Mutex;
use std::time::Duration;

use futures_util::future::join_all;
use orloj_store::{Change, CommitError, Error, Group, InstanceWrite, Lease};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};

use crate::connection::Connection;
use crate::connector::Purpose;
use crate::error::{closed, describe, is_guard, is_lost, of_statement};
use crate::group::GroupRows;
use crate::sql::Sql;
use crate::store::Shared;

/// A group of the usual size takes milliseconds; a server that is silent this long has lost it, or
/// us.
const ANSWER_MAX: Duration = Duration::from_secs(20);

/// One committer connection. It is opened when first needed, and again after it was lost.
#[derive(Default)]
pub(crate) struct Lane(tokio::sync::Mutex<Option<Connection>>);

impl Lane {
    pub async fn close(&self) {
        self.0.lock().await.take();
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
    pub(crate) async fn commit(&self, group: &Group) -> Result<(), CommitError> {
        let rows = GroupRows::new(group, &self.types)?;
        let hold = rows.locked_lowest.map(|key| self.floor.hold(key));
        let lowered = hold.as_ref().filter(|hold| hold.must_lower).and_then(|_| rows.locked_lowest);
        let mut slot = self.lane(group.lane).0.lock().await;
        // A reopened lane is known only to the store that did it; its epoch is learnt once.
        for attempt in 0..2 {
            let connection = self.lane_connection(&mut slot).await?;
            let epoch = self.epochs.get(group.lease.session, group.lane);
            let answers = send(connection, &self.sql, group, &rows, lowered, epoch).await;
            if is_broken(&answers)
                && let Some(connection) = slot.take()
            {
                connection.discard();
            }
            match judge(answers) {
                Verdict::Done => return Ok(()),
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
                    return Err(self.find_losers(connection, &group.changes).await);
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
            *slot = Some(self.connector.open(Purpose::Lane).await.map_err(unavailable)?);
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

    /// Which changes meet another revision than they expect.
    async fn find_losers(&self, connection: &Connection, changes: &[Change]) -> CommitError {
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
            .filter(|(_, change)| change.instances.iter().any(loses))
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

/// What a statement of the group is about, which tells what its failing means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Begin,
    Lane,
    Revisions,
    Inserts,
    Rest,
    Commit,
}

type Answer = (Part, Result<(), tokio_postgres::Error>);
type Sending<'a> = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

/// None when the server stayed silent.
async fn send(
    connection: &Connection,
    sql: &Sql,
    group: &Group,
    rows: &GroupRows,
    lowered: Option<i64>,
    epoch: i32,
) -> Option<Vec<Answer>> {
    let session = group.lease.session;
    let lane = i16::from(group.lane);
    let counts = (rows.instances_updated.len(), rows.instances_deleted.len());
    let mut pipeline = Pipeline { connection, sending: Vec::with_capacity(12) };
    pipeline.text(Part::Begin, connection.begin);
    let params: Vec<(&(dyn ToSql + Sync), Type)> = vec![
        (&session, Type::INT8),
        (&lane, Type::INT2),
        (&group.id, Type::INT8),
        (&epoch, Type::INT4),
    ];
    pipeline.statement(Part::Lane, &sql.lane_advance, params);
    if counts.0 > 0 {
        let params = vec![rows.instances_updated.param(), (&counts.0 as _, Type::INT8)];
        pipeline.statement(Part::Revisions, &sql.instance_update, params);
    }
    if counts.1 > 0 {
        let params = vec![rows.instances_deleted.param(), (&counts.1 as _, Type::INT8)];
        pipeline.statement(Part::Revisions, &sql.instance_delete, params);
    }
    pipeline.rows(Part::Inserts, &sql.instance_insert, &rows.instances_inserted);
    pipeline.keys(&sql.job_delete, &rows.jobs_deleted);
    pipeline.rows(Part::Rest, &sql.job_update, &rows.jobs_updated);
    pipeline.rows(Part::Rest, &sql.job_insert, &rows.jobs_inserted);
    pipeline.keys(&sql.variable_delete_all, &rows.variables_cleared);
    pipeline.rows(Part::Rest, &sql.variable_delete, &rows.variables_deleted);
    pipeline.rows(Part::Rest, &sql.variable_put, &rows.variables_put);
    pipeline.keys(&sql.user_task_delete, &rows.user_tasks_deleted);
    pipeline.rows(Part::Rest, &sql.user_task_insert, &rows.user_tasks_inserted);
    pipeline.keys(&sql.incident_delete, &rows.incidents_deleted);
    pipeline.rows(Part::Rest, &sql.incident_insert, &rows.incidents_inserted);
    pipeline.rows(Part::Rest, &sql.history_insert, &rows.history);
    pipeline.rows(Part::Rest, &sql.ended_insert, &rows.ended);
    // After the jobs, as in acquisitions: who holds the row of the node waits for nobody.
    if let Some(key) = &lowered {
        let params: Vec<(&(dyn ToSql + Sync), Type)> =
            vec![(&session, Type::INT8), (key, Type::INT8)];
        pipeline.statement(Part::Rest, &sql.node_lower_floor, params);
    }
    pipeline.text(Part::Commit, "COMMIT");
    // Each is sent when first polled, and they are polled in order.
    tokio::time::timeout(ANSWER_MAX, join_all(pipeline.sending)).await.ok()
}

struct Pipeline<'a> {
    connection: &'a Connection,
    sending: Vec<Sending<'a>>,
}

impl<'a> Pipeline<'a> {
    fn text(&mut self, part: Part, sql: &'a str) {
        let connection = self.connection;
        self.sending.push(Box::pin(async move { (part, connection.batch_execute(sql).await) }));
    }

    fn statement(&mut self, part: Part, sql: &'a str, params: Vec<(&'a (dyn ToSql + Sync), Type)>) {
        let connection = self.connection;
        self.sending.push(Box::pin(async move {
            (part, connection.execute_typed(sql, &params).await.map(drop))
        }));
    }

    fn rows(&mut self, part: Part, sql: &'a str, rows: &'a crate::row_array::RowArray) {
        if !rows.is_empty() {
            self.statement(part, sql, vec![rows.param()]);
        }
    }

    fn keys(&mut self, sql: &'a str, keys: &'a Vec<i64>) {
        if !keys.is_empty() {
            self.statement(Part::Rest, sql, vec![(keys, Type::INT8_ARRAY)]);
        }
    }
}

enum Verdict {
    Done,
    /// The lane is gone, or was reopened.
    LaneRefused,
    /// Some instance has another revision than expected, or exists.
    RevisionRefused,
    Failed(CommitError),
}

fn judge(answers: Option<Vec<Answer>>) -> Verdict {
    let Some(answers) = answers else {
        let silent = format!("no answer within {} s", ANSWER_MAX.as_secs());
        return Verdict::Failed(CommitError::Unknown(silent));
    };
    // The first to fail is the cause; those after it only tell that the transaction is broken.
    let Some((part, error)) =
        answers.into_iter().find_map(|(part, answer)| answer.err().map(|error| (part, error)))
    else {
        return Verdict::Done;
    };
    match (part, error.code()) {
        (Part::Lane, _) if is_guard(&error) => Verdict::LaneRefused,
        (Part::Revisions, _) if is_guard(&error) => Verdict::RevisionRefused,
        (Part::Inserts, Some(code)) if *code == SqlState::UNIQUE_VIOLATION => {
            Verdict::RevisionRefused
        }
        // A server that ends while it commits may have done so.
        (Part::Commit, _) | (_, None) => Verdict::Failed(CommitError::Unknown(describe(&error))),
        (_, Some(code)) => Verdict::Failed(of_statement(&error, code)),
    }
}

fn is_broken(answers: &Option<Vec<Answer>>) -> bool {
    let Some(answers) = answers else { return true };
    answers.iter().any(|(_, answer)| answer.as_ref().is_err_and(is_lost))
}
