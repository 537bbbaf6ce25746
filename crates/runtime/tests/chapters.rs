//! What the chapters on job executors say and no story can see: several engines, pools, jobs that
//! belong to no instance.

#![expect(clippy::disallowed_methods, reason = "someone waits while someone else works")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::{
    ALL, NOW, STEP, begins, completed, deploy, gated, jobs, on_both, start, state,
};
use orloj::history::{JobLogFilter, RECENT_INSTANCES_MAX};
use orloj::settings::{AcquisitionSettings, BatchSettings, Profile, Reader, Settings, Value};
use orloj::types::{Document, InstanceKey, JobKey, Timestamp};
use orloj::{
    BackoffOptions, BatchElements, BatchWork, Call, Clock, Deploy, ExecutorOptions, Fault,
    IncidentFilter, InstanceState, JobFilter, JobKind, JobState, Looks, NewBatch, Order, Orloj,
    StoreChoice,
};
use orloj_testkit::story::Database;
use tokio::sync::Barrier;

#[test]
fn with_the_executor_active_a_job_is_inserted_locked_and_otherwise_not() {
    on_both(|store| async {
        // Nothing is looked for within the test: only what a node makes itself comes to it.
        let looks = BackoffOptions {
            wait_ms: 3_600_000,
            wait_ms_max: 3_600_000,
            ..BackoffOptions::default()
        };
        let options = ExecutorOptions {
            is_active: true,
            looks: Looks::Backoff(looks),
            ..ExecutorOptions::default()
        };
        let builder = Orloj::builder().store(store).node_name("here").pinned_clock(NOW);
        let (builder, gate, begun) = gated(builder.calls_max(1).executor_options(options));
        let orloj = builder.build().await.expect("an engine");
        deploy(&orloj, STEP).await;
        let first = start(&orloj).await;
        begins(&begun).await;
        // The only worker is busy: what comes now is locked and waits in memory.
        let second = start(&orloj).await;
        let locked = async |instance| {
            let filter = JobFilter { instance: Some(instance), ..JobFilter::default() };
            let [job] = &jobs(&orloj, filter).await[..] else { panic!("one job") };
            assert_eq!((job.state, job.retries_left), (JobState::Ready, 3));
            (job.locked_by.as_deref().map(str::to_owned), job.attempt)
        };
        let (owner, attempt) = locked(second).await;
        assert!(owner.as_deref().is_some_and(|owner| owner.contains("here")), "{owner:?}");
        assert_eq!(attempt, 1, "locked once, when it was inserted");
        orloj.executor().stop().await.expect("stopped");
        let third = start(&orloj).await;
        assert_eq!(locked(third).await, (None, 0));
        gate.add_permits(3);
        completed(&orloj, first).await;
        // It is given back, by a statement of its own.
        while locked(second).await.0.is_some() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        orloj.executor().start().await.expect("started");
        for instance in [second, third] {
            completed(&orloj, instance).await;
        }
        orloj.shutdown().await;
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn embedded_engines_have_acquisitions_and_pools_of_their_own() {
    // Each has a single worker, and the two calls meet: with one pool they never would.
    let meeting = Arc::new(Barrier::new(2));
    let engine = async || {
        let meeting = meeting.clone();
        let builder = Orloj::builder().executor(true).pinned_clock(NOW).calls_max(1);
        let orloj = builder
            .delegate("Work", move |_: Call| {
                let meeting = meeting.clone();
                async move {
                    meeting.wait().await;
                    Ok(Document::new())
                }
            })
            .build()
            .await
            .expect("an engine");
        deploy(&orloj, STEP).await;
        orloj
    };
    let (one, other) = (engine().await, engine().await);
    let started = (start(&one).await, start(&other).await);
    let met = async {
        completed(&one, started.0).await;
        completed(&other, started.1).await;
    };
    tokio::time::timeout(Duration::from_secs(20), met).await.expect("they meet");
    // One that stops takes nothing more; the other goes on.
    one.executor().stop().await.expect("stopped");
    assert!(!one.executor().is_active() && other.executor().is_active());
    one.shutdown().await;
    other.shutdown().await;
}

/// Looks at intervals that do not grow.
fn looking(every_ms: u64) -> AcquisitionSettings {
    AcquisitionSettings {
        wait_ms: every_ms,
        wait_ms_max: every_ms,
        ..AcquisitionSettings::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_run_at_the_same_time_unless_they_are_exclusive() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, reached) = (running.clone(), most.clone());
    let meeting = Arc::new(Barrier::new(2));
    // The clock jumps while jobs run: the node shall not take itself for dead.
    let builder = Orloj::builder().heartbeat_timeout(Duration::from_secs(3_600));
    let builder = builder.executor(true).pinned_clock(NOW).calls_max(8);
    let orloj = builder
        .delegate("Meet", move |_: Call| {
            let meeting = meeting.clone();
            async move {
                meeting.wait().await;
                Ok(Document::new())
            }
        })
        .delegate("Alone", move |_: Call| {
            let (running, most) = (counted.clone(), reached.clone());
            async move {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(5)).await;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(Document::new())
            }
        })
        .build()
        .await
        .expect("an engine");
    let fork = |step: &str| {
        format!(
            "process p, camunda: start -> f+ -> a{{{step}}} -> j+ -> end\n\
             f -> b{{{step}}} -> j\nf -> c{{timer 10s}} -> d{{{step}}} -> j\n\
             f -> e{{timer 10s}} -> g{{{step}}} -> j"
        )
    };
    let meet = async |instances: &[InstanceKey]| {
        let met = async {
            for instance in instances {
                completed(&orloj, *instance).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), met).await.expect("they meet");
    };
    // Of different instances two jobs wait for one another.
    deploy(&orloj, &STEP.replace("Work", "Meet")).await;
    meet(&[start(&orloj).await, start(&orloj).await]).await;
    // Of one instance, when they are not exclusive; the branches with timers meet as well.
    deploy(&orloj, &fork("delegate Meet, async nonexclusive")).await;
    let instance = start(&orloj).await;
    orloj.settle().await;
    orloj.advance(Duration::from_secs(10)).expect("pinned");
    meet(&[instance]).await;
    // Exclusive ones never do.
    deploy(&orloj, &fork("delegate Alone, async")).await;
    let instance = start(&orloj).await;
    orloj.advance(Duration::from_secs(10)).expect("pinned");
    completed(&orloj, instance).await;
    assert_eq!(most.load(Ordering::SeqCst), 1);
    orloj.shutdown().await;
}

#[test]
fn a_conflict_with_another_node_calls_no_code_twice_and_costs_no_retry() {
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let database = Database::create();
    tokio.expect("a runtime").block_on(async {
        let store = || StoreChoice::Postgres(database.url());
        let builder = Orloj::builder().store(store()).node_name("runs").executor(true);
        let (builder, gate, begun) = gated(builder);
        let runs = builder.build().await.expect("an engine");
        let builder = Orloj::builder().store(store()).node_name("changes");
        let changes = builder.build().await.expect("an engine");
        deploy(&runs, STEP).await;
        let instance = start(&runs).await;
        begins(&begun).await;
        // The instance moves on under the job that runs: its result meets another revision.
        let scope = instance.root_scope();
        let variables = Document::new().with("meanwhile", 1);
        changes.set_variables(scope, variables, false).await.expect("set");
        gate.add_permits(1);
        completed(&runs, instance).await;
        let detail = runs.instance(instance).await.expect("there");
        assert_eq!(detail.variables.to_json(), r#"{"done":true,"meanwhile":1}"#);
        assert_eq!(begun.load(Ordering::SeqCst), 1);
        assert!(detail.history.iter().all(|event| &*event.what != "job-failed"));
        runs.shutdown().await;
        changes.shutdown().await;
    });
}

#[test]
fn incidents_are_found_by_their_job_and_so_are_those_of_the_past() {
    on_both(|store| async {
        let orloj = Orloj::builder()
            .store(store)
            .executor(true)
            .pinned_clock(NOW)
            .delegate("Work", |_: Call| async { Err(Fault::failed("no line")) })
            .build()
            .await
            .expect("an engine");
        deploy(&orloj, STEP).await;
        let (one, other) = (start(&orloj).await, start(&orloj).await);
        orloj.settle().await;
        let job = orloj.instance(one).await.expect("there").jobs[0].key;
        let of_job = || IncidentFilter { job: Some(job), ..IncidentFilter::default() };
        let open = orloj.incidents().list(of_job(), ALL).await.expect("incidents");
        assert_eq!(open.len(), 1);
        assert_eq!((open[0].job, open[0].instance), (Some(job), one));
        assert_eq!(orloj.incidents().count(IncidentFilter::default()).await.expect("two"), 2);
        orloj.jobs().delete(job).await.expect("deleted");
        assert!(orloj.incidents().list(of_job(), ALL).await.expect("incidents").is_empty());
        let past = orloj.history().job_incidents(job, 100).await.expect("the past");
        assert_eq!((past.rows.len(), past.is_partial), (1, false));
        let incident = &past.rows[0];
        assert_eq!((incident.job, incident.instance), (Some(job), one));
        assert_eq!(incident.closed_at, Some(NOW));
        assert_eq!(orloj.instance(other).await.expect("there").incidents.len(), 1);
        orloj.shutdown().await;
    });
}

#[test]
fn the_past_of_a_job_is_found_however_many_instances_came_later() {
    // Before 2020 keys are ahead of the clock: the moment in a job's key says nothing then.
    for now in [NOW, Timestamp::from_ms(0)] {
        on_both(|store| async move {
            let orloj = Orloj::builder()
                .store(store)
                .executor(true)
                .pinned_clock(now)
                .delegate("Work", |_: Call| async { Err(Fault::failed("no line")) })
                .build()
                .await
                .expect("an engine");
            deploy(&orloj, STEP).await;
            let instance = start(&orloj).await;
            orloj.settle().await;
            let job = orloj.instance(instance).await.expect("there").jobs[0].key;
            orloj.instances().cancel(instance).await.expect("cancelled");
            deploy(&orloj, "process p, camunda: start -> end").await;
            for _ in 0..=RECENT_INSTANCES_MAX {
                start(&orloj).await;
            }
            let history = orloj.history();
            let of = |job| JobLogFilter { job, ..JobLogFilter::default() };
            let log = history.recent_job_log(&of(Some(job)), 100).await.expect("a log");
            let states: Vec<_> = log.rows.iter().rev().map(|row| row.state.word()).collect();
            assert_eq!(states, ["created", "failed", "failed", "failed", "deleted"]);
            assert!(!log.is_partial);
            let past = history.job_incidents(job, 100).await.expect("the past");
            assert_eq!((past.rows.len(), past.is_partial), (1, false));
            // What nobody has ever made is looked for everywhere.
            let none = JobKey::new(job.raw() + 100_000);
            let past = history.job_incidents(none, 100).await.expect("the past");
            assert_eq!((past.rows.len(), past.is_partial), (0, false));
            // Without a job there is more than is told.
            let recent = history.recent_job_log(&of(None), 100).await.expect("a log");
            assert!(recent.rows.is_empty() && recent.is_partial, "{recent:?}");
            orloj.shutdown().await;
        });
    }
}

#[test]
fn the_job_log_tells_when_a_job_that_failed_is_due_again() {
    on_both(|store| async {
        let calls = Arc::new(AtomicUsize::new(0));
        let work = move |_: Call| {
            let is_first = calls.fetch_add(1, Ordering::SeqCst) == 0;
            async move { if is_first { Err(Fault::failed("no line")) } else { Ok(Document::new()) } }
        };
        let builder = Orloj::builder().store(store).executor(true).pinned_clock(NOW);
        let orloj = builder.delegate("Work", work).build().await.expect("an engine");
        let retried = "process p, camunda: start -> a{delegate Work, async, retry R3/PT10M} -> end";
        deploy(&orloj, retried).await;
        start(&orloj).await;
        orloj.settle().await;
        orloj.advance(Duration::from_secs(600)).expect("pinned");
        orloj.settle().await;
        let log =
            orloj.history().recent_job_log(&JobLogFilter::default(), 100).await.expect("a log");
        let rows = log.rows.iter().rev().map(|row| (row.state.word(), row.due_at));
        let due = Some(NOW.plus_ms(600_000));
        assert_eq!(
            rows.collect::<Vec<_>>(),
            [("created", None), ("failed", None), ("successful", due)]
        );
        orloj.shutdown().await;
    });
}

/// A task that reminds of itself.
const REMINDING: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
 xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="n">
<process id="p" isExecutable="true"><startEvent id="s"/>
<sequenceFlow id="f" sourceRef="s" targetRef="ask"/><userTask id="ask"><extensionElements>
<camunda:taskListener event="timeout" id="remind" class="Work"><timerEventDefinition>
<timeDuration>PT10M</timeDuration></timerEventDefinition></camunda:taskListener>
</extensionElements></userTask>
<sequenceFlow id="g" sourceRef="ask" targetRef="e"/><endEvent id="e"/></process></definitions>"#;

#[test]
fn the_timeout_of_a_task_is_a_timer() {
    on_both(|store| async {
        let called = Arc::new(AtomicUsize::new(0));
        let counted = called.clone();
        let work = move |_: Call| {
            counted.fetch_add(1, Ordering::SeqCst);
            async { Ok(Document::new()) }
        };
        let builder = Orloj::builder().store(store).executor(true).pinned_clock(NOW);
        let orloj = builder.delegate("Work", work).build().await.expect("an engine");
        orloj.deploy(Deploy::file("p.bpmn", REMINDING.as_bytes())).await.expect("deployed");
        let instance = start(&orloj).await;
        let detail = orloj.instance(instance).await.expect("there");
        let [job] = &detail.jobs[..] else { panic!("one job") };
        assert_eq!((job.kind, job.due_at), (JobKind::Timer, Some(NOW.plus_ms(600_000))));
        orloj.advance(Duration::from_secs(599)).expect("pinned");
        orloj.settle().await;
        assert_eq!(called.load(Ordering::SeqCst), 0);
        orloj.advance(Duration::from_secs(1)).expect("pinned");
        orloj.settle().await;
        assert_eq!(called.load(Ordering::SeqCst), 1);
        let detail = orloj.instance(instance).await.expect("there");
        assert!(detail.jobs.is_empty());
        assert_eq!(&*detail.elements[0].element, "ask", "it is only reminded");
        orloj.shutdown().await;
    });
}

#[test]
fn engines_of_a_group_join_acquisitions_by_name_and_share_one_pool() {
    on_both(|store| async {
        let clock = Clock::pinned(NOW);
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let engine = || {
            let (running, most) = (running.clone(), most.clone());
            // Without hints a job is found when someone looks.
            let options =
                ExecutorOptions { is_active: true, hint: false, ..ExecutorOptions::default() };
            let builder = Orloj::builder().executor_options(options).clock(clock.clone());
            builder.delegate("Work", move |_: Call| {
                let (running, most) = (running.clone(), most.clone());
                async move {
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    tokio::time::sleep(Duration::from_millis(2)).await;
                    running.fetch_sub(1, Ordering::SeqCst);
                    Ok(Document::new())
                }
            })
        };
        let group = Orloj::group()
            .store(store)
            .calls_max(1)
            .acquisition("default", looking(2_000))
            .acquisition("slow", looking(30_000))
            .engine("plain", engine())
            .engine("sales", engine().acquisition("slow"))
            .engine("support", engine().acquisition("slow"))
            .build()
            .await
            .expect("a group");
        let of = |name: &str| group.engine(name).expect("one").clone();
        let (plain, slow) = (of("plain"), [of("sales"), of("support")]);
        for engine in [&plain, &slow[0], &slow[1]] {
            deploy(engine, STEP).await;
            engine.settle().await;
        }
        let found_first = [start(&plain).await, start(&plain).await];
        let mut found_later = Vec::new();
        for engine in &slow {
            for _ in 0..5 {
                found_later.push((engine, start(engine).await));
            }
        }
        assert!(clock.advance(Duration::from_secs(2)));
        for instance in found_first {
            completed(&plain, instance).await;
        }
        for (engine, instance) in &found_later {
            engine.settle().await;
            assert_eq!(state(engine, *instance).await, InstanceState::Active, "not looked for yet");
        }
        assert!(clock.advance(Duration::from_secs(28)));
        for (engine, instance) in &found_later {
            completed(engine, *instance).await;
        }
        assert_eq!(most.load(Ordering::SeqCst), 1, "one call at a time, of all engines together");
        group.shutdown().await;
    });
}

#[tokio::test]
async fn what_a_look_finds_is_submitted_at_once_though_it_is_less_than_a_page() {
    let looks = BackoffOptions { jobs_max: 3, ..BackoffOptions::default() };
    let options = ExecutorOptions {
        is_active: true,
        hint: false,
        looks: Looks::Backoff(looks),
        ..ExecutorOptions::default()
    };
    let builder = Orloj::builder().executor_options(options).pinned_clock(NOW);
    let builder = builder.delegate("Work", |_: Call| async { Ok(Document::new()) });
    let orloj = builder.build().await.expect("an engine");
    deploy(&orloj, STEP).await;
    orloj.settle().await;
    let instance = start(&orloj).await;
    orloj.settle().await;
    assert_eq!(state(&orloj, instance).await, InstanceState::Active);
    // The next look. Time stands still from here on.
    orloj.advance(Duration::from_secs(60)).expect("pinned");
    completed(&orloj, instance).await;
    orloj.shutdown().await;
}

#[test]
fn pages_and_waits_of_acquisition_are_set_by_their_properties() {
    let looks = |said: &[(&str, i64)]| {
        let mut reader = Reader::new(Profile::Camunda7);
        for (name, value) in said {
            let path = vec!["camunda".to_owned(), (*name).to_owned()];
            reader.put(path, Value::Number(*value), (*name).to_owned());
        }
        let read = reader.finish().expect("settings that fit");
        match ExecutorOptions::default().with_settings(&read.settings).looks {
            Looks::Backoff(looks) => (looks.jobs_max, looks.wait_ms, looks.wait_ms_max),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(looks(&[]), (3, 5_000, 60_000));
    assert_eq!(looks(&[("maxWait", 8_000)]), (3, 5_000, 8_000));
    assert_eq!(looks(&[("maxJobsPerAcquisition", 17)]), (17, 5_000, 60_000));
    assert_eq!(looks(&[("waitTimeInMillis", 70)]), (3, 70, 60_000));
}

#[test]
fn no_order_and_no_range_holds_unless_it_is_set() {
    for profile in [Profile::Orloj, Profile::Camunda7, Profile::Flowable, Profile::Chapter] {
        let options = ExecutorOptions::default().with_settings(&Settings::of(profile));
        let none = Order::Flags { priority: false, timers_first: false, due: false };
        assert_eq!(options.order, none, "{profile:?}");
        assert_eq!(options.priorities, i64::MIN..=i64::MAX);
        assert!(!options.deployment_aware && options.categories.is_none());
    }
}

#[test]
fn the_registered_deployments_of_a_node_are_listed_and_shown_in_its_row() {
    on_both(|store| async {
        let options = ExecutorOptions { deployment_aware: true, ..ExecutorOptions::default() };
        let builder = Orloj::builder().store(store).executor_options(options).pinned_clock(NOW);
        let orloj = builder.build().await.expect("an engine");
        let registered = async || orloj.deployments().registered().await.expect("a list");
        let in_row = async || {
            let mut nodes = orloj.nodes().list().await.expect("nodes");
            nodes.remove(0).profile.deployments
        };
        assert_eq!(registered().await, []);
        deploy(&orloj, STEP).await;
        deploy(&orloj, &STEP.replace("work{", "again{")).await;
        let all = orloj.deployments().list().await.expect("deployments");
        let mut all: Vec<_> = all.iter().map(|deployment| deployment.key).collect();
        all.sort_unstable();
        assert_eq!(all.len(), 2);
        let sorted = async || {
            let mut keys = registered().await;
            keys.sort_unstable();
            keys
        };
        assert_eq!(sorted().await, all);
        orloj.deployments().unregister(all[0]).await.expect("unregistered");
        assert_eq!(registered().await, [all[1]]);
        // The row is written behind the answer; two that are written at once may come in any order.
        let follows = async {
            while in_row().await != Some(vec![all[1]]) {
                tokio::time::sleep(Duration::from_millis(5)).await;
                orloj.deployments().unregister(all[0]).await.expect("nothing to do");
            }
        };
        tokio::time::timeout(Duration::from_secs(20), follows).await.expect("it follows");
        orloj.deployments().register(all[0]).await.expect("registered");
        assert_eq!(sorted().await, all);
        orloj.shutdown().await;
    });
}

#[test]
fn batches_and_clean_up_have_priorities_of_their_own_and_none_unless_they_are_given() {
    on_both(|store| async move {
        for (batch, cleanup) in [(0, 0), (7, -3)] {
            let mut settings = Settings::default();
            settings.batches = BatchSettings { priority: batch, ..settings.batches };
            settings.history.cleanup.priority = cleanup;
            // Nothing else is taken: were a seed or a part of another priority, it would stay.
            settings.executor.priority_min = batch;
            settings.executor.priority_max = batch;
            let engine = format!("with-{batch}");
            let orloj = Orloj::builder()
                .store(store.clone())
                .engine(orloj::types::EngineName::new(engine.as_str()))
                .settings(settings)
                .pinned_clock(NOW)
                .build()
                .await
                .expect("an engine");
            deploy(&orloj, "process p, camunda: start -> ask{user} -> end").await;
            let keys = vec![start(&orloj).await, start(&orloj).await];
            let work = BatchWork::InstanceDeletion { without_listeners: false };
            let new = NewBatch::new(work, BatchElements::instances(keys.clone()));
            orloj.batches().create(new).await.expect("a batch");
            orloj.clean_up_history(true).await.expect("jobs that clean up");
            let of = async |kind| {
                let found = jobs(&orloj, JobFilter { kinds: vec![kind], ..JobFilter::default() });
                found.await.iter().map(|job| job.priority).collect::<Vec<_>>()
            };
            assert_eq!(of(JobKind::BatchSeed).await, [batch]);
            assert_eq!(of(JobKind::HistoryCleanup).await, [cleanup]);
            orloj.executor().start().await.expect("started");
            orloj.settle().await;
            for instance in keys {
                assert_eq!(state(&orloj, instance).await, InstanceState::Cancelled);
            }
            orloj.shutdown().await;
        }
    });
}

/// An instance, and a batch to delete it that the executor has looked at.
async fn deleting(store: StoreChoice, mut settings: Settings) -> (Orloj, InstanceKey) {
    settings.executor.active = Some(true);
    let builder = Orloj::builder().store(store).settings(settings).pinned_clock(NOW);
    let orloj = builder.build().await.expect("an engine");
    deploy(&orloj, "process p, camunda: start -> ask{user} -> end").await;
    let instance = start(&orloj).await;
    let work = BatchWork::InstanceDeletion { without_listeners: false };
    let new = NewBatch::new(work, BatchElements::instances(vec![instance]));
    orloj.batches().create(new).await.expect("a batch");
    orloj.settle().await;
    (orloj, instance)
}

#[test]
fn batches_outside_of_the_range_of_a_node_are_left_to_others() {
    on_both(|store| async {
        let mut settings = Settings::default();
        settings.executor.priority_min = 10;
        let (orloj, instance) = deleting(store, settings).await;
        assert_eq!(state(&orloj, instance).await, InstanceState::Active);
        let seed = JobFilter { kinds: vec![JobKind::BatchSeed], ..JobFilter::default() };
        let [seed] = &jobs(&orloj, seed).await[..] else { panic!("it waits") };
        assert_eq!((seed.state, seed.priority), (JobState::Ready, 0));
        orloj.shutdown().await;
    });
}

#[test]
fn batches_are_worked_where_every_job_needs_a_due_date() {
    on_both(|store| async {
        let mut settings = Settings::default();
        settings.jobs.due_never_null = true;
        let (orloj, instance) = deleting(store, settings).await;
        assert_ne!(state(&orloj, instance).await, InstanceState::Active);
        let without = jobs(&orloj, JobFilter::default()).await;
        assert!(without.iter().all(|job| job.due_at.is_some()), "{without:?}");
        orloj.shutdown().await;
    });
}

#[test]
fn the_priority_of_a_start_event_is_a_constant_or_none() {
    on_both(|store| async {
        let orloj = Orloj::builder().store(store).pinned_clock(NOW);
        let orloj = orloj.build().await.expect("an engine");
        let timed = |id: &str, process: &str, event: &str| {
            format!("process {id}, camunda{process}: start{{timer 10s{event}}} -> end")
        };
        let models = [
            ("plain", "", "", 0),
            ("of-process", ", priority 8", "", 8),
            ("own", ", priority 8", ", priority 5", 5),
            // There is no instance whose variables could be read.
            ("variable", "", r#", priority "${urgency}""#, 0),
            ("computed", "", r#", priority "${2 + 3}""#, 5),
        ];
        for (id, process, event, expected) in models {
            deploy(&orloj, &timed(id, process, event)).await;
            let filter = JobFilter { kinds: vec![JobKind::StartTimer], ..JobFilter::default() };
            let found = jobs(&orloj, filter).await;
            let job = found.iter().find(|job| job.process_id.as_str() == id).expect("one");
            assert_eq!(job.priority, expected, "{id}");
        }
        orloj.shutdown().await;
    });
}
