//! User tasks, from their creation to their end.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_store::format::{EventEntry, EventKind};
use orloj_types::{ElementId, ElementInstanceKey, InstanceKey, Timestamp, UserTaskKey};

use crate::codec::Origin;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskHistory {
    pub key: UserTaskKey,
    pub instance: InstanceKey,
    pub element: ElementId,
    pub element_instance: ElementInstanceKey,
    pub name: Option<Arc<str>>,
    pub assignee: Option<Arc<str>>,
    pub priority: i64,
    pub due_at: Option<Timestamp>,
    pub created_at: Timestamp,
    /// `None`: it waits.
    pub ended_at: Option<Timestamp>,
    pub duration_ms: Option<i64>,
    pub state: TaskState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskState {
    Open,
    Completed,
    Deleted,
}

pub(super) fn tasks(events: &[EventEntry], origin: Origin) -> Vec<TaskHistory> {
    let mut views: Vec<TaskHistory> = Vec::new();
    let mut places: BTreeMap<i64, usize> = BTreeMap::new();
    for event in events {
        let at = origin.at(event);
        match EventKind::from_number(event.kind) {
            Some(EventKind::UserTaskCreated) => {
                places.insert(event.key, views.len());
                views.push(TaskHistory {
                    key: UserTaskKey::new(origin.key(event.key)),
                    instance: origin.instance,
                    element: ElementId::from(&*event.element),
                    element_instance: ElementInstanceKey::new(origin.key(event.of)),
                    name: (!event.name.is_empty()).then(|| (*event.name).into()),
                    assignee: None,
                    priority: event.second,
                    due_at: event.due_ms.map(|ms| origin.started_at.plus_ms(ms)),
                    created_at: at,
                    ended_at: None,
                    duration_ms: None,
                    state: TaskState::Open,
                });
            }
            Some(EventKind::UserTaskAssigned) => {
                if let Some(place) = places.get(&event.key) {
                    views[*place].assignee = (!event.name.is_empty()).then(|| (*event.name).into());
                }
            }
            Some(EventKind::UserTaskCorrected) => {
                if let Some(place) = places.get(&event.key) {
                    views[*place].priority = event.second;
                    views[*place].due_at = event.due_ms.map(|ms| origin.started_at.plus_ms(ms));
                }
            }
            Some(EventKind::UserTaskEnded) => {
                if let Some(place) = places.get(&event.key) {
                    let view = &mut views[*place];
                    view.ended_at = Some(at);
                    view.duration_ms = Some(at.ms_since(view.created_at));
                    view.state = match event.number {
                        0 => TaskState::Completed,
                        _ => TaskState::Deleted,
                    };
                }
            }
            _ => {}
        }
    }
    views
}
