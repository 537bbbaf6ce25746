//! One throw-away cluster: own folder, own port, no password, gone when its owner is gone.
//!
//! Who stops it: a watchdog, a small `sh` in a process group of its own that reads from a pipe
//! whose other end only this process holds. The pipe closes when the [`Cluster`] is dropped and
//! equally when this process is interrupted or killed; then the watchdog stops the server and
//! removes the folder. The server's process number cannot have been given to another program by
//! then: the server is our child, and until we wait for it or die its number stays taken.

use std::fmt::Write as _;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::binaries;
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

/// `initdb` and start take about one second; a loaded machine may need many times that.
const START_SECS_MAX: u64 = 60;
/// Between choosing a free port and binding it another program may take it; thrice is no accident.
const START_ATTEMPTS_MAX: u32 = 3;
/// How much of the server's log goes into an error.
const LOG_LINES_MAX: usize = 20;

const WATCHDOG: &str = r#"
folder=$1
pid=
while read -r line; do pid=$line; done
if [ -n "$pid" ]; then
    # Fast shutdown; after 10 s immediate shutdown; after 15 s give up waiting.
    kill -INT "$pid" 2>/dev/null
    tenths=0
    while kill -0 "$pid" 2>/dev/null && [ "$tenths" -lt 150 ]; do
        tenths=$((tenths + 1))
        if [ "$tenths" -eq 100 ]; then kill -QUIT "$pid" 2>/dev/null; fi
        sleep 0.1
    done
fi
rm -rf -- "$folder"
"#;

/// A running cluster. Dropping it stops the server and removes its files.
pub struct Cluster {
    url: String,
    server: Option<Child>,
    watchdog: Child,
}

impl Cluster {
    /// Starts a cluster, installing PostgreSQL first where it is missing.
    pub fn start(settings: Settings) -> Result<Cluster> {
        let programs = binaries::ensure()?;
        let started = Instant::now();
        let user = User::for_server()?;
        let folder = user.make_folder()?;
        let mut cluster = Cluster {
            url: String::new(),
            server: None,
            watchdog: start_watchdog(&folder).inspect_err(|_| {
                // Nobody else will: the guard of the folder is what could not be started.
                let _ = std::fs::remove_dir(&folder);
            })?,
        };
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

    /// Blocks until the server ends by itself, which is always a failure.
    pub fn wait(mut self) -> Result<()> {
        let status = self.server.as_mut().context("the server was never started")?.wait()?;
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
        let mut server = command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot start `{}`", process::shown(&command)))?;
        let guard = self.watchdog.stdin.as_mut().context("the watchdog lost its pipe")?;
        writeln!(guard, "{}", server.id()).context("the watchdog is gone")?;

        let deadline = Instant::now() + Duration::from_secs(START_SECS_MAX);
        while !answers(programs, port) {
            if let Some(status) = server.try_wait()? {
                bail!("PostgreSQL ended at once ({status})\n{}", tail(&log_path));
            }
            if Instant::now() > deadline {
                self.server = Some(server);
                bail!("PostgreSQL not ready after {START_SECS_MAX} s\n{}", tail(&log_path));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.server = Some(server);
        self.url = format!("postgres://postgres@127.0.0.1:{port}/postgres");
        Ok(())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.watchdog.stdin.take());
        // Failing to wait leaves nothing to be done here: the watchdog works without us.
        if let Some(server) = &mut self.server {
            let _ = server.wait();
        }
        let _ = self.watchdog.wait();
    }
}

/// Whom the server runs as: PostgreSQL refuses to run as root.
struct User {
    /// Set when we are root and must step down.
    step_down: Option<(u32, u32)>,
}

impl User {
    fn for_server() -> Result<User> {
        if !process::is_root()? {
            return Ok(User { step_down: None });
        }
        let number = |option: &str| -> Result<u32> {
            process::output(Command::new("id").args([option, "postgres"]))
                .context(
                    "PostgreSQL does not run as root and there is no user `postgres`; \
                     make one: useradd --system --user-group postgres",
                )?
                .trim()
                .parse()
                .context("`id` printed no number")
        };
        Ok(User { step_down: Some((number("-u")?, number("-g")?)) })
    }

    /// A folder that this user owns and that is on a disk: `/tmp` is often memory, where fsync
    /// costs nothing and benchmarks would lie. `/var/tmp` is not, and every user can reach it.
    fn make_folder(&self) -> Result<PathBuf> {
        let disk = PathBuf::from("/var/tmp");
        let parent = if disk.is_dir() { disk } else { std::env::temp_dir() };
        let folder = tempfile::Builder::new()
            .prefix("orloj-postgres-")
            .tempdir_in(&parent)
            .with_context(|| format!("cannot make a folder in {}", parent.display()))?;
        if let Some((user, group)) = self.step_down {
            std::os::unix::fs::chown(folder.path(), Some(user), Some(group))
                .context("cannot give the folder to the user postgres")?;
        }
        // From here on the watchdog removes it.
        Ok(folder.keep())
    }

    fn command(&self, program: &Path, folder: &Path) -> Command {
        let mut command = match self.step_down {
            None => Command::new(program),
            Some((user, group)) => {
                let mut command = Command::new("setpriv");
                command
                    .arg(format!("--reuid={user}"))
                    .arg(format!("--regid={group}"))
                    .arg("--clear-groups")
                    .arg(program);
                command
            }
        };
        // Our own folder may be out of that user's reach.
        command.current_dir(folder);
        command
    }
}

fn start_watchdog(folder: &Path) -> Result<Child> {
    Command::new("sh")
        .args(["-c", WATCHDOG, "orloj-postgres-watchdog"])
        .arg(folder)
        .current_dir("/")
        // Ctrl-C goes to the whole foreground group; the watchdog must outlive it.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start `sh` to watch over PostgreSQL")
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

fn free_port() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("no free port on 127.0.0.1")?;
    Ok(listener.local_addr()?.port())
}

fn answers(programs: &Path, port: u16) -> bool {
    process::succeeds(
        Command::new(programs.join("pg_isready"))
            .args(["--quiet", "--host=127.0.0.1", "--username=postgres", "--dbname=postgres"])
            .arg(format!("--port={port}")),
    )
}

fn tail(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let mut shown = String::new();
    for line in lines.iter().skip(lines.len().saturating_sub(LOG_LINES_MAX)) {
        let _ = writeln!(shown, "  {line}");
    }
    shown
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

    #[test]
    fn the_log_is_cut_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let lines: Vec<String> = (0..50).map(|number| format!("line {number}")).collect();
        std::fs::write(&log, lines.join("\n")).unwrap();
        let shown = tail(&log);
        assert_eq!(shown.lines().count(), LOG_LINES_MAX);
        assert!(shown.ends_with("  line 49\n"), "{shown}");
        assert_eq!(tail(&folder.path().join("absent")), "");
    }
}
