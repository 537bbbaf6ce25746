//! Deleted definitions.

use std::sync::Arc;

use orloj_types::{DefinitionKey, ProcessId, TenantId};

use crate::suite::definitions::{deploy, deployment};
use crate::suite::engine;
use crate::suite::sample::{Node, after, keys, timer};
use crate::{
    ChoreEvent, ChoreLogFilter, DefinitionDeleted, DefinitionFilter, DeleteDefinition, Heir,
    JobKind, JobRow, NewStart, Page, StartKind, StartQuery, Store,
};
use orloj_types::InstanceKey;

fn start(name: &str) -> NewStart {
    let (event, kind) = ("s".into(), StartKind::Message);
    NewStart { event, kind, name: name.into() }
}

fn start_timer(key: i64, definition: i64) -> JobRow {
    JobRow {
        kind: JobKind::StartTimer,
        instance: InstanceKey::new(0),
        definition: DefinitionKey::new(definition),
        ..timer(key, after(key))
    }
}

async fn deploy_with(store: &Arc<dyn Store>, key: i64, content: &[u8], chore: i64) {
    let mut new = deployment(key, "", &[("a.bpmn", content, key + 1, "a")]);
    let definition = &mut new.resources[0].definitions[0];
    definition.starts = vec![start("paid")];
    definition.chores = vec![start_timer(chore, key + 1)];
    store.deploy(new).await.expect("deploy");
}

async fn delete(store: &Arc<dyn Store>, key: i64, heir: Option<Heir>) -> DefinitionDeleted {
    let (key, now) = (DefinitionKey::new(key), after(0));
    let delete = DeleteDefinition { key, heir, now, logs_chores: true };
    store.delete_definition(delete).await.expect("delete")
}

async fn latest(store: &Arc<dyn Store>) -> Option<(i64, i32)> {
    let found = store.find_definition(ProcessId::new("a"), TenantId::none(), None).await;
    found.expect("find").map(|row| (row.key.raw(), row.version))
}

async fn starts(store: &Arc<dyn Store>) -> Vec<i64> {
    let query = StartQuery {
        engine: engine(),
        tenant: None,
        kind: StartKind::Message,
        name: Some("paid".into()),
        after: None,
        limit: 9,
    };
    let rows = store.starts(query).await.expect("starts");
    rows.iter().map(|row| row.definition.raw()).collect()
}

pub(super) async fn the_version_before_a_deleted_one_comes_back(store: Arc<dyn Store>) {
    let node = Node::join(&store, "n").await;
    deploy_with(&store, 10, b"1", 500).await;
    deploy_with(&store, 20, b"2", 501).await;
    let heir = |definition, chore| Heir {
        definition: DefinitionKey::new(definition),
        starts: vec![start("paid")],
        chores: vec![start_timer(chore, definition)],
    };
    let due = async || keys(&store.due(after(900), 9).await.expect("due"));
    let before = node.beat(0).await.settings_version;
    assert_eq!(delete(&store, 21, None).await, DefinitionDeleted::Overtaken, "it has an heir");
    assert_eq!(delete(&store, 21, Some(heir(99, 1))).await, DefinitionDeleted::Overtaken);
    assert_eq!((starts(&store).await, due().await), (vec![21], vec![501]), "nothing changed");

    let DefinitionDeleted::Done(version) = delete(&store, 21, Some(heir(11, 502))).await else {
        panic!("it was there");
    };
    assert!(version > before, "nodes are told");
    assert_eq!(latest(&store).await, Some((11, 1)));
    assert_eq!((starts(&store).await, due().await), (vec![11], vec![502]));
    let log = store.chore_log(ChoreLogFilter::default(), Page { before: None, limit: 9 }).await;
    let log: Vec<_> = log.expect("log").iter().map(|row| (row.job.raw(), row.event)).collect();
    assert_eq!(log, [(502, ChoreEvent::Created), (501, ChoreEvent::Deleted)]);
    let row = store.definition(DefinitionKey::new(21)).await.expect("read").expect("it stays");
    assert!(row.is_deleted);
    let page = Page { before: None, limit: 9 };
    for only_latest in [false, true] {
        let filter = DefinitionFilter { only_latest, ..DefinitionFilter::default() };
        let listed = store.definitions(filter, page).await.expect("list");
        assert_eq!(listed.iter().map(|row| row.key.raw()).collect::<Vec<_>>(), [11]);
    }
    let by_version = store.find_definition(ProcessId::new("a"), TenantId::none(), Some(2)).await;
    assert_eq!(by_version, Ok(None));
    assert_eq!(delete(&store, 21, None).await, DefinitionDeleted::NotFound);

    let again = deploy(&store, 30, &[("a.bpmn", b"2", 31, "a")]).await;
    assert!(!again.duplicate, "what was deleted can be deployed again");
    assert_eq!(latest(&store).await, Some((31, 3)), "no version is given twice");
}

pub(super) async fn an_old_version_goes_without_an_heir(store: Arc<dyn Store>) {
    let _node = Node::join(&store, "n").await;
    deploy_with(&store, 10, b"1", 500).await;
    deploy_with(&store, 20, b"2", 501).await;
    assert!(matches!(delete(&store, 11, None).await, DefinitionDeleted::Done(_)));
    assert_eq!((latest(&store).await, starts(&store).await), (Some((21, 2)), vec![21]));
    assert!(matches!(delete(&store, 21, None).await, DefinitionDeleted::Done(_)));
    assert_eq!((latest(&store).await, starts(&store).await), (None, vec![]));
    assert_eq!(delete(&store, 99, None).await, DefinitionDeleted::NotFound);
}
