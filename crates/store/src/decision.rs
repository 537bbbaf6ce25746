//! Deployed decisions. A file of decisions is one set of requirements with a version of its own;
//! each decision in it has one too.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use orloj_types::{DeploymentKey, EngineName, TenantId, Timestamp};

use crate::rows::{NewDeployment, NewResource};

/// One deployed version of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct DecisionKey(pub i64);

/// One deployed version of a file of decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RequirementsKey(pub i64);

impl fmt::Display for DecisionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionRow {
    pub key: DecisionKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    pub decision_id: Arc<str>,
    pub name: Arc<str>,
    pub version: i32,
    pub version_tag: Option<Arc<str>>,
    pub requirements: Requirements,
    pub deployment: DeploymentKey,
    pub resource_name: Arc<str>,
    pub checksum: [u8; 16],
    /// Which dialect the file was read as.
    pub dialect: Arc<str>,
    pub deployed_at: Timestamp,
    /// It is asked no more, and its version is not given again.
    pub is_deleted: bool,
}

/// The file a decision is part of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirements {
    pub key: RequirementsKey,
    pub id: Arc<str>,
    pub name: Arc<str>,
    pub version: i32,
}

#[derive(Clone, Debug)]
pub struct NewRequirements {
    pub key: RequirementsKey,
    pub id: Arc<str>,
    pub name: Arc<str>,
    pub decisions: Vec<NewDecision>,
}

#[derive(Clone, Debug)]
pub struct NewDecision {
    /// Used when the resource is new; a duplicate keeps the key it has.
    pub key: DecisionKey,
    pub decision_id: Arc<str>,
    pub name: Arc<str>,
    pub version_tag: Option<Arc<str>>,
}

/// Which version of a decision, or of an asset, is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecisionVersion {
    Latest,
    Number(i32),
    /// The newest with this tag.
    Tag(Arc<str>),
    Deployment(DeploymentKey),
}

impl DecisionVersion {
    pub fn number(&self) -> Option<i32> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub fn tag(&self) -> Option<&str> {
        match self {
            Self::Tag(tag) => Some(tag),
            _ => None,
        }
    }

    pub fn deployment(&self) -> Option<DeploymentKey> {
        match self {
            Self::Deployment(key) => Some(*key),
            _ => None,
        }
    }
}

/// What a store knows before it deploys decisions, by their ids; deleted ones count.
#[derive(Clone, Debug, Default)]
pub struct LatestDecisions {
    pub decisions: BTreeMap<Arc<str>, DecisionRow>,
    /// The highest version of each file of decisions.
    pub requirements: BTreeMap<Arc<str>, i32>,
}

impl LatestDecisions {
    /// The stored decisions, if nothing is new.
    pub fn same(&self, new: &NewDeployment) -> Option<Vec<DecisionRow>> {
        let known = |(resource, _, decision): (&NewResource, _, &NewDecision)| {
            let row = self.decisions.get(&decision.decision_id)?;
            let is_same = !row.is_deleted
                && row.resource_name == resource.name
                && row.checksum == resource.checksum;
            is_same.then(|| row.clone())
        };
        decisions_of(new).map(known).collect()
    }

    /// The rows to insert: the version after the latest of each.
    pub fn next_versions(&self, new: &NewDeployment) -> Vec<DecisionRow> {
        let version = |known: Option<i32>| known.unwrap_or(0) + 1;
        let row =
            |(resource, requirements, decision): (&NewResource, &NewRequirements, &NewDecision)| {
                DecisionRow {
                    key: decision.key,
                    engine: new.engine.clone(),
                    tenant: new.tenant.clone(),
                    decision_id: decision.decision_id.clone(),
                    name: decision.name.clone(),
                    version: version(
                        self.decisions.get(&decision.decision_id).map(|row| row.version),
                    ),
                    version_tag: decision.version_tag.clone(),
                    requirements: Requirements {
                        key: requirements.key,
                        id: requirements.id.clone(),
                        name: requirements.name.clone(),
                        version: version(self.requirements.get(&requirements.id).copied()),
                    },
                    deployment: new.key,
                    resource_name: resource.name.clone(),
                    checksum: resource.checksum,
                    dialect: resource.dialect.clone(),
                    deployed_at: new.now,
                    is_deleted: false,
                }
            };
        decisions_of(new).map(row).collect()
    }
}

/// In the order of the resources.
pub fn decisions_of(
    new: &NewDeployment,
) -> impl Iterator<Item = (&NewResource, &NewRequirements, &NewDecision)> {
    new.resources.iter().flat_map(|resource| {
        resource.requirements.iter().flat_map(move |requirements| {
            requirements.decisions.iter().map(move |decision| (resource, requirements, decision))
        })
    })
}
