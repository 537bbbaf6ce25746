//! The schema and its migrations, one number each, kept in the file's `user_version`.

use std::collections::BTreeSet;

use orloj_store::Error;
use rusqlite::Connection;

use crate::error::{Kind, kind, portable};

/// In order; the first leads to version 1. A released one is never changed.
const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001_initial.sql"),
    include_str!("../migrations/0002_events.sql"),
    include_str!("../migrations/0003_executor.sql"),
    include_str!("../migrations/0004_pages.sql"),
    include_str!("../migrations/0005_records.sql"),
    include_str!("../migrations/0006_chore_log.sql"),
    include_str!("../migrations/0007_ages.sql"),
    include_str!("../migrations/0008_assets.sql"),
    include_str!("../migrations/0009_locks.sql"),
    include_str!("../migrations/0010_listed_locks.sql"),
    include_str!("../migrations/0011_landed.sql"),
    include_str!("../migrations/0012_tenants.sql"),
    include_str!("../migrations/0013_at_hand.sql"),
    include_str!("../migrations/0014_business_keys.sql"),
];

/// "ORLJ": tells our files from others.
const APPLICATION_ID: i32 = 0x4f52_4c4a;

/// Brings the file to the newest version, or leaves it as it was.
pub(crate) fn migrate(connection: &Connection) -> Result<(), Error> {
    let known = MIGRATIONS.len() as u32;
    connection.execute_batch("BEGIN EXCLUSIVE").map_err(portable)?;
    let migrated = apply(connection, known);
    let end = if migrated.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = connection.execute_batch(end).map_err(portable);
    migrated.and(ended)
}

fn apply(connection: &Connection, known: u32) -> Result<(), Error> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let found = number("user_version").map_err(portable)?;
    let application = number("application_id").map_err(portable)?;
    if application != APPLICATION_ID {
        let tables: i64 = connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .map_err(portable)?;
        if found != 0 || tables != 0 {
            return Err(Error::Refused("the file belongs to another application".to_owned()));
        }
    }
    let found = u32::try_from(found)
        .map_err(|_| Error::Damaged(format!("schema version {found} in the file's header")))?;
    if found > known {
        return Err(Error::NewerSchema { found, known });
    }
    let unreleased = |problem: String| Error::UnreleasedSchema { store: name(connection), problem };
    if found == known {
        return lack(connection)?.map_or(Ok(()), |problem| Err(unreleased(problem)));
    }
    for migration in &MIGRATIONS[found as usize..] {
        connection.execute_batch(migration).map_err(|error| match kind(&error) {
            // The steps fit to each other: what does not fit them is none of them.
            Kind::Refused if found > 0 => unreleased(error.to_string()),
            _ => portable(error),
        })?;
    }
    if found > 0
        && let Some(problem) = lack(connection)?
    {
        return Err(unreleased(problem));
    }
    connection.pragma_update(None, "user_version", known).map_err(portable)?;
    connection.pragma_update(None, "application_id", APPLICATION_ID).map_err(portable)
}

/// What the file lacks of the newest schema, if it lacks something. Its number says only which
/// steps were made, and before the first release these were changed.
fn lack(connection: &Connection) -> Result<Option<String>, Error> {
    let newest = Connection::open_in_memory().map_err(portable)?;
    for migration in MIGRATIONS {
        newest.execute_batch(migration).map_err(portable)?;
    }
    let found = columns(connection).map_err(portable)?;
    let wanted = columns(&newest).map_err(portable)?;
    let mut missing = wanted.difference(&found);
    Ok(missing.next().map(|(table, column)| format!("its table {table} has no column {column}")))
}

/// Of tables, each with its table's name.
fn columns(connection: &Connection) -> rusqlite::Result<BTreeSet<(String, String)>> {
    let mut statement = connection.prepare(include_str!("../queries/schema_columns.sql"))?;
    let columns = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    columns.collect()
}

fn name(connection: &Connection) -> String {
    let path = connection.path().filter(|path| !path.is_empty());
    path.map_or("the store".to_owned(), |path| format!("the file {path}"))
}
