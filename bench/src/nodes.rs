//! Steps of several nodes on one PostgreSQL, all in this process and so on the same cores: what
//! company costs, not what it brings.

use std::time::Duration;

use futures_util::future::join_all;

use crate::chain::Chain;
use crate::place::{DURABILITY, Ground, Place};
use crate::report::Figure;

#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Numbers of nodes
    #[arg(long, value_delimiter = ',', default_value = "1,2,4")]
    pub nodes: Vec<usize>,
    /// Seconds counted
    #[arg(long, default_value_t = 15)]
    pub counted_s: u64,
    /// Instances in flight in all
    #[arg(long, default_value_t = 2_000)]
    pub in_flight: usize,
}

pub async fn run(ground: &Ground, options: &Options) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for &number in &options.nodes {
        let fresh = ground.fresh(Place::Postgres).await?;
        let mut chains = Vec::new();
        for _ in 0..number {
            chains.push(Chain::open(fresh.choice.clone()).await?);
        }
        for chain in &chains {
            chain.keep_in_flight(options.in_flight / number.max(1));
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
        let counted = Duration::from_secs(options.counted_s);
        let steps = join_all(chains.iter().map(|chain| chain.steps_per_s(counted))).await;
        for chain in chains {
            chain.close().await?;
        }
        figures.push(Figure {
            figure: "nodes",
            part: "all together",
            store: "postgres",
            value: steps.iter().sum(),
            unit: "steps/s",
            floor: None,
            settings: format!(
                "{number} nodes, {} in flight, {} s counted, {DURABILITY}",
                options.in_flight, options.counted_s
            ),
        });
    }
    Ok(figures)
}
