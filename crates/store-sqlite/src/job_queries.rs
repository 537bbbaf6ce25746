//! Listing and counting jobs.
//!
//! These statements are joined from pieces: a prepared statement of SQLite keeps the plan that it
//! was given before any filter was known, so one for all filters would read the whole table. There
//! is one for each index that can answer, and each order.

use orloj_store::{JobFilter, JobOrder, JobRow, JobState, Page};
use orloj_types::{BatchKey, DefinitionKey, InstanceKey, Timestamp};
use rusqlite::types::Value;
use rusqlite::{Connection, Result, params_from_iter};

use crate::queries::{all, at_most, limit};
use crate::rows;

const COLUMNS: &str = include_str!("../queries/job_columns.sql");
const CONDITIONS: &str = include_str!("../queries/job_conditions.sql");
const PAGE: &str = "LIMIT ?3 OFFSET ?4";

pub(crate) fn jobs(
    connection: &Connection,
    engine: &str,
    filter: &JobFilter,
    page: Page,
) -> Result<Vec<JobRow>> {
    let values = values(engine, filter, at_most(page), limit(page));
    all(connection, &listing(filter), params_from_iter(values), rows::job)
}

pub(crate) fn count(connection: &Connection, engine: &str, filter: &JobFilter) -> Result<u64> {
    let values = values(engine, filter, i64::MAX, 0);
    let mut statement = connection.prepare_cached(&counting(filter))?;
    let count: i64 = statement.query_row(params_from_iter(values), |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

fn listing(filter: &JobFilter) -> String {
    let path = Path::of(filter);
    let (from, by, order) = (path.from(), path.condition(), order(filter.order));
    [COLUMNS, from, CONDITIONS, by, order, PAGE].join("\n")
}

/// The parameters keep their places.
fn counting(filter: &JobFilter) -> String {
    let path = Path::of(filter);
    ["SELECT count(*)", path.from(), CONDITIONS, path.condition()].join("\n")
}

/// How the rows of a listing are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    /// From the newest down.
    Key,
    Keys,
    Batch,
    /// Chores of a definition.
    ChoresOf,
    /// What workers of a type may take.
    Ready,
    /// Those in one of the states in which a job stands still.
    Stopped,
    /// In the order of keys without sorting.
    StoppedInOne,
}

impl Path {
    fn of(filter: &JobFilter) -> Self {
        let is_of_none = filter.instance.is_some_and(|instance| instance.raw() == 0);
        let is_ready = filter.states == [JobState::Ready] && filter.is_locked == Some(false);
        let is_stopped = |state: &JobState| *state as u8 >= JobState::Failed as u8;
        match &filter.states[..] {
            _ if !filter.keys.is_empty() => Self::Keys,
            _ if filter.batch.is_some() => Self::Batch,
            _ if is_of_none && filter.definition.is_some() => Self::ChoresOf,
            _ if is_ready && filter.job_type.is_some() => Self::Ready,
            [state] if is_stopped(state) => Self::StoppedInOne,
            [_, ..] if filter.states.iter().all(is_stopped) => Self::Stopped,
            _ => Self::Key,
        }
    }

    fn from(self) -> &'static str {
        match self {
            Self::Stopped | Self::StoppedInOne => "FROM job INDEXED BY job_stopped",
            _ => "FROM job",
        }
    }

    /// What an index answers, once more and plainly.
    fn condition(self) -> &'static str {
        match self {
            Self::Key => "",
            Self::Keys => "AND key IN (SELECT value FROM json_each(?5))",
            Self::Batch => "AND batch_key = ?17",
            Self::ChoresOf => "AND instance_key = 0 AND definition_key = ?7",
            Self::Ready => {
                "AND state = 0 AND type = ?14 AND lock_session IS NULL AND lock_until IS NULL"
            }
            Self::Stopped => "AND state >= 3 AND state IN (SELECT value FROM json_each(?13))",
            Self::StoppedInOne => "AND state >= 3 AND state = json_extract(?13, '$[0]')",
        }
    }
}

fn order(order: JobOrder) -> &'static str {
    match order {
        JobOrder::NewestFirst => "ORDER BY key DESC",
        JobOrder::OldestFirst => "ORDER BY key",
        JobOrder::EarliestDueFirst => "ORDER BY due_at NULLS LAST, key DESC",
        JobOrder::LatestDueFirst => "ORDER BY due_at DESC NULLS LAST, key DESC",
        JobOrder::LowestPriorityFirst => "ORDER BY priority, key DESC",
        JobOrder::HighestPriorityFirst => "ORDER BY priority DESC, key DESC",
        JobOrder::FewestRetriesFirst => "ORDER BY retries_left, key DESC",
        JobOrder::MostRetriesFirst => "ORDER BY retries_left DESC, key DESC",
        JobOrder::NextFirst => "ORDER BY priority DESC, key",
    }
}

fn values(engine: &str, filter: &JobFilter, at_most: i64, limit: u32) -> Vec<Value> {
    fn text(text: Option<&str>) -> Value {
        text.map(str::to_owned).into()
    }
    fn numbers(numbers: impl ExactSizeIterator<Item = i64>) -> Value {
        if numbers.len() == 0 {
            return Value::Null;
        }
        let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
        format!("[{}]", numbers.join(",")).into()
    }
    let time = |at: Option<Timestamp>| Value::from(at.map(Timestamp::as_ms));
    let flag = |flag: Option<bool>| Value::from(flag.map(i64::from));
    let priorities = filter.priorities.as_ref();
    vec![
        at_most.into(),
        text(Some(engine)),
        limit.into(),
        filter.offset.into(),
        numbers(filter.keys.iter().map(|key| key.raw())),
        filter.instance.map(InstanceKey::raw).into(),
        filter.definition.map(DefinitionKey::raw).into(),
        text(filter.process_id.as_deref()),
        text(filter.tenant.as_deref()),
        text(filter.element.as_deref()),
        text(filter.failed_element.as_deref()),
        numbers(filter.kinds.iter().map(|kind| *kind as i64)),
        numbers(filter.states.iter().map(|state| *state as i64)),
        text(filter.job_type.as_deref()),
        text(filter.topic.as_deref()),
        text(filter.category.as_deref()),
        filter.batch.map(BatchKey::raw).into(),
        time(filter.due_before),
        time(filter.due_after),
        time(filter.created_before),
        time(filter.created_after),
        flag(filter.has_failure),
        text(filter.failure.as_deref()),
        flag(filter.has_retries),
        priorities.map(|range| *range.start()).into(),
        priorities.map(|range| *range.end()).into(),
        flag(filter.is_locked),
        text(filter.owner.as_deref()),
        filter.session.into(),
        time(filter.executable_at),
        text(filter.limit_key.as_deref()),
    ]
}

#[cfg(test)]
mod tests {
    use orloj_types::JobKey;
    use rusqlite::types::Null;

    use super::*;
    use crate::connection::open_memory;
    use crate::schema::migrate;

    fn any() -> JobFilter {
        JobFilter::default()
    }

    fn open() -> Connection {
        let connection = open_memory().expect("open");
        migrate(&connection).expect("migrate");
        connection
    }

    #[test]
    fn a_listing_is_found_by_the_index_that_answers_what_is_asked() {
        let connection = open();
        let none = Some(InstanceKey::new(0));
        let definition = Some(DefinitionKey::new(7));
        let ready = JobFilter {
            states: vec![JobState::Ready],
            is_locked: Some(false),
            job_type: Some("pay".into()),
            order: JobOrder::NextFirst,
            ..any()
        };
        let failed = JobFilter { states: vec![JobState::Failed], ..any() };
        for (filter, index) in [
            (any(), "INTEGER PRIMARY KEY (rowid<?)"),
            (JobFilter { keys: vec![JobKey::new(1)], ..any() }, "INTEGER PRIMARY KEY (rowid=?)"),
            (JobFilter { batch: Some(BatchKey::new(1)), ..any() }, "job_batch (batch_key=?"),
            (JobFilter { instance: none, definition, ..any() }, "job_chore (definition_key=?"),
            (ready, "job_ready (engine=? AND type=?)"),
            (failed, "job_stopped (engine=? AND state=?"),
        ] {
            let plan = plan(&connection, &listing(&filter));
            assert!(plan.contains(index), "{index}: {plan}");
            let is_by_keys = !filter.keys.is_empty();
            assert!(is_by_keys || !plan.contains("TEMP B-TREE"), "{plan}");
            assert!(self::plan(&connection, &counting(&filter)).contains(index), "{index}");
        }
    }

    #[test]
    fn what_is_stopped_is_listed_by_its_index() {
        let connection = open();
        let stopped = vec![JobState::Failed, JobState::Suspended];
        let plan_of = |states| plan(&connection, &listing(&JobFilter { states, ..any() }));
        let plan = plan_of(stopped);
        assert!(plan.contains("INDEX job_stopped (engine=? AND state=?"), "{plan}");
        let plan = plan_of(vec![JobState::Failed, JobState::Waiting]);
        assert!(!plan.contains("job_stopped"), "{plan}");
    }

    fn plan(connection: &Connection, sql: &str) -> String {
        let mut statement =
            connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("prepare");
        let nulls = vec![Null; statement.parameter_count()];
        let lines = statement
            .query_map(params_from_iter(nulls), |row| row.get::<_, String>(3))
            .expect("explain");
        lines.collect::<Result<Vec<_>>>().expect("plan").join("\n")
    }
}
