//! Programs written into models: checked when they are deployed, run when a token comes.
//!
//! A program changes nothing by itself. What it wants done comes back as effects, which become
//! variables of the answer: the interpreter sets them where they are.
//!
//! DIFFERENCE: scopes are not told apart. A variable that is set locally is set where it is, else
//! on the instance.

use std::sync::{Arc, Mutex, PoisonError};

use orloj_interpreter::{Invoke, InvokeResult};
use orloj_model::{
    Diagnostic, ElementKind, Process, Program, ProgramHost, ProgramLanguage, Script as TaskScript,
    Severity,
};
use orloj_script::{
    Diagnostic as Refusal, Dialect, Effect, Failure, Host, Outcome, RunOptions, Script, ScriptHost,
    ScriptLanguage, Scripts, SecureScripting, VariableScope, facts,
};
use orloj_types::{Document, Value};
use rustc_hash::FxHashMap;

use super::delegate::invoke_result;
use crate::api::{DelegateResult, Fault};

/// Parsed programs kept; beyond it the cache starts anew, which costs a parse each.
const PROGRAMS_MAX: usize = 1_000;

/// What is said where JavaScript has nobody to run it.
const NO_HOST: &str = "JavaScript needs a script host, and none is configured";

/// Checks and runs programs.
pub struct Programs {
    scripts: Scripts,
    has_host: bool,
    parsed: Mutex<FxHashMap<(ProgramLanguage, Arc<str>), Script>>,
}

impl Programs {
    /// Without a host there is no JavaScript.
    pub fn new(host: Option<ScriptHost>, config: SecureScripting) -> Self {
        let has_host = host.is_some();
        for warning in config.warnings() {
            tracing::warn!("secure scripting: {warning}");
        }
        let nobody: [&str; 0] = [];
        let host = host.unwrap_or_else(|| ScriptHost::new("", nobody));
        Self { scripts: Scripts::new(host, config), has_host, parsed: Mutex::default() }
    }

    /// What is wrong with the programs of a process, at their places in the file.
    pub async fn check(&self, process: &Process) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for element in &process.elements {
            let ElementKind::ScriptTask(task) = &element.kind else { continue };
            let TaskScript::Program(program) = &task.script else { continue };
            let Err(refusal) = self.check_program(program).await else { continue };
            let (code, position, message) = match refusal {
                Refusal::Refused { message, position, unsupported } => {
                    let place = program.place.of(position.line, position.column);
                    let code = if unsupported { "unsupported-script" } else { "script-invalid" };
                    (code, place, message)
                }
                Refusal::Host { message } => ("script-unchecked", program.place.start, message),
            };
            diagnostics.push(Diagnostic {
                severity: Severity::Error,
                position,
                element: Some(element.id.clone()),
                code,
                message: format!("the script of scriptTask \"{}\": {message}", element.id),
            });
        }
        diagnostics
    }

    async fn check_program(&self, program: &Program) -> Result<(), Refusal> {
        if program.language == ProgramLanguage::JavaScript && !self.has_host {
            return Err(Refusal::Host { message: NO_HOST.to_owned() });
        }
        self.scripts.check(language_of(program), &program.source).await.map(|_| ())
    }

    pub async fn run(
        &self,
        program: &Program,
        result_variable: Option<Arc<str>>,
        invoke: &Invoke,
    ) -> InvokeResult {
        if program.language == ProgramLanguage::JavaScript && !self.has_host {
            return InvokeResult::Failed { message: NO_HOST.into() };
        }
        let script = match self.parse(program) {
            Ok(script) => script,
            Err(refusal) => return InvokeResult::Failed { message: refusal.to_string().into() },
        };
        let options = RunOptions {
            auto_store: program.stores_assigned,
            seed: invoke.element_instance.raw().unsigned_abs(),
            ..RunOptions::new(dialect_of(program), invoke.now)
        };
        let outcome = self.scripts.run(&script, &CallHost(invoke), options).await;
        for line in &outcome.printed {
            tracing::info!(instance = %invoke.instance, element = %invoke.element, "{line}");
        }
        if let lost @ 1.. = outcome.printed_lost {
            let (instance, element) = (invoke.instance, &invoke.element);
            tracing::warn!(%instance, %element, lost, "lines that the script printed did not fit");
        }
        let removed = removed(&outcome.effects);
        match invoke_result(answer(outcome, result_variable)) {
            InvokeResult::Done { variables } if !removed.is_empty() => {
                InvokeResult::Changed { variables, removed }
            }
            result => result,
        }
    }

    fn parse(&self, program: &Program) -> Result<Script, Refusal> {
        let known = (program.language, program.source.clone());
        let mut parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(script) = parsed.get(&known) {
            return Ok(script.clone());
        }
        let script = Script::parse(language_of(program), &program.source)?;
        if parsed.len() >= PROGRAMS_MAX {
            parsed.clear();
        }
        parsed.insert(known, script.clone());
        Ok(script)
    }
}

/// Variables that are gone at the end.
fn removed(effects: &[Effect]) -> Vec<Arc<str>> {
    let mut removed: Vec<Arc<str>> = Vec::new();
    for effect in effects {
        match effect {
            Effect::Set { name, .. } | Effect::Changed { name, .. } => {
                removed.retain(|known| known != name);
            }
            Effect::Remove { name, .. } => removed.push(name.clone()),
            Effect::SetFact { .. } => {}
        }
    }
    removed
}

fn answer(outcome: Outcome, result_variable: Option<Arc<str>>) -> DelegateResult {
    let mut variables = Document::new();
    for effect in outcome.effects {
        match effect {
            // Gone when the transaction ends, which is now.
            Effect::Set { scope: VariableScope::Transient, .. } | Effect::SetFact { .. } => {}
            Effect::Set { name, value, .. } | Effect::Changed { name, value } => {
                variables.insert(name, value.to_stored());
            }
            Effect::Remove { name, .. } => {
                variables.0.remove(&name);
            }
        }
    }
    match outcome.result {
        Ok(value) => {
            if let Some(name) = result_variable {
                variables.insert(name, value.to_stored());
            }
            Ok(variables)
        }
        Err(Failure::BpmnError { code, message, .. }) => {
            Err(Fault::Error { code, message: message.unwrap_or_default(), variables })
        }
        Err(failure) => Err(Fault::Failed(located(&failure))),
    }
}

fn located(failure: &Failure) -> String {
    let position = match failure {
        Failure::Exception { position, .. } | Failure::Limit { position, .. } => *position,
        Failure::BpmnError { .. } | Failure::Host { .. } => None,
    };
    match position {
        Some(position) => format!("{failure}, at {position} of the script"),
        None => failure.to_string(),
    }
}

fn language_of(program: &Program) -> ScriptLanguage {
    match program.language {
        ProgramLanguage::JavaScript => ScriptLanguage::JavaScript,
        ProgramLanguage::Groovy => ScriptLanguage::Groovy,
    }
}

fn dialect_of(program: &Program) -> Dialect {
    match program.host {
        ProgramHost::Camunda => Dialect::Camunda7,
        ProgramHost::Flowable => Dialect::Flowable,
    }
}

/// What a program may know of the process it runs in.
struct CallHost<'a>(&'a Invoke);

impl Host for CallHost<'_> {
    fn variable(&self, _scope: &VariableScope, name: &str) -> Option<Value> {
        self.0.variables.get(name).map(Value::from)
    }

    fn names(&self, _scope: &VariableScope) -> Vec<Arc<str>> {
        self.0.variables.0.keys().cloned().collect()
    }

    fn fact(&self, name: &str) -> Option<Value> {
        let call = self.0;
        let key = |key: i64| Some(Value::text(key.to_string()));
        match name {
            facts::ID | facts::ACTIVITY_INSTANCE_ID => key(call.element_instance.raw()),
            facts::PROCESS_INSTANCE_ID | facts::ROOT_PROCESS_INSTANCE_ID => {
                key(call.instance.raw())
            }
            facts::PROCESS_DEFINITION_ID => key(call.definition.raw()),
            facts::BUSINESS_KEY => call.business_key.clone().map(Value::Text),
            facts::CURRENT_ACTIVITY_ID => Some(Value::text(call.element.as_str())),
            facts::TENANT_ID if call.tenant.is_empty() => None,
            facts::TENANT_ID => Some(Value::text(call.tenant.as_str())),
            _ => None,
        }
    }
}
