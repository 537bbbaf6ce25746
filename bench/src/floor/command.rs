//! `bench floor`: the floor alone, to see what this machine's storage gives today.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;

use super::{
    postgres_single_commit_us, postgres_steps_per_s, sqlite_single_commit_us, sqlite_steps_per_s,
};

#[derive(clap::Args)]
pub struct Options {
    /// Which stores to measure
    #[arg(long, value_enum, value_delimiter = ',', default_value = "sqlite,postgres")]
    store: Vec<Store>,
    /// Seconds counted per figure, after the warm-up
    #[arg(long, default_value_t = 5.0)]
    secs: f64,
    /// Transactions of one step to take the median of
    #[arg(long, default_value_t = 4_000)]
    commits: u32,
    /// Where the SQLite file is made; it must be on a disk, not in memory
    #[arg(long, default_value = "target/bench")]
    dir: PathBuf,
    /// The PostgreSQL to measure; its schema `floor` is dropped and made anew
    #[arg(long, env = "ORLOJ_BENCH_POSTGRES", hide_env_values = true)]
    postgres: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Store {
    Sqlite,
    Postgres,
}

pub fn run(options: &Options) -> Result<()> {
    ensure!(options.secs > 0.0 && options.secs.is_finite(), "--secs must be positive");
    println!("{:10}  {:>12}  {:>18}", "store", "steps/s", "single commit, µs");
    for store in &options.store {
        let (name, steps, single) = match store {
            Store::Sqlite => (
                "sqlite",
                sqlite_steps_per_s(&options.dir, options.secs)?,
                sqlite_single_commit_us(&options.dir, options.commits)?,
            ),
            Store::Postgres => postgres(options)?,
        };
        println!("{name:10}  {steps:12.0}  {single:18.0}");
    }
    Ok(())
}

fn postgres(options: &Options) -> Result<(&'static str, f64, f64)> {
    let url = options.postgres.as_deref().context(
        "no PostgreSQL: run through `cargo xtask bench floor`, or give --postgres, \
         or --store sqlite",
    )?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let steps = postgres_steps_per_s(url, options.secs).await?;
        let single = postgres_single_commit_us(url, options.commits).await?;
        Ok(("postgres", steps, single))
    })
}
