//! `bench floor`: the floor alone, to see what this machine's storage gives today.

use std::path::PathBuf;

use anyhow::{Result, ensure};

use super::{
    postgres_single_commit_us, postgres_steps_per_s, sqlite_single_commit_us, sqlite_steps_per_s,
};

#[derive(clap::Args)]
pub struct Options {
    /// Seconds counted per figure, after the warm-up
    #[arg(long, default_value_t = 5.0)]
    secs: f64,
    /// Transactions of one step to take the median of
    #[arg(long, default_value_t = 2_000)]
    commits: u32,
    /// Where the SQLite file is made; it must be on a disk, not in memory
    #[arg(long, default_value = "target/bench")]
    dir: PathBuf,
    /// The PostgreSQL to measure; its schema `floor` is dropped and made anew
    #[arg(long, env = "ORLOJ_BENCH_POSTGRES", hide_env_values = true)]
    postgres: String,
}

pub fn run(options: &Options) -> Result<()> {
    ensure!(options.secs > 0.0 && options.secs.is_finite(), "--secs must be positive");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    println!("{:10}  {:>12}  {:>18}", "store", "steps/s", "single commit, µs");
    let steps = sqlite_steps_per_s(&options.dir, options.secs)?;
    let single = sqlite_single_commit_us(&options.dir, options.commits)?;
    println!("{:10}  {steps:12.0}  {single:18.0}", "sqlite");
    let steps = runtime.block_on(postgres_steps_per_s(&options.postgres, options.secs))?;
    let single = runtime.block_on(postgres_single_commit_us(&options.postgres, options.commits))?;
    println!("{:10}  {steps:12.0}  {single:18.0}", "postgres");
    Ok(())
}
