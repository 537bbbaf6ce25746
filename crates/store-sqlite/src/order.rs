//! The orders of acquisition and their indexes. Each is made when a node wants it, partial on what
//! can be acquired: a job inserted already locked is in none of them.

use orloj_store::{Error, Order};
use rusqlite::{Connection, Result};

/// The index of the default order is part of the schema.
const READY: &str = "job_ready";

pub(crate) fn check(order: Order) -> std::result::Result<(), Error> {
    match order.is_valid() {
        true => Ok(()),
        false => Err(Error::Refused(format!(
            "the step of aging must be from 0 to {} ms",
            Order::AGING_STEP_MS_MAX
        ))),
    }
}

/// Makes the index of an order, if it is not there.
pub(crate) fn make(connection: &Connection, order: Order) -> Result<()> {
    let name = index(order);
    if name == READY {
        return Ok(());
    }
    let columns: Vec<String> =
        std::iter::once("engine".to_owned()).chain(criteria(order)).collect();
    connection.execute_batch(&format!(
        "CREATE INDEX IF NOT EXISTS {name} ON job ({}) \
         WHERE state = 0 AND lock_session IS NULL AND lock_until IS NULL AND type = ''",
        columns.join(", ")
    ))
}

/// Makes the index of an order and drops those that nobody wants any more: the file has one owner.
pub(crate) fn make_only(connection: &Connection, order: Order, others: &[Order]) -> Result<()> {
    let sql = include_str!("../queries/order_indexes.sql");
    let mut statement = connection.prepare(sql)?;
    let names = statement.query_map([], |row| row.get(0))?;
    let names = names.collect::<Result<Vec<String>>>()?;
    let is_wanted =
        |name: &String| *name == index(order) || others.iter().any(|other| *name == index(*other));
    for name in names.iter().filter(|name| !is_wanted(name)) {
        connection.execute_batch(&format!("DROP INDEX {name}"))?;
    }
    make(connection, order)
}

/// A statement written for the default order, in another one.
pub(crate) fn in_order(sql: &str, order: Order) -> String {
    let keys: Vec<String> = criteria(order).into_iter().chain(["key".to_owned()]).collect();
    sql.replace("INDEXED BY job_ready", &format!("INDEXED BY {}", index(order)))
        .replace("ORDER BY priority DESC, key", &format!("ORDER BY {}", keys.join(", ")))
}

fn index(order: Order) -> String {
    match order {
        Order::Flags { priority: true, timers_first: false, due: false } => READY.to_owned(),
        Order::Flags { priority, timers_first, due } => {
            let letter = |is_set: bool, letter: &'static str| if is_set { letter } else { "" };
            let letters = [letter(priority, "p"), letter(timers_first, "t"), letter(due, "d"), "k"];
            format!("job_order_{}", letters.concat())
        }
        Order::Aging { step_ms } => format!("job_order_aging_{step_ms}"),
    }
}

/// What is sorted by before the key, which follows every entry of an index by itself.
fn criteria(order: Order) -> Vec<String> {
    const RUN_AT: &str = "coalesce(due_at, created_at)";
    // The kinds that are timers.
    const TIMERS_FIRST: &str = "CASE kind WHEN 3 THEN 0 WHEN 7 THEN 0 WHEN 8 THEN 0 \
        WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 ELSE 1 END";
    match order {
        Order::Flags { priority, timers_first, due } => {
            let by_priority = priority.then(|| "priority DESC".to_owned());
            let by_kind = timers_first.then(|| TIMERS_FIRST.to_owned());
            let by_due = due.then(|| RUN_AT.to_owned());
            by_priority.into_iter().chain(by_kind).chain(by_due).collect()
        }
        Order::Aging { step_ms } => {
            let (run_at, priority) = (Order::AGING_RUN_AT_MAX, Order::AGING_PRIORITY_MAX);
            vec![format!(
                "max(min({RUN_AT}, {run_at}), -{run_at}) \
                 - max(min(priority, {priority}), -{priority}) * {step_ms}"
            )]
        }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::types::Null;

    use super::*;
    use crate::connection::open_memory;
    use crate::schema::migrate;

    #[test]
    fn every_order_takes_the_first_entries_of_its_index() {
        let connection = open_memory().expect("open");
        migrate(&connection).expect("migrate");
        let flags = (0..8).map(|bits| Order::Flags {
            priority: bits & 1 != 0,
            timers_first: bits & 2 != 0,
            due: bits & 4 != 0,
        });
        for order in flags.chain([Order::Aging { step_ms: 60_000 }]) {
            make(&connection, order).expect("index");
            for sql in [
                include_str!("../queries/job_acquire_engine.sql"),
                include_str!("../queries/job_candidates_engine.sql"),
            ] {
                let plan = plan(&connection, &in_order(sql, order));
                assert!(plan.contains(&format!("INDEX {} (engine=?", index(order))), "{plan}");
                assert!(!plan.contains("TEMP B-TREE"), "{order:?}: {plan}");
                assert!(!plan.contains("SCAN job"), "{order:?}: {plan}");
            }
        }
    }

    #[test]
    fn only_the_index_of_the_present_order_is_kept() {
        let connection = open_memory().expect("open");
        migrate(&connection).expect("migrate");
        let names = || {
            let sql = include_str!("../queries/order_indexes.sql");
            let mut statement = connection.prepare(sql).expect("prepare");
            let names = statement.query_map([], |row| row.get::<_, String>(0)).expect("names");
            names.collect::<Result<Vec<_>>>().expect("names")
        };
        make_only(&connection, Order::Aging { step_ms: 5 }, &[]).expect("index");
        assert_eq!(names(), ["job_order_aging_5"]);
        let due = Order::Flags { priority: false, timers_first: false, due: true };
        make_only(&connection, due, &[]).expect("index");
        assert_eq!(names(), ["job_order_dk"]);
        make_only(&connection, Order::default(), &[]).expect("index");
        assert_eq!(names(), [""; 0]);
    }

    fn plan(connection: &Connection, sql: &str) -> String {
        let mut statement =
            connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("prepare");
        let nulls = vec![Null; statement.parameter_count()];
        let lines = statement
            .query_map(rusqlite::params_from_iter(nulls), |row| row.get::<_, String>(3))
            .expect("explain");
        lines.collect::<Result<Vec<_>>>().expect("plan").join("\n")
    }
}
