//! Another tenant for what a deployment brought.

use std::collections::BTreeSet;

use orloj_store::{
    AssetKind, Error, JobKind, MovedDefinition, SetTenant, StartKind, Taken, TakenKind, TenantSet,
};
use orloj_types::{DefinitionKey, DeploymentKey, InstanceKey, TenantId, Timestamp};

use super::Core;

impl Core {
    pub fn set_deployment_tenant(&mut self, set: &SetTenant) -> Result<TenantSet, Error> {
        self.open()?;
        let (deployment, to) = (set.deployment, &set.tenant);
        let Some(from) = self.tenant_of(deployment) else { return Ok(TenantSet::NotFound) };
        let definitions = self.definitions_of(deployment);
        if definitions.iter().any(|key| self.moved.get(key).is_some_and(Option::is_some)) {
            return Ok(TenantSet::Unsettled);
        }
        if from == *to {
            return Ok(TenantSet::Same);
        }
        if let Some(taken) = self.taken(deployment, to) {
            return Ok(TenantSet::Taken(taken));
        }
        for key in &definitions {
            self.moved.insert(*key, Some(from.clone()));
        }
        let ours = self.definitions.values_mut().filter(|row| row.deployment == deployment);
        ours.for_each(|row| row.tenant = to.clone());
        let ours = self.decisions.values_mut().filter(|row| row.deployment == deployment);
        ours.for_each(|row| row.tenant = to.clone());
        let ours = self.assets.values_mut().filter(|row| row.deployment == deployment);
        ours.for_each(|row| row.tenant = to.clone());
        for row in self.job_definitions.values_mut() {
            if definitions.contains(&row.definition) {
                row.tenant = to.clone();
            }
        }
        for row in self.starts.values_mut() {
            if definitions.contains(&row.definition) {
                row.tenant = to.clone();
            }
        }
        self.move_rows(&definitions, &from, to);
        self.drop_outdated(&definitions, set.logs_chores, set.now);
        Ok(TenantSet::Done(self.raise_settings()))
    }

    pub fn settle_deployment_tenant(
        &mut self,
        deployment: DeploymentKey,
        now: Timestamp,
        logs_chores: bool,
    ) -> Result<bool, Error> {
        self.open()?;
        let definitions = self.definitions_of(deployment);
        let before = definitions.iter().find_map(|key| self.moved.get(key)?.clone());
        let (Some(from), Some(to)) = (before, self.tenant_of(deployment)) else {
            return Ok(false);
        };
        self.move_rows(&definitions, &from, &to);
        self.drop_outdated(&definitions, logs_chores, now);
        for key in definitions {
            self.moved.insert(key, None);
        }
        Ok(true)
    }

    pub(super) fn moved_definitions(&self) -> Vec<MovedDefinition> {
        let moved = self.moved.iter().filter_map(|(key, before)| {
            let row = self.definitions.get(key)?;
            let (tenant, deployment) = (row.tenant.clone(), row.deployment);
            Some(MovedDefinition { key: *key, tenant, deployment, is_settled: before.is_none() })
        });
        moved.collect()
    }

    fn tenant_of(&self, deployment: DeploymentKey) -> Option<TenantId> {
        let definitions = self.definitions.values().filter(|row| row.engine == self.engine);
        let definitions = definitions.map(|row| (row.deployment, &row.tenant));
        let decisions = self.decisions.values().filter(|row| row.engine == self.engine);
        let decisions = decisions.map(|row| (row.deployment, &row.tenant));
        let assets = self.assets.values().filter(|row| row.engine == self.engine);
        let assets = assets.map(|row| (row.deployment, &row.tenant));
        let mut all = definitions.chain(decisions).chain(assets);
        all.find(|(of, _)| *of == deployment).map(|(_, tenant)| tenant.clone())
    }

    fn definitions_of(&self, deployment: DeploymentKey) -> BTreeSet<DefinitionKey> {
        let ours = self.definitions.values().filter(|row| row.deployment == deployment);
        ours.map(|row| row.key).collect()
    }

    /// What the tenant has already.
    fn taken(&self, deployment: DeploymentKey, to: &TenantId) -> Option<Taken> {
        let taken = |kind, id: &str, version| Some(Taken { kind, id: id.into(), version });
        for row in self.definitions.values().filter(|row| row.deployment == deployment) {
            let mut others = self.definitions.values();
            if others.any(|other| {
                (&other.engine, &other.tenant) == (&row.engine, to)
                    && (&other.process_id, other.version) == (&row.process_id, row.version)
            }) {
                return taken(TakenKind::Process, &row.process_id, row.version);
            }
        }
        for row in self.decisions.values().filter(|row| row.deployment == deployment) {
            let there = || {
                let others = self.decisions.values();
                others.filter(|other| (&other.engine, &other.tenant) == (&row.engine, to))
            };
            let (id, version) = (&row.decision_id, row.version);
            if there().any(|other| (&other.decision_id, other.version) == (id, version)) {
                return taken(TakenKind::Decision, id, version);
            }
            let (id, version) = (&row.requirements.id, row.requirements.version);
            if there()
                .any(|other| (&other.requirements.id, other.requirements.version) == (id, version))
            {
                return taken(TakenKind::DecisionFile, id, version);
            }
        }
        for row in self.assets.values().filter(|row| row.deployment == deployment) {
            let mut others = self.assets.values();
            if others.any(|other| {
                (&other.engine, &other.tenant, other.kind) == (&row.engine, to, row.kind)
                    && (&other.asset_id, other.version) == (&row.asset_id, row.version)
            }) {
                let kind = match row.kind {
                    AssetKind::Form => TakenKind::Form,
                    AssetKind::Linked => TakenKind::Linked,
                };
                return taken(kind, &row.asset_id, row.version);
            }
        }
        let is_message = |start: &&orloj_store::StartRow| {
            let dialect = self.definitions.get(&start.definition).map(|row| &*row.dialect);
            start.kind == StartKind::Message && dialect.is_some_and(|dialect| dialect != "zeebe")
        };
        let ours = self.starts.values().filter(is_message).filter(|start| {
            let definition = self.definitions.get(&start.definition);
            definition.is_some_and(|row| row.deployment == deployment)
        });
        for start in ours {
            let mut others = self.starts.values().filter(is_message);
            if others.any(|other| {
                (&other.engine, &other.tenant, &other.name) == (&start.engine, to, &start.name)
                    && other.process_id != start.process_id
            }) {
                return taken(TakenKind::Message, &start.name, 0);
            }
        }
        None
    }

    fn move_rows(&mut self, definitions: &BTreeSet<DefinitionKey>, from: &TenantId, to: &TenantId) {
        let instances = self.moving_instances(definitions, from);
        let is_moved = |key: &InstanceKey| instances.contains(key);
        for row in self.instances.values_mut().filter(|row| is_moved(&row.key)) {
            row.tenant = to.clone();
            row.rev += 1;
        }
        for row in self.jobs.values_mut() {
            let is_chore = row.kind.is_chore() && row.batch.is_none();
            let is_ours = is_chore && definitions.contains(&row.definition) && row.tenant == *from;
            if is_moved(&row.instance) || is_ours {
                row.tenant = to.clone();
            }
        }
        let of_batch = |job: &Option<orloj_types::JobKey>| {
            let job = job.and_then(|key| self.jobs.get(&key));
            job.is_some_and(|job| job.batch.is_some())
        };
        for row in self.incidents.values_mut() {
            let is_chore = row.instance.raw() == 0 && !of_batch(&row.job);
            let is_ours = is_chore && definitions.contains(&row.definition) && row.tenant == *from;
            if is_moved(&row.instance) || is_ours {
                row.tenant = to.clone();
            }
        }
        for row in self.variables.values_mut().filter(|row| is_moved(&row.instance)) {
            row.tenant = to.clone();
        }
        for row in self.pages.values_mut().filter(|row| is_moved(&row.instance)) {
            row.tenant = to.clone();
        }
        for row in self.user_tasks.values_mut().filter(|row| is_moved(&row.instance)) {
            row.tenant = to.clone();
        }
        for row in self.subscriptions.values_mut().filter(|row| is_moved(&row.instance)) {
            row.tenant = to.clone();
        }
        for row in self.history.values_mut().filter(|row| is_moved(&row.instance)) {
            row.tenant = to.clone();
        }
        for row in self.ended.values_mut().filter(|row| is_moved(&row.key)) {
            row.tenant = to.clone();
        }
        self.move_holders(&instances, to);
        for row in self.chore_log.values_mut() {
            let is_ours = definitions.contains(&row.definition) && row.batch.is_none();
            if is_ours && row.tenant == *from {
                row.tenant = to.clone();
            }
        }
    }

    /// What has the number of an instance holds a place for it.
    fn move_holders(&mut self, instances: &BTreeSet<InstanceKey>, to: &TenantId) {
        for instance in instances {
            let key = orloj_store::MessageKey::new(instance.raw());
            let Some(row) = self.messages.get(&key) else { continue };
            let is_held = self.messages.values().any(|other| {
                (&other.engine, &other.tenant, &other.name) == (&row.engine, to, &row.name)
                    && other.correlation_key == row.correlation_key
                    && other.message_id == row.message_id
            });
            if let Some(row) = self.messages.get_mut(&key).filter(|_| !is_held) {
                row.tenant = to.clone();
            }
        }
    }

    /// Live ones and ended ones, and those they called that have their tenant from them.
    fn moving_instances(
        &self,
        definitions: &BTreeSet<DefinitionKey>,
        from: &TenantId,
    ) -> BTreeSet<InstanceKey> {
        let live = self.instances.values();
        let live = live.map(|row| (row.key, row.definition, &row.tenant, row.caller));
        let ended = self.ended.values();
        let ended = ended.map(|row| (row.key, row.definition, &row.tenant, row.caller));
        let all: Vec<_> = live.chain(ended).filter(|(_, _, tenant, _)| *tenant == from).collect();
        let ours = all.iter().filter(|(_, definition, ..)| definitions.contains(definition));
        let mut found: BTreeSet<InstanceKey> = ours.map(|(key, ..)| *key).collect();
        loop {
            let called = all.iter().filter(|(key, definition, _, caller)| {
                let definition = self.definitions.get(definition);
                caller.is_some_and(|caller| found.contains(&caller))
                    && definition.is_some_and(|row| row.tenant != *from)
                    && !found.contains(key)
            });
            let called: Vec<InstanceKey> = called.map(|(key, ..)| *key).collect();
            if called.is_empty() {
                return found;
            }
            found.extend(called);
        }
    }

    /// Of the versions that now stand beside each other in a tenant the last one starts instances.
    fn drop_outdated(
        &mut self,
        definitions: &BTreeSet<DefinitionKey>,
        logs_chores: bool,
        now: Timestamp,
    ) {
        let name = |row: &orloj_store::DefinitionRow| {
            (row.engine.clone(), row.tenant.clone(), row.process_id.clone())
        };
        let names: BTreeSet<_> =
            definitions.iter().filter_map(|key| self.definitions.get(key).map(name)).collect();
        let of_names = || self.definitions.values().filter(|row| names.contains(&name(row)));
        let is_outdated = |row: &&orloj_store::DefinitionRow| {
            let mut others = of_names().filter(|other| name(other) == name(row));
            others.any(|other| other.version > row.version && !other.is_deleted)
        };
        let outdated: BTreeSet<_> = of_names().filter(is_outdated).map(|row| row.key).collect();
        self.starts.retain(|_, start| !outdated.contains(&start.definition));
        let is_gone = |row: &&orloj_store::JobRow| {
            row.kind == JobKind::StartTimer && outdated.contains(&row.definition)
        };
        let gone = self.jobs.values().filter(is_gone).cloned().collect();
        self.exchange_chores(gone, std::iter::empty(), logs_chores, now);
    }
}
