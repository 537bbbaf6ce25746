use std::fmt;

/// A place in a script: both count from one, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

impl Position {
    pub fn of(source: &str, offset: usize) -> Self {
        let mut offset = offset.min(source.len());
        while !source.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &source[..offset];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a text cannot run as a script, and where. Found without running it, so that a deployment
/// can be refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}, at {position}")]
pub struct Diagnostic {
    pub kind: DiagnosticKind,
    pub message: String,
    pub position: Position,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagnosticKind {
    /// No Groovy compiler takes it either.
    Syntax,
    /// Groovy, but outside of what runs here.
    Unsupported,
}

/// A diagnostic before its offset was turned into a position.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) kind: DiagnosticKind,
    pub(crate) message: String,
    pub(crate) at: u32,
}

impl Fault {
    pub(crate) fn syntax(message: impl Into<String>, at: u32) -> Self {
        Self { kind: DiagnosticKind::Syntax, message: message.into(), at }
    }

    pub(crate) fn unsupported(message: impl Into<String>, at: u32) -> Self {
        Self { kind: DiagnosticKind::Unsupported, message: message.into(), at }
    }

    pub(crate) fn locate(self, source: &str) -> Diagnostic {
        Diagnostic {
            kind: self.kind,
            message: self.message,
            position: Position::of(source, self.at as usize),
        }
    }
}
