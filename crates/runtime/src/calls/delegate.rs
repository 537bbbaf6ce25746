//! Delegates of the application.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use orloj_interpreter::{Invoke, InvokeResult};
use rustc_hash::FxHashMap;

use crate::api::{Call, Delegate, DelegateResult, Fault};

pub(crate) type Registry = FxHashMap<Arc<str>, Arc<dyn Delegate>>;

/// A panic of foreign code is a failure like any other.
pub(crate) fn call_delegate(
    delegates: &Registry,
    name: Arc<str>,
    invoke: Invoke,
) -> impl Future<Output = InvokeResult> + Send + 'static {
    let delegate = delegates.get(&name).cloned();
    async move {
        let Some(delegate) = delegate else {
            return InvokeResult::Failed { message: format!("no delegate '{name}'").into() };
        };
        let call = Call {
            delegate: name,
            instance: invoke.instance,
            element: invoke.element,
            tenant: invoke.tenant,
            business_key: invoke.business_key,
            variables: invoke.variables,
        };
        match AssertUnwindSafe(async { delegate.call(call).await }).catch_unwind().await {
            Ok(result) => invoke_result(result),
            Err(_) => InvokeResult::Failed { message: "the delegate panicked".into() },
        }
    }
}

pub(crate) fn invoke_result(result: DelegateResult) -> InvokeResult {
    match result {
        Ok(variables) if !variables.is_storable() => unstorable(),
        Ok(variables) => InvokeResult::Done { variables },
        Err(Fault::Failed(message)) => InvokeResult::Failed { message: storable(&message) },
        Err(Fault::Error { variables, .. }) if !variables.is_storable() => unstorable(),
        Err(Fault::Error { code, message, variables }) => {
            InvokeResult::Error { code: storable(&code), message: storable(&message), variables }
        }
    }
}

/// What no store can keep is a failure of the code that wants it kept.
pub(crate) fn storable_result(result: InvokeResult) -> InvokeResult {
    match result {
        InvokeResult::Done { variables } if !variables.is_storable() => unstorable(),
        InvokeResult::Changed { variables, locals, .. }
            if !(variables.is_storable() && locals.is_storable()) =>
        {
            unstorable()
        }
        InvokeResult::Error { variables, .. } if !variables.is_storable() => unstorable(),
        InvokeResult::Failed { message } => InvokeResult::Failed { message: storable(&message) },
        InvokeResult::Error { code, message, variables } => {
            InvokeResult::Error { code: storable(&code), message: storable(&message), variables }
        }
        result => result,
    }
}

fn unstorable() -> InvokeResult {
    let message = "a variable's name or text contains the character U+0000".into();
    InvokeResult::Failed { message }
}

/// Not every store takes U+0000 in a text.
fn storable(text: &str) -> Arc<str> {
    text.replace('\0', "\u{FFFD}").into()
}
