//! What is wrong with a file, where, and under which stable code.

use std::fmt;

use orloj_types::ElementId;
use orloj_xml::Position;

/// More problems than anyone reads at once; the rest is counted.
pub const DIAGNOSTICS_MAX: usize = 1_000;
/// Messages quote the file, which may hold megabytes in one attribute.
pub const MESSAGE_CHARS_MAX: usize = 500;

/// One problem of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub position: Position,
    /// The element of the process it belongs to, where it has an id.
    pub element: Option<ElementId>,
    /// Stable, in kebab case.
    pub code: &'static str,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The file cannot be deployed.
    Error,
    /// The file can be deployed; something in it is probably not what its author meant.
    Warning,
}

/// `12:7: error: the message [the-code]`
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { line, column } = self.position;
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{line}:{column}: {severity}: {} [{}]", self.message, self.code)
    }
}

/// Gathers diagnostics up to the limit and never forgets that there was an error.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
    dropped: usize,
    dropped_errors: usize,
}

impl Diagnostics {
    pub fn push(&mut self, mut diagnostic: Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        self.errors += usize::from(is_error);
        if self.list.len() >= DIAGNOSTICS_MAX {
            self.dropped += 1;
            self.dropped_errors += usize::from(is_error);
            return;
        }
        if let Some((cut, _)) = diagnostic.message.char_indices().nth(MESSAGE_CHARS_MAX) {
            diagnostic.message.truncate(cut);
            diagnostic.message.push('…');
        }
        self.list.push(diagnostic);
    }

    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// All of them in the order of the file.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|diagnostic| diagnostic.position);
        if self.dropped > 0 {
            self.list.push(Diagnostic {
                severity: match self.dropped_errors {
                    0 => Severity::Warning,
                    _ => Severity::Error,
                },
                position: self.list.last().map(|last| last.position).unwrap_or_default(),
                element: None,
                code: "too-many-diagnostics",
                message: format!("{} more problems are not listed", self.dropped),
            });
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(severity: Severity, line: u32) -> Diagnostic {
        let position = Position { line, column: 1 };
        Diagnostic { severity, position, element: None, code: "a-code", message: "m".repeat(600) }
    }

    #[test]
    fn an_error_beyond_the_limit_is_still_an_error() {
        let mut diagnostics = Diagnostics::default();
        for line in 0..DIAGNOSTICS_MAX as u32 {
            diagnostics.push(problem(Severity::Warning, line));
        }
        diagnostics.push(problem(Severity::Error, 1));
        assert_eq!(diagnostics.error_count(), 1);
        let list = diagnostics.finish();
        assert_eq!(list.len(), DIAGNOSTICS_MAX + 1);
        let last = list.last().expect("the marker");
        assert_eq!((last.severity, last.code), (Severity::Error, "too-many-diagnostics"));
    }

    #[test]
    fn long_messages_are_cut_at_characters() {
        let mut diagnostics = Diagnostics::default();
        diagnostics.push(problem(Severity::Error, 1));
        assert_eq!(diagnostics.finish()[0].message.chars().count(), MESSAGE_CHARS_MAX + 1);
    }
}
