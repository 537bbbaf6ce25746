//! What nodes leave to others is told, and what is advised clears it.

#![expect(clippy::disallowed_methods, reason = "a connection is a task")]

use std::time::Duration;

use crate::explaining::{
    ALL, BEGIN, MODELS, active, codes, deployed, job, locked, node, on_both, reasons, run, ships,
    start, step, succeeds,
};
use orloj::types::TenantId;
use orloj::{Deploy, Dialect, ExecutorOptions, InstanceState, JobFilter, JobKind, Remedy};
use orloj_testkit::story::Database;

#[test]
fn a_deployment_that_nobody_registered_is_named_and_registering_it_helps() {
    on_both(|builder| async {
        let options = ExecutorOptions { deployment_aware: true, ..active() };
        let builder = builder.delegate("test.Work", succeeds).executor_options(options);
        let orloj = deployed(builder).await;
        let deployment = orloj.executor().registered().await.unwrap()[0];
        orloj.executor().unregister(&[deployment]).await.unwrap();
        let instance = start(&orloj, "step").await;
        let key = job(&orloj, instance).await;
        orloj.settle().await;
        let found = reasons(&orloj, key).await;
        let found: Vec<_> = found.into_iter().map(|reason| (reason.code, reason.remedy)).collect();
        let remedy = Some(Remedy::RegisterDeployment(deployment));
        assert_eq!(found, [("deployment-not-registered", remedy)]);
        orloj.executor().register(&[deployment]).await.unwrap();
        orloj.settle().await;
        let state = orloj.instance(instance).await.unwrap().view.state;
        assert_eq!(state, InstanceState::Completed);
        orloj.shutdown().await;
    });
}

#[test]
fn what_a_node_leaves_to_others_can_be_run_by_hand() {
    on_both(|builder| async {
        let options = ExecutorOptions {
            categories: Some(vec!["night".into()]),
            tenant: Some(TenantId::new("acme")),
            ..active()
        };
        let builder = builder.delegate("test.Work", succeeds).executor_options(options);
        let orloj = deployed(builder).await;
        let key = step(&orloj).await;
        let found = reasons(&orloj, key).await;
        let found: Vec<_> = found.into_iter().map(|reason| (reason.code, reason.remedy)).collect();
        let by_hand = || Some(Remedy::Execute(key));
        assert_eq!(found, [("category-not-enabled", by_hand()), ("other-tenant", by_hand())]);
        orloj.jobs().execute(key).await.unwrap();
        assert!(orloj.jobs().get(key).await.is_err(), "it is done");
        orloj.shutdown().await;
    });
}

#[test]
fn a_job_without_a_due_date_is_told_how_to_get_one() {
    on_both(|builder| async {
        let options = ExecutorOptions { needs_due_date: true, ..active() };
        let builder = builder.delegate("test.Work", succeeds).executor_options(options);
        let orloj = deployed(builder).await;
        let key = step(&orloj).await;
        orloj.settle().await;
        let found = reasons(&orloj, key).await;
        let found: Vec<_> = found.into_iter().map(|reason| (reason.code, reason.remedy)).collect();
        assert_eq!(found, [("no-due-date", Some(Remedy::MakeDue(key)))]);
        orloj.jobs().set_due_date(key, Some(orloj.now()), false).await.unwrap();
        orloj.settle().await;
        assert!(orloj.jobs().get(key).await.is_err(), "it is done");
        orloj.shutdown().await;
    });
}

#[test]
fn the_clean_up_that_is_left_to_others_is_named() {
    on_both(|builder| async {
        let options = ExecutorOptions { without_cleanup: true, ..active() };
        let orloj = deployed(builder.executor_options(options)).await;
        orloj.clean_up_history(true).await.unwrap();
        let filter = JobFilter { kinds: vec![JobKind::HistoryCleanup], ..JobFilter::default() };
        let key = orloj.jobs().list(filter, ALL).await.unwrap()[0].key;
        let found = reasons(&orloj, key).await;
        assert_eq!(found[0].code, "cleanup-elsewhere", "{found:?}");
        assert_eq!(found[0].remedy, Some(Remedy::Execute(key)));
        orloj.shutdown().await;
    });
}

#[test]
fn timers_or_jobs_that_a_node_does_not_look_for() {
    on_both(|builder| async {
        let options = ExecutorOptions { fires_timers: false, ..active() };
        let builder = builder.delegate("test.Work", succeeds).executor_options(options);
        let orloj = deployed(builder).await;
        let instance = start(&orloj, "later").await;
        let key = job(&orloj, instance).await;
        assert_eq!(codes(&orloj, key).await, ["not-due", "timers-off"]);
        orloj.advance(Duration::from_secs(601)).unwrap();
        let found = reasons(&orloj, key).await;
        assert_eq!((found[0].code, found.len()), ("timers-off", 1));
        assert_eq!(found[0].remedy, Some(Remedy::Execute(key)));
        orloj.jobs().execute(key).await.unwrap();
        // Then a worker has to come, and to let go.
        let ship = job(&orloj, instance).await;
        let found = reasons(&orloj, ship).await;
        assert_eq!((found[0].code, found.len()), ("no-worker", 1));
        assert_eq!(found[0].remedy, Some(Remedy::StartWorker("ship".into())));
        orloj.activate_jobs(ships()).await.unwrap();
        let found = reasons(&orloj, ship).await;
        assert_eq!((found[0].code, found.len()), ("locked", 1));
        assert_eq!(found[0].remedy, Some(Remedy::Unlock(ship)));
        orloj.jobs().unlock(ship).await.unwrap();
        assert_eq!(codes(&orloj, ship).await, ["no-worker"]);
        // By hand nobody can run what is for workers.
        let refused = orloj.jobs().execute(ship).await.unwrap_err().to_string();
        assert_eq!(refused, format!("job {ship} is for workers of type 'ship'"));
        let later = BEGIN.plus_ms(3_600_000);
        orloj.jobs().set_due_date(ship, Some(later), false).await.unwrap();
        let found = reasons(&orloj, ship).await;
        assert_eq!((found[0].code, found.len()), ("not-due", 1));
        assert_eq!(found[0].remedy, Some(Remedy::MakeDue(ship)));
        orloj.shutdown().await;
    });
    on_both(|builder| async {
        let options = ExecutorOptions { takes_jobs: false, ..active() };
        let builder = builder.delegate("test.Work", succeeds).executor_options(options);
        let orloj = deployed(builder).await;
        let key = step(&orloj).await;
        assert_eq!(codes(&orloj, key).await, ["acquisition-off"], "starting it would not help");
        orloj.shutdown().await;
    });
}

#[test]
fn each_node_says_why_it_leaves_a_job_and_one_that_takes_it_ends_the_list() {
    let database = Database::create();
    run(async {
        let low = node(&database, "low", ExecutorOptions { priorities: -9..=-1, ..active() }).await;
        let night = ExecutorOptions { categories: Some(vec!["night".into()]), ..active() };
        let night = node(&database, "night", night).await;
        let file = Deploy::file("models.bpmn", MODELS.as_bytes());
        low.deploy(Deploy { plain_dialect: Some(Dialect::Camunda7), ..file }).await.unwrap();
        let key = step(&low).await;
        let found = reasons(&low, key).await;
        let mut found: Vec<_> =
            found.iter().map(|reason| (reason.code, reason.text.clone())).collect();
        found.sort();
        let text = |node: &str, why: &str| format!("node '{node}' does not take it: {why}");
        let expected = [
            ("category-not-enabled", text("night", "the category is not one it takes")),
            ("priority-outside", text("low", "the priority is outside of its range")),
        ];
        assert_eq!(found, expected);
        let off = node(&database, "off", ExecutorOptions { is_active: false, ..active() }).await;
        let found = reasons(&low, key).await;
        let last = found.last().unwrap();
        let text = "the executor of node 'off' is off; it would take it";
        assert_eq!((found.len(), last.code, &*last.text), (3, "no-executor", text));
        assert_eq!(last.on_node.as_deref(), Some("off"));
        assert_eq!(last.remedy, Some(Remedy::StartExecutor));
        let alike = ExecutorOptions { priorities: -9..=-1, is_active: false, ..active() };
        let alike = node(&database, "alike", alike).await;
        assert_eq!(codes(&low, key).await.len(), 3, "starting one that refuses would not help");
        alike.shutdown().await;
        off.executor().start().await.unwrap();
        while locked(&off).await.is_empty() {
            tokio::task::yield_now().await;
        }
        let found = reasons(&low, key).await;
        let text = "node 'off' holds it: queued, running or set aside there";
        assert_eq!((found[0].code, &*found[0].text), ("running", text));
        low.shutdown().await;
        night.shutdown().await;
    });
}

/// Registering a deployment with the node that answers would help nobody.
#[test]
fn what_acts_on_one_node_says_on_which() {
    let database = Database::create();
    run(async {
        let aware = || ExecutorOptions { deployment_aware: true, ..active() };
        let one = node(&database, "one", aware()).await;
        let other = node(&database, "other", aware()).await;
        let file = Deploy::file("models.bpmn", MODELS.as_bytes());
        one.deploy(Deploy { plain_dialect: Some(Dialect::Camunda7), ..file }).await.unwrap();
        let deployment = one.executor().registered().await.unwrap()[0];
        for node in [&one, &other] {
            node.executor().unregister(&[deployment]).await.unwrap();
        }
        let key = step(&one).await;
        let found = reasons(&one, key).await;
        let mut found: Vec<_> = found.iter().map(|r| (r.on_node.as_deref(), r.code)).collect();
        found.sort();
        let code = "deployment-not-registered";
        assert_eq!(found, [(Some("one"), code), (Some("other"), code)]);
        one.shutdown().await;
        other.shutdown().await;
    });
}

#[test]
fn timers_that_no_node_looks_for_are_told_by_each() {
    let database = Database::create();
    run(async {
        let without = || ExecutorOptions { fires_timers: false, ..active() };
        let one = node(&database, "one", without()).await;
        let other = node(&database, "other", without()).await;
        let file = Deploy::file("models.bpmn", MODELS.as_bytes());
        one.deploy(Deploy { plain_dialect: Some(Dialect::Camunda7), ..file }).await.unwrap();
        let instance = start(&one, "later").await;
        let timer = job(&one, instance).await;
        for node in [&one, &other] {
            let found = reasons(node, timer).await;
            let codes: Vec<_> = found.iter().map(|reason| reason.code).collect();
            assert_eq!(codes, ["not-due", "timers-off"]);
            assert_eq!(found[1].text, "no node looks for timers (executor.take_timers)");
        }
        let third = node(&database, "third", active()).await;
        assert_eq!(codes(&one, timer).await, ["not-due"], "there is one that does");
        third.shutdown().await;
        assert_eq!(codes(&one, timer).await, ["not-due", "timers-off"]);
        one.shutdown().await;
        other.shutdown().await;
    });
}

#[test]
fn a_job_of_a_node_that_is_gone_says_so() {
    let database = Database::create();
    run(async {
        let lost = node(&database, "lost", active()).await;
        let file = Deploy::file("models.bpmn", MODELS.as_bytes());
        lost.deploy(Deploy { plain_dialect: Some(Dialect::Camunda7), ..file }).await.unwrap();
        let key = step(&lost).await;
        while locked(&lost).await.is_empty() {
            tokio::task::yield_now().await;
        }
        let stays =
            node(&database, "stays", ExecutorOptions { is_active: false, ..active() }).await;
        // Its row only: whoever finds it dead clears the locks with it.
        let url = database.url();
        let url = url.split('?').next().unwrap().to_owned();
        let (client, connection) =
            tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        client.batch_execute("DELETE FROM node WHERE name = 'lost'").await.unwrap();
        let found = reasons(&stays, key).await;
        assert_eq!((found[0].code, found.len()), ("node-gone", 1), "{found:?}");
        assert!(found[0].text.ends_with("held it and is gone; its locks are being cleared"));
        drop(client);
        connection.await.unwrap().unwrap();
        stays.shutdown().await;
    });
}
