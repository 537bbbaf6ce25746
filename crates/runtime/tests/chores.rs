//! Chores through the handle, on both stores: start timers that fail, suspensions at a moment,
//! batches, clean-ups of history.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use orloj::history::JobLogFilter;
use orloj::settings::{BatchSettings, Settings, Ttl, Window};
use orloj::store::{EndedFilter, JobRow};
use orloj::types::{Document, InstanceKey, Timestamp};
use orloj::{
    BatchElements, BatchWork, Builder, Call, Deploy, Dialect, Error, Fault, InstanceQuery,
    JobFilter, JobKind, JobState, NewBatch, Orloj, Page, StartInstance, StoreChoice,
    SuspendDefinition, WhichDefinitions,
};
use orloj_testkit::sketch::Sketch;
use orloj_testkit::story::Database;

const ALL: Page = Page { before: None, limit: 1_000 };
/// 2026-11-16T00:00:00Z, a Monday.
const BEGIN: Timestamp = Timestamp::from_ms(1_794_787_200_000);

/// The same on SQLite and on PostgreSQL.
fn on_both<F>(story: impl Fn(Builder) -> F)
where
    F: Future<Output = ()>,
{
    let tokio =
        || tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let builder = || Orloj::builder().executor(true).pinned_clock(BEGIN);
    tokio().unwrap().block_on(story(builder()));
    let database = Database::create();
    tokio().unwrap().block_on(story(builder().store(StoreChoice::Postgres(database.url()))));
}

async fn deploy(orloj: &Orloj, sketch: &str, dialect: Dialect) {
    let sketch = Sketch::parse(sketch).unwrap();
    let file = Deploy::file("model.bpmn", sketch.to_xml().as_bytes());
    orloj.deploy(Deploy { plain_dialect: Some(dialect), ..file }).await.unwrap();
}

async fn pass(orloj: &Orloj, seconds: u64) {
    orloj.advance(Duration::from_secs(seconds)).unwrap();
    orloj.settle().await;
}

async fn live(orloj: &Orloj) -> usize {
    orloj.instances().list(&InstanceQuery::default(), ALL).await.unwrap().len()
}

async fn ended(orloj: &Orloj) -> usize {
    orloj.instances().list_ended(&InstanceQuery::default(), ALL).await.unwrap().len()
}

async fn chores(orloj: &Orloj, kind: JobKind) -> Vec<orloj::JobView> {
    let filter = JobFilter { kinds: vec![kind], ..JobFilter::default() };
    orloj.jobs().list(filter, ALL).await.unwrap()
}

async fn start(orloj: &Orloj, count: usize) -> Vec<InstanceKey> {
    let mut keys = Vec::new();
    for _ in 0..count {
        keys.push(orloj.start(StartInstance::latest("order")).await.unwrap().instance);
    }
    keys
}

#[test]
fn a_start_that_fails_costs_a_retry_and_starts_nothing() {
    on_both(|builder| async move {
        let failing = Arc::new(AtomicU32::new(2));
        let left = failing.clone();
        let orloj = builder
            .delegate("Work", move |_: Call| {
                let fails = left.load(Ordering::SeqCst) > 0;
                if fails {
                    left.fetch_sub(1, Ordering::SeqCst);
                }
                async move {
                    match fails {
                        true => Err(Fault::Failed("no line".into())),
                        false => Ok(Document::new()),
                    }
                }
            })
            .build()
            .await
            .unwrap();
        let model =
            "process order, camunda: start{timer 10s} -> work{delegate Work} -> ask{user} -> end";
        deploy(&orloj, model, Dialect::Camunda7).await;
        let [timer] = &chores(&orloj, JobKind::StartTimer).await[..] else { panic!("one timer") };
        assert_eq!((timer.state, timer.retries_left), (JobState::Waiting, 3));
        pass(&orloj, 10).await;
        assert_eq!(failing.load(Ordering::SeqCst), 0);
        assert_eq!(live(&orloj).await, 1, "the third try");
        assert!(chores(&orloj, JobKind::StartTimer).await.is_empty());
        orloj.shutdown().await;
    });
}

#[test]
fn a_start_that_fails_for_good_is_a_dead_letter_and_the_series_goes_on() {
    on_both(|builder| async move {
        let failing = Arc::new(AtomicU32::new(3));
        let left = failing.clone();
        let orloj = builder
            .delegate("Work", move |_: Call| {
                let before = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| {
                    Some(n.saturating_sub(1))
                });
                let fails = before.unwrap_or(0) > 0;
                async move {
                    if fails { Err(Fault::Failed("no line".into())) } else { Ok(Document::new()) }
                }
            })
            .build()
            .await
            .unwrap();
        let model = "process order, camunda: start{timer R3/10s} -> work{delegate Work} -> ask{user} -> end";
        deploy(&orloj, model, Dialect::Camunda7).await;
        pass(&orloj, 10).await;
        assert_eq!(live(&orloj).await, 0);
        let timers = chores(&orloj, JobKind::StartTimer).await;
        let states: Vec<_> = timers.iter().map(|job| (job.state, job.retries_left)).collect();
        assert_eq!(states, [(JobState::Waiting, 3), (JobState::Failed, 0)], "newest first");
        assert_eq!(timers[1].failure.as_deref(), Some("no line"));
        let incidents = orloj.incidents().list(Default::default(), ALL).await.unwrap();
        assert_eq!(incidents.len(), 1);
        assert_eq!((incidents[0].job, &*incidents[0].kind), (Some(timers[1].key), "failedJob"));
        pass(&orloj, 10).await;
        assert_eq!(live(&orloj).await, 1, "the second of the series");

        orloj.jobs().set_retries(timers[1].key, 1, None).await.unwrap();
        orloj.settle().await;
        assert_eq!(live(&orloj).await, 2, "the dead letter was tried again");
        assert!(orloj.incidents().list(Default::default(), ALL).await.unwrap().is_empty());
        pass(&orloj, 10).await;
        assert_eq!(live(&orloj).await, 3);
        pass(&orloj, 100).await;
        assert_eq!(live(&orloj).await, 3, "three in all");
        orloj.shutdown().await;
    });
}

/// A process of Flowable that starts every ten seconds, until `end`.
async fn deploy_until(orloj: &Orloj, end: &str) {
    let sketch =
        Sketch::parse("process order, flowable: start{timer R5/PT10S} -> ask{user} -> end")
            .unwrap()
            .to_xml();
    let with_end = format!("<timeCycle flowable:endDate=\"{end}\"");
    let model = sketch.replacen("<timeCycle", &with_end, 1);
    assert!(model.contains(&with_end), "{model}");
    orloj.deploy(Deploy::file("model.bpmn", model.as_bytes())).await.unwrap();
}

#[test]
fn a_cycle_of_flowable_starts_nothing_after_its_end() {
    on_both(|builder| async move {
        let orloj = builder.build().await.unwrap();
        deploy_until(&orloj, "2026-11-16T00:00:25Z").await;
        pass(&orloj, 10).await;
        assert_eq!((live(&orloj).await, chores(&orloj, JobKind::StartTimer).await.len()), (1, 1));
        pass(&orloj, 10).await;
        assert_eq!((live(&orloj).await, chores(&orloj, JobKind::StartTimer).await.len()), (2, 0));
        pass(&orloj, 100).await;
        assert_eq!(live(&orloj).await, 2);
        orloj.shutdown().await;
    });
}

#[test]
fn a_cycle_whose_end_is_past_fires_once_for_nothing() {
    on_both(|builder| async move {
        let orloj = builder.build().await.unwrap();
        deploy_until(&orloj, "2026-11-15T00:00:00Z").await;
        assert_eq!(chores(&orloj, JobKind::StartTimer).await.len(), 1);
        pass(&orloj, 10).await;
        assert_eq!((live(&orloj).await, chores(&orloj, JobKind::StartTimer).await.len()), (0, 0));
        orloj.shutdown().await;
    });
}

#[test]
fn a_cycle_whose_end_is_no_date_becomes_a_dead_letter() {
    on_both(|builder| async move {
        let orloj = builder.build().await.unwrap();
        deploy_until(&orloj, "soon").await;
        pass(&orloj, 10).await;
        let [timer] = &chores(&orloj, JobKind::StartTimer).await[..] else { panic!("one timer") };
        assert_eq!((timer.state, timer.retries_left), (JobState::Waiting, 2));
        for _ in 0..2 {
            pass(&orloj, 60).await;
        }
        let [timer] = &chores(&orloj, JobKind::StartTimer).await[..] else { panic!("one timer") };
        assert_eq!((timer.state, live(&orloj).await), (JobState::Failed, 0));
        assert_eq!(timer.failure.as_deref(), Some("'soon' is no ISO 8601 date and time"));
        orloj.shutdown().await;
    });
}

#[test]
fn the_timers_of_a_new_version_take_the_place_of_the_old_ones() {
    on_both(|builder| async move {
        let orloj = builder.build().await.unwrap();
        deploy(&orloj, "process order: start{timer R/10s} -> ask{user} -> end", Dialect::Zeebe)
            .await;
        deploy(&orloj, "process order: start{timer R/30s} -> ask{user} -> end", Dialect::Zeebe)
            .await;
        assert_eq!(chores(&orloj, JobKind::StartTimer).await.len(), 1);
        pass(&orloj, 20).await;
        assert_eq!(live(&orloj).await, 0);
        pass(&orloj, 10).await;
        assert_eq!(live(&orloj).await, 1);
        orloj.shutdown().await;
    });
}

#[test]
fn a_suspended_definition_parks_its_start_timers() {
    on_both(|builder| async move {
        let orloj = builder.build().await.unwrap();
        deploy(&orloj, "process order: start{timer R/10s} -> ask{user} -> end", Dialect::Zeebe)
            .await;
        let which = WhichDefinitions::Process("order".into(), None);
        pass(&orloj, 10).await;
        assert_eq!(live(&orloj).await, 1);
        orloj.definitions().suspend(&which, SuspendDefinition::default()).await.unwrap();
        pass(&orloj, 60).await;
        assert_eq!(live(&orloj).await, 1);
        assert_eq!(chores(&orloj, JobKind::StartTimer).await[0].state, JobState::Suspended);
        orloj.definitions().activate(&which, SuspendDefinition::default()).await.unwrap();
        orloj.settle().await;
        assert!(live(&orloj).await >= 2, "what was missed fires now");
        assert_eq!(chores(&orloj, JobKind::StartTimer).await[0].state, JobState::Waiting);
        orloj.shutdown().await;
    });
}

#[test]
fn a_suspension_at_a_moment_takes_instances_along() {
    on_both(|builder| async move {
        let orloj = builder.build().await.unwrap();
        deploy(&orloj, "process order: start -> work{service work} -> end", Dialect::Zeebe).await;
        start(&orloj, 3).await;
        let which = WhichDefinitions::Process("order".into(), None);
        let at = |seconds: i64| SuspendDefinition {
            include_instances: true,
            at: Some(orloj.now().plus_ms(1_000 * seconds)),
        };
        orloj.definitions().suspend(&which, at(60)).await.unwrap();
        orloj.definitions().activate(&which, at(120)).await.unwrap();
        pass(&orloj, 59).await;
        start(&orloj, 1).await;
        pass(&orloj, 1).await;
        let refused = orloj.start(StartInstance::latest("order")).await;
        assert!(refused.is_err(), "{refused:?}");
        let states = || async {
            let filter = JobFilter { kinds: vec![JobKind::Worker], ..JobFilter::default() };
            let jobs = orloj.jobs().list(filter, ALL).await.unwrap();
            jobs.iter().filter(|job| job.state == JobState::Suspended).count()
        };
        assert_eq!(states().await, 4);
        assert!(chores(&orloj, JobKind::SuspendDefinition).await.is_empty());
        pass(&orloj, 60).await;
        assert_eq!(states().await, 0);
        start(&orloj, 1).await;
        assert_eq!(live(&orloj).await, 5);
        orloj.shutdown().await;
    });
}

fn with_batches(builder: Builder, batches: BatchSettings) -> Builder {
    builder.settings(Settings { batches, ..Settings::default() }).executor(true)
}

#[test]
fn a_batch_is_seeded_worked_off_and_watched_to_its_end() {
    on_both(|builder| async move {
        let batches =
            BatchSettings { jobs_per_seed: 2, invocations_per_job: 3, ..BatchSettings::default() };
        let orloj = with_batches(builder, batches).build().await.unwrap();
        deploy(&orloj, "process order: start -> ask{user} -> end", Dialect::Zeebe).await;
        let keys = start(&orloj, 20).await;
        let work = BatchWork::InstanceDeletion { without_listeners: false };
        let new = NewBatch::new(work, BatchElements::instances(keys));
        let batch = orloj.batches().create(NewBatch { suspended: true, ..new }).await.unwrap();
        assert_eq!((batch.statistics.total, batch.kind.as_ref()), (7, "instance-deletion"));
        orloj.settle().await;
        assert_eq!(live(&orloj).await, 20, "it is suspended");
        orloj.batches().activate(batch.key).await.unwrap();
        orloj.settle().await;
        assert_eq!(live(&orloj).await, 0);
        pass(&orloj, 31).await;
        let ended = orloj.batches().get(batch.key).await.unwrap();
        assert!(ended.ended_at.is_some(), "{ended:?}");
        assert_eq!((ended.statistics.done, ended.statistics.status()), (7, "completed"));
        assert!(ended.started_at.is_some());
        for kind in [JobKind::BatchSeed, JobKind::BatchMonitor, JobKind::BatchPart] {
            assert!(chores(&orloj, kind).await.is_empty());
        }
        orloj.shutdown().await;
    });
}

#[test]
fn parts_that_fail_keep_a_batch_open_until_they_are_retried_or_deleted() {
    on_both(|builder| async move {
        let orloj = with_batches(builder, BatchSettings::default()).build().await.unwrap();
        deploy(&orloj, "process order: start -> ask{user} -> end", Dialect::Zeebe).await;
        let mut keys = start(&orloj, 2).await;
        keys.push(InstanceKey::new(12));
        let work = BatchWork::SetVariables { variables: r#"{"x":1}"#.into() };
        let new = NewBatch::new(work, BatchElements::instances(keys.clone()));
        let batch = orloj.batches().create(new).await.unwrap();
        orloj.settle().await;
        pass(&orloj, 31).await;
        let view = orloj.batches().get(batch.key).await.unwrap();
        assert_eq!((view.statistics.done, view.statistics.failed), (2, 1));
        assert_eq!((view.ended_at, view.statistics.status()), (None, "waiting"));
        for key in &keys[..2] {
            let detail = orloj.instance(*key).await.unwrap();
            assert_eq!(detail.variables.to_json(), r#"{"x":1}"#);
        }
        let [part] = &chores(&orloj, JobKind::BatchPart).await[..] else { panic!("one part") };
        assert_eq!((part.state, part.retries_left), (JobState::Failed, 0));
        orloj.jobs().delete(part.key).await.unwrap();
        pass(&orloj, 31).await;
        assert!(orloj.batches().get(batch.key).await.unwrap().ended_at.is_some());
        orloj.shutdown().await;
    });
}

#[test]
fn a_batch_that_is_deleted_takes_its_parts_along() {
    on_both(|builder| async move {
        let orloj = with_batches(builder, BatchSettings::default()).build().await.unwrap();
        deploy(&orloj, "process order: start -> ask{user} -> end", Dialect::Zeebe).await;
        let keys = start(&orloj, 3).await;
        let work = BatchWork::InstanceUpdateSuspensionState { suspended: true };
        let new = NewBatch::new(work, BatchElements::instances(keys));
        let kept = orloj.batches().create(NewBatch { suspended: true, ..new.clone() }).await;
        orloj.batches().delete(kept.unwrap().key, false).await.unwrap();
        let told = orloj.history().recent_job_log(&JobLogFilter::default(), 100).await.unwrap();
        assert_eq!(told.rows.len(), 2, "its seed came and went: {told:?}");
        let batch = orloj.batches().create(NewBatch { suspended: true, ..new }).await.unwrap();
        orloj.batches().delete(batch.key, true).await.unwrap();
        orloj.settle().await;
        let log = orloj.history().recent_job_log(&JobLogFilter::default(), 100).await.unwrap();
        assert_eq!(log, told, "nothing is told of the other");
        assert!(chores(&orloj, JobKind::BatchSeed).await.is_empty());
        let gone = orloj.batches().get(batch.key).await;
        assert!(matches!(gone, Err(Error::Missing(_))), "{gone:?}");
        let nothing = NewBatch::new(
            BatchWork::HistoricInstanceDeletion,
            BatchElements::Ended { keys: Vec::new(), filter: Some(EndedFilter::default()) },
        );
        let refused = orloj.batches().create(nothing).await;
        assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
        orloj.shutdown().await;
    });
}

#[test]
fn ended_instances_are_restarted_and_their_history_is_deleted_in_batches() {
    on_both(|builder| async move {
        let orloj = with_batches(builder, BatchSettings::default()).build().await.unwrap();
        deploy(&orloj, "process order: start -> ask{user} -> end", Dialect::Zeebe).await;
        let keys = start(&orloj, 2).await;
        for key in &keys {
            orloj.cancel(*key).await.unwrap();
        }
        let definition =
            orloj.definitions().list(Default::default(), ALL).await.unwrap()[0].key.raw();
        let restart = BatchWork::InstanceRestart {
            definition,
            before: vec!["ask".into()],
            with_business_key: true,
        };
        orloj
            .batches()
            .create(NewBatch::new(restart, BatchElements::ended(keys.clone())))
            .await
            .unwrap();
        orloj.settle().await;
        assert_eq!(live(&orloj).await, 2);
        let filter = Some(EndedFilter::default());
        let all = BatchElements::Ended { keys: Vec::new(), filter };
        let delete = NewBatch::new(BatchWork::HistoricInstanceDeletion, all);
        orloj.batches().create(delete).await.unwrap();
        orloj.settle().await;
        for key in keys {
            assert!(orloj.instance(key).await.is_err(), "its history is gone");
        }
        orloj.shutdown().await;
    });
}

fn at(hour: u16) -> Option<orloj::settings::TimeOfDay> {
    Some(orloj::settings::TimeOfDay { minute: hour * 60, offset_minutes: None })
}

#[test]
fn history_is_cleaned_up_in_its_window() {
    on_both(|builder| async move {
        let mut settings = Settings::default();
        settings.history.ttl = Some(Ttl { days: 1 });
        settings.history.cleanup.window = Window { start: at(22), end: at(2) };
        settings.history.cleanup.parallelism = 2;
        let orloj = builder.settings(settings).executor(true).build().await.unwrap();
        deploy(&orloj, "process order: start -> ask{user} -> end", Dialect::Zeebe).await;
        let keys = start(&orloj, 3).await;
        for key in &keys {
            orloj.cancel(*key).await.unwrap();
        }
        // It is midnight, so the window is open; it has found nothing, and looks again.
        orloj.settle().await;
        let rows: Vec<JobRow> = orloj.clean_up_jobs().await.unwrap();
        assert_eq!(rows.len(), 2);
        let left = || ended(&orloj);
        pass(&orloj, 12 * 3_600).await;
        assert_eq!(left().await, 3, "a day is not over");
        pass(&orloj, 13 * 3_600).await;
        assert_eq!(left().await, 0, "an hour past midnight, a day later");
        orloj.shutdown().await;
    });
}

#[test]
fn clean_up_without_a_window_runs_when_it_is_wanted() {
    on_both(|builder| async move {
        let mut settings = Settings::default();
        settings.history.ttl = Some(Ttl { days: 0 });
        let orloj = builder.settings(settings).executor(true).build().await.unwrap();
        assert!(orloj.clean_up_jobs().await.unwrap().is_empty());
        deploy(&orloj, "process order: start -> ask{user} -> end", Dialect::Zeebe).await;
        for key in start(&orloj, 2).await {
            orloj.cancel(key).await.unwrap();
        }
        pass(&orloj, 60).await;
        assert_eq!(orloj.clean_up_history(true).await.unwrap().len(), 1);
        orloj.settle().await;
        assert_eq!(ended(&orloj).await, 0);
        let [job] = &orloj.clean_up_jobs().await.unwrap()[..] else { panic!("it lives on") };
        assert_eq!((job.state, job.due_at), (JobState::Suspended, None));
        orloj.shutdown().await;
    });
}
