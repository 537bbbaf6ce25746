use orloj_groovy::{Effect, Position};
use orloj_types::Value;

/// What a run came to. Effects up to a failure are kept: a BPMN error is caught by the model, and
/// variables written before it stay written.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub result: Result<Value, Failure>,
    pub effects: Vec<Effect>,
    pub printed: Vec<String>,
    /// Lines that did not fit.
    pub printed_lost: usize,
}

impl Outcome {
    pub(crate) fn of(result: Result<Value, Failure>) -> Self {
        Self { result, effects: Vec::new(), printed: Vec::new(), printed_lost: 0 }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Thrown for the model to catch.
    #[error("BPMN error '{code}' thrown by a script")]
    BpmnError { code: String, message: Option<String>, position: Option<Position> },
    #[error("{class}: {message}")]
    Exception { class: String, message: String, position: Option<Position> },
    /// Not catchable by the model: the transaction is rolled back.
    #[error("{message}")]
    Limit { limit: Limit, message: String, position: Option<Position> },
    /// The script could not be run; trying again may help.
    #[error("the script host failed: {message}")]
    Host { message: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Time,
    Memory,
    Stack,
    Instructions,
    AnswerSize,
}

/// Why a text is no script, found without running it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Diagnostic {
    #[error("{message}, at {position}")]
    Refused {
        message: String,
        position: Position,
        /// Valid in its language, but outside of what runs here.
        unsupported: bool,
    },
    #[error("the script could not be checked: {message}")]
    Host { message: String },
}
