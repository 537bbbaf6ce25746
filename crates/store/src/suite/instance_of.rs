//! Finding the instance of an element instance.

use std::sync::Arc;

use orloj_types::{ElementInstanceKey, InstanceKey, Timestamp};
use thin_vec::thin_vec;

use crate::suite::sample::{Node, incident, insert, job, timer, user_task};
use crate::{Change, JobRow, Store};

/// One second of keys.
const SECOND: i64 = 1_000 << 22;

pub(super) async fn an_instance_belongs_to_itself(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(insert(10)).await;
    assert_eq!(found(&store, 10).await, Some(10));
    assert_eq!(found(&store, 11).await, None);
}

pub(super) async fn an_element_instance_is_found_by_its_job(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let of = |key, element, instance| JobRow {
        element_instance: ElementInstanceKey::new(element),
        instance: InstanceKey::new(instance),
        ..job(key)
    };
    let near = 100 * SECOND;
    let far = 500 * SECOND;
    node.write_jobs([of(near + 5, near, 10), of(near + 6, near + 1, 11)]).await;
    // A repeated timer has a key much younger than its element instance, and one that another
    // node made may even be older.
    node.write_jobs([of(far + 90 * SECOND, far, 12), of(far - 90 * SECOND, far + 1, 13)]).await;
    node.write_jobs([JobRow {
        element_instance: ElementInstanceKey::new(i64::MAX - 1),
        ..timer(i64::MAX, Timestamp::ZERO)
    }])
    .await;
    assert_eq!(found(&store, near).await, Some(10));
    assert_eq!(found(&store, near + 1).await, Some(11));
    assert_eq!(found(&store, far).await, Some(12));
    assert_eq!(found(&store, far + 1).await, Some(13));
    assert_eq!(found(&store, i64::MAX - 1).await, Some(1));
}

pub(super) async fn an_element_instance_is_found_by_incident_or_user_task(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let change = Change {
        incidents_added: thin_vec![incident(21, 10)],
        user_tasks_added: thin_vec![user_task(31, 11)],
        ..Change::default()
    };
    node.write(change).await;
    assert_eq!(found(&store, 20).await, Some(10));
    assert_eq!(found(&store, 30).await, Some(11));
}

pub(super) async fn an_unknown_element_instance_is_not_found(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write_jobs([job(5)]).await;
    for scope in [0, 3, -1, i64::MAX, i64::MIN] {
        assert_eq!(found(&store, scope).await, None);
    }
}

async fn found(store: &Arc<dyn Store>, scope: i64) -> Option<i64> {
    let found = store.instance_of(ElementInstanceKey::new(scope)).await;
    found.expect("instance of").map(InstanceKey::raw)
}
