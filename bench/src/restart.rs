//! Start-up on an existing schema, and life after kill -9 under load.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::place::{DURABILITY, Ground, Place};
use crate::report::{Figure, median};
use crate::server::Server;

#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// How often each is measured
    #[arg(long, default_value_t = 5)]
    times: u32,
    /// Seconds of load before each kill
    #[arg(long, default_value_t = 5)]
    loaded_s: u64,
}

pub async fn run(ground: &Ground, options: &Options) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for place in Place::ALL {
        let fresh = ground.fresh(place).await?;
        Server::start(&fresh.url, "bench")?.kill()?;
        let mut clean = Vec::new();
        for _ in 0..options.times {
            let mut server = Server::start(&fresh.url, "bench")?;
            clean.push(server.ready_after.as_secs_f64() * 1e3);
            server.kill()?;
        }
        let (mut ready, mut first_job) = (Vec::new(), Vec::new());
        for _ in 0..options.times {
            let mut server = Server::start(&fresh.url, "bench")?;
            let load = crate::instances::load(&server, 2_000).await?;
            tokio::time::sleep(Duration::from_secs(options.loaded_s)).await;
            server.kill()?;
            load.close();
            let begun = Instant::now();
            let server = Server::start(&fresh.url, "bench")?;
            ready.push(server.ready_after.as_secs_f64() * 1e3);
            let load = crate::instances::load(&server, 1).await?;
            while load.completed.load(Ordering::Relaxed) == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            first_job.push(begun.elapsed().as_secs_f64() * 1e3);
            load.close();
        }
        let figure = |part, values: Vec<f64>, settings: &str| Figure {
            figure: "restart",
            part,
            store: place.name(),
            value: median(values),
            unit: "ms",
            floor: None,
            settings: format!("{settings}, median of {}, {DURABILITY}", options.times),
        };
        figures.push(figure("start to ready", clean, "existing schema"));
        figures.push(figure("kill -9 under load to ready", ready, "same node name"));
        figures.push(figure(
            "kill -9 under load to the first job completed",
            first_job,
            "same node name, jobs of the predecessor waiting",
        ));
    }
    Ok(figures)
}
