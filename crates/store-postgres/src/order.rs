//! The orders of acquisition and their indexes, partial on what can be acquired: a job inserted
//! already locked is in none of them.

use orloj_store::{Error, Order};

pub(crate) fn check(order: Order) -> Result<(), Error> {
    match order.is_valid() {
        true => Ok(()),
        false => Err(Error::Refused(format!(
            "the step of aging must be from 0 to {} ms",
            Order::AGING_STEP_MS_MAX
        ))),
    }
}

/// Name, columns and condition; none for the default order, whose index is part of the schema.
pub(crate) fn definition(order: Order) -> Option<(String, String)> {
    let name = match order {
        Order::Flags { priority: true, timers_first: false, due: false } => return None,
        Order::Flags { priority, timers_first, due } => {
            let letter = |is_set: bool, letter: &'static str| if is_set { letter } else { "" };
            let letters = [letter(priority, "p"), letter(timers_first, "t"), letter(due, "d"), "k"];
            format!("job_order_{}", letters.concat())
        }
        Order::Aging { step_ms } => format!("job_order_aging_{step_ms}"),
    };
    let columns: Vec<String> =
        std::iter::once("engine".to_owned()).chain(criteria(order)).collect();
    let on = format!(
        "({}) WHERE state = 0 AND lock_session IS NULL AND lock_until IS NULL AND type = ''",
        columns.join(", ")
    );
    Some((name, on))
}

/// A statement written for the default order, in another one.
pub(crate) fn in_order(sql: &str, order: Order) -> String {
    sql.replace("ORDER BY priority DESC, key", &format!("ORDER BY {}", criteria(order).join(", ")))
}

fn criteria(order: Order) -> Vec<String> {
    const RUN_AT: &str = "coalesce(due_at, created_at)";
    // The kinds that are timers.
    const TIMERS_FIRST: &str = "(CASE WHEN kind IN (3, 7, 8, 9, 10, 11) THEN 0 ELSE 1 END)";
    let key = "key".to_owned();
    match order {
        Order::Flags { priority, timers_first, due } => {
            let by_priority = priority.then(|| "priority DESC".to_owned());
            let by_kind = timers_first.then(|| TIMERS_FIRST.to_owned());
            let by_due = due.then(|| RUN_AT.to_owned());
            by_priority.into_iter().chain(by_kind).chain(by_due).chain([key]).collect()
        }
        Order::Aging { step_ms } => {
            let (run_at, priority) = (Order::AGING_RUN_AT_MAX, Order::AGING_PRIORITY_MAX);
            let rank = format!(
                "(greatest(least({RUN_AT}, {run_at}), -{run_at}) \
                 - greatest(least(priority, {priority}), -{priority}) * {step_ms})"
            );
            vec![rank, key]
        }
    }
}
