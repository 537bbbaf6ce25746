//! What the driver and the server say, in the words of the contract.

use orloj_store::{CommitError, Error};
use tokio_postgres::error::SqlState;

/// For everything but the commit of a group.
pub(crate) fn portable(error: &tokio_postgres::Error) -> Error {
    match error.code() {
        Some(code) if is_passing(code) => Error::Unavailable(describe(error)),
        Some(_) => Error::Refused(describe(error)),
        None => Error::Unavailable(describe(error)),
    }
}

/// For a group that the server has answered with an error: nothing of it was committed. Only
/// errors that some value of the group can cause are blamed on it.
pub(crate) fn of_group(error: &tokio_postgres::Error, code: &SqlState) -> CommitError {
    match class(code) {
        // Data that cannot be stored; a constraint; a limit, such as that of an index entry; what
        // the server calls internal, such as a value too large to be put together.
        "22" | "23" | "54" | "XX" => CommitError::Statement(describe(error)),
        _ => CommitError::Unavailable(describe(error)),
    }
}

pub(crate) fn damaged(what: &str, why: impl std::fmt::Display) -> Error {
    Error::Damaged(format!("{what}: {why}"))
}

pub(crate) fn closed() -> Error {
    Error::Unavailable("the store was closed".to_owned())
}

/// Whether our own check divided by zero.
pub(crate) fn is_guard(error: &tokio_postgres::Error) -> bool {
    error.code() == Some(&SqlState::DIVISION_BY_ZERO)
}

/// Whether the connection is of no use any more.
pub(crate) fn is_lost(error: &tokio_postgres::Error) -> bool {
    match error.code() {
        None => true,
        Some(code) => matches!(class(code), "08") || code.code().starts_with("57P"),
    }
}

/// One line with what a person can look up: the server's own sentence and its code.
pub(crate) fn describe(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(server) => format!("{} ({})", server.message(), server.code().code()),
        None => match std::error::Error::source(error) {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        },
    }
}

/// Conditions that have nothing to do with what was asked: repeating may help.
fn is_passing(code: &SqlState) -> bool {
    match class(code) {
        // Connection lost; transaction taken back by a deadlock or a serialisation failure; out of
        // resources; object in use; operator intervention; system error.
        "08" | "40" | "53" | "55" | "57" | "58" => true,
        // A server that became a replica while we were connected.
        "25" => *code == SqlState::READ_ONLY_SQL_TRANSACTION,
        _ => false,
    }
}

fn class(code: &SqlState) -> &str {
    code.code().get(..2).unwrap_or_default()
}
