//! The binary as a person uses it: start it, look into it, stop it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, Output, Stdio};

struct Dev {
    child: Child,
    said: BufReader<ChildStderr>,
    url: String,
    _data: tempfile::TempDir,
}

impl Dev {
    /// Returns when the node has said where it listens, which is when it takes commands.
    fn start() -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut child = orloj()
            .args(["dev", "--listen-grpc", "127.0.0.1:0", "--listen-http", "127.0.0.1:0"])
            .arg("--data-dir")
            .arg(data.path())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut all = String::new();
        let url = loop {
            let mut line = String::new();
            assert_ne!(said.read_line(&mut line).unwrap(), 0, "it ended, saying: {all}");
            all.push_str(&line);
            if let Some((_, rest)) = line.split_once("http://") {
                break format!("http://{}", rest.trim().trim_end_matches("/api"));
            }
        };
        Self { child, said, url, _data: data }
    }

    fn ask(&self, line: &str) -> Output {
        orloj().args(line.split(' ')).args(["--url", &self.url]).output().unwrap()
    }

    fn json(&self, line: &str) -> serde_json::Value {
        let output = self.ask(&format!("{line} -o json"));
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        // Already gone when the test went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn orloj() -> Command {
    Command::new(env!("CARGO_BIN_EXE_orloj"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn dev_has_something_to_show_and_stops_when_asked() {
    let mut dev = Dev::start();
    let definitions = dev.json("definition list");
    assert_eq!(definitions["items"][0]["process"], "order");
    let instances = dev.json("instance list");
    let key = instances["items"][0]["key"].as_str().expect("keys are text").to_owned();
    let shown = dev.ask(&format!("instance show {key}"));
    assert!(text(&shown.stdout).contains("order-1"), "{}", text(&shown.stdout));

    let started = dev.ask("instance start order --variables {\"total\":1}");
    assert!(started.status.success(), "{}", text(&started.stderr));
    let key = text(&started.stdout).trim().to_owned();
    let cancelled = dev.ask(&format!("instance cancel {key}"));
    assert!(cancelled.status.success(), "{}", text(&cancelled.stderr));
    assert_eq!(text(&cancelled.stderr), format!("instance {key} is cancelled\n"));

    let missing = dev.ask("instance show 1");
    assert_eq!(missing.status.code(), Some(1));
    assert_eq!(text(&missing.stderr), "orloj: no instance 1\n");
    assert_eq!(text(&missing.stdout), "");

    let asked = Command::new("kill").args(["-INT", &dev.child.id().to_string()]).status().unwrap();
    assert!(asked.success());
    assert!(dev.child.wait().unwrap().success());
    let last = dev.said.by_ref().lines().last().unwrap().unwrap();
    assert_eq!(last, "stopped; everything is saved");
}

#[test]
fn a_second_node_on_the_same_address_says_so() {
    let dev = Dev::start();
    let address = dev.url.trim_start_matches("http://");
    let second = orloj()
        .args(["serve", "--store", "sqlite::memory:", "--listen-grpc", "127.0.0.1:0"])
        .args(["--listen-http", address])
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(1));
    assert_eq!(
        text(&second.stderr),
        format!(
            "orloj: cannot listen on {address} (--listen-http): Address already in use \
             (os error 98)\n"
        )
    );
}

#[test]
fn without_a_node_the_way_out_is_said() {
    // Port 9 is reserved for a service that discards, which nobody runs.
    let output =
        orloj().args(["instance", "list", "--url", "http://127.0.0.1:9"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.starts_with("orloj: no node answers at http://127.0.0.1:9"), "{said}");
    assert_eq!(said.lines().count(), 1);
}

#[test]
fn a_configuration_that_cannot_be_used_ends_it_with_the_place() {
    let output = orloj()
        .args(["serve", "--store", "sqlite::memory:"])
        .env("ORLOJ_LISTEN_HTTP", "8080")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&output.stderr),
        "orloj: ORLOJ_LISTEN_HTTP: '8080' is not HOST:PORT, such as 127.0.0.1:8080 or [::]:8080\n"
    );
}
