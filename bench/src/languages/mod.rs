//! The languages inside of models: microseconds of one use, without engine and store.

mod cron;
mod expression;
mod script;
mod table;

use std::time::Instant;

use crate::report::{Figure, median};

#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Batches; the figure is the median of their means
    #[arg(long, default_value_t = 15)]
    batches: usize,
    /// Milliseconds of a batch
    #[arg(long, default_value_t = 100)]
    batch_ms: u64,
}

pub async fn run(options: &Options) -> anyhow::Result<Vec<Figure>> {
    let mut figures = expression::figures(options)?;
    figures.push(table::figure(options)?);
    figures.extend(cron::figures(options)?);
    figures.extend(script::figures(options).await?);
    Ok(figures)
}

impl Options {
    /// Microseconds of one call.
    fn measure(&self, mut call: impl FnMut()) -> f64 {
        let batches = self.batches.max(1);
        median((0..batches).map(|_| self.batch(&mut call)).collect())
    }

    fn batch(&self, call: &mut impl FnMut()) -> f64 {
        // Reading the clock takes a part of what is measured: once for many calls.
        const CALLS: u32 = 64;
        let began = Instant::now();
        let mut calls = 0_u64;
        loop {
            for _ in 0..CALLS {
                call();
            }
            calls += u64::from(CALLS);
            let elapsed = began.elapsed();
            if elapsed.as_millis() >= u128::from(self.batch_ms) {
                return elapsed.as_secs_f64() * 1e6 / calls as f64;
            }
        }
    }
}

fn figure(part: &'static str, value: f64, settings: String) -> Figure {
    Figure { figure: "languages", part, store: "none", value, unit: "µs", floor: None, settings }
}
