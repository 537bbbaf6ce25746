/// Why a text is no timer, and where.
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
}
