//! Job definitions, and definitions that are suspended.

use std::sync::Arc;

use orloj_types::{DefinitionKey, ElementId, JobDefinitionKey, TenantId};

use crate::suite::definitions::{deploy, deployment};
use crate::suite::sample::Node;
use crate::{
    JobDefinitionChange, JobDefinitionFilter, NewDeployment, NewJobDefinition, Page, Store,
};

const ALL: Page = Page { before: None, limit: 100 };

fn of_element(key: i64, element: &str, configuration: &str) -> NewJobDefinition {
    NewJobDefinition {
        key: JobDefinitionKey::new(key),
        element: ElementId::new(element),
        kind: "async-continuation".into(),
        configuration: configuration.into(),
        suspended: false,
    }
}

async fn two_versions(store: &Arc<dyn Store>) {
    for (key, content) in [(10, b"1"), (20, b"2")] {
        let mut new = deployment(key, "", &[("a.bpmn", content, key + 1, "a")]);
        new.resources[0].definitions[0].job_definitions = vec![
            of_element(key + 2, "pay", "async-before"),
            of_element(key + 3, "pay", "async-after"),
        ];
        store.deploy(new).await.expect("deploy");
    }
}

pub(super) async fn they_come_with_their_definition_and_are_filtered(store: Arc<dyn Store>) {
    two_versions(&store).await;
    let list = async |filter: JobDefinitionFilter, page| {
        let counted = store.count_job_definitions(filter.clone()).await.expect("count");
        let rows = store.job_definitions(filter, page).await.expect("job definitions");
        assert!(counted >= rows.len() as u64, "a page has no more than there are");
        rows.iter().map(|row| row.key.raw()).collect::<Vec<_>>()
    };
    let any = JobDefinitionFilter::default;
    assert_eq!(list(any(), ALL).await, [23, 22, 13, 12]);
    assert_eq!(list(any(), Page { before: Some(22), limit: 1 }).await, [13]);
    let definition = Some(DefinitionKey::new(11));
    assert_eq!(list(JobDefinitionFilter { definition, ..any() }, ALL).await, [13, 12]);
    let process_id = Some("a".into());
    let configuration = Some("async-after".into());
    let filter = JobDefinitionFilter { process_id, configuration, ..any() };
    assert_eq!(list(filter, ALL).await, [23, 13]);
    let element = Some("other".into());
    assert_eq!(list(JobDefinitionFilter { element, ..any() }, ALL).await, [0_i64; 0]);
    let row = store.job_definition(JobDefinitionKey::new(12)).await.expect("read").expect("one");
    assert_eq!((row.definition, &*row.kind), (DefinitionKey::new(11), "async-continuation"));
    assert_eq!((row.suspended, row.priority), (false, None));
    assert_eq!(store.job_definition(JobDefinitionKey::new(1)).await, Ok(None));
}

pub(super) async fn suspension_and_priority_are_set_one_by_one(store: Arc<dyn Store>) {
    let node = Node::join(&store, "n").await;
    two_versions(&store).await;
    let key = JobDefinitionKey::new(12);
    let set = async |change: JobDefinitionChange| {
        let version = store.set_job_definition(key, change).await.expect("set").expect("one");
        let row = store.job_definition(key).await.expect("read").expect("one");
        assert_eq!(node.beat(0).await.settings_version, version);
        (row.suspended, row.priority)
    };
    let none = JobDefinitionChange::default;
    let suspended = Some(true);
    assert_eq!(set(JobDefinitionChange { suspended, ..none() }).await, (true, None));
    let priority = Some(Some(-5));
    assert_eq!(set(JobDefinitionChange { priority, ..none() }).await, (true, Some(-5)));
    let filter =
        |has_priority| JobDefinitionFilter { has_priority, ..JobDefinitionFilter::default() };
    let with = store.job_definitions(filter(Some(true)), ALL).await.expect("list");
    assert_eq!(store.count_job_definitions(filter(Some(true))).await, Ok(with.len() as u64));
    assert_eq!(with.len(), 1);
    let without = store.job_definitions(filter(Some(false)), ALL).await.expect("list");
    assert_eq!(without.len(), 3);
    let both = JobDefinitionChange { suspended: Some(false), priority: Some(None) };
    assert_eq!(set(both).await, (false, None));
    let unknown = store.set_job_definition(JobDefinitionKey::new(1), both).await;
    assert_eq!(unknown, Ok(None));
}

pub(super) async fn definitions_are_suspended_and_activated(store: Arc<dyn Store>) {
    let node = Node::join(&store, "n").await;
    deploy(&store, 10, &[("a.bpmn", b"1", 11, "a"), ("b.bpmn", b"1", 12, "b")]).await;
    let keys = |keys: &[i64]| keys.iter().map(|key| DefinitionKey::new(*key)).collect::<Vec<_>>();
    let is_suspended = async |key| {
        let row = store.definition(DefinitionKey::new(key)).await.expect("read");
        row.expect("it exists").suspended
    };
    assert!(!is_suspended(11).await);
    let version = store.set_definition_suspended(keys(&[11, 99]), true).await.expect("set");
    assert_eq!(node.beat(0).await.settings_version, version.expect("one was found"));
    assert_eq!((is_suspended(11).await, is_suspended(12).await), (true, false));
    assert_eq!(store.set_definition_suspended(keys(&[99]), true).await, Ok(None));
    store.set_definition_suspended(keys(&[11, 12]), false).await.expect("set");
    assert!(!is_suspended(11).await);
}

fn suspended(mut new: NewDeployment, job_definition: i64) -> NewDeployment {
    let definition = &mut new.resources[0].definitions[0];
    definition.suspended = true;
    let of_element = of_element(job_definition, "pay", "async-before");
    definition.job_definitions = vec![NewJobDefinition { suspended: true, ..of_element }];
    new
}

pub(super) async fn definitions_that_come_suspended_raise_the_settings(store: Arc<dyn Store>) {
    let node = Node::join(&store, "n").await;
    let first = deploy(&store, 10, &[("a.bpmn", b"1", 11, "a")]).await;
    assert_eq!(first.settings, None, "nodes have nothing to read");
    let before = node.beat(0).await.settings_version;
    let files: [(&str, &[u8], i64, &str); 2] =
        [("a.bpmn", b"2", 21, "a"), ("b.bpmn", b"1", 22, "b")];
    let stored = store.deploy(suspended(deployment(20, "", &files), 23)).await.expect("deploy");
    let version = stored.settings.expect("nodes have to read them");
    assert!(version > before);
    assert_eq!(node.beat(0).await.settings_version, version);
    let rows = stored.definitions.iter();
    let told: Vec<_> = rows.map(|row| (row.key.raw(), row.version, row.suspended)).collect();
    assert_eq!(told, [(21, 2, true), (22, 1, false)]);
    let read = store.settings().await.expect("settings");
    assert_eq!((read.version, &read.suspended[..]), (version, &[DefinitionKey::new(21)][..]));
    let jobs: Vec<_> = read.job_definitions.iter().map(|row| row.key.raw()).collect();
    assert_eq!(jobs, [23]);
    let latest = store.find_definition("a".into(), TenantId::none(), None).await.expect("find");
    assert_eq!(latest.map(|row| (row.key.raw(), row.suspended)), Some((21, true)));
}

pub(super) async fn a_duplicate_suspends_nothing(store: Arc<dyn Store>) {
    let file: [(&str, &[u8], i64, &str); 1] = [("a.bpmn", b"1", 11, "a")];
    store.deploy(deployment(10, "", &file)).await.expect("deploy");
    let before = store.settings().await.expect("settings");
    let again = [("a.bpmn", file[0].1, 21, "a")];
    let stored = store.deploy(suspended(deployment(20, "", &again), 23)).await.expect("deploy");
    assert_eq!((stored.duplicate, stored.settings), (true, None));
    assert!(!stored.definitions[0].suspended);
    assert_eq!(store.settings().await.expect("settings"), before);
}

pub(super) async fn nodes_read_all_that_is_set_with_its_version(store: Arc<dyn Store>) {
    two_versions(&store).await;
    let read = async || store.settings().await.expect("settings");
    let before = read().await;
    assert_eq!((&before.limits[..], &before.suspended[..]), (&[][..], &[][..]));
    assert!(before.job_definitions.is_empty());
    let limit = crate::NewLimit {
        scope: crate::LimitScope::Topic,
        name: "mail".into(),
        max_concurrent: Some(2),
        rate: None,
    };
    store.set_limit(limit, crate::suite::sample::NOW).await.expect("set");
    let definitions = vec![DefinitionKey::new(21)];
    store.set_definition_suspended(definitions, true).await.expect("suspended");
    let set = async |key, change| {
        store.set_job_definition(JobDefinitionKey::new(key), change).await.expect("set")
    };
    let suspended = JobDefinitionChange { suspended: Some(true), priority: None };
    let urgent = JobDefinitionChange { suspended: None, priority: Some(Some(7)) };
    set(13, urgent).await;
    let version = set(22, suspended).await.expect("there");
    let after = read().await;
    assert_eq!(after.version, version);
    assert!(version > before.version);
    assert_eq!(&*after.limits[0].name, "mail");
    assert_eq!(after.suspended, [DefinitionKey::new(21)]);
    let found: Vec<_> = after
        .job_definitions
        .iter()
        .map(|row| (row.key.raw(), row.suspended, row.priority))
        .collect();
    assert_eq!(found, [(13, false, Some(7)), (22, true, None)]);
}
