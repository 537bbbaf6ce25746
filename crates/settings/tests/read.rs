//! What the tables of a configuration file mean, and what people read when they mean nothing.

use orloj_settings::{
    HistoryLevel, IdGenerator, LimitScope, Note, Profile, Read, Settings, Severity, Table, Value,
    read, to_toml,
};
use serde_json::json;

fn value(json: serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Nothing,
        serde_json::Value::Bool(flag) => Value::Flag(flag),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(whole) => Value::Number(whole),
            None => Value::Decimal(number.as_f64().expect("a number")),
        },
        serde_json::Value::String(text) => Value::Text(text),
        serde_json::Value::Array(items) => Value::List(items.into_iter().map(value).collect()),
        serde_json::Value::Object(entries) => {
            Value::Table(entries.into_iter().map(|(key, json)| (key, value(json))).collect())
        }
    }
}

fn tree(json: serde_json::Value) -> Table {
    match value(json) {
        Value::Table(table) => table,
        other => panic!("{other:?}"),
    }
}

fn good(json: serde_json::Value) -> Read {
    read(&tree(json)).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn problems(json: serde_json::Value) -> String {
    let errors = read(&tree(json)).expect_err("must be refused");
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn notes(read: &Read) -> String {
    read.notes.iter().map(Note::to_string).collect::<Vec<_>>().join("\n")
}

fn warnings(read: &Read) -> String {
    let warnings = read.notes.iter().filter(|note| note.severity == Severity::Warning);
    warnings.map(Note::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn nothing_written_is_the_default() {
    assert_eq!(good(json!({})).settings, Settings::default());
}

#[test]
fn values_by_kind_of_batch_are_checked_as_the_one_for_all() {
    let by_kind = |kind: &str, items: i64| {
        let by_kind = json!({kind: items});
        json!({"batches": {"invocations_per_job_by_kind": by_kind}})
    };
    for items in [0, 100_001] {
        let said = "batches.invocations_per_job_by_kind: 'set-variables': found";
        let expected = format!("{said} {items}, expected 1 to 100000");
        assert_eq!(problems(by_kind("set-variables", items)), expected);
    }
    assert!(good(by_kind("set-variables", 1)).notes.is_empty());
    let notes = good(by_kind("set-varables", 1)).notes;
    assert_eq!(notes.len(), 1);
    assert!(notes[0].message.starts_with("there are no batches of the kind 'set-varables'"));
}

#[test]
fn knobs_by_their_own_names() {
    let settings = good(json!({
        "executor": {"active": true, "by_priority": true, "priority_min": -5, "priority_max": 50,
                     "categories": ["mail", "pdf"], "rejected_jobs": "caller-runs"},
        "acquisition": {"wait_ms": 100, "wait_ms_max": 1000, "wait_factor": 1.5},
        "history": {"level": "audit", "ttl": "P30D",
                    "cleanup": {"start": "22:00", "end": "06:00", "sunday_start": "01:00+0100"}},
        "batches": {"invocations_per_job_by_kind": {"instance-deletion": 10}},
        "ids": {"generator": "uuid"},
        "limits": [{"topic": "charge", "max_concurrent": 3},
                   {"tenant": "acme", "per_second": 2.5, "burst": 10}],
        "breakers": [{"topic": "charge"}],
    }))
    .settings;
    assert_eq!(settings.executor.priority_min, -5);
    assert_eq!(settings.executor.categories.unwrap(), ["mail", "pdf"]);
    assert_eq!(settings.acquisition.wait_factor, 1.5);
    assert_eq!(settings.history.level, HistoryLevel::Audit);
    assert_eq!(settings.history.ttl.unwrap().days, 30);
    assert_eq!(settings.history.cleanup.week()[6].unwrap().0.offset_minutes, Some(60));
    assert_eq!(settings.batches.invocations_per_job_by_kind["instance-deletion"], 10);
    assert_eq!(settings.ids.generator, IdGenerator::Uuid);
    assert_eq!(settings.limits[1].scope, LimitScope::Tenant);
    assert_eq!(settings.breakers[0].failures, 5);
}

#[test]
fn properties_of_camunda_bring_its_defaults() {
    let read = good(json!({"camunda": {
        "jobExecutorDeploymentAware": true,
        "queueSize": 5,
        "failedJobRetryTimeCycle": "R5/PT5M",
        "authorizationEnabled": true,
        "dataSource": "java:jdbc/ProcessEngine",
        "invocationsPerBatchJobByBatchType": {"instance-deletion": 7},
        "bpm": {"job-execution": {"max-jobs-per-acquisition": 4},
                "generic-properties": {"properties": {"history-cleanup-batch-size": 77}}},
    }}));
    let settings = &read.settings;
    assert_eq!(settings.profile, Profile::Camunda7);
    assert!(settings.executor.deployment_aware);
    assert_eq!(settings.executor.queue_jobs_max, 20, "five batches of four");
    assert_eq!(settings.acquisition.jobs_max, 4);
    assert_eq!(settings.jobs.retry_cycle.as_deref(), Some("R5/PT5M"));
    assert_eq!(settings.history.cleanup.batch_size, 77);
    assert_eq!(settings.batches.invocations_per_job_by_kind["instance-deletion"], 7);
    insta::assert_snapshot!(notes(&read), @r"
    camunda.authorizationEnabled: warning: authorizationEnabled: is not done: no authorizations are checked: guard the addresses of the node
    camunda.dataSource: note: dataSource: java:jdbc/ProcessEngine has no effect: the store is said by `store`, and makes its own tables
    ");
}

#[test]
fn properties_of_flowable_in_both_spellings() {
    let read = good(json!({"profile": "chapter", "flowable": {
        "asyncExecutorAsyncJobLockTimeInMillis": 60000,
        "enableSafeBpmnXml": false,
        "history-level": "task",
        "idGenerator": "org.flowable.common.engine.impl.persistence.StrongUuidGenerator",
        "whiteListedClasses": ["java.util.ArrayList"],
        "process": {"async": {"executor": {"max-pool-size": "16", "keep-alive": "PT30S"}},
                    "definition-cache-limit": -1},
    }}));
    let settings = &read.settings;
    assert_eq!(settings.acquisition.lock_ms_max, Some(60_000));
    assert_eq!(settings.acquisition.jobs_max, 1);
    assert_eq!(settings.executor.workers_max, 16);
    assert_eq!(settings.executor.worker_keep_alive_ms, 30_000);
    assert_eq!(settings.history.level, HistoryLevel::Activity);
    assert_eq!(settings.ids.generator, IdGenerator::Keys, "it is told, not taken");
    assert_eq!(settings.model.definition_cache_max, None);
    assert!(settings.scripting.contains_key("whiteListedClasses"));
    insta::assert_snapshot!(warnings(&read), @r"
    flowable.enableSafeBpmnXml: warning: enableSafeBpmnXml: is not done: models are always checked before they are read
    flowable.idGenerator: warning: idGenerator: is not done: everything is named by keys of 64 bits, as clients of Zeebe need it; the faces that show ids as text will derive UUIDs from them
    ");
}

#[test]
fn a_knob_beats_a_property_and_says_so() {
    let read = good(json!({"camunda": {"maxPoolSize": 20}, "executor": {"workers_max": 40}}));
    assert_eq!(read.settings.executor.workers_max, 40);
    insta::assert_snapshot!(notes(&read), @"camunda.maxPoolSize: note: maxPoolSize: is overruled by executor.workers_max");
}

#[test]
fn acquisitions_and_engines_start_from_what_holds_for_all() {
    let settings = good(json!({
        "acquisition": {"jobs_max": 7},
        "acquisitions": {"fast": {"wait_ms": 10, "camunda": {"maxJobsPerAcquisition": 9}}},
        "executor": {"by_priority": true},
        "engines": {"orders": {"executor": {"acquisition": "fast", "deployment_aware": true},
                               "camunda": {"defaultNumberOfRetries": 1}}},
    }))
    .settings;
    assert_eq!(settings.acquisitions["fast"].wait_ms, 10);
    assert_eq!(settings.acquisitions["fast"].jobs_max, 9);
    assert_eq!(settings.acquisitions["fast"].backoff_threshold, 100);
    let orders = &settings.engines["orders"];
    assert!(orders.executor.by_priority && orders.executor.deployment_aware);
    assert_eq!(orders.jobs.retries, 1);
    assert_eq!(orders.joined().wait_ms, 10);
    assert_eq!(settings.joined().jobs_max, 7);
    assert!(!settings.executor.deployment_aware);
}

#[test]
fn every_problem_names_its_key() {
    insta::assert_snapshot!(problems(json!({
        "executor": {"priority_min": 10, "priority_max": 5, "workers_max": -1, "hnit": true,
                     "by_priority": "maybe", "acquisition": "fast", "queue_jobs_max": 0,
                     "categories": ["red", ""]},
        "acquisition": {"wait_ms": 70000, "wait_factor": 1.0, "backoff_ms": 5, "backoff_ms_max": 2},
        "history": {"level": "all", "removal_time": "none",
                    "cleanup": {"moonday_start": "01:00", "start": "25:00", "parallelism": 9}},
        "limits": [{"topic": "a", "max_concurrent": -3}, {"topic": "a"}, {"per_second": 1},
                   {"topic": "b", "per_second": 0}, 7],
        "colour": "red",
    })), @r"
    colour: unknown key
    executor.by_priority: found 'maybe', expected true or false
    executor.hnit: unknown key; the nearest is 'executor.hint'
    executor.queue_jobs_max: found 0, expected 1 to 10000000
    executor.workers_max: found -1, expected 1 to 100000
    history.cleanup.moonday_start: unknown key; the nearest is 'history.cleanup.monday_start'
    history.cleanup.parallelism: found 9, expected 1 to 8
    history.cleanup.start: found '25:00', expected a time such as 22:30 or 22:30+0100
    history.level: found 'all', expected none, activity, audit, full
    limits[5]: found 7, expected a table
    limits[1].max_concurrent: found -3, expected a whole number from 0 to 4294967295
    limits[2]: a limit has max_concurrent, per_second or both
    limits[3]: a limit has exactly one of topic, tenant and key
    limits[4].per_second: 0 is not above 0; max_concurrent = 0 stops all
    executor.priority_min: executor.priority_min (10) is above executor.priority_max (5): no job could be taken
    executor.categories: a category is empty: no job is of it, and none without one is taken
    executor.acquisition: there is no acquisition 'fast'; there are default
    acquisition.wait_ms: acquisition.wait_ms (70000) is above acquisition.wait_ms_max (60000)
    acquisition.backoff_ms: acquisition.backoff_ms (5) is above acquisition.backoff_ms_max (2)
    acquisition.wait_factor: 1 is not above 1: waits would not grow
    history.removal_time: history.removal_time 'none' leaves nothing to clean up by, unless history.cleanup.strategy is 'end-time'
    ");
}

#[test]
fn properties_that_cannot_be_used_are_named() {
    insta::assert_snapshot!(problems(json!({"camunda": {
        "jobExecutorActive": true,
        "maxJobsPerAcquisition": "many",
        "queueSize": -3,
        "jobExecutorPriorityRangeMin": "9223372036854775808",
        "waitTimeInMillis": 90000,
        "jdbcMaxActiveConnections": "ten",
        "nothing-like-this-exists": 1,
        "bpm": {"job-execution": {"queue-capasity": 3}},
    }})), @r"
    camunda.bpm.job-execution.queue-capasity: Camunda 7 has no property 'camunda.bpm.job-execution.queue-capasity'; the nearest is 'camunda.bpm.job-execution.queue-capacity'
    camunda.jdbcMaxActiveConnections: found 'ten', expected a whole number
    camunda.jobExecutorActive: Camunda 7 has no property 'jobExecutorActive'; the nearest is 'jobExecutorActivate'
    camunda.jobExecutorPriorityRangeMin: found '9223372036854775808', expected a whole number
    camunda.maxJobsPerAcquisition: found 'many', expected a whole number
    camunda.nothing-like-this-exists: Camunda 7 has no property 'nothing-like-this-exists'
    camunda.queueSize: found -3, expected a whole number from 0 to 4294967295
    camunda.waitTimeInMillis: acquisition.wait_ms (90000) is above acquisition.wait_ms_max (60000)
    ");
    insta::assert_snapshot!(problems(json!({"flowable": {
        "asyncExecutorCorePoolSize": 4, "asyncExecutorMaxPoolSize": 2,
        "process": {"async": {"executor": {"core-pool-size": 5}}},
    }})), @r"
    flowable.process.async.executor.core-pool-size: executor.workers_core was already set by asyncExecutorCorePoolSize (flowable.asyncExecutorCorePoolSize)
    flowable.process.async.executor.core-pool-size: executor.workers_core (5) is above executor.workers_max (2)
    ");
    insta::assert_snapshot!(
        problems(json!({"camunda": {"queueSize": 3}, "flowable": {"queueSize": 3}})),
        @"profile: say whose defaults hold: there are tables of both systems"
    );
    insta::assert_snapshot!(
        problems(json!({"profile": "activiti"})),
        @"profile: found 'activiti', expected orloj, camunda7, flowable, chapter"
    );
    insta::assert_snapshot!(
        problems(json!({"engines": {"orders": {"executor": {"priority_min": 3, "priority_max": 1},
                                               "engines": {"x": {"y": 1}}}},
                        "acquisitions": {"fast": {"wait_sm": 3}}})),
        @r"
    acquisitions.fast.wait_sm: unknown key; the nearest is 'wait_ms'
    engines.orders.engines.x.y: engines is not for a single engine
    engines.orders.executor.priority_min: executor.priority_min (3) is above executor.priority_max (1): no job could be taken
    "
    );
}

#[test]
fn a_priority_that_nobody_here_takes_is_a_warning() {
    let read = good(json!({"executor": {"priority_min": 10}}));
    insta::assert_snapshot!(notes(&read), @r"
    executor.priority_min: warning: batches.priority: 0 lies outside the priorities that this node takes, 10 to 9223372036854775807
    executor.priority_min: warning: history.cleanup.priority: 0 lies outside the priorities that this node takes, 10 to 9223372036854775807
    ");
}

#[test]
fn written_out_it_names_where_values_came_from() {
    let read = good(json!({
        "camunda": {"jobExecutorDeploymentAware": true, "historyTimeToLive": 30},
        "acquisitions": {"odd \"name\"": {"wait_ms": 1}},
        "engines": {"orders": {"jobs": {"retries": 2}}},
        "limits": [{"topic": "a", "max_concurrent": 1}],
    }));
    insta::assert_snapshot!(to_toml(&read, false));
    insta::assert_snapshot!("all", to_toml(&good(json!({})), true));
}

/// What `serve` would refuse later is refused here, where the key is known.
#[test]
fn texts_that_are_read_later_are_checked_at_once() {
    insta::assert_snapshot!(problems(json!({
        "jobs": {"retry_cycle": "R3/PTnonsense"},
        "history": {"cleanup": {"cycle": "nonsense"}},
        "batches": {"poll_cycle": "0 0 25 * * ?"},
        "acquisition": {"wait_ms": 0},
        "executor": {"aging_step_ms": 2_000_000_000},
    })), @r"
    acquisition.wait_ms: found 0, expected 1 to 31622400000
    executor.aging_step_ms: found 2000000000, expected 1 to 1000000000
    jobs.retry_cycle: 'R3/PTnonsense' is no cycle of retries: it must be a duration, R and a number of tries and a duration, or a list of durations
    history.cleanup.cycle: 'nonsense' is no cycle: a cron expression has six or seven fields, not 1, at offset 0
    batches.poll_cycle: '0 0 25 * * ?' is no cycle: expected a number from 0 to 23: '25', at offset 4
    ");
    for bad in ["PT1M,soon", "R3/soon", "soon", "${1 +}"] {
        let said = problems(json!({"camunda": {"failedJobRetryTimeCycle": bad}}));
        assert!(said.starts_with("camunda.failedJobRetryTimeCycle: "), "{bad}: {said}");
    }
    for good in ["R3/PT5M", " PT5M , PT1H ", "${cycle}", "#{cycles.of('mail')}"] {
        good_cycle(good);
    }
    let of_engine = problems(json!({"engines": {"two": {"jobs": {"retry_cycle": "soon"}}}}));
    assert!(of_engine.starts_with("engines.two.jobs.retry_cycle: "), "{of_engine}");
}

fn good_cycle(text: &str) {
    let read = good(json!({"jobs": {"retry_cycle": text}}));
    assert_eq!(read.settings.jobs.retry_cycle.as_deref(), Some(text));
}

#[test]
fn a_number_out_of_range_is_told_the_range_of_its_knob_and_once() {
    insta::assert_snapshot!(
        problems(json!({"camunda": {"lockTimeInMillis": -5, "maxPoolSize": -5, "batchPollTime": 0}})),
        @r"
    camunda.batchPollTime: found 0, expected 1 to 31622400000 (milliseconds)
    camunda.lockTimeInMillis: found -5, expected 1 to 31622400000
    camunda.maxPoolSize: found -5, expected 1 to 100000
    "
    );
}

#[test]
fn levels_of_history_by_their_old_name() {
    let read = good(json!({"camunda": {"history": "variable"}}));
    assert_eq!(read.settings.history.level, HistoryLevel::Activity);
}

#[test]
fn uuids_are_a_warning_wherever_they_are_asked_for() {
    let read = good(json!({
        "camunda": {"idGenerator": "strong"},
        "engines": {"quiet": {"jobs": {"retries": 1}}, "two": {"ids": {"generator": "uuid"}}},
    }));
    insta::assert_snapshot!(warnings(&read), @r"
    camunda.idGenerator: warning: idGenerator: is not done: everything is named by keys of 64 bits, as clients of Zeebe need it; the faces that show ids as text will derive UUIDs from them
    engines.two.ids.generator: warning: ids.generator: is not done: everything is named by keys of 64 bits, as clients of Zeebe need it; the faces that show ids as text will derive UUIDs from them
    ");
}

#[test]
fn an_engine_may_say_nothing_and_take_back_what_holds_for_all() {
    let read = good(json!({
        "history": {"ttl": "P30D"},
        "jobs": {"retry_cycle": "R5/PT5M"},
        "engines": {"empty": {}, "two": {"history": {"ttl": ""}, "jobs": {"retry_cycle": ""}}},
    }));
    assert_eq!(read.settings.engines["empty"].history.ttl.unwrap().days, 30);
    assert_eq!(read.settings.engines["two"].history.ttl, None);
    assert_eq!(read.settings.engines["two"].jobs.retry_cycle, None);
    let written = to_toml(&read, false);
    assert!(written.contains("\n[engines.empty]\n"), "{written}");
    assert!(written.contains("[engines.two.history]\nttl = \"\"\n"), "{written}");
}

#[test]
fn what_asks_for_something_that_will_not_happen_is_named() {
    let read = good(json!({"flowable": {
        "globalAcquireLockEnabled": true,
        "unlockOwnedJobs": false,
        "timerLockPollRate": "PT1S",
        "defaultTimerJobAcquireWaitTime": "PT1S",
    }}));
    insta::assert_snapshot!(notes(&read), @r"
    flowable.defaultTimerJobAcquireWaitTime: note: defaultTimerJobAcquireWaitTime: has no effect: timers are made ready when they are due, not looked for in between
    flowable.globalAcquireLockEnabled: warning: globalAcquireLockEnabled: is not done: acquisitions of several nodes skip each other's rows and need no lock
    flowable.timerLockPollRate: note: timerLockPollRate: has no effect: acquisitions of several nodes skip each other's rows and need no lock
    flowable.unlockOwnedJobs: warning: unlockOwnedJobs: is not done: locks end with their node, whose name fences its predecessor
    ");
    let read = good(json!({"camunda": {
        "failedJobListenerMaxRetries": 5,
        "taskMetricsEnabled": true,
        "jdbcBatchProcessing": false,
        "removalTimeUpdateChunkSize": 100,
    }}));
    insta::assert_snapshot!(notes(&read), @r"
    camunda.failedJobListenerMaxRetries: note: failedJobListenerMaxRetries: has no effect: what meets a conflict is decided anew until it is written
    camunda.jdbcBatchProcessing: warning: jdbcBatchProcessing: is not done: a commit writes each kind of row as one statement
    camunda.removalTimeUpdateChunkSize: note: removalTimeUpdateChunkSize: has no effect: the time of removal of an instance is in one row
    camunda.taskMetricsEnabled: warning: taskMetricsEnabled: is not done: distinct assignees of user tasks are not counted
    ");
}
