use std::fmt;

use super::ast::Story;
use super::seen::Seen;

/// A story that did not go as told.
#[derive(Clone, Debug)]
pub struct Mismatch {
    story: Story,
    depth: String,
    /// Counted from 0 within the story.
    line: usize,
    message: String,
    seen: Seen,
}

impl Mismatch {
    pub(super) fn new(story: &Story, line: usize, message: String, seen: Seen) -> Self {
        Self { story: story.clone(), depth: String::new(), line, message, seen }
    }

    /// Says at which depth it happened.
    pub fn at(mut self, depth: &str) -> Self {
        depth.clone_into(&mut self.depth);
        self
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the story did not go as told ({}):\n", self.depth)?;
        for (number, line) in self.story.lines.iter().enumerate() {
            let mark = if number == self.line { ">>>" } else { "   " };
            writeln!(f, "{mark} {:>4}  {line}", self.story.first_line + number)?;
        }
        writeln!(f, "\n{}\n\nseen:", self.message)?;
        write!(f, "{}", self.seen)
    }
}
