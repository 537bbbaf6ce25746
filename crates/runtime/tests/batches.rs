//! Batches through the handle, on both stores: every kind, their job definitions, how they are
//! cut, how they end, and what the log of operations tells.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use orloj::history::JobLogFilter;
use orloj::settings::{BatchSettings, Settings, Ttl};
use orloj::store::{JobDefinitionFilter, OperationFilter};
use orloj::types::{BatchKey, Document, InstanceKey, Timestamp};
use orloj::{
    BatchElements, BatchView, BatchWork, Builder, Call, Deploy, Dialect, Error, Fault,
    InstanceAction, JobAction, JobDefinitionScope, JobDefinitionView, JobFilter, JobKind, JobState,
    JobView, Modification, NewBatch, Orloj, Page, StartInstance, StoreChoice, SuspendJobs,
};
use orloj_testkit::sketch::Sketch;
use orloj_testkit::story::Database;
use tokio::sync::Semaphore;

const ALL: Page = Page { before: None, limit: 1_000 };
const BEGIN: Timestamp = Timestamp::from_ms(1_794_787_200_000);

/// The same on SQLite and on PostgreSQL.
fn on_both<F>(settings: &Settings, story: impl Fn(Builder) -> F)
where
    F: Future<Output = ()>,
{
    let tokio =
        || tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let builder = || Orloj::builder().settings(settings.clone()).executor(true).pinned_clock(BEGIN);
    tokio().unwrap().block_on(story(builder()));
    let database = Database::create();
    tokio().unwrap().block_on(story(builder().store(StoreChoice::Postgres(database.url()))));
}

fn cut(jobs_per_seed: u32) -> Settings {
    let batches = BatchSettings { jobs_per_seed, ..BatchSettings::default() };
    Settings { batches, ..Settings::default() }
}

async fn deploy(orloj: &Orloj, sketch: &str) {
    let sketch = Sketch::parse(sketch).unwrap();
    let file = Deploy::file("model.bpmn", sketch.to_xml().as_bytes());
    orloj.deploy(Deploy { plain_dialect: Some(Dialect::Zeebe), ..file }).await.unwrap();
}

async fn start(orloj: &Orloj, count: usize) -> Vec<InstanceKey> {
    let mut keys = Vec::new();
    for _ in 0..count {
        keys.push(orloj.start(StartInstance::latest("order")).await.unwrap().instance);
    }
    keys
}

async fn pass(orloj: &Orloj, seconds: u64) {
    orloj.advance(Duration::from_secs(seconds)).unwrap();
    orloj.settle().await;
}

async fn jobs(orloj: &Orloj, kind: JobKind) -> Vec<JobView> {
    let filter = JobFilter { kinds: vec![kind], ..JobFilter::default() };
    orloj.jobs().list(filter, ALL).await.unwrap()
}

/// Those of the batch, in the order in which they were made.
async fn definitions(orloj: &Orloj, batch: BatchKey) -> Vec<JobDefinitionView> {
    let configuration = Some(batch.to_string().into());
    let filter = JobDefinitionFilter { configuration, ..JobDefinitionFilter::default() };
    let mut rows = orloj.job_definitions().list(filter, ALL).await.unwrap();
    rows.reverse();
    rows
}

async fn begin(orloj: &Orloj, work: BatchWork, elements: BatchElements) -> BatchView {
    orloj.batches().create(NewBatch::new(work, elements)).await.unwrap()
}

/// Until it has ended by itself.
async fn run(orloj: &Orloj, work: BatchWork, elements: BatchElements) {
    let kind = work.kind();
    let batch = begin(orloj, work, elements).await;
    orloj.settle().await;
    pass(orloj, 31).await;
    let view = orloj.batches().get(batch.key).await.unwrap();
    assert!(view.ended_at.is_some(), "{kind}: {view:?}");
    assert_eq!((view.statistics.failed, view.status()), (0, "completed"), "{kind}");
}

fn variables() -> BatchWork {
    BatchWork::SetVariables { variables: r#"{"x":1}"#.into() }
}

#[test]
fn every_kind_does_what_it_says() {
    on_both(&Settings::default(), |builder| async move {
        let orloj = builder.build().await.unwrap();
        deploy(
            &orloj,
            "process order: start -> work{service work} -> wait{receive go, key k} -> end",
        )
        .await;
        let first = orloj.definitions().list(Default::default(), ALL).await.unwrap()[0].key;
        let keys: Vec<InstanceKey> = {
            let mut keys = Vec::new();
            for _ in 0..2 {
                let variables = orloj::types::Document::parse(r#"{"k":"a"}"#).unwrap();
                let start = StartInstance { variables, ..StartInstance::latest("order") };
                keys.push(orloj.start(start).await.unwrap().instance);
            }
            keys
        };
        let all = || BatchElements::instances(keys.clone());
        let worker = || async { jobs(&orloj, JobKind::Worker).await };

        let of_jobs = BatchElements::jobs(worker().await.iter().map(|job| job.key));
        run(&orloj, BatchWork::SetJobRetries { retries: 7, due_ms: None }, of_jobs.clone()).await;
        assert!(worker().await.iter().all(|job| job.retries_left == 7));
        run(&orloj, BatchWork::SetExternalTaskRetries { retries: 5 }, of_jobs).await;
        assert!(worker().await.iter().all(|job| job.retries_left == 5));

        let suspend = |suspended| BatchWork::InstanceUpdateSuspensionState { suspended };
        run(&orloj, suspend(true), all()).await;
        assert!(worker().await.iter().all(|job| job.state == JobState::Suspended));
        run(&orloj, suspend(false), all()).await;
        assert!(worker().await.iter().all(|job| job.state == JobState::Ready));

        deploy(
            &orloj,
            "process order: start -> work{service other} -> wait{receive go, key k} -> end",
        )
        .await;
        let newest = orloj.definitions().list(Default::default(), ALL).await.unwrap()[0].key;
        assert_ne!(first, newest);
        let plan = vec![("work".into(), "work".into())];
        run(&orloj, BatchWork::InstanceMigration { definition: newest.raw(), plan }, all()).await;
        for key in &keys {
            assert_eq!(orloj.instance(*key).await.unwrap().view.definition, newest);
        }

        let before = Modification::StartBefore {
            element: "wait".into(),
            variables: String::new(),
            locals: String::new(),
        };
        let instructions = vec![before, Modification::CancelAll { element: "work".into() }];
        run(&orloj, BatchWork::InstanceModification { instructions }, all()).await;
        assert!(worker().await.is_empty());

        let message = BatchWork::CorrelateMessage { name: "go".into(), variables: "{}".into() };
        run(&orloj, message, all()).await;
        let gone = orloj.instances().count(&Default::default()).await.unwrap();
        assert_eq!(gone, 0, "the message has ended them");

        let at = orloj.now().plus_ms(1_000);
        let removal = BatchWork::ProcessSetRemovalTime { at_ms: Some(at.as_ms()) };
        run(&orloj, removal, BatchElements::ended(keys.clone())).await;
        orloj.clean_up_history(true).await.unwrap();
        orloj.settle().await;
        for key in &keys {
            assert!(matches!(orloj.instance(*key).await, Err(Error::Missing(_))));
        }
        orloj.shutdown().await;
    });
}

#[test]
fn ended_batches_get_another_time_of_removal() {
    on_both(&Settings::default(), |builder| async move {
        let orloj = builder.build().await.unwrap();
        deploy(&orloj, "process order: start -> ask{user} -> end").await;
        let keys = start(&orloj, 1).await;
        let ended = begin(&orloj, variables(), BatchElements::instances(keys.clone())).await.key;
        orloj.settle().await;
        pass(&orloj, 31).await;
        assert_eq!(orloj.batches().get(ended).await.unwrap().removal_at, None);
        let at = orloj.now().plus_ms(60_000);
        let removal = || BatchWork::BatchSetRemovalTime { at_ms: Some(at.as_ms()) };
        run(&orloj, removal(), BatchElements::batches([ended])).await;
        assert_eq!(orloj.batches().get(ended).await.unwrap().removal_at, Some(at));

        // One that has not ended has no such time yet.
        let new = NewBatch::new(variables(), BatchElements::instances(keys));
        let open = orloj.batches().create(NewBatch { suspended: true, ..new }).await.unwrap().key;
        let failing = begin(&orloj, removal(), BatchElements::batches([open])).await.key;
        orloj.settle().await;
        assert_eq!(orloj.batches().statistics(failing).await.unwrap().failed, 1);

        pass(&orloj, 60).await;
        orloj.clean_up_history(true).await.unwrap();
        orloj.settle().await;
        assert!(matches!(orloj.batches().get(ended).await, Err(Error::Missing(_))));
        for kind in ["historic-decision-instance-deletion", "decision-set-removal-time"] {
            assert!(orloj::refused_batch(kind).is_some());
        }
        orloj.shutdown().await;
    });
}

#[test]
fn the_job_definitions_of_a_batch_are_set_one_by_one() {
    on_both(&cut(2), |builder| async move {
        let orloj = builder.build().await.unwrap();
        deploy(&orloj, "process order: start -> ask{user} -> end").await;
        let keys = start(&orloj, 6).await;
        let new = NewBatch::new(variables(), BatchElements::instances(keys));
        let batch = orloj.batches().create(NewBatch { suspended: true, ..new }).await.unwrap();
        let rows = definitions(&orloj, batch.key).await;
        let words: Vec<_> = rows.iter().map(|row| (&*row.kind, row.suspended)).collect();
        let expected =
            [("batch-seed-job", true), ("batch-monitor-job", true), ("set-variables", true)];
        assert_eq!(words, expected);
        let seed = &jobs(&orloj, JobKind::BatchSeed).await[0];
        let of_seed = orloj.jobs().definition_of(seed.key).await.unwrap();
        assert_eq!(of_seed, Some(rows[0].key));

        // The seed goes on alone; what it makes is suspended and has the priority that was set.
        orloj.job_definitions().set_priority(rows[2].key, 42, false).await.unwrap();
        let how = SuspendJobs { include_jobs: true, at: None };
        let of = |at: usize| JobDefinitionScope::Key(rows[at].key);
        orloj.job_definitions().activate(&of(0), how).await.unwrap();
        orloj.settle().await;
        let parts = jobs(&orloj, JobKind::BatchPart).await;
        let set: Vec<_> = parts.iter().map(|job| (job.state, job.priority)).collect();
        // The batch counts as suspended as a whole; without that, its job definition is to blame.
        let explained = orloj.jobs().explain(parts[0].key).await.unwrap();
        assert_eq!(explained.reasons[0].code, "batch-suspended");
        assert_eq!(set, [(JobState::Suspended, 42); 6]);
        assert!(jobs(&orloj, JobKind::BatchSeed).await.is_empty());
        assert_eq!(jobs(&orloj, JobKind::BatchMonitor).await[0].state, JobState::Suspended);

        orloj.batches().activate(batch.key).await.unwrap();
        orloj.settle().await;
        pass(&orloj, 31).await;
        let view = orloj.batches().get(batch.key).await.unwrap();
        assert_eq!((view.ended_at.is_some(), view.statistics.done), (true, 6), "{view:?}");
        assert!(definitions(&orloj, batch.key).await.is_empty(), "they go with it");
        orloj.shutdown().await;
    });
}

#[test]
fn parts_wait_for_their_job_definition_alone() {
    let mut settings = Settings::default();
    settings.batches.poll_cycle = Some("0 0/5 * * * ?".into());
    on_both(&settings, |builder| async move {
        let orloj = builder.build().await.unwrap();
        deploy(&orloj, "process order: start -> ask{user} -> end").await;
        let keys = start(&orloj, 1).await;
        let new = NewBatch::new(variables(), BatchElements::instances(keys));
        let batch = orloj.batches().create(NewBatch { suspended: true, ..new }).await.unwrap();
        let rows = definitions(&orloj, batch.key).await;
        let how = SuspendJobs { include_jobs: true, at: None };
        for row in &rows[..2] {
            orloj.job_definitions().activate(&JobDefinitionScope::Key(row.key), how).await.unwrap();
        }
        orloj.settle().await;
        let [part] = &jobs(&orloj, JobKind::BatchPart).await[..] else { panic!("one part") };
        assert_eq!(part.state, JobState::Suspended);
        // It looks again by the cycle, not after half a minute.
        pass(&orloj, 31).await;
        let monitors = jobs(&orloj, JobKind::BatchMonitor).await;
        assert!(
            monitors.iter().all(|job| job.due_at == Some(BEGIN.plus_ms(300_000))),
            "{monitors:?}"
        );
        let part = JobDefinitionScope::Key(rows[2].key);
        orloj.job_definitions().activate(&part, how).await.unwrap();
        orloj.settle().await;
        pass(&orloj, 300).await;
        let view = orloj.batches().get(batch.key).await.unwrap();
        assert_eq!((view.ended_at.is_some(), view.status()), (true, "completed"));
        orloj.shutdown().await;
    });
}

#[test]
fn a_seed_makes_as_many_parts_as_it_is_told() {
    on_both(&cut(7), |builder| async move {
        let orloj = builder.executor(false).build().await.unwrap();
        // Enough of them that a run used to make more: a seed would have needed hundreds of runs.
        let keys = (1..=4_000).map(InstanceKey::new);
        let batch = begin(&orloj, variables(), BatchElements::instances(keys)).await;
        assert_eq!(batch.statistics.total, 4_000);
        for run in 1..=3 {
            let seeds = jobs(&orloj, JobKind::BatchSeed).await;
            orloj.jobs().execute(seeds[0].key).await.unwrap();
            let made = orloj.batches().statistics(batch.key).await.unwrap().made;
            assert_eq!((seeds.len(), made), (1, 7 * run));
        }
        let mut first: Vec<_> = jobs(&orloj, JobKind::BatchPart).await;
        first.sort_by_key(|job| job.key);
        assert_eq!(first.len(), 21);
        orloj.shutdown().await;
    });
}

#[test]
fn a_batch_that_is_deleted_half_way_tells_how_far_it_came() {
    let mut settings = cut(2);
    settings.history.batch_ttl = Some(Ttl { days: 3 });
    on_both(&settings, |builder| async move {
        let orloj = builder.executor(false).build().await.unwrap();
        deploy(&orloj, "process order: start -> ask{user} -> end").await;
        let mut keys = start(&orloj, 3).await;
        keys.insert(0, InstanceKey::new(12));
        let batch = begin(&orloj, variables(), BatchElements::instances(keys)).await;
        let seeds = jobs(&orloj, JobKind::BatchSeed).await;
        orloj.jobs().execute(seeds[0].key).await.unwrap();
        let mut parts = jobs(&orloj, JobKind::BatchPart).await;
        parts.sort_by_key(|job| job.key);
        // That of the instance that is not there belongs to no definition, and comes first.
        while jobs(&orloj, JobKind::BatchPart).await.iter().all(|job| job.retries_left > 0) {
            orloj.jobs().execute(parts[0].key).await.unwrap_err();
        }
        orloj.batches().by("anna").delete(batch.key, false).await.unwrap();
        let view = orloj.batches().get(batch.key).await.unwrap();
        let numbers = view.statistics;
        assert_eq!((numbers.total, numbers.made, numbers.done, numbers.failed), (4, 1, 0, 1));
        assert_eq!(view.status(), "deleted");
        assert_eq!(view.removal_at, Some(BEGIN.plus_ms(3 * 86_400_000)));
        for kind in [JobKind::BatchSeed, JobKind::BatchMonitor, JobKind::BatchPart] {
            assert!(jobs(&orloj, kind).await.is_empty());
        }
        assert!(definitions(&orloj, batch.key).await.is_empty());
        orloj.shutdown().await;
    });
}

/// A part that is at work while its batch is deleted, and that fails afterwards.
#[test]
fn nothing_of_a_deleted_batch_comes_back() {
    on_both(&cut(100), |builder| async move {
        let gate = Arc::new(Semaphore::new(0));
        let (entry, calls) = (gate.clone(), Arc::new(AtomicU32::new(0)));
        let counted = calls.clone();
        let work = move |_: Call| {
            let (entry, nth) = (entry.clone(), counted.fetch_add(1, Ordering::SeqCst));
            async move {
                if nth == 0 {
                    return Ok(Document::new());
                }
                entry.acquire().await.unwrap().forget();
                Err(Fault::failed("no line"))
            }
        };
        let orloj = builder.delegate("Work", work).build().await.unwrap();
        let sketch =
            Sketch::parse("process order, camunda: start -> work{delegate Work} -> end").unwrap();
        let file = Deploy::file("model.bpmn", sketch.to_xml().as_bytes());
        let file = Deploy { plain_dialect: Some(Dialect::Camunda7), ..file };
        orloj.deploy(file).await.unwrap();
        let key = start(&orloj, 1).await[0];
        let definition = orloj.definitions().list(Default::default(), ALL).await.unwrap()[0].key;
        let work = BatchWork::InstanceRestart {
            definition: definition.raw(),
            before: vec!["work".into()],
            with_business_key: false,
        };
        let batch = begin(&orloj, work, BatchElements::ended([key])).await;
        while calls.load(Ordering::SeqCst) < 2 {
            tokio::task::yield_now().await;
        }
        let deleting = orloj.batches();
        let deleting = deleting.delete(batch.key, false);
        let opening = async {
            // Until it is deleted.
            while orloj.batches().get(batch.key).await.unwrap().ended_at.is_none() {
                tokio::task::yield_now().await;
            }
            gate.add_permits(100);
        };
        let (deleted, ()) = tokio::join!(deleting, opening);
        deleted.unwrap();
        let left = JobFilter { batch: Some(batch.key), ..JobFilter::default() };
        assert_eq!(orloj.jobs().list(left, ALL).await.unwrap().len(), 0);
        assert_eq!(calls.load(Ordering::SeqCst), 2, "it is not tried again");
        orloj.shutdown().await;
    });
}

/// `operation entity property new`, oldest first.
async fn log(orloj: &Orloj) -> Vec<String> {
    let rows = orloj.history().operations(OperationFilter::default(), ALL).await.unwrap();
    let told = rows.iter().rev().map(|row| {
        let text = |text: &Option<std::sync::Arc<str>>| text.as_deref().unwrap_or("-").to_owned();
        let (property, new) = (text(&row.property), text(&row.new));
        format!("{} {} {property} {new}", row.operation, row.entity)
    });
    told.collect()
}

#[test]
fn the_log_tells_of_batches_and_clean_ups() {
    on_both(&Settings::default(), |builder| async move {
        let orloj = builder.executor(false).build().await.unwrap();
        deploy(&orloj, "process order: start -> work{service work} -> end").await;
        start(&orloj, 2).await;
        let anna = orloj.as_user("anna");
        let filter = Some(JobFilter { kinds: vec![JobKind::Worker], ..JobFilter::default() });
        let elements = BatchElements::Jobs { keys: Vec::new(), filter };
        let work = BatchWork::SetExternalTaskRetries { retries: 4 };
        let batch = anna.batches().create(NewBatch::new(work, elements)).await.unwrap();
        assert_eq!(batch.created_by.as_deref(), Some("anna"));
        anna.batches().suspend(batch.key).await.unwrap();
        anna.batches().activate(batch.key).await.unwrap();
        anna.batches().delete(batch.key, true).await.unwrap();
        anna.clean_up_history(true).await.unwrap();
        let job = jobs(&orloj, JobKind::Worker).await[0].key;
        anna.jobs().set_retries(job, 9, None).await.unwrap();
        assert_eq!(
            log(&orloj).await,
            [
                "SetExternalTaskRetries ExternalTask nrOfInstances 2",
                "SetExternalTaskRetries ExternalTask async true",
                "SetExternalTaskRetries ExternalTask retries 4",
                "SuspendBatch Batch suspensionState suspended",
                "ActivateBatch Batch suspensionState active",
                "Delete Batch cascadeToHistory true",
                "CreateHistoryCleanupJobs Job immediatelyDue true",
                "SetExternalTaskRetries ExternalTask retries 9",
            ]
        );
        orloj.shutdown().await;
    });
}

#[test]
fn an_ended_batch_is_deleted_from_history() {
    on_both(&Settings::default(), |builder| async move {
        let orloj = builder.executor(false).build().await.unwrap();
        deploy(&orloj, "process order: start -> work{service work} -> end").await;
        start(&orloj, 2).await;
        let filter = Some(JobFilter { kinds: vec![JobKind::Worker], ..JobFilter::default() });
        let elements = BatchElements::Jobs { keys: Vec::new(), filter };
        let work = BatchWork::SetExternalTaskRetries { retries: 4 };
        let batch = orloj.batches().create(NewBatch::new(work, elements)).await.unwrap().key;
        orloj.batches().delete(batch, false).await.unwrap();
        assert!(orloj.batches().get(batch).await.unwrap().ended_at.is_some());
        let refused = orloj.batches().delete(batch, false).await;
        let reason = format!("batch {batch} has ended; cascade to delete it from history");
        assert!(matches!(refused, Err(Error::Invalid(said)) if said == reason));
        let told = async || {
            let log = orloj.history().recent_job_log(&JobLogFilter::default(), 100).await.unwrap();
            let of = batch.to_string();
            log.rows
                .iter()
                .filter(|row| row.definition_configuration.as_deref() == Some(&of))
                .count()
        };
        assert_ne!(told().await, 0);
        orloj.as_user("anna").batches().delete(batch, true).await.unwrap();
        assert!(matches!(orloj.batches().get(batch).await, Err(Error::Missing(_))));
        assert_eq!(told().await, 0, "and its log with it");
        assert_eq!(log(&orloj).await.last().unwrap(), "DeleteHistory Batch - -");
        let gone = orloj.batches().delete(batch, true).await;
        assert!(matches!(gone, Err(Error::Missing(_))));
        orloj.shutdown().await;
    });
}

#[test]
fn one_operation_on_many_leaves_a_summary_or_an_entry_for_each() {
    for (entries_max, expected) in [
        (
            1,
            vec![
                "Suspend ProcessInstance nrOfInstances 3",
                "Suspend ProcessInstance async false",
                "Suspend ProcessInstance suspensionState suspended",
            ],
        ),
        (-1, vec!["Suspend ProcessInstance suspensionState suspended"; 3]),
        (3, vec!["Suspend ProcessInstance suspensionState suspended"; 3]),
        (2, vec![]),
    ] {
        let mut settings = Settings::default();
        settings.operations.entries_max = entries_max;
        on_both(&settings, |builder| {
            let expected = expected.clone();
            async move {
                let orloj = builder.executor(false).build().await.unwrap();
                deploy(&orloj, "process order: start -> work{service work} -> end").await;
                let keys = start(&orloj, 3).await;
                let anna = orloj.as_user("anna");
                let report =
                    anna.instances().all(keys.clone(), InstanceAction::Suspend).run().await;
                let is_refused = matches!(&report, Err(Error::Invalid(_)));
                assert_eq!(is_refused, expected.is_empty(), "{report:?}");
                assert_eq!(log(&orloj).await, expected);
                let told = orloj.history().operations(OperationFilter::default(), ALL).await;
                let groups: BTreeSet<_> = told.unwrap().iter().map(|row| row.group).collect();
                assert_eq!(groups.len(), usize::from(!is_refused), "it is one operation");
                // One alone is told as it is.
                let job = jobs(&orloj, JobKind::Worker).await[0].key;
                anna.jobs().all(job, JobAction::SetPriority(3)).run().await.unwrap();
                let last = log(&orloj).await.pop();
                assert_eq!(last.as_deref(), Some("SetPriority ExternalTask priority 3"));
                orloj.shutdown().await;
            }
        });
    }
}
