//! Programs written into models: checked when they are deployed, run when a token comes.

use std::sync::{Arc, Mutex, PoisonError};

use orloj_calls::{ProgramCall, answer_program, language_of};
use orloj_interpreter::{Invoke, InvokeResult};
use orloj_model::{
    Diagnostic, ElementKind, Process, Program, ProgramLanguage, Script as TaskScript, Severity,
};
use orloj_script::{Diagnostic as Refusal, Script, ScriptHost, Scripts, SecureScripting};
use rustc_hash::FxHashMap;

use super::delegate::storable_result;

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
        process: &Process,
    ) -> InvokeResult {
        if program.language == ProgramLanguage::JavaScript && !self.has_host {
            return InvokeResult::Failed { message: NO_HOST.into() };
        }
        let script = match self.parse(program) {
            Ok(script) => script,
            Err(refusal) => return InvokeResult::Failed { message: refusal.to_string().into() },
        };
        let call = ProgramCall::new(invoke, process);
        let outcome = self.scripts.run(&script, &call, call.options(program)).await;
        for line in &outcome.printed {
            tracing::info!(instance = %invoke.instance, element = %invoke.element, "{line}");
        }
        if let lost @ 1.. = outcome.printed_lost {
            let (instance, element) = (invoke.instance, &invoke.element);
            tracing::warn!(%instance, %element, lost, "lines that the script printed did not fit");
        }
        storable_result(answer_program(outcome, &call, program, result_variable.as_ref()))
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
