//! Groups: many changes, one transaction.
//!
//! Rows are written table by table in the order of their keys, so that neighbours in a page are
//! written one after the other.

use std::sync::Arc;

use orloj_store::{
    Change, Claims, CommitError, Committed, Error, Group, InstanceWrite, JobUpdate, JobWrite,
    Lease, LockWrite, RecordPageWrite, VariableWrite,
};
use orloj_types::Timestamp;
use rusqlite::{CachedStatement, Connection, OptionalExtension, params};

use crate::error::{Kind, kind, portable};
use crate::writer::{Failure, Floor, Writer};
use crate::{chores, events, rows, statements};

/// Why a group stops.
enum Stop {
    /// Something was not as expected of it.
    Mismatch,
    Fenced,
    /// A statement of the application failed.
    Attached {
        at: usize,
        reason: String,
    },
    Sql(rusqlite::Error),
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

pub(crate) fn commit(writer: &mut Writer, group: &Arc<Group>) -> Result<Committed, CommitError> {
    let session = group.lease.session;
    let lowest = lowest_lock(group);
    let lowered = lowest.filter(|job| writer.floor.is_above(session, *job));
    let committed = writer.transact(|connection| apply(connection, group, lowered));
    match committed {
        Ok(committed) => {
            if let Some(lowered) = lowered {
                writer.floor = Floor::of(session, lowered);
            }
            // Also above the floor: the next beat may ask for a higher one that knows nothing yet
            // of this lock.
            if let Some(lowest) = lowest {
                writer.taken_floor = Some(writer.taken_floor.map_or(lowest, |key| key.min(lowest)));
            }
            Ok(committed)
        }
        Err(Failure::Work(Stop::Mismatch)) => Err(lost(&writer.connection, group)),
        Err(Failure::Work(Stop::Fenced)) => Err(CommitError::Fenced),
        Err(Failure::Work(Stop::Attached { at, reason })) => {
            Err(CommitError::Attached { at, reason })
        }
        Err(Failure::Work(Stop::Sql(error))) => Err(match kind(&error) {
            Kind::Refused => CommitError::Statement(error.to_string()),
            Kind::Unavailable | Kind::Damaged => CommitError::Unavailable(error.to_string()),
        }),
        Err(Failure::Unavailable(error)) => Err(CommitError::Unavailable(error.to_string())),
        Err(Failure::Unsure(error)) => Err(CommitError::Unknown(error.to_string())),
    }
}

pub(crate) fn landed(writer: &mut Writer, lease: Lease, lane: u8, id: i64) -> Result<bool, Error> {
    // After a COMMIT whose pages may lie in the log unseen, "no" would be a guess until something
    // else was written over them.
    if writer.unsure {
        writer.write(|connection| {
            let barrier = include_str!("../queries/lane_barrier.sql");
            connection.prepare_cached(barrier).and_then(|mut s| s.execute([])).map_err(portable)
        })?;
    }
    let mut statement = writer
        .connection
        .prepare_cached(include_str!("../queries/lane_load.sql"))
        .map_err(portable)?;
    let at = statement.query_row((lease.session, lane), |row| row.get::<_, i64>(0));
    let at = at.optional().map_err(portable)?.ok_or(Error::Fenced)?;
    Ok(at >= id)
}

fn apply(connection: &Connection, group: &Group, lowered: Option<i64>) -> Result<Committed, Stop> {
    let session = group.lease.session;
    let mut lane = connection.prepare_cached(include_str!("../queries/lane_advance.sql"))?;
    if lane.execute((session, group.lane, group.id))? != 1 {
        return Err(Stop::Fenced);
    }
    if let Some(lowest) = lowered {
        let sql = include_str!("../queries/node_lower_floor.sql");
        connection.prepare_cached(sql)?.execute((session, lowest))?;
    }
    apply_instances(connection, &group.changes)?;
    apply_jobs(connection, &group.changes)?;
    apply_variables(connection, &group.changes)?;
    apply_pages(connection, &group.changes)?;
    apply_user_tasks(connection, &group.changes)?;
    apply_incidents(connection, &group.changes)?;
    apply_history(connection, &group.changes)?;
    apply_ended(connection, &group.changes)?;
    if group.changes.iter().any(Change::has_chores) && !chores::apply(connection, &group.changes)? {
        return Err(Stop::Mismatch);
    }
    let has_events = group.changes.iter().any(Change::has_events);
    if has_events && !events::apply(connection, group)? {
        return Err(Stop::Mismatch);
    }
    apply_statements(connection, &group.changes)?;
    if !has_events {
        return Ok(Committed::default());
    }
    Ok(events::committed(connection, group)?)
}

fn apply_statements(connection: &Connection, changes: &[Change]) -> Result<(), Stop> {
    let statements = changes.iter().flat_map(|change| &change.statements);
    for (at, statement) in statements.enumerate() {
        statements::run(connection, statement).map_err(|error| match kind(&error) {
            Kind::Refused => Stop::Attached { at, reason: error.to_string() },
            Kind::Unavailable | Kind::Damaged => Stop::Sql(error),
        })?;
    }
    Ok(())
}

fn apply_instances(connection: &Connection, changes: &[Change]) -> Result<(), Stop> {
    let mut writes: Vec<_> = changes.iter().flat_map(|change| &change.instances).collect();
    if writes.is_empty() {
        return Ok(());
    }
    writes.sort_unstable_by_key(|write| write.key());
    let mut insert = connection.prepare_cached(include_str!("../queries/instance_insert.sql"))?;
    let mut update = connection.prepare_cached(include_str!("../queries/instance_update.sql"))?;
    let mut delete = connection.prepare_cached(include_str!("../queries/instance_delete.sql"))?;
    for write in writes {
        let rows = match write {
            InstanceWrite::Insert(row) => rows::insert_instance(&mut insert, row)?,
            InstanceWrite::Update { key, expected_rev, rev, record, events } => {
                update.execute((key.raw(), expected_rev, rev, record, events))?
            }
            InstanceWrite::Delete { key, expected_rev } => {
                delete.execute((key.raw(), expected_rev))?
            }
        };
        if rows != 1 {
            return Err(Stop::Mismatch);
        }
    }
    Ok(())
}

fn apply_jobs(connection: &Connection, changes: &[Change]) -> rusqlite::Result<()> {
    let (mut deletes, mut updates, mut inserts) = (Vec::new(), Vec::new(), Vec::new());
    for write in changes.iter().flat_map(|change| &change.jobs) {
        match write {
            JobWrite::Delete(key) => deletes.push(key.raw()),
            JobWrite::Update(update) => updates.push(update),
            JobWrite::Insert(row) => inserts.push(row),
        }
    }
    if !deletes.is_empty() {
        deletes.sort_unstable();
        let mut delete = connection.prepare_cached(include_str!("../queries/job_delete.sql"))?;
        for key in deletes {
            delete.execute((key,))?;
        }
    }
    if !updates.is_empty() {
        updates.sort_unstable_by_key(|update| update.key);
        update_jobs(connection, &updates)?;
    }
    if !inserts.is_empty() {
        inserts.sort_unstable_by_key(|row| row.key);
        let mut insert = connection.prepare_cached(include_str!("../queries/job_insert.sql"))?;
        for row in inserts {
            rows::insert_job(&mut insert, row)?;
        }
    }
    Ok(())
}

fn update_jobs(connection: &Connection, updates: &[&JobUpdate]) -> rusqlite::Result<()> {
    let mut keep = connection.prepare_cached(include_str!("../queries/job_update_keep.sql"))?;
    let mut clear = connection.prepare_cached(include_str!("../queries/job_update_clear.sql"))?;
    let mut session =
        connection.prepare_cached(include_str!("../queries/job_update_session.sql"))?;
    let mut worker = connection.prepare_cached(include_str!("../queries/job_update_worker.sql"))?;
    for update in updates {
        let (key, state) = (update.key.raw(), update.state as u8);
        let due_at = update.due_at.map(Timestamp::as_ms);
        let failure = update.failure.as_deref();
        let details = update.failure_details.as_deref();
        let element = update.failed_element.as_deref();
        let (retries, priority) = (update.retries_left, update.priority);
        match &update.lock {
            LockWrite::Keep => {
                keep.execute((key, state, retries, priority, due_at, failure, details, element))?;
            }
            LockWrite::Clear => {
                clear
                    .execute((key, state, retries, priority, due_at, failure, details, element))?;
            }
            LockWrite::Session(owner) => {
                session.execute((
                    key, state, retries, priority, due_at, failure, owner, details, element,
                ))?;
            }
            LockWrite::Worker { worker: name, until, activations } => {
                let until = until.as_ms();
                worker.execute(params![
                    key,
                    state,
                    retries,
                    priority,
                    due_at,
                    failure,
                    &**name,
                    until,
                    activations,
                    details,
                    element,
                ])?;
            }
        }
    }
    Ok(())
}

fn apply_variables(connection: &Connection, changes: &[Change]) -> rusqlite::Result<()> {
    // In the order given: an instance may delete all and put some again.
    for write in changes.iter().flat_map(|change| &change.variables) {
        match write {
            VariableWrite::Put(row) => {
                let sql = include_str!("../queries/variable_put.sql");
                rows::put_variable(&mut connection.prepare_cached(sql)?, row)?;
            }
            VariableWrite::Delete { instance, scope, name } => {
                let sql = include_str!("../queries/variable_delete.sql");
                let key = (instance.raw(), scope.raw(), &**name);
                connection.prepare_cached(sql)?.execute(key)?;
            }
            VariableWrite::DeleteAll { instance } => {
                let sql = include_str!("../queries/variable_delete_all.sql");
                connection.prepare_cached(sql)?.execute((instance.raw(),))?;
            }
        }
    }
    Ok(())
}

fn apply_pages(connection: &Connection, changes: &[Change]) -> rusqlite::Result<()> {
    // In the order given: an instance may delete all and put some again.
    for write in changes.iter().flat_map(|change| &change.pages) {
        match write {
            RecordPageWrite::Put(row) => {
                let sql = include_str!("../queries/page_put.sql");
                rows::put_page(&mut connection.prepare_cached(sql)?, row)?;
            }
            RecordPageWrite::Delete { instance, kind, first } => {
                let sql = include_str!("../queries/page_delete.sql");
                let key = (instance.raw(), *kind as u8, first.raw());
                connection.prepare_cached(sql)?.execute(key)?;
            }
            RecordPageWrite::DeleteAll { instance } => {
                let sql = include_str!("../queries/page_delete_all.sql");
                connection.prepare_cached(sql)?.execute((instance.raw(),))?;
            }
        }
    }
    Ok(())
}

fn apply_user_tasks(connection: &Connection, changes: &[Change]) -> rusqlite::Result<()> {
    let insert = include_str!("../queries/user_task_insert.sql");
    let added = changes.iter().flat_map(|change| &change.user_tasks_added);
    each(connection, insert, added, rows::insert_user_task)?;
    let delete = include_str!("../queries/user_task_delete.sql");
    let gone = changes.iter().flat_map(|change| &change.user_tasks_gone);
    each(connection, delete, gone, |statement, key| statement.execute((key.raw(),)))
}

fn apply_incidents(connection: &Connection, changes: &[Change]) -> rusqlite::Result<()> {
    let insert = include_str!("../queries/incident_insert.sql");
    let added = changes.iter().flat_map(|change| &change.incidents_added);
    each(connection, insert, added, rows::insert_incident)?;
    let annotate = include_str!("../queries/incident_annotate.sql");
    let notes = changes.iter().flat_map(|change| &change.incidents_annotated);
    each(connection, annotate, notes, |statement, note| {
        statement.execute((note.key.raw(), note.annotation.as_deref()))
    })?;
    let delete = include_str!("../queries/incident_delete.sql");
    let gone = changes.iter().flat_map(|change| &change.incidents_gone);
    each(connection, delete, gone, |statement, key| statement.execute((key.raw(),)))
}

fn apply_history(connection: &Connection, changes: &[Change]) -> rusqlite::Result<()> {
    let insert = include_str!("../queries/history_insert.sql");
    let mut added: Vec<_> = changes.iter().flat_map(|change| &change.history).collect();
    added.sort_unstable_by_key(|row| (row.instance, row.rev));
    each(connection, insert, added, rows::insert_history)
}

fn apply_ended(connection: &Connection, changes: &[Change]) -> rusqlite::Result<()> {
    let insert = include_str!("../queries/ended_insert.sql");
    let mut added: Vec<_> = changes.iter().flat_map(|change| &change.ended).collect();
    added.sort_unstable_by_key(|row| row.key);
    each(connection, insert, added, rows::insert_ended)
}

/// Runs one statement for each row; none, when there is no row.
fn each<'a, T: 'a>(
    connection: &Connection,
    sql: &str,
    rows: impl IntoIterator<Item = &'a T>,
    run: impl Fn(&mut CachedStatement<'_>, &T) -> rusqlite::Result<usize>,
) -> rusqlite::Result<()> {
    let mut rows = rows.into_iter().peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    let mut statement = connection.prepare_cached(sql)?;
    for row in rows {
        run(&mut statement, row)?;
    }
    Ok(())
}

/// The lowest key of a job that the group inserts locked for its node. Locks that updates give are
/// listed.
fn lowest_lock(group: &Group) -> Option<i64> {
    let locked = |write: &JobWrite| match write {
        JobWrite::Insert(row) => row.lock_session.map(|_| row.key.raw()),
        JobWrite::Update(_) | JobWrite::Delete(_) => None,
    };
    let jobs = group.changes.iter().flat_map(|change| &change.jobs).filter_map(locked).min();
    let chores = group.changes.iter().flat_map(|change| &change.chores);
    jobs.into_iter().chain(chores.filter_map(chores::locked)).min()
}

/// Names all losers. The group was rolled back and nobody else writes, so what is read now is
/// what it met.
fn lost(connection: &Connection, group: &Group) -> CommitError {
    match losers(connection, group) {
        Ok(losers) if losers.is_empty() => {
            CommitError::Statement("something appears twice in the group".to_owned())
        }
        Ok(losers) => CommitError::Conflicts(losers),
        Err(error) => CommitError::Unavailable(error.to_string()),
    }
}

fn losers(connection: &Connection, group: &Group) -> rusqlite::Result<Vec<usize>> {
    let mut rev = connection.prepare_cached(include_str!("../queries/instance_rev.sql"))?;
    let (mut losers, mut claims) = (Vec::new(), Claims::default());
    for (place, change) in group.changes.iter().enumerate() {
        let mut is_lost = events::is_lost(connection, change, group.now)?;
        is_lost |= chores::is_lost(connection, change)?;
        for write in &change.instances {
            let found: Option<i32> =
                rev.query_row((write.key().raw(),), |row| row.get(0)).optional()?;
            let expected = match write {
                InstanceWrite::Insert(_) => None,
                InstanceWrite::Update { expected_rev, .. }
                | InstanceWrite::Delete { expected_rev, .. } => Some(*expected_rev),
            };
            is_lost |= found != expected;
        }
        if is_lost || !claims.claim(change) {
            losers.push(place);
        }
    }
    Ok(losers)
}

#[cfg(test)]
mod tests {
    use orloj_store::{Claim, InstanceRow, NodeProfile};
    use orloj_types::{DefinitionKey, EngineName, InstanceKey, TenantId};

    use super::*;
    use crate::connection::open_memory;
    use crate::nodes::join;
    use crate::schema::migrate;

    #[test]
    fn a_commit_that_fails_is_unknown_until_something_was_written_over_it() {
        let (mut writer, lease) = joined();
        // The hook turns one COMMIT into an error.
        writer.connection.commit_hook(Some(|| true)).expect("hook");
        let failed = commit(&mut writer, &group(lease, 1, 10));
        assert!(matches!(failed, Err(CommitError::Unknown(_))), "got {failed:?}");
        let asked = landed(&mut writer, lease, 0, 1);
        assert!(matches!(asked, Err(Error::Unavailable(_))), "no answer is better than a guess");
        writer.connection.commit_hook(None::<fn() -> bool>).expect("hook");
        assert_eq!(landed(&mut writer, lease, 0, 1), Ok(false));
        assert!(!writer.unsure);
        assert_eq!(commit(&mut writer, &group(lease, 1, 10)), Ok(Committed::default()));
        assert_eq!(landed(&mut writer, lease, 0, 1), Ok(true));
    }

    #[test]
    fn a_full_disk_applies_nothing() {
        let (mut writer, lease) = joined();
        let pages: i64 = writer
            .connection
            .pragma_query_value(None, "page_count", |row| row.get(0))
            .expect("page count");
        let set = |writer: &Writer, most: i64| {
            let most =
                writer.connection.pragma_update_and_check(None, "max_page_count", most, |row| {
                    row.get::<_, i64>(0)
                });
            most.expect("page limit");
        };
        set(&writer, pages + 1);
        let full = commit(&mut writer, &group(lease, 1, 100_000));
        assert!(matches!(full, Err(CommitError::Unavailable(_))), "got {full:?}");
        assert_eq!(landed(&mut writer, lease, 0, 1), Ok(false));
        set(&writer, pages + 1_000);
        assert_eq!(commit(&mut writer, &group(lease, 1, 100_000)), Ok(Committed::default()));
    }

    #[test]
    fn an_instance_twice_in_a_group_is_the_callers_mistake() {
        let (mut writer, lease) = joined();
        let mut twice = Group::clone(&group(lease, 1, 10));
        twice.changes.push(twice.changes[0].clone());
        let failed = commit(&mut writer, &Arc::new(twice));
        assert!(matches!(failed, Err(CommitError::Statement(_))), "got {failed:?}");
        assert_eq!(landed(&mut writer, lease, 0, 1), Ok(false));
    }

    fn joined() -> (Writer, Lease) {
        let connection = open_memory().expect("open");
        migrate(&connection).expect("migrate");
        let mut writer = Writer::new(connection, EngineName::default(), None);
        let name = "n".to_owned();
        let claim = Claim {
            name,
            engine: EngineName::default(),
            lanes: 1,
            now: Timestamp::from_ms(0),
            profile: NodeProfile::default(),
        };
        let lease = join(&mut writer, &claim).expect("join");
        (writer, lease)
    }

    fn group(lease: Lease, id: i64, bytes: usize) -> Arc<Group> {
        let row = InstanceRow {
            key: InstanceKey::new(1),
            rev: 1,
            engine: EngineName::default(),
            tenant: TenantId::none(),
            definition: DefinitionKey::new(1),
            business_key: None,
            record: vec![1; bytes],
            events: vec![],
            caller: None,
            root: None,
        };
        let change = Change { instances: [InstanceWrite::Insert(row)].into(), ..Change::default() };
        Arc::new(Group { lease, lane: 0, id, changes: vec![change], now: Timestamp::from_ms(0) })
    }
}
