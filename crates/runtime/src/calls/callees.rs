//! Who answers a call.

use std::future::Future;
use std::sync::Arc;

use futures_util::future::Either;
use orloj_interpreter::{Callee, Invoke, InvokeResult};

use super::delegate::{Registry, call_delegate};
use super::program::Programs;
use super::{decision, resource};
use crate::decisions::Decisions;
use crate::definitions::Definitions;

pub(crate) struct Callees {
    pub delegates: Arc<Registry>,
    pub programs: Arc<Programs>,
    pub decisions: Arc<Decisions>,
    pub definitions: Arc<Definitions>,
}

impl Callees {
    /// The future of one call. It is polled where it may take its time.
    pub fn call(&self, invoke: Invoke) -> impl Future<Output = InvokeResult> + Send + 'static {
        match invoke.callee.clone() {
            // An object's methods are those of the delegate under its name, and so is what the
            // compatible systems bring along.
            Callee::Delegate { name, .. }
            | Callee::Bean { bean: name, .. }
            | Callee::Builtin { kind: name, .. } => {
                Either::Left(Either::Left(call_delegate(&self.delegates, name, invoke)))
            }
            Callee::Program { program, result_variable } => {
                let (programs, definitions) = (self.programs.clone(), self.definitions.clone());
                Either::Left(Either::Right(async move {
                    match definitions.get(invoke.definition).await {
                        Ok(known) => {
                            programs.run(&program, result_variable, &invoke, &known.process).await
                        }
                        Err(error) => InvokeResult::Failed { message: error.to_string().into() },
                    }
                }))
            }
            Callee::Resource { resource, name, result_variable } => {
                let (programs, definitions) = (self.programs.clone(), self.definitions.clone());
                Either::Right(Either::Left(async move {
                    let program = resource::program(&definitions, &resource, &name, &invoke).await;
                    match (program, definitions.get(invoke.definition).await) {
                        (Ok(program), Ok(known)) => {
                            programs.run(&program, result_variable, &invoke, &known.process).await
                        }
                        (Err(message), _) => InvokeResult::Failed { message: message.into() },
                        (_, Err(error)) => {
                            InvokeResult::Failed { message: error.to_string().into() }
                        }
                    }
                }))
            }
            Callee::Decision(call) => {
                let (decisions, definitions) = (self.decisions.clone(), self.definitions.clone());
                Either::Right(Either::Right(async move {
                    decision::ask(&decisions, &definitions, &call, &invoke).await
                }))
            }
        }
    }
}
