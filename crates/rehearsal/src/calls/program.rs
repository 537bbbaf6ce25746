//! Programs written into models, run while the rehearsal waits for them.

use std::io;
use std::sync::Arc;

use orloj_calls::{ProgramCall, answer_program, language_of};
use orloj_interpreter::{Invoke, InvokeResult};
use orloj_model::{Process, Program, ProgramLanguage};
use orloj_script::{Script as ParsedScript, ScriptHost, Scripts, SecureScripting};
use tokio::runtime::{Builder, Runtime};

/// One thread is enough to carry bytes between the runs and the children that run JavaScript.
const RUNTIME_THREADS: usize = 1;

pub(crate) struct Programs {
    scripts: Scripts,
    has_host: bool,
    runtime: Runtime,
}

impl Programs {
    /// Without a host there is no JavaScript.
    pub fn new(host: Option<ScriptHost>) -> io::Result<Self> {
        let has_host = host.is_some();
        let nobody: [&str; 0] = [];
        let host = host.unwrap_or_else(|| ScriptHost::new("", nobody));
        let scripts = Scripts::new(host, SecureScripting::default());
        let runtime =
            Builder::new_multi_thread().worker_threads(RUNTIME_THREADS).enable_all().build()?;
        Ok(Self { scripts, has_host, runtime })
    }

    pub fn run(
        &self,
        program: &Program,
        result_variable: Option<&Arc<str>>,
        invoke: &Invoke,
        process: &Process,
    ) -> InvokeResult {
        let failed = |message: String| InvokeResult::Failed { message: message.into() };
        if program.language == ProgramLanguage::JavaScript && !self.has_host {
            return failed("JavaScript needs a script host, and there is none".to_owned());
        }
        let script = match ParsedScript::parse(language_of(program), &program.source) {
            Ok(script) => script,
            Err(refusal) => return failed(refusal.to_string()),
        };
        let call = ProgramCall::new(invoke, process);
        let running = self.scripts.run(&script, &call, call.options(program));
        let outcome = self.runtime.block_on(running);
        answer_program(outcome, &call, program, result_variable)
    }
}
