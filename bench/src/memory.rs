//! What a server costs: resident memory idle and loaded, idle processor time and statements,
//! write-ahead log of a step.

use std::time::{Duration, Instant};

use tokio_postgres::Client;

use crate::chain::Chain;
use crate::place::{DURABILITY, Ground, Place, connect};
use crate::report::Figure;
use crate::server::Server;

#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Seconds of idleness watched
    #[arg(long, default_value_t = 20)]
    idle_s: u64,
    /// Seconds of load
    #[arg(long, default_value_t = 10)]
    loaded_s: u64,
}

pub async fn run(ground: &Ground, options: &Options) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for place in Place::ALL {
        figures.extend(idle(ground, place, options).await?);
        figures.push(loaded(ground, place, options).await?);
    }
    figures.push(log_per_step(ground, options).await?);
    Ok(figures)
}

async fn idle(ground: &Ground, place: Place, options: &Options) -> anyhow::Result<Vec<Figure>> {
    let fresh = ground.fresh(place).await?;
    let server = Server::start(&fresh.url, "bench")?;
    // A session that falls idle reports what it did within ten seconds.
    tokio::time::sleep(Duration::from_secs(12)).await;
    let database = match place {
        Place::Postgres => Some(connect(&fresh.url).await?),
        Place::Sqlite => None,
    };
    let statements_before = statements(database.as_ref()).await?;
    let (cpu_before, since) = (server.cpu_s()?, Instant::now());
    tokio::time::sleep(Duration::from_secs(options.idle_s)).await;
    let elapsed = since.elapsed().as_secs_f64();
    let cpu = (server.cpu_s()? - cpu_before) / elapsed * 100.0;
    let settings = format!("server idle for {} s", options.idle_s);
    let figure = |part, value, unit| Figure {
        figure: "memory",
        part,
        store: place.name(),
        value,
        unit,
        floor: None,
        settings: settings.clone(),
    };
    let mut figures = vec![
        figure("resident, idle", server.resident_mb()?, "MB"),
        figure("processor, idle", cpu, "% of a core"),
    ];
    if let (Some(before), Some(after)) = (statements_before, statements(database.as_ref()).await?) {
        figures.push(figure("statements, idle", (after - before) / elapsed, "per s"));
    }
    Ok(figures)
}

/// Transactions of the database so far; the engine's idle statements are one each.
async fn statements(database: Option<&Client>) -> anyhow::Result<Option<f64>> {
    let Some(database) = database else { return Ok(None) };
    // Other backends report their counts with a delay of at most a second.
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    let query = "SELECT (sum(xact_commit) + sum(xact_rollback))::float8 FROM pg_stat_database \
                 WHERE datname = current_database()";
    Ok(Some(database.query_one(query, &[]).await?.get(0)))
}

async fn loaded(ground: &Ground, place: Place, options: &Options) -> anyhow::Result<Figure> {
    let fresh = ground.fresh(place).await?;
    let server = Server::start(&fresh.url, "bench")?;
    let load = crate::instances::load(&server, 2_000).await?;
    tokio::time::sleep(Duration::from_secs(options.loaded_s)).await;
    let value = server.resident_mb()?;
    load.close();
    Ok(Figure {
        figure: "memory",
        part: "resident, loaded",
        store: place.name(),
        value,
        unit: "MB",
        floor: None,
        settings: format!(
            "server under gRPC load for {} s, 2,000 instances in flight, {DURABILITY}",
            options.loaded_s
        ),
    })
}

async fn log_per_step(ground: &Ground, options: &Options) -> anyhow::Result<Figure> {
    let fresh = ground.fresh(Place::Postgres).await?;
    let database = connect(&fresh.url).await?;
    let chain = Chain::open(fresh.choice.clone()).await?;
    chain.keep_in_flight(2_000);
    tokio::time::sleep(Duration::from_secs(3)).await;
    let steps = || chain.orloj.metrics().engine_jobs_run.get() as f64;
    let (before, steps_before) = (log(&database).await?, steps());
    tokio::time::sleep(Duration::from_secs(options.loaded_s)).await;
    let (after, steps_after) = (log(&database).await?, steps());
    chain.close().await?;
    let done = steps_after - steps_before;
    let images = (after.images - before.images) * 8_192.0;
    let bytes = after.bytes - before.bytes - images;
    Ok(Figure {
        figure: "memory",
        part: "write-ahead log per step",
        store: "postgres",
        value: bytes / done / 1024.0,
        unit: "KiB",
        floor: None,
        settings: format!(
            "history on, starts and ends included, full-page images apart ({:.2} KiB a step)",
            images / done / 1024.0
        ),
    })
}

struct Log {
    bytes: f64,
    images: f64,
}

async fn log(database: &Client) -> anyhow::Result<Log> {
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    let query = "SELECT wal_bytes::float8, wal_fpi::float8 FROM pg_stat_wal";
    let row = database.query_one(query, &[]).await?;
    Ok(Log { bytes: row.get(0), images: row.get(1) })
}
