//! One throw-away cluster: own folder, own port, no password, gone when its owner is gone.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::binaries;
use super::guard::Guard;
use super::ready::{answers, free_port, wait_until_ready};
use super::user::User;
use crate::process;

/// What the cluster is for.
#[derive(Clone, Copy, Debug)]
pub enum Settings {
    /// For tests: durability is switched off (`fsync=off`), because a test cluster never outlives
    /// a power failure. What a killed *node* leaves behind is not touched by that.
    Test,
    /// For figures: every commit is on disk before it is answered.
    Durable,
}

/// Between choosing a free port and binding it another program may take it; thrice is no accident.
const START_ATTEMPTS_MAX: u32 = 3;
/// Fast shutdown: clients are cut off, what they have committed is kept.
const STOP_SIGNAL: &str = "INT";

/// A running cluster. Dropping it stops the server and removes its files.
pub struct Cluster {
    port: u16,
    url: String,
    guard: Guard,
}

impl Cluster {
    /// Starts a cluster, installing PostgreSQL first where it is missing.
    pub fn start(settings: Settings) -> Result<Cluster> {
        let programs = binaries::ensure()?;
        let started = Instant::now();
        let user = User::for_server()?;
        let folder = user.make_folder("orloj-postgres-")?;
        let guard = Guard::new(&folder, STOP_SIGNAL)?;
        let mut cluster = Cluster { port: 0, url: String::new(), guard };
        initdb(&programs, &user, &folder)?;
        for attempt in 1.. {
            let port = free_port()?;
            match cluster.start_server(&programs, &user, &folder, port, settings) {
                Ok(()) => break,
                Err(error) if attempt < START_ATTEMPTS_MAX => {
                    eprintln!("PostgreSQL did not start on port {port}, trying another: {error:#}");
                }
                Err(error) => return Err(error),
            }
        }
        eprintln!(
            "throw-away PostgreSQL ({settings:?} settings) at {} after {:.1} s",
            cluster.url,
            started.elapsed().as_secs_f64()
        );
        Ok(cluster)
    }

    /// The URL of its database `postgres`, as a superuser without a password.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Blocks until the server ends by itself, which is always a failure.
    pub fn wait(mut self) -> Result<()> {
        let status = self.guard.server().context("the server was never started")?.wait()?;
        bail!("PostgreSQL ended by itself ({status})")
    }

    fn start_server(
        &mut self,
        programs: &Path,
        user: &User,
        folder: &Path,
        port: u16,
        settings: Settings,
    ) -> Result<()> {
        let log_path = folder.join("log");
        let log = std::fs::File::create(&log_path).context("cannot create the server's log")?;
        let mut command = user.command(&programs.join("postgres"), folder);
        command.arg("-D").arg(folder.join("data"));
        for option in options(settings, folder, port) {
            command.arg("-c").arg(option);
        }
        let server = command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot start `{}`", process::shown(&command)))?;
        let server = self.guard.watch(server)?;
        wait_until_ready(server, "PostgreSQL", &log_path, || answers(programs, port))?;
        self.port = port;
        self.url = format!("postgres://postgres@127.0.0.1:{port}/postgres");
        Ok(())
    }
}

fn initdb(programs: &Path, user: &User, folder: &Path) -> Result<()> {
    let mut command = user.command(&programs.join("initdb"), folder);
    command.args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8"]);
    command.args(["--no-sync", "--no-instructions", "--pgdata"]).arg(folder.join("data"));
    process::output(&mut command).map(drop)
}

fn options(settings: Settings, folder: &Path, port: u16) -> Vec<String> {
    let mut options = vec![
        "listen_addresses=127.0.0.1".to_owned(),
        format!("port={port}"),
        format!("unix_socket_directories={}", folder.display()),
        // Test threads hold a few connections each, benchmarks two nodes' pools.
        "max_connections=200".to_owned(),
        "autovacuum=on".to_owned(),
    ];
    options.extend(
        match settings {
            Settings::Test => {
                &["fsync=off", "full_page_writes=off", "shared_buffers=128MB"] as &[_]
            }
            // No checkpoint may fall into a measurement of half a minute: at 60,000 steps/s and
            // under 2 KiB of WAL a step that is 3.5 GB, and PostgreSQL starts one near two thirds
            // of the limit.
            Settings::Durable => &[
                "fsync=on",
                "synchronous_commit=on",
                "shared_buffers=1GB",
                "max_wal_size=8GB",
                "checkpoint_timeout=30min",
            ],
        }
        .iter()
        .map(|&option| option.to_owned()),
    );
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_taken_with_durability_on_and_tests_with_durability_off() {
        let of = |settings| options(settings, Path::new("/folder"), 5433);
        let durable = of(Settings::Durable);
        assert!(durable.contains(&"fsync=on".to_owned()));
        assert!(durable.contains(&"synchronous_commit=on".to_owned()));
        assert!(!durable.iter().any(|option| option.starts_with("full_page_writes")));
        assert!(of(Settings::Test).contains(&"fsync=off".to_owned()));
    }
}
