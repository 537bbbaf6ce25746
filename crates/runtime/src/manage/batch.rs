//! Work for many, handed to the executor as a batch.

use orloj_interpreter::{Instruction, Place};
use orloj_types::BatchKey;

use super::instances::{InstanceAction, InstanceScope, Instances};
use super::job_action::JobAction;
use super::job_set::{JobScope, JobSet};
use super::jobs::{Jobs, wants_failed};
use crate::api::{Error, MigrateInstance, Modify};
use crate::batches::{BatchElements, NewBatch};
use crate::events::instructions;
use crate::node::chores::{BatchWork, Modification};

impl Jobs {
    pub(super) async fn batch(
        &self,
        set: JobSet,
        scope: &JobScope,
        action: &JobAction,
    ) -> Result<BatchKey, Error> {
        let work = match action {
            JobAction::SetRetries { retries, due } => BatchWork::SetJobRetries {
                retries: *retries,
                due_ms: due.map(|due| due.map(|due| due.as_ms())),
            },
            JobAction::MoveToExecutable { retries } if set == JobSet::DeadLetters => {
                BatchWork::MoveDeadLetters { retries: *retries }
            }
            _ => {
                let reason = "of jobs, only retries are set and dead letters revived in batches";
                return Err(Error::Invalid(reason.into()));
            }
        };
        let keys = self.keys(set, scope, wants_failed(action)).await?;
        let elements = BatchElements::jobs(keys);
        let new = NewBatch { created_by: self.desk.user.clone(), ..NewBatch::new(work, elements) };
        Ok(self.desk.engine.batches().create(new).await?.key)
    }
}

impl Instances {
    pub(super) async fn batch(
        &self,
        scope: InstanceScope,
        action: &InstanceAction,
    ) -> Result<BatchKey, Error> {
        let work = match action {
            InstanceAction::Suspend => BatchWork::InstanceUpdateSuspensionState { suspended: true },
            InstanceAction::Activate => {
                BatchWork::InstanceUpdateSuspensionState { suspended: false }
            }
            InstanceAction::Cancel => BatchWork::InstanceDeletion { without_listeners: false },
            InstanceAction::Delete => BatchWork::InstanceDeletion { without_listeners: true },
            InstanceAction::SetVariables(variables) => {
                BatchWork::SetVariables { variables: variables.to_json() }
            }
            InstanceAction::Migrate(MigrateInstance { which, tenant, plan }) => {
                let target = self.desk.engine.inner.definitions.find(which, tenant).await?;
                let plan = plan.iter().map(|(from, to)| (from.to_string(), to.to_string()));
                let definition = target.key.raw();
                BatchWork::InstanceMigration { definition, plan: plan.collect() }
            }
            InstanceAction::Modify(modify) => {
                BatchWork::InstanceModification { instructions: modifications(modify)? }
            }
        };
        let elements = BatchElements::instances(self.keys(&scope).await?);
        let new = NewBatch { created_by: self.desk.user.clone(), ..NewBatch::new(work, elements) };
        Ok(self.desk.engine.batches().create(new).await?.key)
    }
}

/// A batch is for instances that differ in their element instances, so it names elements only. What
/// its stored form has no word for is refused, as a batch that does a part of it helps nobody.
fn modifications(modify: &Modify) -> Result<Vec<Modification>, Error> {
    instructions(modify.clone())?.into_iter().map(carried).collect()
}

fn carried(instruction: Instruction) -> Result<Modification, Error> {
    let refused = |reason: &str| Err(Error::Invalid(reason.to_owned()));
    Ok(match instruction {
        Instruction::StartBefore { element, place } => {
            let (variables, locals) = everywhere(place)?;
            Modification::StartBefore { element: element.to_string(), variables, locals }
        }
        Instruction::StartAfter { element, place } => {
            let (variables, locals) = everywhere(place)?;
            Modification::StartAfter { element: element.to_string(), variables, locals }
        }
        Instruction::StartTransition { flow, place } => {
            let (variables, locals) = everywhere(place)?;
            Modification::StartTransition { flow: flow.to_string(), variables, locals }
        }
        Instruction::CancelAll { element } => {
            Modification::CancelAll { element: element.to_string() }
        }
        Instruction::Cancel { .. } => return refused(NAMES_ONE),
        Instruction::Move { .. } => {
            return refused("a batch begins and ends tokens, but does not move them");
        }
    })
}

const NAMES_ONE: &str = "a batch modifies many instances and cannot name element instances of one";

/// The variables of a place that can be meant in every instance: around the element, and its own.
fn everywhere(place: Place) -> Result<(String, String), Error> {
    let Place { ancestor, variables, locals, scoped } = place;
    if ancestor.is_some() {
        return Err(Error::Invalid(NAMES_ONE.to_owned()));
    }
    if !scoped.is_empty() {
        let reason = "a batch sets variables around an element or its own, not of named scopes";
        return Err(Error::Invalid(reason.to_owned()));
    }
    Ok((variables.to_json(), locals.to_json()))
}
