use std::fmt;

/// Something written that cannot be used, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct Error {
    /// As the reader was told it: a dotted key, or a file with line and column.
    pub place: String,
    pub message: String,
}

impl Error {
    /// As one reads files, each from its top; what has no line comes before them, as it was found.
    pub fn in_order(mut errors: Vec<Self>) -> Vec<Self> {
        errors.sort_by(|one, other| one.line().cmp(&other.line()));
        errors
    }

    /// File, line and column, as far as the place has them.
    fn line(&self) -> Option<(&str, u32, u32)> {
        let (front, last) = self.place.rsplit_once(':')?;
        let last: u32 = last.parse().ok()?;
        let before =
            front.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
        Some(match before {
            Some((file, line)) => (file, line, last),
            None => (front, last, 0),
        })
    }
}

/// Something written that was understood but is not done as written, or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub severity: Severity,
    pub place: String,
    /// The property as its system calls it.
    pub property: String,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Accepted without effect; nothing is lost that Orloj could do.
    Note,
    /// The author asked for something that will not happen.
    Warning,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}: {}", self.place, self.severity, self.property, self.message)
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note => "note",
            Self::Warning => "warning",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_a_file_come_from_its_top() {
        let error = |place: &str| Error { place: place.to_owned(), message: String::new() };
        let places = ["b.toml:3", "a.xml:12:1", "hint", "executor.hint", "a.xml:9:10", "a.xml:9:2"];
        let sorted = Error::in_order(places.map(error).to_vec());
        let sorted: Vec<&str> = sorted.iter().map(|error| &*error.place).collect();
        let expected =
            ["hint", "executor.hint", "a.xml:9:2", "a.xml:9:10", "a.xml:12:1", "b.toml:3"];
        assert_eq!(sorted, expected);
    }
}
