//! The two places a figure is taken at, each new and empty for every run.

use std::path::{Path, PathBuf};

use anyhow::Context;
use orloj::StoreChoice;

use crate::floor;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Place {
    Sqlite,
    Postgres,
}

impl Place {
    pub const ALL: [Self; 2] = [Self::Sqlite, Self::Postgres];

    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

/// Where databases of benchmarks are made, and how durable they are.
#[derive(Clone, Debug)]
pub struct Ground {
    /// On a disk.
    pub dir: PathBuf,
    pub postgres: String,
}

/// An empty database, dropped with the value where it is a file, else by [`Ground::clean`].
pub struct Fresh {
    pub choice: StoreChoice,
    /// As `--store` takes it.
    pub url: String,
    _dir: Option<tempfile::TempDir>,
}

pub const DURABILITY: &str = "fsync on (SQLite synchronous=FULL, PostgreSQL synchronous_commit=on)";

impl Ground {
    pub async fn fresh(&self, place: Place) -> anyhow::Result<Fresh> {
        match place {
            Place::Sqlite => {
                let dir = tempfile::tempdir_in(&self.dir)?;
                let path = dir.path().join("orloj.db");
                let url = format!("sqlite:{}", path.display());
                Ok(Fresh { choice: StoreChoice::SqliteFile(path), url, _dir: Some(dir) })
            }
            Place::Postgres => {
                let name = format!("bench_{}", std::process::id());
                let client = connect(&self.postgres).await?;
                let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
                client.batch_execute(&drop).await?;
                client.batch_execute(&format!("CREATE DATABASE {name}")).await?;
                let url = with_database(&self.postgres, &name)?;
                Ok(Fresh { choice: StoreChoice::Postgres(url.clone()), url, _dir: None })
            }
        }
    }

    /// Drops the database of this run.
    pub async fn clean(&self) -> anyhow::Result<()> {
        let client = connect(&self.postgres).await?;
        let name = format!("bench_{}", std::process::id());
        Ok(client.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await?)
    }

    /// Steps per second of the bare storage.
    pub async fn floor(&self, place: Place, secs: f64) -> anyhow::Result<f64> {
        match place {
            Place::Sqlite => {
                let dir = tempfile::tempdir_in(&self.dir)?;
                blocking(dir.path(), move |dir| floor::sqlite_steps_per_s(dir, secs)).await
            }
            Place::Postgres => {
                let url = self.postgres.clone();
                own_runtime(move || async move { floor::postgres_steps_per_s(&url, secs).await })
                    .await
            }
        }
    }

    /// Median microseconds of a transaction of one step.
    pub async fn single_commit_us(&self, place: Place, commits: u32) -> anyhow::Result<f64> {
        match place {
            Place::Sqlite => {
                let dir = tempfile::tempdir_in(&self.dir)?;
                blocking(dir.path(), move |dir| floor::sqlite_single_commit_us(dir, commits)).await
            }
            Place::Postgres => {
                let url = self.postgres.clone();
                own_runtime(
                    move || async move { floor::postgres_single_commit_us(&url, commits).await },
                )
                .await
            }
        }
    }
}

async fn blocking<T: Send + 'static>(
    dir: &Path,
    probe: impl FnOnce(&Path) -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    let dir = dir.to_owned();
    tokio::task::spawn_blocking(move || probe(&dir)).await?
}

/// The probe runs on one thread, as the fixed floor lines do.
async fn own_runtime<T, F>(probe: impl FnOnce() -> F + Send + 'static) -> anyhow::Result<T>
where
    T: Send + 'static,
    F: Future<Output = anyhow::Result<T>>,
{
    tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(probe())
    })
    .await?
}

pub async fn connect(url: &str) -> anyhow::Result<tokio_postgres::Client> {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls)
        .await
        .with_context(|| format!("no PostgreSQL at {url}; `cargo xtask bench` starts one"))?;
    tokio::spawn(connection);
    Ok(client)
}

fn with_database(url: &str, name: &str) -> anyhow::Result<String> {
    let (base, _) = url.rsplit_once('/').context("a URL with a database")?;
    Ok(format!("{base}/{name}"))
}
