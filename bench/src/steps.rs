//! Steps per second of the chain: closed loop, a fixed number of instances in flight.

use std::time::Duration;

use crate::chain::Chain;
use crate::place::{DURABILITY, Fresh, Ground, Place};
use crate::report::{Figure, median};

#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Seconds before counting
    #[arg(long, default_value_t = 5)]
    pub warm_up_s: u64,
    /// Seconds counted
    #[arg(long, default_value_t = 30)]
    pub counted_s: u64,
    /// Instances in flight; one that ends is replaced
    #[arg(long, default_value_t = 2_000)]
    pub in_flight: usize,
    /// Alternating pairs of engine and floor
    #[arg(long, default_value_t = 3)]
    pub pairs: u32,
    /// Seconds of the floor probe of each pair
    #[arg(long, default_value_t = 10.0)]
    pub floor_s: f64,
    /// Only this store
    #[arg(long)]
    pub store: Option<Place>,
}

pub async fn run(ground: &Ground, options: &Options) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for place in Place::ALL.into_iter().filter(|p| options.store.is_none_or(|s| s == *p)) {
        let (mut values, mut floors) = (Vec::new(), Vec::new());
        for pair in 1..=options.pairs {
            floors.push(ground.floor(place, options.floor_s).await?);
            values.push(once(ground.fresh(place).await?, options).await?);
            eprintln!(
                "{} pair {pair}: {:.0} steps/s, floor {:.0}",
                place.name(),
                values[values.len() - 1],
                floors[floors.len() - 1]
            );
        }
        // The pair with the middle ratio speaks for the run.
        let ratios = values.iter().zip(&floors).map(|(value, floor)| value / floor).collect();
        let middle = median(ratios);
        let at = values
            .iter()
            .zip(&floors)
            .position(|(value, floor)| value / floor == middle)
            .unwrap_or(0);
        figures.push(Figure {
            figure: "steps",
            part: "",
            store: place.name(),
            value: values[at],
            unit: "steps/s",
            floor: Some(floors[at]),
            settings: format!(
                "10 async tasks, {} in flight, {} s counted, median of {} pairs, history on, {DURABILITY}",
                options.in_flight, options.counted_s, options.pairs
            ),
        });
    }
    Ok(figures)
}

pub async fn once(fresh: Fresh, options: &Options) -> anyhow::Result<f64> {
    let chain = Chain::open(fresh.choice.clone()).await?;
    chain.keep_in_flight(options.in_flight);
    tokio::time::sleep(Duration::from_secs(options.warm_up_s)).await;
    let steps = chain.steps_per_s(Duration::from_secs(options.counted_s)).await;
    chain.close().await?;
    Ok(steps)
}
