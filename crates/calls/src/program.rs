//! Programs written into models. A program changes nothing by itself: what it wants done comes
//! back as effects, which become the variables of the answer.

use std::sync::Arc;

use orloj_interpreter::{Callee, Invoke, InvokeResult, VariableEdit, VariablePlace};
use orloj_model::{
    Code, Element, ListenerEvent, Process, Program, ProgramHost, ProgramLanguage, Script,
};
use orloj_script::{
    Dialect, Effect, Failure, Host, Outcome, RunOptions, ScriptLanguage, VariableScope, facts,
};
use orloj_types::{Document, ElementId, Value};

pub fn language_of(program: &Program) -> ScriptLanguage {
    match program.language {
        ProgramLanguage::JavaScript => ScriptLanguage::JavaScript,
        ProgramLanguage::Groovy => ScriptLanguage::Groovy,
    }
}

/// A program that is to run, and what it may know of the process around it.
pub struct ProgramCall<'a> {
    invoke: &'a Invoke,
    process: &'a Process,
    element: Option<&'a Element>,
}

impl<'a> ProgramCall<'a> {
    pub fn new(invoke: &'a Invoke, process: &'a Process) -> Self {
        let element = process.find(&invoke.element).map(|index| process.element(index));
        Self { invoke, process, element }
    }

    pub fn options(&self, program: &Program) -> RunOptions {
        let dialect = match program.host {
            ProgramHost::Camunda => Dialect::Camunda7,
            ProgramHost::Flowable => Dialect::Flowable,
        };
        RunOptions {
            auto_store: program.stores_assigned,
            seed: self.invoke.element_instance.raw().unsigned_abs(),
            ..RunOptions::new(dialect, self.invoke.now)
        }
    }

    /// The variables that a scope shows.
    fn shown(&self, scope: &VariableScope) -> &Document {
        let all = &self.invoke.variables;
        let Some(scopes) = &self.invoke.scopes else { return all };
        match scope {
            VariableScope::Local => &scopes.local,
            VariableScope::Instance => &scopes.instance,
            VariableScope::Parent => &scopes.parent,
            VariableScope::ParentLocal => &scopes.parent_local,
            VariableScope::Nearest
            | VariableScope::Element(_)
            | VariableScope::Transient
            | VariableScope::TransientLocal => all,
        }
    }

    fn name(&self) -> Option<Value> {
        self.element.and_then(|element| element.name.clone()).map(Value::Text)
    }
}

/// The answer to the call. A scope that the process does not have is a failure, as it is in the
/// systems the programs were written for.
pub fn answer(
    outcome: Outcome,
    call: &ProgramCall<'_>,
    program: &Program,
    result_variable: Option<&Arc<str>>,
) -> InvokeResult {
    if let Some(scope) = unknown_scope(&outcome, call.process) {
        return InvokeResult::Failed { message: format!("there is no scope '{scope}'").into() };
    }
    if let Some(fact) = outcome.effects.iter().find_map(unknown_fact) {
        let message = format!("a script cannot set '{fact}'");
        return InvokeResult::Failed { message: message.into() };
    }
    let (mut edits, mut business_key) = (Vec::new(), None);
    for effect in outcome.effects {
        let (scope, name, value) = match effect {
            Effect::SetFact { value, .. } => {
                business_key = Some(text(&value));
                continue;
            }
            Effect::Set { scope, name, value } => (scope, name, Some(value.to_stored())),
            Effect::Changed { name, value } => {
                (VariableScope::Nearest, name, Some(value.to_stored()))
            }
            Effect::Remove { scope, name } => (scope, name, None),
        };
        edits.push(VariableEdit { place: place(scope), name, value });
    }
    match outcome.result {
        Ok(value) => {
            // Camunda leaves the variable as it is when a program gives nothing.
            let is_given = program.host == ProgramHost::Flowable || !matches!(value, Value::Null);
            if let Some(name) = result_variable.filter(|_| is_given) {
                let (place, name) = (VariablePlace::Nearest, name.clone());
                edits.push(VariableEdit { place, name, value: Some(value.to_stored()) });
            }
            InvokeResult::Changed { edits, business_key, value }
        }
        Err(Failure::BpmnError { code, message, .. }) => {
            let message = message.unwrap_or_default().into();
            InvokeResult::Error { code: code.into(), message, variables: stored(edits) }
        }
        Err(failure) => InvokeResult::Failed { message: failure.to_string().into() },
    }
}

fn place(scope: VariableScope) -> VariablePlace {
    match scope {
        VariableScope::Nearest => VariablePlace::Nearest,
        VariableScope::Local => VariablePlace::Local,
        VariableScope::Instance => VariablePlace::Instance,
        VariableScope::Parent => VariablePlace::Parent,
        VariableScope::ParentLocal => VariablePlace::ParentLocal,
        VariableScope::Element(id) => VariablePlace::Element(ElementId::from(&*id)),
        VariableScope::Transient => VariablePlace::Transient,
        VariableScope::TransientLocal => VariablePlace::TransientLocal,
    }
}

/// What a program that threw an error has set and outlives its element.
fn stored(edits: Vec<VariableEdit>) -> Document {
    let mut variables = Document::new();
    for VariableEdit { place, name, value } in edits {
        match (place, value) {
            (
                VariablePlace::Local | VariablePlace::Transient | VariablePlace::TransientLocal,
                _,
            ) => {}
            (_, Some(value)) => variables.insert(name, value),
            (_, None) => {
                variables.0.remove(&name);
            }
        }
    }
    variables
}

fn text(value: &Value) -> Option<Arc<str>> {
    match value {
        Value::Null => None,
        Value::Text(text) => Some(text.clone()),
        other => Some(other.to_json().into()),
    }
}

/// What a program wants to change of the instance and cannot.
fn unknown_fact(effect: &Effect) -> Option<&str> {
    match effect {
        Effect::SetFact { name, .. } if **name != *facts::BUSINESS_KEY => Some(name),
        _ => None,
    }
}

/// The scope of an element that the process does not have.
fn unknown_scope<'o>(outcome: &'o Outcome, process: &Process) -> Option<&'o str> {
    outcome.effects.iter().find_map(|effect| match effect {
        Effect::Set { scope: VariableScope::Element(id), .. }
        | Effect::Remove { scope: VariableScope::Element(id), .. } => {
            let is_known = **id == *process.id || process.find(id).is_some();
            (!is_known).then_some(&**id)
        }
        _ => None,
    })
}

impl Host for ProgramCall<'_> {
    fn variable(&self, scope: &VariableScope, name: &str) -> Option<Value> {
        self.shown(scope).get(name).map(Value::from)
    }

    fn names(&self, scope: &VariableScope) -> Vec<Arc<str>> {
        self.shown(scope).0.keys().cloned().collect()
    }

    fn inputs(&self) -> Option<&Document> {
        self.invoke.scopes.as_ref()?.inputs.as_ref()
    }

    fn fact(&self, name: &str) -> Option<Value> {
        let invoke = self.invoke;
        let key = |key: i64| Some(Value::text(key.to_string()));
        if let Some(property) = name.strip_prefix(facts::TASK_PREFIX) {
            return match property {
                "id" => key(invoke.element_instance.raw()),
                "name" => self.name(),
                "taskDefinitionKey" => Some(Value::text(invoke.element.as_str())),
                "processInstanceId" => key(invoke.instance.raw()),
                "processDefinitionId" => key(invoke.definition.raw()),
                _ => None,
            };
        }
        match name {
            facts::ID | facts::ACTIVITY_INSTANCE_ID => key(invoke.element_instance.raw()),
            facts::PROCESS_INSTANCE_ID | facts::ROOT_PROCESS_INSTANCE_ID => {
                key(invoke.instance.raw())
            }
            facts::PROCESS_DEFINITION_ID => key(invoke.definition.raw()),
            facts::PROCESS_DEFINITION_KEY => Some(Value::text(self.process.id.as_str())),
            facts::BUSINESS_KEY => invoke.business_key.clone().map(Value::Text),
            facts::CURRENT_ACTIVITY_ID => Some(Value::text(invoke.activity.as_str())),
            facts::EVENT_NAME => Some(invoke.event.map_or(Value::Null, Value::text)),
            facts::CURRENT_ACTIVITY_NAME => self.name(),
            facts::TENANT_ID if invoke.tenant.is_empty() => None,
            facts::TENANT_ID => Some(Value::text(invoke.tenant.as_str())),
            _ => None,
        }
    }

    /// Only listeners of user tasks are given the task.
    fn has_task(&self) -> bool {
        let Callee::Program { program, .. } = &self.invoke.callee else { return false };
        let mut listeners = self.element.iter().flat_map(|element| &element.listeners);
        listeners.any(|listener| {
            let is_of_execution = matches!(
                listener.event,
                ListenerEvent::Start | ListenerEvent::End | ListenerEvent::Take
            );
            let is_it =
                matches!(&listener.code, Code::Script(Script::Program(own)) if **own == **program);
            !is_of_execution && is_it
        })
    }
}
