//! The name of the foreign code that an element calls.

use std::sync::Arc;

use orloj_expr::Expression;
use orloj_types::Value;

use super::element::ElementKind;
use super::event::Throw;
use super::script::{ProgramLanguage, Script, ScriptLanguage};
use super::task::ServiceTask;

/// Empty for elements that call none. The type of a worker job is known only when it is made; this
/// is the text that gives it.
pub(crate) fn topic_of(kind: &ElementKind) -> Arc<str> {
    match kind {
        ElementKind::ServiceTask(task) => of_service(task),
        ElementKind::EndEvent(Throw::Message(task))
        | ElementKind::ThrowEvent(Throw::Message(task)) => of_service(task),
        ElementKind::ScriptTask(task) => of_script(&task.script),
        _ => Arc::default(),
    }
}

fn of_service(task: &ServiceTask) -> Arc<str> {
    match task {
        ServiceTask::Worker(worker) => written(&worker.job_type),
        ServiceTask::Delegate(delegate) => delegate.name.clone(),
        ServiceTask::Expression(task) => written(&task.expression),
        ServiceTask::Builtin(task) => task.kind.clone(),
    }
}

fn of_script(script: &Script) -> Arc<str> {
    let language = match script {
        Script::Program(program) => ScriptLanguage::Program(program.language),
        Script::Resource(resource) => resource.language,
        Script::Expression(_) | Script::Unusable(_) => return Arc::default(),
    };
    match language {
        ScriptLanguage::Program(ProgramLanguage::JavaScript) => "javascript".into(),
        ScriptLanguage::Program(ProgramLanguage::Groovy) => "groovy".into(),
        ScriptLanguage::Feel | ScriptLanguage::Uel => Arc::default(),
    }
}

fn written(expression: &Expression) -> Arc<str> {
    match expression.as_constant() {
        Some(Value::Text(text)) => text.clone(),
        _ => expression.source().into(),
    }
}
