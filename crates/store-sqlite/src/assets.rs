//! Deployed files that elements refer to.

use orloj_store::{
    AssetKey, AssetKind, AssetRow, DecisionVersion, Error, LatestAssets, NewDeployment, Page,
    assets_of,
};
use orloj_types::{DeploymentKey, TenantId, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::error::portable;
use crate::queries::{all, at_most, limit};
use crate::rows::{engine, number, tenant};
use crate::settings;
use crate::writer::Writer;

pub(crate) fn find(
    connection: &Connection,
    engine: &str,
    kind: AssetKind,
    asset_id: &str,
    tenant: &TenantId,
    version: &DecisionVersion,
) -> rusqlite::Result<Option<AssetRow>> {
    let deployment = version.deployment().map(|key| key.raw());
    let (count, tag) = (version.number(), version.tag());
    let values = (engine, &**tenant, kind as u8, asset_id, count, tag, deployment);
    connection
        .prepare_cached(include_str!("../queries/asset_find.sql"))?
        .query_row(values, asset)
        .optional()
}

pub(crate) fn list(
    connection: &Connection,
    engine: &str,
    page: Page,
) -> rusqlite::Result<Vec<AssetRow>> {
    let values = (at_most(page), engine, limit(page));
    all(connection, include_str!("../queries/assets.sql"), values, asset)
}

pub(crate) fn latest(
    connection: &Connection,
    new: &NewDeployment,
) -> rusqlite::Result<LatestAssets> {
    let mut latest = LatestAssets::default();
    let mut newest = connection.prepare_cached(include_str!("../queries/asset_newest.sql"))?;
    for (_, given) in assets_of(new) {
        let values = (&*new.engine, &*new.tenant, given.kind as u8, &*given.asset_id);
        if let Some(row) = newest.query_row(values, asset).optional()? {
            latest.0.insert((given.kind, given.asset_id.clone()), row);
        }
    }
    Ok(latest)
}

pub(crate) fn insert(connection: &Connection, assets: &[AssetRow]) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(include_str!("../queries/asset_insert.sql"))?;
    for row in assets {
        insert.execute(params![
            row.key.0,
            &*row.engine,
            &*row.tenant,
            row.kind as u8,
            &*row.asset_id,
            row.version,
            row.version_tag.as_deref(),
            row.deployment.raw(),
            &*row.resource_name,
            row.checksum,
            row.deployed_at.as_ms(),
            row.is_deleted,
        ])?;
    }
    Ok(())
}

/// An asset, or a file of decisions.
pub(crate) fn delete_file(
    writer: &mut Writer,
    engine: &str,
    key: i64,
) -> Result<Option<i64>, Error> {
    writer.write(|connection| {
        let delete = || {
            let mut count = 0;
            for sql in [
                include_str!("../queries/asset_delete.sql"),
                include_str!("../queries/requirements_delete.sql"),
            ] {
                count += connection.prepare_cached(sql)?.execute((key, engine))?;
            }
            match count {
                0 => Ok(None),
                _ => settings::raise(connection, engine).map(Some),
            }
        };
        delete().map_err(portable)
    })
}

fn asset(row: &Row<'_>) -> rusqlite::Result<AssetRow> {
    Ok(AssetRow {
        key: AssetKey(row.get(0)?),
        engine: engine(row, 1)?,
        tenant: tenant(row, 2)?,
        kind: number(row, 3, AssetKind::from_number)?,
        asset_id: row.get(4)?,
        version: row.get(5)?,
        version_tag: row.get(6)?,
        deployment: DeploymentKey::new(row.get(7)?),
        resource_name: row.get(8)?,
        checksum: row.get(9)?,
        deployed_at: Timestamp::from_ms(row.get(10)?),
        is_deleted: row.get(11)?,
    })
}
