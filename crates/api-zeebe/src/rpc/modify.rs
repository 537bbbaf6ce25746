//! Tokens moved by hand, and instances moved to another definition.

use modify_process_instance_request::VariableInstruction;
use orloj::types::{DefinitionKey, Document, ElementInstanceKey, InstanceKey, TenantId};
use orloj::{Activate, MigrateInstance, Modify, Which};
use tonic::Status;

use crate::gateway::Gateway;
use crate::proto::*;
use crate::status::{self, Intent};
use crate::wire::read_variables;

pub(crate) async fn modify_process_instance(
    gateway: &Gateway,
    request: ModifyProcessInstanceRequest,
) -> Result<ModifyProcessInstanceResponse, Status> {
    gateway.is_open()?;
    let mut modify = Modify::default();
    for instruction in request.activate_instructions {
        let (element, ancestor) =
            (instruction.element_id, instruction.ancestor_element_instance_key);
        modify.activate.push(activate(element, ancestor, &instruction.variable_instructions)?);
    }
    for instruction in request.move_instructions {
        if instruction.source_element_instance_key <= 0
            || instruction.infer_ancestor_scope_from_source_hierarchy
            || instruction.use_source_parent_key_as_ancestor_scope_key
        {
            return Err(status::not_yet("a move instruction without a source key of its own"));
        }
        let (element, ancestor) =
            (instruction.target_element_id, instruction.ancestor_element_instance_key);
        modify.activate.push(activate(element, ancestor, &instruction.variable_instructions)?);
        let source = ElementInstanceKey::new(instruction.source_element_instance_key);
        modify.terminate.push(source);
    }
    for instruction in request.terminate_instructions {
        match instruction.element_instance_key {
            1.. => {
                let key = ElementInstanceKey::new(instruction.element_instance_key);
                modify.terminate.push(key);
            }
            _ => modify.terminate_all.push(instruction.element_id.into()),
        }
    }
    let instance = InstanceKey::new(request.process_instance_key);
    gateway.command(Intent::Modify, gateway.orloj.modify(instance, modify)).await?;
    Ok(ModifyProcessInstanceResponse {})
}

fn activate(
    element: String,
    ancestor: i64,
    variables: &[VariableInstruction],
) -> Result<Activate, Status> {
    let (mut around, mut own) = (Document::new(), Document::new());
    for instruction in variables {
        let document = read_variables(&instruction.variables)?;
        let is_own = instruction.scope_id == element;
        let target = if is_own { &mut own } else { &mut around };
        target.0.extend(document.0);
    }
    Ok(Activate {
        element: element.into(),
        ancestor: (ancestor > 0).then(|| ElementInstanceKey::new(ancestor)),
        variables: around,
        locals: own,
    })
}

pub(crate) async fn migrate_process_instance(
    gateway: &Gateway,
    request: MigrateProcessInstanceRequest,
) -> Result<MigrateProcessInstanceResponse, Status> {
    gateway.is_open()?;
    let Some(plan) = request.migration_plan else {
        return Err(status::invalid("MigrateProcessInstance: the migration plan is missing"));
    };
    let mapped = plan.mapping_instructions.into_iter().map(|instruction| {
        (instruction.source_element_id.into(), instruction.target_element_id.into())
    });
    let migrate = MigrateInstance {
        which: Which::Definition(DefinitionKey::new(plan.target_process_definition_key)),
        tenant: TenantId::none(),
        plan: mapped.collect(),
    };
    let instance = InstanceKey::new(request.process_instance_key);
    gateway.command(Intent::Migrate, gateway.orloj.migrate(instance, migrate)).await?;
    Ok(MigrateProcessInstanceResponse {})
}
