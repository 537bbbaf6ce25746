//! Models without engine and store: how fast they are read, and how fast tokens move.

mod loops;
mod player;
mod reading;
mod several;

use crate::report::Figure;

#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Measurements of each; the figure is their median
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Rounds of the loop
    #[arg(long, default_value_t = 100_000)]
    turns: u32,
    /// Items of the multi-instance activity
    #[arg(long, default_value_t = 100_000)]
    items: u32,
}

pub fn run(options: &Options) -> anyhow::Result<Vec<Figure>> {
    let mut figures = vec![loops::figure(options)?];
    figures.extend(several::figures(options)?);
    figures.push(reading::figure(options)?);
    Ok(figures)
}

fn figure(part: &'static str, value: f64, unit: &'static str, settings: String) -> Figure {
    Figure { figure: "models", part, store: "none", value, unit, floor: None, settings }
}
