//! What is wrong with a file, where, and under which stable code.

use std::fmt;
use std::sync::Arc;

use orloj_xml::{Position, Problem, Refusal};

pub use orloj_xml::{DIAGNOSTICS_MAX, MESSAGE_CHARS_MAX, Severity};

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

/// What reading has found so far.
pub(crate) type Problems = orloj_xml::Problems<Diagnostic>;

/// All problems of the files, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
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
}

impl From<Problems> for Diagnostics {
    fn from(problems: Problems) -> Self {
        Self { errors: problems.error_count(), list: problems.finish() }
    }
}

impl Diagnostic {
    pub(crate) fn refusal(file: usize, refusal: Refusal) -> Self {
        let Refusal { position, code, message } = refusal;
        Self::of_file(Severity::Error, (file, position), code, message)
    }
}

impl Problem for Diagnostic {
    type Place = (usize, Position);

    fn severity(&self) -> Severity {
        self.severity
    }

    fn place(&self) -> Self::Place {
        (self.file, self.position)
    }

    fn message_mut(&mut self) -> &mut String {
        &mut self.message
    }

    fn of_file(
        severity: Severity,
        (file, position): Self::Place,
        code: &'static str,
        message: String,
    ) -> Self {
        Self { severity, file, position, element: None, code, message }
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
        write!(f, "{line}:{column}: {}: {} [{}]", self.severity, self.message, self.code)
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
