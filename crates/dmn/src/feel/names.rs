use std::sync::Arc;

use orloj_expr as expr;

/// Names copied for inner scopes while files are read, which takes less than a second. Beyond it
/// inner names stay visible in what follows, which matters only for texts that could be read in
/// two ways.
const NAMES_COPIED_MAX: usize = 1_000_000;
/// Names in one scope, which inner scopes copy.
pub(crate) const NAMES_MAX: usize = 1_000;

/// The names that are in scope while a file is read.
pub(crate) struct Names {
    /// Never empty; each level holds what the ones before it hold.
    levels: Vec<expr::Names>,
    sizes: Vec<usize>,
    marks: Vec<usize>,
    copied: usize,
    has_dropped: bool,
}

impl Names {
    pub fn new(properties: &[Arc<str>]) -> Self {
        let mut names = Self {
            levels: vec![expr::Names::new()],
            sizes: vec![0],
            marks: Vec::new(),
            copied: 0,
            has_dropped: false,
        };
        for property in properties {
            names.add(property);
        }
        names
    }

    /// Whether there were more names than are looked for, which cannot be read as one then.
    pub fn has_dropped(&self) -> bool {
        self.has_dropped
    }

    pub fn add(&mut self, name: &str) {
        let top = self.levels.len() - 1;
        let size = self.sizes[top];
        if size >= NAMES_MAX {
            self.has_dropped |= !is_plain(name);
            return;
        }
        let is_marked = self.marks.last().is_some_and(|&mark| mark == self.levels.len());
        if is_marked && self.copied.saturating_add(size) <= NAMES_COPIED_MAX {
            self.copied += size;
            self.levels.push(self.levels[top].clone());
            self.sizes.push(size);
        }
        let top = self.levels.len() - 1;
        self.levels[top].add(name);
        self.sizes[top] += 1;
    }

    /// Names added from here on are forgotten by `reset`.
    pub fn mark(&mut self) -> usize {
        self.marks.push(self.levels.len());
        self.levels.len()
    }

    pub fn reset(&mut self, mark: usize) {
        self.marks.pop();
        self.levels.truncate(mark);
        self.sizes.truncate(mark);
    }

    pub(super) fn current(&self) -> &expr::Names {
        self.levels.last().expect("there is always one")
    }
}

/// A name that is read as one by everybody.
pub(crate) fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_forgotten_at_the_end_of_their_scope() {
        let mut names = Names::new(&[]);
        let outer = names.mark();
        names.add("a b");
        let inner = names.mark();
        names.add("c d");
        assert!(names.current().contains("a b") && names.current().contains("c d"));
        names.reset(inner);
        assert!(names.current().contains("a b") && !names.current().contains("c d"));
        names.reset(outer);
        assert!(!names.current().contains("a b"));
    }

    #[test]
    fn too_many_names_are_noticed() {
        let mut names = Names::new(&[]);
        for at in 0..NAMES_MAX {
            names.add(&format!("name {at}"));
        }
        names.add("plain");
        assert!(!names.has_dropped());
        names.add("one more");
        assert!(names.has_dropped());
    }
}
