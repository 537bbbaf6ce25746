//! What is wrong with a file, where, and under which stable code.

use std::fmt;
use std::sync::Arc;

use orloj_xml::{Position, Refusal};

/// More problems than anyone reads at once; the rest is counted.
pub const DIAGNOSTICS_MAX: usize = 1_000;
/// Messages quote the file, which may hold megabytes in one attribute.
pub const MESSAGE_CHARS_MAX: usize = 500;

/// One problem of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    /// Which of the files that were given together; 0 is the main one.
    pub file: usize,
    pub position: Position,
    /// The decision, knowledge model, service or type it belongs to.
    pub element: Option<Arc<str>>,
    /// Stable, in kebab case.
    pub code: &'static str,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The file cannot be deployed.
    Error,
    /// The file can be deployed; something in it is probably not what its author meant, or is an
    /// error once it is evaluated.
    Warning,
}

/// All problems of the files, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
    dropped: usize,
    dropped_errors: usize,
}

impl Diagnostics {
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    pub(crate) fn push(&mut self, mut diagnostic: Diagnostic) {
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

    pub(crate) fn refuse(&mut self, file: usize, refusal: Refusal) {
        self.push(Diagnostic {
            severity: Severity::Error,
            file,
            position: refusal.position,
            element: None,
            code: refusal.code,
            message: refusal.message,
        });
    }

    /// In the order of the files, with a marker for what was dropped.
    pub(crate) fn finish(mut self) -> Self {
        self.list.sort_by_key(|diagnostic| (diagnostic.file, diagnostic.position));
        if self.dropped > 0 {
            let (file, position) =
                self.list.last().map(|last| (last.file, last.position)).unwrap_or_default();
            self.list.push(Diagnostic {
                severity: match self.dropped_errors {
                    0 => Severity::Warning,
                    _ => Severity::Error,
                },
                file,
                position,
                element: None,
                code: "too-many-diagnostics",
                message: format!("{} more problems are not listed", self.dropped),
            });
        }
        self
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
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

/// One line each.
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, diagnostic) in self.list.iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_beyond_the_limit_is_still_an_error() {
        let problem = |severity, line| Diagnostic {
            severity,
            file: 0,
            position: Position { line, column: 1 },
            element: None,
            code: "a-code",
            message: "m".repeat(600),
        };
        let mut diagnostics = Diagnostics::default();
        for line in 0..DIAGNOSTICS_MAX as u32 {
            diagnostics.push(problem(Severity::Warning, line));
        }
        diagnostics.push(problem(Severity::Error, 1));
        let diagnostics = diagnostics.finish();
        assert!(diagnostics.has_errors());
        let last = diagnostics.iter().last().expect("the marker");
        assert_eq!((last.severity, last.code), (Severity::Error, "too-many-diagnostics"));
        assert_eq!(diagnostics.iter().count(), DIAGNOSTICS_MAX + 1);
    }
}
