//! `bench floor`: the floor alone, to see what this machine's storage gives today.

use crate::place::{DURABILITY, Ground, Place};
use crate::report::Figure;

#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Seconds counted per figure, after the warm-up
    #[arg(long, default_value_t = 5.0)]
    secs: f64,
    /// Transactions of one step to take the median of
    #[arg(long, default_value_t = 4_000)]
    commits: u32,
    /// Only this store
    #[arg(long)]
    store: Option<Place>,
}

pub async fn run(ground: &Ground, options: &Options) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for place in Place::ALL.into_iter().filter(|p| options.store.is_none_or(|s| s == *p)) {
        let figure = |part, value, unit| Figure {
            figure: "floor",
            part,
            store: place.name(),
            value,
            unit,
            floor: None,
            settings: format!("{} s, {DURABILITY}", options.secs),
        };
        figures.push(figure("", ground.floor(place, options.secs).await?, "steps/s"));
        let single = ground.single_commit_us(place, options.commits).await?;
        figures.push(figure("single commit", single, "µs"));
    }
    Ok(figures)
}
