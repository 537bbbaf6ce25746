//! Deployed forms and linked files: versions, duplicates, bindings, deletion.

use std::sync::Arc;

use orloj_types::{DeploymentKey, TenantId};

use crate::suite::definitions::deployment;
use crate::suite::engine;
use crate::suite::sample::NOW;
use crate::{
    AssetKey, AssetKind, AssetRow, DecisionKey, DecisionVersion, NewAsset, NewDecision,
    NewDeployment, NewRequirements, NewResource, Page, RequirementsKey, Store, StoredDeployment,
};

pub(super) async fn assets_have_versions_of_their_own(store: Arc<dyn Store>) {
    let first = deploy(&store, file(10, AssetKind::Form, "a", b"1", Some("t"))).await;
    let expected = AssetRow {
        key: AssetKey(11),
        engine: engine(),
        tenant: TenantId::none(),
        kind: AssetKind::Form,
        asset_id: "a".into(),
        version: 1,
        version_tag: Some("t".into()),
        deployment: DeploymentKey::new(10),
        resource_name: "a.file".into(),
        checksum: [b'1'; 16],
        deployed_at: NOW,
        is_deleted: false,
    };
    assert_eq!(first.assets, std::slice::from_ref(&expected));
    assert_eq!(found(&store, AssetKind::Form, DecisionVersion::Latest).await, Some(expected));
    assert_eq!(found(&store, AssetKind::Linked, DecisionVersion::Latest).await, None);
    let linked = deploy(&store, file(20, AssetKind::Linked, "a", b"2", None)).await;
    assert_eq!(summary(&linked), [(21, 1)], "kinds count by themselves");
    let again = deploy(&store, file(30, AssetKind::Form, "a", b"1", None)).await;
    assert!(again.duplicate);
    assert_eq!(summary(&again), [(11, 1)]);
    let changed = deploy(&store, file(40, AssetKind::Form, "a", b"3", None)).await;
    assert_eq!(summary(&changed), [(41, 2)]);
    let mut other = file(50, AssetKind::Form, "a", b"3", None);
    other.tenant = TenantId::new("red");
    assert_eq!(summary(&deploy(&store, other).await), [(51, 1)]);
}

pub(super) async fn an_asset_and_what_comes_with_it_are_new_together(store: Arc<dyn Store>) {
    let both = |key: i64, process: &[u8], form: &[u8]| {
        let mut new = deployment(key, "", &[("p.bpmn", process, key + 5, "p")]);
        new.resources.push(resource(key, AssetKind::Form, "a", form, None));
        new
    };
    deploy(&store, both(10, b"1", b"1")).await;
    assert!(deploy(&store, both(20, b"1", b"1")).await.duplicate);
    let process = deploy(&store, both(30, b"2", b"1")).await;
    assert_eq!((summary(&process), process.definitions[0].version), (vec![(31, 2)], 2));
    let form = deploy(&store, both(40, b"2", b"2")).await;
    assert_eq!((summary(&form), form.definitions[0].version), (vec![(41, 3)], 3));
}

pub(super) async fn assets_are_found_by_version_tag_and_deployment(store: Arc<dyn Store>) {
    for (key, content, tag) in [(10, b"1", Some("t")), (20, b"2", Some("t")), (30, b"3", None)] {
        deploy(&store, file(key, AssetKind::Form, "a", content, tag)).await;
    }
    let key = async |version| {
        found(&store, AssetKind::Form, version).await.map(|row: AssetRow| row.key.0)
    };
    assert_eq!(key(DecisionVersion::Latest).await, Some(31));
    assert_eq!(key(DecisionVersion::Number(1)).await, Some(11));
    assert_eq!(key(DecisionVersion::Number(4)).await, None);
    assert_eq!(key(DecisionVersion::Tag("t".into())).await, Some(21));
    assert_eq!(key(DecisionVersion::Tag("u".into())).await, None);
    assert_eq!(key(DecisionVersion::Deployment(DeploymentKey::new(10))).await, Some(11));
    assert_eq!(key(DecisionVersion::Deployment(DeploymentKey::new(11))).await, None);
}

pub(super) async fn what_is_deleted_is_found_no_more_and_its_version_is_not_given_again(
    store: Arc<dyn Store>,
) {
    deploy(&store, file(10, AssetKind::Form, "a", b"1", None)).await;
    deploy(&store, file(20, AssetKind::Form, "a", b"2", None)).await;
    deploy(&store, decisions(30, b"1")).await;
    let before = store.settings().await.expect("settings").version;
    let after = store.delete_file(21).await.expect("delete").expect("there is such a form");
    assert!(after > before, "nodes that know the form are told by the settings");
    assert_eq!(store.delete_file(21).await, Ok(None));
    assert_eq!(store.delete_file(99).await, Ok(None));
    let row = found(&store, AssetKind::Form, DecisionVersion::Latest).await;
    assert_eq!(row.map(|row| row.key.0), Some(11), "the version before is the latest again");
    let listed = async |before, limit| {
        let rows = store.assets(Page { before, limit }).await.expect("assets");
        rows.iter().map(|row| row.key.0).collect::<Vec<_>>()
    };
    assert_eq!(listed(None, 9).await, [11]);
    let again = deploy(&store, file(40, AssetKind::Form, "a", b"2", None)).await;
    assert_eq!(summary(&again), [(41, 3)]);
    assert_eq!(listed(None, 1).await, [41], "newest first");
    assert_eq!(listed(Some(41), 9).await, [11]);
    let decisions_listed = async || {
        let rows = store.decisions(Page { before: None, limit: 9 }).await.expect("decisions");
        rows.iter().map(|row| row.key.0).collect::<Vec<_>>()
    };
    assert_eq!(decisions_listed().await, [32]);

    assert!(store.delete_file(31).await.expect("delete").is_some());
    let latest = store.find_decision("d".into(), TenantId::none(), DecisionVersion::Latest);
    assert_eq!(latest.await, Ok(None));
    assert_eq!(decisions_listed().await, [0_i64; 0]);
    let again = deploy(&store, decisions(50, b"1")).await;
    assert_eq!(again.decisions.iter().map(|row| row.version).collect::<Vec<_>>(), [2]);
}

async fn deploy(store: &Arc<dyn Store>, new: NewDeployment) -> StoredDeployment {
    store.deploy(new).await.expect("deploy")
}

async fn found(
    store: &Arc<dyn Store>,
    kind: AssetKind,
    version: DecisionVersion,
) -> Option<AssetRow> {
    store.find_asset(kind, "a".into(), TenantId::none(), version).await.expect("find")
}

/// A deployment of one file; the file's own key follows the deployment's.
fn file(key: i64, kind: AssetKind, id: &str, content: &[u8], tag: Option<&str>) -> NewDeployment {
    let mut new = deployment(key, "", &[]);
    new.resources.push(resource(key, kind, id, content, tag));
    new
}

fn resource(key: i64, kind: AssetKind, id: &str, content: &[u8], tag: Option<&str>) -> NewResource {
    let (asset_id, version_tag) = (id.into(), tag.map(Arc::from));
    NewResource {
        name: format!("{id}.file").into(),
        content: content.into(),
        checksum: [content[0]; 16],
        dialect: "zeebe".into(),
        checks: 1,
        definitions: Vec::new(),
        requirements: None,
        asset: Some(NewAsset { key: AssetKey(key + 1), kind, asset_id, version_tag }),
    }
}

fn decisions(key: i64, content: &[u8]) -> NewDeployment {
    let mut new = file(key, AssetKind::Form, "d", content, None);
    let decision = NewDecision {
        key: DecisionKey(key + 2),
        decision_id: "d".into(),
        name: "d".into(),
        version_tag: None,
    };
    for resource in &mut new.resources {
        resource.asset = None;
        resource.requirements = Some(NewRequirements {
            key: RequirementsKey(key + 1),
            id: "file".into(),
            name: "file".into(),
            decisions: vec![decision.clone()],
        });
    }
    new
}

/// Key and version of each asset.
fn summary(stored: &StoredDeployment) -> Vec<(i64, i32)> {
    stored.assets.iter().map(|row| (row.key.0, row.version)).collect()
}
