//! Order: what a node hands to itself goes before everything that it left in the store, so that
//! nothing waits longer than its place in the order asks for.

use std::collections::BTreeMap;

use orloj_store::{Group, JobKind, JobRow, JobState, JobWrite, NodeProfile, Order};
use orloj_types::{JobKey, Timestamp};

use super::{Checker, Violation};
use crate::sim_store::Core;

/// Jobs that a session has left unlocked in the store and would take, and its time by then.
pub(super) type Left = BTreeMap<JobKey, (i64, Timestamp)>;

impl Checker {
    /// A job that was made later, by the node's own time, than a group was closed was decided on
    /// when the node knew of all that it left behind with that group.
    pub fn in_order(
        &mut self,
        store: &Core,
        order: Option<Order>,
        group: &Group,
    ) -> Result<(), Violation> {
        // Where none is asked for, an instance at hand goes before what waits in the store.
        let Some(order) = order.filter(|order| order.is_set()) else { return Ok(()) };
        let session = group.lease.session;
        let nodes = store.nodes();
        let profile = nodes.iter().find(|node| node.session == session).map(|node| &node.profile);
        let takes_all = |profile: &NodeProfile| {
            let fires_timers = profile.fires_timers;
            *profile == NodeProfile { order, fires_timers, ..NodeProfile::default() }
        };
        if !profile.is_some_and(takes_all) {
            // It leaves to others what it does not take.
            return Ok(());
        }
        let inserts = group.changes.iter().flat_map(|change| &change.jobs);
        let inserts = inserts.filter_map(|write| match write {
            JobWrite::Insert(row) if is_ready(row) => Some(row),
            _ => None,
        });
        for row in inserts {
            if row.lock_session.is_none() {
                self.left.insert(row.key, (session, group.now));
                continue;
            }
            let is_known = |(of, at): (i64, Timestamp)| of == session && at < row.created_at;
            let left = self.left.iter().filter(|(_, left)| is_known(**left));
            let left = left.filter_map(|(key, _)| store.jobs.get(key));
            let still = left.filter(|job| is_ready(job) && !job.is_locked() && job.attempt == 0);
            let mut overtaken = still.filter(|job| job.place(order) < row.place(order));
            if let Some(job) = overtaken.next() {
                let message = format!("job {} is handed over past job {}", row.key, job.key);
                return Err(Violation::new("I7", message));
            }
        }
        self.left.retain(|key, _| store.jobs.get(key).is_some_and(|job| job.attempt == 0));
        Ok(())
    }
}

fn is_ready(job: &JobRow) -> bool {
    job.state == JobState::Ready && !job.kind.is_for_workers() && job.kind != JobKind::StartTimer
}
