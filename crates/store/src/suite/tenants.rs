//! Another tenant for a deployment.

use std::sync::Arc;

use orloj_types::{DefinitionKey, DeploymentKey, InstanceKey, ProcessId, TenantId};
use thin_vec::thin_vec;

use crate::suite::definitions::deployment;
use crate::suite::engine;
use crate::suite::sample::{
    Node, after, ended, engine_job, incident, instance, job, keys, load, page, subscription, timer,
    update, user_task, variable,
};
use crate::{
    Change, ChoreLogFilter, ChoreLogRow, CommitError, EndedRow, HistoryRow, IncidentRow,
    InstanceRow, InstanceWrite, JobKind, JobRow, JobWrite, MessageKey, MessageRow, NewStart, Page,
    RecordPageKind, RecordPageWrite, SetTenant, StartKind, StartQuery, Store, Taken, TakenKind,
    TenantSet, UserTaskRow, VariableWrite,
};

const PAGE: Page = Page { before: None, limit: 99 };

fn acme() -> TenantId {
    TenantId::new("acme")
}

async fn deploy(store: &Arc<dyn Store>, key: i64, tenant: &str, process: &str, chore: i64) {
    let content = key.to_be_bytes();
    let mut new = deployment(key, tenant, &[("a.bpmn", &content, key + 1, process)]);
    let definition = &mut new.resources[0].definitions[0];
    let (event, kind) = ("s".into(), StartKind::Message);
    definition.starts = vec![NewStart { event, kind, name: process.into() }];
    definition.chores = vec![JobRow {
        kind: JobKind::StartTimer,
        instance: InstanceKey::new(0),
        definition: DefinitionKey::new(key + 1),
        tenant: TenantId::new(tenant),
        ..timer(chore, after(chore))
    }];
    store.deploy(new).await.expect("deploy");
}

async fn set(store: &Arc<dyn Store>, deployment: i64, tenant: &str) -> TenantSet {
    let (deployment, tenant) = (DeploymentKey::new(deployment), TenantId::new(tenant));
    let set = SetTenant { deployment, tenant, now: after(0), logs_chores: true };
    store.set_deployment_tenant(set).await.expect("set")
}

async fn settle(store: &Arc<dyn Store>, deployment: i64) -> bool {
    let deployment = DeploymentKey::new(deployment);
    store.settle_deployment_tenant(deployment, after(0), true).await.expect("settle")
}

async fn latest(store: &Arc<dyn Store>, process: &str, tenant: &str) -> Option<i64> {
    let found = store.find_definition(ProcessId::new(process), TenantId::new(tenant), None).await;
    found.expect("find").map(|row| row.key.raw())
}

async fn starts(store: &Arc<dyn Store>, tenant: &str) -> Vec<i64> {
    let query = StartQuery {
        engine: engine(),
        tenant: Some(TenantId::new(tenant)),
        kind: StartKind::Message,
        name: None,
        after: None,
        limit: 9,
    };
    let rows = store.starts(query).await.expect("starts");
    rows.iter().map(|row| row.definition.raw()).collect()
}

fn of(definition: i64, key: i64) -> InstanceRow {
    InstanceRow { definition: DefinitionKey::new(definition), ..instance(key) }
}

fn inserted(row: InstanceRow) -> Change {
    Change { instances: thin_vec![InstanceWrite::Insert(row)], ..Change::default() }
}

/// An instance with one row of everything.
fn with_everything(definition: i64, key: i64) -> Change {
    let (instance, definition) = (InstanceKey::new(key), DefinitionKey::new(definition));
    let of_job = |row: JobRow| JobWrite::Insert(Box::new(JobRow { instance, definition, ..row }));
    Change {
        jobs: thin_vec![of_job(job(key + 1)), of_job(engine_job(key + 2))],
        variables: thin_vec![VariableWrite::Put(variable(key, key, "v", "1"))],
        pages: thin_vec![RecordPageWrite::Put(page(key, RecordPageKind::Elements, 1, b"p"))],
        user_tasks_added: thin_vec![UserTaskRow { definition, ..user_task(key + 3, key) }],
        incidents_added: thin_vec![IncidentRow { definition, ..incident(key + 4, key) }],
        subscriptions_added: thin_vec![crate::SubscriptionRow {
            instance,
            definition,
            ..subscription(key + 5, "paid", Some("k"))
        }],
        messages_added: thin_vec![MessageRow {
            key: MessageKey::new(key),
            message_id: Some("holder".into()),
            ..crate::suite::sample::message(key, "held", &key.to_string())
        }],
        history: thin_vec![HistoryRow {
            instance,
            rev: 1,
            engine: engine(),
            tenant: TenantId::none(),
            at: after(0),
            events: vec![1],
        }],
        ..inserted(of(definition.raw(), key))
    }
}

/// The tenants of all rows of an instance of [`with_everything`].
async fn tenants(store: &Arc<dyn Store>, key: i64) -> Vec<TenantId> {
    let loaded = load(store, key).await.expect("it lives");
    let mut found = vec![loaded.row.tenant];
    found.extend(loaded.variables.into_iter().map(|row| row.tenant));
    found.extend(loaded.pages.into_iter().map(|row| row.tenant));
    for job in [key + 1, key + 2] {
        let row = crate::suite::sample::stored_job(store, job).await.expect("a job");
        found.push(row.tenant);
    }
    let task = store.user_task(orloj_types::UserTaskKey::new(key + 3)).await.expect("read");
    found.push(task.expect("a user task").tenant);
    let incident = store.incident(orloj_types::IncidentKey::new(key + 4)).await.expect("read");
    found.push(incident.expect("an incident").tenant);
    let wait = store.subscription(orloj_types::SubscriptionKey::new(key + 5)).await;
    found.push(wait.expect("read").expect("a subscription").tenant);
    let holder = store.message(MessageKey::new(key)).await.expect("read");
    found.push(holder.expect("a holder").tenant);
    let history = store.history(InstanceKey::new(key)).await.expect("history");
    found.extend(history.into_iter().map(|row| row.tenant));
    found
}

pub(super) async fn everything_of_a_deployment_gets_the_other_tenant(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    deploy(&store, 10, "", "a", 500).await;
    deploy(&store, 20, "", "b", 501).await;
    node.write(with_everything(11, 1_000)).await;
    node.write(with_everything(21, 2_000)).await;
    let past =
        |key, definition| EndedRow { definition: DefinitionKey::new(definition), ..ended(key) };
    let past = thin_vec![past(3_000, 11), past(3_001, 21)];
    node.write(Change { ended: past, ..Change::default() }).await;
    let chore = store.job(orloj_types::JobKey::new(500)).await.expect("read").expect("a chore");
    let log = ChoreLogRow::of(&chore, crate::ChoreEvent::Failed, after(1));
    node.write(Change { chore_log: thin_vec![log], ..Change::default() }).await;

    let TenantSet::Done(version) = set(&store, 10, "acme").await else { panic!("it was there") };
    assert!(version > 0, "nodes are told");
    assert!(tenants(&store, 1_000).await.iter().all(|tenant| *tenant == acme()));
    assert!(tenants(&store, 2_000).await.iter().all(|tenant| tenant.is_empty()), "not the other");
    let of_ended = async |key| {
        let row = store.ended_instance(InstanceKey::new(key)).await.expect("read");
        row.expect("it has ended").tenant
    };
    assert_eq!((of_ended(3_000).await, of_ended(3_001).await), (acme(), TenantId::none()));
    let chore = store.job(orloj_types::JobKey::new(500)).await.expect("read").expect("a chore");
    assert_eq!(chore.tenant, acme(), "the start timer");
    let log = store.chore_log(ChoreLogFilter::default(), PAGE).await.expect("log");
    let logged = |key| log.iter().filter(move |row| row.job.raw() == key);
    assert!(logged(500).count() > 0 && logged(500).all(|row| row.tenant == acme()));
    assert!(logged(501).all(|row| row.tenant.is_empty()));
    assert_eq!(
        (latest(&store, "a", "").await, latest(&store, "a", "acme").await),
        (None, Some(11))
    );
    assert_eq!((starts(&store, "").await, starts(&store, "acme").await), (vec![21], vec![11]));

    assert_eq!(node.commit(vec![update(1_000, 1)]).await, Err(CommitError::Conflicts(vec![0])));
    node.write(update(1_000, 2)).await;
    assert_eq!(set(&store, 99, "acme").await, TenantSet::NotFound);
}

pub(super) async fn what_was_on_its_way_is_settled(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    deploy(&store, 10, "", "a", 500).await;
    assert!(!settle(&store, 10).await, "there is nothing to settle");
    assert_eq!(store.settings().await.expect("settings").moved, []);
    assert!(matches!(set(&store, 10, "acme").await, TenantSet::Done(_)));
    let moved = store.settings().await.expect("settings").moved;
    let seen = moved.iter().map(|row| (row.key.raw(), row.tenant.clone(), row.is_settled));
    assert_eq!(seen.collect::<Vec<_>>(), [(11, acme(), false)]);
    assert_eq!(moved[0].deployment.raw(), 10);

    // Begun by a node that had not heard of it.
    node.write(with_everything(11, 1_000)).await;
    let late = EndedRow { definition: DefinitionKey::new(11), ..ended(3_000) };
    node.write(Change { ended: thin_vec![late], ..Change::default() }).await;
    assert_eq!(set(&store, 10, "other").await, TenantSet::Unsettled);
    assert!(settle(&store, 10).await);
    assert!(tenants(&store, 1_000).await.iter().all(|tenant| *tenant == acme()));
    let row = store.ended_instance(InstanceKey::new(3_000)).await.expect("read").expect("ended");
    assert_eq!(row.tenant, acme());
    assert!(!settle(&store, 10).await, "once");
    let moved = store.settings().await.expect("settings").moved;
    assert!(moved.len() == 1 && moved[0].is_settled, "its tenant is known all the same");
    assert_eq!(set(&store, 10, "acme").await, TenantSet::Same);
    assert!(matches!(set(&store, 10, "").await, TenantSet::Done(_)), "and back");
}

pub(super) async fn what_the_other_tenant_has_is_not_there_twice(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    deploy(&store, 10, "", "a", 500).await;
    deploy(&store, 20, "acme", "a", 501).await;
    node.write(inserted(of(11, 1_000))).await;
    let before = store.settings().await.expect("settings").version;
    let process = Taken { kind: TakenKind::Process, id: "a".into(), version: 1 };
    assert_eq!(set(&store, 10, "acme").await, TenantSet::Taken(process));
    assert_eq!(store.settings().await.expect("settings").version, before);
    assert!(load(&store, 1_000).await.is_some_and(|loaded| loaded.row.tenant.is_empty()));
    assert_eq!(latest(&store, "a", "").await, Some(11));
}

pub(super) async fn of_two_versions_in_a_tenant_the_later_starts_instances(store: Arc<dyn Store>) {
    let _node = Node::join(&store, "n").await;
    let due = async || keys(&store.due(after(900), 9).await.expect("due"));
    // The second of no tenant comes to the first of acme.
    deploy(&store, 10, "", "a", 500).await;
    deploy(&store, 20, "", "a", 501).await;
    deploy(&store, 30, "acme", "a", 502).await;
    assert!(matches!(set(&store, 20, "acme").await, TenantSet::Done(_)));
    assert_eq!((starts(&store, "acme").await, due().await), (vec![21], vec![501]));
    assert_eq!(
        (latest(&store, "a", "").await, latest(&store, "a", "acme").await),
        (Some(11), Some(21))
    );
    // And the first of another to those.
    deploy(&store, 40, "other", "b", 503).await;
    deploy(&store, 50, "acme", "b", 504).await;
    deploy(&store, 60, "acme", "b", 505).await;
    assert!(settle(&store, 20).await);
    assert!(matches!(set(&store, 60, "other").await, TenantSet::Done(_)));
    assert_eq!((starts(&store, "other").await, due().await), (vec![61], vec![501, 505]));
    // A number below the last one of the tenant starts nothing there.
    for (key, chore) in [(70, 506), (80, 507), (90, 508)] {
        deploy(&store, key, "many", "c", chore).await;
    }
    deploy(&store, 100, "few", "c", 509).await;
    deploy(&store, 110, "few", "c", 510).await;
    assert!(matches!(set(&store, 80, "spare").await, TenantSet::Done(_)));
    assert!(matches!(set(&store, 110, "many").await, TenantSet::Done(_)));
    assert_eq!(latest(&store, "c", "many").await, Some(91));
    assert_eq!((starts(&store, "many").await, due().await), (vec![91], vec![501, 505, 508]));
}

/// They have it from their caller, if their definition has another one.
pub(super) async fn called_instances_follow_who_gave_them_their_tenant(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    deploy(&store, 10, "acme", "caller", 500).await;
    deploy(&store, 20, "", "shared", 501).await;
    deploy(&store, 30, "acme", "own", 502).await;
    let acme_row = |definition, key, caller: Option<i64>| InstanceRow {
        tenant: acme(),
        caller: caller.map(InstanceKey::new),
        root: caller.map(InstanceKey::new),
        ..of(definition, key)
    };
    node.write(inserted(acme_row(11, 1_000, None))).await;
    node.write(inserted(acme_row(21, 1_001, Some(1_000)))).await;
    node.write(inserted(acme_row(21, 1_002, Some(1_001)))).await;
    node.write(inserted(acme_row(31, 1_003, Some(1_000)))).await;
    assert!(matches!(set(&store, 10, "other").await, TenantSet::Done(_)));
    for (key, tenant) in [(1_000, "other"), (1_001, "other"), (1_002, "other"), (1_003, "acme")] {
        let row = load(&store, key).await.expect("it lives").row;
        assert_eq!(&*row.tenant, tenant, "{key}");
    }
}
