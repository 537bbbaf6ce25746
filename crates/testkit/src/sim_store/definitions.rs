//! Deployments.

use orloj_store::{
    AssetKind, AssetRow, DecisionRow, DecisionVersion, DefinitionDeleted, DefinitionRow,
    DeleteDefinition, Error, JobKind, JobRow, LatestAssets, LatestDecisions, NewDeployment,
    StoredDeployment, assets_of, decisions_of, starts_of,
};
use orloj_types::{ProcessId, TenantId};

use super::Core;

impl Core {
    pub fn deploy(&mut self, new: &NewDeployment) -> Result<StoredDeployment, Error> {
        self.open()?;
        let mut latest = Vec::new();
        let mut duplicate = true;
        for resource in &new.resources {
            for definition in &resource.definitions {
                let found = self.newest(&definition.process_id, &new.tenant);
                duplicate &= found.is_some_and(|found| {
                    !found.is_deleted
                        && found.resource_name == resource.name
                        && found.checksum == resource.checksum
                });
                latest.push(found.cloned());
            }
        }
        let latest_decisions = self.latest_decisions(new);
        let latest_assets = self.latest_assets(new);
        let same = (latest_decisions.same(new), latest_assets.same(new));
        if let (true, (Some(decisions), Some(assets))) = (duplicate, same) {
            let definitions = latest.into_iter().flatten().collect();
            let (key, duplicate, settings) = (new.key, true, None);
            let stored =
                StoredDeployment { key, duplicate, definitions, decisions, assets, settings };
            return Ok(stored);
        }
        let mut latest = latest.into_iter();
        let mut definitions = Vec::new();
        for resource in &new.resources {
            let place = (new.key, resource.name.clone());
            self.resources.insert(place, resource.content.clone());
            for definition in &resource.definitions {
                let row = DefinitionRow {
                    key: definition.key,
                    engine: new.engine.clone(),
                    tenant: new.tenant.clone(),
                    process_id: definition.process_id.clone(),
                    version: latest.next().flatten().map_or(0, |found| found.version) + 1,
                    deployment: new.key,
                    resource_name: resource.name.clone(),
                    checksum: resource.checksum,
                    dialect: resource.dialect.clone(),
                    checks: resource.checks,
                    deployed_at: new.now,
                    suspended: definition.suspended,
                    is_deleted: false,
                };
                self.definitions.insert(row.key, row.clone());
                definitions.push(row);
            }
        }
        // Start events of versions that are not the latest any more start nothing.
        for row in &definitions {
            self.starts.retain(|_, start| {
                start.engine != row.engine
                    || start.tenant != row.tenant
                    || start.process_id != row.process_id
            });
        }
        for start in starts_of(new, &definitions) {
            self.starts.insert((start.definition, start.event.clone()), start);
        }
        self.replace_chores(new, &definitions);
        let decisions = latest_decisions.next_versions(new);
        for row in &decisions {
            self.decisions.insert(row.key, row.clone());
        }
        let assets = latest_assets.next_versions(new);
        for row in &assets {
            self.assets.insert(row.key, row.clone());
        }
        let settings = new.has_suspended().then(|| self.raise_settings());
        let (key, duplicate) = (new.key, false);
        Ok(StoredDeployment { key, duplicate, definitions, decisions, assets, settings })
    }

    pub fn delete_definition(
        &mut self,
        delete: &DeleteDefinition,
    ) -> Result<DefinitionDeleted, Error> {
        self.open()?;
        let found = self.definitions.get(&delete.key).filter(|row| !row.is_deleted).cloned();
        let Some(row) = found else { return Ok(DefinitionDeleted::NotFound) };
        let mut live: Vec<_> = self
            .definitions
            .values()
            .filter(|other| other.engine == row.engine && other.tenant == row.tenant)
            .filter(|other| other.process_id == row.process_id && !other.is_deleted)
            .map(|other| (std::cmp::Reverse(other.version), other.key))
            .collect();
        live.sort_unstable();
        let live: Vec<_> = live.into_iter().map(|(_, key)| key).collect();
        if !delete.agrees_with(&live) {
            return Ok(DefinitionDeleted::Overtaken);
        }
        if let Some(row) = self.definitions.get_mut(&delete.key) {
            row.is_deleted = true;
        }
        self.starts.retain(|_, start| start.definition != delete.key);
        for start in delete.starts(&row) {
            self.starts.insert((start.definition, start.event.clone()), start);
        }
        let is_timer =
            |job: &&JobRow| job.kind == JobKind::StartTimer && job.definition == delete.key;
        let gone = self.jobs.values().filter(is_timer).cloned().collect();
        let come = delete.heir.iter().flat_map(|heir| &heir.chores);
        self.exchange_chores(gone, come, delete.logs_chores, delete.now);
        Ok(DefinitionDeleted::Done(self.raise_settings()))
    }

    fn latest_decisions(&self, new: &NewDeployment) -> LatestDecisions {
        let mut latest = LatestDecisions::default();
        for (_, requirements, decision) in decisions_of(new) {
            let id = &decision.decision_id;
            let ours = || self.decisions.values().filter(|row| row.engine == self.engine);
            let newest = ours()
                .filter(|row| row.decision_id == *id && row.tenant == new.tenant)
                .max_by_key(|row| row.version);
            if let Some(row) = newest {
                latest.decisions.insert(id.clone(), row.clone());
            }
            let files = ours().map(|row| (&row.tenant, &row.requirements));
            let versions = files
                .filter(|(tenant, file)| **tenant == new.tenant && file.id == requirements.id)
                .map(|(_, file)| file.version);
            if let Some(version) = versions.max() {
                latest.requirements.insert(requirements.id.clone(), version);
            }
        }
        latest
    }

    pub fn find_decision(
        &self,
        decision_id: &str,
        tenant: &TenantId,
        version: &DecisionVersion,
    ) -> Option<&DecisionRow> {
        self.decisions
            .values()
            .filter(|row| row.engine == self.engine)
            .filter(|row| *row.decision_id == *decision_id && row.tenant == *tenant)
            .filter(|row| !row.is_deleted)
            .filter(|row| match version {
                DecisionVersion::Latest => true,
                DecisionVersion::Number(number) => row.version == *number,
                DecisionVersion::Tag(tag) => row.version_tag.as_ref() == Some(tag),
                DecisionVersion::Deployment(key) => row.deployment == *key,
            })
            .max_by_key(|row| row.version)
    }

    fn latest_assets(&self, new: &NewDeployment) -> LatestAssets {
        let mut latest = LatestAssets::default();
        for (_, given) in assets_of(new) {
            let newest = self
                .assets
                .values()
                .filter(|row| row.engine == self.engine && row.tenant == new.tenant)
                .filter(|row| row.kind == given.kind && row.asset_id == given.asset_id)
                .max_by_key(|row| row.version);
            if let Some(row) = newest {
                latest.0.insert((given.kind, given.asset_id.clone()), row.clone());
            }
        }
        latest
    }

    pub fn find_asset(
        &self,
        kind: AssetKind,
        asset_id: &str,
        tenant: &TenantId,
        version: &DecisionVersion,
    ) -> Option<&AssetRow> {
        self.assets
            .values()
            .filter(|row| row.engine == self.engine && !row.is_deleted && row.kind == kind)
            .filter(|row| *row.asset_id == *asset_id && row.tenant == *tenant)
            .filter(|row| match version {
                DecisionVersion::Latest => true,
                DecisionVersion::Number(number) => row.version == *number,
                DecisionVersion::Tag(tag) => row.version_tag.as_ref() == Some(tag),
                DecisionVersion::Deployment(key) => row.deployment == *key,
            })
            .max_by_key(|row| row.version)
    }

    /// An asset, or a file of decisions.
    pub fn delete_file(&mut self, key: i64) -> Result<Option<i64>, Error> {
        self.open()?;
        let mut is_found = false;
        let of_engine = self.engine.clone();
        for row in self.assets.values_mut().filter(|row| row.key.0 == key) {
            is_found |= row.engine == of_engine && !row.is_deleted;
            row.is_deleted = true;
        }
        for row in self.decisions.values_mut().filter(|row| row.requirements.key.0 == key) {
            is_found |= row.engine == of_engine && !row.is_deleted;
            row.is_deleted = true;
        }
        Ok(is_found.then(|| self.raise_settings()))
    }

    /// `version` `None`: the latest.
    pub fn find_definition(
        &self,
        process_id: &ProcessId,
        tenant: &TenantId,
        version: Option<i32>,
    ) -> Option<&DefinitionRow> {
        self.definitions
            .values()
            .filter(|row| row.engine == self.engine)
            .filter(|row| row.process_id == *process_id && row.tenant == *tenant)
            .filter(|row| !row.is_deleted)
            .filter(|row| version.is_none_or(|version| row.version == version))
            .max_by_key(|row| row.version)
    }

    /// Deleted ones too: no version is given twice.
    fn newest(&self, process_id: &ProcessId, tenant: &TenantId) -> Option<&DefinitionRow> {
        let ours = self.definitions.values().filter(|row| row.engine == self.engine);
        ours.filter(|row| row.process_id == *process_id && row.tenant == *tenant)
            .max_by_key(|row| row.version)
    }
}
