//! Gathers what a command does besides the record itself: the rows that follow and the history.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::{IncidentKey, JobKey, UserTaskKey};

use crate::outcome::{
    Event, IncidentChange, IncidentRow, JobChange, JobRow, UserTaskChange, UserTaskRow,
};
use crate::record::{ElementInstance, Job, JobKind, Record};

#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// Rows are made at the end from the jobs as they then are, so each appears once.
    jobs: BTreeMap<JobKey, Touch>,
    pub(crate) user_tasks: Vec<UserTaskChange>,
    pub(crate) incidents: Vec<IncidentChange>,
    pub(crate) events: Vec<Event>,
}

#[derive(Debug)]
struct Touch {
    /// It has a row from before this command.
    stored: bool,
    gone: bool,
    unlock: bool,
    failure: Option<Arc<str>>,
}

impl Changes {
    pub(crate) fn event(&mut self, event: Event) {
        self.events.push(event);
    }

    pub(crate) fn job_created(&mut self, job: JobKey) {
        let touch = Touch { stored: false, gone: false, unlock: false, failure: None };
        self.jobs.insert(job, touch);
    }

    pub(crate) fn job_updated(&mut self, job: JobKey) {
        self.touch(job);
    }

    /// The job failed and loses its lock.
    pub(crate) fn job_failed(&mut self, job: JobKey, failure: Arc<str>) {
        let touch = self.touch(job);
        touch.unlock = true;
        touch.failure = Some(failure);
    }

    pub(crate) fn job_gone(&mut self, job: JobKey) {
        let touch = self.touch(job);
        if touch.stored {
            touch.gone = true;
        } else {
            self.jobs.remove(&job);
        }
    }

    fn touch(&mut self, job: JobKey) -> &mut Touch {
        let untouched = Touch { stored: true, gone: false, unlock: false, failure: None };
        self.jobs.entry(job).or_insert(untouched)
    }

    pub(crate) fn user_task_created(&mut self, row: UserTaskRow) {
        self.user_tasks.push(UserTaskChange::Insert(row));
    }

    pub(crate) fn user_task_gone(&mut self, key: UserTaskKey) {
        let before = self.user_tasks.len();
        self.user_tasks.retain(|c| !matches!(c, UserTaskChange::Insert(row) if row.key == key));
        if self.user_tasks.len() == before {
            self.user_tasks.push(UserTaskChange::Delete(key));
        }
    }

    pub(crate) fn incident_opened(&mut self, row: IncidentRow) {
        self.incidents.push(IncidentChange::Insert(row));
    }

    pub(crate) fn incident_gone(&mut self, key: IncidentKey) {
        let before = self.incidents.len();
        self.incidents.retain(|c| !matches!(c, IncidentChange::Insert(row) if row.key == key));
        if self.incidents.len() == before {
            self.incidents.push(IncidentChange::Delete(key));
        }
    }

    /// The rows of all jobs touched: first those to delete, then the others in the order of the
    /// record.
    pub(crate) fn take_jobs(&mut self, record: &Record) -> Vec<JobChange> {
        let mut touched = std::mem::take(&mut self.jobs);
        let mut rows = Vec::with_capacity(touched.len());
        touched.retain(|&key, touch| {
            if touch.gone {
                rows.push(JobChange::Delete(key));
            }
            !touch.gone
        });
        for element in &record.elements {
            if touched.is_empty() {
                break;
            }
            for job in &element.jobs {
                let Some(touch) = touched.remove(&job.key) else { continue };
                let row = row_of(element, job, touch.failure);
                rows.push(match touch.stored {
                    true => JobChange::Update { row, unlock: touch.unlock },
                    false => JobChange::Insert(row),
                });
            }
        }
        debug_assert!(touched.is_empty(), "a touched job is in the record or gone");
        rows
    }
}

fn row_of(element: &ElementInstance, job: &Job, failure: Option<Arc<str>>) -> JobRow {
    let of_element = match &job.kind {
        JobKind::Timer { event, .. } => event,
        _ => &element.element,
    };
    JobRow { job: job.clone(), element: of_element.clone(), element_instance: element.key, failure }
}
