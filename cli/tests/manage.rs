//! What operators type, against a server whose executor is off, so that jobs stay where they are.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a server process is waited for")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

struct Server {
    child: Child,
    http: String,
    store: String,
    _folder: tempfile::TempDir,
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = format!("sqlite:{}", folder.path().join("orloj.db").display());
        let http = free_address();
        let child = orloj()
            .args(["serve", "--store", &store, "--executor", "false", "--node-name", "one"])
            .args(["--listen-grpc", "127.0.0.1:0", "--listen-http", &http])
            .env("ORLOJ_BATCHES_POLL_MS", "100")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { child, http, store, _folder: folder };
        for _ in 0..1_000 {
            if server.is_ready() {
                return server;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the server did not become ready");
    }

    fn is_ready(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(&self.http) else { return false };
        let mut answer = [0; 12];
        stream.write_all(b"GET /ready HTTP/1.0\r\n\r\n").is_ok()
            && stream.read_exact(&mut answer).is_ok()
            && answer.ends_with(b"200")
    }

    fn ask(&self, line: &str) -> Output {
        let url = format!("http://{}", self.http);
        orloj().args(line.split(' ')).args(["--url", &url]).output().unwrap()
    }

    fn json(&self, line: &str) -> Value {
        let output = self.ask(&format!("{line} -o json"));
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// What it says of what it did.
    fn said(&self, line: &str) -> String {
        let output = self.ask(line);
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        text(&output.stderr).trim_end().to_owned()
    }

    fn shown(&self, line: &str) -> String {
        let output = self.ask(line);
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        text(&output.stdout).trim_end().to_owned()
    }

    fn fails(&self, line: &str) -> String {
        let output = self.ask(line);
        assert_eq!(output.status.code(), Some(1), "{line}: {}", text(&output.stdout));
        text(&output.stderr)
    }

    fn keys(&self, line: &str) -> Vec<String> {
        let listed = self.json(line);
        let items = listed["items"].as_array().unwrap();
        items.iter().map(|item| item["key"].as_str().unwrap().to_owned()).collect()
    }

    fn with_steps(instances: usize) -> Self {
        let server = Self::start();
        let model = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/models/steps.bpmn");
        assert!(server.ask(&format!("deploy {model}")).status.success());
        for _ in 0..instances {
            server.shown("instance start steps");
        }
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself, which the test then told.
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

fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

#[test]
fn jobs_are_managed_one_by_one_and_by_filter() {
    let server = Server::with_steps(3);
    let keys = server.keys("job list --process steps");
    assert_eq!(keys.len(), 3);
    assert_eq!(server.shown("job count --process steps --state ready"), "3");
    let one = &keys[0];
    assert_eq!(server.said(&format!("job retries {one} 5")), format!("job {one} has 5 tries left"));
    assert_eq!(
        server.said(&format!("job priority {one} -3")),
        format!("job {one} has priority -3")
    );
    assert!(server.shown(&format!("job show {one}")).contains("PRIORITY"));
    let explained = server.shown(&format!("job explain {one}"));
    assert!(explained.contains("1. "), "{explained}");

    let preview = server.ask("job suspend --process steps --dry-run");
    assert_eq!(text(&preview.stderr), "3 jobs would be worked on; nothing was changed\n");
    assert!(text(&preview.stdout).contains(one));
    assert_eq!(server.said("job suspend --process steps"), "3 jobs are suspended");
    assert_eq!(server.said("job activate --set suspended"), "3 jobs are resumed");
    assert_eq!(server.said("job suspend --type nobody"), "none found");

    let some = server.fails(&format!("job bury {one} {} 7", keys[1]));
    assert!(some.contains("2 jobs are dead letters"), "{some}");
    assert!(some.contains("job 7: no job 7"), "{some}");
    assert!(some.ends_with("orloj: 1 of 3 jobs failed\n"), "{some}");
    assert_eq!(server.keys("dead-letter list").len(), 2);
    assert_eq!(
        server.said(&format!("dead-letter revive {one}")),
        format!("job {one} is no dead letter any more")
    );
    assert_eq!(server.said("dead-letter delete --all"), "1 job is deleted");
    assert!(server.fails("dead-letter delete").contains("--all takes every one"));

    assert_eq!(server.said(&format!("job execute {one}")), format!("job {one} is executed"));
    assert_eq!(server.shown("job count"), "1");
    assert!(server.fails(&format!("job show {one}")).contains(&format!("no job {one}")));
    assert!(server.shown("timer list").is_empty());
}

#[test]
fn definitions_limits_nodes_and_history_are_managed() {
    let server = Server::with_steps(2);
    let definition = server.keys("definition list --process steps").remove(0);
    assert_eq!(
        server.said(&format!("definition suspend {definition} --include-instances")),
        format!("definition {definition} is suspended")
    );
    assert!(server.fails("instance start steps").contains("suspended"));
    assert_eq!(
        server.said("definition activate --process steps --include-instances"),
        "every version of steps is resumed"
    );
    let of_jobs = server.keys("job-definition list --element check").remove(0);
    let said = server.said(&format!("job-definition priority {of_jobs} 8 --cascade"));
    assert_eq!(said, format!("job definition {of_jobs} has priority 8"));
    assert_eq!(server.shown("job count --priority-min 8"), "2");

    assert_eq!(server.said("limit set topic mail --max 2 --per-second 5"), "topic mail is limited");
    let limits = server.shown("limit list");
    assert!(limits.contains("5/s") && limits.contains("mail"), "{limits}");
    assert!(server.fails("limit set topic mail").contains("--max"));
    assert_eq!(server.said("limit delete topic mail"), "topic mail is not limited any more");
    assert!(server.fails("limit delete topic mail").contains("mail"));

    let nodes = server.shown("node list");
    assert!(nodes.contains("one") && nodes.contains("off"), "{nodes}");
    assert!(server.shown("executor show").starts_with("off"));
    let deployment = server.keys("deployment list").remove(0);
    assert!(server.shown(&format!("deployment show {deployment}")).contains("steps.bpmn"));
    assert_eq!(
        server.said("deployment registered"),
        "this node does not go by deployments: it runs the jobs of all"
    );

    let instance = server.keys("instance list").remove(0);
    assert_eq!(
        server.said(&format!("incident create {instance} --kind late --message look --user anna")),
        format!("instance {instance} has an incident")
    );
    let done = server.shown("history operations --of-user anna");
    assert!(done.contains("CreateIncident"), "{done}");
    assert_eq!(server.said("incident resolve --kind late"), "1 incident is resolved");
    assert_eq!(server.said("instance cancel --process steps"), "2 instances are cancelled");
    assert_eq!(server.keys("history instances --state cancelled").len(), 2);
    assert!(server.shown(&format!("history activities {instance}")).contains("start"));
    assert_eq!(
        server.said(&format!("instance restart {instance}")),
        format!("instance {instance} is started anew")
    );
    assert!(server.ask("meter list").status.success());
}

#[test]
fn a_batch_is_watched_to_its_end() {
    let server = Server::with_steps(3);
    let batch = server.shown("instance delete --process steps --as-batch");
    assert_eq!(server.keys("batch list"), [batch.as_str()]);
    assert_eq!(
        server.said(&format!("batch suspend {batch}")),
        format!("batch {batch} is suspended")
    );
    assert_eq!(server.said(&format!("batch resume {batch}")), format!("batch {batch} is resumed"));
    assert_eq!(server.said("job suspend --kind async-before"), "3 jobs are suspended");
    assert_eq!(server.said("executor start"), "the executor of this node is on");
    let watched = server.said(&format!("batch watch {batch}"));
    assert!(watched.starts_with(&format!("batch {batch} is done")), "{watched}");
    assert_eq!(server.shown("instance count"), "0");
    let shown = server.shown(&format!("batch show {batch}"));
    assert!(shown.contains("instance-deletion"), "{shown}");
}

#[test]
fn a_store_is_opened_directly_while_no_node_holds_it() {
    let mut server = Server::with_steps(1);
    let direct = |line: &str, store: &str| {
        orloj().args(line.split(' ')).args(["--store", store]).output().unwrap()
    };
    let refused = direct("job list", &server.store);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("cannot open the store"), "{}", text(&refused.stderr));

    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let counted = direct("job count --process steps", &server.store);
    assert_eq!(text(&counted.stdout), "1\n", "{}", text(&counted.stderr));
    let done = direct("job suspend --process steps", &server.store);
    assert_eq!(text(&done.stderr), "1 job is suspended\n");
    let counted = direct("job count --state suspended", &server.store);
    assert_eq!(text(&counted.stdout), "1\n", "{}", text(&counted.stderr));
    let missing = direct("job list", "sqlite:nothing/here.db");
    assert_eq!(text(&missing.stderr), "orloj: --store: there is no file nothing/here.db\n");
}
