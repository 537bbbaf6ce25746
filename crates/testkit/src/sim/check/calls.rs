//! Foreign code is called once for each lock, and only under it.

use orloj_interpreter::Invoke;
use orloj_store::JobKind;
use orloj_types::{ElementInstanceKey, JobKey};

use super::{Checker, Violation};
use crate::sim_store::Core;

/// Names one call: the element instance, its ordinal, the element, and the lock it ran under (0
/// where no lock is needed, as in a command of a client).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Called {
    element_instance: ElementInstanceKey,
    ordinal: u32,
    element: String,
    attempt: i32,
    job: Option<JobKey>,
}

impl Called {
    /// Whether both are runs of one job.
    pub fn is_same_job(&self, other: &Self) -> bool {
        self.job.is_some() && self.job == other.job
    }
}

impl Checker {
    pub fn invoked(
        &mut self,
        store: &Core,
        session: Option<i64>,
        invoke: &Invoke,
    ) -> Result<Called, Violation> {
        let job = store.jobs.values().find(|job| {
            job.element_instance == invoke.element_instance
                && job.kind == JobKind::AsyncBefore
                && job.element == invoke.element
        });
        if let (Some(job), Some(session)) = (job, session)
            && store.has_session(session)
            && job.lock_session != Some(session)
        {
            let message = format!(
                "session {session} calls '{}' for job {}, which is {:?} and locked by {:?}",
                invoke.callee.name(),
                job.key,
                job.state,
                job.lock_session
            );
            return Err(Violation::new("I5", message));
        }
        // A node that was frozen and does not know yet that it was fenced calls under a lock it has
        // lost; the lock in the row is another's.
        let lost = session.filter(|session| !store.has_session(*session));
        let lock = lost.map(|session| -i32::try_from(session).unwrap_or(i32::MAX));
        let called = Called {
            element_instance: invoke.element_instance,
            ordinal: invoke.ordinal,
            element: invoke.element.to_string(),
            attempt: lock.unwrap_or(job.map_or(0, |job| job.attempt)),
            job: job.map(|job| job.key),
        };
        if !self.invoked.insert(called.clone()) {
            return Err(Violation::new("calls", format!("called again: {called:?}")));
        }
        Ok(called)
    }

    /// A call that was stopped may be made again.
    pub fn aborted(&mut self, called: &Called) {
        self.invoked.remove(called);
    }
}
