//! Delegates of the application.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::Either;
use orloj_interpreter::{Invoke, InvokeResult, VariableEdit};
use orloj_types::{Document, StoredValue, Value};

use super::callees::Called;
use super::registry::Registry;
use crate::api::{Attached, BeanCall, BeanResult, Call, DelegateResult, Fault};

/// A panic of foreign code is a failure like any other.
pub(super) fn call_delegate(
    registry: &Registry,
    name: Arc<str>,
    fields: Vec<(Arc<str>, Value)>,
    invoke: Invoke,
) -> impl Future<Output = Called> + Send + 'static {
    let delegate = registry.delegates.get(&name).cloned();
    async move {
        let Some(delegate) = delegate else {
            return failed(&format!("no delegate '{name}'")).into();
        };
        let attached = Attached::default();
        let call = Call { attached: attached.clone(), fields, ..call_of(name, invoke) };
        let result = AssertUnwindSafe(async { delegate.call(call).await }).catch_unwind().await;
        let result = result.map_or_else(|_| failed("the delegate panicked"), invoke_result);
        Called::with(result, attached.take())
    }
}

/// A method of a bean. Those of a delegate are the delegate itself.
pub(super) fn call_bean(
    registry: &Registry,
    bean: Arc<str>,
    method: Arc<str>,
    arguments: Vec<Value>,
    invoke: Invoke,
) -> impl Future<Output = Called> + Send + 'static {
    match registry.beans.get(&bean).cloned() {
        None => Either::Left(call_delegate(registry, bean, Vec::new(), invoke)),
        Some(found) => Either::Right(async move {
            let attached = Attached::default();
            let from = Call { attached: attached.clone(), ..call_of(bean.clone(), invoke) };
            let call = BeanCall { bean, method, arguments, from };
            let result = AssertUnwindSafe(async { found.call(call).await }).catch_unwind().await;
            let result = result.map_or_else(|_| failed("the bean panicked"), value_result);
            Called::with(result, attached.take())
        }),
    }
}

fn call_of(name: Arc<str>, invoke: Invoke) -> Call {
    Call {
        delegate: name,
        instance: invoke.instance,
        element: invoke.element,
        tenant: invoke.tenant,
        business_key: invoke.business_key,
        variables: invoke.variables,
        event: invoke.event,
        now: invoke.now,
        ..Call::default()
    }
}

fn failed(message: &str) -> InvokeResult {
    InvokeResult::Failed { message: message.into() }
}

fn value_result(result: BeanResult) -> InvokeResult {
    match result {
        Ok(value) => {
            InvokeResult::Changed { edits: Vec::new(), business_key: None, task: Vec::new(), value }
        }
        Err(fault) => invoke_result(Err(fault)),
    }
}

fn invoke_result(result: DelegateResult) -> InvokeResult {
    match result {
        Ok(variables) if !variables.is_storable() => unstorable(),
        Ok(variables) => InvokeResult::Done { variables },
        Err(Fault::Failed(message)) => InvokeResult::Failed { message: storable(&message) },
        Err(Fault::Detailed { message, details, is_final }) => InvokeResult::Faulted {
            message: storable(&message),
            details: details.map(|details| storable(&details)),
            is_final,
        },
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
        InvokeResult::Changed { edits, .. } if !edits.iter().all(is_storable) => unstorable(),
        InvokeResult::Changed { edits, business_key: Some(Some(key)), task, value } => {
            let business_key = Some(Some(storable(&key)));
            InvokeResult::Changed { edits, business_key, task, value }
        }
        InvokeResult::Error { variables, .. } if !variables.is_storable() => unstorable(),
        InvokeResult::Failed { message } => InvokeResult::Failed { message: storable(&message) },
        InvokeResult::Error { code, message, variables } => {
            InvokeResult::Error { code: storable(&code), message: storable(&message), variables }
        }
        result => result,
    }
}

fn is_storable(edit: &VariableEdit) -> bool {
    let mut alone = Document::new();
    alone.insert(edit.name.clone(), edit.value.clone().unwrap_or_else(StoredValue::null));
    alone.is_storable()
}

fn unstorable() -> InvokeResult {
    let message = "a variable's name or text contains the character U+0000".into();
    InvokeResult::Failed { message }
}

/// Not every store takes U+0000 in a text.
fn storable(text: &str) -> Arc<str> {
    text.replace('\0', "\u{FFFD}").into()
}
