//! Listing and counting jobs.

use orloj_store::{JobFilter, JobOrder, JobRow, JobState, Page};
use orloj_types::{BatchKey, DefinitionKey, InstanceKey, Timestamp};
use rusqlite::types::Value;
use rusqlite::{Connection, Result, params_from_iter};

use crate::queries::{all, at_most, limit};
use crate::rows;

const LIST: &str = include_str!("../queries/jobs.sql");
/// Its condition on states.
const STATES: &str = "(?13 IS NULL OR state IN (SELECT value FROM json_each(?13)))";

pub(crate) fn jobs(
    connection: &Connection,
    engine: &str,
    filter: &JobFilter,
    page: Page,
) -> Result<Vec<JobRow>> {
    let sql = found_by(filter).replace("ORDER BY key DESC", order(filter.order));
    let values = values(engine, filter, at_most(page), limit(page));
    all(connection, &sql, params_from_iter(values), rows::job)
}

pub(crate) fn count(connection: &Connection, engine: &str, filter: &JobFilter) -> Result<u64> {
    let values = values(engine, filter, i64::MAX, 0);
    count_of(connection, &found_by(filter), values)
}

/// How many rows a listing has. Its parameters keep their places; page and order are left out.
pub(crate) fn count_of(
    connection: &Connection,
    listing: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<u64> {
    let from = listing.find("\nFROM ").expect("every listing has a FROM");
    let to = listing.find("ORDER BY").expect("every listing has an order");
    let sql = format!("SELECT count(*){}", &listing[from..to]);
    let mut statement = connection.prepare_cached(&sql)?;
    let count: i64 = statement.query_row(params_from_iter(values), |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// A condition on a parameter that may be absent is not looked for in an index; so it is written
/// plainly where there is one.
fn found_by(filter: &JobFilter) -> String {
    let mut sql = LIST.to_owned();
    if filter.batch.is_some() {
        sql = sql.replace("(?17 IS NULL OR batch_key = ?17)", "batch_key = ?17");
    }
    if !filter.keys.is_empty() {
        let keys = "key IN (SELECT value FROM json_each(?5))";
        sql = sql.replace(&format!("(?5 IS NULL OR {keys})"), keys);
    }
    let is_of_none = filter.instance.is_some_and(|instance| instance.raw() == 0);
    if is_of_none && filter.definition.is_some() {
        sql = sql.replace("(?6 IS NULL OR instance_key = ?6)", "instance_key = 0");
        sql = sql.replace("(?7 IS NULL OR definition_key = ?7)", "definition_key = ?7");
    }
    let is_stopped = |state: &JobState| *state as u8 >= JobState::Failed as u8;
    if !filter.states.is_empty() && filter.states.iter().all(is_stopped) && sql == LIST {
        sql = sql.replace("\nFROM job\n", "\nFROM job INDEXED BY job_stopped\n");
        let wanted = match &filter.states[..] {
            // In the order of keys without sorting.
            [state] => format!("state = {}", *state as u8),
            _ => "state IN (SELECT value FROM json_each(?13))".to_owned(),
        };
        sql = sql.replace(STATES, &format!("state >= 3 AND {wanted}"));
    }
    let is_ready = filter.states == [JobState::Ready] && filter.is_locked == Some(false);
    if is_ready && filter.job_type.is_some() {
        sql = sql.replace(STATES, "state = 0");
        let locked = "(?27 IS NULL OR (lock_session IS NOT NULL OR lock_until IS NOT NULL) = ?27)";
        sql = sql.replace(locked, "lock_session IS NULL AND lock_until IS NULL");
        sql = sql.replace("(?14 IS NULL OR type = ?14)", "type = ?14");
    }
    sql
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
    use rusqlite::types::Null;

    use super::*;
    use crate::connection::open_memory;
    use crate::schema::migrate;

    #[test]
    fn what_is_stopped_is_listed_by_its_index() {
        let connection = open_memory().expect("open");
        migrate(&connection).expect("migrate");
        for states in [vec![JobState::Failed], vec![JobState::Failed, JobState::Suspended]] {
            let is_one = states.len() == 1;
            let plan = plan(&connection, &found_by(&JobFilter { states, ..JobFilter::default() }));
            assert!(plan.contains("INDEX job_stopped (engine=? AND state=?"), "{plan}");
            assert!(!is_one || !plan.contains("TEMP B-TREE"), "{plan}");
        }
        let states = vec![JobState::Failed, JobState::Waiting];
        let plan = plan(&connection, &found_by(&JobFilter { states, ..JobFilter::default() }));
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
