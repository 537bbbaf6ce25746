//! Objects of an application whose methods expressions call: `${prices.of(item)}`.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use orloj_types::Value;

use super::delegate::{Call, Fault};

/// A method of a bean, as an expression calls it.
#[derive(Clone, Debug, Default)]
pub struct BeanCall {
    pub bean: Arc<str>,
    /// Reading a property `name` calls `getName`, then `isName`.
    pub method: Arc<str>,
    /// In order. `execution` and `task` come as these words, another bean as its name.
    pub arguments: Vec<Value>,
    /// Where it is called from: instance, element, variables.
    pub from: Call,
}

impl BeanCall {
    /// Null where the expression has given fewer.
    pub fn argument(&self, at: usize) -> &Value {
        self.arguments.get(at).unwrap_or(&Value::Null)
    }
}

/// What the method gives back, or what went wrong.
pub type BeanResult = Result<Value, Fault>;

/// Implemented by every `Fn(BeanCall) -> impl Future<Output = BeanResult>`.
pub trait Bean: Send + Sync + 'static {
    /// What it does not have is a property or method that the expression gets wrong.
    fn has(&self, _method: &str) -> bool {
        true
    }

    fn call(&self, call: BeanCall) -> Pin<Box<dyn Future<Output = BeanResult> + Send>>;
}

impl<F, R> Bean for F
where
    F: Fn(BeanCall) -> R + Send + Sync + 'static,
    R: Future<Output = BeanResult> + Send + 'static,
{
    fn call(&self, call: BeanCall) -> Pin<Box<dyn Future<Output = BeanResult> + Send>> {
        Box::pin(self(call))
    }
}
