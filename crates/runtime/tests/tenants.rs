//! Another tenant for a deployment.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "someone starts instances meanwhile")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use orloj::store::{
    Change, Claim, Group, InstanceWrite, NodeProfile, OperationFilter, SetTenant, Store, TenantSet,
};
use orloj::types::{DefinitionKey, Document, EngineName, InstanceKey, TenantId, Timestamp};
use orloj::{
    ActivateJobs, Correlate, Deploy, Error, InstanceQuery, JobFilter, LongPoll, Orloj, Page,
    PublishMessage, Resource, StartInstance, StoreChoice, Which,
};
use orloj_store_sqlite::{Options, SqliteStore};
use orloj_testkit::sim_store::{Kind, SimStore};
use orloj_testkit::story::Database;

const ALL: Page = Page { before: None, limit: 1_000 };

const MODEL: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t" xmlns:camunda="http://camunda.org/schema/1.0/bpmn">
  <message id="m" name="paid-${order}"/>
  <process id="order" isExecutable="true">
    <startEvent id="start"/>
    <sequenceFlow id="f1" sourceRef="start" targetRef="pack"/>
    <serviceTask id="pack" camunda:type="external" camunda:topic="pack"/>
    <sequenceFlow id="f2" sourceRef="pack" targetRef="pay"/>
    <receiveTask id="pay" messageRef="m"/>
    <sequenceFlow id="f3" sourceRef="pay" targetRef="end"/>
    <endEvent id="end"/>
  </process>
  <process id="nightly" isExecutable="true">
    <startEvent id="midnight"><timerEventDefinition><timeCycle>R/2199-01-01T00:00:00Z/P1D</timeCycle></timerEventDefinition></startEvent>
    <sequenceFlow id="f4" sourceRef="midnight" targetRef="over"/>
    <endEvent id="over"/>
  </process>
</definitions>"#;

/// The caller is started by a message, and calls what was deployed with it at once.
const CALLING: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t">
  <message id="m" name="go"/>
  <process id="caller" isExecutable="true">
    <startEvent id="s1"><messageEventDefinition messageRef="m"/></startEvent>
    <sequenceFlow id="f1" sourceRef="s1" targetRef="call"/>
    <callActivity id="call" calledElement="callee"/>
    <sequenceFlow id="f2" sourceRef="call" targetRef="e1"/>
    <endEvent id="e1"/>
  </process>
  <process id="callee" isExecutable="true">
    <startEvent id="s2"/>
    <sequenceFlow id="f3" sourceRef="s2" targetRef="wait"/>
    <userTask id="wait"/>
    <sequenceFlow id="f4" sourceRef="wait" targetRef="e2"/>
    <endEvent id="e2"/>
  </process>
</definitions>"#;

fn acme() -> TenantId {
    TenantId::new("acme")
}

async fn deploy(orloj: &Orloj, tenant: TenantId, content: &str) -> orloj::Deployed {
    let resource = Resource { name: "order.bpmn".into(), content: content.as_bytes().into() };
    orloj.deploy(Deploy { resources: vec![resource], tenant, ..Deploy::default() }).await.unwrap()
}

fn start(order: i64) -> StartInstance {
    StartInstance::latest("order").with(Document::new().with("order", order))
}

fn pack(jobs_max: u32) -> ActivateJobs {
    ActivateJobs {
        job_type: "pack".into(),
        worker: "w".into(),
        timeout_ms: 60_000,
        jobs_max,
        fetch_variables: Vec::new(),
        long_poll: LongPoll::UpToMs(30_000),
        bytes_max: 1 << 20,
    }
}

async fn tenants(orloj: &Orloj) -> Vec<TenantId> {
    let live = orloj.instances().list(&InstanceQuery::default(), ALL).await.unwrap();
    let ended = orloj.instances().list_ended(&InstanceQuery::default(), ALL).await.unwrap();
    live.into_iter().chain(ended).map(|view| view.tenant).collect()
}

#[test]
fn everything_that_a_deployment_brought_follows_it() {
    let database = Database::create();
    let tokio = tokio::runtime::Runtime::new().unwrap();
    for store in [StoreChoice::Memory, StoreChoice::Postgres(database.url())] {
        tokio.block_on(follows(store));
    }
}

async fn follows(store: StoreChoice) {
    let orloj = Orloj::builder().store(store).build().await.unwrap();
    let deployed = deploy(&orloj, TenantId::none(), MODEL).await;
    let past = orloj.start(start(1)).await.unwrap().instance;
    orloj.cancel(past).await.unwrap();
    // One whose job is with a worker, and one that nobody has looked at.
    orloj.start(start(2)).await.unwrap();
    let held = orloj.activate_jobs(pack(1)).await.unwrap().remove(0);
    orloj.start(start(3)).await.unwrap();

    let operator = orloj.deployments().by("anna");
    operator.set_tenant(deployed.key, acme()).await.unwrap();
    assert_eq!(tenants(&orloj).await, [acme(), acme(), acme()]);
    let jobs = orloj.jobs().list(JobFilter::default(), ALL).await.unwrap();
    assert!(jobs.len() == 3 && jobs.iter().all(|job| job.tenant == acme()), "{jobs:?}");
    let view = orloj.deployments().get(deployed.key).await.unwrap();
    assert_eq!((&view.tenant, &view.definitions[0].tenant), (&acme(), &acme()));
    let log = orloj.history().operations(OperationFilter::default(), ALL).await.unwrap();
    let told = log.iter().find(|row| &*row.operation == "SetTenant").unwrap();
    assert_eq!(told.new.as_deref(), Some("acme"));

    assert!(matches!(orloj.start(start(4)).await, Err(Error::Missing(_))), "none is there");
    let there = StartInstance { tenant: acme(), ..start(4) };
    assert_eq!(orloj.start(there).await.unwrap().tenant, acme());
    // The instances go on, and wait where they are.
    orloj.complete_job(held.key, Document::new()).await.unwrap();
    let paid = |tenant| Correlate { name: "paid-2".into(), tenant, ..Correlate::default() };
    assert!(orloj.correlate(paid(TenantId::none())).await.is_err(), "nobody waits there");
    orloj.correlate(paid(acme())).await.unwrap();
    assert_eq!(live(&orloj).await, 2);
    assert!(tenants(&orloj).await.iter().all(|tenant| *tenant == acme()));

    orloj.deployments().set_tenant(deployed.key, acme()).await.unwrap();
    deploy(&orloj, TenantId::new("other"), &MODEL.replace("R/2199", "R/2198")).await;
    let taken = orloj.deployments().set_tenant(deployed.key, TenantId::new("other")).await;
    let said = taken.unwrap_err().to_string();
    assert_eq!(said, "tenant 'other' has version 1 of process 'nightly' already");
    assert_eq!(orloj.deployments().get(deployed.key).await.unwrap().tenant, acme());
    orloj.deployments().set_tenant(deployed.key, TenantId::none()).await.unwrap();
    assert!(orloj.start(start(5)).await.unwrap().tenant.is_empty());
    assert!(tenants(&orloj).await.iter().all(|tenant| tenant.is_empty()));
    orloj.shutdown().await;
}

async fn live(orloj: &Orloj) -> usize {
    orloj.instances().list(&InstanceQuery::default(), ALL).await.unwrap().len()
}

/// A node keeps definitions as it has read them.
#[tokio::test]
async fn what_a_message_starts_looks_for_callees_in_the_tenant_of_now() {
    let orloj = Orloj::builder().store(StoreChoice::Memory).build().await.unwrap();
    let deployed = deploy(&orloj, TenantId::none(), CALLING).await;
    for (count, tenant) in [(2, ""), (4, "acme"), (6, "other"), (8, "")] {
        let tenant = TenantId::new(tenant);
        orloj.deployments().set_tenant(deployed.key, tenant.clone()).await.unwrap();
        let go = PublishMessage {
            name: "go".into(),
            tenant: tenant.clone(),
            time_to_live_ms: 60_000,
            ..PublishMessage::default()
        };
        orloj.publish_message(go).await.unwrap();
        let started = async {
            while live(&orloj).await < count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), started).await.expect("it is started");
        assert_eq!(tenants(&orloj).await, vec![tenant; count], "callers and callees");
    }
    orloj.shutdown().await;
}

#[tokio::test]
async fn a_change_whose_answer_was_lost_is_logged_and_followed() {
    let store = Arc::new(SimStore::new(EngineName::default(), Kind::Embedded));
    let orloj = Orloj::builder().own_store(store.clone(), 1, false).build().await.unwrap();
    let deployed = deploy(&orloj, TenantId::none(), MODEL).await;
    orloj.start(start(1)).await.unwrap();
    store.lose_tenant_answer();
    orloj.deployments().by("anna").set_tenant(deployed.key, acme()).await.unwrap();
    let log = orloj.history().operations(OperationFilter::default(), ALL).await.unwrap();
    let told = log.iter().filter(|row| &*row.operation == "SetTenant").count();
    assert_eq!(told, 1);
    assert!(matches!(orloj.start(start(2)).await, Err(Error::Missing(_))), "none is there");
    let there = StartInstance { tenant: acme(), ..start(2) };
    assert_eq!(orloj.start(there).await.unwrap().tenant, acme());
    orloj.shutdown().await;
}

#[tokio::test]
async fn a_tenant_that_no_store_could_hold_is_refused() {
    let orloj = Orloj::builder().store(StoreChoice::Memory).build().await.unwrap();
    let deployed = deploy(&orloj, TenantId::none(), MODEL).await;
    for tenant in ["a\0", &"ä".repeat(256)] {
        let tenant = TenantId::new(tenant);
        let set = orloj.deployments().set_tenant(deployed.key, tenant.clone()).await;
        assert!(matches!(set, Err(Error::Invalid(_))), "{set:?}");
        let content = MODEL.as_bytes();
        let new = Deploy { tenant, ..Deploy::file("order.bpmn", content) };
        assert!(matches!(orloj.deploy(new).await, Err(Error::Invalid(_))));
    }
    let longest = TenantId::new("ä".repeat(255));
    orloj.deployments().set_tenant(deployed.key, longest).await.unwrap();
    orloj.shutdown().await;
}

/// Whoever gave the order died after the change was on disk; so did a node that wrote something
/// with the tenant of before. The next node finds both out when it begins.
#[tokio::test]
async fn what_a_crash_left_to_be_settled_is_settled_by_the_next_node() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("orloj.db");
    let open = || SqliteStore::open(&Options::file(&file, EngineName::default())).unwrap();
    let before = Orloj::builder().own_store(Arc::new(open()), 1, false).build().await.unwrap();
    let deployed = deploy(&before, TenantId::none(), MODEL).await;
    let instance = before.start(start(1)).await.unwrap().instance;
    before.shutdown().await;
    let store = open();
    let set = SetTenant {
        deployment: deployed.key,
        tenant: acme(),
        now: Timestamp::ZERO,
        logs_chores: true,
    };
    assert!(matches!(store.set_deployment_tenant(set).await, Ok(TenantSet::Done(_))));
    let claim = Claim {
        name: "late".to_owned(),
        engine: EngineName::default(),
        lanes: 1,
        now: Timestamp::ZERO,
        profile: NodeProfile::default(),
    };
    let lease = store.join(claim).await.unwrap();
    let mut row = store.load(vec![instance]).await.unwrap().remove(0).row;
    assert_eq!(row.tenant, acme());
    (row.key, row.tenant) = (InstanceKey::new(7), TenantId::none());
    let change = Change { instances: [InstanceWrite::Insert(row)].into(), ..Change::default() };
    let group = Group { lease, lane: 0, id: 1, changes: vec![change], now: Timestamp::ZERO };
    store.commit(Arc::new(group)).await.unwrap();
    store.close().await.unwrap();

    let store = Arc::new(open());
    let after = Orloj::builder().own_store(store.clone(), 1, false).build().await.unwrap();
    while !store.settings().await.unwrap().moved[0].is_settled {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(tenants(&after).await, [acme(), acme()]);
    after.shutdown().await;
}

/// Instances that are started while the tenant changes, from definitions that a node has read
/// before, are where they belong when the order is carried out.
#[test]
fn what_is_started_meanwhile_follows_on_every_node() {
    let database = Database::create();
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    tokio.unwrap().block_on(meanwhile(&database));
}

async fn meanwhile(database: &Database) {
    let node = async |name: &str| {
        let builder = Orloj::builder().store(StoreChoice::Postgres(database.url()));
        builder.node_name(name).build().await.unwrap()
    };
    let (one, two) = (node("one").await, node("two").await);
    let deployed = deploy(&one, TenantId::none(), MODEL).await;
    let definition = deployed.definitions[0].key;
    let is_over = Arc::new(AtomicBool::new(false));
    let starting = [one.clone(), two.clone()].map(|node| {
        let is_over = is_over.clone();
        tokio::spawn(async move {
            let mut started = Vec::new();
            while !is_over.load(Ordering::SeqCst) {
                started.push(by_key(&node, definition).await);
            }
            started
        })
    });
    for tenant in ["acme", "", "other"] {
        tokio::time::sleep(Duration::from_millis(50)).await;
        one.deployments().set_tenant(deployed.key, TenantId::new(tenant)).await.unwrap();
        // What was there, and whatever is started from now on.
        for node in [&one, &two] {
            let instance = by_key(node, definition).await;
            let view = node.instances().get(instance).await.unwrap();
            assert_eq!(&*view.view.tenant, tenant);
        }
        assert!(tenants(&two).await.iter().all(|found| **found == *tenant));
    }
    is_over.store(true, Ordering::SeqCst);
    let mut count = 0;
    for task in starting {
        count += task.await.unwrap().len();
    }
    let found = tenants(&two).await;
    assert!(found.len() > 6 && found.iter().all(|found| &**found == "other"));
    assert!(found.len() >= count.min(1_000));
    // A job that one node made is worked on the other, with what is true now.
    let job = two.activate_jobs(pack(1)).await.unwrap().remove(0);
    assert_eq!(&*job.tenant, "other");
    one.complete_job(job.key, Document::new()).await.unwrap();
    assert!(matches!(two.start(start(1)).await, Err(Error::Missing(_))));
    one.shutdown().await;
    two.shutdown().await;
}

async fn by_key(node: &Orloj, definition: DefinitionKey) -> InstanceKey {
    let start = StartInstance { which: Which::Definition(definition), ..start(7) };
    node.start(start).await.unwrap().instance
}

/// What everybody may call is deployed for nobody in particular.
#[tokio::test]
async fn a_call_falls_back_to_no_tenant_where_its_activity_says_so() {
    let orloj = Orloj::builder().build().await.unwrap();
    let called = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t" xmlns:flowable="http://flowable.org/bpmn">
      <process id="shared" isExecutable="true">
        <startEvent id="start"/>
        <sequenceFlow id="f1" sourceRef="start" targetRef="ask"/>
        <userTask id="ask" flowable:assignee="anna"/>
      </process></definitions>"#;
    let caller = |id: &str, falls_back: bool| {
        format!(
            r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t" xmlns:flowable="http://flowable.org/bpmn">
      <process id="{id}" isExecutable="true">
        <startEvent id="start"/>
        <sequenceFlow id="f1" sourceRef="start" targetRef="call"/>
        <callActivity id="call" calledElement="shared" flowable:fallbackToDefaultTenant="{falls_back}"/>
      </process></definitions>"#
        )
    };
    deploy(&orloj, TenantId::none(), called).await;
    deploy(&orloj, acme(), &caller("falls", true)).await;
    deploy(&orloj, acme(), &caller("stays", false)).await;
    let start = |id: &str| StartInstance { tenant: acme(), ..StartInstance::latest(id) };
    assert!(orloj.start(start("stays")).await.is_err(), "acme has no such process");
    orloj.start(start("falls")).await.unwrap();
    let found = orloj.instances().list(&InstanceQuery::default(), ALL).await.unwrap();
    let mut found: Vec<_> = found.iter().map(|view| (&*view.process_id, &*view.tenant)).collect();
    found.sort_unstable();
    assert_eq!(found, [("falls", "acme"), ("shared", "acme")]);
    orloj.shutdown().await;
}
