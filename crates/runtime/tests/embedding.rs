//! What an application gives to its engine: code, values, policies, a pool, a clock.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use orloj::model::{ParseHook, Source};
use orloj::settings::{AcquisitionSettings, Settings};
use orloj::types::{Document, InstanceKey, Timestamp, Value};
use orloj::{
    ActivateJobs, BeanCall, BoundedCache, Builder, Call, Clock, Configurator, Definition,
    DefinitionCache, Deploy, Error, FailJob, FailedTry, Fault, GrowingWait, InstanceState,
    JobFilter, JobState, LongPoll, Looks, Orloj, Page, Retry, StartInstance, Statement,
    StoreChoice,
};
use orloj_testkit::story::Database;

const NOW: Timestamp = Timestamp::from_ms(1_900_000_000_000);

/// `start -> work (async, class Work) -> end`, with more attributes and content of the task.
fn model(id: &str, task: &str) -> String {
    format!(
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="n"
 xmlns:camunda="http://camunda.org/schema/1.0/bpmn"><process id="{id}" isExecutable="true">
<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="work"/>{task}
<sequenceFlow id="g" sourceRef="work" targetRef="e"/><endEvent id="e"/></process></definitions>"#
    )
}

const WORK: &str = r#"<serviceTask id="work" camunda:asyncBefore="true" camunda:class="Work"/>"#;

fn on_both<F: Future<Output = ()>>(story: impl Fn(StoreChoice) -> F) {
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let tokio = tokio.expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    tokio.block_on(story(StoreChoice::SqliteFile(folder.path().join("o.db"))));
    let database = Database::create();
    tokio.block_on(story(StoreChoice::Postgres(database.url())));
}

async fn deploy(orloj: &Orloj, model: &str) {
    orloj.deploy(Deploy::file("m.bpmn", model.as_bytes())).await.expect("deployed");
}

async fn start(orloj: &Orloj, id: &str, variables: Document) -> InstanceKey {
    orloj.start(StartInstance::latest(id).with(variables)).await.expect("started").instance
}

async fn state(orloj: &Orloj, instance: InstanceKey) -> InstanceState {
    orloj.instance(instance).await.expect("there").view.state
}

fn pinned() -> Builder {
    Orloj::builder().executor(true).clock(Clock::pinned(NOW))
}

/// The application's own table, seen from outside of the engine.
enum Table {
    Sqlite(rusqlite::Connection),
    Postgres(tokio_postgres::Client),
}

impl Table {
    const CREATE: &str = "CREATE TABLE charge (id TEXT PRIMARY KEY, cents BIGINT, note TEXT)";

    async fn create(store: &StoreChoice) -> Self {
        match store {
            StoreChoice::SqliteFile(path) => {
                let connection = rusqlite::Connection::open(path).expect("the file");
                connection.busy_timeout(Duration::from_secs(5)).expect("a time-out");
                connection.execute_batch(Self::CREATE).expect("a table");
                Self::Sqlite(connection)
            }
            StoreChoice::Postgres(url) => {
                let connected = tokio_postgres::connect(url, tokio_postgres::NoTls).await;
                let (client, connection) = connected.expect("a connection");
                #[expect(clippy::disallowed_methods, reason = "the driver wants a task")]
                tokio::spawn(connection);
                client.batch_execute(Self::CREATE).await.expect("a table");
                Self::Postgres(client)
            }
            StoreChoice::Memory => unreachable!("it has no outside"),
        }
    }

    async fn cents(&self) -> Vec<i64> {
        const SQL: &str = "SELECT cents FROM charge ORDER BY id";
        match self {
            Self::Sqlite(connection) => {
                let mut statement = connection.prepare(SQL).expect("a query");
                let rows = statement.query_map([], |row| row.get(0)).expect("rows");
                rows.map(|row| row.expect("a row")).collect()
            }
            Self::Postgres(client) => {
                let rows = client.query(SQL, &[]).await.expect("rows");
                rows.iter().map(|row| row.get(0)).collect()
            }
        }
    }
}

#[test]
fn a_statement_commits_with_its_step_or_costs_a_retry() {
    on_both(statements);
}

async fn statements(store: StoreChoice) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let orloj = pinned()
        .store(store.clone())
        .delegate("Work", move |call: Call| {
            counted.fetch_add(1, Ordering::SeqCst);
            async move {
                let id = call.variables.get("id").expect("an id").to_json();
                let insert = "INSERT INTO charge (cents, id, note) VALUES ($2, $1, $3)";
                let insert = Statement::new(insert).bind(id).bind(90).bind(None::<&str>);
                call.attach(insert);
                match call.variables.get("fails") {
                    Some(_) => Err(Fault::error("no-funds")),
                    None => Ok(Document::new().with("charged", true)),
                }
            }
        })
        .build()
        .await
        .expect("an engine");
    let table = Table::create(&store).await;
    deploy(&orloj, &model("p", WORK)).await;
    let first = start(&orloj, "p", Document::new().with("id", 1)).await;
    orloj.settle().await;
    assert_eq!(state(&orloj, first).await, InstanceState::Completed);
    assert_eq!(table.cents().await, [90]);
    assert_eq!(calls.load(Ordering::SeqCst), 1);

    // The same id again: the statement fails, and with it the step, three times.
    let second = start(&orloj, "p", Document::new().with("id", 1)).await;
    orloj.settle().await;
    assert_eq!(calls.load(Ordering::SeqCst), 4);
    let detail = orloj.instance(second).await.expect("there");
    assert_eq!(detail.variables.to_json(), r#"{"id":1}"#, "the step was undone");
    let job = &detail.jobs[0];
    assert_eq!((job.state, job.retries_left), (JobState::Failed, 0));
    let failure = job.failure.as_deref().unwrap_or_default();
    assert!(failure.contains("attached statement"), "{failure}");
    assert_eq!(table.cents().await, [90]);
    orloj.shutdown().await;
}

#[tokio::test]
async fn a_statement_that_is_none_fails_the_job() {
    let orloj = pinned()
        .delegate("Work", |call: Call| async move {
            call.attach(Statement::new("COMMIT"));
            Ok(Document::new())
        })
        .build()
        .await
        .expect("an engine");
    deploy(&orloj, &model("p", WORK)).await;
    let instance = start(&orloj, "p", Document::new()).await;
    orloj.settle().await;
    let detail = orloj.instance(instance).await.expect("there");
    let failure = detail.jobs[0].failure.clone().unwrap_or_default();
    assert!(failure.starts_with("a statement must begin with one of insert"), "{failure}");
}

#[tokio::test]
async fn expressions_call_beans_and_read_values() {
    let limits = [("high".into(), Value::from(100)), ("low".into(), Value::from(3))];
    let limits = Value::Map(Arc::new(limits.into()));
    let orloj = pinned()
        .value("limits", limits)
        .bean("prices", |call: BeanCall| async move {
            match (&*call.method, call.argument(0)) {
                ("of", Value::Text(item)) => Ok(Value::from(item.len() as i64)),
                ("getRate", _) => Ok(Value::from(2)),
                (method, _) => Err(Fault::failed(format!("no method {method}"))),
            }
        })
        .build()
        .await
        .expect("an engine");
    let task = r#"<serviceTask id="work" camunda:resultVariable="total"
        camunda:expression="${prices.of(item) * prices.rate + limits.high}"/>"#;
    deploy(&orloj, &model("p", task)).await;
    let instance = start(&orloj, "p", Document::new().with("item", "screw")).await;
    let detail = orloj.instance(instance).await.expect("there");
    assert_eq!(detail.variables.to_json(), r#"{"item":"screw","total":110}"#);
}

/// Runs the job until it has failed for good, and tells the waits between.
async fn waits(orloj: &Orloj, instance: InstanceKey) -> Vec<i64> {
    let mut waits = Vec::new();
    for _ in 0..10 {
        orloj.settle().await;
        let detail = orloj.instance(instance).await.expect("there");
        let job = &detail.jobs[0];
        if job.state == JobState::Failed {
            return waits;
        }
        let due_at = job.due_at.expect("it waits");
        let wait_ms = due_at.ms_since(orloj.now());
        waits.push(wait_ms / 1000);
        orloj.advance(Duration::from_millis(wait_ms.unsigned_abs())).expect("pinned");
    }
    panic!("it never gives up: {waits:?}");
}

#[tokio::test]
async fn a_policy_decides_about_retries_instead_of_the_model() {
    let growing = GrowingWait {
        tries: 4,
        first: Duration::from_secs(2),
        factor: 10.0,
        longest: Duration::from_secs(60),
    };
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = seen.clone();
    let orloj = pinned()
        .delegate("Work", |_: Call| async { Err(Fault::failed("no line")) })
        .delegate("Other", |_: Call| async { Err(Fault::failed("bad number")) })
        .retry_policy("Work", growing)
        .default_retry_policy(move |failed: &FailedTry<'_>| {
            let topic = failed.topic.to_owned();
            told.lock().expect("no panic").push((topic, failed.attempt, failed.message.to_owned()));
            match failed.attempt {
                1 => Retry::After(Duration::from_secs(7)),
                _ => Retry::GiveUp,
            }
        })
        .build()
        .await
        .expect("an engine");
    // The model's own cycle does not count.
    let work = WORK.replace(
        "/>",
        r#"><extensionElements><camunda:failedJobRetryTimeCycle>
        R2/PT5M</camunda:failedJobRetryTimeCycle></extensionElements></serviceTask>"#,
    );
    deploy(&orloj, &model("p", &work)).await;
    let instance = start(&orloj, "p", Document::new()).await;
    assert_eq!(waits(&orloj, instance).await, [2, 20, 60]);
    deploy(&orloj, &model("q", &WORK.replace("Work", "Other"))).await;
    let instance = start(&orloj, "q", Document::new()).await;
    assert_eq!(waits(&orloj, instance).await, [7]);
    let seen = seen.lock().expect("no panic");
    let failure = |attempt| ("Other".to_owned(), attempt, "bad number".to_owned());
    assert_eq!(*seen, [failure(1), failure(2)]);
}

#[tokio::test]
async fn code_that_knows_better_gives_up_at_once_and_tells_why() {
    let orloj = pinned()
        .delegate("Work", |_: Call| async {
            Err(Fault::give_up("no such account").with_details("at line 7\nat line 3"))
        })
        .build()
        .await
        .expect("an engine");
    deploy(&orloj, &model("p", WORK)).await;
    let instance = start(&orloj, "p", Document::new()).await;
    orloj.settle().await;
    let detail = orloj.instance(instance).await.expect("there");
    assert_eq!((detail.jobs[0].state, detail.jobs[0].retries_left), (JobState::Failed, 0));
    let trace = orloj.jobs().stack_trace(detail.jobs[0].key).await.expect("a trace");
    assert_eq!(trace.as_deref(), Some("at line 7\nat line 3"));
}

#[test]
fn what_a_worker_tells_of_a_failure_is_kept_and_notes_stay_with_the_incident() {
    on_both(failure_of_a_worker);
}

async fn failure_of_a_worker(store: StoreChoice) {
    let orloj = Orloj::builder().store(store).build().await.expect("an engine");
    let task = r#"<serviceTask id="work" camunda:type="external" camunda:topic="far"/>"#;
    deploy(&orloj, &model("p", task)).await;
    let instance = start(&orloj, "p", Document::new()).await;
    let jobs = orloj
        .activate_jobs(ActivateJobs {
            job_type: "far".into(),
            worker: "w".into(),
            timeout_ms: 60_000,
            jobs_max: 1,
            fetch_variables: Vec::new(),
            long_poll: LongPoll::No,
            bytes_max: 1 << 20,
        })
        .await
        .expect("jobs");
    let fail = FailJob {
        job: jobs[0].key,
        retries: 0,
        message: "no answer".into(),
        details: Some("Connect.java:7\nMain.java:1".into()),
        back_off_ms: 0,
        variables: Document::new(),
    };
    orloj.fail_job(fail).await.expect("failed");
    let trace = orloj.jobs().stack_trace(jobs[0].key).await.expect("a trace");
    assert_eq!(trace.as_deref(), Some("Connect.java:7\nMain.java:1"));
    let detail = orloj.instance(instance).await.expect("there");
    let incident = &detail.incidents[0];
    assert_eq!((incident.cause, incident.root_cause), (incident.key, incident.key));
    assert_eq!(incident.annotation, None);
    let note = Some("called the plumber".into());
    orloj.incidents().annotate(incident.key, note.clone()).await.expect("annotated");
    let found = orloj.incidents().get(incident.key).await.expect("there");
    assert_eq!(found.annotation, note);
    orloj.shutdown().await;
}

struct Named {
    name: &'static str,
    priority: i32,
    told: Arc<Mutex<Vec<String>>>,
}

impl Configurator for Named {
    fn priority(&self) -> i32 {
        self.priority
    }

    fn before_init(&self, builder: Builder) -> Result<Builder, Error> {
        self.told.lock().expect("no panic").push(format!("before {}", self.name));
        Ok(builder.value("who", self.name))
    }

    fn configure(&self, builder: Builder) -> Result<Builder, Error> {
        self.told.lock().expect("no panic").push(format!("configure {}", self.name));
        match self.name {
            "refuse" => Err(Error::Invalid("not like this".into())),
            _ => Ok(builder),
        }
    }
}

#[tokio::test]
async fn configurators_are_asked_by_priority() {
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let named = |name, priority| Named { name, priority, told: told.clone() };
    let built = Orloj::builder()
        .configurator(named("last", 500))
        .configurator(named("first", -3))
        .configurator(named("same", 500))
        .build()
        .await;
    built.expect("an engine").shutdown().await;
    let expected = [
        "before first",
        "before last",
        "before same",
        "configure first",
        "configure last",
        "configure same",
    ];
    assert_eq!(*told.lock().expect("no panic"), expected);
    let refused = Orloj::builder().configurator(named("refuse", 1)).build().await;
    assert!(matches!(refused, Err(Error::Invalid(reason)) if reason == "not like this"));
}

#[derive(Clone, Debug, Default)]
struct Counting(Arc<AtomicUsize>);

impl ParseHook for Counting {
    fn before(&self, source: &mut Source) {
        let is_first = source.attribute("id") == Some("t0");
        self.0.fetch_add(usize::from(is_first), Ordering::SeqCst);
    }
}

/// Keeps nothing, and counts what it is given.
#[derive(Clone, Default)]
struct Forgetful(Arc<AtomicUsize>);

impl DefinitionCache for Forgetful {
    fn get(&self, _: orloj::types::DefinitionKey) -> Option<Arc<Definition>> {
        None
    }

    fn put(&self, _: Arc<Definition>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    fn remove(&self, _: orloj::types::DefinitionKey) {}
}

#[tokio::test]
async fn a_file_is_parsed_once_for_all_its_processes_whatever_the_cache_keeps() {
    let processes: String = (0..40)
        .map(|n| {
            format!(
                r#"<process id="p{n}" isExecutable="true"><startEvent id="s{n}"/>
<sequenceFlow id="f{n}" sourceRef="s{n}" targetRef="t{n}"/><userTask id="t{n}"/></process>"#
            )
        })
        .collect();
    let model = format!(
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="n"
 xmlns:camunda="http://camunda.org/schema/1.0/bpmn">{processes}</definitions>"#
    );
    let (parses, puts) = (Counting::default(), Forgetful::default());
    let orloj = Orloj::builder()
        .parse_hook(parses.clone())
        .definition_cache(puts.clone())
        .build()
        .await
        .expect("an engine");
    deploy(&orloj, &model).await;
    let deployed = parses.0.load(Ordering::SeqCst);
    for n in 0..40 {
        start(&orloj, &format!("p{n}"), Document::new()).await;
    }
    assert_eq!(parses.0.load(Ordering::SeqCst) - deployed, 1);
    assert!(puts.0.load(Ordering::SeqCst) >= 40);
}

#[tokio::test]
async fn the_default_cache_drops_what_was_not_asked_for_longest() {
    let cache = Arc::new(BoundedCache::new(2));
    struct Shared(Arc<BoundedCache>);
    impl DefinitionCache for Shared {
        fn get(&self, key: orloj::types::DefinitionKey) -> Option<Arc<Definition>> {
            self.0.get(key)
        }
        fn put(&self, definition: Arc<Definition>) {
            self.0.put(definition);
        }
        fn remove(&self, key: orloj::types::DefinitionKey) {
            self.0.remove(key);
        }
    }
    let orloj = Orloj::builder().definition_cache(Shared(cache.clone())).build().await;
    let orloj = orloj.expect("an engine");
    let mut keys = Vec::new();
    for id in ["a", "b", "c"] {
        let deploy = Deploy::file("m.bpmn", model(id, r#"<userTask id="work"/>"#).as_bytes());
        keys.push(orloj.deploy(deploy).await.expect("deployed").definitions[0].key);
    }
    for id in ["a", "b", "a", "c"] {
        start(&orloj, id, Document::new()).await;
    }
    let kept = keys.iter().map(|key| cache.get(*key).is_some()).collect::<Vec<_>>();
    assert_eq!(kept, [true, false, true]);
    assert_eq!(cache.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn code_runs_where_the_application_says() {
    let spawned = Arc::new(AtomicUsize::new(0));
    let counted = spawned.clone();
    let own = tokio::runtime::Handle::current();
    let orloj = pinned()
        .spawn_on(move |call| {
            counted.fetch_add(1, Ordering::SeqCst);
            drop(own.spawn(call));
        })
        .delegate("Work", |_: Call| async { Ok(Document::new()) })
        .build()
        .await
        .expect("an engine");
    deploy(&orloj, &model("p", WORK)).await;
    for _ in 0..3 {
        let instance = start(&orloj, "p", Document::new()).await;
        orloj.settle().await;
        assert_eq!(state(&orloj, instance).await, InstanceState::Completed);
    }
    assert_eq!(spawned.load(Ordering::SeqCst), 3);
    orloj.shutdown().await;
}

#[test]
fn two_engines_on_one_database_never_see_each_others_rows() {
    on_both(two_engines);
}

async fn two_engines(store: StoreChoice) {
    let clock = Clock::pinned(NOW);
    let most = Arc::new(AtomicUsize::new(0));
    let engine = |name: &'static str| {
        let (most, running) = (most.clone(), Arc::new(AtomicUsize::new(0)));
        Orloj::builder().executor(true).clock(clock.clone()).acquisition("slow").delegate(
            "Work",
            move |_: Call| {
                let (most, running) = (most.clone(), running.clone());
                async move {
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    tokio::task::yield_now().await;
                    running.fetch_sub(1, Ordering::SeqCst);
                    Ok(Document::new().with("by", name))
                }
            },
        )
    };
    let slow = AcquisitionSettings { wait_ms: 9_000, ..AcquisitionSettings::default() };
    let group = Orloj::group()
        .store(store.clone())
        .calls_max(1)
        .acquisition("slow", slow)
        .engine("sales", engine("sales"))
        .engine("support", engine("support"))
        .build()
        .await
        .expect("a group");
    let (sales, support) =
        (group.engine("sales").expect("one"), group.engine("support").expect("one"));
    let timed = WORK.replace(
        "<serviceTask",
        r#"<intermediateCatchEvent id="later">
        <timerEventDefinition><timeDuration>PT1M</timeDuration></timerEventDefinition>
        </intermediateCatchEvent><sequenceFlow id="h" sourceRef="later" targetRef="work"/>
        <serviceTask"#,
    );
    let timed = model("p", &timed)
        .replace(r#"sourceRef="s" targetRef="work""#, r#"sourceRef="s" targetRef="later""#);
    deploy(sales, &timed).await;
    assert!(matches!(support.start(StartInstance::latest("p")).await, Err(Error::Missing(_))));
    deploy(support, &timed).await;
    let mut started = Vec::new();
    for _ in 0..5 {
        started.push((start(sales, "p", Document::new()).await, sales, "sales"));
        started.push((start(support, "p", Document::new()).await, support, "support"));
    }
    let keys: std::collections::BTreeSet<_> = started.iter().map(|(key, ..)| key).collect();
    assert_eq!(keys.len(), 10, "keys are unique in the database");
    let page = Page { before: None, limit: 100 };
    for (of, other) in [(sales, support), (support, sales)] {
        assert_eq!(of.jobs().list(JobFilter::default(), page).await.expect("jobs").len(), 5);
        assert_eq!(of.nodes().list().await.expect("nodes").len(), 1);
        assert_eq!(of.jobs().count(JobFilter::default()).await.expect("a number"), 5);
        assert!(!std::ptr::eq(of, other));
    }
    // One clock, both move on.
    assert!(clock.advance(Duration::from_secs(60)));
    for engine in [sales, support] {
        engine.settle().await;
    }
    for (instance, engine, name) in &started {
        let detail = engine.instance(*instance).await.expect("there");
        assert_eq!(detail.view.state, InstanceState::Completed);
        assert_eq!(detail.variables.to_json(), format!(r#"{{"by":"{name}"}}"#));
    }
    assert_eq!(most.load(Ordering::SeqCst), 1, "one call at a time, in one pool");
    // Each ends by itself.
    sales.shutdown().await;
    let instance = start(support, "p", Document::new()).await;
    assert_eq!(state(support, instance).await, InstanceState::Active);
    group.shutdown().await;

    // A later process finds both engines.
    let group = Orloj::group()
        .store(store)
        .engine("support", Orloj::builder().clock(clock.clone()))
        .engine("sales", Orloj::builder().clock(clock))
        .build()
        .await
        .expect("a group");
    let support = group.engine("support").expect("one");
    assert_eq!(state(support, instance).await, InstanceState::Active);
    let sales = group.engine("sales").expect("one");
    assert_eq!(sales.jobs().count(JobFilter::default()).await.expect("a number"), 0);
    group.shutdown().await;
}

#[tokio::test]
async fn what_cannot_be_had_is_said_when_the_engine_is_built() {
    let refusal = async |built: Result<(), Error>| match built {
        Err(Error::Invalid(reason)) => reason,
        other => panic!("{other:?}"),
    };
    let built = Orloj::builder().acquisition("fast").build().await.map(drop);
    let reason = "executor.acquisition: there is no acquisition named 'fast'";
    assert_eq!(refusal(built).await, reason);
    let group = Orloj::group().engine("a", Orloj::builder()).engine("a", Orloj::builder());
    assert_eq!(refusal(group.build().await.map(drop)).await, "two engines are named 'a'");
    let built = Orloj::group().build().await.map(drop);
    assert_eq!(refusal(built).await, "a group has at least one engine");
}

#[test]
fn an_acquisition_is_joined_by_name() {
    let mut settings = Settings::default();
    let slow = AcquisitionSettings { wait_ms: 7_000, ..AcquisitionSettings::default() };
    settings.acquisitions.insert("slow".into(), slow);
    settings.executor.acquisition = "slow".into();
    let options = orloj::ExecutorOptions::default().with_settings(&settings);
    assert!(matches!(options.looks, Looks::Backoff(looks) if looks.wait_ms == 7_000));
}
