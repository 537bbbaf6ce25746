//! What operators type, against a server whose executor is off, so that jobs stay where they are.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a server process is waited for")]

mod server;

use std::process::{Command, Output};

use serde_json::Value;
use server::Server;

struct Desk {
    server: Server,
    store: String,
    _folder: tempfile::TempDir,
}

impl Desk {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = format!("sqlite:{}", folder.path().join("orloj.db").display());
        let server = Server::start(&store, "one", |command| {
            command.args(["--executor", "false"]).env("ORLOJ_BATCHES_POLL_MS", "100");
        });
        Self { server, store, _folder: folder }
    }

    fn ask(&self, line: &str) -> Output {
        let url = format!("http://{}", self.server.http);
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

    /// A line that is wrong by itself.
    fn makes_no_sense(&self, line: &str) -> String {
        let output = self.ask(line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", text(&output.stdout));
        text(&output.stderr)
    }

    fn keys(&self, line: &str) -> Vec<String> {
        let listed = self.json(line);
        let items = listed["items"].as_array().unwrap();
        items.iter().map(|item| item["key"].as_str().unwrap().to_owned()).collect()
    }

    fn with_steps(instances: usize) -> Self {
        let desk = Self::start();
        let model = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/models/steps.bpmn");
        assert!(desk.ask(&format!("deploy {model}")).status.success());
        for _ in 0..instances {
            desk.shown("instance start steps");
        }
        desk
    }
}

fn orloj() -> Command {
    Command::new(env!("CARGO_BIN_EXE_orloj"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn jobs_are_managed_one_by_one_and_by_filter() {
    let desk = Desk::with_steps(3);
    let keys = desk.keys("job list --process steps");
    assert_eq!(keys.len(), 3);
    assert_eq!(desk.shown("job count --process steps --state ready"), "3");
    let one = &keys[0];
    assert_eq!(desk.said(&format!("job retries {one} 5")), format!("job {one} has 5 tries left"));
    assert_eq!(desk.said(&format!("job priority {one} -3")), format!("job {one} has priority -3"));
    assert!(desk.shown(&format!("job show {one}")).contains("PRIORITY"));
    let explained = desk.shown(&format!("job explain {one}"));
    assert!(explained.contains("1. "), "{explained}");

    let preview = desk.ask("job suspend --process steps --dry-run");
    assert_eq!(text(&preview.stderr), "3 jobs would be worked on; nothing was changed\n");
    assert!(text(&preview.stdout).contains(one));
    assert_eq!(desk.said("job suspend --process steps"), "3 jobs are suspended");
    assert_eq!(desk.said("job activate --set suspended"), "3 jobs are resumed");
    assert_eq!(desk.said("job suspend --type nobody"), "none found");
    assert_eq!(desk.said("job revive --process steps"), "none found");
    assert_eq!(desk.shown("job count --without-tenant"), "3");
    let later = desk.said(&format!("job due {one} +1d"));
    assert!(later.starts_with(&format!("job {one} is due at ")), "{later}");
    desk.said(&format!("job due {one} none"));
    assert_eq!(desk.said("job suspend --all --user kim"), "3 jobs are suspended");
    let told = desk.json("history operations --of-user kim");
    let told = told["items"].as_array().unwrap();
    assert!(told.iter().all(|entry| entry["group"] == told[0]["group"]), "{told:?}");
    let total = told.iter().find(|entry| entry["property"] == "nrOfInstances").unwrap();
    assert_eq!((told.len(), &total["new"]), (3, &Value::from("3")));
    assert_eq!(desk.said("job activate --all"), "3 jobs are resumed");

    let some = desk.fails(&format!("job bury {one} {} 7", keys[1]));
    assert!(some.contains("2 jobs are dead letters"), "{some}");
    assert!(some.contains("job 7: no job 7"), "{some}");
    assert!(some.ends_with("orloj: 1 of 3 jobs failed\n"), "{some}");
    assert_eq!(desk.keys("dead-letter list").len(), 2);
    assert_eq!(
        desk.said(&format!("dead-letter revive {one}")),
        format!("job {one} is no dead letter any more")
    );
    assert_eq!(desk.said("dead-letter delete --all"), "1 job is deleted");
    assert!(desk.makes_no_sense("dead-letter delete").contains("--all takes every one"));
    for line in ["job retries 7 abc", "job priority 7 abc", "job due 7 soon"] {
        assert!(desk.makes_no_sense(line).starts_with("orloj: '"), "{line}");
    }

    assert_eq!(desk.said(&format!("job execute {one}")), format!("job {one} is executed"));
    assert_eq!(desk.shown("job count"), "1");
    assert!(desk.fails(&format!("job show {one}")).contains(&format!("no job {one}")));
    assert!(desk.shown(&format!("history jobs --job {one}")).contains("successful"));
    assert!(desk.shown(&format!("history incidents --job {one}")).contains("resolved"));
    assert!(desk.shown("timer list").is_empty());
}

#[test]
fn a_process_is_deployed_for_a_day_to_come() {
    let desk = Desk::start();
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/models/steps.bpmn");
    let wrong = desk.makes_no_sense(&format!("deploy {model} --activate-at tomorrow"));
    assert!(wrong.contains("write a moment such as"), "{wrong}");
    assert_eq!(desk.keys("definition list").len(), 0, "nothing is deployed");
    desk.shown(&format!("deploy {model} --activate-at +1d --user kim"));
    assert!(desk.fails("instance start steps").contains("suspended"));
    let told = desk.shown("history operations --of-user kim");
    assert!(told.contains("ActivateProcessDefinition"), "{told}");
    let job = desk.keys("job list --kind activate-definition").remove(0);
    desk.said(&format!("job due {job} now"));
    assert_eq!(desk.said(&format!("job execute {job}")), format!("job {job} is executed"));
    desk.shown("instance start steps");
}

#[test]
fn definitions_limits_nodes_and_history_are_managed() {
    let desk = Desk::with_steps(2);
    let definition = desk.keys("definition list --process steps").remove(0);
    assert_eq!(
        desk.said(&format!("definition suspend {definition} --include-instances")),
        format!("definition {definition} is suspended")
    );
    assert!(desk.fails("instance start steps").contains("suspended"));
    assert_eq!(
        desk.said("definition activate --process steps --include-instances"),
        "every version of steps is resumed"
    );
    let of_jobs = desk.keys("job-definition list --element check").remove(0);
    let said = desk.said(&format!("job-definition priority {of_jobs} 8 --cascade"));
    assert_eq!(said, format!("job definition {of_jobs} has priority 8"));
    assert_eq!(desk.shown("job count --priority-min 8"), "2");

    assert_eq!(desk.said("limit set topic mail --max 2 --per-second 5"), "topic mail is limited");
    let limits = desk.shown("limit list");
    assert!(limits.contains("5/s") && limits.contains("mail"), "{limits}");
    assert!(desk.makes_no_sense("limit set topic mail").contains("--max"));
    assert_eq!(desk.said("limit delete topic mail"), "topic mail is not limited any more");
    assert!(desk.fails("limit delete topic mail").contains("mail"));

    let nodes = desk.shown("node list");
    assert!(nodes.contains("one") && nodes.contains("off"), "{nodes}");
    assert!(desk.shown("executor show").starts_with("off"));
    let deployment = desk.keys("deployment list").remove(0);
    assert!(desk.shown(&format!("deployment show {deployment}")).contains("steps.bpmn"));
    assert_eq!(
        desk.said("deployment registered"),
        "this node does not go by deployments: it runs the jobs of all"
    );

    let instance = desk.keys("instance list").remove(0);
    assert_eq!(
        desk.said(&format!("incident create {instance} --kind late --message look --user anna")),
        format!("instance {instance} has an incident")
    );
    let done = desk.shown("history operations --of-user anna");
    assert!(done.contains("CreateIncident"), "{done}");
    for line in [
        "instance modify KEY --activate-flow f1 --terminate-all check",
        "instance migrate KEY --process steps --map check=check",
        "instance set-variables KEY --vars {\"a\":1}",
    ] {
        desk.said(&format!("{} --user mia", line.replace("KEY", &instance)));
    }
    let done = desk.json("history operations --of-user mia");
    let done = done["items"].as_array().unwrap().iter();
    let done: Vec<_> = done.map(|entry| entry["operation"].as_str().unwrap()).collect();
    assert_eq!(done, ["SetVariables", "Migrate", "ModifyProcessInstance"]);
    assert_eq!(desk.keys("incident list --process steps").len(), 1);
    assert!(desk.keys("incident list --process others").is_empty());
    assert_eq!(desk.said("incident resolve --kind late"), "1 incident is resolved");
    desk.said(&format!("instance suspend {instance}"));
    for line in ["instance list", "history instances", &format!("instance show {instance}")] {
        assert!(desk.shown(line).contains(" suspended "), "{line}");
    }
    desk.said(&format!("instance resume {instance}"));
    assert_eq!(desk.said("instance cancel --process steps"), "2 instances are cancelled");
    assert_eq!(desk.keys("history instances --state cancelled").len(), 2);
    assert!(desk.shown(&format!("history activities {instance}")).contains("start"));
    let output = desk.ask(&format!("instance restart {instance}"));
    let anew = text(&output.stdout).trim_end().to_owned();
    assert_eq!(text(&output.stderr).trim_end(), format!("started anew as instance {anew}"));
    assert_ne!(anew, instance.to_string());
    assert!(desk.shown(&format!("instance show {anew}")).contains("active"));
    let at = desk.fails("definition suspend --process nobody --at -1h");
    assert!(!at.contains("unexpected argument"), "{at}");
    assert!(desk.ask("meter list").status.success());
}

#[test]
fn a_batch_is_watched_to_its_end() {
    let desk = Desk::with_steps(3);
    let batch = desk.shown("instance delete --process steps --as-batch");
    assert_eq!(desk.keys("batch list"), [batch.as_str()]);
    assert_eq!(desk.said(&format!("batch suspend {batch}")), format!("batch {batch} is suspended"));
    assert_eq!(desk.said(&format!("batch resume {batch}")), format!("batch {batch} is resumed"));
    assert_eq!(desk.said("job suspend --kind async-before"), "3 jobs are suspended");
    assert_eq!(desk.said("executor start"), "the executor of this node is on");
    let watched = desk.said(&format!("batch watch {batch}"));
    assert!(watched.starts_with(&format!("batch {batch} is done")), "{watched}");
    assert_eq!(desk.shown("instance count"), "0");
    let shown = desk.shown(&format!("batch show {batch}"));
    assert!(shown.contains("instance-deletion"), "{shown}");
}

#[test]
fn a_store_is_opened_directly_while_no_node_holds_it() {
    let mut desk = Desk::with_steps(1);
    let direct = |line: &str, store: &str| {
        orloj().args(line.split(' ')).args(["--store", store]).output().unwrap()
    };
    let refused = direct("job list", &desk.store);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("cannot open the store"), "{}", text(&refused.stderr));

    desk.server.end();
    let counted = direct("job count --process steps", &desk.store);
    assert_eq!(text(&counted.stdout), "1\n", "{}", text(&counted.stderr));
    let done = direct("job suspend --process steps", &desk.store);
    assert_eq!(text(&done.stderr), "1 job is suspended\n");
    let counted = direct("job count --state suspended", &desk.store);
    assert_eq!(text(&counted.stdout), "1\n", "{}", text(&counted.stderr));
    let missing = direct("job list", "sqlite:nothing/here.db");
    assert_eq!(text(&missing.stderr), "orloj: --store: there is no file nothing/here.db\n");
}
