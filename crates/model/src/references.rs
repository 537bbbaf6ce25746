//! What a process wants to find in its own deployment.

use orloj_expr::Expression;
use orloj_types::{ElementId, Value};
use orloj_xml::Position;

use crate::graph::{
    CallBinding, DecisionBinding, ElementKind, FormReference, Process, ServiceTask,
};

/// Something that has to be deployed together with the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeploymentReference {
    pub kind: ReferenceKind,
    /// The author's id of what is meant.
    pub id: String,
    pub element: ElementId,
    pub position: Position,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceKind {
    Process,
    Decision,
    Form,
}

impl Process {
    /// What elements are bound to by `deployment`, as far as its id is written and not computed.
    ///
    /// A single file cannot tell whether it is there, and Zeebe refuses a deployment without it.
    pub fn deployment_references(&self) -> Vec<DeploymentReference> {
        let mut references = Vec::new();
        for element in &self.elements {
            let found = match &element.kind {
                ElementKind::CallActivity(call) => match call.binding {
                    CallBinding::Deployment => Some((ReferenceKind::Process, &call.process)),
                    _ => None,
                },
                ElementKind::DecisionTask(task) => match task.binding {
                    DecisionBinding::Deployment => Some((ReferenceKind::Decision, &task.decision)),
                    _ => None,
                },
                ElementKind::UserTask(task) => form(task.form.as_ref()),
                ElementKind::ServiceTask(ServiceTask::Worker(task)) => form(task.form.as_ref()),
                _ => None,
            };
            let Some((kind, expression)) = found else { continue };
            let Some(Value::Text(id)) = expression.as_constant() else { continue };
            references.push(DeploymentReference {
                kind,
                id: id.to_string(),
                element: element.id.clone(),
                position: element.position,
            });
        }
        references
    }
}

fn form(reference: Option<&FormReference>) -> Option<(ReferenceKind, &Expression)> {
    let reference = reference?;
    matches!(reference.binding, CallBinding::Deployment)
        .then_some((ReferenceKind::Form, &reference.form))
}
