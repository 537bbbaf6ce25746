//! From SQLite's errors to the portable ones.

use orloj_store::Error;
use rusqlite::ErrorCode;

pub(crate) fn closed() -> Error {
    Error::Unavailable("the store is closed".to_owned())
}

/// What reading, or a write other than a group's, answers.
pub(crate) fn portable(error: rusqlite::Error) -> Error {
    match kind(&error) {
        Kind::Unavailable => Error::Unavailable(error.to_string()),
        Kind::Damaged => Error::Damaged(error.to_string()),
        Kind::Refused => Error::Refused(error.to_string()),
    }
}

pub(crate) enum Kind {
    /// The disk or the machine is to blame; later it may work.
    Unavailable,
    Damaged,
    /// The statement or one of its values is to blame.
    Refused,
}

pub(crate) fn kind(error: &rusqlite::Error) -> Kind {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => match failure.code {
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Kind::Damaged,
            ErrorCode::ConstraintViolation
            | ErrorCode::TooBig
            | ErrorCode::TypeMismatch
            | ErrorCode::ParameterOutOfRange
            // The limit on the steps of one read: the same read would meet it again.
            | ErrorCode::OperationInterrupted
            | ErrorCode::Unknown => Kind::Refused,
            _ => Kind::Unavailable,
        },
        // A column that does not hold what was written into it.
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::Utf8Error(..) => Kind::Damaged,
        _ => Kind::Refused,
    }
}
