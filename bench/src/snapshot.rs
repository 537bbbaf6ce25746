//! Steps on PostgreSQL while a transaction of somebody else keeps an old snapshot: no row version
//! that it might still see can be cleaned away meanwhile.

use std::time::Duration;

use crate::chain::Chain;
use crate::place::{DURABILITY, Ground, Place, connect};
use crate::report::Figure;

#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Minutes the snapshot is held; the last is compared with the one before it was taken
    #[arg(long, default_value_t = 10)]
    pub minutes: u64,
    /// Seconds of a minute, for a shorter look
    #[arg(long, default_value_t = 60)]
    pub minute_s: u64,
    /// Instances in flight
    #[arg(long, default_value_t = 2_000)]
    pub in_flight: usize,
}

pub async fn run(ground: &Ground, options: &Options) -> anyhow::Result<Vec<Figure>> {
    let fresh = ground.fresh(Place::Postgres).await?;
    let chain = Chain::open(fresh.choice.clone()).await?;
    chain.keep_in_flight(options.in_flight);
    let minute = Duration::from_secs(options.minute_s);
    tokio::time::sleep(Duration::from_secs(5)).await;
    let before = chain.steps_per_s(minute).await;
    let reader = connect(&fresh.url).await?;
    reader
        .batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT count(*) FROM job")
        .await?;
    let mut last = before;
    for number in 1..=options.minutes {
        last = chain.steps_per_s(minute).await;
        eprintln!("minute {number}: {last:.0} steps/s, {before:.0} before");
    }
    reader.batch_execute("ROLLBACK").await?;
    chain.close().await?;
    Ok(vec![Figure {
        figure: "snapshot",
        part: "share left in the last minute",
        store: "postgres",
        value: last / before,
        unit: "of the steps before",
        floor: None,
        settings: format!(
            "{} minutes of {} s, {last:.0} after {before:.0} steps/s, {} in flight, {DURABILITY}",
            options.minutes, options.minute_s, options.in_flight
        ),
    }])
}
