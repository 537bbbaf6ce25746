//! Who answers a call.

use std::sync::Arc;

use orloj_dmn::Model;
use orloj_interpreter::{Callee, DecisionCall, Delegates, Invoke, InvokeResult};
use orloj_model::Process;
use orloj_types::Document;

use super::mail;
use super::program::Programs;
use crate::run::Engine;
use crate::stubs::{Stub, Stubs};

pub(crate) struct Calls {
    engine: Engine,
    stubs: Arc<Stubs>,
    programs: Arc<Programs>,
}

/// The one thing that systems bring along and that is done here.
const MAIL: &str = "mail";

impl Calls {
    pub fn new(engine: Engine, stubs: Arc<Stubs>, programs: Arc<Programs>) -> Self {
        Self { engine, stubs, programs }
    }

    pub fn answer<'d>(
        &self,
        invoke: &Invoke,
        process: &Process,
        decision: impl FnOnce(&DecisionCall) -> Option<&'d Model>,
    ) -> InvokeResult {
        match &invoke.callee {
            Callee::Delegate { name, .. } => {
                self.stubbed(name, self.delegate(name), &invoke.variables)
            }
            Callee::Bean { bean, .. } => {
                let stub = self.stubs.bean(self.engine, bean);
                self.stubbed(bean, stub, &invoke.variables)
            }
            Callee::Program { program, result_variable } => {
                self.programs.run(program, result_variable.as_ref(), invoke, process)
            }
            // Only models are deployed here.
            Callee::Resource { name, .. } => {
                InvokeResult::NotFound { message: format!("there is no resource '{name}'").into() }
            }
            Callee::Decision(call) => match decision(call) {
                Some(model) => orloj_calls::answer_decision(model, call, invoke),
                None => {
                    let message = format!("no decision '{}' as it is bound", call.decision);
                    InvokeResult::NotFound { message: message.into() }
                }
            },
            Callee::Builtin { kind, fields } if **kind == *MAIL => {
                match mail::check(self.engine, fields, &invoke.variables) {
                    Ok(()) => InvokeResult::Done { variables: Document::new() },
                    Err(why) => InvokeResult::Failed { message: why.into() },
                }
            }
            Callee::Builtin { kind, .. } => {
                let message = format!("there is nothing here that does '{kind}'");
                InvokeResult::Failed { message: message.into() }
            }
        }
    }

    /// A class, or the bean that an expression named.
    fn delegate(&self, name: &str) -> Option<&Stub> {
        let class = self.stubs.class(self.engine, name);
        class.or_else(|| self.stubs.bean(self.engine, name))
    }

    fn stubbed(&self, name: &str, stub: Option<&Stub>, variables: &Document) -> InvokeResult {
        match stub {
            Some(stub) => stub.answer(variables),
            None => InvokeResult::NotFound { message: format!("there is no '{name}'").into() },
        }
    }
}

impl Delegates for Calls {
    /// Also where there is no stub: then calling it fails, as in a system without the class.
    fn knows(&self, _name: &str) -> bool {
        true
    }

    fn knows_bean(&self, name: &str) -> bool {
        self.stubs.bean(self.engine, name).is_some()
    }

    /// As in the recordings.
    fn bean_has_properties(&self, _name: &str) -> bool {
        self.engine != Engine::Flowable
    }
}
