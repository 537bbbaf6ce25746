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

fn model(name: &str) -> String {
    format!("{}/tests/models/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn files_are_deployed_together_and_events_reach_their_processes() {
    let dev = Dev::start();
    let count = |dev: &Dev| dev.json("definition list")["items"].as_array().unwrap().len();
    let before = count(&dev);
    let files = ["broken.bpmn", "claim.bpmn", "broken.dmn"].map(model).join(" ");
    let refused = dev.ask(&format!("deploy {files}"));
    assert_eq!(refused.status.code(), Some(1));
    let said = text(&refused.stderr);
    assert!(said.contains("broken.bpmn:") && said.contains("broken.dmn:"), "{said}");
    assert_eq!(count(&dev), before);

    let files = ["claim.bpmn", "dish.dmn"].map(model).join(" ");
    let deployed = dev.ask(&format!("deploy {files}"));
    assert!(deployed.status.success(), "{}", text(&deployed.stderr));
    let shown = text(&deployed.stdout);
    assert!(shown.contains("claim") && shown.contains("DECISION"), "{shown}");

    let published = dev.ask("message publish claim --key c-1 --vars {\"claimant\":\"anna\"}");
    assert!(published.status.success(), "{}", text(&published.stderr));
    let instance = |dev: &Dev| {
        let listed = dev.json("instance list --process claim");
        let items = listed["items"].as_array().unwrap();
        items.first().map(|one| one["key"].as_str().unwrap().to_owned())
    };
    let key = instance(&dev).expect("it was started");
    for (verb, said) in [("suspend", "suspended"), ("resume", "resumed")] {
        let done = dev.ask(&format!("instance {verb} {key}"));
        assert_eq!(text(&done.stderr), format!("instance {key} is {said}\n"));
    }
    let set = dev.ask(&format!("instance set-variables {key} --vars {{\"seen\":1}}"));
    assert!(set.status.success(), "{}", text(&set.stderr));
    let modified = dev.ask(&format!("instance modify {key} --activate wait"));
    assert!(modified.status.success(), "{}", text(&modified.stderr));
    assert_eq!(dev.json(&format!("instance show {key}"))["variables"]["seen"], 1);
    let deleted = dev.ask(&format!("instance delete {key}"));
    assert_eq!(text(&deleted.stderr), format!("instance {key} is deleted\n"));
    assert_eq!(instance(&dev), None);

    let nameless = orloj().args(["message", "publish", "", "--url", &dev.url]).output().unwrap();
    let said = text(&nameless.stderr);
    assert!(said.starts_with("error: a value is required for '<NAME>'"), "{said}");
    let nobody = dev.ask("message correlate rain");
    assert_eq!(nobody.status.code(), Some(1));
    let correlated = dev.ask("message correlate claim --vars {\"claimant\":\"bob\"}");
    assert!(text(&correlated.stderr).contains("it was started"), "{}", text(&correlated.stderr));
    let broadcast = dev.ask("signal broadcast storm --vars {\"claimant\":\"carl\"}");
    assert!(broadcast.status.success(), "{}", text(&broadcast.stderr));
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
