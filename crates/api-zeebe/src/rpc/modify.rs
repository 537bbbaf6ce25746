//! Tokens moved by hand, and instances moved to another definition.

use modify_process_instance_request::{MoveInstruction, VariableInstruction};
use orloj::types::{DefinitionKey, Document, ElementInstanceKey, InstanceKey, TenantId};
use orloj::{Activate, MigrateInstance, Modify, Move, MoveFrom, MoveInside, Which};
use tonic::Status;

use crate::gateway::Gateway;
use crate::proto::*;
use crate::status::{self, Intent, Refusal};
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
        modify.moves.push(read_move(instruction)?);
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

fn read_move(instruction: MoveInstruction) -> Result<Move, Status> {
    let from = match (instruction.source_element_instance_key, instruction.source_element_id) {
        (key @ 1.., id) if id.is_empty() => MoveFrom::One(ElementInstanceKey::new(key)),
        (..1, id) if !id.is_empty() => MoveFrom::All(id.into()),
        _ => {
            let reason = "a move instruction names either a source element or one instance of it";
            return Err(status::rejected(Intent::Modify, Refusal::InvalidArgument, reason));
        }
    };
    let ancestor = instruction.ancestor_element_instance_key;
    let inside = match (
        instruction.infer_ancestor_scope_from_source_hierarchy,
        instruction.use_source_parent_key_as_ancestor_scope_key,
        ancestor > 0,
    ) {
        (false, false, _) => MoveInside::Named,
        (true, false, false) => MoveInside::Hierarchy,
        (false, true, false) => MoveInside::Parent,
        _ => {
            let reason = "a move instruction says in more than one way where its target lies";
            return Err(status::rejected(Intent::Modify, Refusal::InvalidArgument, reason));
        }
    };
    let to = activate(instruction.target_element_id, ancestor, &instruction.variable_instructions)?;
    Ok(Move { from, to, inside })
}

/// Variables without a scope are the instance's.
fn activate(
    element: String,
    ancestor: i64,
    variables: &[VariableInstruction],
) -> Result<Activate, Status> {
    let (mut scoped, mut locals) = (Vec::new(), Document::new());
    for instruction in variables {
        let document = read_variables(&instruction.variables)?;
        match &*instruction.scope_id {
            own if own == element => locals.0.extend(document.0),
            "" => scoped.push((None, document)),
            around => scoped.push((Some(around.into()), document)),
        }
    }
    Ok(Activate {
        element: element.into(),
        ancestor: (ancestor > 0).then(|| ElementInstanceKey::new(ancestor)),
        variables: Document::new(),
        locals,
        scoped,
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
