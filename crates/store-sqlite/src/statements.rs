//! Statements of the application.

use orloj_store::{Parameter, Statement};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, Result, ToSql, types::ToSqlOutput};

/// Runs one. Rows that it gives are read to the end and dropped.
pub(crate) fn run(connection: &Connection, statement: &Statement) -> Result<()> {
    if let Some(problem) = statement.problem() {
        return Err(Error::ToSqlConversionFailure(problem.into()));
    }
    let mut prepared = connection.prepare_cached(&statement.sql)?;
    let places = prepared.parameter_count();
    let mut used = 0;
    for place in 1..=places {
        let number = match prepared.parameter_name(place) {
            // `$2` is a name to SQLite, which it counts by its first appearance.
            Some(name) => name[1..].parse::<usize>().ok(),
            None => Some(place),
        };
        let number = number.filter(|number| (1..=statement.parameters.len()).contains(number));
        let Some(number) = number else {
            return Err(Error::InvalidParameterCount(statement.parameters.len(), places));
        };
        used = used.max(number);
        prepared.raw_bind_parameter(place, Bound(&statement.parameters[number - 1]))?;
    }
    if used < statement.parameters.len() {
        return Err(Error::InvalidParameterCount(statement.parameters.len(), used));
    }
    let mut rows = prepared.raw_query();
    while rows.next()?.is_some() {}
    Ok(())
}

struct Bound<'a>(&'a Parameter);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        let value = match self.0 {
            Parameter::Null => ValueRef::Null,
            Parameter::Bool(value) => ValueRef::Integer(i64::from(*value)),
            Parameter::Int(value) => ValueRef::Integer(*value),
            Parameter::Real(value) => ValueRef::Real(*value),
            Parameter::Text(value) => ValueRef::Text(value.as_bytes()),
            Parameter::Bytes(value) => ValueRef::Blob(value),
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}
