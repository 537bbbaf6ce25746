//! What the rules found.

use std::fmt::Display;

#[derive(Debug, Default)]
pub struct Findings {
    pub problems: Vec<String>,
    /// Said aloud, but no reason to fail.
    pub warnings: Vec<String>,
}

impl Findings {
    pub fn problem(&mut self, place: impl Display, text: impl Display) {
        self.problems.push(format!("{place}: {text}"));
    }

    pub fn warning(&mut self, place: impl Display, text: impl Display) {
        self.warnings.push(format!("{place}: {text}"));
    }
}
