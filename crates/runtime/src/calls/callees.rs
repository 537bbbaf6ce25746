//! Who answers a call.

use std::future::Future;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use orloj_executor::Meters;
use orloj_interpreter::{Callee, Invoke, InvokeResult};
use orloj_store::Statement;

use super::delegate::{call_bean, call_delegate};
use super::program::Programs;
use super::registry::Registry;
use super::{decision, resource};
use crate::decisions::Decisions;
use crate::definitions::Definitions;
use crate::node::{CallId, Event};

pub(crate) struct Callees {
    pub registry: Arc<Registry>,
    pub programs: Arc<Programs>,
    pub decisions: Arc<Decisions>,
    pub definitions: Arc<Definitions>,
    pub meters: Arc<Meters>,
}

/// What came of a call.
pub(crate) struct Called {
    result: InvokeResult,
    /// To commit with the step.
    statements: Vec<Statement>,
}

impl Called {
    /// Code that failed has nothing to commit, and what no store would take is a failure.
    pub(super) fn with(result: InvokeResult, statements: Vec<Statement>) -> Self {
        let has_failed = !matches!(
            result,
            InvokeResult::Done { .. } | InvokeResult::Changed { .. } | InvokeResult::Error { .. }
        );
        if has_failed || statements.is_empty() {
            return result.into();
        }
        match statements.iter().find_map(Statement::problem) {
            Some(problem) => InvokeResult::Failed { message: problem.into() }.into(),
            None => Self { result, statements },
        }
    }

    pub fn event(self, call: CallId) -> Event {
        Event::Invoked { call, result: self.result, statements: self.statements }
    }
}

impl From<InvokeResult> for Called {
    fn from(result: InvokeResult) -> Self {
        Self { result, statements: Vec::new() }
    }
}

impl Callees {
    /// Whether the call is one of code that the application has registered.
    pub fn is_of_application(invoke: &Invoke) -> bool {
        match invoke.callee {
            Callee::Delegate { .. } | Callee::Bean { .. } | Callee::Builtin { .. } => true,
            Callee::Program { .. } | Callee::Resource { .. } | Callee::Decision(_) => false,
        }
    }

    /// The future of one call. It is polled where it may take its time. Each kind has a box of its
    /// own size: that of a delegate is small, and there is one for every step.
    pub fn call(&self, invoke: Invoke) -> BoxFuture<'static, Called> {
        match invoke.callee.clone() {
            // What the compatible systems bring along is a delegate under its name.
            Callee::Delegate { name, fields } | Callee::Builtin { kind: name, fields } => {
                Box::pin(call_delegate(&self.registry, name, fields, invoke))
            }
            Callee::Bean { bean, method, arguments } => {
                Box::pin(call_bean(&self.registry, bean, method, arguments, invoke))
            }
            callee => Box::pin(self.of_model(callee, invoke).map(Called::from)),
        }
    }

    /// Code of the model.
    fn of_model(
        &self,
        callee: Callee,
        invoke: Invoke,
    ) -> impl Future<Output = InvokeResult> + Send + 'static {
        let (programs, definitions) = (self.programs.clone(), self.definitions.clone());
        let (decisions, meters) = (self.decisions.clone(), self.meters.clone());
        async move {
            let (program, result_variable) = match callee {
                Callee::Program { program, result_variable } => (Ok(program), result_variable),
                Callee::Resource { resource, name, result_variable } => {
                    let program = resource::program(&definitions, &resource, &name, &invoke).await;
                    (program.map(Arc::new), result_variable)
                }
                Callee::Decision(call) => {
                    return decision::ask(&decisions, &definitions, &meters, &call, &invoke).await;
                }
                Callee::Delegate { .. } | Callee::Bean { .. } | Callee::Builtin { .. } => {
                    (Err("this is code of the application".to_owned()), None)
                }
            };
            match (program, definitions.get(invoke.definition).await) {
                (Ok(program), Ok(known)) => {
                    programs.run(&program, result_variable, &invoke, &known.process).await
                }
                (Err(message), _) => InvokeResult::Failed { message: message.into() },
                (_, Err(error)) => InvokeResult::Failed { message: error.to_string().into() },
            }
        }
    }
}
