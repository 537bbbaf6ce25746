//! Visits of elements, from their beginning to their end.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_store::format::{EventEntry, EventKind};
use orloj_types::{ElementId, ElementInstanceKey, InstanceKey, Timestamp, UserTaskKey};

use crate::codec::Origin;
use crate::definition::Definition;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivityView {
    pub key: ElementInstanceKey,
    pub instance: InstanceKey,
    pub element: ElementId,
    /// As in the model, such as `serviceTask`; empty where the definition has no such element any
    /// more.
    pub kind: &'static str,
    pub name: Option<Arc<str>>,
    pub scope: ElementInstanceKey,
    /// It stands for all repetitions of a multi-instance activity.
    pub is_body: bool,
    pub entered_at: Timestamp,
    /// `None`: it goes on.
    pub left_at: Option<Timestamp>,
    pub duration_ms: Option<i64>,
    /// It was not left by its own way out.
    pub is_cancelled: bool,
    /// Of a call activity.
    pub called: Option<InstanceKey>,
    pub user_task: Option<UserTaskKey>,
    pub assignee: Option<Arc<str>>,
}

/// In the order in which they were entered.
pub(super) fn activities(
    events: &[EventEntry],
    origin: Origin,
    definition: &Definition,
) -> Vec<ActivityView> {
    let mut views: Vec<ActivityView> = Vec::new();
    let mut places: BTreeMap<i64, usize> = BTreeMap::new();
    let mut tasks: BTreeMap<i64, usize> = BTreeMap::new();
    for event in events {
        let at = origin.at(event);
        let place = |key: i64| places.get(&key).copied();
        match EventKind::from_number(event.kind) {
            Some(EventKind::ElementEntered) => {
                let index = definition.process.find(&event.name);
                let element = index.map(|index| definition.process.element(index));
                places.insert(event.key, views.len());
                views.push(ActivityView {
                    key: ElementInstanceKey::new(origin.key(event.key)),
                    instance: origin.instance,
                    element: ElementId::from(&*event.name),
                    kind: element.map_or("", |element| element.kind.name()),
                    name: element.and_then(|element| element.name.clone()),
                    scope: ElementInstanceKey::new(origin.key(event.of)),
                    is_body: event.number != 0,
                    entered_at: at,
                    left_at: None,
                    duration_ms: None,
                    is_cancelled: false,
                    called: None,
                    user_task: None,
                    assignee: None,
                });
            }
            Some(EventKind::ElementLeft) => {
                if let Some(place) = place(event.key) {
                    let view = &mut views[place];
                    view.left_at = Some(at);
                    view.duration_ms = Some(at.ms_since(view.entered_at));
                    view.is_cancelled = event.number != 0;
                }
            }
            Some(EventKind::InstanceCalled) => {
                if let Some(place) = place(event.key) {
                    views[place].called = Some(InstanceKey::new(origin.key(event.job)));
                }
            }
            Some(EventKind::UserTaskCreated) => {
                if let Some(place) = place(event.of) {
                    tasks.insert(event.key, place);
                    views[place].user_task = Some(UserTaskKey::new(origin.key(event.key)));
                }
            }
            Some(EventKind::UserTaskAssigned) => {
                if let Some(place) = tasks.get(&event.key) {
                    views[*place].assignee = (!event.name.is_empty()).then(|| (*event.name).into());
                }
            }
            _ => {}
        }
    }
    views
}
