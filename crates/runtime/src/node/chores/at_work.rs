//! The chores that this node has to do with at the moment.

use orloj_store::JobRow;
use orloj_types::{DefinitionKey, JobKey, Timestamp};
use rustc_hash::FxHashMap;

use super::batch::KnownBatches;
use super::part::Part;
use super::{cleanup, suspension};
use crate::api::Error;
use crate::node::event::RequestId;
use crate::node::known::Known;

/// Those this node has to do with.
#[derive(Debug, Default)]
pub(crate) struct Chores {
    /// Locked here and waiting for their turn.
    pub(super) queued: FxHashMap<JobKey, Box<JobRow>>,
    pub(super) running: FxHashMap<JobKey, Running>,
    pub(super) batches: KnownBatches,
    pub(super) suspensions: suspension::Suspensions,
    /// Who waits for the end of a chore.
    pub(super) asked: FxHashMap<JobKey, Vec<RequestId>>,
    /// Parts that wait for a definition.
    pub(super) waiting: FxHashMap<DefinitionKey, Vec<JobKey>>,
}

impl Chores {
    pub fn is_idle(&self) -> bool {
        self.running.is_empty() && self.suspensions.is_idle()
    }

    /// Definitions have got other tenants.
    pub fn give_tenants(&mut self, known: &Known) {
        let running = self.running.values_mut().map(|running| &mut running.row);
        running.chain(self.queued.values_mut()).for_each(|row| known.give_tenant(row));
    }

    /// The lease is gone, and all locks with it.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[derive(Debug)]
pub(super) struct Running {
    pub(super) row: Box<JobRow>,
    /// What waits for its moment once the chore is done.
    pub(super) next_due_at: Option<Timestamp>,
    pub(super) doing: Doing,
    /// What whoever asked for it is told when its last change is on disk.
    pub(super) outcome: Result<(), Error>,
}

#[derive(Debug)]
pub(super) enum Doing {
    Plain,
    Part(Part),
    Cleanup(cleanup::Cleanup),
}
