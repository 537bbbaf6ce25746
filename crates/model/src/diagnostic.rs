//! What is wrong with a file, where, and under which stable code.

use std::collections::BTreeSet;
use std::fmt;

use orloj_types::ElementId;
use orloj_xml::{Position, Problem, Problems};

pub use orloj_xml::{DIAGNOSTICS_MAX, MESSAGE_CHARS_MAX, Severity};

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

/// `12:7: error: the message [the-code]`
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { line, column } = self.position;
        write!(f, "{line}:{column}: {}: {} [{}]", self.severity, self.message, self.code)
    }
}

impl Problem for Diagnostic {
    type Place = Position;

    fn severity(&self) -> Severity {
        self.severity
    }

    fn place(&self) -> Position {
        self.position
    }

    fn message_mut(&mut self) -> &mut String {
        &mut self.message
    }

    fn of_file(
        severity: Severity,
        position: Position,
        code: &'static str,
        message: String,
    ) -> Self {
        Self { severity, position, element: None, code, message }
    }
}

/// What reading has found so far.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    problems: Problems<Diagnostic>,
    /// Where errors are.
    places: BTreeSet<Position>,
    /// Errors are warnings: they come too late to refuse the file.
    tolerates: bool,
    /// The first error that was tolerated.
    tolerated: Option<Diagnostic>,
}

impl Diagnostics {
    pub fn push(&mut self, mut diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error {
            self.places.insert(diagnostic.position);
            if self.tolerates {
                diagnostic.severity = Severity::Warning;
                self.tolerated.get_or_insert_with(|| diagnostic.clone());
            }
        }
        self.problems.push(diagnostic);
    }

    /// From here on an error is a warning.
    pub fn tolerate(&mut self) {
        self.tolerates = true;
    }

    /// The first error that was made a warning.
    pub fn take_tolerated(&mut self) -> Option<Diagnostic> {
        self.tolerated.take()
    }

    pub fn has_error_at(&self, position: Position) -> bool {
        self.places.contains(&position)
    }

    pub fn error_count(&self) -> usize {
        self.problems.error_count()
    }

    /// All of them in the order of the file.
    pub fn finish(self) -> Vec<Diagnostic> {
        self.problems.finish()
    }
}
