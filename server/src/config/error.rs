use std::fmt;
use std::path::PathBuf;

use super::keys::{KEYS, Key};
use super::settings::TABLES;

/// A value that cannot be used, and where it was written.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct Error {
    pub place: Place,
    pub problem: Problem,
}

/// As the person wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    File(PathBuf),
    /// With the line, where the key or its table stands in the file.
    FileKey(PathBuf, Option<usize>, String),
    Variable(String),
    Flag(String),
    /// Nobody wrote it: a default does not fit this machine.
    Default(String),
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("cannot be read: {0}")]
    Unreadable(String),
    #[error("{0}")]
    Syntax(String),
    #[error("unknown key; there are {}", known())]
    Unknown,
    #[error("{0}")]
    Value(String),
}

impl Place {
    pub(super) fn line(&self) -> Option<usize> {
        match self {
            Self::FileKey(_, line, _) => *line,
            Self::File(_) | Self::Variable(_) | Self::Flag(_) | Self::Default(_) => None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::FileKey(path, Some(line), key) => write!(f, "{}:{line}: {key}", path.display()),
            Self::FileKey(path, None, key) => write!(f, "{}: {key}", path.display()),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(name) => f.write_str(name),
            Self::Default(key) if key.contains('.') => write!(f, "default of {key}"),
            Self::Default(key) => write!(f, "default of {}", Key::flag(key)),
        }
    }
}

fn known() -> String {
    let keys = KEYS.iter().map(|key| key.name);
    let tables = TABLES.iter().copied().filter(|table| Key::find(table).is_none());
    let lists = ["scripting", "transforms"];
    keys.chain(tables).chain(lists).collect::<Vec<_>>().join(", ")
}
