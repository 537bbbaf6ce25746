//! Outcomes as text, with short names instead of keys.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use orloj_types::{Document, Timestamp};

use super::story::BEGINNING;
use crate::{
    ElementInstance, ElementState, Event, IncidentChange, IncidentEnd, Job, JobChange, JobKind,
    JobState, LeaveKind, Outcome, Record, Rejection, SubscriptionChange, SubscriptionRow,
    UserTaskChange,
};

/// Names by key, in the order the keys were first seen.
#[derive(Default)]
pub(crate) struct Names {
    names: BTreeMap<i64, String>,
    counts: BTreeMap<String, u32>,
}

impl Names {
    /// `pay`, then `pay#2`; `job` counts from the first.
    fn of(&mut self, key: i64, word: &str) -> String {
        if let Some(name) = self.names.get(&key) {
            return name.clone();
        }
        let count = self.counts.entry(word.to_owned()).or_default();
        *count += 1;
        let name = match (word, *count) {
            ("job" | "incident" | "task" | "subscription", count) => format!("{word}{count}"),
            (_, 1) => word.to_owned(),
            (_, count) => format!("{word}#{count}"),
        };
        self.names.insert(key, name.clone());
        name
    }

    pub(crate) fn rejection(&self, rejection: &Rejection) -> String {
        let mut text = rejection.to_string();
        for (key, name) in &self.names {
            text = text.replace(&key.to_string(), name);
        }
        format!("rejected: {text}")
    }

    pub(crate) fn outcome(&mut self, outcome: &Outcome) -> String {
        let mut out = String::new();
        for event in &outcome.events {
            if let Some(line) = self.event(event) {
                let _ = writeln!(out, "{line}");
            }
        }
        let _ = writeln!(out, "--");
        for change in &outcome.jobs {
            let line = match change {
                JobChange::Insert(row) => {
                    format!("insert {}", self.job(&row.job, &row.element))
                }
                JobChange::Update { row, unlock } => {
                    let unlock = if *unlock { " unlock" } else { "" };
                    let failure = match &row.failure {
                        Some(failed) => format!(" '{}'", failed.message),
                        None => String::new(),
                    };
                    format!("update {}{unlock}{failure}", self.job(&row.job, &row.element))
                }
                JobChange::Delete(key) => format!("delete {}", self.of(key.raw(), "job")),
            };
            let _ = writeln!(out, "{line}");
        }
        for change in &outcome.user_tasks {
            let line = match change {
                UserTaskChange::Insert(row) => {
                    let mut line =
                        format!("insert {} {}", self.of(row.key.raw(), "task"), row.element);
                    let lists =
                        [("groups", &row.candidate_groups), ("users", &row.candidate_users)];
                    if let Some(assignee) = &row.assignee {
                        let _ = write!(line, " for {assignee}");
                    }
                    for (word, names) in lists.iter().filter(|(_, names)| !names.is_empty()) {
                        let _ = write!(line, " {word} {}", names.join("+"));
                    }
                    if let Some(due_at) = row.due_at {
                        let _ = write!(line, " due {}", moment(due_at));
                    }
                    let _ = write!(line, " priority {}", row.priority);
                    line
                }
                UserTaskChange::Move { key, element } => {
                    format!("move {} to {element}", self.of(key.raw(), "task"))
                }
                UserTaskChange::Delete(key) => format!("delete {}", self.of(key.raw(), "task")),
            };
            let _ = writeln!(out, "{line}");
        }
        for change in &outcome.subscriptions {
            let line = match change {
                SubscriptionChange::Insert(row) => {
                    let SubscriptionRow { subscription, .. } = row;
                    let name = self.of(subscription.key.raw(), "subscription");
                    format!("insert {name} {:?} of {}", subscription.kind, subscription.event)
                }
                SubscriptionChange::Delete(key) => {
                    format!("delete {}", self.of(key.raw(), "subscription"))
                }
            };
            let _ = writeln!(out, "{line}");
        }
        for change in &outcome.incidents {
            let line = match change {
                IncidentChange::Insert(row) => {
                    format!("insert {} {}", self.of(row.key.raw(), "incident"), row.kind)
                }
                IncidentChange::Annotate { key, annotation } => {
                    let note = annotation.as_deref().unwrap_or("no note");
                    format!("note {} '{note}'", self.of(key.raw(), "incident"))
                }
                IncidentChange::Delete(key) => {
                    format!("delete {}", self.of(key.raw(), "incident"))
                }
            };
            let _ = writeln!(out, "{line}");
        }
        match (&outcome.record, &outcome.end) {
            (Some(record), _) => self.record(record, &mut out),
            (None, Some(end)) => {
                let _ = writeln!(out, "end {:?} {}", end.how, end.variables.to_json());
            }
            (None, None) => {}
        }
        for signal in &outcome.signals {
            let _ = writeln!(out, "signal {} {}", signal.name, signal.variables.to_json());
        }
        for other in &outcome.others {
            let _ = writeln!(out, "== another instance");
            out.push_str(&self.outcome(other));
        }
        out
    }

    fn record(&mut self, record: &Record, out: &mut String) {
        for element in &record.elements {
            let line = self.token(element);
            let _ = writeln!(out, "{line}");
        }
        for (scope, variables) in &record.variables {
            let name = match *scope == record.instance.root_scope() {
                true => "instance".to_owned(),
                false => self.of(scope.raw(), "?"),
            };
            let _ = writeln!(out, "{name}: {}", Document(variables.clone()).to_json());
        }
    }

    fn token(&mut self, element: &ElementInstance) -> String {
        let mut line = format!("at {}", self.of(element.key.raw(), &element.element));
        match element.state {
            ElementState::Entering => line.push_str(" entering"),
            ElementState::Leaving => line.push_str(" leaving"),
            ElementState::Ending => line.push_str(" ending"),
            ElementState::Active => {}
        }
        for job in &element.jobs {
            let _ = write!(line, " {}", self.of(job.key.raw(), "job"));
        }
        if let Some(task) = element.user_task {
            let _ = write!(line, " {}", self.of(task.raw(), "task"));
        }
        for subscription in &element.subscriptions {
            let _ = write!(line, " {}", self.of(subscription.key.raw(), "subscription"));
        }
        for incident in element.incident.iter().chain(&element.timer_incidents) {
            let _ = write!(line, " {}", self.of(incident.key.raw(), "incident"));
        }
        line
    }

    fn job(&mut self, job: &Job, element: &str) -> String {
        let mut line = self.of(job.key.raw(), "job");
        let kind = match &job.kind {
            JobKind::AsyncBefore => format!("before {element}"),
            JobKind::AsyncAfter => format!("after {element}"),
            JobKind::AsyncComplete => format!("completion of {element}"),
            JobKind::Listener { index } => {
                format!("{} listener {index} of {element}", job.job_type)
            }
            JobKind::Worker => format!("{} of {element}", job.job_type),
            JobKind::Signal { variables, .. } => {
                format!("signal for {element} {}", Document(variables.clone()).to_json())
            }
            JobKind::Timer { event, repeat: None } => format!("timer {event}"),
            JobKind::Timer { event, repeat: Some(repeat) } => {
                format!("timer {event} {} fired {}", repeat.text, repeat.fired)
            }
        };
        let state = format!("{:?}", job.state).to_lowercase();
        let _ = write!(line, " {kind}, {state}, retries {}", job.retries_left);
        if job.priority != 0 {
            let _ = write!(line, ", priority {}", job.priority);
        }
        if job.exclusive {
            line.push_str(", exclusive");
        }
        if let (JobState::Waiting, Some(due_at)) = (job.state, job.due_at) {
            let _ = write!(line, ", due {}", moment(due_at));
        }
        line
    }

    fn event(&mut self, event: &Event) -> Option<String> {
        Some(match event {
            Event::InstanceStarted => "started".into(),
            Event::InstanceEnded { how } => format!("ended {how:?}"),
            Event::ElementEntered { key, element, .. } => {
                format!("entered {}", self.of(key.raw(), element))
            }
            Event::ElementLeft { key, how: LeaveKind::Completed } => {
                format!("left {}", self.of(key.raw(), "?"))
            }
            Event::ElementLeft { key, how: LeaveKind::Terminated } => {
                format!("terminated {}", self.of(key.raw(), "?"))
            }
            Event::JobCreated { key, job_type, .. } => {
                let job = self.of(key.raw(), "job");
                format!("{job} created {job_type}").trim_end().to_owned()
            }
            Event::JobActivated { key, activation } => {
                format!("{} activated by {}", self.of(key.raw(), "job"), activation.worker)
            }
            Event::JobCompleted { key } => format!("{} completed", self.of(key.raw(), "job")),
            Event::JobChanged { key, what } => {
                format!("{} changed: {what:?}", self.of(key.raw(), "job"))
            }
            Event::JobFailed { key, retries_left, message, .. } => {
                format!("{} failed, {retries_left} left: {message}", self.of(key.raw(), "job"))
            }
            Event::JobThrew { key, code } => {
                format!("{} threw {code}", self.of(key.raw(), "job"))
            }
            Event::JobCancelled { key } => format!("{} cancelled", self.of(key.raw(), "job")),
            Event::IncidentOpened { key, kind, message, .. } => {
                format!("{} opened {kind}: {message}", self.of(key.raw(), "incident"))
            }
            Event::IncidentClosed { key, how } => {
                let how = match how {
                    IncidentEnd::Resolved => "closed",
                    IncidentEnd::Deleted => "deleted",
                };
                format!("{} {how}", self.of(key.raw(), "incident"))
            }
            Event::ResultDropped { element_instance } => {
                format!("result dropped of {}", self.of(element_instance.raw(), "?"))
            }
            // Their rows tell it, and the visit of the call activity.
            Event::InstanceCalled { .. }
            | Event::UserTaskCreated { .. }
            | Event::UserTaskAssigned { .. }
            | Event::UserTaskCorrected { .. }
            | Event::UserTaskDenied { .. }
            | Event::UserTaskEnded { .. } => return None,
        })
    }
}

/// From the beginning of the story where it is near, else the date.
fn moment(at: Timestamp) -> String {
    let ms = at.ms_since(BEGINNING);
    match ms.abs() {
        0..86_400_000 => format!("{:+} s", ms / 1000),
        _ => at.to_string(),
    }
}
