//! Definitions that are deployed suspended, to be activated at a date.

use orloj_store::{DefinitionRow, JobFilter, JobKind, JobRow, JobState, Notice, StoredDeployment};
use orloj_types::{InstanceKey, Timestamp};

use super::bulk;
use super::definitions::activation_entries;
use super::desk::Desk;
use crate::api::Error;
use crate::handle::Orloj;
use crate::node::chores::Suspension;

impl Orloj {
    /// Tells of definitions that came suspended: the log, as Camunda does when the activation is
    /// scheduled, and every node. Nobody has to wait for the nodes. One that has not seen these
    /// settings finds in a definition's row that it is suspended, and goes by that until it has.
    pub(crate) async fn deployed_suspended(&self, stored: &StoredDeployment) -> Result<(), Error> {
        let Some(version) = stored.settings else { return Ok(()) };
        let desk = Desk::new(self);
        desk.tell(vec![Notice::Settings(version)]).await;
        desk.note(stored.definitions.iter().flat_map(activation_entries).collect()).await
    }

    /// The first moment at which a chore activates a definition; `None`: no chore is there that
    /// will.
    pub(crate) async fn activated_at(
        &self,
        row: &DefinitionRow,
    ) -> Result<Option<Timestamp>, Error> {
        let filter = JobFilter {
            // Like all chores; so an index has them.
            instance: Some(InstanceKey::default()),
            kinds: vec![JobKind::ActivateDefinition],
            ..JobFilter::default()
        };
        let list = |page| self.inner.store.jobs(filter.clone(), page);
        let chores = bulk::all(list, |chore| chore.key.raw()).await?;
        let is_to_come = |chore: &&JobRow| {
            matches!(chore.state, JobState::Waiting | JobState::Ready)
                && Suspension::of_chore(chore).is_some_and(|later| later.of.is_of(row))
        };
        Ok(chores.iter().filter(is_to_come).filter_map(|chore| chore.due_at).min())
    }
}
