//! Incidents, from their opening to their end.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_store::format::{EventEntry, EventKind};
use orloj_types::{ElementId, ElementInstanceKey, IncidentKey, InstanceKey, JobKey, Timestamp};

use crate::codec::Origin;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncidentHistory {
    pub key: IncidentKey,
    pub instance: InstanceKey,
    pub kind: Arc<str>,
    pub message: Arc<str>,
    pub element: ElementId,
    pub element_instance: ElementInstanceKey,
    pub job: Option<JobKey>,
    /// The incident of a called instance that it tells of; itself where it began.
    pub cause: IncidentKey,
    /// Where the chain of causes begins.
    pub root_cause: IncidentKey,
    pub opened_at: Timestamp,
    /// `None`: it is open.
    pub closed_at: Option<Timestamp>,
    pub state: IncidentState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncidentState {
    Open,
    Resolved,
    Deleted,
}

pub(super) fn incidents(events: &[EventEntry], origin: Origin) -> Vec<IncidentHistory> {
    let mut views: Vec<IncidentHistory> = Vec::new();
    let mut places: BTreeMap<i64, usize> = BTreeMap::new();
    for event in events {
        let at = origin.at(event);
        match EventKind::from_number(event.kind) {
            Some(EventKind::IncidentOpened) => {
                let own = origin.key(event.key);
                let other = |difference: i64| {
                    IncidentKey::new(if difference == 0 { own } else { origin.key(difference) })
                };
                places.insert(event.key, views.len());
                views.push(IncidentHistory {
                    key: IncidentKey::new(own),
                    instance: origin.instance,
                    kind: (*event.name).into(),
                    message: (*event.message).into(),
                    element: ElementId::from(&*event.element),
                    element_instance: ElementInstanceKey::new(origin.key(event.of)),
                    job: (event.job != 0).then(|| JobKey::new(origin.key(event.job))),
                    cause: other(event.cause),
                    root_cause: other(event.root_cause),
                    opened_at: at,
                    closed_at: None,
                    state: IncidentState::Open,
                });
            }
            Some(EventKind::IncidentClosed) => {
                if let Some(place) = places.get(&event.key) {
                    let view = &mut views[*place];
                    view.closed_at = Some(at);
                    view.state = match event.number {
                        0 => IncidentState::Resolved,
                        _ => IncidentState::Deleted,
                    };
                }
            }
            _ => {}
        }
    }
    views
}
