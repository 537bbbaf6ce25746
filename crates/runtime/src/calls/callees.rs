//! Who answers a call.

use std::future::Future;
use std::sync::Arc;

use futures_util::future::Either;
use orloj_interpreter::{Callee, Invoke, InvokeResult};

use super::decision;
use super::delegate::{Registry, call_delegate};
use super::program::Programs;
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
            Callee::Delegate(name) => {
                Either::Left(Either::Left(call_delegate(&self.delegates, name, invoke)))
            }
            Callee::Program { program, result_variable } => {
                let programs = self.programs.clone();
                Either::Left(Either::Right(async move {
                    programs.run(&program, result_variable, &invoke).await
                }))
            }
            Callee::Decision(call) => {
                let (decisions, definitions) = (self.decisions.clone(), self.definitions.clone());
                Either::Right(async move {
                    decision::ask(&decisions, &definitions, &call, &invoke).await
                })
            }
        }
    }
}
