//! Deployed decisions, parsed once and shared.

use std::sync::{Arc, PoisonError, RwLock};

use orloj_dmn::Model;
use orloj_store::{DecisionKey, DecisionRow, DecisionVersion, Store};
use orloj_types::{DeploymentKey, TenantId};
use rustc_hash::FxHashMap;

use crate::api::{Error, Missing};
use crate::decision_file;
use crate::definitions::Latest;
use crate::node::store_error;

/// Parsed files kept; beyond it the cache starts anew, which costs a parse each.
const MODELS_MAX: usize = 1_000;
pub(crate) struct Decisions {
    store: Arc<dyn Store>,
    /// By the file they came with.
    models: RwLock<FxHashMap<(DeploymentKey, Arc<str>), Model>>,
    /// Only what this node looked up; cleared when another node deploys.
    latest: Latest<(TenantId, Arc<str>), Arc<DecisionRow>>,
}

impl Decisions {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, models: RwLock::default(), latest: Latest::default() }
    }

    pub async fn find(
        &self,
        decision_id: &Arc<str>,
        tenant: &TenantId,
        version: DecisionVersion,
    ) -> Result<Option<Arc<DecisionRow>>, Error> {
        let known = (tenant.clone(), decision_id.clone());
        let lookup = match version {
            DecisionVersion::Latest => match self.latest.get(&known) {
                Ok(row) => return Ok(Some(row)),
                Err(lookup) => Some(lookup),
            },
            _ => None,
        };
        let found = self.store.find_decision(decision_id.clone(), tenant.clone(), version).await;
        let row = found.map_err(|e| store_error(&e))?.map(Arc::new);
        if let (Some(lookup), Some(row)) = (lookup, &row) {
            self.latest.insert(lookup, known, row.clone());
        }
        Ok(row)
    }

    pub async fn get(&self, key: DecisionKey) -> Result<Arc<DecisionRow>, Error> {
        let row = self.store.decision(key).await.map_err(|e| store_error(&e))?;
        row.map(Arc::new).ok_or(Error::Missing(Missing::DecisionKey(key.0)))
    }

    pub async fn model(&self, row: &DecisionRow) -> Result<Model, Error> {
        let place = (row.deployment, row.resource_name.clone());
        if let Some(model) = self.models.read().unwrap_or_else(PoisonError::into_inner).get(&place)
        {
            return Ok(model.clone());
        }
        let content = self.store.resource(row.deployment, row.resource_name.clone()).await;
        let content = content.map_err(|e| store_error(&e))?;
        let content = content.ok_or(Error::Missing(Missing::DecisionKey(row.key.0)))?;
        let dialect = row.dialect.clone();
        let parsed =
            tokio::task::spawn_blocking(move || decision_file::load(&content, &dialect)).await;
        let model = parsed.map_err(|e| Error::Internal(e.to_string()))?.map_err(|problems| {
            Error::Internal(format!("a deployed decision does not load any more: {problems}"))
        })?;
        let mut models = self.models.write().unwrap_or_else(PoisonError::into_inner);
        if models.len() >= MODELS_MAX {
            models.clear();
        }
        models.insert(place, model.clone());
        Ok(model)
    }

    /// Someone may have deployed.
    pub fn forget_latest(&self) {
        self.latest.forget();
    }
}
