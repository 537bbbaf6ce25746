//! What is told of the world at the end of a run. All lists are sorted.

use std::collections::BTreeMap;

use orloj_interpreter::{ElementInstance, Incident};
use orloj_types::{Timestamp, Variables};
use serde_json::Value as Json;

use super::World;
use super::engine::scope_name;
use super::waits::{Sight, shown_kind};
use crate::json::shown;
use crate::run::Engine;
use crate::trace::Job;
use crate::wait::WaitKind;

/// Names that engines use for themselves begin like this.
const INTERNAL: [&str; 2] = ["nrOf", "loopCounter"];

type VariableRow = (String, String, Json);

impl World {
    /// `DEFINITION:STATE` of every instance there was.
    pub fn instances(&self) -> Vec<String> {
        let row = |instance: &super::state::Instance| {
            let process = &self.definitions.get(instance.definition).process.id;
            format!("{process}:{}", instance.state.word())
        };
        let mut rows: Vec<String> = self.state.facts.instances.values().map(row).collect();
        rows.sort();
        rows
    }

    /// How often each element was left normally, was cancelled, is open.
    pub fn activities(&self) -> BTreeMap<String, [u32; 3]> {
        self.state.visits.activities()
    }

    /// Variables of all instances, and of the scopes that are still open.
    pub fn variables(&self) -> Vec<VariableRow> {
        let mut rows = Vec::new();
        for instance in self.state.facts.instances.values() {
            let process = self.definitions.get(instance.definition).process.id.to_string();
            let Some(record) = &instance.record else {
                self.list(&process, &instance.last_variables, &mut rows);
                continue;
            };
            for (key, variables) in &record.variables {
                if *key == record.instance.root_scope() {
                    self.list(&process, variables, &mut rows);
                } else if let Some(holder) = record.element(*key) {
                    let scope = scope_name(&holder.element, holder.role, self.engine);
                    self.list(&scope, variables, &mut rows);
                }
            }
        }
        rows.sort_by_cached_key(|(scope, name, value)| {
            (scope.clone(), name.clone(), value.to_string())
        });
        rows
    }

    fn list(&self, scope: &str, variables: &Variables, rows: &mut Vec<VariableRow>) {
        for (name, value) in variables {
            if !INTERNAL.iter().any(|prefix| name.starts_with(prefix)) {
                rows.push((scope.to_owned(), name.to_string(), shown(value, self.engine)));
            }
        }
    }

    pub fn jobs(&self) -> Vec<Job> {
        let mut rows = Vec::new();
        for (_, record) in self.state.facts.live() {
            let process = &self.definitions.get(record.definition).process;
            let see = Sight { engine: self.engine, record, process };
            for holder in record.holders() {
                for job in &holder.jobs {
                    let Some(kind) = shown_kind(job, self.engine) else { continue };
                    let element = see.job_element(holder, job).to_string();
                    let row = Facts {
                        retries: job.retries_left,
                        priority: job.priority,
                        exclusive: job.exclusive,
                        due_at: job.due_at,
                    };
                    rows.push(self.job_row(kind, element, &row));
                }
            }
        }
        for timer in self.state.facts.start_timers.values() {
            let row = Facts {
                retries: timer.retries_left,
                priority: 0,
                exclusive: timer.exclusive,
                due_at: Some(timer.due_at),
            };
            rows.push(self.job_row(WaitKind::Timer, timer.event.to_string(), &row));
        }
        for pending in self.state.facts.pending_signals.values() {
            // They are tried once, and have no retries from the beginning.
            let row = Facts { retries: 0, priority: 0, exclusive: true, due_at: None };
            rows.push(self.job_row(WaitKind::Async, pending.event.to_string(), &row));
        }
        rows.sort_by_cached_key(|row| serde_json::to_string(row).unwrap_or_default());
        rows
    }

    fn job_row(&self, kind: WaitKind, el: String, facts: &Facts) -> Job {
        let due_in = facts.due_at.map(|due_at| due_at.ms_since(self.now));
        let job = Job {
            kind: kind.to_string(),
            el,
            retries: Some(facts.retries),
            priority: Some(facts.priority),
            exclusive: Some(facts.exclusive),
            due_in: Some(due_in),
        };
        match (self.engine, kind) {
            (Engine::Camunda7, _) => job,
            (Engine::Flowable, _) => Job { priority: None, ..job },
            (Engine::Zeebe, WaitKind::Timer) => {
                Job { retries: None, priority: None, exclusive: None, ..job }
            }
            (Engine::Zeebe, _) => Job { priority: None, exclusive: None, due_in: None, ..job },
        }
    }

    pub fn incidents(&self) -> Vec<String> {
        let mut rows = Vec::new();
        for (_, record) in self.state.facts.live() {
            let process = &self.definitions.get(record.definition).process;
            let see = Sight { engine: self.engine, record, process };
            for holder in record.holders() {
                for incident in holder.incident.iter().chain(&holder.timer_incidents) {
                    rows.push(format!("{}:{}", incident.kind, about(&see, holder, incident)));
                }
            }
        }
        let word = if self.engine == Engine::Flowable { "deadLetter" } else { "failedJob" };
        let given_up = self.state.facts.start_timers.values().filter(|t| t.retries_left <= 0);
        rows.extend(given_up.map(|timer| format!("{word}:{}", timer.event)));
        rows.sort();
        rows
    }

    /// What is wrong, by the incident as [`World::incidents`] tells it.
    pub fn incident_reasons(&self) -> Vec<(String, String)> {
        let mut reasons = Vec::new();
        for (_, record) in self.state.facts.live() {
            let process = &self.definitions.get(record.definition).process;
            let see = Sight { engine: self.engine, record, process };
            for holder in record.holders() {
                for incident in holder.incident.iter().chain(&holder.timer_incidents) {
                    let told = format!("{}:{}", incident.kind, about(&see, holder, incident));
                    if let Some(reason) = self.state.facts.reasons.get(&incident.key) {
                        reasons.push((told, reason.to_string()));
                    }
                }
            }
        }
        reasons.sort();
        reasons
    }
}

/// What all kinds of jobs have.
struct Facts {
    retries: i32,
    priority: i64,
    exclusive: bool,
    due_at: Option<Timestamp>,
}

fn about(see: &Sight<'_>, holder: &ElementInstance, incident: &Incident) -> String {
    let job = incident.job.and_then(|key| holder.jobs.iter().find(|job| job.key == key));
    match job {
        Some(job) => see.job_element(holder, job).to_string(),
        None => see.element_name(holder).to_string(),
    }
}
