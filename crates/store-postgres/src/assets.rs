//! Deployed files that elements refer to.

use orloj_store::{
    AssetKind, AssetRow, DecisionVersion, Error, LatestAssets, NewDeployment, Page, assets_of,
};
use orloj_types::TenantId;
use tokio_postgres::types::{ToSql, Type};

use crate::read;
use crate::row_array::RowArray;
use crate::store::Shared;
use crate::transaction::Transaction;

impl Shared {
    pub(crate) async fn find_asset(
        &self,
        kind: AssetKind,
        asset_id: &str,
        tenant: &TenantId,
        version: &DecisionVersion,
    ) -> Result<Option<AssetRow>, Error> {
        let (engine, tenant, kind) = (self.engine.as_str(), tenant.as_str(), kind as i16);
        let (number, tag) = (version.number(), version.tag());
        let deployment = version.deployment().map(|key| key.raw());
        let params: [(&(dyn ToSql + Sync), Type); 7] = [
            (&engine, Type::TEXT),
            (&tenant, Type::TEXT),
            (&kind, Type::INT2),
            (&asset_id, Type::TEXT),
            (&number, Type::INT4),
            (&tag, Type::TEXT),
            (&deployment, Type::INT8),
        ];
        read::first(&self.read(&self.sql.asset_find, &params).await?, read::asset)
    }

    pub(crate) async fn assets(&self, page: Page) -> Result<Vec<AssetRow>, Error> {
        self.page(&self.sql.assets, page, &[], read::asset).await
    }

    pub(crate) async fn latest_assets(
        &self,
        transaction: &Transaction<'_>,
        new: &NewDeployment,
    ) -> Result<LatestAssets, Error> {
        let ids: Vec<&str> = assets_of(new).map(|(_, asset)| &*asset.asset_id).collect();
        if ids.is_empty() {
            return Ok(LatestAssets::default());
        }
        let (engine, tenant) = (new.engine.as_str(), new.tenant.as_str());
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&engine, Type::TEXT), (&tenant, Type::TEXT), (&ids, Type::TEXT_ARRAY)];
        let rows = transaction.rows(&self.sql.asset_latest, &params).await?;
        let rows = read::all(&rows, read::asset)?;
        let keyed = rows.into_iter().map(|row| ((row.kind, row.asset_id.clone()), row));
        Ok(LatestAssets(keyed.collect()))
    }

    pub(crate) fn asset_rows(&self, assets: &[AssetRow]) -> RowArray {
        let mut rows = RowArray::new(&self.types.asset_in);
        for row in assets {
            rows.push(|r| {
                r.int8(row.key.0).text(&row.engine).text(&row.tenant).int2(row.kind as i16);
                r.text(&row.asset_id).int4(row.version).text_or_null(row.version_tag.as_deref());
                r.int8(row.deployment.raw()).text(&row.resource_name).bytes(&row.checksum);
                r.int8(row.deployed_at.as_ms());
            });
        }
        rows
    }

    /// An asset, or a file of decisions.
    pub(crate) async fn delete_file(&self, key: i64) -> Result<Option<i64>, Error> {
        let transaction = Transaction::begin(&self.readers).await?;
        // Deployments count versions under the same lock.
        self.lock_advisory(&transaction, &format!("deploy {}", self.engine)).await?;
        let engine = self.engine.as_str();
        let params: [(&(dyn ToSql + Sync), Type); 2] = [(&key, Type::INT8), (&engine, Type::TEXT)];
        let mut count = 0;
        for sql in [&self.sql.asset_delete, &self.sql.requirements_delete] {
            count += transaction.execute(sql, &params).await?;
        }
        if count == 0 {
            transaction.roll_back().await?;
            return Ok(None);
        }
        let version = self.raise_settings(&transaction).await?;
        transaction.commit().await?;
        Ok(Some(version))
    }
}
