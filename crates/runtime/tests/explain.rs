//! Every reason for which a job does not run is named, and what is advised clears it.

#![expect(clippy::disallowed_methods, reason = "a connection is a task")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::explaining::{
    ALL, BEGIN, MODELS, active, codes, deployed, fails, held, job, limit, locked, node, on_both,
    reasons, run, ships, start, step, succeeds,
};
use orloj::settings::Settings;
use orloj::store::LimitScope;
use orloj::types::{Document, JobKey};
use orloj::{
    BatchElements, BatchWork, Call, Deploy, Dialect, ExecutorOptions, FailJob, Fault,
    InstanceState, JobDefinitionScope, JobFilter, JobKind, JobState, LongestRun, NewBatch, Orloj,
    Remedy, SuspendDefinition, SuspendJobs, WhichDefinitions,
};
use orloj_testkit::sketch::Sketch;
use orloj_testkit::story::Database;
use tokio::sync::Semaphore;

#[test]
fn a_dead_letter_is_also_told_what_it_would_meet_next() {
    on_both(|builder| async {
        let orloj = deployed(builder.delegate("test.Work", fails)).await;
        let instance = start(&orloj, "step").await;
        let key = job(&orloj, instance).await;
        orloj.jobs().execute(key).await.unwrap_err();
        // The wait after the last failure is still to come when it gets new tries.
        let expected = ["no-retries", "incident", "not-due", "no-executor"];
        assert_eq!(codes(&orloj, key).await, expected);
        orloj.advance(Duration::from_secs(60)).unwrap();
        assert_eq!(codes(&orloj, key).await, ["no-retries", "incident", "no-executor"]);
        let found = reasons(&orloj, key).await;
        assert_eq!(found[1].remedy, Some(Remedy::SetRetries(key)), "resolving it is refused");

        orloj.limits().set(limit(Some(0), None)).await.unwrap();
        let found = reasons(&orloj, key).await;
        assert_eq!(found[2].code, "limit-reached");
        assert_eq!(found[2].text, "the limit of 'test.Work' lets none run");
        let remedy = found[2].remedy.as_ref().unwrap().to_string();
        assert_eq!(remedy, "orloj limit set --max 1 topic test.Work");

        let definition = orloj.instance(instance).await.unwrap().view.definition;
        let which = WhichDefinitions::Key(definition);
        let with = SuspendDefinition { include_instances: true, at: None };
        orloj.definitions().suspend(&which, with).await.unwrap();
        let expected =
            ["instance-suspended", "no-retries", "incident", "limit-reached", "no-executor"];
        assert_eq!(codes(&orloj, key).await, expected);

        orloj.definitions().activate(&which, with).await.unwrap();
        orloj.limits().delete(LimitScope::Topic, "test.Work").await.unwrap();
        let definitions = JobDefinitionScope::Definition(definition);
        let how = SuspendJobs { include_jobs: true, at: None };
        orloj.job_definitions().suspend(&definitions, how).await.unwrap();
        let expected =
            ["suspended", "job-definition-suspended", "no-retries", "incident", "no-executor"];
        assert_eq!(codes(&orloj, key).await, expected);
        // What is advised, in the order in which it is advised.
        orloj.job_definitions().activate(&definitions, how).await.unwrap();
        orloj.jobs().set_retries(key, 1, None).await.unwrap();
        assert_eq!(codes(&orloj, key).await, ["no-executor"]);
        orloj.shutdown().await;
    });
}

/// There, a job that is resumed is tried at once, whatever it waited for; a timer waits on.
#[test]
fn in_flowable_a_suspended_job_has_no_date_to_wait_for() {
    const MODEL: &str =
        "process f, flowable: start -> a{delegate Work, async} -> w{timer 10m} -> end";
    on_both(|builder| async {
        let tries = Arc::new(AtomicU32::new(0));
        let builder = builder.delegate("Work", move |_| {
            let first = tries.fetch_add(1, Ordering::SeqCst) == 0;
            async move { if first { Err(Fault::failed("no line")) } else { Ok(Document::new()) } }
        });
        let orloj = builder.build().await.unwrap();
        let xml = Sketch::parse(MODEL).unwrap().to_xml();
        orloj.deploy(Deploy::file("f.bpmn", xml.as_bytes())).await.unwrap();
        let instance = start(&orloj, "f").await;
        let key = job(&orloj, instance).await;
        orloj.jobs().execute(key).await.unwrap_err();
        assert_eq!(codes(&orloj, key).await, ["not-due", "no-executor"]);
        orloj.jobs().suspend(key).await.unwrap();
        assert_eq!(codes(&orloj, key).await, ["suspended", "no-executor"]);
        orloj.jobs().activate(key).await.unwrap();
        assert_eq!(codes(&orloj, key).await, ["no-executor"]);
        orloj.jobs().execute(key).await.unwrap();
        let timer = job(&orloj, instance).await;
        orloj.jobs().suspend(timer).await.unwrap();
        assert_eq!(codes(&orloj, timer).await, ["suspended", "not-due", "no-executor"]);
        orloj.shutdown().await;
    });
}

/// There, new tries are one step and resolving the incident is another.
#[test]
fn in_zeebe_an_incident_is_resolved_after_new_tries() {
    const MODEL: &str = "process z: start -> a{service ship} -> end";
    on_both(|builder| async {
        let orloj = builder.build().await.unwrap();
        let xml = Sketch::parse(MODEL).unwrap().to_xml();
        orloj.deploy(Deploy::file("z.bpmn", xml.as_bytes())).await.unwrap();
        let instance = start(&orloj, "z").await;
        let key = job(&orloj, instance).await;
        orloj.activate_jobs(ships()).await.unwrap();
        let fail = FailJob {
            job: key,
            retries: 0,
            message: "no truck".into(),
            details: None,
            back_off_ms: 0,
            variables: Document::new(),
        };
        orloj.fail_job(fail).await.unwrap();
        let incident = orloj.instance(instance).await.unwrap().incidents[0].key;
        let resolve = Some(Remedy::ResolveIncident(incident));
        let found = reasons(&orloj, key).await;
        assert_eq!(codes(&orloj, key).await, ["no-retries", "incident"]);
        assert_eq!(found[0].remedy, Some(Remedy::SetRetries(key)));
        assert_eq!(found[1].remedy, resolve);
        orloj.jobs().set_retries(key, 1, None).await.unwrap();
        let found = reasons(&orloj, key).await;
        assert_eq!((found[0].code, found.len()), ("incident", 1), "it has tries: {found:?}");
        assert_eq!(found[0].remedy, resolve);
        orloj.resolve_incident(incident).await.unwrap();
        assert_eq!(codes(&orloj, key).await, ["no-worker"]);
        orloj.shutdown().await;
    });
}

/// Its instances were suspended one by one, on purpose, and stay so.
#[test]
fn a_start_timer_of_a_suspended_definition_is_resumed_without_the_instances() {
    const MODEL: &str = "process daily: start{timer R3/10m} -> a{service ship} -> end";
    run(async {
        let builder = Orloj::builder().pinned_clock(BEGIN).executor_options(active());
        let orloj = builder.build().await.unwrap();
        let xml = Sketch::parse(MODEL).unwrap().to_xml();
        orloj.deploy(Deploy::file("daily.bpmn", xml.as_bytes())).await.unwrap();
        orloj.advance(Duration::from_secs(600)).unwrap();
        orloj.settle().await;
        let filter = JobFilter { kinds: vec![JobKind::Worker], ..JobFilter::default() };
        let instance = orloj.jobs().list(filter, ALL).await.unwrap()[0].instance;
        orloj.instances().suspend(instance).await.unwrap();
        let definition = orloj.instance(instance).await.unwrap().view.definition;
        let which = WhichDefinitions::Key(definition);
        orloj.definitions().suspend(&which, SuspendDefinition::default()).await.unwrap();
        let filter = JobFilter { kinds: vec![JobKind::StartTimer], ..JobFilter::default() };
        let timer = orloj.jobs().list(filter, ALL).await.unwrap()[0].key;
        let found = reasons(&orloj, timer).await;
        assert_eq!(found[0].code, "definition-suspended", "{found:?}");
        let remedy = found[0].remedy.as_ref().unwrap();
        assert_eq!(remedy, &Remedy::ResumeDefinition(definition));
        assert_eq!(remedy.to_string(), format!("orloj definition resume {definition}"));
        // As that command does it.
        orloj.definitions().activate(&which, SuspendDefinition::default()).await.unwrap();
        let codes = codes(&orloj, timer).await;
        assert!(!codes.contains(&"definition-suspended") && !codes.contains(&"suspended"));
        assert!(orloj.instance(instance).await.unwrap().view.is_suspended);
        orloj.shutdown().await;
    });
}

/// Suspending a definition alone keeps no job that is there from running.
#[test]
fn what_keeps_nothing_is_not_named() {
    on_both(|builder| async {
        let builder = builder.delegate("test.Work", succeeds);
        let orloj = deployed(builder).await;
        let instance = start(&orloj, "step").await;
        let key = job(&orloj, instance).await;
        let definition = orloj.instance(instance).await.unwrap().view.definition;
        let which = WhichDefinitions::Key(definition);
        orloj.definitions().suspend(&which, SuspendDefinition::default()).await.unwrap();
        let definitions = JobDefinitionScope::Definition(definition);
        orloj.job_definitions().suspend(&definitions, SuspendJobs::default()).await.unwrap();
        assert_eq!(codes(&orloj, key).await, ["no-executor"]);
        orloj.executor().start().await.unwrap();
        orloj.settle().await;
        let state = orloj.instance(instance).await.unwrap().view.state;
        assert_eq!(state, InstanceState::Completed);
        orloj.shutdown().await;
    });
}

#[test]
fn a_suspended_batch_is_named() {
    on_both(|builder| async {
        let orloj = deployed(builder.delegate("test.Work", succeeds)).await;
        let key = step(&orloj).await;
        let work = BatchWork::SetJobRetries { retries: 5, due_ms: None };
        let new = NewBatch::new(work, BatchElements::jobs(vec![key]));
        let batch = orloj.batches().create(NewBatch { suspended: true, ..new }).await.unwrap();
        let filter = JobFilter { kinds: vec![JobKind::BatchSeed], ..JobFilter::default() };
        let seed = orloj.jobs().list(filter, ALL).await.unwrap()[0].key;
        let found = reasons(&orloj, seed).await;
        assert_eq!(found[0].code, "batch-suspended");
        assert_eq!(found[0].remedy, Some(Remedy::ResumeBatch(batch.key)));
        orloj.batches().activate(batch.key).await.unwrap();
        assert_eq!(codes(&orloj, seed).await, ["no-executor"]);
        orloj.shutdown().await;
    });
}

#[test]
fn who_waits_for_an_exclusive_job_is_told_which() {
    on_both(|builder| async {
        let orloj = deployed(builder).await;
        let instance = start(&orloj, "pair").await;
        let jobs = orloj.instance(instance).await.unwrap().jobs;
        let (holder, parked) = holder_and_parked(&jobs);
        let found = reasons(&orloj, parked).await;
        assert_eq!(found[0].code, "exclusive");
        let text = format!("it is exclusive and waits for job {holder} of the same instance");
        assert_eq!(found[0].text, text);
        assert_eq!(found[0].remedy, Some(Remedy::Explain(holder)));
        orloj.jobs().execute(holder).await.unwrap();
        assert_eq!(codes(&orloj, parked).await, ["no-executor"]);
        orloj.shutdown().await;
    });
}

#[test]
fn the_holder_is_named_over_a_hierarchy_as_well() {
    on_both(|builder| async {
        let mut settings = Settings::default();
        settings.executor.exclusive_over_hierarchies = true;
        let orloj = deployed(builder.settings(settings)).await;
        start(&orloj, "outer").await;
        let jobs = orloj.jobs().list(JobFilter::default(), ALL).await.unwrap();
        let (holder, parked) = holder_and_parked(&jobs);
        let owner = jobs.iter().find(|job| job.key == holder).unwrap().instance;
        let waits = jobs.iter().find(|job| job.key == parked).unwrap().instance;
        assert_ne!(owner, waits, "of two instances");
        let found = reasons(&orloj, parked).await;
        let text = format!("it is exclusive and waits for job {holder} of instance {owner}");
        assert_eq!((found[0].code, &found[0].text), ("exclusive", &text));
        assert_eq!(found[0].remedy, Some(Remedy::Explain(holder)));
        orloj.shutdown().await;
    });
}

/// A job that was stopped while it runs keeps the others of its instance out.
#[test]
fn who_waits_beside_a_job_that_still_runs_is_told_which() {
    on_both(|builder| async {
        let gate = Arc::new(Semaphore::new(0));
        let builder = builder.executor_options(active());
        let orloj = deployed(builder.delegate("test.Work", held(&gate))).await;
        let instance = start(&orloj, "twins").await;
        while locked(&orloj).await.is_empty() {
            tokio::task::yield_now().await;
        }
        let runs = locked(&orloj).await[0];
        orloj.jobs().suspend(runs).await.unwrap();
        let jobs = orloj.instance(instance).await.unwrap().jobs;
        let waits = jobs.iter().find(|job| job.key != runs).unwrap();
        assert_eq!(waits.state, JobState::Ready);
        let found = reasons(&orloj, waits.key).await;
        let text =
            format!("it is exclusive, and job {runs} beside it, which was stopped, still runs");
        assert_eq!((found[0].code, &found[0].text), ("exclusive", &text));
        assert_eq!(found[0].remedy, Some(Remedy::Explain(runs)));
        gate.add_permits(2);
        // The next one begins as soon as the run is over, though nobody touches it.
        while orloj.instance(instance).await.unwrap().jobs.len() > 1 {
            tokio::task::yield_now().await;
        }
        orloj.jobs().activate(runs).await.unwrap();
        gate.add_permits(1);
        orloj.settle().await;
        assert!(orloj.jobs().list(JobFilter::default(), ALL).await.unwrap().is_empty());
        orloj.shutdown().await;
    });
}

fn holder_and_parked(jobs: &[orloj::JobView]) -> (JobKey, JobKey) {
    let of = |state| jobs.iter().find(|job| job.state == state).expect("one of each").key;
    (of(JobState::Ready), of(JobState::Parked))
}

struct Broken(Arc<AtomicU32>);

impl orloj::RetryPolicy for Broken {
    fn after(&self, _: &orloj::FailedTry<'_>) -> orloj::Retry {
        match self.0.load(Ordering::SeqCst) {
            0 => panic!("a policy with a defect"),
            _ => orloj::Retry::GiveUp,
        }
    }
}

/// A job that the interpreter panicked over stays locked. Nothing else runs it meanwhile.
#[test]
fn a_job_that_was_set_aside_says_why_and_can_be_run_by_hand() {
    on_both(|builder| async {
        let is_mended = Arc::new(AtomicU32::new(0));
        let builder = builder.executor_options(active()).delegate("test.Work", fails);
        let orloj = deployed(builder.default_retry_policy(Broken(is_mended.clone()))).await;
        let key = step(&orloj).await;
        while orloj.executor().report().await.unwrap().set_aside.is_empty() {
            tokio::task::yield_now().await;
        }
        let found = reasons(&orloj, key).await;
        assert_eq!((found[0].code, found.len()), ("set-aside", 1), "{found:?}");
        let text = format!(
            "this node has set it aside at {BEGIN}, until it starts anew: internal error: the \
             interpreter panicked"
        );
        assert_eq!(found[0].text, text);
        assert_eq!(found[0].remedy, Some(Remedy::Execute(key)));
        is_mended.store(1, Ordering::SeqCst);
        orloj.jobs().execute(key).await.unwrap_err();
        orloj.settle().await;
        let report = orloj.executor().report().await.unwrap();
        assert_eq!(report.set_aside, [], "it has failed since, as jobs do");
        orloj.shutdown().await;
    });
}

/// The store refuses what comes after the timer, and the parts of the batch.
#[test]
fn timers_and_chores_that_were_set_aside_say_so_too() {
    let database = Database::create();
    run(async {
        let orloj = node(&database, "anna", active()).await;
        let file = Deploy::file("models.bpmn", MODELS.as_bytes());
        orloj.deploy(Deploy { plain_dialect: Some(Dialect::Camunda7), ..file }).await.unwrap();
        let url = database.url();
        let url = url.split('?').next().unwrap().to_owned();
        let (client, connection) =
            tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        let part = JobKind::BatchPart as u8;
        let check = format!(
            "ALTER TABLE job ADD CONSTRAINT refused CHECK (element_id <> 'ship' AND kind <> {part})"
        );
        client.batch_execute(&check).await.unwrap();
        let instance = start(&orloj, "later").await;
        let timer = job(&orloj, instance).await;
        let work = BatchWork::SetJobRetries { retries: 5, due_ms: None };
        let new = NewBatch::new(work, BatchElements::jobs(vec![timer]));
        orloj.batches().create(new).await.unwrap();
        orloj.advance(Duration::from_secs(600)).unwrap();
        while orloj.executor().report().await.unwrap().set_aside.len() < 2 {
            tokio::task::yield_now().await;
        }
        let filter = JobFilter { kinds: vec![JobKind::BatchSeed], ..JobFilter::default() };
        let seed = orloj.jobs().list(filter, ALL).await.unwrap()[0].key;
        for key in [timer, seed] {
            let found = reasons(&orloj, key).await;
            assert_eq!((found[0].code, found.len()), ("set-aside", 1), "{found:?}");
            assert!(found[0].text.contains("the store refused the change"), "{found:?}");
            assert_eq!(found[0].remedy, Some(Remedy::Execute(key)));
        }
        client.batch_execute("ALTER TABLE job DROP CONSTRAINT refused").await.unwrap();
        orloj.jobs().execute(timer).await.unwrap();
        orloj.jobs().execute(seed).await.unwrap();
        assert_eq!(orloj.executor().report().await.unwrap().set_aside, []);
        drop(client);
        connection.await.unwrap().unwrap();
        orloj.shutdown().await;
    });
}

#[test]
fn a_job_that_was_given_up_says_so() {
    on_both(|builder| async {
        let (gate, calls) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicU32::new(0)));
        let (entry, counted) = (gate.clone(), calls.clone());
        let work = move |_: Call| {
            counted.fetch_add(1, Ordering::SeqCst);
            let entry = entry.clone();
            async move {
                entry.acquire().await.expect("open").forget();
                Ok(Document::new())
            }
        };
        let longest_run = LongestRun { job_ms: Some(1_000), timer_ms: None, look_every_ms: 0 };
        let options = ExecutorOptions { longest_run, ..active() };
        let orloj = deployed(builder.delegate("test.Work", work).executor_options(options)).await;
        let key = step(&orloj).await;
        while calls.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        orloj.executor().stop().await.unwrap();
        orloj.advance(Duration::from_secs(1)).unwrap();
        while orloj.jobs().get(key).await.unwrap().locked_by.is_some() {
            tokio::task::yield_now().await;
        }
        let found = reasons(&orloj, key).await;
        let found = found.iter().find(|reason| reason.code == "hung").expect("it is told");
        let hung = format!(
            "it ran from {BEGIN} to {}, longer than a job may, and was given up",
            BEGIN.plus_ms(1_000)
        );
        assert_eq!(found.text, hung);
        gate.add_permits(10);
        orloj.shutdown().await;
    });
}
