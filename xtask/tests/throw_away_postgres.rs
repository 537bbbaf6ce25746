//! The throw-away cluster is gone when its owner is gone, however the owner went.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]
#![expect(
    clippy::disallowed_methods,
    reason = "the watchdog is another process: only real time shows that it has done its work"
)]

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Fast shutdown takes tenths of a second; the watchdog gives up at 15 s.
const GONE_SECS_MAX: u64 = 30;

#[test]
fn killed_without_warning_the_owner_leaves_nothing_behind() {
    let mut owner = Owner::start();
    assert!(owner.answers() && owner.folder.is_dir());
    owner.process.kill().unwrap();
    owner.process.wait().unwrap();
    owner.assert_gone();
}

#[test]
fn interrupted_the_owner_leaves_nothing_behind() {
    let mut owner = Owner::start();
    owner.interrupt();
    assert!(!owner.wait().success());
    owner.assert_gone();
}

/// `nohup`, shells that put a command into the background and some CI runners let it ignore
/// interrupts.
#[test]
fn interrupted_where_interrupts_were_ignored_the_owner_ends_all_the_same() {
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' INT; exec \"$0\" postgres", env!("CARGO_BIN_EXE_xtask")]);
    let mut owner = Owner::begin(command);
    owner.interrupt();
    assert!(!owner.wait().success());
    owner.assert_gone();
}

#[test]
fn a_server_that_dies_ends_the_command_with_a_failure() {
    let mut owner = Owner::start();
    let number = std::fs::read_to_string(owner.folder.join("data/postmaster.pid")).unwrap();
    let server = number.lines().next().unwrap();
    assert!(Command::new("kill").args(["-INT", server]).status().unwrap().success());
    assert!(!owner.wait().success());
    owner.assert_gone();
}

/// A running `cargo xtask postgres`.
struct Owner {
    process: Child,
    port: u16,
    folder: PathBuf,
}

impl Owner {
    fn start() -> Owner {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.arg("postgres");
        Owner::begin(command)
    }

    fn begin(mut command: Command) -> Owner {
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let port = url.trim_end().strip_prefix("postgres://postgres@127.0.0.1:").unwrap();
        let port: u16 = port.strip_suffix("/postgres").unwrap().parse().unwrap();
        let folder = folder_of(port);
        Owner { process, port, folder }
    }

    fn answers(&self) -> bool {
        TcpStream::connect(("127.0.0.1", self.port)).is_ok()
    }

    fn interrupt(&self) {
        let number = self.process.id().to_string();
        assert!(Command::new("kill").args(["-INT", &number]).status().unwrap().success());
    }

    /// Its end, which is awaited for a limited time only.
    fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + Duration::from_secs(GONE_SECS_MAX);
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "the owner did not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn assert_gone(&self) {
        let deadline = Instant::now() + Duration::from_secs(GONE_SECS_MAX);
        while self.answers() || self.folder.exists() {
            assert!(Instant::now() < deadline, "{} stayed behind", self.folder.display());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // Already dead when the test passed; otherwise this is what lets the watchdog tidy up.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The cluster's folder is the one whose socket carries the port.
fn folder_of(port: u16) -> PathBuf {
    [PathBuf::from("/var/tmp"), std::env::temp_dir()]
        .iter()
        .flat_map(|parent| std::fs::read_dir(parent).into_iter().flatten().flatten())
        .map(|entry| entry.path())
        .find(|folder| folder.join(format!(".s.PGSQL.{port}")).exists())
        .expect("a running cluster has its socket in its folder")
}
