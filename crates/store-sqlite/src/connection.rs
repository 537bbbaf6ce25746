//! How connections are opened.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use orloj_store::Error;
use rusqlite::{Connection, OpenFlags};

use crate::error::portable;

/// Every statement stays prepared.
const STATEMENTS_KEPT: usize = 128;
/// Most memory of a connection's pages; it fills only as pages are touched. Hot groups ran equally
/// fast with 2, 8 and 64 MB, and with the file mapped into memory: the system's own cache is near
/// enough. So memory is spared.
const WRITER_CACHE_KB: u32 = 16_384;
const READER_CACHE_KB: u32 = 4_096;
/// Our own connections take turns instead of meeting; this is for a person's shell on the file.
const BUSY_WAIT: Duration = Duration::from_secs(5);
/// A read is stopped after this many steps of SQLite's machine, some seconds of work: a longer
/// one would keep the write-ahead log from being emptied.
const READ_STEPS_MAX: u32 = 300_000_000;
const STEPS_PER_LOOK: u32 = 100_000;

pub(crate) fn open_writer(path: &Path, log_pages: u32) -> Result<Connection, Error> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
    let mode: String = connection
        .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))
        .map_err(portable)?;
    if mode != "wal" {
        return Err(Error::Refused(format!("the file system cannot hold a WAL (mode {mode})")));
    }
    set(&connection, "synchronous", "FULL")?;
    set(&connection, "cache_size", -i64::from(WRITER_CACHE_KB))?;
    // Emptied by the log's own thread.
    set(&connection, "wal_autocheckpoint", 0)?;
    // What a burst left behind is given back when the log starts over.
    set(&connection, "journal_size_limit", i64::from(log_pages) * 4_096 * 2)?;
    Ok(connection)
}

pub(crate) fn open_memory() -> Result<Connection, Error> {
    let connection = Connection::open_in_memory().map_err(portable)?;
    prepare(&connection)?;
    Ok(connection)
}

pub(crate) fn open_reader(path: &Path) -> Result<Reader, Error> {
    let mut connection = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    set(&connection, "cache_size", -i64::from(READER_CACHE_KB))?;
    let looks = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&looks);
    connection
        .progress_handler(
            STEPS_PER_LOOK as i32,
            Some(move || {
                counted.fetch_add(1, Ordering::Relaxed) >= READ_STEPS_MAX / STEPS_PER_LOOK
            }),
        )
        .map_err(portable)?;
    Ok(Reader { connection, looks })
}

/// For moving the log into the file.
pub(crate) fn open_mover(path: &Path) -> Result<Connection, Error> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    set(&connection, "synchronous", "FULL")?;
    set(&connection, "wal_autocheckpoint", 0)?;
    Ok(connection)
}

pub(crate) struct Reader {
    connection: Connection,
    looks: Arc<AtomicU32>,
}

impl Reader {
    /// The connection, with the steps counted from here.
    pub(crate) fn start(&self) -> &Connection {
        self.looks.store(0, Ordering::Relaxed);
        &self.connection
    }
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, Error> {
    // A connection never leaves its thread, so it needs no lock of its own.
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)
        .map_err(|error| Error::Unavailable(format!("cannot open {}: {error}", path.display())))?;
    prepare(&connection)?;
    connection.busy_timeout(BUSY_WAIT).map_err(portable)?;
    Ok(connection)
}

fn prepare(connection: &Connection) -> Result<(), Error> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    set(connection, "temp_store", "MEMORY")?;
    // Contents of a damaged or foreign file are not run.
    set(connection, "trusted_schema", false)
}

fn set(connection: &Connection, name: &str, value: impl rusqlite::ToSql) -> Result<(), Error> {
    connection.pragma_update(None, name, value).map_err(portable)
}
