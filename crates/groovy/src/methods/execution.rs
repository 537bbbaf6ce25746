//! `execution`: variables, and what is known of the instance.

use std::sync::Arc;

use crate::host::VariableScope;
use crate::run::{Machine, Pending, Thrown};
use crate::value::{Reach, Val};

/// Names of what a [`Host`](crate::Host) may tell besides variables.
pub mod facts {
    pub const ID: &str = "id";
    pub const PROCESS_INSTANCE_ID: &str = "processInstanceId";
    pub const ROOT_PROCESS_INSTANCE_ID: &str = "rootProcessInstanceId";
    pub const PROCESS_DEFINITION_ID: &str = "processDefinitionId";
    pub const PROCESS_DEFINITION_KEY: &str = "processDefinitionKey";
    pub const BUSINESS_KEY: &str = "businessKey";
    pub const CURRENT_ACTIVITY_ID: &str = "currentActivityId";
    pub const CURRENT_ACTIVITY_NAME: &str = "currentActivityName";
    pub const ACTIVITY_INSTANCE_ID: &str = "activityInstanceId";
    pub const PARENT_ID: &str = "parentId";
    pub const PARENT_ACTIVITY_INSTANCE_ID: &str = "parentActivityInstanceId";
    pub const CURRENT_TRANSITION_ID: &str = "currentTransitionId";
    pub const SUPER_EXECUTION_ID: &str = "superExecutionId";
    pub const EVENT_NAME: &str = "eventName";
    pub const TENANT_ID: &str = "tenantId";

    /// Before the name of a property of `task`.
    pub const TASK_PREFIX: &str = "task.";
}

/// Getters of `execution` and the fact behind each. The two engines spell some differently.
const GETTERS: &[(&str, &str)] = &[
    ("getId", facts::ID),
    ("getProcessInstanceId", facts::PROCESS_INSTANCE_ID),
    ("getRootProcessInstanceId", facts::ROOT_PROCESS_INSTANCE_ID),
    ("getProcessDefinitionId", facts::PROCESS_DEFINITION_ID),
    ("getProcessDefinitionKey", facts::PROCESS_DEFINITION_KEY),
    ("getBusinessKey", facts::BUSINESS_KEY),
    ("getProcessBusinessKey", facts::BUSINESS_KEY),
    ("getProcessInstanceBusinessKey", facts::BUSINESS_KEY),
    ("getCurrentActivityId", facts::CURRENT_ACTIVITY_ID),
    ("getActivityId", facts::CURRENT_ACTIVITY_ID),
    ("getCurrentActivityName", facts::CURRENT_ACTIVITY_NAME),
    ("getActivityName", facts::CURRENT_ACTIVITY_NAME),
    ("getActivityInstanceId", facts::ACTIVITY_INSTANCE_ID),
    ("getParentId", facts::PARENT_ID),
    ("getParentActivityInstanceId", facts::PARENT_ACTIVITY_INSTANCE_ID),
    ("getCurrentTransitionId", facts::CURRENT_TRANSITION_ID),
    ("getSuperExecutionId", facts::SUPER_EXECUTION_ID),
    ("getEventName", facts::EVENT_NAME),
    ("getTenantId", facts::TENANT_ID),
];

pub(super) fn invoke(
    m: &mut Machine<'_>,
    reach: Reach,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    if let Some(value) = variables(m, reach, name, arguments, at)? {
        return Ok(Some(value));
    }
    if let (Some((_, fact)), []) = (GETTERS.iter().find(|(getter, _)| *getter == name), arguments) {
        return match m.host.fact(fact) {
            Some(value) => m.import_value(&value, at).map(Some),
            None => Ok(Some(Val::Null)),
        };
    }
    Ok(Some(match (name, arguments) {
        ("getProcessInstance", []) => Val::Execution(Reach::Instance),
        ("getParent" | "getSuperExecution", []) => Val::Execution(Reach::Parent),
        ("setProcessBusinessKey" | "setBusinessKey", [key]) => {
            m.effects.push(Pending::SetFact(facts::BUSINESS_KEY.into(), key.clone()));
            Val::Null
        }
        ("isActive", []) => Val::Bool(true),
        ("isEnded" | "isSuspended" | "isCanceled", []) => Val::Bool(false),
        _ => return Ok(None),
    }))
}

/// Methods on variables, which tasks share.
pub(super) fn variables(
    m: &mut Machine<'_>,
    reach: Reach,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    let is_local = name.ends_with("Local");
    let is_transient = name.contains("Transient");
    let scope = match arguments {
        _ if is_transient && is_local => VariableScope::TransientLocal,
        _ if is_transient => VariableScope::Transient,
        [_, _, Val::Text(element)] if name == "setVariable" => {
            VariableScope::Element((&**element).into())
        }
        _ => reach.scope(is_local),
    };
    let base = name.replace("Transient", "");
    let base = base.strip_suffix("Local").unwrap_or(&base);
    let variable_name = match arguments.first() {
        Some(first) => m.characters(first).map(|text| Arc::<str>::from(&*text)),
        None => None,
    };
    // Transient variables are read where all are.
    let read = if is_transient { VariableScope::Nearest } else { scope.clone() };
    Ok(Some(match (base, variable_name, arguments.len()) {
        ("getVariable", Some(name), 1 | 2) => m.variable(&read, &name, at)?.unwrap_or(Val::Null),
        ("hasVariable", Some(name), 1) => Val::Bool(m.variable(&read, &name, at)?.is_some()),
        ("setVariable", Some(name), 2 | 3) => {
            m.set_variable(scope, &name, arguments[1].clone(), at)?;
            Val::Null
        }
        ("removeVariable", Some(name), 1) => {
            m.remove_variable(scope, &name, at)?;
            Val::Null
        }
        ("setVariables", None, 1) => {
            for pair in m.items(&arguments[0], at)?.unwrap_or_default() {
                if let Val::Pair(id) = pair {
                    let (key, value) = m.heap.pairs[id as usize].clone();
                    let name = m.show(&key, at)?;
                    m.set_variable(scope.clone(), &name, value, at)?;
                }
            }
            Val::Null
        }
        ("removeVariables", None, 0 | 1) => {
            let names = match arguments {
                [names] => m.items(names, at)?.unwrap_or_default(),
                _ => {
                    let names = m.variable_names(&read, at)?;
                    names.iter().map(|name| Val::text(&**name)).collect()
                }
            };
            for name in names {
                let name = m.show(&name, at)?;
                m.remove_variable(scope.clone(), &name, at)?;
            }
            Val::Null
        }
        ("getVariableNames", None, 0) => {
            let names = m.variable_names(&read, at)?;
            let names = names.iter().map(|name| Val::text(&**name)).collect();
            m.new_set(names, "java.util.LinkedHashSet", at)?
        }
        ("getVariables", None, 0) => {
            let map = m.new_map("java.util.HashMap", at)?;
            for name in m.variable_names(&read, at)? {
                let value = m.variable(&read, &name, at)?.unwrap_or(Val::Null);
                let key = m.text(&*name, at)?;
                m.map_put(map, key, value, at)?;
            }
            Val::Map(map)
        }
        ("hasVariables", None, 0) => Val::Bool(!m.variable_names(&read, at)?.is_empty()),
        _ => return Ok(None),
    }))
}
