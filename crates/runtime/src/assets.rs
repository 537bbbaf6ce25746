//! Deployed files that elements refer to: found, and taken away.

use orloj_interpreter::{AssetKind as Wanted, Bound, WantedAsset};
use orloj_store::{AssetKind, DecisionVersion, Notice, Store};

use crate::api::{Error, Missing};
use crate::definitions::Definitions;
use crate::handle::Orloj;
use crate::node::store_error;

/// The key of the version that an element means; `None`: there is none.
///
/// Nothing is remembered between two looks: who is sent away for the want of a form finds it as
/// soon as it is there.
pub(crate) async fn find_asset(
    store: &dyn Store,
    definitions: &Definitions,
    wanted: &WantedAsset,
) -> Result<Option<i64>, Error> {
    let find = async |version| {
        let (kind, id) = (stored_kind(wanted.kind), wanted.id.clone());
        let found = store.find_asset(kind, id, wanted.tenant.clone(), version).await;
        Ok(found.map_err(|e| store_error(&e))?.map(|row| row.key.0))
    };
    let deployment = async || {
        let definition = definitions.get(wanted.definition).await?;
        find(DecisionVersion::Deployment(definition.deployment)).await
    };
    match &wanted.binding {
        Bound::Latest | Bound::Definition => find(DecisionVersion::Latest).await,
        Bound::Version(version) => find(DecisionVersion::Number(*version)).await,
        Bound::VersionTag(tag) => find(DecisionVersion::Tag(tag.clone())).await,
        Bound::Deployment => deployment().await,
        Bound::DeploymentOrLatest => match deployment().await? {
            Some(key) => Ok(Some(key)),
            None => find(DecisionVersion::Latest).await,
        },
    }
}

pub(crate) fn stored_kind(kind: Wanted) -> AssetKind {
    match kind {
        Wanted::Form => AssetKind::Form,
        Wanted::Linked => AssetKind::Linked,
    }
}

impl Orloj {
    /// A form, a file of decisions or what jobs are linked to is found no more, by the key its
    /// deployment told. The version before takes its place.
    pub async fn delete_file(&self, key: i64) -> Result<(), Error> {
        let deleted = self.inner.store.delete_file(key).await.map_err(|e| store_error(&e))?;
        if deleted.is_none() {
            return Err(Error::Missing(Missing::File(key)));
        }
        self.inner.decisions.forget_latest();
        // A hint; other nodes also learn of it by the settings.
        let _ = self.inner.store.notify(vec![Notice::Deployed]).await;
        Ok(())
    }
}
