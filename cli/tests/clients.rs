//! Zeebe's own clients, as published, against the binary on each store.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a server process is waited for")]

mod server;

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use server::Server;

/// Where `cargo xtask clients` has put them.
fn clients() -> PathBuf {
    let folder = std::env::var_os("ORLOJ_TEST_CLIENTS")
        .expect("ORLOJ_TEST_CLIENTS is not set: run the tests with `cargo xtask test`");
    PathBuf::from(folder)
}

fn postgres() -> String {
    std::env::var("ORLOJ_TEST_POSTGRES")
        .expect("ORLOJ_TEST_POSTGRES is not set: run the tests with `cargo xtask test`")
}

impl Server {
    /// Runs a script to its end; its lines are shown when it fails.
    fn tell(&self, program: &Path, script: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/clients");
        let run = || {
            Command::new(program)
                .arg(folder.join(script))
                .args([&self.grpc, &format!("http://{}", self.http)])
                .env("ORLOJ_TEST_CLIENTS", clients())
                .output()
                .unwrap_or_else(|error| panic!("{}: {error}", program.display()))
        };
        let mut output = run();
        // Node 20 sometimes aborts by an assertion on its own memory; no answer of a server ends a
        // client by a signal.
        if output.status.signal().is_some() {
            output = run();
        }
        assert!(
            output.status.success(),
            "{script}\n{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }

    fn tell_all(&self) {
        self.tell(Path::new("bash"), "zbctl.sh");
        self.tell(&clients().join("venv/bin/python"), "pyzeebe_story.py");
        self.tell(Path::new("node"), "zeebe_node_story.js");
    }
}

#[test]
fn on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("orloj.db").display());
    Server::start(&store, "one", |_| {}).tell_all();
}

#[test]
fn on_two_nodes_that_share_a_postgres() {
    let database = Database::create();
    let one = Server::start(&database.url, "one", |_| {});
    let two = Server::start(&database.url, "two", |_| {});
    std::thread::scope(|scope| {
        scope.spawn(|| one.tell_all());
        scope.spawn(|| two.tell_all());
    });
}

/// A database of this test's own.
struct Database {
    url: String,
    name: String,
}

impl Database {
    fn create() -> Self {
        let name = format!("clients_{}", std::process::id());
        psql(&format!("CREATE DATABASE {name}"));
        let (base, _) =
            postgres().rsplit_once('/').map(|(b, d)| (b.to_owned(), d.to_owned())).unwrap();
        Self { url: format!("{base}/{name}"), name }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        psql(&format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}

fn psql(statement: &str) {
    let output = Command::new("psql")
        .args(["--quiet", "-d", &postgres(), "-c", statement])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
