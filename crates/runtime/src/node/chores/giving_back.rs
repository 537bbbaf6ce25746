//! Chores that this node holds and does not run, on their way back.
//!
//! An order about a locked chore leaves the lock where it is, under another number. So whoever
//! gives a chore back looks at its row first and unlocks it by a write that says what it expects;
//! where an order comes in between, it looks again. A lock that nobody clears would last as long as
//! the session.

use orloj_store::{Change, ChoreUpdate, ChoreWrite, JobRow, LockWrite};
use orloj_types::JobKey;
use thin_vec::thin_vec;

use super::super::answer::Question;
use super::super::claims::{Ended, Sole};
use super::super::event::Find;
use super::{Afterwards, Node, kept};
use crate::api::Error;

impl Node {
    /// Chores that an order is about and that only wait for their turn here are given back by the
    /// order itself.
    pub(in crate::node) fn yield_chores(&mut self, change: &mut Change) -> Vec<JobKey> {
        let mut yielded = Vec::new();
        for write in &mut change.chores {
            let ChoreWrite::Update(ChoreUpdate { key, lock, .. }) = write else { continue };
            let is_order = *lock == LockWrite::Session(self.lease.session);
            if is_order && self.chore_left_queue(*key) {
                *lock = LockWrite::Clear;
                self.job_over(*key);
                self.held.insert(*key, 0);
                self.giving_back.insert(*key, 0);
                yielded.push(*key);
            }
        }
        yielded
    }

    /// The order is on disk, or has come to nothing.
    pub(in crate::node) fn chores_yielded(&mut self, jobs: &[JobKey], ended: &Ended<'_>) {
        for job in jobs {
            match ended {
                Ended::Done => self.no_longer_held(*job),
                Ended::Lost | Ended::Refused(_) => self.give_chore_back(*job),
            }
        }
    }

    /// It was locked here for its turn, which will not come. False: it was not.
    pub(in crate::node) fn chore_left_queue(&mut self, job: JobKey) -> bool {
        let was_queued = self.chores.queued.remove(&job).is_some();
        if was_queued {
            self.answer_asked(job, &Err(Error::Overtaken));
        }
        was_queued
    }

    pub(in crate::node) fn give_chore_back(&mut self, job: JobKey) {
        if let Some(attempt) = self.held.get_mut(&job) {
            *attempt = 0;
            self.giving_back.insert(job, 0);
            self.find(Question::GiveBack { job }, Find::Job(job));
        }
    }

    /// The row of a chore that is to be given back was read.
    pub(in crate::node) fn free_chore(&mut self, row: &JobRow) {
        let update = ChoreUpdate { lock: LockWrite::Clear, ..kept(row, self.hold(row)) };
        let chores = thin_vec![ChoreWrite::Update(update)];
        let afterwards = Afterwards::of(&chores);
        let change = Change { chores, ..Change::default() };
        self.commit_alone(change, Sole::ChoreFreed { job: row.key, afterwards });
    }

    pub(in crate::node) fn chore_freed(
        &mut self,
        job: JobKey,
        afterwards: Afterwards,
        ended: &Ended<'_>,
    ) {
        // Otherwise it has been locked here anew.
        let is_mine = self.held.get(&job) == Some(&0);
        match ended {
            Ended::Lost if is_mine => self.give_chore_back(job),
            Ended::Refused(_) if is_mine => self.give_back_unanswered(job),
            Ended::Done | Ended::Lost | Ended::Refused(_) => self.no_longer_held(job),
        }
        if matches!(ended, Ended::Done) {
            self.look_afterwards(afterwards);
        }
    }

    /// What was to be given back is not held here any more, or is so by a later lock.
    pub(in crate::node) fn no_longer_held(&mut self, job: JobKey) {
        self.let_go(job, Some(0));
        if self.giving_back.get(&job) == Some(&0) {
            self.giving_back.remove(&job);
        }
    }
}
