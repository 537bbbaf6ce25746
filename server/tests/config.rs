//! Which value wins, and what people read when one cannot be used.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

use orloj_server::config::{self, Config, Flags, KEYS};

struct File {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn file(text: &str) -> File {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("orloj.toml");
    std::fs::write(&path, text).unwrap();
    File { _folder: folder, path }
}

fn load(toml: &str, environment: &[(&str, &str)], flags: Flags) -> Result<Config, String> {
    let file = file(toml);
    let flags = Flags { config: Some(file.path.clone()), ..flags };
    let folder = file.path.parent().unwrap().display().to_string();
    config::for_serve(&flags, pairs(environment))
        .map_err(|error| error.to_string().replace(&folder, "DIR"))
}

fn pairs(environment: &[(&str, &str)]) -> Vec<(String, String)> {
    environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn problem(toml: &str, environment: &[(&str, &str)], flags: Flags) -> String {
    load(toml, environment, flags).expect_err("must be refused")
}

#[test]
fn defaults_suit_one_machine() {
    let config = load("", &[("HOME", "/srv/anna")], Flags::default()).unwrap();
    assert_eq!(config.store.to_string(), "sqlite:/srv/anna/.local/share/orloj/orloj.db");
    assert_eq!(config.listen_grpc.as_str(), "127.0.0.1:26500");
    assert_eq!(config.listen_http.as_str(), "127.0.0.1:8080");
    assert_eq!(config.heartbeat_timeout.as_millis(), 5_000);
    assert_eq!(config.node_name, None);
    assert_eq!(config.threads, 2);
    assert!(config.executor);
}

#[test]
fn limits_of_scripts_are_a_table_of_the_file() {
    let config = load("[scripting]\nmaxScriptExecutionTime = 50\n", &[], Flags::default()).unwrap();
    assert_eq!(config.scripting.limits().time_ms, 50);
    let wrong = problem("[scripting]\nmaxTime = 50\n", &[], Flags::default());
    assert!(wrong.contains("maxTime"), "{wrong}");
}

#[test]
fn transforms_are_tables_of_the_file_and_errors_name_table_and_key() {
    let toml = r#"
[[transforms]]
match = { kinds = ["serviceTask"], attributes = { "camunda:class" = "org.example.*" } }
set = { async_before = true, retry_cycle = "R3/PT10S" }

[[transforms]]
[transforms.match]
dialect = "zeebe"
[transforms.set]
priority = 7
"#;
    let config = load(toml, &[], Flags::default()).unwrap();
    assert_eq!(config.transforms.noted().used().len(), 0);
    assert!(!config.transforms.is_empty());
    let set = |set: &str| {
        let toml = format!("{toml}\n[[transforms]]\n{set}\n");
        let file = file(&toml);
        let here = config::transforms_of(&file.path).expect_err("must be refused").to_string();
        let said = problem(&toml, &[], Flags::default());
        let folder = file.path.parent().unwrap().display().to_string();
        assert_eq!(here.replace(&folder, "DIR"), said, "both readers say the same");
        said
    };
    let said = [
        "set = { asyncBefore = true }",
        "set = { retry_cycle = 'soon' }",
        "set = { retry_cycle = 3 }",
        "sets = { }",
        "match = { dialect = 'jbpm' }",
        "set = { listeners = [{ event = 'end' }] }",
        "set = { listeners = [{ event = 'leave', delegate = 'a' }] }",
        "set = { attributes = { 'id' = 'x' } }",
        "set = { attributes = { 'camuda:topic' = 'x' } }",
    ];
    insta::assert_snapshot!(said.map(set).join("\n"));
}

#[test]
fn flags_beat_the_environment_which_beats_the_file() {
    let toml = "listen_http = '1.1.1.1:1'\nlisten_grpc = '1.1.1.1:1'\nnode_name = 'file'\n\
                heartbeat_timeout_ms = 1000\n";
    let environment = [
        ("ORLOJ_LISTEN_GRPC", "2.2.2.2:2"),
        ("ORLOJ_NODE_NAME", "2"),
        ("ORLOJ_EXECUTOR", "false"),
        ("ORLOJ_HEARTBEAT_TIMEOUT_MS", "2000"),
    ];
    let flags = Flags {
        node_name: Some("flag".to_owned()),
        heartbeat_timeout_ms: Some(3_000),
        ..Flags::default()
    };
    let config = load(toml, &environment, flags).unwrap();
    assert_eq!(config.listen_http.as_str(), "1.1.1.1:1");
    assert_eq!(config.listen_grpc.as_str(), "2.2.2.2:2");
    assert_eq!(config.node_name.as_deref(), Some("flag"));
    assert_eq!(config.heartbeat_timeout.as_millis(), 3_000);
    assert!(!config.executor);

    let config = load(toml, &environment, Flags::default()).unwrap();
    assert_eq!(config.node_name.as_deref(), Some("2"), "a name may look like a number");
}

#[test]
fn the_data_folder_holds_the_default_store_only() {
    let flags = Flags { data_dir: Some("/d".to_owned()), ..Flags::default() };
    assert_eq!(load("", &[], flags.clone()).unwrap().store.to_string(), "sqlite:/d/orloj.db");
    assert_eq!(
        load("store = 'sqlite:x.db'", &[], flags.clone()).unwrap().store.to_string(),
        "sqlite:x.db"
    );
    let dev = config::for_dev(&flags, []).unwrap();
    assert_eq!(dev.store.to_string(), "sqlite:/d/dev.db");
}

#[test]
fn dev_takes_flags_only() {
    let file = file("store = 'postgres://production/orders'");
    let environment = [
        ("ORLOJ_CONFIG", file.path.to_str().unwrap()),
        ("ORLOJ_STORE", "postgres://production/orders"),
        ("XDG_DATA_HOME", "/x"),
    ];
    let config = config::for_dev(&Flags::default(), pairs(&environment)).unwrap();
    assert_eq!(config.store.to_string(), "sqlite:/x/orloj/dev.db");
}

#[test]
fn every_key_can_be_set_in_each_place() {
    for key in KEYS {
        let (toml, text) = match key.name {
            "store" => ("'sqlite::memory:'", "sqlite::memory:"),
            "listen_grpc" | "listen_http" => ("'a:1'", "a:1"),
            "heartbeat_timeout_ms" => ("700", "700"),
            "executor" => ("true", "true"),
            "threads" => ("3", "3"),
            _ => ("'info'", "info"),
        };
        load(&format!("{} = {toml}", key.name), &[], Flags::default()).unwrap();
        let variable = config::Key::variable(key.name);
        load("", &[(&variable, text)], Flags::default()).unwrap();
    }
}

#[test]
fn errors_name_the_place() {
    let none = Flags::default;
    insta::assert_snapshot!(
        problem("listen_gprc = 'a:1'", &[], none()),
        @"DIR/orloj.toml:1: listen_gprc: unknown key; there are store, data_dir, listen_grpc, listen_http, node_name, heartbeat_timeout_ms, executor, threads, log, profile, acquisition, acquisitions, jobs, history, batches, metrics, operations, ids, model, rows, limits, breakers, engines, camunda, flowable, scripting, transforms"
    );
    insta::assert_snapshot!(
        problem("", &[("ORLOJ_LISTEN_HTPP", "a:1")], none()),
        @"ORLOJ_LISTEN_HTPP: unknown key; there are store, data_dir, listen_grpc, listen_http, node_name, heartbeat_timeout_ms, executor, threads, log, profile, acquisition, acquisitions, jobs, history, batches, metrics, operations, ids, model, rows, limits, breakers, engines, camunda, flowable, scripting, transforms"
    );
    insta::assert_snapshot!(
        problem("heartbeat_timeout_ms = 'soon'", &[], none()),
        @r#"DIR/orloj.toml:1: heartbeat_timeout_ms: found string "soon", expected a whole number"#
    );
    insta::assert_snapshot!(
        problem("", &[("ORLOJ_HEARTBEAT_TIMEOUT_MS", "soon")], none()),
        @r#"ORLOJ_HEARTBEAT_TIMEOUT_MS: found string "soon", expected a whole number"#
    );
    insta::assert_snapshot!(
        problem("", &[("ORLOJ_EXECUTOR", "maybe")], none()),
        @"ORLOJ_EXECUTOR: found 'maybe', expected true or false"
    );
    insta::assert_snapshot!(
        problem("heartbeat_timeout_ms = 5", &[], none()),
        @"DIR/orloj.toml:1: heartbeat_timeout_ms: found 5, expected 100 to 600000"
    );
    insta::assert_snapshot!(
        problem("", &[], Flags { listen_http: Some("8080".to_owned()), ..none() }),
        @"--listen-http: '8080' is not HOST:PORT, such as 127.0.0.1:8080 or [::]:8080"
    );
    insta::assert_snapshot!(
        problem("", &[("ORLOJ_STORE", "orders.db")], none()),
        @"ORLOJ_STORE: 'orders.db' is not a store; write sqlite:PATH, sqlite::memory: or postgres://USER@HOST/DATABASE"
    );
    insta::assert_snapshot!(
        problem("node_name = ''", &[], none()),
        @"DIR/orloj.toml:1: node_name: a node's name has 1 to 200 printable characters"
    );
    insta::assert_snapshot!(
        problem("", &[("ORLOJ_LOG", "orloj=loud")], none()),
        @r#"ORLOJ_LOG: error parsing level filter: expected one of "off", "error", "warn", "info", "debug", "trace", or a number 0-5"#
    );
    insta::assert_snapshot!(
        problem("store = [", &[], none()),
        @"
    DIR/orloj.toml: TOML parse error at line 1, column 10
      |
    1 | store = [
      |          ^
    invalid array
    expected `]`
    "
    );
}

#[test]
fn a_named_file_must_be_there() {
    let flags = Flags { config: Some("/nowhere/orloj.toml".into()), ..Flags::default() };
    let error = config::for_serve(&flags, []).expect_err("must be refused");
    insta::assert_snapshot!(
        error,
        @"--config: cannot be read: /nowhere/orloj.toml: No such file or directory (os error 2)"
    );
    let environment = pairs(&[("ORLOJ_CONFIG", "/nowhere/orloj.toml")]);
    let error = config::for_serve(&Flags::default(), environment).expect_err("must be refused");
    insta::assert_snapshot!(
        error,
        @"ORLOJ_CONFIG: cannot be read: /nowhere/orloj.toml: No such file or directory (os error 2)"
    );
}

#[test]
fn variables_that_are_not_for_the_node_are_left_alone() {
    let environment = [
        ("ORLOJ_URL", "http://a"),
        ("ORLOJ_NODE_NAME", ""),
        ("ORLOJ_SERVICE_HOST", "10.0.0.1"),
        ("ORLOJ_PORT_8080_TCP_ADDR", "10.0.0.1"),
        ("ORLOJ_PORT", "tcp://10.0.0.1:8080"),
    ];
    assert_eq!(load("", &environment, Flags::default()).unwrap().node_name, None);
}

#[test]
fn knobs_are_tables_of_the_file_and_variables() {
    let toml = "profile = 'flowable'\n[executor]\nby_priority = true\nworkers_max = 20\n\
                [history.cleanup]\nstart = '22:00'\n[[limits]]\ntopic = 'mail'\nper_second = 1.5\n";
    let environment =
        [("ORLOJ_EXECUTOR_WORKERS_MAX", "30"), ("ORLOJ_EXECUTOR_CATEGORIES", "mail, pdf")];
    let config = load(toml, &environment, Flags::default()).unwrap();
    assert_eq!(config.settings.executor.workers_max, 30, "a variable beats the file");
    assert!(config.settings.executor.by_priority, "and leaves the rest of the table alone");
    assert_eq!(config.settings.executor.categories.unwrap(), ["mail", "pdf"]);
    assert_eq!(config.settings.acquisition.lock_ms_max, Some(3_600_000));
    assert_eq!(config.settings.limits.len(), 1);
}

#[test]
fn keys_that_stood_alone_mean_what_they_meant() {
    let toml = "heartbeat_timeout_ms = 700\nnode_name = 'a'\n[executor]\nhint = false\n";
    let flags = Flags { executor: Some(false), ..Flags::default() };
    let config = load(toml, &[], flags).unwrap();
    assert_eq!(config.settings.executor.heartbeat_timeout_ms, 700);
    assert_eq!(config.settings.executor.lock_owner.as_deref(), Some("a"));
    assert_eq!(config.settings.executor.active, Some(false));
    assert!(!config.executor && !config.settings.executor.hint);
    let config = load("executor = false\n", &[], Flags::default()).unwrap();
    assert!(!config.executor);
    let config =
        load("[executor]\nheartbeat_timeout_ms = 800\nlock_owner = 'b'", &[], Flags::default())
            .unwrap();
    assert_eq!(config.heartbeat_timeout.as_millis(), 800);
    assert_eq!(config.node_name.as_deref(), Some("b"));
}

#[test]
fn property_names_of_camunda_and_flowable_are_understood() {
    let toml = "[camunda]\njobExecutorActivate = false\nauthorizationEnabled = true\n\
                [camunda.bpm.job-execution]\nmax-pool-size = 50\n";
    let config = load(toml, &[], Flags::default()).unwrap();
    assert!(!config.executor);
    assert_eq!(config.settings.executor.workers_max, 50);
    assert_eq!(config.notes.len(), 1);
    let on = load(toml, &[("ORLOJ_EXECUTOR", "true")], Flags::default()).unwrap();
    assert!(on.executor, "a variable beats the file, whatever the file calls it");

    let config = load("[flowable]\nmaxScriptExecutionTime = 70\n", &[], Flags::default()).unwrap();
    assert_eq!(config.scripting.limits().time_ms, 70);
}

#[test]
fn errors_of_settings_name_file_table_and_key() {
    let none = Flags::default;
    insta::assert_snapshot!(
        problem("[executor]\npriority_min = 5\npriority_max = 1\n[jobs]\nretrys = 3", &[], none()),
        @r"
    DIR/orloj.toml:2: executor.priority_min: executor.priority_min (5) is above executor.priority_max (1): no job could be taken
    DIR/orloj.toml:5: jobs.retrys: unknown key; the nearest is 'jobs.retries'
    "
    );
    insta::assert_snapshot!(
        problem("[camunda]\njobExecutorActivated = true", &[], none()),
        @"DIR/orloj.toml:2: camunda.jobExecutorActivated: Camunda 7 has no property 'jobExecutorActivated'; the nearest is 'jobExecutorActivate'"
    );
    insta::assert_snapshot!(
        problem("[[limits]]\ntopic = 'a'\nmax_concurrent = -1", &[], none()),
        @"DIR/orloj.toml:3: limits[1].max_concurrent: found -1, expected a whole number from 0 to 4294967295"
    );
    insta::assert_snapshot!(
        problem("[executor]\npriority_max = 'high'", &[], none()),
        @"DIR/orloj.toml:2: executor.priority_max: found 'high', expected a whole number"
    );
    insta::assert_snapshot!(
        problem("", &[("ORLOJ_ACQUISITION_WAIT_MS", "70000")], none()),
        @"ORLOJ_ACQUISITION_WAIT_MS: acquisition.wait_ms (70000) is above acquisition.wait_ms_max (60000)"
    );
    insta::assert_snapshot!(
        problem("[executor]\npriority_max = 99999999999999999999", &[], none()),
        @r"
    DIR/orloj.toml: TOML parse error at line 2, column 16
      |
    2 | priority_max = 99999999999999999999
      |                ^
    number too large to fit in target type
    "
    );
}
