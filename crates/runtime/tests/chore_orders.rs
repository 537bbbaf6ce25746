//! Orders about jobs of no instance, on both stores: their incidents, running them by hand, their
//! due dates, and what history tells of them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use orloj::history::{IncidentState, JobLogFilter, JobLogState};
use orloj::settings::{HistoryLevel, Settings, Ttl};
use orloj::types::{Document, JobKey, Timestamp};
use orloj::{
    BatchElements, BatchWork, Builder, Call, Deploy, Dialect, Error, Fault, IncidentFilter,
    InstanceQuery, JobAction, JobFilter, JobKind, JobScope, JobState, JobView, NewBatch, Orloj,
    Page, Reschedule, StoreChoice, SuspendDefinition, WhichDefinitions,
};
use orloj_testkit::sketch::Sketch;
use orloj_testkit::story::Database;

const ALL: Page = Page { before: None, limit: 1_000 };
/// 2026-11-16T00:00:00Z, a Monday.
const BEGIN: Timestamp = Timestamp::from_ms(1_794_787_200_000);
const ONCE: &str =
    "process order, camunda: start{timer 10s} -> work{delegate Work} -> ask{user} -> end";
const SERIES: &str =
    "process order, camunda: start{timer R5/10s} -> work{delegate Work} -> ask{user} -> end";

/// The same on SQLite and on PostgreSQL. `Work` fails while it is told to.
fn on_both<F>(story: impl Fn(Builder, Arc<AtomicBool>) -> F)
where
    F: Future<Output = ()>,
{
    let tokio =
        || tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let told = || {
        let fails = Arc::new(AtomicBool::new(false));
        let asked = fails.clone();
        let work = move |_: Call| {
            let fails = asked.load(Ordering::SeqCst);
            async move { if fails { Err(Fault::Failed("no line".into())) } else { Ok(Document::new()) } }
        };
        let builder = Orloj::builder().settings(settings()).node_name("one").executor(true);
        (builder.pinned_clock(BEGIN).delegate("Work", work), fails)
    };
    let (builder, fails) = told();
    tokio().unwrap().block_on(story(builder, fails));
    let database = Database::create();
    let (builder, fails) = told();
    let builder = builder.store(StoreChoice::Postgres(database.url()));
    tokio().unwrap().block_on(story(builder, fails));
}

fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.history.level = HistoryLevel::Full;
    settings
}

async fn deploy(orloj: &Orloj, sketch: &str) {
    deploy_as(orloj, Dialect::Camunda7, sketch).await;
}

async fn deploy_as(orloj: &Orloj, dialect: Dialect, sketch: &str) {
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

/// The start timer, if there is one.
async fn timer(orloj: &Orloj) -> Option<JobView> {
    let filter = JobFilter { kinds: vec![JobKind::StartTimer], ..JobFilter::default() };
    orloj.jobs().list(filter, ALL).await.unwrap().into_iter().next()
}

async fn incidents(orloj: &Orloj) -> Vec<JobKey> {
    let open = orloj.incidents().list(IncidentFilter::default(), ALL).await.unwrap();
    open.iter().filter_map(|incident| incident.job).collect()
}

async fn told(orloj: &Orloj, job: JobKey) -> Vec<(JobLogState, i64)> {
    let filter = JobLogFilter { job: Some(job), ..JobLogFilter::default() };
    let log = orloj.history().recent_job_log(&filter, 100).await.unwrap();
    log.rows.iter().rev().map(|row| (row.state, row.retries)).collect()
}

async fn closed(orloj: &Orloj, job: JobKey) -> Vec<IncidentState> {
    let found = orloj.history().job_incidents(job, 100).await.unwrap();
    found.rows.iter().map(|incident| incident.state).collect()
}

#[test]
fn a_start_timer_dies_as_often_as_it_is_given_retries() {
    on_both(|builder, fails| async move {
        let orloj = builder.build().await.unwrap();
        fails.store(true, Ordering::SeqCst);
        deploy(&orloj, ONCE).await;
        let key = timer(&orloj).await.unwrap().key;
        pass(&orloj, 10).await;
        for round in 1..=3 {
            let dead = timer(&orloj).await.unwrap();
            assert_eq!((dead.state, dead.retries_left), (JobState::Failed, 0), "round {round}");
            assert!(dead.locked_by.is_none(), "round {round}");
            assert_eq!(incidents(&orloj).await, [key], "round {round}");
            match round {
                1 => orloj.jobs().set_retries(key, 2, None).await.unwrap(),
                2 => orloj.jobs().move_to_executable(key, 1).await.unwrap(),
                _ => {
                    // As a batch does it.
                    let work = BatchWork::SetJobRetries { retries: 1, due_ms: None };
                    let new = NewBatch::new(work, BatchElements::jobs([key]));
                    fails.store(false, Ordering::SeqCst);
                    orloj.batches().create(new).await.unwrap();
                }
            }
            orloj.settle().await;
        }
        assert!(timer(&orloj).await.is_none());
        assert_eq!((live(&orloj).await, incidents(&orloj).await), (1, vec![]));
        assert_eq!(closed(&orloj, key).await, [IncidentState::Resolved; 3]);
        let failed = JobLogState::Failed;
        assert_eq!(
            told(&orloj, key).await,
            [
                (JobLogState::Created, 3),
                (failed, 3),
                (failed, 2),
                (failed, 1),
                (failed, 2),
                (failed, 1),
                (failed, 1),
                (JobLogState::Successful, 1),
            ]
        );
        orloj.shutdown().await;
    });
}

#[test]
fn retries_taken_away_by_hand_open_an_incident() {
    on_both(|builder, _| async move {
        let orloj = builder.build().await.unwrap();
        deploy(&orloj, ONCE).await;
        let key = timer(&orloj).await.unwrap().key;
        orloj.jobs().set_retries(key, 0, None).await.unwrap();
        assert_eq!(incidents(&orloj).await, [key]);
        let about = IncidentFilter { job: Some(key), ..IncidentFilter::default() };
        let incident = orloj.incidents().list(about, ALL).await.unwrap().remove(0);
        assert_eq!(&*incident.kind, "failedJob");
        assert_eq!(&*incident.message, "an operator has taken away the retries");
        orloj.jobs().set_retries(key, 0, None).await.unwrap();
        assert_eq!(incidents(&orloj).await, [key], "it has one already");
        orloj.incidents().annotate(incident.key, Some("Anna looks".into())).await.unwrap();
        let noted = orloj.incidents().get(incident.key).await.unwrap().annotation;
        assert_eq!(noted.as_deref(), Some("Anna looks"));

        orloj.incidents().resolve(incident.key).await.unwrap();
        assert_eq!(incidents(&orloj).await, []);
        let again = timer(&orloj).await.unwrap();
        assert_eq!((again.state, again.retries_left), (JobState::Waiting, 1));
        orloj.jobs().move_to_dead_letter(key).await.unwrap();
        assert_eq!(incidents(&orloj).await, [key]);
        orloj.jobs().delete(key).await.unwrap();
        assert!(timer(&orloj).await.is_none());
        assert_eq!(incidents(&orloj).await, []);
        let (deleted, resolved) = (IncidentState::Deleted, IncidentState::Resolved);
        assert_eq!(closed(&orloj, key).await, [deleted, resolved]);
        let told = told(&orloj, key).await;
        assert_eq!(told, [(JobLogState::Created, 3), (JobLogState::Deleted, 0)]);
        orloj.shutdown().await;
    });
}

#[test]
fn a_series_whose_dead_letter_is_run_by_hand_fails_like_a_new_one() {
    on_both(|builder, fails| async move {
        let orloj = builder.build().await.unwrap();
        deploy(&orloj, SERIES).await;
        let key = timer(&orloj).await.unwrap().key;
        orloj.jobs().set_retries(key, 0, None).await.unwrap();
        orloj.jobs().execute(key).await.unwrap();
        assert_eq!((live(&orloj).await, incidents(&orloj).await), (1, vec![]));
        let next = timer(&orloj).await.unwrap();
        assert_eq!((next.state, next.retries_left), (JobState::Waiting, 3));
        fails.store(true, Ordering::SeqCst);
        pass(&orloj, 20).await;
        assert_eq!(incidents(&orloj).await, [next.key]);
        orloj.shutdown().await;
    });
}

#[test]
fn a_chore_is_run_by_hand_though_the_executor_is_off() {
    on_both(|builder, fails| async move {
        let orloj = builder.executor(false).build().await.unwrap();
        deploy(&orloj, SERIES).await;
        let first = timer(&orloj).await.unwrap();
        orloj.jobs().suspend(first.key).await.unwrap();
        fails.store(true, Ordering::SeqCst);
        let failed = orloj.jobs().execute(first.key).await;
        let Err(Error::JobFailed(failure)) = failed else { panic!("it fails: {failed:?}") };
        assert_eq!((&*failure.message, failure.retries_left), ("no line", 2));
        assert_eq!((failure.job, &*failure.element), (first.key, "work"));
        assert_eq!(live(&orloj).await, 0);
        let filter = JobFilter { keys: vec![first.key], ..JobFilter::default() };
        let after = orloj.jobs().list(filter, ALL).await.unwrap().remove(0);
        assert_eq!((after.state, after.retries_left), (JobState::Suspended, 2));
        assert_eq!(after.failure.as_deref(), Some("no line"));
        assert!(after.locked_by.is_none());

        fails.store(false, Ordering::SeqCst);
        orloj.jobs().set_retries(first.key, 0, None).await.unwrap();
        assert_eq!(incidents(&orloj).await, [first.key]);
        orloj.jobs().execute(first.key).await.unwrap();
        assert_eq!((live(&orloj).await, incidents(&orloj).await), (1, vec![]));
        let next = timer(&orloj).await.unwrap();
        assert_ne!(next.key, first.key, "the next of the series");
        assert_eq!(next.state, JobState::Suspended, "as the series was");
        let gone = orloj.jobs().execute(first.key).await;
        assert!(matches!(gone, Err(Error::Missing(_))), "{gone:?}");
        let (created, failed) = (JobLogState::Created, JobLogState::Failed);
        let log = told(&orloj, first.key).await;
        assert_eq!(log, [(created, 3), (failed, 3), (JobLogState::Successful, 0)]);
        orloj.shutdown().await;
    });
}

#[test]
fn whoever_runs_a_suspension_or_a_batch_by_hand_waits_for_its_end() {
    on_both(|builder, _| async move {
        let mut of_jobs = settings();
        of_jobs.jobs.retries = 7;
        let orloj = builder.settings(of_jobs).executor(false).build().await.unwrap();
        deploy(&orloj, "process order: start -> ask{user} -> end").await;
        let which = WhichDefinitions::Process("order".into(), None);
        let at = Some(orloj.now().plus_ms(60_000));
        let order = SuspendDefinition { include_instances: true, at };
        orloj.definitions().suspend(&which, order).await.unwrap();
        let of = |kind| JobFilter { kinds: vec![kind], ..JobFilter::default() };
        let find = async |kind| orloj.jobs().list(of(kind), ALL).await.unwrap().remove(0);
        let chore = find(JobKind::SuspendDefinition).await;
        assert_eq!(chore.retries_left, 7, "as all jobs have it");
        orloj.jobs().execute(chore.key).await.unwrap();
        let refused = orloj.start(orloj::StartInstance::latest("order")).await;
        assert!(refused.is_err(), "{refused:?}");
        assert_eq!(told(&orloj, chore.key).await.len(), 2);

        let work = BatchWork::SetJobRetries { retries: 1, due_ms: None };
        let new = NewBatch::new(work, BatchElements::jobs([JobKey::new(77)]));
        let batch = orloj.batches().create(new).await.unwrap().key;
        orloj.jobs().execute(find(JobKind::BatchSeed).await.key).await.unwrap();
        let part = find(JobKind::BatchPart).await.key;
        let failed = orloj.jobs().execute(part).await;
        assert!(matches!(failed, Err(Error::JobFailed(_))), "{failed:?}");
        let filter = JobLogFilter { job: Some(part), ..JobLogFilter::default() };
        let log = orloj.history().recent_job_log(&filter, 9).await.unwrap().rows;
        assert_eq!(log[0].definition_type.as_deref(), Some("set-job-retries"));
        assert_eq!(log[0].definition_configuration, Some(batch.to_string().into()));
        assert_eq!((log[0].state, log[0].run_by.as_deref()), (JobLogState::Failed, Some("one")));
        orloj.shutdown().await;
    });
}

#[test]
fn the_due_date_of_a_start_timer_is_computed_again() {
    on_both(|builder, _| async move {
        let orloj = builder.build().await.unwrap();
        deploy(&orloj, ONCE).await;
        let made = timer(&orloj).await.unwrap();
        orloj.advance(Duration::from_secs(4)).unwrap();
        orloj.jobs().recalculate_due_date(made.key, false).await.unwrap();
        let due = timer(&orloj).await.unwrap().due_at;
        assert_eq!(due, Some(BEGIN.plus_ms(14_000)), "from now");
        orloj.jobs().recalculate_due_date(made.key, true).await.unwrap();
        assert_eq!(timer(&orloj).await.unwrap().due_at, made.due_at, "from when it was made");
        pass(&orloj, 6).await;
        assert_eq!(live(&orloj).await, 1);
        orloj.shutdown().await;
    });
}

#[test]
fn later_firings_of_a_start_timer_move_with_its_due_date() {
    on_both(|builder, _| async move {
        let orloj = builder.build().await.unwrap();
        deploy(&orloj, SERIES).await;
        let due = async || timer(&orloj).await.unwrap().due_at.unwrap().ms_since(BEGIN) / 1_000;
        let move_to = async |seconds: i64, cascade: bool| {
            let key = timer(&orloj).await.unwrap().key;
            let at = Some(BEGIN.plus_ms(1_000 * seconds));
            orloj.jobs().set_due_date(key, at, cascade).await.unwrap();
        };
        assert_eq!(due().await, 10);
        move_to(13, false).await;
        pass(&orloj, 13).await;
        assert_eq!((live(&orloj).await, due().await), (1, 20), "only the one");
        move_to(24, true).await;
        pass(&orloj, 11).await;
        assert_eq!((live(&orloj).await, due().await), (2, 34), "all that follow");
        pass(&orloj, 10).await;
        assert_eq!((live(&orloj).await, due().await), (3, 44));
        orloj.shutdown().await;
    });
}

#[test]
fn the_job_log_tells_of_jobs_of_no_instance_until_they_are_old() {
    on_both(|builder, fails| async move {
        let mut kept = settings();
        kept.history.cleanup.job_log_ttl = Some(Ttl { days: 3 });
        let orloj = builder.settings(kept).executor(true).build().await.unwrap();
        deploy(&orloj, SERIES).await;
        let first = timer(&orloj).await.unwrap().key;
        fails.store(true, Ordering::SeqCst);
        pass(&orloj, 10).await;
        let of = |states: &[JobLogState]| JobLogFilter {
            states: states.to_vec(),
            ..JobLogFilter::default()
        };
        let history = orloj.history();
        let failed = history.recent_job_log(&of(&[JobLogState::Failed]), 100).await.unwrap().rows;
        assert_eq!(failed.len(), 3);
        let row = &failed[0];
        assert_eq!((row.job, row.instance.raw(), row.retries), (first, 0, 1));
        assert_eq!((&*row.process_id, &*row.element), ("order", "start"));
        assert_eq!(row.failed_element.as_deref(), Some("work"));
        assert_eq!(row.message.as_deref(), Some("no line"));
        assert_eq!(row.run_by.as_deref(), Some("one"));
        assert_eq!(row.definition_type.as_deref(), Some("timer-start-event"));
        assert_eq!(row.definition_configuration.as_deref(), Some("CYCLE: R5/PT10S"));
        let other = JobLogFilter { message: Some("no".into()), ..JobLogFilter::default() };
        assert_eq!(history.recent_job_log(&other, 100).await.unwrap().rows, []);

        // Another version takes the dead letter and the next of the series along.
        deploy(&orloj, "process order, camunda: start{timer 90d} -> ask{user} -> end").await;
        let deleted = history.recent_job_log(&of(&[JobLogState::Deleted]), 100).await.unwrap();
        let mut jobs: Vec<_> = deleted.rows.iter().map(|row| row.job).collect();
        jobs.sort();
        assert_eq!((jobs.len(), jobs[0]), (2, first));
        assert_eq!(closed(&orloj, first).await, [IncidentState::Deleted]);
        assert_eq!(incidents(&orloj).await, []);

        pass(&orloj, 2 * 86_400).await;
        orloj.clean_up_history(true).await.unwrap();
        orloj.settle().await;
        assert_eq!(told(&orloj, first).await.len(), 5, "not old enough");
        pass(&orloj, 2 * 86_400).await;
        orloj.clean_up_history(true).await.unwrap();
        orloj.settle().await;
        assert_eq!(told(&orloj, first).await, []);
        orloj.shutdown().await;
    });
}

#[test]
fn a_level_below_full_keeps_no_log_of_jobs() {
    on_both(|builder, fails| async move {
        let mut audit = settings();
        audit.history.level = HistoryLevel::Audit;
        let orloj = builder.settings(audit).executor(true).build().await.unwrap();
        fails.store(true, Ordering::SeqCst);
        deploy(&orloj, ONCE).await;
        let key = timer(&orloj).await.unwrap().key;
        pass(&orloj, 10).await;
        assert_eq!(incidents(&orloj).await, [key], "the incident itself is there");
        assert_eq!((told(&orloj, key).await, closed(&orloj, key).await), (vec![], vec![]));
        orloj.shutdown().await;
    });
}

#[test]
fn a_start_timer_is_resumed_with_its_definition_and_not_by_itself() {
    on_both(|builder, _| async move {
        let orloj = builder.build().await.unwrap();
        deploy(&orloj, ONCE).await;
        let timer = timer(&orloj).await.unwrap();
        let which = WhichDefinitions::Key(timer.definition);
        let definitions = orloj.definitions();
        definitions.suspend(&which, SuspendDefinition::default()).await.unwrap();
        let refused = orloj.jobs().activate(timer.key).await.unwrap_err().to_string();
        let (job, definition) = (timer.key, timer.definition);
        let said = format!(
            "job {job} stays suspended, since its definition is suspended: orloj definition \
             resume {definition}"
        );
        assert_eq!(refused, said);
        let refused = orloj.jobs().execute(timer.key).await.unwrap_err().to_string();
        assert_eq!(refused, format!("definition {definition} is suspended"));
        definitions.activate(&which, SuspendDefinition::default()).await.unwrap();
        let state = async || orloj.jobs().get(job).await.unwrap().state;
        assert_eq!(state().await, JobState::Waiting);
        orloj.jobs().suspend(job).await.unwrap();
        orloj.jobs().activate(job).await.unwrap();
        assert_eq!(state().await, JobState::Waiting);
        orloj.shutdown().await;
    });
}

/// What is only about a process is not the process's own.
#[test]
fn orders_for_a_process_leave_batches_and_suspensions_alone() {
    on_both(|builder, _| async move {
        let orloj = builder.build().await.unwrap();
        deploy(&orloj, ONCE).await;
        let timer = timer(&orloj).await.unwrap();
        let which = WhichDefinitions::Key(timer.definition);
        let later = SuspendDefinition { at: Some(BEGIN.plus_ms(60_000)), ..Default::default() };
        orloj.definitions().suspend(&which, later).await.unwrap();
        let suspended = async || {
            let filter = JobFilter { states: vec![JobState::Suspended], ..JobFilter::default() };
            let rows = orloj.jobs().list(filter, ALL).await.unwrap();
            rows.iter().map(|row| row.kind).collect::<Vec<_>>()
        };
        let of_definition = JobFilter { definition: Some(timer.definition), ..Default::default() };
        for scope in [
            JobScope::Definition(timer.definition),
            JobScope::Process(timer.process_id.clone(), None),
            JobScope::Filter(of_definition.clone()),
        ] {
            let report = orloj.jobs().all(scope.clone(), JobAction::Suspend).run().await.unwrap();
            assert_eq!(report.done, 1, "{scope:?}");
            assert_eq!(suspended().await, [JobKind::StartTimer]);
            orloj.jobs().all(scope, JobAction::Resume).run().await.unwrap();
        }
        let kinds = vec![JobKind::SuspendDefinition];
        let named = JobFilter { kinds, ..of_definition };
        orloj.jobs().all(named, JobAction::Suspend).run().await.unwrap();
        assert_eq!(suspended().await, [JobKind::SuspendDefinition]);
        orloj.shutdown().await;
    });
}

#[test]
fn a_start_timer_is_rescheduled() {
    on_both(|builder, _| async move {
        let orloj = builder.build().await.unwrap();
        deploy(&orloj, ONCE).await;
        let old = timer(&orloj).await.unwrap();
        let soon = Reschedule::Date("soon".into());
        let refused = orloj.jobs().reschedule(old.key, soon).await.unwrap_err().to_string();
        assert!(refused.contains("'soon' is no ISO 8601 date and time"), "{refused}");
        let minute = Reschedule::Duration("PT1M".into());
        let told_key = orloj.jobs().reschedule(old.key, minute).await.unwrap();
        let new = timer(&orloj).await.unwrap();
        assert_eq!(new.key, told_key);
        assert_ne!(new.key, old.key, "a job of its own");
        assert_eq!(new.due_at, Some(BEGIN.plus_ms(60_000)));
        assert_eq!((new.definition, new.state), (old.definition, JobState::Waiting));
        assert_eq!(told(&orloj, old.key).await[1..], [(JobLogState::Deleted, 3)]);
        assert_eq!(told(&orloj, new.key).await, [(JobLogState::Created, 3)]);
        pass(&orloj, 10).await;
        assert_eq!(live(&orloj).await, 0, "the model's timer is gone");
        pass(&orloj, 50).await;
        assert_eq!(live(&orloj).await, 1);
        assert!(timer(&orloj).await.is_none());
        orloj.shutdown().await;
    });
}

#[test]
fn a_start_timer_that_was_rescheduled_repeats_as_it_is_told() {
    on_both(|builder, _| async move {
        let orloj = builder.build().await.unwrap();
        let sketch = "process order, flowable: start{timer 10s} -> ask{user} -> end";
        deploy_as(&orloj, Dialect::Flowable, sketch).await;
        let key = timer(&orloj).await.unwrap().key;
        let cycle = Reschedule::cycle_until("R/PT1M", "2026-11-16T00:02:30Z").unwrap();
        orloj.jobs().reschedule(key, cycle).await.unwrap();
        for started in [1, 2] {
            pass(&orloj, 60).await;
            assert_eq!(live(&orloj).await, started);
        }
        let left = timer(&orloj).await;
        assert!(left.is_none(), "the end that was given comes before the third: {left:?}");
        orloj.shutdown().await;
    });
}

#[test]
fn a_start_timer_that_is_suspended_stays_so_when_it_is_rescheduled_and_a_dead_one_is_not() {
    on_both(|builder, _| async move {
        let orloj = builder.build().await.unwrap();
        deploy(&orloj, SERIES).await;
        let key = timer(&orloj).await.unwrap().key;
        orloj.jobs().suspend(key).await.unwrap();
        orloj.jobs().reschedule(key, Reschedule::Duration("PT1M".into())).await.unwrap();
        let parked = timer(&orloj).await.unwrap();
        assert_eq!(parked.state, JobState::Suspended);
        orloj.jobs().activate(parked.key).await.unwrap();
        orloj.jobs().move_to_dead_letter(parked.key).await.unwrap();
        let dead = orloj.jobs().reschedule(parked.key, Reschedule::Duration("PT1M".into())).await;
        assert!(matches!(&dead, Err(Error::Invalid(why)) if why.contains("Failed")), "{dead:?}");
        orloj.shutdown().await;
    });
}
