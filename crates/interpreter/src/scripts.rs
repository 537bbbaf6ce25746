//! Code of the model, wherever it stands: in script tasks, listeners, mappings and conditions.

use std::sync::Arc;

use orloj_expr::Effect;
use orloj_model::{Script, ScriptResource};
use orloj_types::{ElementId, ElementInstanceKey, Value};

use crate::edits::{self, VariableEdit, VariablePlace};
use crate::failure::{Failure, FailureKind, Ruled};
use crate::foreign;
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
            apply(turn, scope, effects);
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
fn apply(turn: &mut Turn<'_>, key: ElementInstanceKey, effects: Vec<Effect>) {
    let place = |local| match local {
        true => VariablePlace::Local,
        false => VariablePlace::Nearest,
    };
    let edit = |effect| match effect {
        Effect::SetVariable { name, value, local } => {
            VariableEdit { place: place(local), name, value: Some(value.to_stored()) }
        }
        Effect::RemoveVariable { name, local } => {
            VariableEdit { place: place(local), name, value: None }
        }
    };
    let edits: Vec<_> = effects.into_iter().map(edit).collect();
    edits::apply(turn, key, &edits);
}
