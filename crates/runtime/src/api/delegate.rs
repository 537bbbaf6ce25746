//! Foreign code: delegates that an application registers by name.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use orloj_types::{Document, ElementId, InstanceKey, TenantId};

/// What a delegate is called with.
#[derive(Clone, Debug)]
pub struct Call {
    pub delegate: Arc<str>,
    pub instance: InstanceKey,
    pub element: ElementId,
    pub tenant: TenantId,
    pub business_key: Option<Arc<str>>,
    /// All variables visible to the element.
    pub variables: Document,
}

/// Variables to set, or what went wrong.
pub type DelegateResult = Result<Document, Fault>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The job fails and is tried again while it has retries left.
    #[error("{0}")]
    Failed(String),
    /// A BPMN error, for the catch events of the model.
    #[error("error {code}: {message}")]
    Error { code: String, message: String, variables: Document },
}

impl Fault {
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    pub fn error(code: impl Into<String>) -> Self {
        Self::Error { code: code.into(), message: String::new(), variables: Document::new() }
    }
}

/// Implemented by every `Fn(Call) -> impl Future<Output = DelegateResult>`.
pub trait Delegate: Send + Sync + 'static {
    fn call(&self, call: Call) -> Pin<Box<dyn Future<Output = DelegateResult> + Send>>;
}

impl<F, R> Delegate for F
where
    F: Fn(Call) -> R + Send + Sync + 'static,
    R: Future<Output = DelegateResult> + Send + 'static,
{
    fn call(&self, call: Call) -> Pin<Box<dyn Future<Output = DelegateResult> + Send>> {
        Box::pin(self(call))
    }
}
