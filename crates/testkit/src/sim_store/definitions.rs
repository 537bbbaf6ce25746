//! Deployments.

use orloj_store::{DefinitionRow, Error, NewDeployment, StoredDeployment};
use orloj_types::{ProcessId, TenantId};

use super::Core;

impl Core {
    pub fn deploy(&mut self, new: &NewDeployment) -> Result<StoredDeployment, Error> {
        self.open()?;
        let mut latest = Vec::new();
        let mut duplicate = true;
        for resource in &new.resources {
            for definition in &resource.definitions {
                let found = self.find_definition(&definition.process_id, &new.tenant, None);
                duplicate &= found.is_some_and(|found| {
                    found.resource_name == resource.name && found.checksum == resource.checksum
                });
                latest.push(found.cloned());
            }
        }
        if duplicate {
            let definitions = latest.into_iter().flatten().collect();
            return Ok(StoredDeployment { key: new.key, duplicate, definitions });
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
                };
                self.definitions.insert(row.key, row.clone());
                definitions.push(row);
            }
        }
        Ok(StoredDeployment { key: new.key, duplicate, definitions })
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
            .filter(|row| version.is_none_or(|version| row.version == version))
            .max_by_key(|row| row.version)
    }
}
