//! Deployed files that elements refer to: forms, and what jobs are linked to. Each has versions of
//! its own.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use orloj_types::{DeploymentKey, EngineName, TenantId, Timestamp};

use crate::rows::{NewDeployment, NewResource};

/// One deployed version of an asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct AssetKey(pub i64);

impl fmt::Display for AssetKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The numbers are part of the stored format. The same id may be used once for each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum AssetKind {
    Form = 0,
    /// What workers are told of, such as a script for a robot.
    Linked = 1,
}

impl AssetKind {
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::Form,
            1 => Self::Linked,
            _ => return None,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssetRow {
    pub key: AssetKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    pub kind: AssetKind,
    /// The author's name for it.
    pub asset_id: Arc<str>,
    pub version: i32,
    pub version_tag: Option<Arc<str>>,
    pub deployment: DeploymentKey,
    pub resource_name: Arc<str>,
    pub checksum: [u8; 16],
    pub deployed_at: Timestamp,
    pub is_deleted: bool,
}

#[derive(Clone, Debug)]
pub struct NewAsset {
    /// Used when the resource is new; a duplicate keeps the key it has.
    pub key: AssetKey,
    pub kind: AssetKind,
    pub asset_id: Arc<str>,
    pub version_tag: Option<Arc<str>>,
}

/// The newest version of each asset that is deployed again, deleted ones too: no version is given
/// twice.
#[derive(Clone, Debug, Default)]
pub struct LatestAssets(pub BTreeMap<(AssetKind, Arc<str>), AssetRow>);

impl LatestAssets {
    /// The stored assets, if nothing is new.
    pub fn same(&self, new: &NewDeployment) -> Option<Vec<AssetRow>> {
        let known = |(resource, asset): (&NewResource, &NewAsset)| {
            let row = self.0.get(&(asset.kind, asset.asset_id.clone()))?;
            let is_same = !row.is_deleted
                && row.resource_name == resource.name
                && row.checksum == resource.checksum;
            is_same.then(|| row.clone())
        };
        assets_of(new).map(known).collect()
    }

    /// The rows to insert: the version after the latest of each.
    pub fn next_versions(&self, new: &NewDeployment) -> Vec<AssetRow> {
        let row = |(resource, asset): (&NewResource, &NewAsset)| {
            let latest = self.0.get(&(asset.kind, asset.asset_id.clone()));
            AssetRow {
                key: asset.key,
                engine: new.engine.clone(),
                tenant: new.tenant.clone(),
                kind: asset.kind,
                asset_id: asset.asset_id.clone(),
                version: latest.map_or(0, |row| row.version) + 1,
                version_tag: asset.version_tag.clone(),
                deployment: new.key,
                resource_name: resource.name.clone(),
                checksum: resource.checksum,
                deployed_at: new.now,
                is_deleted: false,
            }
        };
        assets_of(new).map(row).collect()
    }
}

/// In the order of the resources.
pub fn assets_of(new: &NewDeployment) -> impl Iterator<Item = (&NewResource, &NewAsset)> {
    let resources = new.resources.iter();
    resources.filter_map(|resource| Some((resource, resource.asset.as_ref()?)))
}
