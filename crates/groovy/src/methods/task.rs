//! `task` in task listeners.

use crate::run::{Machine, Pending, Thrown};
use crate::value::{Reach, Val};

use super::execution::{self, facts};

/// Properties that can be read; those marked can be written.
const PROPERTIES: &[(&str, bool)] = &[
    ("Id", false),
    ("Name", true),
    ("Description", true),
    ("Assignee", true),
    ("Owner", true),
    ("Priority", true),
    ("DueDate", true),
    ("FollowUpDate", true),
    ("Category", true),
    ("FormKey", true),
    ("CreateTime", false),
    ("TaskDefinitionKey", false),
    ("ProcessInstanceId", false),
    ("ProcessDefinitionId", false),
    ("ExecutionId", false),
    ("EventName", false),
    ("TenantId", false),
    ("DeleteReason", false),
];

pub(super) fn invoke(
    m: &mut Machine<'_>,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    if let Some(value) = execution::variables(m, Reach::Own, name, arguments, at)? {
        return Ok(Some(value));
    }
    let property = |prefix: &str| {
        let property = name.strip_prefix(prefix)?;
        PROPERTIES.iter().find(|(found, _)| *found == property)
    };
    if let (Some((property, _)), []) = (property("get"), arguments) {
        let fact = fact_name(property);
        return match m.host.fact(&fact) {
            Some(value) => m.import_value(&value, at).map(Some),
            None => Ok(Some(Val::Null)),
        };
    }
    if let (Some((property, true)), [value]) = (property("set"), arguments) {
        m.bytes(64, at)?;
        m.effects.push(Pending::SetFact(fact_name(property).into(), value.clone()));
        return Ok(Some(Val::Null));
    }
    Ok(Some(match (name, arguments) {
        ("getExecution", []) => Val::Execution(Reach::Own),
        (
            "addCandidateUser"
            | "addCandidateGroup"
            | "deleteCandidateUser"
            | "deleteCandidateGroup"
            | "addCandidateUsers"
            | "addCandidateGroups",
            [value],
        ) => {
            m.bytes(64, at)?;
            let fact = format!("{}{name}", facts::TASK_PREFIX);
            m.effects.push(Pending::SetFact(fact.into(), value.clone()));
            Val::Null
        }
        _ => return Ok(None),
    }))
}

fn fact_name(property: &str) -> String {
    let mut chars = property.chars();
    let first = chars.next().map(|c| c.to_ascii_lowercase());
    format!("{}{}{}", facts::TASK_PREFIX, first.unwrap_or_default(), chars.as_str())
}
