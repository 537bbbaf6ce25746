//! Orders that come in, one after the other.

#![expect(clippy::disallowed_methods, reason = "a driver: orders come in real time")]

use std::time::Duration;

use orloj_server::Stop;
use orloj_server::orloj::types::Document;
use orloj_server::orloj::{Error, Orloj, StartInstance};
use tokio::time::MissedTickBehavior;

use super::card::Card;
use super::demo::PROCESS;

const CUSTOMERS: [&str; 5] = ["Anna", "Božena", "Cyril", "Dana", "Emil"];

/// Starts the second order and all after it, until the node stops.
pub async fn trickle(orloj: Orloj, rate: f64, stop: Stop) {
    let mut pace = tokio::time::interval(Duration::from_secs_f64(rate.recip()));
    // After a pause of the machine orders go on at their pace, not all at once.
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    pace.tick().await;
    for number in 2.. {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = pace.tick() => {}
        }
        match orloj.start(order(number)).await {
            Ok(_) => {}
            Err(Error::ShuttingDown) => return,
            Err(error) => crate::output::talk(&format!("cannot start order {number}: {error}")),
        }
    }
}

/// The same number gives the same order: sums from 40 to 1,439, about one in three large.
pub fn order(number: i64) -> StartInstance {
    let customer = CUSTOMERS[number.rem_euclid(CUSTOMERS.len() as i64) as usize];
    let variables = Document::new()
        .with("customer", customer)
        .with("total", 40 + (number * 137) % 1_400)
        .with("card", Card::of(number).name());
    let mut start = StartInstance::latest(PROCESS).with(variables);
    start.business_key = Some(format!("order-{number}").into());
    start
}
