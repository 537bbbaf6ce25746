//! Why a rule could not do its work.

use std::sync::Arc;

use orloj_types::ElementId;

use crate::command::Rejection;
use crate::foreign::ThrownByCode;
use crate::invoke::Yield;

/// What the failures of one step come to: an incident on the element, a failed job or a refused
/// command. Which of them is the process's own choice, made by whoever runs the step.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) element: ElementId,
    pub(crate) kind: FailureKind,
    pub(crate) message: Arc<str>,
    /// Nothing has failed: the step is repeated when this is answered.
    pub(crate) needs: Option<Box<Yield>>,
    /// Code threw a BPMN error, which the model may catch.
    pub(crate) thrown: Option<Box<ThrownByCode>>,
    pub(crate) fault: Option<Box<Fault>>,
}

/// What foreign code told of its failure besides the message.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) details: Option<Arc<str>>,
    /// Another try would come to the same.
    pub(crate) is_final: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// An expression failed or gave a value of the wrong type.
    ExtractValue,
    /// The same, because of a variable or property that is not there.
    UnknownName,
    /// No outgoing flow could be chosen.
    Condition,
    IoMapping,
    /// A decision that is not deployed.
    DecisionMissing,
    /// A decision that could not be made.
    Decision,
    /// Foreign code failed, or threw an error that the model does not catch.
    Foreign,
    /// An error that nothing catches.
    Uncaught,
    /// A called process that is not deployed.
    CalledMissing,
    /// A form that is not deployed.
    FormMissing,
    /// A file that a job refers to and that is not deployed.
    ResourceMissing,
    /// The caller of an instance cannot go on.
    CallerSuspended,
    TooManyVisits {
        limit: u32,
    },
}

impl FailureKind {
    /// Whether the model's author can repair it while the token waits on the element. Foreign
    /// code has its own way: the job that ran it is tried again.
    pub(crate) fn can_wait_as_incident(self) -> bool {
        !matches!(self, Self::Foreign | Self::CallerSuspended | Self::TooManyVisits { .. })
    }
}

impl Failure {
    pub(crate) fn new(
        element: &ElementId,
        kind: FailureKind,
        message: impl Into<Arc<str>>,
    ) -> Self {
        Self {
            element: element.clone(),
            kind,
            message: message.into(),
            needs: None,
            thrown: None,
            fault: None,
        }
    }

    /// Something from outside is needed before the step can be done.
    pub(crate) fn needs(element: &ElementId, needs: Yield) -> Self {
        let needs = Some(Box::new(needs));
        Self { needs, ..Self::new(element, FailureKind::Foreign, "") }
    }

    pub(crate) fn thrown(element: &ElementId, thrown: ThrownByCode) -> Self {
        let message = format!("no event catches the error '{}': {}", thrown.code, thrown.message);
        let thrown = Some(Box::new(thrown));
        Self { thrown, ..Self::new(element, FailureKind::Uncaught, message) }
    }

    pub(crate) fn rejection(self) -> Rejection {
        match self.kind {
            FailureKind::TooManyVisits { limit } => Rejection::TooManyVisits { limit },
            _ => Rejection::Failed { element: self.element.as_str().into(), message: self.message },
        }
    }
}

/// Why a command came to its end early.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    Rejected(Rejection),
    Failed(Failure),
}

impl From<Rejection> for Stop {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

pub(crate) type Ruled<T = ()> = Result<T, Failure>;
