//! Deployed decisions: versions, duplicates, bindings.

use std::sync::Arc;

use orloj_types::{DeploymentKey, TenantId};

use crate::suite::definitions::deployment;
use crate::suite::engine;
use crate::suite::sample::{NOW, Node};
use crate::{
    DecisionKey, DecisionRow, DecisionVersion, NewDecision, NewDeployment, NewRequirements,
    NewResource, Requirements, RequirementsKey, Store, StoredDeployment,
};

/// Key and id of a decision, and its version tag.
type Decision<'a> = (i64, &'a str, Option<&'a str>);

pub(super) async fn decisions_and_their_file_have_versions(store: Arc<dyn Store>) {
    let first = deploy(&store, file(10, "f", b"1", &[(12, "a", None), (13, "b", Some("t"))])).await;
    assert!(!first.duplicate);
    assert!(first.definitions.is_empty());
    let expected = DecisionRow {
        key: DecisionKey(13),
        engine: engine(),
        tenant: TenantId::none(),
        decision_id: "b".into(),
        name: "the b".into(),
        version: 1,
        version_tag: Some("t".into()),
        requirements: Requirements {
            key: RequirementsKey(11),
            id: "f".into(),
            name: "the f".into(),
            version: 1,
        },
        deployment: DeploymentKey::new(10),
        resource_name: "f.dmn".into(),
        checksum: [b'1'; 16],
        dialect: "zeebe".into(),
        deployed_at: NOW,
        is_deleted: false,
    };
    assert_eq!(first.decisions[1], expected);
    assert_eq!(store.decision(DecisionKey(13)).await, Ok(Some(expected)));
    assert_eq!(store.decision(DecisionKey(14)).await, Ok(None));
    let content = store.resource(DeploymentKey::new(10), "f.dmn".into()).await;
    assert_eq!(content, Ok(Some(b"1"[..].into())));
    // A decision that moves to another file counts on; the file counts by itself.
    let moved = deploy(&store, file(20, "g", b"2", &[(22, "b", None)])).await;
    assert_eq!(summary(&moved), [(22, 2, 1)]);
    let again = deploy(&store, file(30, "f", b"3", &[(32, "a", None), (33, "c", None)])).await;
    assert_eq!(summary(&again), [(32, 2, 2), (33, 1, 2)]);
}

pub(super) async fn a_file_of_decisions_deployed_again_is_a_duplicate(store: Arc<dyn Store>) {
    let first = deploy(&store, file(10, "f", b"1", &[(12, "a", None)])).await;
    let again = deploy(&store, file(20, "f", b"1", &[(22, "a", None)])).await;
    assert!(again.duplicate);
    assert_eq!(again.decisions, first.decisions);
    assert_eq!(store.decision(DecisionKey(22)).await, Ok(None));
    let mut other = file(30, "f", b"1", &[(32, "a", None)]);
    other.tenant = TenantId::new("red");
    let other = deploy(&store, other).await;
    assert_eq!(summary(&other), [(32, 1, 1)], "another tenant counts by itself");
}

pub(super) async fn a_process_and_its_decisions_are_new_together(store: Arc<dyn Store>) {
    let both = |key: i64, process: &[u8], decisions: &[u8]| {
        let mut new = deployment(key, "", &[("p.bpmn", process, key + 5, "p")]);
        new.resources.push(resource(key, "f", decisions, &[(key + 2, "a", None)]));
        new
    };
    deploy(&store, both(10, b"1", b"1")).await;
    assert!(deploy(&store, both(20, b"1", b"1")).await.duplicate);
    let process = deploy(&store, both(30, b"2", b"1")).await;
    assert_eq!((summary(&process), process.definitions[0].version), (vec![(32, 2, 2)], 2));
    let decision = deploy(&store, both(40, b"2", b"2")).await;
    assert_eq!((summary(&decision), decision.definitions[0].version), (vec![(42, 3, 3)], 3));
}

pub(super) async fn decisions_are_found_by_version_tag_and_deployment(store: Arc<dyn Store>) {
    for (key, content, tag) in [(10, b"1", Some("t")), (20, b"2", Some("t")), (30, b"3", None)] {
        deploy(&store, file(key, "f", content, &[(key + 2, "a", tag)])).await;
    }
    let found = async |version| {
        let found = store.find_decision("a".into(), TenantId::none(), version).await;
        found.expect("find").map(|row| row.key.0)
    };
    assert_eq!(found(DecisionVersion::Latest).await, Some(32));
    assert_eq!(found(DecisionVersion::Number(1)).await, Some(12));
    assert_eq!(found(DecisionVersion::Number(4)).await, None);
    assert_eq!(found(DecisionVersion::Tag("t".into())).await, Some(22));
    assert_eq!(found(DecisionVersion::Tag("u".into())).await, None);
    assert_eq!(found(DecisionVersion::Deployment(DeploymentKey::new(10))).await, Some(12));
    assert_eq!(found(DecisionVersion::Deployment(DeploymentKey::new(11))).await, None);
    let red = store.find_decision("a".into(), TenantId::new("red"), DecisionVersion::Latest);
    assert_eq!(red.await, Ok(None));
}

pub(super) async fn a_beat_tells_of_decisions(store: Arc<dyn Store>) {
    let node = Node::join(&store, "n").await;
    deploy(&store, file(10, "f", b"1", &[(12, "a", None)])).await;
    assert_eq!(node.beat(0).await.newest_definition, 12);
}

async fn deploy(store: &Arc<dyn Store>, new: NewDeployment) -> StoredDeployment {
    store.deploy(new).await.expect("deploy")
}

/// A deployment of one file; the file's own key follows the deployment's.
fn file(key: i64, id: &str, content: &[u8], decisions: &[Decision<'_>]) -> NewDeployment {
    let mut new = deployment(key, "", &[]);
    new.resources.push(resource(key, id, content, decisions));
    new
}

fn resource(key: i64, id: &str, content: &[u8], decisions: &[Decision<'_>]) -> NewResource {
    let decisions = decisions.iter().map(|&(key, id, tag)| NewDecision {
        key: DecisionKey(key),
        decision_id: id.into(),
        name: format!("the {id}").into(),
        version_tag: tag.map(Arc::from),
    });
    NewResource {
        name: format!("{id}.dmn").into(),
        content: content.into(),
        checksum: [content[0]; 16],
        dialect: "zeebe".into(),
        checks: 1,
        definitions: Vec::new(),
        requirements: Some(NewRequirements {
            key: RequirementsKey(key + 1),
            id: id.into(),
            name: format!("the {id}").into(),
            decisions: decisions.collect(),
        }),
        asset: None,
    }
}

/// Key and version of each decision, and the version of its file.
fn summary(stored: &StoredDeployment) -> Vec<(i64, i32, i32)> {
    stored.decisions.iter().map(|d| (d.key.0, d.version, d.requirements.version)).collect()
}
