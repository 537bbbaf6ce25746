//! Chores that someone wants done here and now, whatever their due date, retries, suspension and
//! lock say, and whether or not this node's executor is on.
//!
//! The chore is locked for this node first, also from under another one: what that still writes
//! about it is in conflict. Whoever asked is answered with its end. One that this node has locked
//! already is not begun twice; its end is the answer, too.

use std::sync::Arc;

use orloj_interpreter::{JobFailure, Rejection};
use orloj_store::{Change, ChoreWrite, JobRow, LockWrite};
use orloj_types::{ElementId, JobKey};
use thin_vec::thin_vec;

use super::super::answer::Question;
use super::super::claims::{Ended, Sole};
use super::super::event::{Find, Found, Reply, RequestId};
use super::{Node, Phase, held_by, kept};
use crate::api::Error;

impl Node {
    pub(in crate::node) fn run_chore(&mut self, id: RequestId, job: JobKey) {
        self.find(Question::RunChore { id, job }, Find::Job(job));
    }

    pub(in crate::node) fn chore_to_run(&mut self, id: RequestId, job: JobKey, found: Found) {
        let Found::Job(row) = found else {
            return self.reply(id, Err(Rejection::JobNotFound(job).into()));
        };
        if !row.kind.is_chore() {
            return self.reply(id, Err(Error::Invalid(format!("job {job} is of an instance"))));
        }
        if self.phase != Phase::Running {
            return self.reply(id, Err(Error::ShuttingDown));
        }
        let is_here =
            self.chores.running.contains_key(&job) || self.chores.queued.contains_key(&job);
        if is_here {
            self.chores.asked.entry(job).or_default().push(id);
            return;
        }
        let mut update = kept(&row, held_by(&row));
        update.lock = LockWrite::Session(self.lease.session);
        let change = Change { chores: thin_vec![ChoreWrite::Update(update)], ..Change::default() };
        self.commit_alone(change, Sole::ChoreLocked { id, row });
    }

    /// The lock is on disk, or is not to be had.
    pub(in crate::node) fn chore_locked(
        &mut self,
        id: RequestId,
        mut row: Box<JobRow>,
        ended: &Ended<'_>,
    ) {
        match ended {
            Ended::Done => {}
            Ended::Lost => return self.reply(id, Err(Error::Overtaken)),
            Ended::Refused(error) => return self.reply(id, Err((*error).clone())),
        }
        let job = row.key;
        row.lock_session = Some(self.lease.session);
        row.attempt += 1;
        self.held.insert(job, row.attempt);
        self.listed.insert(job);
        self.chores.asked.entry(job).or_default().push(id);
        if self.chores.running.contains_key(&job) {
            // Acquired meanwhile and begun under the lock before: it comes to nothing, and whoever
            // asked is told to look again.
            return;
        }
        self.chores.queued.insert(job, row);
        self.begin_chore(job);
    }

    /// Answers whoever waits for the end of a chore.
    pub(super) fn answer_asked(&mut self, job: JobKey, result: &Result<(), Error>) {
        for id in self.chores.asked.remove(&job).unwrap_or_default() {
            self.reply(id, result.clone().map(|()| Reply::Done));
        }
    }

    /// Callers learn that the lease is gone.
    pub(in crate::node) fn drop_asked(&mut self, error: &Error) {
        let mut jobs: Vec<_> = self.chores.asked.keys().copied().collect();
        jobs.sort_unstable();
        for job in jobs {
            self.answer_asked(job, &Err(error.clone()));
        }
    }
}

pub(super) fn failed(
    job: JobKey,
    element: ElementId,
    message: &Arc<str>,
    retries_left: i32,
) -> Error {
    Error::JobFailed(JobFailure { job, element, message: message.clone(), retries_left })
}
