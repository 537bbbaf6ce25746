//! The same chain on Orloj, Camunda 7 and Flowable, one after the other on one PostgreSQL.
//!
//! Instances are started while no executor runs; then it is switched on and timed until the last
//! instance has ended. The Java engines are measured tuned and warm.

mod java;
mod own;

use std::path::PathBuf;

use comfy_table::Table;
use serde_json::json;

use crate::place::{DURABILITY, Ground};
use crate::report::median;

#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Folder with the built Java programs; `cargo xtask bench peers` makes one
    #[arg(long, env = "ORLOJ_BENCH_PEERS")]
    pub programs: PathBuf,
    /// Runs of each engine; the median speaks
    #[arg(long, default_value_t = 3)]
    pub repeat: u32,
    /// Instances of a run of a Java engine
    #[arg(long, default_value_t = 1_000)]
    pub instances: u32,
    /// Instances before the first run of a Java engine: 30,000 steps make the machine code warm
    #[arg(long, default_value_t = 3_000)]
    pub warm_up: u32,
    /// Instances of a run of Orloj: more, because a run should last some seconds
    #[arg(long, default_value_t = 30_000)]
    pub own_instances: u32,
}

struct Measured {
    engine: &'static str,
    steps_per_s: f64,
    settings: String,
}

pub async fn run(ground: &Ground, options: &Options, as_json: bool) -> anyhow::Result<()> {
    let mut all = vec![own(ground, options).await?];
    for (engine, program) in [("camunda7", "camunda"), ("flowable", "flowable")] {
        let runs = java::runs(ground, options, program).await?;
        let settings = format!(
            "tuned, {} instances after {} of warm-up, median of {}, {DURABILITY}",
            options.instances, options.warm_up, options.repeat
        );
        all.push(Measured { engine, steps_per_s: median(runs), settings });
    }
    print(&all, as_json);
    Ok(())
}

async fn own(ground: &Ground, options: &Options) -> anyhow::Result<Measured> {
    let mut runs = Vec::new();
    for _ in 0..options.repeat {
        runs.push(own::once(ground, options.own_instances).await?);
        eprintln!("orloj: {:.0} steps/s", runs[runs.len() - 1]);
    }
    let settings = format!(
        "{} instances, median of {}, history at its default, {DURABILITY}",
        options.own_instances, options.repeat
    );
    Ok(Measured { engine: "orloj", steps_per_s: median(runs), settings })
}

fn print(all: &[Measured], as_json: bool) {
    let own = all[0].steps_per_s;
    if as_json {
        for measured in all {
            let object = json!({
                "figure": "peers",
                "engine": measured.engine,
                "store": "postgres",
                "value": measured.steps_per_s.round(),
                "unit": "steps/s",
                "ratio": (own / measured.steps_per_s * 10.0).round() / 10.0,
                "settings": measured.settings,
            });
            println!("{object}");
        }
        return;
    }
    let mut table = Table::new();
    table.set_header(["engine", "steps/s", "Orloj is", "settings"]);
    for measured in all {
        table.add_row([
            measured.engine.to_owned(),
            format!("{:.0}", measured.steps_per_s),
            format!("{:.1} ×", own / measured.steps_per_s),
            measured.settings.clone(),
        ]);
    }
    println!("{table}");
}
