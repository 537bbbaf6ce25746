use std::fmt;
use std::sync::Arc;

use crate::expression::TOKENS_MAX;

/// Why a text is no expression, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}, at offset {offset}")]
pub struct ParseError {
    pub message: String,
    /// Bytes from the start of the text that was given.
    pub offset: usize,
}

impl ParseError {
    pub(crate) fn new(message: impl Into<String>, offset: usize) -> Self {
        Self { message: message.into(), offset }
    }

    #[cold]
    pub(crate) fn too_many_tokens(offset: usize) -> Self {
        Self::new(format!("the expression has more than {TOKENS_MAX} words and signs"), offset)
    }

    pub(crate) fn unsupported(what: impl fmt::Display, offset: usize) -> Self {
        Self::new(format!("{what} is not supported"), offset)
    }
}

/// Why an expression has no value. FEEL knows no failure but an exhausted budget; everything else
/// is null there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    #[error("unknown property used in expression: there is no variable '{name}'")]
    UnknownName { name: Arc<str>, offset: usize },
    #[error("unknown property used in expression: a {holder} has no property '{property}'")]
    UnknownProperty { property: String, holder: &'static str, offset: usize },
    #[error("{receiver} has no method '{method}' with {arguments} arguments that may be called")]
    UnknownMethod { method: String, receiver: String, arguments: usize, offset: usize },
    /// Operands that cannot be brought to one type, or have no result.
    #[error("{message}")]
    Operands { message: String, offset: usize },
    #[error("the expression needs more than {allowed} {limit}")]
    Budget { limit: Limit, allowed: usize, offset: usize },
}

/// Which part of a [`Budget`](crate::Budget) was exhausted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Depth,
    Steps,
    ResultBytes,
}

impl EvalError {
    pub fn message(&self) -> String {
        self.to_string()
    }

    /// Bytes from the start of the text that was parsed.
    pub fn offset(&self) -> usize {
        match self {
            Self::UnknownName { offset, .. }
            | Self::UnknownProperty { offset, .. }
            | Self::UnknownMethod { offset, .. }
            | Self::Operands { offset, .. }
            | Self::Budget { offset, .. } => *offset,
        }
    }

    pub(crate) fn operands(message: impl Into<String>, offset: usize) -> Self {
        Self::Operands { message: message.into(), offset }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Depth => "levels of nesting",
            Self::Steps => "steps",
            Self::ResultBytes => "bytes for its result",
        })
    }
}
