//! What the rules found.

use std::fmt::Display;

#[derive(Debug, Default)]
pub struct Findings {
    pub problems: Vec<String>,
}

impl Findings {
    pub fn problem(&mut self, place: impl Display, text: impl Display) {
        self.problems.push(format!("{place}: {text}"));
    }
}
