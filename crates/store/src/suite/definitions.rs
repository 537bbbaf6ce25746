//! Deployments: versions, duplicates, tenants.

use std::sync::Arc;

use orloj_types::{DefinitionKey, DeploymentKey, ProcessId, TenantId};

use crate::suite::engine;
use crate::suite::sample::NOW;
use crate::suite::together::together;
use crate::{
    DefinitionFilter, DefinitionRow, NewDefinition, NewDeployment, NewResource, Page, Store,
    StoredDeployment,
};

/// Resource name, content, key of its definition, process id.
type Resource<'a> = (&'a str, &'a [u8], i64, &'a str);

pub(super) async fn deploy(
    store: &Arc<dyn Store>,
    key: i64,
    resources: &[Resource<'_>],
) -> StoredDeployment {
    store.deploy(deployment(key, "", resources)).await.expect("deploy")
}

pub(super) async fn versions_count_up_per_process(store: Arc<dyn Store>) {
    let first = deploy(&store, 10, &[("a.bpmn", b"1", 11, "a")]).await;
    assert_eq!(first.key, DeploymentKey::new(10));
    assert!(!first.duplicate);
    let expected = DefinitionRow {
        key: DefinitionKey::new(11),
        engine: engine(),
        tenant: TenantId::none(),
        process_id: ProcessId::new("a"),
        version: 1,
        deployment: DeploymentKey::new(10),
        resource_name: "a.bpmn".into(),
        checksum: checksum(b"1"),
        dialect: "zeebe".into(),
        checks: 3,
        deployed_at: NOW,
        suspended: false,
        is_deleted: false,
    };
    assert_eq!(first.definitions, [expected]);
    let second = deploy(&store, 20, &[("b.bpmn", b"1", 21, "b"), ("a.bpmn", b"2", 22, "a")]).await;
    assert_eq!(summary(&second), [(21, 1, 20), (22, 2, 20)], "in the order of the resources");
    let third = deploy(&store, 30, &[("a.bpmn", b"3", 31, "a")]).await;
    assert_eq!(summary(&third), [(31, 3, 30)]);
}

pub(super) async fn a_deployment_of_nothing_new_keeps_its_keys(store: Arc<dyn Store>) {
    let both: [Resource<'_>; 2] = [("a.bpmn", b"1", 11, "a"), ("b.bpmn", b"2", 12, "b")];
    let first = deploy(&store, 10, &both).await;
    let again = deploy(&store, 20, &[("a.bpmn", b"1", 21, "a"), ("b.bpmn", b"2", 22, "b")]).await;
    assert!(again.duplicate);
    assert_eq!(again.key, DeploymentKey::new(20), "a deployment has a key of its own");
    assert_eq!(again.definitions, first.definitions);
    assert_eq!(store.definition(DefinitionKey::new(21)).await, Ok(None));
    let resource = store.resource(DeploymentKey::new(20), "a.bpmn".into()).await;
    assert_eq!(resource, Ok(None), "nothing was written");
    let part = deploy(&store, 30, &[("b.bpmn", b"2", 31, "b")]).await;
    assert!(part.duplicate, "also alone");
}

pub(super) async fn one_new_resource_gives_all_new_versions(store: Arc<dyn Store>) {
    deploy(&store, 10, &[("a.bpmn", b"1", 11, "a"), ("b.bpmn", b"1", 12, "b")]).await;
    let mixed = deploy(&store, 20, &[("a.bpmn", b"1", 21, "a"), ("b.bpmn", b"2", 22, "b")]).await;
    assert!(!mixed.duplicate);
    assert_eq!(summary(&mixed), [(21, 2, 20), (22, 2, 20)]);
    let resource = store.resource(DeploymentKey::new(20), "a.bpmn".into()).await;
    assert_eq!(resource, Ok(Some(b"1"[..].into())));
}

pub(super) async fn a_resource_of_another_name_is_new(store: Arc<dyn Store>) {
    deploy(&store, 10, &[("a.bpmn", b"1", 11, "a")]).await;
    let renamed = deploy(&store, 20, &[("other.bpmn", b"1", 21, "a")]).await;
    assert!(!renamed.duplicate);
    assert_eq!(summary(&renamed), [(21, 2, 20)]);
}

pub(super) async fn an_earlier_version_deployed_again_is_new(store: Arc<dyn Store>) {
    for (key, content) in [(10, b"1"), (20, b"2"), (30, b"1")] {
        let stored = deploy(&store, key, &[("a.bpmn", content, key + 1, "a")]).await;
        assert!(!stored.duplicate, "only the latest version counts");
    }
    let two: [Resource<'_>; 2] = [("m.bpmn", b"m", 41, "x"), ("m.bpmn", b"m", 42, "y")];
    let one_file = |key, first, second| {
        let mut new = deployment(key, "", &two);
        new.resources.pop();
        new.resources[0].definitions = vec![definition(first, "x"), definition(second, "y")];
        new
    };
    let first = store.deploy(one_file(40, 41, 42)).await.expect("deploy");
    assert_eq!(summary(&first), [(41, 1, 40), (42, 1, 40)]);
    assert!(store.deploy(one_file(50, 51, 52)).await.expect("deploy").duplicate);
    deploy(&store, 60, &[("y.bpmn", b"y", 61, "y")]).await;
    let mixed = store.deploy(one_file(70, 71, 72)).await.expect("deploy");
    assert!(!mixed.duplicate, "the latest of one of its processes came from another file");
    assert_eq!(summary(&mixed), [(71, 2, 70), (72, 3, 70)]);
}

pub(super) async fn tenants_have_versions_of_their_own(store: Arc<dyn Store>) {
    deploy(&store, 10, &[("a.bpmn", b"1", 11, "a")]).await;
    deploy(&store, 20, &[("a.bpmn", b"2", 21, "a")]).await;
    let red = store.deploy(deployment(30, "red", &[("a.bpmn", b"2", 31, "a")])).await;
    let red = red.expect("deploy");
    assert!(!red.duplicate, "another tenant's is no duplicate");
    assert_eq!(summary(&red), [(31, 1, 30)]);
    assert_eq!(&*red.definitions[0].tenant, "red");
    assert_eq!(found(&store, "a", "", None).await, Some(21));
    assert_eq!(found(&store, "a", "red", None).await, Some(31));
    assert_eq!(found(&store, "a", "red", Some(2)).await, None);
    assert_eq!(found(&store, "a", "blue", None).await, None);
}

pub(super) async fn definitions_are_found_by_key_and_version(store: Arc<dyn Store>) {
    assert_eq!(found(&store, "a", "", None).await, None);
    let first = deploy(&store, 10, &[("a.bpmn", b"1", 11, "a")]).await;
    // Keys need not grow with versions: nodes make them.
    deploy(&store, 5, &[("a.bpmn", b"2", 6, "a")]).await;
    assert_eq!(found(&store, "a", "", None).await, Some(6), "the latest version");
    assert_eq!(found(&store, "a", "", Some(1)).await, Some(11));
    assert_eq!(found(&store, "a", "", Some(2)).await, Some(6));
    assert_eq!(found(&store, "a", "", Some(3)).await, None);
    assert_eq!(found(&store, "A", "", None).await, None);
    let by_key = store.definition(DefinitionKey::new(11)).await;
    assert_eq!(by_key.expect("definition").as_ref(), Some(&first.definitions[0]));
    assert_eq!(store.definition(DefinitionKey::new(12)).await, Ok(None));
}

pub(super) async fn a_resource_keeps_its_bytes(store: Arc<dyn Store>) {
    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    deploy(&store, 10, &[("dir/ä b.bpmn", &bytes, 11, "a"), ("empty", b"", 12, "b")]).await;
    let resource = |name: &str| store.resource(DeploymentKey::new(10), name.into());
    assert_eq!(resource("dir/ä b.bpmn").await, Ok(Some(bytes.into())));
    assert_eq!(resource("empty").await, Ok(Some([].into())));
    assert_eq!(resource("other").await, Ok(None));
}

pub(super) async fn deployments_at_once_get_different_versions(store: Arc<dyn Store>) {
    let contents: [&[u8]; 6] = [b"1", b"2", b"3", b"4", b"5", b"6"];
    let deployments = (1..).zip(contents).map(|(at, content)| {
        store.deploy(deployment(10 * at, "", &[("a.bpmn", content, 10 * at + 1, "a")]))
    });
    let stored = together(deployments.collect()).await;
    let mut versions: Vec<i32> =
        stored.into_iter().map(|s| s.expect("deploy").definitions[0].version).collect();
    versions.sort_unstable();
    assert_eq!(versions, [1, 2, 3, 4, 5, 6]);
}

pub(super) async fn definitions_are_paged_newest_first(store: Arc<dyn Store>) {
    for key in [10, 20, 30, 40] {
        deploy(&store, key, &[("a.bpmn", &key.to_be_bytes(), key + 1, "a")]).await;
    }
    let page = async |before, limit| {
        let filter = DefinitionFilter::default();
        let rows = store.definitions(filter, Page { before, limit }).await.expect("definitions");
        rows.iter().map(|row| row.key.raw()).collect::<Vec<_>>()
    };
    assert_eq!(page(None, 3).await, [41, 31, 21]);
    assert_eq!(page(Some(21), 3).await, [11]);
    assert_eq!(page(Some(11), 3).await, [0_i64; 0]);
}

pub(super) async fn definitions_are_found_by_every_field(store: Arc<dyn Store>) {
    deploy(&store, 10, &[("a.bpmn", b"1", 11, "a"), ("b.bpmn", b"1", 12, "b")]).await;
    deploy(&store, 20, &[("a.bpmn", b"2", 21, "a")]).await;
    store.deploy(deployment(30, "north", &[("a.bpmn", b"1", 31, "a")])).await.expect("deploy");
    deploy(&store, 40, &[("a.bpmn", b"3", 41, "a")]).await;
    let suspended = vec![DefinitionKey::new(21), DefinitionKey::new(31)];
    store.set_definition_suspended(suspended, true).await.expect("suspend");
    let any = DefinitionFilter::default;
    let found = async |filter: DefinitionFilter, before, limit| {
        let rows = store.definitions(filter, Page { before, limit }).await.expect("definitions");
        rows.iter().map(|row| row.key.raw()).collect::<Vec<_>>()
    };
    let a = || DefinitionFilter { process_id: Some(ProcessId::new("a")), ..any() };
    assert_eq!(found(a(), None, 9).await, [41, 31, 21, 11]);
    assert_eq!(found(a(), Some(41), 2).await, [31, 21]);
    assert_eq!(found(a(), Some(21), 2).await, [11]);
    let none = || DefinitionFilter { tenant: Some(TenantId::none()), ..any() };
    assert_eq!(found(none(), None, 9).await, [41, 21, 12, 11]);
    let north = DefinitionFilter { tenant: Some(TenantId::new("north")), ..a() };
    assert_eq!(found(north, None, 9).await, [31]);
    assert_eq!(found(DefinitionFilter { version: Some(1), ..any() }, None, 9).await, [31, 12, 11]);
    let deployment = Some(DeploymentKey::new(10));
    assert_eq!(found(DefinitionFilter { deployment, ..any() }, None, 9).await, [12, 11]);
    assert_eq!(found(DefinitionFilter { suspended: Some(true), ..any() }, None, 9).await, [31, 21]);
    let active = DefinitionFilter { suspended: Some(false), ..a() };
    assert_eq!(found(active, None, 9).await, [41, 11]);
    let latest = || DefinitionFilter { only_latest: true, ..any() };
    assert_eq!(found(latest(), None, 9).await, [41, 31, 12]);
    assert_eq!(found(latest(), Some(41), 1).await, [31]);
    // What is asked of the latest versions does not make others of them.
    let suspended = DefinitionFilter { suspended: Some(true), ..latest() };
    assert_eq!(found(suspended, None, 9).await, [31]);
    assert_eq!(found(DefinitionFilter { version: Some(2), ..latest() }, None, 9).await, [0; 0]);
    assert_eq!(
        found(DefinitionFilter { process_id: a().process_id, ..none() }, None, 9).await,
        [41, 21, 11]
    );
}

pub(super) fn deployment(key: i64, tenant: &str, resources: &[Resource<'_>]) -> NewDeployment {
    let resources = resources.iter().map(|(name, content, definition, process_id)| NewResource {
        name: (*name).into(),
        content: (*content).into(),
        checksum: checksum(content),
        dialect: "zeebe".into(),
        checks: 3,
        definitions: vec![self::definition(*definition, process_id)],
        requirements: None,
        asset: None,
    });
    NewDeployment {
        key: DeploymentKey::new(key),
        engine: engine(),
        tenant: TenantId::new(tenant),
        resources: resources.collect(),
        now: NOW,
        logs_chores: false,
    }
}

fn definition(key: i64, process_id: &str) -> NewDefinition {
    NewDefinition {
        key: DefinitionKey::new(key),
        process_id: ProcessId::new(process_id),
        suspended: false,
        starts: Vec::new(),
        job_definitions: Vec::new(),
        chores: Vec::new(),
    }
}

/// Different for the contents the cases use; stores only compare it.
fn checksum(content: &[u8]) -> [u8; 16] {
    let mut sum = [0xff_u8; 16];
    for (at, byte) in content.iter().enumerate() {
        sum[at % 16] = sum[at % 16].rotate_left(1) ^ byte;
    }
    sum
}

/// Key, version and deployment of each definition.
fn summary(stored: &StoredDeployment) -> Vec<(i64, i32, i64)> {
    stored.definitions.iter().map(|d| (d.key.raw(), d.version, d.deployment.raw())).collect()
}

async fn found(
    store: &Arc<dyn Store>,
    process_id: &str,
    tenant: &str,
    version: Option<i32>,
) -> Option<i64> {
    let found = store.find_definition(ProcessId::new(process_id), TenantId::new(tenant), version);
    found.await.expect("find").map(|row| row.key.raw())
}
