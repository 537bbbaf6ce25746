//! Code of the model, wherever it stands: in script tasks, listeners, mappings and conditions.

use std::sync::Arc;

use orloj_expr::{Effect, FactChange, Holder, Place};
use orloj_model::{Script, ScriptResource};
use orloj_types::{ElementId, ElementInstanceKey, Value};

use crate::edits::{self, VariableEdit, VariablePlace};
use crate::element::user_task;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::foreign;
use crate::host;
use crate::invoke::Callee;
use crate::turn::Turn;

/// The value of the script, after what it wanted of the variables is done.
pub(crate) fn run(
    turn: &mut Turn<'_>,
    scope: ElementInstanceKey,
    owner: &ElementId,
    ordinal: u32,
    script: &Script,
    result_variable: Option<&Arc<str>>,
) -> Ruled<Value> {
    match script {
        Script::Expression(expression) => {
            let (value, effects) = turn.evaluate_script(owner, scope, expression)?;
            apply(turn, scope, owner, effects)?;
            Ok(value)
        }
        Script::Program(program) => {
            let callee = || Callee::Program {
                program: program.clone(),
                result_variable: result_variable.cloned(),
            };
            foreign::call(turn, scope, owner, ordinal, callee)
        }
        Script::Resource(resource) => {
            let callee = resource_callee(turn, scope, owner, resource, result_variable)?;
            foreign::call(turn, scope, owner, ordinal, || callee)
        }
        Script::Unusable(reason) => Err(unusable(owner, reason)),
    }
}

/// The value of the script; nothing is changed.
pub(crate) fn value(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    owner: &ElementId,
    ordinal: u32,
    script: &Script,
) -> Ruled<Value> {
    match script {
        Script::Expression(expression) => turn.evaluate(owner, scope, expression),
        Script::Program(program) => {
            let callee = || Callee::Program { program: program.clone(), result_variable: None };
            foreign::ask(turn, scope, owner, ordinal, callee).map(|reply| reply.value)
        }
        Script::Resource(resource) => {
            let callee = resource_callee(turn, scope, owner, resource, None)?;
            foreign::ask(turn, scope, owner, ordinal, || callee).map(|reply| reply.value)
        }
        Script::Unusable(reason) => Err(unusable(owner, reason)),
    }
}

fn resource_callee(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    owner: &ElementId,
    resource: &Arc<ScriptResource>,
    result_variable: Option<&Arc<str>>,
) -> Ruled<Callee> {
    match turn.evaluate(owner, scope, &resource.name)? {
        Value::Text(name) => Ok(Callee::Resource {
            resource: resource.clone(),
            name,
            result_variable: result_variable.cloned(),
        }),
        other => {
            let message = format!("the resource should be text, not {}", other.type_name());
            Err(Failure::new(owner, FailureKind::ExtractValue, message))
        }
    }
}

fn unusable(owner: &ElementId, reason: &Arc<str>) -> Failure {
    Failure::new(owner, FailureKind::Foreign, reason.clone())
}

/// What UEL wanted done, in its order.
fn apply(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    owner: &ElementId,
    effects: Vec<Effect>,
) -> Ruled {
    for effect in effects {
        let (place, name, value) = match effect {
            Effect::SetVariable { place, name, value } => (place, name, Some(value.to_stored())),
            Effect::RemoveVariable { place, name } => (place, name, None),
            Effect::SetFact { holder: Holder::Task, change } => {
                user_task::change(turn, key, owner, change)?;
                continue;
            }
            Effect::SetFact { change, .. } => {
                if let FactChange::BusinessKey(business_key) = change {
                    foreign::rename(turn, owner, business_key)?;
                }
                continue;
            }
        };
        let (from, place) = target(turn, key, owner, place)?;
        edits::apply(turn, from, &[VariableEdit { place, name, value }]);
    }
    Ok(())
}

/// Where UEL wants a variable, and seen from where.
fn target(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    owner: &ElementId,
    place: Place,
) -> Ruled<(ElementInstanceKey, VariablePlace)> {
    let around = |holder| match holder {
        Holder::Ancestor(steps) => host::ancestor(turn, key, steps),
        _ => None,
    };
    Ok(match place {
        Place::Nearest(Holder::Instance) | Place::Local(Holder::Instance) => {
            (key, VariablePlace::Instance)
        }
        Place::Local(Holder::Task) => (key, VariablePlace::Task),
        Place::Nearest(holder) => (around(holder).unwrap_or(key), VariablePlace::Nearest),
        Place::Local(holder) => (around(holder).unwrap_or(key), VariablePlace::Local),
        Place::Element(id) => {
            let id = ElementId::from(&*id);
            if !edits::is_around(turn, key, &id) {
                let message = format!("there is no scope '{id}'");
                return Err(Failure::new(owner, FailureKind::Foreign, message));
            }
            (key, VariablePlace::Element(id))
        }
        Place::Transient => (key, VariablePlace::Transient),
        Place::TransientLocal => (key, VariablePlace::TransientLocal),
    })
}
