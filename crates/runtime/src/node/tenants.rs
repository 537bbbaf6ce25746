//! Definitions that have got another tenant since they were deployed.
//!
//! What a node has in memory may be older than that: a definition, or the row of a chore. So the
//! tenant is looked up when an instance is started, for the tenant's own processes and decisions,
//! and again when its rows are made, by the settings that the change is then said to be decided by.
//! What was decided by older ones is on disk when every node has seen the new ones; then it is
//! settled, by the node that is the first.

use orloj_interpreter::Outcome;
use orloj_store::{Change, ChoreWrite, Error as StoreError};
use orloj_types::{DefinitionKey, DeploymentKey, TenantId};

use super::answer::Question;
use super::event::Find;
use super::slot::Slot;
use super::{Node, Phase, RETRY_MS, Sabotage};
use crate::definition::Definition;
use crate::history::is_chore_logged;

impl Node {
    /// A new instance that has its tenant from its definition gets the one that it has now.
    pub(super) fn give_tenant(&self, slot: &mut Slot, outcome: &mut Outcome) {
        let Some(tenant) = self.moved_to(outcome.definition) else { return };
        let Some(definition) = slot.definition.as_ref().filter(|_| outcome.is_new) else { return };
        let of_record = outcome.record.as_mut().map(|record| &mut record.tenant);
        let of_start = slot.start.as_mut().map(|start| &mut start.tenant);
        for own in of_record.into_iter().chain(of_start) {
            // A definition is not read again when its tenant changes.
            if *own == definition.tenant || self.known.had_tenant(outcome.definition, own) {
                *own = tenant.clone();
            }
        }
    }

    /// Of a definition that may have been read before it had this one.
    pub(super) fn tenant_of(&self, definition: &Definition) -> TenantId {
        self.moved_to(definition.key).unwrap_or(&definition.tenant).clone()
    }

    fn moved_to(&self, definition: DefinitionKey) -> Option<&TenantId> {
        let tenant = self.known.tenant_of(definition);
        tenant.filter(|_| !self.sabotaged(Sabotage::KeepTenants))
    }

    pub(super) fn give_chores_tenant(&self, change: &mut Change) {
        for write in &mut change.chores {
            if let ChoreWrite::Insert(row) = write {
                self.known.give_tenant(row);
            }
        }
    }

    /// What was written before the last node had heard of a change is looked for afterwards, also
    /// if whoever made the change did not live to do it.
    pub(super) fn check_tenants(&mut self) {
        let is_time = self.phase == Phase::Running && self.now >= self.known.settle_at;
        if !is_time || self.known.is_settling || self.known.unsettled.is_empty() {
            return;
        }
        self.known.is_settling = true;
        let deployments = self.known.unsettled.clone();
        let find = Find::SettleTenants {
            version: self.known.version(),
            deployments: deployments.clone(),
            now: self.now,
            logs_chores: is_chore_logged(&self.config.settings),
        };
        self.find(Question::SettleTenants { deployments }, find);
    }

    pub(super) fn tenants_settled(&mut self, deployments: &[DeploymentKey]) {
        self.known.is_settling = false;
        self.known.unsettled.retain(|key| !deployments.contains(key));
        // What waits in the tenant now may fit what is buffered there.
        self.messages.doubt();
    }

    /// Some node has not seen the settings yet.
    pub(super) fn settle_later(&mut self) {
        self.known.is_settling = false;
        self.known.settle_at = self.now.plus_ms(RETRY_MS);
    }

    pub(super) fn tenants_unsettled(&mut self, deployments: &[DeploymentKey], error: &StoreError) {
        tracing::warn!(%error, ?deployments, "a change of a deployment's tenant is not settled");
        self.settle_later();
    }
}
