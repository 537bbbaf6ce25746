//! Deployed decisions.

use std::sync::Arc;

use orloj_store::{
    DecisionKey, DecisionRow, DecisionVersion, Error, LatestDecisions, NewDeployment, Page,
    decisions_of,
};
use orloj_types::TenantId;
use tokio_postgres::types::{ToSql, Type};

use crate::read;
use crate::row_array::RowArray;
use crate::store::Shared;
use crate::transaction::Transaction;

impl Shared {
    pub(crate) async fn decision(&self, key: DecisionKey) -> Result<Option<DecisionRow>, Error> {
        let rows = self.read(&self.sql.decision_load, &[(&key.0, Type::INT8)]).await?;
        read::first(&rows, read::decision)
    }

    pub(crate) async fn find_decision(
        &self,
        decision_id: &str,
        tenant: &TenantId,
        version: &DecisionVersion,
    ) -> Result<Option<DecisionRow>, Error> {
        let (engine, tenant) = (self.engine.as_str(), tenant.as_str());
        let (number, tag) = (version.number(), version.tag());
        let deployment = version.deployment().map(|key| key.raw());
        let params: [(&(dyn ToSql + Sync), Type); 6] = [
            (&engine, Type::TEXT),
            (&tenant, Type::TEXT),
            (&decision_id, Type::TEXT),
            (&number, Type::INT4),
            (&tag, Type::TEXT),
            (&deployment, Type::INT8),
        ];
        read::first(&self.read(&self.sql.decision_find, &params).await?, read::decision)
    }

    pub(crate) async fn decisions(&self, page: Page) -> Result<Vec<DecisionRow>, Error> {
        self.page(&self.sql.decisions, page, &[], read::decision).await
    }

    pub(crate) async fn latest_decisions(
        &self,
        transaction: &Transaction<'_>,
        new: &NewDeployment,
    ) -> Result<LatestDecisions, Error> {
        let mut latest = LatestDecisions::default();
        let ids: Vec<&str> = decisions_of(new).map(|(_, _, d)| &*d.decision_id).collect();
        if ids.is_empty() {
            return Ok(latest);
        }
        let files: Vec<&str> = decisions_of(new).map(|(_, file, _)| &*file.id).collect();
        let (engine, tenant) = (new.engine.as_str(), new.tenant.as_str());
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&engine, Type::TEXT), (&tenant, Type::TEXT), (&ids, Type::TEXT_ARRAY)];
        let rows = transaction.rows(&self.sql.decision_latest, &params).await?;
        let rows = read::all(&rows, read::decision)?;
        latest.decisions = rows.into_iter().map(|row| (row.decision_id.clone(), row)).collect();
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&engine, Type::TEXT), (&tenant, Type::TEXT), (&files, Type::TEXT_ARRAY)];
        let rows = transaction.rows(&self.sql.requirements_version, &params).await?;
        let versions = read::all(&rows, |row| {
            let id: Arc<str> = row.text(0)?;
            Ok((id, row.get::<i32>(1)?))
        })?;
        latest.requirements = versions.into_iter().collect();
        Ok(latest)
    }

    pub(crate) fn decision_rows(&self, decisions: &[DecisionRow]) -> RowArray {
        let mut rows = RowArray::new(&self.types.decision_in);
        for row in decisions {
            rows.push(|r| {
                r.int8(row.key.0).text(&row.engine).text(&row.tenant).text(&row.decision_id);
                r.text(&row.name).int4(row.version).text_or_null(row.version_tag.as_deref());
                r.int8(row.requirements.key.0).text(&row.requirements.id);
                r.text(&row.requirements.name).int4(row.requirements.version);
                r.int8(row.deployment.raw()).text(&row.resource_name).bytes(&row.checksum);
                r.text(&row.dialect).int8(row.deployed_at.as_ms());
            });
        }
        rows
    }
}
