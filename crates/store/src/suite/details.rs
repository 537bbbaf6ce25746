//! The rows around an instance: variables, tasks, incidents, history, its end.

use std::sync::Arc;

use orloj_types::{ElementInstanceKey, IncidentKey, InstanceKey, TenantId, UserTaskKey};
use thin_vec::thin_vec;

use crate::suite::engine;
use crate::suite::sample::{
    NOW, Node, after, delete, ended, incident, insert, instance, load, update, user_task, variable,
};
use crate::{
    Change, CommitError, EndedRow, HistoryRow, IncidentNote, IncidentRow, Store, UserTaskRow,
    VariableRow, VariableWrite,
};

pub(super) async fn variables_are_put_replaced_and_deleted(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let mut change = insert(10);
    change.variables = thin_vec![
        VariableWrite::Put(variable(10, 10, "total", "1")),
        VariableWrite::Put(variable(10, 10, "Total", "2")),
        VariableWrite::Put(variable(10, 15, "total", "3")),
        VariableWrite::Put(variable(11, 11, "total", "4")),
    ];
    node.commit(vec![change, insert(11)]).await.expect("commit");
    let expected = [
        variable(10, 10, "Total", "2"),
        variable(10, 10, "total", "1"),
        variable(10, 15, "total", "3"),
    ];
    assert_eq!(variables(&store, 10).await, expected);
    assert_eq!(variables(&store, 11).await, [variable(11, 11, "total", "4")]);

    let mut change = update(10, 1);
    change.variables = thin_vec![
        VariableWrite::Put(variable(10, 10, "total", "longer than before")),
        gone(10, 15, "total"),
        gone(10, 10, "unknown"),
    ];
    node.write(change).await;
    let expected =
        [variable(10, 10, "Total", "2"), variable(10, 10, "total", "longer than before")];
    assert_eq!(variables(&store, 10).await, expected);

    let both = store.load(vec![InstanceKey::new(11), InstanceKey::new(10)]).await.expect("load");
    let counts: usize = both.iter().map(|loaded| loaded.variables.len()).sum();
    assert_eq!((both.len(), counts), (2, 3), "each instance has its own");
    for loaded in both {
        assert!(loaded.variables.iter().all(|variable| variable.instance == loaded.row.key));
    }
}

pub(super) async fn all_variables_of_an_instance_can_be_deleted(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let mut change = insert(10);
    for (scope, name) in [(10, "a"), (10, "b"), (15, "a")] {
        change.variables.push(VariableWrite::Put(variable(10, scope, name, "1")));
    }
    change.variables.push(VariableWrite::Put(variable(11, 11, "a", "1")));
    node.commit(vec![change, insert(11)]).await.expect("commit");
    let mut change = update(10, 1);
    change.variables.push(VariableWrite::DeleteAll { instance: InstanceKey::new(10) });
    node.write(change).await;
    assert_eq!(variables(&store, 10).await, []);
    assert_eq!(variables(&store, 11).await, [variable(11, 11, "a", "1")]);
}

pub(super) async fn user_tasks_come_and_go(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let other = UserTaskRow {
        name: None,
        assignee: Some("kim".into()),
        candidate_groups: vec![],
        candidate_users: vec!["kim".into()],
        due_at: None,
        form_key: Some("form".into()),
        ..user_task(31, 10)
    };
    let rows = vec![user_task(21, 10), other.clone()];
    node.write(Change { user_tasks_added: rows.into(), ..Change::default() }).await;
    let stored = async |key| store.user_task(UserTaskKey::new(key)).await.expect("user task");
    assert_eq!(stored(21).await, Some(user_task(21, 10)));
    assert_eq!(stored(31).await, Some(other));
    assert_eq!(stored(99).await, None);
    let gone = vec![UserTaskKey::new(21)];
    node.write(Change { user_tasks_gone: gone.into(), ..Change::default() }).await;
    assert_eq!(stored(21).await, None);
    assert!(stored(31).await.is_some());
}

pub(super) async fn incidents_come_and_go(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let other = IncidentRow {
        job: None,
        cause: IncidentKey::new(21),
        root_cause: IncidentKey::new(5),
        configuration: Some("pump 3".into()),
        annotation: Some("called the plumber".into()),
        ..incident(31, 10)
    };
    let rows = vec![incident(21, 10), other.clone()];
    node.write(Change { incidents_added: rows.into(), ..Change::default() }).await;
    let stored = async |key| store.incident(IncidentKey::new(key)).await.expect("incident");
    assert_eq!(stored(21).await, Some(incident(21, 10)));
    assert_eq!(stored(31).await, Some(other.clone()));
    assert_eq!(stored(99).await, None);
    let note = |key, annotation: Option<&str>| IncidentNote {
        key: IncidentKey::new(key),
        annotation: annotation.map(Into::into),
    };
    let notes =
        vec![note(21, Some("first")), note(21, Some("seen")), note(31, None), note(99, None)];
    node.write(Change { incidents_annotated: notes.into(), ..Change::default() }).await;
    let annotated = IncidentRow { annotation: Some("seen".into()), ..incident(21, 10) };
    assert_eq!(stored(21).await, Some(annotated));
    assert_eq!(stored(31).await, Some(IncidentRow { annotation: None, ..other }));
    let gone = vec![IncidentKey::new(21)];
    node.write(Change { incidents_gone: gone.into(), ..Change::default() }).await;
    assert_eq!(stored(21).await, None);
    assert!(stored(31).await.is_some());
}

pub(super) async fn history_is_appended_and_read_oldest_first(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let row = |instance, rev: i32| HistoryRow {
        instance: InstanceKey::new(instance),
        rev,
        engine: engine(),
        tenant: TenantId::none(),
        at: after(rev.into()),
        events: vec![rev as u8; 30],
    };
    node.write(insert(10)).await;
    for rev in 1..=12 {
        let mut change = update(10, rev);
        change.history = thin_vec![row(10, rev), row(11, 100 - rev)];
        node.write(change).await;
    }
    let history = store.history(InstanceKey::new(10)).await.expect("history");
    assert_eq!(history, (1..=12).map(|rev| row(10, rev)).collect::<Vec<_>>());
    let history = store.history(InstanceKey::new(11)).await.expect("history");
    assert_eq!(history, (88..=99).map(|rev| row(11, rev)).collect::<Vec<_>>());
    assert_eq!(store.history(InstanceKey::new(12)).await, Ok(vec![]));
    node.write(delete(10, 13)).await;
    let history = store.history(InstanceKey::new(10)).await.expect("history");
    assert_eq!(history.len(), 12, "it outlives its instance");

    let long =
        |rev, bytes| HistoryRow { events: (0..=255).cycle().take(bytes).collect(), ..row(13, rev) };
    let rows: Vec<_> =
        (1..).zip([0, 1, 899, 900, 901, 1_800, 5_000, 300_000]).map(|(r, b)| long(r, b)).collect();
    node.write(Change { history: rows.clone().into(), ..Change::default() }).await;
    let history = store.history(InstanceKey::new(13)).await.expect("history");
    assert!(history == rows, "of any length");
}

pub(super) async fn ended_instances_are_kept(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.commit(vec![insert(10), insert(11)]).await.expect("commit");
    let cancelled = EndedRow {
        business_key: Some("4711".into()),
        completed: false,
        ended_at: NOW,
        variables: vec![],
        ..ended(11)
    };
    let ends = |mut change: Change, row: EndedRow| {
        change.ended.push(row);
        change
    };
    let lost = node.commit(vec![ends(delete(10, 9), ended(10))]).await;
    assert_eq!(lost, Err(CommitError::Conflicts(vec![0])));
    assert_eq!(store.ended_instance(InstanceKey::new(10)).await, Ok(None));
    let changes = vec![ends(delete(10, 1), ended(10)), ends(delete(11, 1), cancelled.clone())];
    node.commit(changes).await.expect("commit");
    assert_eq!(load(&store, 10).await, None);
    assert_eq!(store.ended_instance(InstanceKey::new(10)).await, Ok(Some(ended(10))));
    assert_eq!(store.ended_instance(InstanceKey::new(11)).await, Ok(Some(cancelled)));
    assert_eq!(store.ended_instance(InstanceKey::new(12)).await, Ok(None));
}

fn gone(instance: i64, scope: i64, name: &str) -> VariableWrite {
    VariableWrite::Delete {
        instance: InstanceKey::new(instance),
        scope: ElementInstanceKey::new(scope),
        name: name.into(),
    }
}

/// Variables loaded with their instance, by scope and name.
async fn variables(store: &Arc<dyn Store>, key: i64) -> Vec<VariableRow> {
    let loaded = load(store, key).await.expect("it lives");
    assert_eq!(loaded.row.key, instance(key).key);
    let mut variables = loaded.variables;
    variables.sort_by(|a, b| (a.scope, &a.name).cmp(&(b.scope, &b.name)));
    variables
}
