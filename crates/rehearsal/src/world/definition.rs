//! Deployed processes, decisions and what elements refer to, by version.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_dmn::Model;
use orloj_interpreter::{AssetKind, Bound, WantedAsset};
use orloj_model::Process;
use orloj_types::{DefinitionKey, DeploymentKey};

#[derive(Default)]
pub(super) struct Definitions {
    /// By key, so oldest first.
    processes: BTreeMap<DefinitionKey, Definition>,
    decisions: Vec<Decision>,
    assets: Vec<Asset>,
}

#[derive(Clone)]
pub(super) struct Definition {
    pub key: DefinitionKey,
    pub deployment: DeploymentKey,
    /// Counts the versions of one process from 1.
    pub version: i32,
    pub process: Arc<Process>,
}

#[derive(Clone)]
pub(super) struct Decision {
    pub id: Arc<str>,
    pub deployment: DeploymentKey,
    pub version: i32,
    pub tag: Option<Arc<str>>,
    pub model: Model,
}

/// A form, or what jobs are linked to.
pub(super) struct Asset {
    pub key: i64,
    pub kind: AssetKind,
    pub id: Arc<str>,
    pub deployment: DeploymentKey,
    pub tag: Option<Arc<str>>,
}

impl Definitions {
    pub fn add(&mut self, key: DefinitionKey, deployment: DeploymentKey, process: Process) {
        let version = self.latest(&process.id).map_or(1, |latest| latest.version + 1);
        let definition = Definition { key, deployment, version, process: Arc::new(process) };
        self.processes.insert(key, definition);
    }

    pub fn add_decision(
        &mut self,
        id: Arc<str>,
        tag: Option<Arc<str>>,
        deployment: DeploymentKey,
        model: Model,
    ) {
        let known = self.decisions.iter().filter(|decision| decision.id == id);
        let version = known.map(|decision| decision.version).max().unwrap_or(0) + 1;
        self.decisions.push(Decision { id, deployment, version, tag, model });
    }

    pub fn add_asset(&mut self, asset: Asset) {
        self.assets.push(asset);
    }

    /// The key of what a process of `deployment` means.
    pub fn asset(&self, wanted: &WantedAsset, deployment: DeploymentKey) -> Option<i64> {
        let of = || {
            let is_meant = |asset: &&Asset| asset.kind == wanted.kind && asset.id == wanted.id;
            self.assets.iter().filter(is_meant)
        };
        let deployed_with = || of().find(|asset| asset.deployment == deployment);
        let found = match &wanted.binding {
            Bound::Latest | Bound::Definition => of().next_back(),
            Bound::Deployment => deployed_with(),
            Bound::DeploymentOrLatest => deployed_with().or_else(|| of().next_back()),
            Bound::Version(version) => of().nth(usize::try_from(*version).ok()?.checked_sub(1)?),
            Bound::VersionTag(tag) => of().rfind(|asset| asset.tag.as_ref() == Some(tag)),
        };
        found.map(|asset| asset.key)
    }

    /// # Panics
    /// When nothing was deployed under the key.
    pub fn get(&self, key: DefinitionKey) -> &Definition {
        &self.processes[&key]
    }

    pub fn latest(&self, process: &str) -> Option<&Definition> {
        self.of(process).last()
    }

    /// The latest version of each process, oldest deployed first.
    pub fn all_latest(&self) -> impl Iterator<Item = &Definition> {
        let is_latest = |definition: &&Definition| {
            let latest = self.latest(&definition.process.id);
            latest.is_some_and(|latest| latest.key == definition.key)
        };
        self.processes.values().filter(is_latest)
    }

    /// The version that a caller of `deployment` means.
    pub fn bound(
        &self,
        process: &str,
        binding: &Bound,
        deployment: DeploymentKey,
    ) -> Option<&Definition> {
        let deployed_with = || self.of(process).find(|found| found.deployment == deployment);
        match binding {
            Bound::Latest => self.latest(process),
            Bound::Deployment => deployed_with(),
            Bound::DeploymentOrLatest => deployed_with().or_else(|| self.latest(process)),
            Bound::Version(version) => self.of(process).find(|found| found.version == *version),
            Bound::Definition => self.processes.get(&DefinitionKey::new(process.parse().ok()?)),
            Bound::VersionTag(tag) => self
                .of(process)
                .filter(|found| found.process.version_tag.as_ref() == Some(tag))
                .last(),
        }
    }

    pub fn decision(
        &self,
        id: &str,
        binding: &Bound,
        deployment: DeploymentKey,
    ) -> Option<&Decision> {
        let of = || self.decisions.iter().filter(|decision| *decision.id == *id);
        let deployed_with = || of().find(|found| found.deployment == deployment);
        match binding {
            Bound::Latest => of().next_back(),
            Bound::Deployment => deployed_with(),
            Bound::DeploymentOrLatest => deployed_with().or_else(|| of().next_back()),
            Bound::Version(version) => of().find(|found| found.version == *version),
            // Decisions have no keys here.
            Bound::Definition => None,
            Bound::VersionTag(tag) => of().rfind(|found| found.tag.as_ref() == Some(tag)),
        }
    }

    fn of(&self, process: &str) -> impl Iterator<Item = &Definition> {
        self.processes.values().filter(move |definition| *definition.process.id == *process)
    }
}
