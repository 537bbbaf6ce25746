//! What can be done with a job.

use std::sync::Arc;

use orloj_interpreter::{Command, JobOrder, NewTimer, Rejection};
use orloj_model::TimerKind;
use orloj_store::{JobKind, JobRow, JobState};
use orloj_types::{EngineName, JobKey, TenantId, Timestamp};

use super::operation::Entry;
use crate::api::Error;
use crate::node::chores::new_chore;

#[derive(Clone, Debug, PartialEq)]
pub enum JobAction {
    /// None are left: the job waits for a person. More: it is tried again, and its incident is
    /// resolved.
    SetRetries {
        retries: i32,
        /// Also the due date, which may be taken away.
        due: Option<Option<Timestamp>>,
    },
    SetDueDate {
        due: Option<Timestamp>,
        /// Later firings of a repetition move by as much.
        cascade: bool,
    },
    /// The model's timer is computed again.
    RecalculateDueDate {
        /// As if it was the moment the job was made; otherwise from now.
        from_creation: bool,
    },
    SetPriority(i64),
    Suspend,
    Resume,
    /// Here and now, whatever its due date, retries, suspension and lock say.
    /// [`crate::Error::JobFailed`] tells why it failed.
    Execute,
    /// Refused while someone works on it: [`crate::Error::Locked`].
    Delete,
    MoveToDeadLetters,
    /// A dead letter is tried again.
    MoveToExecutable {
        retries: i32,
    },
    /// A job that waits for its due date runs now.
    MoveTimerToExecutable,
    /// Another timer takes the place of this one.
    Reschedule(Reschedule),
    /// A worker's lock is taken away; what the worker still says about the job is refused.
    Unlock,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reschedule {
    Date(Arc<str>),
    Duration(Arc<str>),
    Cycle(Arc<str>),
}

impl Reschedule {
    /// A repetition that ends at a moment, written as in a model. Flowable gives the end beside
    /// the repetition; ISO 8601 writes it behind.
    pub fn cycle_until(cycle: &str, end: &str) -> Result<Self, Error> {
        let parts = cycle.split('/').count();
        if !cycle.starts_with('R') || parts != 2 {
            let reason = "an end goes with a repetition such as R/PT10M or R3/PT10M";
            return Err(Error::Invalid(reason.to_owned()));
        }
        Ok(Self::Cycle(format!("{cycle}/{end}").into()))
    }

    pub(super) fn timer(&self) -> NewTimer {
        let (kind, text) = match self {
            Self::Date(text) => (TimerKind::Date, text),
            Self::Duration(text) => (TimerKind::Duration, text),
            Self::Cycle(text) => (TimerKind::Cycle, text),
        };
        NewTimer { kind, text: text.clone() }
    }
}

impl JobAction {
    /// Whether its own values make sense, whichever job it is for.
    pub fn check(&self) -> Result<(), Rejection> {
        match self {
            Self::SetRetries { retries, .. } if *retries < 0 => {
                Err(Rejection::RetriesNegative(*retries))
            }
            Self::MoveToExecutable { retries } if *retries < 1 => {
                Err(Rejection::RetriesTooFew(*retries))
            }
            _ => Ok(()),
        }
    }

    /// What an instance is told; `None`: it is none of its business. `new`: the key of a job that
    /// takes the place of this one.
    pub(crate) fn command(&self, row: &JobRow, new: JobKey) -> Option<Command> {
        let job = row.key;
        let what = match self {
            Self::SetRetries { retries, due } => {
                JobOrder::SetRetries { retries: *retries, due: *due }
            }
            Self::SetDueDate { due, cascade } => {
                JobOrder::SetDueDate { due: *due, cascade: *cascade }
            }
            Self::RecalculateDueDate { from_creation } => {
                JobOrder::RecalculateDueDate { from_creation: *from_creation }
            }
            Self::SetPriority(priority) => JobOrder::SetPriority(*priority),
            Self::Delete => JobOrder::Delete,
            Self::MoveToDeadLetters => JobOrder::MoveToDeadLetters,
            Self::MoveToExecutable { retries } => JobOrder::MoveToExecutable { retries: *retries },
            Self::MoveTimerToExecutable => JobOrder::MoveTimerToExecutable,
            Self::Reschedule(timer) => JobOrder::Reschedule { timer: timer.timer(), new },
            Self::Suspend => return Some(Command::SuspendJobs { jobs: vec![job] }),
            Self::Resume => return Some(Command::ResumeJobs { jobs: vec![job] }),
            Self::Execute => return Some(Command::ExecuteJob { job }),
            Self::Unlock => return None,
        };
        Some(Command::ManageJob { job, what, failure: row.failure.clone() })
    }

    /// What the log tells of many jobs that it is done to.
    pub(crate) fn summary(&self, engine: &EngineName) -> Vec<Entry> {
        // As of any job: what is the job's own is not told.
        let (key, tenant) = (JobKey::new(0), TenantId::none());
        self.entries(&new_chore(key, engine, &tenant, JobKind::BatchPart, Timestamp::ZERO))
    }

    /// What the log tells of it.
    pub(crate) fn entries(&self, row: &JobRow) -> Vec<Entry> {
        let is_external = row.kind.is_for_workers();
        let entity = if is_external { "ExternalTask" } else { "Job" };
        let entry = |operation| Entry { entity, ..Entry::of_job(operation, row) };
        let set_retries = if is_external { "SetExternalTaskRetries" } else { "SetJobRetries" };
        let retries =
            |new: i32| entry(set_retries).changing("retries", Some(row.retries_left), Some(new));
        match self {
            Self::SetRetries { retries: new, due } => {
                let due = due.map(|due| entry(set_retries).changing("dueDate", row.due_at, due));
                std::iter::once(retries(*new)).chain(due).collect()
            }
            Self::SetDueDate { due, .. } => {
                vec![entry("SetDueDate").changing("duedate", row.due_at, *due)]
            }
            Self::RecalculateDueDate { from_creation } => vec![
                entry("RecalculateDueDate").changing("duedate", row.due_at, None::<&str>),
                entry("RecalculateDueDate").changing(
                    "creationDateBased",
                    None::<&str>,
                    Some(from_creation),
                ),
            ],
            Self::SetPriority(priority) => {
                vec![entry("SetPriority").changing("priority", Some(row.priority), Some(priority))]
            }
            Self::Suspend => vec![entry("SuspendJob").suspending(true)],
            Self::Resume => vec![entry("ActivateJob").suspending(false)],
            Self::Execute => vec![entry("Execute")],
            Self::Delete => vec![entry("Delete")],
            Self::MoveToDeadLetters => vec![entry("MoveToDeadLetters")],
            Self::MoveToExecutable { retries: new } => vec![retries(*new)],
            Self::MoveTimerToExecutable => vec![entry("MoveToExecutable")],
            Self::Reschedule(timer) => {
                let text = timer.timer().text;
                vec![entry("Reschedule").changing("timer", row.due_at, Some(text))]
            }
            Self::Unlock => {
                vec![Entry { entity: "ExternalTask", ..entry("Unlock") }]
            }
        }
    }

    /// Whether it would change nothing.
    pub(crate) fn is_idle(&self, row: &JobRow) -> bool {
        match self {
            Self::Suspend => row.state == JobState::Suspended,
            Self::Resume => row.state != JobState::Suspended,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_goes_behind_a_repetition_and_with_nothing_else() {
        let end = "2031-01-01T00:00:00Z";
        let until = |cycle| Reschedule::cycle_until(cycle, end).ok();
        let cycle = |text: &str| Some(Reschedule::Cycle(text.into()));
        assert_eq!(until("R/PT1H"), cycle("R/PT1H/2031-01-01T00:00:00Z"));
        assert_eq!(until("R3/PT1H"), cycle("R3/PT1H/2031-01-01T00:00:00Z"));
        for cycle in ["0 0 * * * ?", "PT1H", "R", "R/PT1H/2030-01-01T00:00:00Z"] {
            assert_eq!(until(cycle), None, "{cycle}");
        }
    }
}
