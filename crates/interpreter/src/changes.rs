//! Gathers what a command does besides the record itself: the rows that follow and the history.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use orloj_model::Process;
use orloj_types::{ElementId, IncidentKey, JobKey, SubscriptionKey, UserTaskKey};

use crate::outcome::{
    Event, Failed, IncidentChange, IncidentRow, JobChange, JobRow, SubscriptionChange,
    SubscriptionRow, TaskEnd, UserTaskChange, UserTaskRow,
};
use crate::record::{ElementInstance, Job, JobKind, Record};

/// What a step from one task to the next leaves in the history, and some room.
const STEP_EVENTS: usize = 8;

#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// Rows are made at the end from the jobs as they then are, so each appears once.
    jobs: BTreeMap<JobKey, Touch>,
    pub(crate) user_tasks: Vec<UserTaskChange>,
    /// Those of them that this command made, so that many can go without a search for each.
    new_tasks: BTreeSet<UserTaskKey>,
    pub(crate) incidents: Vec<IncidentChange>,
    pub(crate) subscriptions: Vec<SubscriptionChange>,
    new_subscriptions: BTreeSet<SubscriptionKey>,
    pub(crate) events: Vec<Event>,
    /// The exclusive job that this command let run: nobody can have locked it yet.
    pub(crate) new_holder: Option<JobKey>,
    /// A parked job that goes before the holder of its queue, which somebody may have locked.
    pub(crate) overtaking: Option<JobKey>,
    /// The record has changed in a way that shows in nothing else.
    pub(crate) is_record_changed: bool,
}

#[derive(Debug)]
struct Touch {
    /// It has a row from before this command.
    stored: bool,
    gone: bool,
    unlock: bool,
    failure: Option<Box<Failed>>,
}

impl Changes {
    /// Whether anything has changed.
    pub(crate) fn any(&self) -> bool {
        self.is_record_changed || !self.events.is_empty() || !self.jobs.is_empty()
    }

    pub(crate) fn event(&mut self, event: Event) {
        if self.events.capacity() == 0 {
            self.events.reserve_exact(STEP_EVENTS);
        }
        self.events.push(event);
    }

    pub(crate) fn job_created(&mut self, job: JobKey) {
        let touch = Touch { stored: false, gone: false, unlock: false, failure: None };
        self.jobs.insert(job, touch);
    }

    /// Whether this command has made the job.
    pub(crate) fn is_new_job(&self, job: JobKey) -> bool {
        self.jobs.get(&job).is_some_and(|touch| !touch.stored)
    }

    pub(crate) fn job_updated(&mut self, job: JobKey) {
        self.touch(job);
    }

    /// The job failed and loses its lock.
    pub(crate) fn job_failed(&mut self, job: JobKey, failure: Failed) {
        let touch = self.touch(job);
        touch.unlock = true;
        touch.failure = Some(Box::new(failure));
    }

    /// Whoever has locked the job loses it.
    pub(crate) fn job_unlocked(&mut self, job: JobKey) {
        self.touch(job).unlock = true;
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
        self.new_tasks.insert(row.key);
        self.user_tasks.push(UserTaskChange::Insert(row));
    }

    /// The row of a task that is there since this command.
    pub(crate) fn made_user_task(&mut self, key: UserTaskKey) -> Option<&mut UserTaskRow> {
        if !self.new_tasks.contains(&key) {
            return None;
        }
        self.user_tasks.iter_mut().rev().find_map(|change| match change {
            UserTaskChange::Insert(row) if row.key == key => Some(row),
            _ => None,
        })
    }

    /// The task goes on at another element.
    pub(crate) fn user_task_moved(&mut self, key: UserTaskKey, element: ElementId) {
        self.user_tasks.push(UserTaskChange::Move { key, element });
    }

    pub(crate) fn user_task_gone(&mut self, key: UserTaskKey, how: TaskEnd) {
        self.event(Event::UserTaskEnded { key, how });
        match self.new_tasks.remove(&key) {
            true => self
                .user_tasks
                .retain(|c| !matches!(c, UserTaskChange::Insert(row) if row.key == key)),
            false => self.user_tasks.push(UserTaskChange::Delete(key)),
        }
    }

    pub(crate) fn incident_opened(&mut self, row: IncidentRow) {
        self.incidents.push(IncidentChange::Insert(row));
    }

    pub(crate) fn incident_annotated(&mut self, key: IncidentKey, annotation: Option<Arc<str>>) {
        self.incidents.push(IncidentChange::Annotate { key, annotation });
    }

    pub(crate) fn incident_gone(&mut self, key: IncidentKey) {
        let before = self.incidents.len();
        self.incidents.retain(|c| !matches!(c, IncidentChange::Insert(row) if row.key == key));
        if self.incidents.len() == before {
            self.incidents.push(IncidentChange::Delete(key));
        }
    }

    pub(crate) fn subscription_opened(&mut self, row: SubscriptionRow) {
        self.new_subscriptions.insert(row.subscription.key);
        self.subscriptions.push(SubscriptionChange::Insert(row));
    }

    pub(crate) fn subscription_gone(&mut self, key: SubscriptionKey) {
        let is_it = |c: &SubscriptionChange| matches!(c, SubscriptionChange::Insert(row) if row.subscription.key == key);
        match self.new_subscriptions.remove(&key) {
            true => self.subscriptions.retain(|c| !is_it(c)),
            false => self.subscriptions.push(SubscriptionChange::Delete(key)),
        }
    }

    /// The rows of all jobs touched: first those to delete, then the others in the order of the
    /// record.
    pub(crate) fn take_jobs(&mut self, record: &Record, process: &Process) -> Vec<JobChange> {
        let mut touched = std::mem::take(&mut self.jobs);
        let mut rows = Vec::with_capacity(touched.len());
        touched.retain(|&key, touch| {
            if touch.gone {
                rows.push(JobChange::Delete(key));
            }
            !touch.gone
        });
        let mut kept = Vec::with_capacity(touched.len());
        for (key, touch) in touched {
            let Some((element, job)) = record.job(key) else {
                debug_assert!(false, "a touched job is in the record or gone");
                continue;
            };
            let place = element.jobs.iter().position(|job| job.key == key);
            kept.push(((element.key, place), element, job, touch));
        }
        // The instance itself is the oldest of its element instances.
        kept.sort_by_key(|(place, ..)| *place);
        rows.extend(kept.into_iter().map(|(_, element, job, touch)| {
            let row = row_of(process, element, job, touch.failure.map(|failed| *failed));
            match touch.stored {
                true => JobChange::Update { row, unlock: touch.unlock },
                false => JobChange::Insert(row),
            }
        }));
        rows
    }
}

fn row_of(
    process: &Process,
    element: &ElementInstance,
    job: &Job,
    failure: Option<Failed>,
) -> JobRow {
    let of_element = match &job.kind {
        JobKind::Timer { event, .. } => event,
        _ => &element.element,
    };
    JobRow {
        job: job.clone(),
        element: of_element.clone(),
        element_instance: element.key,
        topic: topic_of(process, element, job),
        failure,
    }
}

/// What limits and circuit breakers count a job by.
pub fn topic_of(process: &Process, element: &ElementInstance, job: &Job) -> Arc<str> {
    match job.kind {
        JobKind::Worker | JobKind::Listener { .. } => job.job_type.clone(),
        // What the element calls is called behind the save point before it.
        JobKind::AsyncBefore => match process.find(&element.element) {
            Some(index) => process.element(index).jobs.topic.clone(),
            None => Arc::default(),
        },
        _ => Arc::default(),
    }
}
