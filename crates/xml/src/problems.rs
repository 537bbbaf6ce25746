use std::fmt;

/// More problems than anyone reads at once; the rest is counted.
pub const DIAGNOSTICS_MAX: usize = 1_000;
/// Messages quote the file, which may hold megabytes in one attribute.
pub const MESSAGE_CHARS_MAX: usize = 500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The file cannot be deployed.
    Error,
    /// The file can be deployed; something in it is probably not what its author meant, or is an
    /// error once it is used.
    Warning,
    /// The file is as it should be, and could be better.
    Advice,
}

/// One thing that is wrong with a file.
pub trait Problem {
    /// What problems are sorted by.
    type Place: Copy + Default + Ord;

    fn severity(&self) -> Severity;
    fn place(&self) -> Self::Place;
    fn message_mut(&mut self) -> &mut String;

    /// One that is about the file as a whole.
    fn of_file(severity: Severity, place: Self::Place, code: &'static str, message: String)
    -> Self;
}

/// Gathers problems up to the limit and never forgets that there was an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems<P> {
    list: Vec<P>,
    errors: usize,
    dropped: usize,
    dropped_errors: usize,
}

impl<P: Problem> Problems<P> {
    pub fn push(&mut self, mut problem: P) {
        let is_error = problem.severity() == Severity::Error;
        self.errors += usize::from(is_error);
        if self.list.len() >= DIAGNOSTICS_MAX {
            self.dropped += 1;
            self.dropped_errors += usize::from(is_error);
            return;
        }
        let message = problem.message_mut();
        if let Some((cut, _)) = message.char_indices().nth(MESSAGE_CHARS_MAX) {
            message.truncate(cut);
            message.push('…');
        }
        self.list.push(problem);
    }

    /// Those beyond the limit included.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// All of them in the order of their places, with a marker for what was dropped.
    pub fn finish(mut self) -> Vec<P> {
        self.list.sort_by_key(P::place);
        if self.dropped > 0 {
            let severity = match self.dropped_errors {
                0 => Severity::Warning,
                _ => Severity::Error,
            };
            let place = self.list.last().map(P::place).unwrap_or_default();
            let message = format!("{} more problems are not listed", self.dropped);
            self.list.push(P::of_file(severity, place, "too-many-diagnostics", message));
        }
        self.list
    }
}

impl<P> Default for Problems<P> {
    fn default() -> Self {
        Self { list: Vec::new(), errors: 0, dropped: 0, dropped_errors: 0 }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Advice => "advice",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Line(Severity, usize, String);

    impl Problem for Line {
        type Place = usize;

        fn severity(&self) -> Severity {
            self.0
        }

        fn place(&self) -> usize {
            self.1
        }

        fn message_mut(&mut self) -> &mut String {
            &mut self.2
        }

        fn of_file(severity: Severity, line: usize, code: &'static str, message: String) -> Self {
            Self(severity, line, format!("{message} [{code}]"))
        }
    }

    #[test]
    fn an_error_beyond_the_limit_is_still_an_error() {
        let mut problems = Problems::default();
        for line in (0..DIAGNOSTICS_MAX).rev() {
            problems.push(Line(Severity::Warning, line, "m".repeat(600)));
        }
        problems.push(Line(Severity::Error, 1, String::new()));
        assert_eq!(problems.error_count(), 1);
        let list = problems.finish();
        assert_eq!(list.len(), DIAGNOSTICS_MAX + 1);
        assert!(list[..DIAGNOSTICS_MAX].is_sorted_by_key(Problem::place));
        let last = list.last().expect("the marker");
        assert_eq!(last.0, Severity::Error);
        assert_eq!(last.1, DIAGNOSTICS_MAX - 1);
        assert_eq!(last.2, "1 more problems are not listed [too-many-diagnostics]");
    }

    #[test]
    fn long_messages_are_cut_at_characters() {
        let mut problems = Problems::default();
        problems.push(Line(Severity::Error, 1, "é".repeat(600)));
        assert_eq!(problems.finish()[0].2.chars().count(), MESSAGE_CHARS_MAX + 1);
    }
}
