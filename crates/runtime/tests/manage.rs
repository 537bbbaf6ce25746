//! What operators do, through the handle and on both stores: single orders, bulk orders, the log
//! they leave, and why a job does not run.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use orloj::store::{JobDefinitionFilter, OperationFilter};
use orloj::types::{Document, InstanceKey, JobDefinitionKey, JobKey, Timestamp};
use orloj::{
    ActivateJobs, Builder, Call, DefinitionFilter, Deploy, Dialect, Error, ExecutorOptions, Fault,
    IncidentFilter, InstanceAction, InstanceQuery, JobAction, JobDefinitionAction,
    JobDefinitionScope, JobFilter, JobKind, JobScope, JobSet, JobState, LongPoll, Missing,
    NewIncident, Orloj, Page, Reschedule, Restart, StartInstance, StoreChoice, SuspendDefinition,
    SuspendJobs, Suspended, WhichDefinitions,
};
use orloj_testkit::story::Database;

const ALL: Page = Page { before: None, limit: 1_000 };
const BEGIN: Timestamp = Timestamp::from_ms(1_794_787_200_000);

/// A save point before foreign code, then a timer, then a worker.
const ORDER: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="test">
  <process id="order" isExecutable="true" camunda:historyTimeToLive="P1D">
    <startEvent id="start"/>
    <sequenceFlow id="a" sourceRef="start" targetRef="work"/>
    <serviceTask id="work" camunda:asyncBefore="true" camunda:class="test.Work">
      <extensionElements>
        <camunda:failedJobRetryTimeCycle>R1/PT1M</camunda:failedJobRetryTimeCycle>
      </extensionElements>
    </serviceTask>
    <sequenceFlow id="b" sourceRef="work" targetRef="wait"/>
    <intermediateCatchEvent id="wait">
      <timerEventDefinition><timeDuration>PT10M</timeDuration></timerEventDefinition>
    </intermediateCatchEvent>
    <sequenceFlow id="c" sourceRef="wait" targetRef="ship"/>
    <serviceTask id="ship" camunda:type="external" camunda:topic="ship"/>
    <sequenceFlow id="d" sourceRef="ship" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>"#;

/// The same on SQLite and on PostgreSQL. The executor is off.
fn on_both<F>(story: impl Fn(Builder) -> F)
where
    F: Future<Output = ()>,
{
    let tokio =
        || tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let builder = || Orloj::builder().pinned_clock(BEGIN);
    tokio().unwrap().block_on(story(builder()));
    let database = Database::create();
    tokio().unwrap().block_on(story(builder().store(StoreChoice::Postgres(database.url()))));
}

/// `fails`: whether the code of `work` does.
async fn engine(builder: Builder, fails: Arc<AtomicBool>) -> Orloj {
    let work = move |_: Call| {
        let fails = fails.load(Ordering::SeqCst);
        async move {
            match fails {
                true => Err(Fault::failed("no stock")),
                false => Ok(Document::new()),
            }
        }
    };
    let orloj = builder.delegate("test.Work", work).build().await.unwrap();
    deploy(&orloj, ORDER).await;
    orloj
}

async fn deploy(orloj: &Orloj, xml: &str) {
    let file = Deploy::file("order.bpmn", xml.as_bytes());
    orloj.deploy(Deploy { plain_dialect: Some(Dialect::Camunda7), ..file }).await.unwrap();
}

async fn start(orloj: &Orloj) -> InstanceKey {
    orloj.start(StartInstance::latest("order")).await.unwrap().instance
}

async fn job(orloj: &Orloj, instance: InstanceKey) -> JobKey {
    orloj.instance(instance).await.unwrap().jobs[0].key
}

async fn codes(orloj: &Orloj, job: JobKey) -> Vec<&'static str> {
    let explained = orloj.jobs().explain(job).await.unwrap();
    explained.reasons.iter().map(|reason| reason.code).collect()
}

async fn operations(orloj: &Orloj, operation: &str) -> Vec<(String, Option<String>, String)> {
    let filter = OperationFilter { operation: Some(operation.into()), ..Default::default() };
    let rows = orloj.history().operations(filter, ALL).await.unwrap();
    let mut rows: Vec<_> = rows
        .iter()
        .map(|row| {
            let text = |text: &Option<Arc<str>>| text.as_deref().map(str::to_owned);
            let user = row.user.as_deref().unwrap_or_default().to_owned();
            (text(&row.property).unwrap_or_default(), text(&row.new), user)
        })
        .collect();
    rows.sort();
    rows
}

#[test]
fn a_job_is_run_by_hand_and_its_failure_is_the_answer() {
    on_both(|builder| async {
        let fails = Arc::new(AtomicBool::new(true));
        let orloj = engine(builder, fails.clone()).await;
        let instance = start(&orloj).await;
        let key = job(&orloj, instance).await;
        let jobs = orloj.jobs().by("mary");
        let error = jobs.execute(key).await.unwrap_err();
        assert!(matches!(&error, Error::JobFailed(failed) if &*failed.message == "no stock"));
        let view = jobs.get(key).await.unwrap();
        assert_eq!((view.state, view.retries_left), (JobState::Failed, 0));
        assert_eq!(view.failed_element.as_deref(), Some("work"));
        assert_eq!(jobs.stack_trace(key).await.unwrap().as_deref(), Some("no stock"));
        assert_eq!(jobs.count_of(JobSet::DeadLetters, JobFilter::default()).await.unwrap(), 1);
        assert_eq!(codes(&orloj, key).await[..2], ["no-retries", "incident"]);

        fails.store(false, Ordering::SeqCst);
        jobs.execute(key).await.unwrap();
        assert!(matches!(jobs.get(key).await, Err(Error::Missing(Missing::Job(_)))));
        assert_eq!(orloj.incidents().count(IncidentFilter::default()).await.unwrap(), 0);
        let logged = operations(&orloj, "Execute").await;
        assert_eq!(logged.len(), 2);
        assert!(logged.iter().all(|(_, _, user)| user == "mary"));
    });
}

#[test]
fn retries_bring_a_dead_letter_back_and_resolve_its_incident() {
    on_both(|builder| async {
        let orloj = engine(builder, Arc::new(AtomicBool::new(true))).await;
        let mut dead = Vec::new();
        for _ in 0..5 {
            let instance = start(&orloj).await;
            let key = job(&orloj, instance).await;
            orloj.jobs().execute(key).await.unwrap_err();
            dead.push(key);
        }
        let incidents = async || orloj.incidents().count(IncidentFilter::default()).await.unwrap();
        assert_eq!(incidents().await, 5);
        let negative = orloj.jobs().set_retries(dead[0], -1, None).await;
        assert!(matches!(negative, Err(Error::Rejected(_))));
        orloj.jobs().by("mary").set_retries(dead[0], 2, Some(None)).await.unwrap();
        assert_eq!(incidents().await, 4);
        let changed = |property: &str, new: Option<&str>| {
            (property.to_owned(), new.map(str::to_owned), "mary".to_owned())
        };
        assert_eq!(
            operations(&orloj, "SetJobRetries").await,
            [changed("dueDate", None), changed("retries", Some("2"))]
        );
        assert_eq!(codes(&orloj, dead[0]).await, ["no-executor"]);

        // All of the job definition that have none left, and nothing else.
        let definition = orloj.jobs().definition_of(dead[1]).await.unwrap().unwrap();
        let report = orloj.job_definitions().set_retries(definition, 7, None).await.unwrap();
        assert_eq!((report.total, report.done, report.failed), (4, 4, 0));
        assert_eq!(incidents().await, 0);
        let retries = async |key| orloj.jobs().get(key).await.unwrap().retries_left;
        assert_eq!((retries(dead[0]).await, retries(dead[4]).await), (2, 7));
        let executable =
            async || orloj.jobs().count_of(JobSet::Executable, JobFilter::default()).await.unwrap();
        assert_eq!(executable().await, 1, "the others wait for the minute of their cycle");
        orloj.advance(Duration::from_secs(60)).unwrap();
        assert_eq!(executable().await, 5);
    });
}

#[test]
fn a_bulk_reports_what_it_did_and_what_it_could_not() {
    on_both(|builder| async {
        let orloj = engine(builder, Arc::new(AtomicBool::new(true))).await;
        let mut keys = Vec::new();
        for _ in 0..20 {
            let instance = start(&orloj).await;
            keys.push(job(&orloj, instance).await);
        }
        let told = Arc::new(AtomicU64::new(0));
        let telling = told.clone();
        let report = orloj
            .jobs()
            .all(JobFilter::default(), JobAction::SetPriority(50))
            .concurrency(3)
            .on_progress(move |progress| {
                assert_eq!(progress.total, 20);
                telling.fetch_add(1, Ordering::SeqCst);
            })
            .run()
            .await
            .unwrap();
        assert_eq!((report.total, report.done), (20, 20));
        assert_eq!(told.load(Ordering::SeqCst), 21);
        let urgent = JobFilter { priorities: Some(50..=50), ..JobFilter::default() };
        assert_eq!(orloj.jobs().count(urgent).await.unwrap(), 20);

        orloj.jobs().move_to_dead_letter(keys[0]).await.unwrap();
        let named = vec![keys[0], keys[1], JobKey::new(1)];
        let report = orloj.jobs().delete_dead_letters(named).run().await.unwrap();
        assert_eq!((report.done, report.failed), (1, 2), "live jobs are no dead letters");
        assert!(orloj.jobs().get(keys[1]).await.is_ok());
        assert!(orloj.jobs().get(keys[0]).await.is_err());
    });
}

#[test]
fn a_job_that_a_worker_holds_is_not_deleted_until_it_is_unlocked() {
    on_both(|builder| async {
        let orloj = engine(builder, Arc::default()).await;
        let instance = start(&orloj).await;
        orloj.jobs().execute(job(&orloj, instance).await).await.unwrap();
        let timer = job(&orloj, instance).await;
        assert_eq!(codes(&orloj, timer).await, ["not-due", "no-executor"]);
        orloj.jobs().execute(timer).await.unwrap();
        let key = job(&orloj, instance).await;
        assert_eq!(codes(&orloj, key).await, ["no-worker"]);
        let ask = ActivateJobs {
            job_type: "ship".into(),
            worker: "anna".into(),
            timeout_ms: 60_000,
            jobs_max: 1,
            fetch_variables: Vec::new(),
            long_poll: LongPoll::No,
            bytes_max: 1 << 20,
        };
        assert_eq!(orloj.activate_jobs(ask).await.unwrap().len(), 1);
        assert_eq!(codes(&orloj, key).await, ["locked"]);
        let refused = orloj.jobs().delete(key).await;
        assert!(matches!(refused, Err(Error::Locked(locked)) if locked == key));
        orloj.jobs().unlock(key).await.unwrap();
        assert!(matches!(orloj.jobs().unlock(key).await, Err(Error::NotLocked(_))));
        orloj.jobs().by("mary").delete(key).await.unwrap();
        assert!(orloj.instance(instance).await.unwrap().jobs.is_empty());
        assert_eq!(operations(&orloj, "Delete").await.len(), 1);
    });
}

#[test]
fn timers_are_moved_rescheduled_and_run() {
    on_both(|builder| async {
        let orloj = engine(builder, Arc::default()).await;
        let instance = start(&orloj).await;
        orloj.jobs().execute(job(&orloj, instance).await).await.unwrap();
        let timer = job(&orloj, instance).await;
        let due = async |key| orloj.jobs().get(key).await.unwrap().due_at;
        assert_eq!(due(timer).await, Some(BEGIN.plus_ms(600_000)));
        orloj.jobs().set_due_date(timer, Some(BEGIN.plus_ms(5)), false).await.unwrap();
        assert_eq!(due(timer).await, Some(BEGIN.plus_ms(5)));
        orloj.jobs().recalculate_due_date(timer, false).await.unwrap();
        assert_eq!(due(timer).await, Some(BEGIN.plus_ms(600_000)));
        let hour = Reschedule::Duration("PT1H".into());
        let other = orloj.jobs().reschedule(timer, hour).await.unwrap();
        assert_ne!(other, timer);
        assert_eq!(job(&orloj, instance).await, other);
        assert_eq!(due(other).await, Some(BEGIN.plus_ms(3_600_000)));
        orloj.jobs().move_timer_to_executable(other).await.unwrap();
        assert_eq!(orloj.jobs().get(other).await.unwrap().state, JobState::Ready);
        orloj.executor().start().await.unwrap();
        orloj.settle().await;
        assert_eq!(&*orloj.instance(instance).await.unwrap().jobs[0].element, "ship");
    });
}

#[test]
fn suspensions_name_themselves_and_are_lifted() {
    on_both(|builder| async {
        let orloj = engine(builder, Arc::default()).await;
        let instance = start(&orloj).await;
        let key = job(&orloj, instance).await;
        orloj.jobs().suspend(key).await.unwrap();
        assert_eq!(codes(&orloj, key).await[..1], ["suspended"]);
        orloj.jobs().activate(key).await.unwrap();
        assert_eq!(codes(&orloj, key).await, ["no-executor"]);

        orloj.instances().suspend(instance).await.unwrap();
        assert_eq!(codes(&orloj, key).await[..1], ["instance-suspended"]);
        assert!(orloj.instance(instance).await.unwrap().view.is_suspended);
        orloj.instances().activate(instance).await.unwrap();

        let definition = orloj.jobs().definition_of(key).await.unwrap().unwrap();
        let of_jobs = JobDefinitionScope::Key(definition);
        let with_jobs = SuspendJobs { include_jobs: true, at: None };
        orloj.job_definitions().suspend(&of_jobs, with_jobs).await.unwrap();
        let why = ["suspended", "job-definition-suspended"];
        assert_eq!(codes(&orloj, key).await[..2], why);
        let second = start(&orloj).await;
        let made_later = job(&orloj, second).await;
        assert_eq!(codes(&orloj, made_later).await[..2], why);
        orloj.job_definitions().activate(&of_jobs, with_jobs).await.unwrap();
        assert_eq!(codes(&orloj, made_later).await, ["no-executor"]);

        let which = WhichDefinitions::Process("order".into(), None);
        let with_all = SuspendDefinition { include_instances: true, at: None };
        orloj.definitions().by("mary").suspend(&which, with_all).await.unwrap();
        let refused = orloj.start(StartInstance::latest("order")).await;
        assert!(matches!(refused, Err(Error::Rejected(_))), "{refused:?}");
        assert_eq!(codes(&orloj, key).await, ["instance-suspended", "no-executor"]);
        // Nothing else keeps it.
        orloj.instances().activate(instance).await.unwrap();
        assert_eq!(codes(&orloj, key).await, ["no-executor"]);
        orloj.definitions().activate(&which, with_all).await.unwrap();
        assert_eq!(codes(&orloj, key).await, ["no-executor"]);
        start(&orloj).await;
        let logged = operations(&orloj, "SuspendProcessDefinition").await;
        assert_eq!(logged.len(), 2, "{logged:?}");
    });
}

#[test]
fn job_definitions_are_handled_in_bulk() {
    on_both(|builder| async {
        let orloj = engine(builder, Arc::new(AtomicBool::new(true))).await;
        let instance = start(&orloj).await;
        let key = job(&orloj, instance).await;
        let of_work = orloj.jobs().definition_of(key).await.unwrap().unwrap();
        let definitions = orloj.job_definitions();
        let any = JobDefinitionFilter { process_id: Some("order".into()), ..Default::default() };
        let all = definitions.count(any.clone()).await.unwrap();
        assert!(all > 1, "{all}");

        let priority = JobDefinitionAction::SetPriority { priority: 7, cascade: true };
        let report = definitions.all(any.clone(), priority.clone()).run().await.unwrap();
        assert_eq!((report.done, report.failed), (all, 0));
        assert_eq!(orloj.jobs().get(key).await.unwrap().priority, 7);
        let keys = vec![of_work, JobDefinitionKey::new(12)];
        let report = definitions.all(keys, priority).run().await.unwrap();
        assert_eq!((report.done, report.failed, report.errors[0].key), (1, 1, 12));
        let clear = JobDefinitionAction::ClearPriority;
        definitions.all(vec![of_work], clear).run().await.unwrap();
        assert_eq!(definitions.get(of_work).await.unwrap().priority, None);

        orloj.jobs().execute(key).await.unwrap_err();
        let retries = JobDefinitionAction::SetRetries { retries: 4, due: None };
        let report = definitions.all(any.clone(), retries).run().await.unwrap();
        assert_eq!((report.done, report.failed), (all, 0));
        assert_eq!(orloj.jobs().get(key).await.unwrap().retries_left, 4);
        let negative = JobDefinitionAction::SetRetries { retries: -1, due: None };
        orloj.jobs().set_retries(key, 0, None).await.unwrap();
        let report = definitions.all(vec![of_work], negative).run().await.unwrap();
        assert_eq!((report.done, report.failed), (0, 1), "its job refuses");

        let how = SuspendJobs { include_jobs: true, at: None };
        let suspend = JobDefinitionAction::Suspend(how);
        definitions.all(any.clone(), suspend).run().await.unwrap();
        assert_eq!(orloj.jobs().get(key).await.unwrap().state, JobState::Suspended);
        definitions.all(any, JobDefinitionAction::Activate(how)).run().await.unwrap();
        assert_eq!(orloj.jobs().get(key).await.unwrap().state, JobState::Failed);
    });
}

/// Until nothing of any batch is left but monitors.
async fn run_batches(orloj: &Orloj) {
    for kind in [JobKind::BatchSeed, JobKind::BatchPart] {
        let filter = JobFilter { kinds: vec![kind], ..JobFilter::default() };
        for job in orloj.jobs().list(filter, ALL).await.unwrap() {
            orloj.jobs().execute(job.key).await.unwrap();
        }
    }
}

#[test]
fn a_batch_gives_retries_to_those_jobs_of_a_job_definition_that_a_bulk_gives_them_to() {
    on_both(|builder| async {
        let orloj = engine(builder, Arc::new(AtomicBool::new(true))).await;
        let (failed, lives) = (start(&orloj).await, start(&orloj).await);
        let (failed, lives) = (job(&orloj, failed).await, job(&orloj, lives).await);
        orloj.jobs().execute(failed).await.unwrap_err();
        let before = orloj.jobs().get(lives).await.unwrap().retries_left;
        let of_work = orloj.jobs().definition_of(failed).await.unwrap().unwrap();
        let retries = JobAction::SetRetries { retries: 9, due: None };
        let scope = JobScope::JobDefinition(of_work);
        let batch = orloj.jobs().all(scope, retries).as_batch().await.unwrap();
        assert_eq!(orloj.batches().get(batch).await.unwrap().statistics.total, 1);
        run_batches(&orloj).await;
        assert_eq!(orloj.jobs().get(failed).await.unwrap().retries_left, 9);
        assert_eq!(orloj.jobs().get(lives).await.unwrap().retries_left, before);
    });
}

#[test]
fn a_batch_moves_dead_letters_as_a_bulk_does_and_nothing_else() {
    on_both(|builder| async {
        let orloj = engine(builder, Arc::default()).await;
        let jobs = orloj.jobs();
        let (later, revived) = (start(&orloj).await, start(&orloj).await);
        let (later, revived) = (job(&orloj, later).await, job(&orloj, revived).await);
        // One of no instance.
        let at = BEGIN.plus_ms(3_600_000);
        let scope = WhichDefinitions::Process("order".into(), None);
        let how = SuspendDefinition { at: Some(at), ..SuspendDefinition::default() };
        let suspended = orloj.definitions().suspend(&scope, how).await.unwrap();
        let Suspended::Scheduled(chore) = suspended else { panic!("{suspended:?}") };
        jobs.set_due_date(later, Some(at), false).await.unwrap();
        for key in [later, revived, chore] {
            jobs.move_to_dead_letter(key).await.unwrap();
        }
        let moved = jobs.move_dead_letters(JobFilter::default(), 2).as_batch().await.unwrap();
        assert_eq!(orloj.batches().get(moved).await.unwrap().statistics.total, 3);
        // Somebody is faster.
        jobs.move_to_executable(revived, 7).await.unwrap();
        run_batches(&orloj).await;
        for (key, retries) in [(later, 2), (revived, 7), (chore, 2)] {
            let found = jobs.get(key).await.unwrap();
            assert_eq!((found.state, found.retries_left), (JobState::Ready, retries));
        }
        assert_eq!(orloj.batches().get(moved).await.unwrap().statistics.failed, 0);
        let refused = jobs.move_dead_letters(vec![later], 0).as_batch().await;
        assert!(matches!(refused, Err(Error::Rejected(_))), "{refused:?}");
    });
}

#[test]
fn a_bulk_within_a_bulk_is_told_once() {
    on_both(|builder| async {
        let orloj = engine(builder, Arc::new(AtomicBool::new(true))).await;
        let instance = start(&orloj).await;
        let key = job(&orloj, instance).await;
        orloj.jobs().execute(key).await.unwrap_err();
        let any = JobDefinitionFilter { process_id: Some("order".into()), ..Default::default() };
        let all = orloj.job_definitions().count(any.clone()).await.unwrap();
        let retries = JobDefinitionAction::SetRetries { retries: 4, due: None };
        let kim = orloj.job_definitions().by("kim");
        assert_eq!(kim.all(any, retries).run().await.unwrap().done, all);
        assert_eq!(orloj.jobs().get(key).await.unwrap().retries_left, 4);
        let of_kim = |property: &str, new: &str| {
            (property.to_owned(), Some(new.to_owned()), "kim".to_owned())
        };
        assert_eq!(
            operations(&orloj, "SetJobRetries").await,
            [
                of_kim("async", "false"),
                of_kim("nrOfInstances", &all.to_string()),
                of_kim("retries", "4")
            ]
        );
    });
}

#[test]
fn explain_tells_why_no_node_takes_a_job() {
    on_both(|builder| async {
        let options = ExecutorOptions {
            is_active: true,
            priorities: 10..=20,
            categories: Some(vec!["night".into()]),
            ..ExecutorOptions::default()
        };
        let orloj = engine(builder.executor_options(options), Arc::default()).await;
        let instance = start(&orloj).await;
        let key = job(&orloj, instance).await;
        orloj.settle().await;
        assert_eq!(codes(&orloj, key).await, ["priority-outside", "category-not-enabled"]);
        let explained = orloj.jobs().explain(key).await.unwrap();
        let remedy = explained.reasons[0].remedy.as_ref().map(ToString::to_string);
        assert_eq!(remedy, Some(format!("orloj job priority {key} 10")));
        orloj.jobs().set_priority(key, 10).await.unwrap();
        assert_eq!(codes(&orloj, key).await, ["category-not-enabled"]);
    });
}

#[test]
fn a_deleted_version_starts_nothing_and_the_one_before_comes_back() {
    on_both(|builder| async {
        let orloj = engine(builder, Arc::default()).await;
        deploy(&orloj, &ORDER.replace("PT10M", "PT20M")).await;
        let running = start(&orloj).await;
        let process = "order".into();
        let versions = orloj.definitions().versions(&process, &Default::default()).await.unwrap();
        assert_eq!(versions.iter().map(|view| view.version).collect::<Vec<_>>(), [2, 1]);
        orloj.definitions().delete(versions[0].key).await.unwrap();
        let started = orloj.start(StartInstance::latest("order")).await.unwrap();
        assert_eq!(started.version, 1);
        let which = orloj::Which::Definition(versions[0].key);
        let refused = orloj.start(StartInstance { which, ..StartInstance::latest("") }).await;
        assert!(matches!(refused, Err(Error::Missing(Missing::Definition(_)))));
        orloj.jobs().execute(job(&orloj, running).await).await.unwrap();
        let again = orloj.definitions().delete(versions[0].key).await;
        assert!(matches!(again, Err(Error::Missing(_))));

        let deployment = orloj.definitions().query(&DefinitionFilter::default()).await.unwrap();
        let deployment = deployment[0].deployment;
        assert_eq!(&*orloj.deployments().resources(deployment).await.unwrap()[0], "order.bpmn");
        assert!(orloj.deployments().registered().await.unwrap().contains(&deployment));
        assert!(orloj.deployments().delete(deployment, false).await.is_err(), "it has instances");
        orloj.deployments().delete(deployment, true).await.unwrap();
        let gone = orloj.start(StartInstance::latest("order")).await;
        assert!(matches!(gone, Err(Error::Missing(_))), "{gone:?}");
        assert!(orloj.deployments().list().await.unwrap().is_empty());
    });
}

#[test]
fn instances_are_handled_in_bulk_and_restarted() {
    on_both(|builder| async {
        let orloj = engine(builder, Arc::default()).await;
        for _ in 0..10 {
            start(&orloj).await;
        }
        let query = InstanceQuery { process_id: Some("order".into()), ..Default::default() };
        let variables = Document::new().with("vip", true);
        let set = InstanceAction::SetVariables(variables);
        let report = orloj.instances().all(query.clone(), set).run().await.unwrap();
        assert_eq!((report.done, report.failed), (10, 0));
        let report =
            orloj.instances().all(query.clone(), InstanceAction::Delete).run().await.unwrap();
        assert_eq!(report.done, 10);
        assert_eq!(orloj.instances().count(&query).await.unwrap(), 0);
        let ended = orloj.instances().list_ended(&query, ALL).await.unwrap();
        let restarted = orloj.instances().restart(ended[0].key, Restart::default()).await.unwrap();
        let detail = orloj.instances().get(restarted.instance).await.unwrap();
        assert!(detail.variables.get("vip").is_some(), "it goes on with what the old one had");
    });
}

#[test]
fn suspended_instances_are_listed_counted_and_activated() {
    on_both(|builder| async {
        let orloj = engine(builder, Arc::default()).await;
        let mut started = Vec::new();
        for _ in 0..5 {
            started.push(start(&orloj).await);
        }
        let instances = orloj.instances();
        for key in [started[1], started[3]] {
            instances.suspend(key).await.unwrap();
        }
        let that = |suspended| InstanceQuery { suspended: Some(suspended), ..Default::default() };
        let keys = async |suspended, before: Option<InstanceKey>, limit| {
            let page = Page { before: before.map(InstanceKey::raw), limit };
            let views = instances.list(&that(suspended), page).await.unwrap();
            views.iter().map(|view| view.key).collect::<Vec<_>>()
        };
        assert_eq!(keys(true, None, 10).await, [started[3], started[1]]);
        assert_eq!(keys(true, None, 1).await, [started[3]]);
        assert_eq!(keys(true, Some(started[3]), 1).await, [started[1]]);
        assert_eq!(keys(false, None, 2).await, [started[4], started[2]]);
        assert_eq!(instances.count(&that(true)).await.unwrap(), 2);
        assert_eq!(instances.count(&that(false)).await.unwrap(), 3);
        let report = instances.all(that(true), InstanceAction::Activate).run().await.unwrap();
        assert_eq!((report.done, report.failed), (2, 0));
        assert_eq!(instances.count(&that(true)).await.unwrap(), 0);
    });
}

#[test]
fn an_incident_of_a_client_is_told_of_and_resolved() {
    on_both(|builder| async {
        let orloj = engine(builder, Arc::default()).await;
        let instance = start(&orloj).await;
        let new = |kind: &str| NewIncident {
            instance,
            element_instance: None,
            kind: kind.into(),
            configuration: Some("order 7".into()),
            message: "the truck is late".into(),
        };
        orloj.incidents().by("mary").create(new("truck")).await.unwrap();
        assert!(orloj.incidents().create(new("failedJob")).await.is_err(), "the engine's own word");
        let found = orloj.incidents().list(IncidentFilter::default(), ALL).await.unwrap();
        assert_eq!((&*found[0].kind, &*found[0].message), ("truck", "the truck is late"));
        orloj.incidents().annotate(found[0].key, Some("called them".into())).await.unwrap();
        orloj.incidents().resolve(found[0].key).await.unwrap();
        assert_eq!(orloj.incidents().count(IncidentFilter::default()).await.unwrap(), 0);
        assert_eq!(operations(&orloj, "CreateIncident").await.len(), 2);
    });
}

#[test]
fn keys_and_scopes_name_the_same_jobs() {
    on_both(|builder| async {
        let orloj = engine(builder, Arc::default()).await;
        let instance = start(&orloj).await;
        start(&orloj).await;
        let by_instance = JobScope::Instance(instance);
        let report = orloj.jobs().all(by_instance, JobAction::Suspend).run().await.unwrap();
        assert_eq!(report.done, 1);
        let by_process = JobScope::Process("order".into(), None);
        let report = orloj.jobs().all(by_process, JobAction::Suspend).run().await.unwrap();
        assert_eq!(report.done, 2, "suspended twice is suspended");
        orloj.advance(Duration::from_secs(1)).unwrap();
        assert_eq!(
            orloj.jobs().count_of(JobSet::Suspended, JobFilter::default()).await.unwrap(),
            2
        );
    });
}
