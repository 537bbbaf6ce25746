//! Requests to and answers from the children, as the rest of the crate sees them.

use std::collections::BTreeMap;

use orloj_groovy::{Dialect, Effect, Host, Position, VariableScope, facts};
use orloj_types::Document;

use crate::config::SecureScripting;
use crate::outcome::{Diagnostic, Failure, Limit, Outcome};
use crate::protocol::{
    Answer, EffectKind, Problem, ProblemKind, Request, Sight, Task, WireEffect, WireScope,
};
use crate::runner::RunOptions;
use crate::wire_value::WireValue;

/// Facts that a script can ask for.
pub(crate) const FACTS: &[&str] = &[
    facts::ID,
    facts::PROCESS_INSTANCE_ID,
    facts::ROOT_PROCESS_INSTANCE_ID,
    facts::PROCESS_DEFINITION_ID,
    facts::PROCESS_DEFINITION_KEY,
    facts::BUSINESS_KEY,
    facts::CURRENT_ACTIVITY_ID,
    facts::CURRENT_ACTIVITY_NAME,
    facts::ACTIVITY_INSTANCE_ID,
    facts::PARENT_ID,
    facts::PARENT_ACTIVITY_INSTANCE_ID,
    facts::CURRENT_TRANSITION_ID,
    facts::SUPER_EXECUTION_ID,
    facts::EVENT_NAME,
    facts::TENANT_ID,
    "task.id",
    "task.name",
    "task.description",
    "task.assignee",
    "task.owner",
    "task.priority",
    "task.dueDate",
    "task.category",
    "task.formKey",
    "task.taskDefinitionKey",
    "task.processInstanceId",
    "task.processDefinitionId",
    "task.executionId",
    "task.eventName",
    "task.tenantId",
];

/// Scopes that show other variables than the nearest one does.
const SCOPES: &[(&str, VariableScope)] = &[
    ("local", VariableScope::Local),
    ("instance", VariableScope::Instance),
    ("parent", VariableScope::Parent),
    ("parentLocal", VariableScope::ParentLocal),
];

pub(crate) fn check_request(source: &str, config: &SecureScripting) -> Request {
    Request {
        task: Task::Check,
        source: source.to_owned(),
        limits: config.limits(),
        sight: Sight::default(),
    }
}

/// What a check found.
pub(crate) fn checked(answer: Answer) -> Result<(), Diagnostic> {
    match answer.result {
        Ok(_) => Ok(()),
        Err(problem) if problem.kind == ProblemKind::Syntax => Err(Diagnostic::Refused {
            position: position(&problem).unwrap_or(Position { line: 1, column: 1 }),
            message: problem.message,
            unsupported: false,
        }),
        Err(problem) => Err(Diagnostic::Host { message: problem.message }),
    }
}

pub(crate) fn run_request(
    source: &str,
    host: &dyn Host,
    options: &RunOptions,
    config: &SecureScripting,
) -> Request {
    let mut known = BTreeMap::new();
    for fact in FACTS {
        if let Some(value) = host.fact(fact) {
            known.insert((*fact).to_owned(), WireValue::of_fact(&value));
        }
    }
    let mut scoped = String::from("{");
    for (index, (name, scope)) in SCOPES.iter().enumerate() {
        if index > 0 {
            scoped.push(',');
        }
        scoped.push_str(&format!("\"{name}\":{}", variables(host, scope)));
    }
    scoped.push('}');
    Request {
        task: Task::Run,
        source: source.to_owned(),
        limits: config.limits(),
        sight: Sight {
            variables: variables(host, &VariableScope::Nearest),
            inputs: host.inputs().map(Document::to_json),
            scoped,
            facts: known,
            execution: config.shows_execution(),
            task: host.has_task() && config.shows_task(),
            classes: config.white_list(),
            // Flowable's JavaScript engine keeps global names to itself, told to store them or not.
            auto_store: options.auto_store && options.dialect != Dialect::Flowable,
            now_ms: options.now.as_ms(),
            seed: options.seed,
        },
    }
}

fn variables(host: &dyn Host, scope: &VariableScope) -> String {
    let mut out = String::from("{");
    for name in host.names(scope) {
        let Some(value) = host.variable(scope, &name) else { continue };
        if out.len() > 1 {
            out.push(',');
        }
        orloj_types::Value::Text(name).write_json(&mut out);
        out.push(':');
        value.write_json(&mut out);
    }
    out.push('}');
    out
}

pub(crate) fn outcome(answer: Answer, config: &SecureScripting) -> Outcome {
    Outcome {
        result: match answer.result {
            Ok(value) => Ok(value.into_value()),
            Err(problem) => Err(failure(problem, config)),
        },
        effects: answer.effects.into_iter().map(effect).collect(),
        printed: answer.printed,
        printed_lost: answer.printed_lost,
    }
}

fn effect(wire: WireEffect) -> Effect {
    let (name, value) = (wire.name.into(), wire.value.into_value());
    let scope = match wire.scope {
        WireScope::Nearest => VariableScope::Nearest,
        WireScope::Local => VariableScope::Local,
        WireScope::Instance => VariableScope::Instance,
        WireScope::Parent => VariableScope::Parent,
        WireScope::ParentLocal => VariableScope::ParentLocal,
        WireScope::Transient => VariableScope::Transient,
        WireScope::TransientLocal => VariableScope::TransientLocal,
        WireScope::Element(element) => VariableScope::Element(element.into()),
    };
    match wire.kind {
        EffectKind::Set => Effect::Set { scope, name, value },
        EffectKind::Remove => Effect::Remove { scope, name },
        EffectKind::Changed => Effect::Changed { name, value },
        EffectKind::SetFact => Effect::SetFact { name, value },
    }
}

fn position(problem: &Problem) -> Option<Position> {
    let (line, column) = problem.place;
    (line > 0).then_some(Position { line, column })
}

fn failure(problem: Problem, config: &SecureScripting) -> Failure {
    let position = position(&problem);
    let limit = match problem.kind {
        ProblemKind::BpmnError { code } => {
            let message = Some(problem.message).filter(|message| !message.is_empty());
            return Failure::BpmnError { code, message, position };
        }
        ProblemKind::Exception { class } => {
            return Failure::Exception { class, message: problem.message, position };
        }
        ProblemKind::Syntax => {
            let class = "SyntaxError".to_owned();
            return Failure::Exception { class, message: problem.message, position };
        }
        ProblemKind::Cyclic => {
            let class = "TypeError".to_owned();
            let message = "a value that contains itself cannot be given back".to_owned();
            return Failure::Exception { class, message, position };
        }
        ProblemKind::Time => Limit::Time,
        ProblemKind::Memory => Limit::Memory,
        ProblemKind::Stack => Limit::Stack,
        ProblemKind::Rounds => Limit::Instructions,
        ProblemKind::AnswerSize => Limit::AnswerSize,
    };
    Failure::Limit { limit, message: limit_message(limit, config), position }
}

pub(crate) fn limit_message(limit: Limit, config: &SecureScripting) -> String {
    let limits = config.limits();
    match limit {
        Limit::Time => format!("the script ran longer than {} ms", limits.time_ms),
        Limit::Memory => format!("the script needs more than {} bytes", limits.memory_bytes),
        Limit::Stack => "the script calls itself too deeply".to_owned(),
        Limit::Instructions => "the script takes too many steps".to_owned(),
        Limit::AnswerSize => {
            format!("the script gives back more than {} bytes", limits.answer_bytes)
        }
    }
}
