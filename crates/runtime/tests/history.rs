//! What history tells, at each level, on both stores.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use orloj::history::{
    HistoryFilter, IncidentState, JobLogFilter, JobLogState, RECENT_INSTANCES_MAX, Span, TaskState,
};
use orloj::settings::{HistoryLevel, Profile, RemovalTime, Settings, Ttl};
use orloj::store::{EndedFilter, MeterQuery, OperationFilter, Store};
use orloj::types::{Document, InstanceKey, JobKey, Timestamp};
use orloj::{
    Builder, Call, Deploy, Error, Fault, InstanceState, Meter, Orloj, Page, StartInstance,
    StoreChoice, UserTaskFilter,
};
use orloj_testkit::story::Database;
use proptest::prelude::*;

const NOW: Timestamp = Timestamp::from_ms(1_900_000_000_000);
const ALL: Page = Page { before: None, limit: 100 };

/// A step that fails twice, then a person, then a called process.
const ORDER: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="t">
  <process id="order" isExecutable="true" camunda:historyTimeToLive="P5D">
    <startEvent id="start"/>
    <sequenceFlow id="a" sourceRef="start" targetRef="charge"/>
    <serviceTask id="charge" name="Charge the card" camunda:class="test.Charge"
        camunda:asyncBefore="true" camunda:jobPriority="7">
      <extensionElements>
        <camunda:failedJobRetryTimeCycle>R2/PT0S</camunda:failedJobRetryTimeCycle>
      </extensionElements>
    </serviceTask>
    <sequenceFlow id="b" sourceRef="charge" targetRef="ask"/>
    <userTask id="ask" name="Ask Anna" camunda:assignee="anna"/>
    <sequenceFlow id="c" sourceRef="ask" targetRef="ship"/>
    <callActivity id="ship" calledElement="shipping"/>
    <sequenceFlow id="d" sourceRef="ship" targetRef="end"/>
    <endEvent id="end"/>
    <boundaryEvent id="late" attachedToRef="ask">
      <timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition>
    </boundaryEvent>
    <sequenceFlow id="e" sourceRef="late" targetRef="end"/>
  </process>
  <process id="shipping" isExecutable="true">
    <startEvent id="begin"/>
    <sequenceFlow id="f" sourceRef="begin" targetRef="done"/>
    <endEvent id="done"/>
  </process>
</definitions>"#;

/// Fails until it may not any more.
fn builder(failures: u32, settings: Settings) -> Builder {
    let left = Arc::new(AtomicU32::new(failures));
    Orloj::builder().settings(settings).node_name("one").executor(true).pinned_clock(NOW).delegate(
        "test.Charge",
        move |_: Call| {
            let fails = left
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
                .is_ok();
            async move {
                if fails {
                    return Err(Fault::failed("the card is blocked"));
                }
                Ok(Document::new().with("charged", 90).with("note", "x".repeat(10_000).as_str()))
            }
        },
    )
}

fn at_level(level: HistoryLevel) -> Settings {
    let mut settings = Settings::default();
    settings.history.level = level;
    settings
}

async fn deployed(builder: Builder) -> Orloj {
    let orloj = builder.build().await.unwrap();
    orloj.deploy(Deploy::file("order.bpmn", ORDER.as_bytes())).await.unwrap();
    orloj
}

/// Starts one and lets it come to the user task.
async fn ordered(orloj: &Orloj) -> InstanceKey {
    let variables = Document::new().with("total", 90).with("gone", true);
    let mut start = StartInstance::latest("order").with(variables);
    start.business_key = Some("order-1".into());
    let instance = orloj.start(start).await.unwrap().instance;
    orloj.settle().await;
    instance
}

async fn ask_anna(orloj: &Orloj, instance: InstanceKey) {
    orloj.advance(Duration::from_secs(60)).unwrap();
    orloj.settle().await;
    let filter = UserTaskFilter { instance: Some(instance) };
    let task = orloj.user_tasks(filter, ALL).await.unwrap()[0].key;
    orloj.complete_user_task(task, Document::new().with("total", 95)).await.unwrap();
    orloj.settle().await;
}

/// The same story on each store.
fn on_both_stores(story: impl AsyncFn(Builder) + Copy, make: impl Fn() -> Builder) {
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let tokio = tokio.unwrap();
    tokio.block_on(story(make().store(StoreChoice::Memory)));
    let database = Database::create();
    tokio.block_on(story(make().store(StoreChoice::Postgres(database.url()))));
}

#[test]
fn everything_that_happened_is_told() {
    on_both_stores(everything, || builder(1, Settings::default()));
}

async fn everything(builder: Builder) {
    let orloj = deployed(builder).await;
    let history = orloj.history();
    let instance = ordered(&orloj).await;
    let all = Span::default();

    let open: Vec<_> = history.activities(instance, all).await.unwrap();
    let open: Vec<_> = open.iter().filter(|visit| visit.left_at.is_none()).collect();
    assert_eq!(open.len(), 1, "{open:?}");
    assert_eq!((&*open[0].element, open[0].kind), ("ask", "userTask"));
    assert_eq!(open[0].assignee.as_deref(), Some("anna"));

    ask_anna(&orloj, instance).await;
    let visits = history.activities(instance, all).await.unwrap();
    let told: Vec<_> = visits.iter().map(|v| (&*v.element, v.duration_ms)).collect();
    let (quick, slow) = (Some(0), Some(60_000));
    assert_eq!(
        told,
        [("start", quick), ("charge", quick), ("ask", slow), ("ship", quick), ("end", quick)]
    );
    assert_eq!(visits[1].name.as_deref(), Some("Charge the card"));
    assert!(visits.iter().all(|visit| !visit.is_cancelled));
    let called = visits[3].called.expect("an instance of shipping");
    let below = history.activities(called, all).await.unwrap();
    assert_eq!(below.iter().map(|v| &*v.element).collect::<Vec<_>>(), ["begin", "done"]);
    let part = history.activities(instance, Span { skip: 1, limit: 2 }).await.unwrap();
    assert_eq!(part, visits[1..3]);

    let tasks = history.tasks(instance, all).await.unwrap();
    assert_eq!(tasks.len(), 1);
    assert_eq!((&*tasks[0].element, tasks[0].state), ("ask", TaskState::Completed));
    assert_eq!(tasks[0].name.as_deref(), Some("Ask Anna"));
    assert_eq!((tasks[0].assignee.as_deref(), tasks[0].duration_ms), (Some("anna"), slow));

    job_log(&orloj, instance).await;
    variables(&orloj, instance).await;
    instances(&orloj, instance, called).await;

    let definition = orloj.instance(instance).await.unwrap().view.definition;
    let heat = history.heat(definition).await.unwrap();
    assert_eq!((heat.instances, heat.is_partial), (2, false));
    let ask = heat.elements[&orloj::types::ElementId::from("ask")];
    assert_eq!((ask.open, ask.left, ask.cancelled), (1, 1, 0));
    orloj.shutdown().await;
}

async fn job_log(orloj: &Orloj, instance: InstanceKey) {
    let log =
        orloj.history().job_log(instance, &JobLogFilter::default(), Span::default()).await.unwrap();
    let told: Vec<_> = log
        .iter()
        .map(|row| {
            let by = row.run_by.as_deref().unwrap_or("-");
            let word = row.definition_type.as_deref().unwrap_or("-");
            let configuration = row.definition_configuration.as_deref().unwrap_or("-");
            format!(
                "{} {} #{} retries {} by {by}: {word} {configuration}",
                row.element,
                row.state.word(),
                row.sequence,
                row.retries,
            )
        })
        .collect();
    let expected = [
        "charge created #0 retries 2 by -: async-continuation async-before",
        "charge failed #1 retries 2 by one: async-continuation async-before",
        "charge successful #2 retries 1 by one: async-continuation async-before",
        "late created #0 retries 3 by -: timer-transition DURATION: PT1H",
        "late deleted #1 retries 3 by -: timer-transition DURATION: PT1H",
    ];
    assert_eq!(told, expected);
    assert!(log.iter().take(3).all(|row| row.priority == 7));
    assert_eq!(log[1].message.as_deref(), Some("the card is blocked"));
    assert_eq!(log[1].failed_element.as_deref(), Some("charge"));
    assert_eq!(log[3].due_at, Some(NOW.plus_ms(3_600_000)));
    let recent = orloj.history().recent_job_log(&JobLogFilter::default(), 2).await.unwrap();
    assert_eq!((recent.rows.len(), recent.is_partial), (2, false));
    assert_eq!(recent.rows[0].state, JobLogState::Deleted);
    let any = JobLogFilter::default;
    let table = [
        (JobLogFilter { element: Some("late".into()), ..any() }, 2),
        (JobLogFilter { run_by: Some("one".into()), ..any() }, 2),
        (JobLogFilter { run_by: Some("other".into()), ..any() }, 0),
        (JobLogFilter { process_id: Some("shipping".into()), ..any() }, 0),
        (JobLogFilter { definition: Some(log[0].definition), ..any() }, 5),
        (JobLogFilter { from: Some(log[4].at.plus_ms(1)), ..any() }, 0),
        (JobLogFilter { from: Some(log[0].at), until: Some(log[0].at), ..any() }, 0),
    ];
    for (filter, expected) in table {
        let found = orloj.history().recent_job_log(&filter, 100).await.unwrap();
        assert_eq!(found.rows.len(), expected, "{filter:?}");
    }
}

#[test]
fn a_job_log_of_one_process_or_time_reaches_beyond_the_newest_instances() {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tokio.block_on(async {
        let orloj = deployed(builder(0, at_level(HistoryLevel::Full))).await;
        orloj.start(StartInstance::latest("order")).await.unwrap();
        orloj.settle().await;
        orloj.advance(Duration::from_secs(60)).unwrap();
        for _ in 0..=RECENT_INSTANCES_MAX {
            orloj.start(StartInstance::latest("shipping")).await.unwrap();
        }
        let found = async |filter: JobLogFilter| {
            let found = orloj.history().recent_job_log(&filter, 100).await.unwrap();
            (found.rows.len(), found.is_partial)
        };
        let any = JobLogFilter::default;
        assert_eq!(found(any()).await, (0, true), "the order is too old");
        assert_eq!(
            found(JobLogFilter { process_id: Some("order".into()), ..any() }).await,
            (3, false)
        );
        let until = Some(NOW.plus_ms(1));
        assert_eq!(found(JobLogFilter { until, ..any() }).await, (3, false));
        orloj.shutdown().await;
    });
}

async fn variables(orloj: &Orloj, instance: InstanceKey) {
    let found = orloj.history().variables(instance, Span::default()).await.unwrap();
    let told: BTreeMap<_, _> =
        found.iter().map(|v| (&*v.name, (v.revision, v.updated_at.ms_since(NOW)))).collect();
    let expected =
        [("charged", (1, 0)), ("gone", (1, 0)), ("note", (1, 0)), ("total", (2, 60_000))];
    assert_eq!(told, BTreeMap::from(expected));
    let value = |name: &str| found.iter().find(|v| &*v.name == name).unwrap().value.clone();
    assert_eq!(value("total").json.as_deref(), Some("95"));
    assert_eq!(value("note").json.unwrap().len(), 10_002, "what is still there is whole");
    let updates = orloj.history().variable_updates(instance, Span::default()).await.unwrap();
    let totals: Vec<_> = updates
        .iter()
        .filter(|update| &*update.name == "total")
        .map(|update| update.value.as_ref().unwrap().json.clone().unwrap())
        .collect();
    assert_eq!(totals, ["90".into(), "95".into()]);
    let note = updates.iter().find(|update| &*update.name == "note").unwrap();
    let note = note.value.as_ref().unwrap();
    assert_eq!(note.cut_from, Some(10_002));
    assert_eq!(note.json.as_ref().unwrap().len(), orloj::history::VALUE_BYTES_MAX);
}

async fn instances(orloj: &Orloj, instance: InstanceKey, called: InstanceKey) {
    let live = ordered(orloj).await;
    let history = orloj.history();
    let keys = async |filter: HistoryFilter, page: Page| {
        let listed = history.instances(&filter, page).await.unwrap();
        (listed.rows.iter().map(|view| view.key).collect::<Vec<_>>(), listed.next)
    };
    let everything = HistoryFilter::default();
    let (found, next) = keys(everything.clone(), ALL).await;
    assert_eq!((found, next), (vec![live, called, instance], None));
    let (first, next) = keys(everything.clone(), Page { before: None, limit: 2 }).await;
    assert_eq!(first, [live, called]);
    let (rest, _) = keys(everything.clone(), Page { before: next, limit: 2 }).await;
    assert_eq!(rest, [instance]);
    let table = [
        (HistoryFilter { state: Some(InstanceState::Active), ..everything.clone() }, vec![live]),
        (
            HistoryFilter { state: Some(InstanceState::Completed), ..everything.clone() },
            vec![called, instance],
        ),
        (HistoryFilter { state: Some(InstanceState::Cancelled), ..everything.clone() }, vec![]),
        (
            HistoryFilter { process_id: Some("order".into()), ..everything.clone() },
            vec![live, instance],
        ),
        (
            HistoryFilter { business_key: Some("order-1".into()), ..everything.clone() },
            vec![live, instance],
        ),
        (
            HistoryFilter { started_from: Some(NOW.plus_ms(1)), ..everything.clone() },
            vec![live, called],
        ),
        (
            HistoryFilter { started_before: Some(NOW.plus_ms(1)), ..everything.clone() },
            vec![instance],
        ),
        (
            HistoryFilter { ended_from: Some(NOW.plus_ms(60_000)), ..everything.clone() },
            vec![called, instance],
        ),
        (HistoryFilter { ended_before: Some(NOW), ..everything }, vec![]),
    ];
    for (filter, expected) in table {
        assert_eq!(keys(filter.clone(), ALL).await.0, expected, "{filter:?}");
    }
}

#[test]
fn lower_levels_keep_less() {
    for (level, told) in [
        (HistoryLevel::None, "nothing"),
        (HistoryLevel::Activity, "3 visits, 0 jobs, 1 tasks, 0 incidents, variables []"),
        (
            HistoryLevel::Audit,
            "3 visits, 0 jobs, 1 tasks, 0 incidents, variables [charged=90, gone=true, total=90]",
        ),
        (
            HistoryLevel::Full,
            "3 visits, 4 jobs, 1 tasks, 0 incidents, variables [charged=90, gone=true, total=90]",
        ),
    ] {
        let story = async |builder: Builder| {
            let orloj = deployed(builder).await;
            let instance = ordered(&orloj).await;
            orloj.cancel(instance).await.unwrap();
            match orloj.instance(instance).await {
                Ok(detail) => {
                    assert_eq!(summary(&orloj, instance).await, told, "{level:?}");
                    assert_eq!(detail.view.state, InstanceState::Cancelled);
                }
                Err(error) => {
                    assert!(matches!(error, orloj::Error::Missing(_)), "{error}");
                    assert_eq!(told, "nothing", "{level:?}");
                }
            }
            orloj.shutdown().await;
        };
        on_both_stores(story, || builder(0, at_level(level)));
    }
}

async fn summary(orloj: &Orloj, instance: InstanceKey) -> String {
    let (history, all) = (orloj.history(), Span::default());
    let found = history.variables(instance, all).await.unwrap();
    let short = found.iter().filter(|v| &*v.name != "note");
    let shown = |v: &orloj::history::VariableView| {
        format!("{}={}", v.name, v.value.json.as_deref().unwrap_or("?"))
    };
    format!(
        "{} visits, {} jobs, {} tasks, {} incidents, variables [{}]",
        history.activities(instance, all).await.unwrap().len(),
        history.job_log(instance, &JobLogFilter::default(), all).await.unwrap().len(),
        history.tasks(instance, all).await.unwrap().len(),
        history.incidents(instance, all).await.unwrap().len(),
        short.map(shown).collect::<Vec<_>>().join(", ")
    )
}

#[test]
fn incidents_are_open_then_resolved_or_deleted() {
    on_both_stores(incidents, || builder(2, Settings::default()));
}

async fn incidents(builder: Builder) {
    let orloj = deployed(builder).await;
    let instance = ordered(&orloj).await;
    let all = Span::default();
    let open = orloj.history().incidents(instance, all).await.unwrap();
    assert_eq!(open.len(), 1);
    assert_eq!((&*open[0].kind, open[0].state), ("failedJob", IncidentState::Open));
    assert_eq!((&*open[0].element, open[0].cause), ("charge", open[0].key));
    assert_eq!(open[0].root_cause, open[0].key);
    let job = open[0].job.expect("a job");
    let rows = orloj.incidents().list(orloj::IncidentFilter::default(), ALL).await.unwrap();
    assert_eq!(rows[0].key, open[0].key, "history and the present agree");
    orloj.update_retries(job, 1).await.unwrap();
    orloj.settle().await;
    let closed = orloj.history().incidents(instance, all).await.unwrap();
    assert_eq!(closed[0].state, IncidentState::Resolved);
    assert_eq!(closed[0].closed_at, Some(NOW));
    orloj.shutdown().await;
}

#[tokio::test]
async fn an_ended_instance_knows_when_it_may_go() {
    let store = memory();
    let orloj = deployed(builder(0, Settings::default()).own_store(store.clone(), 1, false)).await;
    let instance = ordered(&orloj).await;
    ask_anna(&orloj, instance).await;
    let rows = store.ended(EndedFilter::default(), ALL).await.unwrap();
    let days = |row: &orloj::store::EndedRow| {
        row.removal_at.map(|at| at.ms_since(row.ended_at) / 86_400_000)
    };
    let own = rows.iter().find(|row| row.key == instance).unwrap();
    assert_eq!(days(own), Some(5), "as its model says");
    let called = rows.iter().find(|row| row.key != instance).unwrap();
    assert_eq!(days(called), None, "its model says nothing");
    orloj.shutdown().await;

    let mut settings = Settings::default();
    settings.history.ttl = Some(Ttl { days: 2 });
    settings.history.removal_time = RemovalTime::Start;
    let store = memory();
    let orloj = deployed(builder(0, settings).own_store(store.clone(), 1, false)).await;
    let instance = ordered(&orloj).await;
    ask_anna(&orloj, instance).await;
    let rows = store.ended(EndedFilter::default(), ALL).await.unwrap();
    for row in rows {
        let days = if row.key == instance { 5 } else { 2 };
        assert_eq!(row.removal_at, Some(row.started_at.plus_ms(days * 86_400_000)));
    }
    orloj.shutdown().await;
}

fn memory() -> Arc<dyn Store> {
    let options = orloj_store_sqlite::Options::memory(orloj::types::EngineName::default());
    Arc::new(orloj_store_sqlite::SqliteStore::open(&options).unwrap())
}

#[tokio::test]
async fn in_camunda_a_definition_must_say_how_long_its_history_is_kept() {
    let mut settings = Settings { profile: Profile::Camunda7, ..Settings::default() };
    settings.history.ttl_required = true;
    let orloj = builder(0, settings.clone()).build().await.unwrap();
    let refused = orloj.deploy(Deploy::file("order.bpmn", ORDER.as_bytes())).await.unwrap_err();
    let Error::Deployment(problems) = refused else { panic!("{refused}") };
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].message.starts_with("process 'shipping' does not say how long"),
        "{}",
        problems[0].message
    );
    orloj.shutdown().await;
    settings.history.ttl = Some(Ttl { days: 30 });
    let orloj = deployed(builder(0, settings)).await;
    orloj.shutdown().await;
}

#[test]
fn meters_are_written_down() {
    on_both_stores(meters, || builder(1, Settings::default()));
}

async fn meters(builder: Builder) {
    let orloj = deployed(builder).await;
    let instance = ordered(&orloj).await;
    assert_eq!(orloj.meters().sum("job-failed", None, None).await.unwrap(), 0, "not yet");
    orloj.meters().flush().await.unwrap();
    assert_eq!(orloj.metrics().meters.get(Meter::JobFailed), 0);
    ask_anna(&orloj, instance).await;
    orloj.meters().flush().await.unwrap();
    for (name, count) in [
        ("job-failed", 1),
        ("job-successful", 1),
        ("process-instances", 1),
        ("flow-node-instances", 7),
        ("activity-instance-end", 7),
    ] {
        assert_eq!(orloj.meters().sum(name, None, None).await.unwrap(), count, "{name}");
    }
    let query = MeterQuery {
        name: Some("activity-instance-start".into()),
        interval_ms: Some(60_000),
        by_reporter: true,
        ..MeterQuery::default()
    };
    let sums = orloj.meters().query(query).await.unwrap();
    assert_eq!(sums.iter().map(|sum| sum.value).collect::<Vec<_>>(), [4, 3], "newest first");
    assert!(sums.iter().all(|sum| sum.reporter.as_deref() == Some("one")));
    let refused = orloj.meters().sum("job-lost", None, None).await.unwrap_err();
    assert!(matches!(refused, Error::Invalid(_)), "{refused}");
    orloj.shutdown().await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Wherever an instance is left, what history knows as open is where its tokens are, its
    /// variables are those of the instance, and its user tasks those that wait.
    #[test]
    fn history_tells_the_present(steps in proptest::collection::vec(0_u8..4, 0..8), failures in 0_u32..3) {
        let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        tokio.block_on(async {
            let orloj = deployed(builder(failures, Settings::default())).await;
            let mut live = vec![ordered(&orloj).await];
            for step in steps {
                match (step, live.last().copied()) {
                    (0, _) | (_, None) => live.push(ordered(&orloj).await),
                    (1, Some(instance)) => {
                        let filter = UserTaskFilter { instance: Some(instance) };
                        for task in orloj.user_tasks(filter, ALL).await.unwrap() {
                            let with = Document::new().with("step", i64::from(step));
                            orloj.complete_user_task(task.key, with).await.unwrap();
                        }
                    }
                    (2, Some(instance)) => {
                        let with = Document::new().with("total", orloj.now().as_ms());
                        // It may have ended.
                        let _ = orloj.set_variables(instance.root_scope(), with, true).await;
                    }
                    _ => orloj.advance(Duration::from_secs(1_800)).unwrap(),
                }
                orloj.settle().await;
                for instance in &live {
                    agree(&orloj, *instance).await;
                }
            }
            orloj.shutdown().await;
        });
    }
}

async fn agree(orloj: &Orloj, instance: InstanceKey) {
    let (history, all) = (orloj.history(), Span::default());
    let detail = orloj.instance(instance).await.unwrap();
    let visits = history.activities(instance, all).await.unwrap();
    let open = visits.iter().filter(|visit| visit.left_at.is_none());
    let mut open: Vec<_> = open.map(|v| (v.key, v.element.clone(), v.scope)).collect();
    open.sort();
    // A token before a save point has not begun its visit.
    let is_begun = |element: &&orloj::ElementView| element.state != "entering";
    let mut tokens: Vec<_> = detail
        .elements
        .iter()
        .filter(is_begun)
        .map(|element| (element.key, element.element.clone(), element.scope))
        .collect();
    tokens.sort();
    assert_eq!(open, tokens);

    let found = history.variables(instance, all).await.unwrap();
    let own = found.iter().filter(|v| v.scope == instance.root_scope() && v.deleted_at.is_none());
    let told: BTreeMap<_, _> =
        own.map(|v| (v.name.clone(), v.value.json.clone().unwrap().to_string())).collect();
    let present = detail.variables.0.iter();
    let present: BTreeMap<_, _> = present.map(|(name, v)| (name.clone(), v.to_json())).collect();
    assert_eq!(told, present);

    let tasks = history.tasks(instance, all).await.unwrap();
    let waiting: Vec<_> =
        tasks.iter().filter(|task| task.state == TaskState::Open).map(|task| task.key).collect();
    let filter = UserTaskFilter { instance: Some(instance) };
    let rows = orloj.user_tasks(filter, ALL).await.unwrap();
    assert_eq!(waiting, rows.iter().map(|row| row.key).collect::<Vec<_>>());
}

#[test]
fn what_a_known_user_does_is_logged() {
    on_both_stores(operations, || builder(2, Settings::default()));
    let mut everybody = Settings::default();
    everybody.operations.authenticated_only = false;
    let nameless = async |builder: Builder| {
        let orloj = deployed(builder).await;
        let job = failed_job(&orloj).await;
        orloj.jobs().set_priority(job, 3).await.unwrap();
        let log = orloj.history().operations(OperationFilter::default(), ALL).await.unwrap();
        assert_eq!((log.len(), log[0].user.as_deref()), (1, None));
        orloj.shutdown().await;
    };
    on_both_stores(nameless, || builder(2, everybody.clone()));
}

/// One that waits for somebody.
async fn failed_job(orloj: &Orloj) -> JobKey {
    let instance = ordered(orloj).await;
    let incidents = orloj.history().incidents(instance, Span::default()).await.unwrap();
    incidents[0].job.expect("a job")
}

async fn operations(builder: Builder) {
    let orloj = deployed(builder).await;
    let job = failed_job(&orloj).await;
    orloj.jobs().set_priority(job, 3).await.unwrap();
    let operations = async || {
        let log = orloj.history().operations(OperationFilter::default(), ALL).await.unwrap();
        let shown = log.iter().map(|row| {
            let text = |text: &Option<Arc<str>>| text.as_deref().unwrap_or("-").to_owned();
            assert_eq!(row.entity_key, Some(job.raw()));
            format!(
                "{} {} {}: {} {} to {}",
                text(&row.user),
                row.operation,
                row.entity,
                text(&row.property),
                text(&row.old),
                text(&row.new)
            )
        });
        shown.collect::<Vec<_>>()
    };
    assert!(operations().await.is_empty(), "nobody knows who it was");
    let anna = orloj.as_user("anna");
    anna.jobs().set_priority(job, 4).await.unwrap();
    assert_eq!(operations().await, ["anna SetPriority Job: priority 3 to 4"]);
    let by_anna = OperationFilter { user: Some("anna".into()), ..OperationFilter::default() };
    assert_eq!(orloj.history().operations(by_anna, ALL).await.unwrap().len(), 1);
    orloj.shutdown().await;
}
