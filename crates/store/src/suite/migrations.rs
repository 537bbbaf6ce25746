//! Instances that go on as ones of another definition.

use std::sync::Arc;

use orloj_types::{
    DefinitionKey, ElementId, IncidentKey, InstanceKey, JobKey, Timestamp, UserTaskKey,
};
use thin_vec::thin_vec;

use crate::suite::sample::{
    DEFINITION, Node, after, incident, insert, job, load, stored_job, timer, update, user_task,
    worker_locked,
};
use crate::{
    Change, CommitError, InstanceFilter, InstanceWrite, JobRow, JobUpdate, JobWrite, LockWrite,
    Migration, Page, Store,
};

const OTHER: DefinitionKey = DefinitionKey::new(8);

pub(super) async fn rows_of_a_migrated_instance_name_the_other_definition(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(rows()).await;
    node.write(Change { migrations: thin_vec![migration()], ..update(10, 1) }).await;

    let row = load(&store, 10).await.expect("it lives").row;
    assert_eq!((row.rev, row.definition), (2, OTHER));
    let page = Page { before: None, limit: 10 };
    let listed = store.instances(InstanceFilter::default(), page).await.expect("instances");
    assert!(listed.iter().all(|row| row.definition == OTHER), "{listed:?}");
    let expected = JobRow { definition: OTHER, element: "pay".into(), ..locked() };
    assert_eq!(stored_job(&store, 21).await, Some(expected), "its lock and attempts stay");
    let expected = JobRow { definition: OTHER, element: "late".into(), ..timer(22, DUE) };
    assert_eq!(stored_job(&store, 22).await, Some(expected));
    let task =
        store.user_task(UserTaskKey::new(31)).await.expect("user task").expect("it is there");
    assert_eq!((task.definition, &*task.element), (OTHER, "decide"));
    assert_eq!(task.name, user_task(31, 10).name);
    let problem =
        store.incident(IncidentKey::new(41)).await.expect("incident").expect("it is there");
    assert_eq!((problem.definition, &*problem.element), (OTHER, "pay"));
    assert_eq!(problem.message, incident(41, 10).message);
}

pub(super) async fn a_migration_touches_nothing_else(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let others = Change {
        jobs: thin_vec![JobWrite::Insert(Box::new(job(51)))],
        user_tasks_added: thin_vec![user_task(52, 11)],
        incidents_added: thin_vec![incident(53, 11)],
        ..insert(11)
    };
    node.commit(vec![rows(), others]).await.expect("commit");
    // One of its jobs goes with the same change, and one that it names was never there.
    let mut migration = migration();
    migration.jobs.push((JobKey::new(99), "pay".into()));
    let change = Change {
        jobs: thin_vec![JobWrite::Delete(JobKey::new(22)), JobWrite::Update(kept(21))],
        migrations: thin_vec![migration],
        ..update(10, 1)
    };
    node.write(change).await;
    let moved = stored_job(&store, 21).await.expect("it is there");
    assert_eq!((moved.definition, &*moved.element, moved.retries_left), (OTHER, "pay", 1));
    assert_eq!(stored_job(&store, 22).await, None);
    assert_eq!(stored_job(&store, 99).await, None);
    assert_eq!(load(&store, 11).await.expect("it lives").row.definition, DEFINITION);
    assert_eq!(stored_job(&store, 51).await, Some(job(51)));
    let task = store.user_task(UserTaskKey::new(52)).await;
    assert_eq!(task, Ok(Some(user_task(52, 11))));
    let problem = store.incident(IncidentKey::new(53)).await;
    assert_eq!(problem, Ok(Some(incident(53, 11))));
}

pub(super) async fn a_migration_that_loses_changes_nothing(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(rows()).await;
    let lost =
        node.commit(vec![Change { migrations: thin_vec![migration()], ..update(10, 7) }]).await;
    assert_eq!(lost, Err(CommitError::Conflicts(vec![0])));
    assert_eq!(load(&store, 10).await.expect("it lives").row.definition, DEFINITION);
    assert_eq!(stored_job(&store, 21).await, Some(locked()));
}

/// Commands of one instance that share a group are one change.
pub(super) async fn an_instance_may_be_migrated_where_it_starts(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let again = Migration { definition: DefinitionKey::new(9), ..migration() };
    let twice = Change { migrations: thin_vec![migration(), again], ..rows() };
    assert!(matches!(twice.instances[..], [InstanceWrite::Insert(_)]));
    node.write(twice).await;
    let last = DefinitionKey::new(9);
    assert_eq!(load(&store, 10).await.expect("it lives").row.definition, last);
    let moved = stored_job(&store, 22).await.expect("it is there");
    assert_eq!((moved.definition, &*moved.element), (last, "late"));
}

const DUE: Timestamp = Timestamp::from_ms(1_800_000_060_000);

/// An instance with a job that a worker holds, a timer, a user task and an incident.
fn rows() -> Change {
    Change {
        jobs: thin_vec![
            JobWrite::Insert(Box::new(locked())),
            JobWrite::Insert(Box::new(timer(22, DUE)))
        ],
        user_tasks_added: thin_vec![user_task(31, 10)],
        incidents_added: thin_vec![incident(41, 10)],
        ..insert(10)
    }
}

fn locked() -> JobRow {
    worker_locked(21, after(5_000))
}

fn migration() -> Migration {
    let named = |id: &str| ElementId::new(id);
    Migration {
        instance: InstanceKey::new(10),
        definition: OTHER,
        jobs: vec![(JobKey::new(21), named("pay")), (JobKey::new(22), named("late"))],
        user_tasks: vec![(UserTaskKey::new(31), named("decide"))],
        incidents: vec![(IncidentKey::new(41), named("pay"))],
    }
}

fn kept(key: i64) -> JobUpdate {
    let row = job(key);
    JobUpdate {
        key: row.key,
        state: row.state,
        retries_left: 1,
        priority: row.priority,
        due_at: None,
        failure: None,
        failure_details: None,
        failed_element: None,
        lock: LockWrite::Keep,
    }
}
