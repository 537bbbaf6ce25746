//! Statements of the application.

use orloj_store::{Parameter, Statement};
use tokio_postgres::types::{ToSql, Type};

use crate::connection::Connection;

pub(crate) enum Failed {
    /// It was not sent.
    Refused(String),
    Server(tokio_postgres::Error),
}

/// Runs one, in the transaction under way.
pub(crate) async fn run(connection: &Connection, statement: &Statement) -> Result<(), Failed> {
    if let Some(problem) = statement.problem() {
        return Err(Failed::Refused(problem));
    }
    let values: Vec<(Value<'_>, Type)> = statement.parameters.iter().map(value).collect();
    let params: Vec<(&(dyn ToSql + Sync), Type)> = values
        .iter()
        .map(|(value, kind)| {
            let value: &(dyn ToSql + Sync) = &**value;
            (value, kind.clone())
        })
        .collect();
    let rows = connection.query_typed(&statement.sql, &params).await;
    rows.map(drop).map_err(Failed::Server)
}

type Value<'a> = Box<dyn ToSql + Send + Sync + 'a>;

fn value(parameter: &Parameter) -> (Value<'_>, Type) {
    match parameter {
        // The server finds out which type is meant.
        Parameter::Null => (Box::new(None::<&str>), Type::UNKNOWN),
        Parameter::Bool(value) => (Box::new(*value), Type::BOOL),
        Parameter::Int(value) => (Box::new(*value), Type::INT8),
        Parameter::Real(value) => (Box::new(*value), Type::FLOAT8),
        Parameter::Text(value) => (Box::new(&**value), Type::TEXT),
        Parameter::Bytes(value) => (Box::new(&**value), Type::BYTEA),
    }
}
