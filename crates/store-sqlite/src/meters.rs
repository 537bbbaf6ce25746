//! Meters: added to, and summed up.

use orloj_store::{Error, MeterQuery, MeterRow, MeterSum, PAGE_ROWS_MAX};
use orloj_types::Timestamp;
use rusqlite::{Connection, Result, Row};

use crate::error::portable;
use crate::queries::all;
use crate::writer::Writer;

pub(crate) fn add(writer: &mut Writer, meters: &[MeterRow]) -> std::result::Result<(), Error> {
    writer.write(|connection| {
        let add = || {
            let sql = include_str!("../queries/meter_add.sql");
            let mut statement = connection.prepare_cached(sql)?;
            for row in meters {
                let (name, reporter) = (&*row.name, &*row.reporter);
                statement.execute((&*row.engine, name, row.at.as_ms(), reporter, row.value))?;
            }
            Ok(())
        };
        add().map_err(portable)
    })
}

pub(crate) fn sums(
    connection: &Connection,
    engine: &str,
    query: &MeterQuery,
) -> Result<Vec<MeterSum>> {
    let values = (
        engine,
        query.name.as_deref(),
        query.reporter.as_deref(),
        query.from.map(Timestamp::as_ms),
        query.until.map(Timestamp::as_ms),
        query.interval_ms.map(|ms| ms.max(1)),
        query.by_reporter,
        query.limit.min(PAGE_ROWS_MAX),
    );
    all(connection, include_str!("../queries/meters.sql"), values, sum)
}

fn sum(row: &Row<'_>) -> Result<MeterSum> {
    Ok(MeterSum {
        at: Timestamp::from_ms(row.get(0)?),
        name: row.get(1)?,
        reporter: row.get(2)?,
        value: row.get(3)?,
    })
}
