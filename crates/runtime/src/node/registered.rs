//! Deployments that a node has registered. One that is aware of them leaves the jobs of all others
//! to other nodes; one that is not takes jobs of every deployment and remembers them all the same.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use orloj_store::Selection;
use orloj_types::{DefinitionKey, DeploymentKey};

use super::Node;
use super::event::{Reply, RequestId};

/// Deployments with the definitions they brought.
pub(crate) type Registered = BTreeMap<DeploymentKey, Vec<DefinitionKey>>;

impl Node {
    /// Before the node's life begins: nobody has to be told.
    pub fn register_at_start(&mut self, deployments: Vec<(DeploymentKey, Vec<DefinitionKey>)>) {
        self.registered.extend(deployments);
        self.select_registered();
    }

    pub(super) fn register(
        &mut self,
        id: RequestId,
        deployments: Vec<(DeploymentKey, Vec<DefinitionKey>)>,
    ) {
        let mut has_new = false;
        for (deployment, definitions) in deployments {
            let known = self.registered.entry(deployment).or_default();
            for definition in definitions {
                if !known.contains(&definition) {
                    known.push(definition);
                    has_new = true;
                }
            }
        }
        if has_new {
            self.select_registered();
        }
        self.reply(id, Ok(Reply::Done));
    }

    /// Their jobs that wait here for their turn go back; those that run are finished.
    pub(super) fn unregister(&mut self, id: RequestId, deployments: &[DeploymentKey]) {
        let known = self.registered.len();
        self.registered.retain(|deployment, _| !deployments.contains(deployment));
        if self.registered.len() != known {
            self.select_registered();
            if self.config.executor.deployment_aware {
                // Which of them belong to what is hard to say here; the others come back at once.
                self.give_back_queued();
            }
        }
        self.reply(id, Ok(Reply::Done));
    }

    pub(super) fn list_registered(&mut self, id: RequestId) {
        let deployments = self.registered.keys().copied().collect();
        self.reply(id, Ok(Reply::Deployments(deployments)));
    }

    /// The selection and the profile follow what is registered.
    fn select_registered(&mut self) {
        if !self.config.executor.deployment_aware {
            return;
        }
        self.selection = Selection {
            definitions: Some(definitions(&self.registered)),
            ..self.selection.clone()
        };
        self.engine_jobs_ready();
        self.describe();
    }
}

/// In ascending order.
pub(super) fn definitions(registered: &Registered) -> Arc<[DefinitionKey]> {
    let all: BTreeSet<DefinitionKey> = registered.values().flatten().copied().collect();
    all.into_iter().collect()
}
