//! Programs written into models. A program changes nothing by itself: what it wants done comes
//! back as effects, which become the variables of the answer.

use std::sync::Arc;

use orloj_interpreter::{
    Callee, FactChange, Invoke, InvokeResult, TaskProperties, VariableEdit, VariablePlace,
};
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

    /// The user task that the program listens to.
    fn task(&self) -> Option<&TaskProperties> {
        self.invoke.scopes.as_ref()?.task.as_ref()
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
    let (mut edits, mut business_key, mut task) = (Vec::new(), None, Vec::new());
    for effect in outcome.effects {
        let (scope, name, value) = match effect {
            Effect::SetFact { name, value } if *name == *facts::BUSINESS_KEY => {
                business_key = Some(text(&value));
                continue;
            }
            Effect::SetFact { name, value } => match task_changes(&name, &value) {
                Some(changes) => {
                    task.extend(changes);
                    continue;
                }
                None => {
                    let message =
                        format!("a script cannot set '{name}' to a {}", value.type_name());
                    return InvokeResult::Failed { message: message.into() };
                }
            },
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
            InvokeResult::Changed { edits, business_key, task, value }
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
                VariablePlace::Local
                | VariablePlace::Task
                | VariablePlace::Transient
                | VariablePlace::TransientLocal,
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

/// What a program makes of the user task that it listens to. `None`: nothing that a task has.
fn task_changes(fact: &str, value: &Value) -> Option<Vec<FactChange>> {
    let names = |change: fn(Arc<str>) -> FactChange| match value {
        Value::List(names) => names.iter().filter_map(text).map(change).collect(),
        name => text(name).into_iter().map(change).collect(),
    };
    let date = FactChange::date(value);
    Some(match fact.strip_prefix(facts::TASK_PREFIX)? {
        "name" => vec![FactChange::Name(text(value))],
        "description" => vec![FactChange::Description(text(value))],
        "assignee" => vec![FactChange::Assignee(text(value))],
        "owner" => vec![FactChange::Owner(text(value))],
        "category" => vec![FactChange::Category(text(value))],
        "formKey" => vec![FactChange::FormKey(text(value))],
        "priority" => vec![FactChange::Priority(whole(value)?)],
        "dueDate" => vec![FactChange::DueDate(date?)],
        "followUpDate" => vec![FactChange::FollowUpDate(date?)],
        "addCandidateUser" | "addCandidateUsers" => names(FactChange::AddCandidateUser),
        "addCandidateGroup" | "addCandidateGroups" => names(FactChange::AddCandidateGroup),
        "deleteCandidateUser" => names(FactChange::DeleteCandidateUser),
        "deleteCandidateGroup" => names(FactChange::DeleteCandidateGroup),
        _ => return None,
    })
}

fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => Some(*number),
        Value::Double(number) if number.fract() == 0.0 => Some(*number as i64),
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
                "name" => match self.task() {
                    Some(task) => task.name.clone().map(Value::Text),
                    None => self.name(),
                },
                "eventName" => Some(invoke.event.map_or(Value::Null, Value::text)),
                "assignee" => self.task()?.assignee.clone().map(Value::Text),
                "description" => self.task()?.description.clone().map(Value::Text),
                "owner" => self.task()?.owner.clone().map(Value::Text),
                "category" => self.task()?.category.clone().map(Value::Text),
                "formKey" => self.task()?.form_key.clone().map(Value::Text),
                "priority" => Some(Value::Int(self.task()?.priority)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_sets_of_a_task_is_what_a_task_has() {
        let names = Value::List(Arc::new(vec![Value::text("a"), Value::text("b")]));
        let rows = [
            ("task.assignee", Value::text("eva"), r#"Some([Assignee(Some("eva"))])"#),
            ("task.assignee", Value::Null, "Some([Assignee(None)])"),
            ("task.priority", Value::Double(7.0), "Some([Priority(7)])"),
            ("task.priority", Value::text("high"), "None"),
            ("task.dueDate", Value::Null, "Some([DueDate(None)])"),
            ("task.dueDate", Value::text("2030-01-01"), "None"),
            (
                "task.addCandidateUsers",
                names,
                r#"Some([AddCandidateUser("a"), AddCandidateUser("b")])"#,
            ),
            ("task.deleteCandidateGroup", Value::text("g"), r#"Some([DeleteCandidateGroup("g")])"#),
            ("task.nothing", Value::Null, "None"),
            ("other", Value::Null, "None"),
        ];
        for (fact, value, expected) in rows {
            assert_eq!(format!("{:?}", task_changes(fact, &value)), expected, "{fact}");
        }
    }
}
