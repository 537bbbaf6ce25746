//! Variables: what each was last, and every value it had.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_interpreter::Scopes;
use orloj_store::format::{EventEntry, EventKind};
use orloj_types::{ElementInstanceKey, InstanceKey, StoredValue, Timestamp, ValueTag};

use crate::codec::Origin;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableView {
    pub instance: InstanceKey,
    /// The instance's own key for its own variables.
    pub scope: ElementInstanceKey,
    pub name: Arc<str>,
    pub value: KeptValue,
    pub created_at: Timestamp,
    /// When the value was last set, as far as the level of history tells.
    pub updated_at: Timestamp,
    /// `Some`: it was removed while its scope lived on.
    pub deleted_at: Option<Timestamp>,
    /// How often it was set.
    pub revision: u32,
}

/// A value as history knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptValue {
    pub tag: ValueTag,
    /// `None`: the level of history does not keep it.
    pub json: Option<Arc<str>>,
    /// Only the beginning of the text is there, of so many bytes.
    pub cut_from: Option<usize>,
}

/// One value that a variable was given, or its removal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableUpdate {
    pub instance: InstanceKey,
    pub scope: ElementInstanceKey,
    pub name: Arc<str>,
    /// `None`: it was removed.
    pub value: Option<KeptValue>,
    pub at: Timestamp,
    pub revision: u32,
}

impl KeptValue {
    fn whole(value: &StoredValue) -> Self {
        Self { tag: value.tag, json: Some(value.to_json().into()), cut_from: None }
    }

    fn of(event: &EventEntry) -> Self {
        let tag = u8::try_from(event.second).ok().and_then(ValueTag::from_number);
        let has_value = !event.message.is_empty();
        Self {
            tag: tag.unwrap_or(ValueTag::Null),
            json: has_value.then(|| (*event.message).into()),
            cut_from: usize::try_from(event.number).ok().filter(|length| *length > 0),
        }
    }
}

/// By scope and name. What is still in `current` is told whole.
pub(super) fn variables(
    events: &[EventEntry],
    origin: Origin,
    current: &Scopes,
) -> Vec<VariableView> {
    let mut views: BTreeMap<(ElementInstanceKey, Arc<str>), VariableView> = BTreeMap::new();
    for event in events {
        let Some(kind) = EventKind::from_number(event.kind) else { continue };
        let scope = ElementInstanceKey::new(origin.key(event.of));
        let at = origin.at(event);
        let found = (scope, Arc::from(&*event.name));
        match kind {
            EventKind::VariableCreated => {
                let (scope, name) = found.clone();
                let (instance, value) = (origin.instance, KeptValue::of(event));
                let view = VariableView {
                    instance,
                    scope,
                    name,
                    value,
                    created_at: at,
                    updated_at: at,
                    deleted_at: None,
                    revision: 1,
                };
                views.insert(found, view);
            }
            EventKind::VariableUpdated | EventKind::VariableEnded => {
                if let Some(view) = views.get_mut(&found) {
                    view.value = KeptValue::of(event);
                    if kind == EventKind::VariableUpdated {
                        view.updated_at = at;
                        view.revision += 1;
                    }
                }
            }
            EventKind::VariableDeleted => {
                if let Some(view) = views.get_mut(&found) {
                    view.deleted_at = Some(at);
                    view.updated_at = at;
                    view.revision += 1;
                }
            }
            _ => {}
        }
    }
    for view in views.values_mut() {
        let own = current.get(&view.scope).and_then(|own| own.get(&view.name));
        if let (Some(value), None) = (own, view.deleted_at) {
            view.value = KeptValue::whole(value);
        }
    }
    views.into_values().collect()
}

/// In the order in which they happened.
pub(super) fn updates(events: &[EventEntry], origin: Origin) -> Vec<VariableUpdate> {
    let mut revisions: BTreeMap<(i64, &str), u32> = BTreeMap::new();
    let mut updates = Vec::new();
    for event in events {
        let value = match EventKind::from_number(event.kind) {
            Some(EventKind::VariableCreated | EventKind::VariableUpdated) => {
                Some(KeptValue::of(event))
            }
            Some(EventKind::VariableDeleted) => None,
            _ => continue,
        };
        let revision = revisions.entry((event.of, &event.name)).or_default();
        *revision += 1;
        updates.push(VariableUpdate {
            instance: origin.instance,
            scope: ElementInstanceKey::new(origin.key(event.of)),
            name: (*event.name).into(),
            value,
            at: origin.at(event),
            revision: *revision,
        });
    }
    updates
}
