//! PgBouncer in front of a throw-away cluster, one pool of a few server connections per database
//! that clients share transaction by transaction: what is left behind on a connection is met by
//! somebody else. Gone when its owner is gone, as the cluster is.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};

use super::guard::Guard;
use super::ready::{answers, free_port, wait_until_ready};
use super::user::User;
use super::{Cluster, binaries};
use crate::{apt, process};

/// Debian keeps it where not every user looks for programs.
const DEBIAN_PATH: &str = "/usr/sbin/pgbouncer";
/// Fewer than the connections of one store, so that they have to share.
const POOL_SIZE: u32 = 3;
/// The end at once; the gentler signal waits for clients to leave.
const STOP_SIGNAL: &str = "TERM";

/// A running pooler. Dropping it stops it and removes its files.
pub struct Pooler {
    url: String,
    /// Where the cluster itself listens.
    behind: String,
    _guard: Guard,
}

impl Pooler {
    /// Starts a pooler for `cluster`, installing PgBouncer first where it is missing.
    pub fn start(cluster: &Cluster) -> Result<Pooler> {
        let program = ensure()?;
        let user = User::for_server()?;
        let folder = user.make_folder("orloj-pgbouncer-")?;
        let mut guard = Guard::new(&folder, STOP_SIGNAL)?;
        let port = free_port()?;
        let settings = folder.join("pgbouncer.ini");
        std::fs::write(&settings, settings_for(cluster.port(), port))
            .context("cannot write PgBouncer's settings")?;
        let log_path = folder.join("log");
        let log = std::fs::File::create(&log_path).context("cannot create PgBouncer's log")?;
        let mut command = user.command(&program, &folder);
        let server = command
            .arg(&settings)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot start `{}`", process::shown(&command)))?;
        let server = guard.watch(server)?;
        let programs = binaries::ensure()?;
        wait_until_ready(server, "PgBouncer", &log_path, || answers(&programs, port))?;
        let url = format!("postgres://postgres@127.0.0.1:{port}/postgres");
        eprintln!("throw-away PgBouncer (pool_mode=transaction) at {url}");
        let behind = format!("127.0.0.1:{}", cluster.port());
        Ok(Pooler { url, behind, _guard: guard })
    }

    /// The URL of the cluster's database `postgres` through the pooler.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The same, with the address at which nodes can hear each other.
    pub fn hearing_url(&self) -> String {
        format!("{}?listen={}", self.url, self.behind)
    }
}

fn ensure() -> Result<PathBuf> {
    if let Some(program) = find() {
        return Ok(program);
    }
    apt::install(&["pgbouncer"], "the connection pooler PgBouncer")?;
    match find() {
        Some(program) => Ok(program),
        None => bail!("PgBouncer was installed, but it is neither in PATH nor at {DEBIAN_PATH}"),
    }
}

fn find() -> Option<PathBuf> {
    let debian = Path::new(DEBIAN_PATH);
    process::find("pgbouncer").or_else(|| debian.is_file().then(|| debian.to_path_buf()))
}

/// Tests make databases of their own, so any name leads to the cluster. Settings that a client asks
/// for when it connects are refused, as they are by default.
fn settings_for(server_port: u16, port: u16) -> String {
    format!(
        "[databases]\n\
         * = host=127.0.0.1 port={server_port} user=postgres\n\
         [pgbouncer]\n\
         listen_addr = 127.0.0.1\n\
         listen_port = {port}\n\
         unix_socket_dir =\n\
         auth_type = any\n\
         pool_mode = transaction\n\
         default_pool_size = {POOL_SIZE}\n\
         max_client_conn = 1000\n\
         server_idle_timeout = 5\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_share_connections_transaction_by_transaction() {
        let settings = settings_for(5_433, 6_433);
        for line in ["* = host=127.0.0.1 port=5433 user=postgres", "pool_mode = transaction"] {
            assert!(settings.lines().any(|found| found == line), "{line} in {settings}");
        }
    }
}
