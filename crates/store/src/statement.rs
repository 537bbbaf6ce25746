//! Statements of an application that commit with a step of an instance.

use std::sync::Arc;

/// One SQL statement, for the store in use. Parameters are `$1`, `$2` … in every store.
///
/// Only what reads or writes rows is taken: a transaction belongs to the engine, and a change of
/// tables would hold up every other step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    pub sql: Arc<str>,
    pub parameters: Vec<Parameter>,
}

/// The words that a statement may begin with.
const VERBS: [&str; 7] = ["insert", "update", "delete", "merge", "replace", "with", "select"];

/// Longest text of a statement.
pub const STATEMENT_CHARS_MAX: usize = 64 << 10;
/// Most parameters of one: what every store can count.
pub const STATEMENT_PARAMETERS_MAX: usize = 1_000;

impl Statement {
    pub fn new(sql: impl Into<Arc<str>>) -> Self {
        Self { sql: sql.into(), parameters: Vec::new() }
    }

    /// The value of the next parameter.
    pub fn bind(mut self, value: impl Into<Parameter>) -> Self {
        self.parameters.push(value.into());
        self
    }

    /// Why no store would take it.
    pub fn problem(&self) -> Option<String> {
        if self.sql.len() > STATEMENT_CHARS_MAX {
            return Some(format!("a statement is longer than {STATEMENT_CHARS_MAX} bytes"));
        }
        if self.parameters.len() > STATEMENT_PARAMETERS_MAX {
            return Some(format!(
                "a statement has more than {STATEMENT_PARAMETERS_MAX} parameters"
            ));
        }
        let has_null = |parameter: &Parameter| match parameter {
            Parameter::Text(text) => text.contains('\0'),
            _ => false,
        };
        if self.sql.contains('\0') || self.parameters.iter().any(has_null) {
            return Some("a statement contains the character U+0000".to_owned());
        }
        let verb: String =
            self.sql.trim_start().chars().take_while(char::is_ascii_alphabetic).collect();
        if VERBS.contains(&&*verb.to_ascii_lowercase()) {
            return None;
        }
        let excerpt: String = self.sql.trim_start().chars().take(40).collect();
        Some(format!("a statement must begin with one of {}: {excerpt}", VERBS.join(", ")))
    }
}

/// A typed value. Where a column has a type that it does not become by itself, the statement says
/// so: `$1::jsonb`.
#[derive(Clone, Debug)]
pub enum Parameter {
    Null,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(Arc<str>),
    Bytes(Arc<[u8]>),
}

/// Numbers are the same when their bits are: a change is compared with itself, never computed with.
impl PartialEq for Parameter {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            (Self::Int(one), Self::Int(other)) => one == other,
            (Self::Real(one), Self::Real(other)) => one.to_bits() == other.to_bits(),
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::Bytes(one), Self::Bytes(other)) => one == other,
            _ => false,
        }
    }
}

impl Eq for Parameter {}

impl From<bool> for Parameter {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i32> for Parameter {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}

impl From<i64> for Parameter {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<f64> for Parameter {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<&str> for Parameter {
    fn from(value: &str) -> Self {
        Self::Text(value.into())
    }
}

impl From<String> for Parameter {
    fn from(value: String) -> Self {
        Self::Text(value.into())
    }
}

impl From<Arc<str>> for Parameter {
    fn from(value: Arc<str>) -> Self {
        Self::Text(value)
    }
}

impl From<&[u8]> for Parameter {
    fn from(value: &[u8]) -> Self {
        Self::Bytes(value.into())
    }
}

impl From<Vec<u8>> for Parameter {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(value.into())
    }
}

impl<T: Into<Parameter>> From<Option<T>> for Parameter {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_reads_or_writes_rows_and_nothing_else() {
        for sql in
            ["INSERT INTO t VALUES ($1)", "  with x as (select 1) delete from t", "Select f()"]
        {
            assert_eq!(Statement::new(sql).problem(), None, "{sql}");
        }
        for sql in ["COMMIT", "begin", "DROP TABLE t", "", "-- x\nROLLBACK", "PRAGMA x", "insert\0"]
        {
            assert!(Statement::new(sql).problem().is_some(), "{sql}");
        }
        let text = Statement::new("select $1").bind("a\0");
        assert!(text.problem().is_some());
    }
}
