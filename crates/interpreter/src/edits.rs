//! What code wants of the variables around it, done in the order it wanted it.
//!
//! DIFFERENCE: what code calls local is the token's in Flowable, and goes with it. In Camunda it
//! is the scope's that the element lies in, unless the element is a scope or other tokens are
//! about ([`Locals`]).

use std::sync::Arc;

use orloj_model::{Element, ElementKind, Locals, ServiceTask};
use orloj_types::{ElementId, ElementInstanceKey, StoredValue};

use crate::element::user_task;
use crate::record::Role;
use crate::turn::Turn;
use crate::variables;

/// One variable that code has set or removed.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableEdit {
    pub place: VariablePlace,
    pub name: Arc<str>,
    /// `None` removes it.
    pub value: Option<StoredValue>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariablePlace {
    /// Where the variable is found first from the element outward, else the instance.
    Nearest,
    Local,
    /// Of the user task, and gone with it. Where there is none, as local.
    Task,
    Instance,
    /// As nearest and local, from the scope that the element lies in.
    Parent,
    ParentLocal,
    /// The scope of the element with this id around the code.
    Element(ElementId),
    /// Of the instance, until the command ends; hides what is stored under the name.
    Transient,
    TransientLocal,
}

pub(crate) fn apply(turn: &mut Turn<'_>, key: ElementInstanceKey, edits: &[VariableEdit]) {
    for edit in edits {
        apply_one(turn, key, edit);
    }
    if !edits.is_empty() {
        turn.note_variables();
    }
}

fn apply_one(turn: &mut Turn<'_>, key: ElementInstanceKey, edit: &VariableEdit) {
    let VariableEdit { place, name, value } = edit;
    let root = turn.work.record.root.key;
    let (scope, is_local) = match place {
        VariablePlace::Nearest => (key, false),
        VariablePlace::Local => (local_scope(turn, key), true),
        VariablePlace::Task if turn.work.record.element(key).is_some_and(|e| e.task.is_some()) => {
            user_task::own(turn, key, name, value.is_some());
            (key, true)
        }
        VariablePlace::Task => (local_scope(turn, key), true),
        VariablePlace::Instance => (root, true),
        VariablePlace::Parent => (parent(turn, key), false),
        VariablePlace::ParentLocal => (parent(turn, key), true),
        VariablePlace::Element(id) => (around(turn, key, id), true),
        VariablePlace::Transient | VariablePlace::TransientLocal => {
            let scope = match place {
                VariablePlace::Transient => root,
                _ => local_scope(turn, key),
            };
            match value {
                Some(value) => turn.work.set_transient(scope, name, value.clone()),
                None => turn.work.end_transient(scope, name),
            }
            return;
        }
    };
    let record = &mut turn.work.record;
    match value {
        Some(value) if is_local => variables::set_local(record, scope, [(name, value)]),
        Some(value) => variables::assign(record, scope, [(name, value)]),
        None if is_local => {
            if let Some(own) = record.variables.get_mut(&scope) {
                own.remove(name);
            }
        }
        None => variables::remove(record, scope, std::slice::from_ref(name)),
    }
}

/// The scope whose variables code at an element instance calls local.
pub(crate) fn local_scope(turn: &Turn<'_>, key: ElementInstanceKey) -> ElementInstanceKey {
    if turn.semantics().locals != Locals::Scope || key == turn.work.record.root.key {
        return key;
    }
    let Some(instance) = turn.work.record.elements.get(key) else { return key };
    if is_scope(turn.model(turn.index_of(&instance.element)), instance.role) {
        return key;
    }
    let scope = instance.scope;
    let (member, _) = turn.work.at();
    let is_alone = turn.work.record.elements.children(scope).nth(1).is_none()
        && !turn.work.agenda.has_tokens(member, scope);
    if is_alone { scope } else { key }
}

/// Whether the own variables of an element instance go on with its token.
pub(crate) fn go_along(turn: &Turn<'_>, element: &Element, role: Role) -> bool {
    match turn.semantics().locals {
        Locals::Element => false,
        Locals::Token => role != Role::Body && !matches!(element.kind, ElementKind::SubProcess(_)),
        Locals::Scope => !is_scope(element, role),
    }
}

/// Whether a token may bring its variables to the element.
pub(crate) fn may_bring(turn: &Turn<'_>, element: &Element) -> bool {
    match turn.semantics().locals {
        Locals::Token => {
            element.multi.is_none() && !matches!(element.kind, ElementKind::SubProcess(_))
        }
        Locals::Element | Locals::Scope => true,
    }
}

pub(crate) fn is_scope(element: &Element, role: Role) -> bool {
    let is_scope_kind = matches!(
        element.kind,
        ElementKind::SubProcess(_)
            | ElementKind::CallActivity(_)
            | ElementKind::ReceiveTask(_)
            | ElementKind::CatchEvent(_)
            | ElementKind::EventGateway
            | ElementKind::ServiceTask(ServiceTask::Worker(_))
    );
    is_scope_kind
        || matches!(role, Role::Body | Role::Inner | Role::Branch)
        || !element.boundaries.is_empty()
        || !element.inputs.is_empty()
        || !element.outputs.is_empty()
}

pub(crate) fn parent(turn: &Turn<'_>, key: ElementInstanceKey) -> ElementInstanceKey {
    let record = &turn.work.record;
    record.elements.get(key).map_or(record.root.key, |instance| instance.scope)
}

/// Whether the code is inside of the element with that name.
pub(crate) fn is_around(turn: &Turn<'_>, key: ElementInstanceKey, id: &ElementId) -> bool {
    let record = &turn.work.record;
    let scope = around(turn, key, id);
    record.elements.get(scope).is_some_and(|instance| instance.element == *id)
}

/// The nearest scope of that name around an element instance, else the instance.
fn around(turn: &Turn<'_>, key: ElementInstanceKey, id: &ElementId) -> ElementInstanceKey {
    let record = &turn.work.record;
    let mut scope = key;
    while let Some(instance) = record.elements.get(scope) {
        if instance.element == *id {
            return scope;
        }
        scope = instance.scope;
    }
    record.root.key
}
