//! What a process means to find in its own deployment. Zeebe looks before it takes the files;
//! names that are computed are looked up when they are known.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_expr::Expression;
use orloj_model::{CallBinding, DecisionBinding, ElementKind, FormReference, Process, ServiceTask};
use orloj_types::Value;

/// Ids of what is deployed together.
#[derive(Default)]
pub(super) struct Together {
    pub processes: BTreeSet<Arc<str>>,
    pub decisions: BTreeSet<Arc<str>>,
    pub forms: BTreeSet<Arc<str>>,
}

impl Together {
    /// The first thing that is missing, in words.
    pub fn missing(&self, process: &Process) -> Option<String> {
        process.elements.iter().find_map(|element| {
            let (what, id) = self.missing_of(&element.kind)?;
            Some(format!("{} needs the {what} '{id}', which is not deployed with it", element.id))
        })
    }

    fn missing_of<'p>(&self, kind: &'p ElementKind) -> Option<(&'static str, &'p str)> {
        match kind {
            ElementKind::CallActivity(call) if matches!(call.binding, CallBinding::Deployment) => {
                absent(&self.processes, &call.process).map(|id| ("process", id))
            }
            ElementKind::DecisionTask(task)
                if matches!(task.binding, DecisionBinding::Deployment) =>
            {
                absent(&self.decisions, &task.decision).map(|id| ("decision", id))
            }
            ElementKind::UserTask(task) => self.missing_form(task.form.as_ref()),
            ElementKind::ServiceTask(ServiceTask::Worker(task)) => {
                self.missing_form(task.form.as_ref())
            }
            _ => None,
        }
    }

    fn missing_form<'p>(&self, form: Option<&'p FormReference>) -> Option<(&'static str, &'p str)> {
        let form = form.filter(|form| matches!(form.binding, CallBinding::Deployment))?;
        absent(&self.forms, &form.form).map(|id| ("form", id))
    }
}

fn absent<'p>(known: &BTreeSet<Arc<str>>, id: &'p Expression) -> Option<&'p str> {
    match id.as_constant() {
        Some(Value::Text(id)) if !known.contains(id) => Some(id),
        _ => None,
    }
}
