//! From a chore's acquisition to its end.

use orloj_executor::Meter;
use orloj_store::{
    Change, ChoreUpdate, ChoreWrite, Error as StoreError, Held, JobKind, JobRow, JobState,
    LockWrite,
};
use orloj_types::JobKey;
use thin_vec::thin_vec;

use super::at_work::{Doing, Running};
use super::failing::Failed;
use super::{Afterwards, kept};
use crate::api::Error;
use crate::node::answer::Question;
use crate::node::claims::{Ended, Sole};
use crate::node::event::{Find, Found};
use crate::node::{Node, Phase, RETRY_MS};

impl Node {
    /// A waiting chore has come to its moment: it is made ready, for anyone to acquire.
    pub(in crate::node) fn chore_due(&mut self, row: &JobRow) {
        let update =
            ChoreUpdate { state: JobState::Ready, lock: LockWrite::Clear, ..kept(row, Held::Free) };
        let change = Change { chores: thin_vec![ChoreWrite::Update(update)], ..Change::default() };
        self.commit_alone(change, Sole::ChoreDue { job: row.key });
    }

    pub(in crate::node) fn chore_made_ready(&mut self, job: JobKey, ended: &Ended<'_>) {
        match ended {
            Ended::Done => {
                let engine_type = self.engine_type.clone();
                self.jobs_ready(engine_type);
            }
            // Someone else did it, or it is gone.
            Ended::Lost => return self.due_lost(job),
            Ended::Refused(error @ Error::Internal(_)) => self.remember_set_aside(job, error),
            Ended::Refused(_) => {}
        }
        self.due_done(job);
    }

    pub(in crate::node) fn chore_acquired(&mut self, row: JobRow) {
        if self.chores.running.contains_key(&row.key) {
            // Begun by hand in the meantime, under a later lock; or the change that ends it has
            // freed it, and this node has not heard of that yet: given back when it has.
            return;
        }
        self.chores.queued.insert(row.key, Box::new(row));
    }

    /// Begins a chore whose turn has come.
    pub(in crate::node) fn begin_chore(&mut self, job: JobKey) {
        if self.chores.running.contains_key(&job) {
            // Begun by hand before its turn came, or has not ended yet as far as is known here.
            return;
        }
        let Some(row) = self.chores.queued.remove(&job) else { return self.give_back(job) };
        match row.kind {
            JobKind::StartTimer => self.begin_start_timer(row),
            JobKind::BatchSeed => self.begin_seed(row),
            JobKind::BatchMonitor => self.begin_monitor(row),
            JobKind::BatchPart => self.begin_part(row),
            JobKind::HistoryCleanup => self.begin_cleanup(row),
            JobKind::SuspendDefinition
            | JobKind::ActivateDefinition
            | JobKind::SuspendJobDefinition
            | JobKind::ActivateJobDefinition => self.begin_suspension(row),
            _ => {
                debug_assert!(!row.kind.is_chore(), "every chore is begun above");
                self.give_back(job);
            }
        }
    }

    pub(super) fn run(&mut self, mut row: Box<JobRow>, doing: Doing) {
        self.known.give_tenant(&mut row);
        let running = Running { row, next_due_at: None, doing, outcome: Ok(()) };
        self.chores.running.insert(running.row.key, running);
    }

    pub(super) fn chore_row(&self, job: JobKey) -> Option<&JobRow> {
        self.chores.running.get(&job).map(|running| &*running.row)
    }

    pub(in crate::node) fn hold(&self, row: &JobRow) -> Held {
        Held::By { session: self.lease.session, attempt: row.attempt }
    }

    pub(super) fn ask_for_chore(&mut self, job: JobKey, find: Find) {
        self.find(Question::Chore { job }, find);
    }

    /// The store has found what a chore asked for.
    pub(in crate::node) fn chore_found(&mut self, job: JobKey, found: Found) {
        if self.phase != Phase::Running {
            // Its lock goes with the lease.
            return;
        }
        let Some(running) = self.chores.running.get(&job) else { return };
        match running.row.kind {
            JobKind::BatchSeed => self.seed_found(job, found),
            JobKind::BatchMonitor => self.monitor_found(job, found),
            JobKind::BatchPart => self.part_found(job, found),
            JobKind::HistoryCleanup => self.cleanup_found(job, found),
            _ => {}
        }
    }

    pub(in crate::node) fn chore_unanswered(&mut self, job: JobKey, error: &StoreError) {
        match error {
            StoreError::Refused(_) | StoreError::Damaged(_) => {
                tracing::warn!(%error, %job, "chore failed");
                let retry_at = self.retry_at();
                self.fail_chore(job, Failed { retry_at, ..Failed::of(&error.to_string()) });
            }
            _ => self.begin_chore_later(job),
        }
    }

    /// It is begun again when the store is back.
    pub(super) fn begin_chore_later(&mut self, job: JobKey) {
        self.retry_at = self.now.plus_ms(RETRY_MS);
        self.abandon_chore(job);
    }

    /// A command about an instance that a chore has given is over.
    pub(in crate::node) fn chore_worked(&mut self, job: JobKey, ended: &Ended<'_>) {
        let Some(running) = self.chores.running.get(&job) else { return };
        match running.row.kind {
            JobKind::StartTimer => self.start_timer_ended(job, ended),
            JobKind::BatchPart => self.part_worked(job, ended),
            _ => {}
        }
    }

    /// The last change of a chore, one that is about no instance.
    pub(super) fn conclude(&mut self, job: JobKey, change: Change, afterwards: Afterwards) {
        self.commit_alone(change, Sole::Chore { job, afterwards });
    }

    /// It stays locked and out of the way; the node's next life tries it again.
    pub(super) fn set_chore_aside(&mut self, job: JobKey, error: &Error) {
        tracing::error!(%error, %job, "chore set aside");
        self.chores.running.remove(&job);
        self.job_over(job);
        self.remember_set_aside(job, error);
        self.answer_asked(job, &Err(error.clone()));
    }

    /// Under a key of its own: changes of one key that wait together become one, but whoever
    /// waits for a change about a chore is to hear of that one alone.
    pub(super) fn commit_alone(&mut self, mut change: Change, sole: Sole) {
        self.follow_chores(&mut change);
        let key = self.keys.next(self.now);
        self.commit_sole(key, change, sole);
    }

    pub(in crate::node) fn chore_concluded(
        &mut self,
        job: JobKey,
        afterwards: Afterwards,
        ended: &Ended<'_>,
    ) {
        match ended {
            Ended::Done => {
                self.chore_over(job);
                self.look_afterwards(afterwards);
            }
            Ended::Lost => self.abandon_chore(job),
            Ended::Refused(error) => self.set_chore_aside(job, error),
        }
    }

    /// Chores on disk may be ready, or become due.
    pub(in crate::node) fn look_afterwards(&mut self, afterwards: Afterwards) {
        if afterwards.is_ready {
            let engine_type = self.engine_type.clone();
            self.jobs_ready(engine_type);
        }
        if let Some(at) = afterwards.due_at {
            self.watch_due(at);
        }
    }

    /// A chore was done, for good or for this time.
    pub(super) fn chore_over(&mut self, job: JobKey) {
        let Some(running) = self.chores.running.remove(&job) else { return };
        self.let_go(job, Some(running.row.attempt));
        self.job_over(job);
        self.metrics.engine_jobs_run.inc();
        if self.held.contains_key(&job) {
            // Locked here anew before this was known to be over.
            self.give_chore_back(job);
        }
        if let Some(at) = running.next_due_at {
            self.watch_due(at);
        }
        self.answer_asked(job, &running.outcome);
    }

    pub(super) fn count_success(&self) {
        self.metrics.meters.add(Meter::JobSuccessful, 1);
    }

    /// Something came in between that says nothing about the chore: it is begun again, here or
    /// elsewhere, at no cost.
    pub(super) fn abandon_chore(&mut self, job: JobKey) {
        if self.chores.running.remove(&job).is_some() {
            self.held.entry(job).or_default();
            self.job_over(job);
            self.give_chore_back(job);
            self.answer_asked(job, &Err(Error::Overtaken));
        }
    }
}
