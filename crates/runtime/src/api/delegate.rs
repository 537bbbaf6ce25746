//! Foreign code: delegates that an application registers by name.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use orloj_store::Statement;
use orloj_types::{Document, ElementId, InstanceKey, TenantId, Timestamp, Value};

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
    /// What the model injects.
    pub fields: Vec<(Arc<str>, Value)>,
    /// The word for what a listener is called for, such as `start`.
    pub event: Option<&'static str>,
    /// When the step is made, by the engine's clock.
    pub now: Timestamp,
    pub attached: Attached,
}

impl Default for Call {
    /// Of nowhere, for tests of delegates.
    fn default() -> Self {
        Self {
            delegate: "".into(),
            instance: InstanceKey::default(),
            element: ElementId::new(""),
            tenant: TenantId::none(),
            business_key: None,
            variables: Document::new(),
            fields: Vec::new(),
            event: None,
            now: Timestamp::ZERO,
            attached: Attached::default(),
        }
    }
}

impl Call {
    /// An injected field.
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.fields.iter().find(|(known, _)| **known == *name).map(|(_, value)| value)
    }

    /// The statement is run in the transaction that commits the step, after the engine's own. If it
    /// fails, the step is undone and counts as failed, which costs a retry. If the step is undone
    /// for another reason, the statement is never run.
    ///
    /// A step with statements is committed by itself: it costs a transaction of its own.
    pub fn attach(&self, statement: Statement) {
        self.attached.lock().push(statement);
    }
}

/// Statements that a call has attached; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Attached(Arc<Mutex<Vec<Statement>>>);

impl Attached {
    pub(crate) fn take(&self) -> Vec<Statement> {
        std::mem::take(&mut self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Statement>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Variables to set, or what went wrong.
pub type DelegateResult = Result<Document, Fault>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The job fails and is tried again while it has retries left.
    #[error("{0}")]
    Failed(String),
    /// As `Failed`, with more to tell.
    #[error("{message}")]
    Detailed {
        message: String,
        /// More than a line, such as a stack trace; kept with the job.
        details: Option<String>,
        /// Another try would come to the same: the job is given up at once.
        is_final: bool,
    },
    /// A BPMN error, for the catch events of the model.
    #[error("error {code}: {message}")]
    Error { code: String, message: String, variables: Document },
}

impl Fault {
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    /// The job is given up at once, whatever retries it has.
    pub fn give_up(message: impl Into<String>) -> Self {
        Self::Detailed { message: message.into(), details: None, is_final: true }
    }

    pub fn error(code: impl Into<String>) -> Self {
        Self::Error { code: code.into(), message: String::new(), variables: Document::new() }
    }

    /// More than a line, such as a stack trace. A BPMN error has none.
    pub fn with_details(self, details: impl Into<String>) -> Self {
        let details = Some(details.into());
        match self {
            Self::Failed(message) => Self::Detailed { message, details, is_final: false },
            Self::Detailed { message, is_final, .. } => {
                Self::Detailed { message, details, is_final }
            }
            error @ Self::Error { .. } => error,
        }
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
