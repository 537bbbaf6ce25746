//! What operators order, by HTTP.

use orloj_server::orloj::types::{JobKey, Timestamp};
use orloj_testkit::story::{Depth, ElementName, JobOrder, Order, Refusal};
use serde_json::{Value, json};

use super::Wire;
use super::http::{key_of, text};

impl Wire {
    pub(super) fn ordered(&self, order: Order) -> Result<(), Refusal> {
        let at = |in_ms: Option<i64>| in_ms.map(|ms| self.now().plus_ms(ms).to_string());
        match order {
            Order::Job { job, what } => {
                let (verb, body) = request_of(&what);
                self.job_command(job, verb, &body)
            }
            Order::SuspendJob(job) => self.job_command(job, "suspend", &json!({})),
            Order::ResumeJob(job) => self.job_command(job, "resume", &json!({})),
            Order::ExecuteJob(job) => self.job_command(job, "execute", &json!({})),
            Order::Override { of, priority, with_jobs } => match priority {
                None => self.of_definitions(&of, "clear-priority", &json!({})),
                Some(priority) => {
                    let body = json!({"priority": priority, "cascade": with_jobs});
                    self.of_definitions(&of, "priority", &body)
                }
            },
            Order::JobsOf { of, suspend, with_jobs, in_ms } => {
                let body = json!({"includeJobs": with_jobs, "at": at(in_ms)});
                self.of_definitions(&of, suspending(suspend), &body)
            }
            Order::Process { process, suspend, with_instances, in_ms } => {
                let body = json!({
                    "process": process, "includeInstances": with_instances, "at": at(in_ms),
                });
                self.command(&format!("/api/definitions/{}", suspending(suspend)), &body).map(drop)
            }
            Order::RetriesOf { of, retries } => {
                self.of_definitions(&of, "retries", &json!({"retries": retries}))
            }
            Order::DeadLetters { revive } => {
                let filter = json!({"set": "dead-letters"});
                let (verb, body) = match revive {
                    Some(retries) => ("revive", json!({"filter": filter, "retries": retries})),
                    None => ("delete", json!({"filter": filter})),
                };
                self.command(&format!("/api/jobs/{verb}"), &body).map(drop)
            }
            Order::Registration { process, version, is_registered, .. } => {
                let deployment = text(&self.version(&process, version)?["deployment"]);
                let verb = if is_registered { "register" } else { "unregister" };
                self.command(&format!("/api/deployments/{deployment}/{verb}"), &json!({})).map(drop)
            }
            Order::Executor { on, .. } => {
                let verb = if on { "start" } else { "stop" };
                self.command(&format!("/api/executor/{verb}"), &json!({})).map(drop)
            }
        }
    }

    fn job_command(&self, job: JobKey, verb: &str, body: &Value) -> Result<(), Refusal> {
        self.command(&format!("/api/jobs/{job}/{verb}"), body).map(drop)
    }

    /// For every job definition of the element.
    fn of_definitions(&self, of: &ElementName, verb: &str, body: &Value) -> Result<(), Refusal> {
        let process = of.process.as_deref().unwrap_or(&self.first_process);
        let definition = text(&self.version(process, None)?["key"]);
        let path = format!("/api/job-definitions?definition={definition}&limit=1000");
        let inner = format!("{}#multiInstanceBody", of.element);
        let mut meant = self.http.items(&path);
        meant.retain(|row| row["element"] == of.element || row["element"] == inner);
        if meant.is_empty() {
            return Err(Refusal("no such job definition".into()));
        }
        for row in meant {
            let key = key_of(&row["key"]);
            self.command(&format!("/api/job-definitions/{key}/{verb}"), body)?;
        }
        Ok(())
    }

    /// The latest unless it is named.
    fn version(&self, process: &str, version: Option<usize>) -> Result<Value, Refusal> {
        let which = version.map_or("latest=true".to_owned(), |number| format!("version={number}"));
        let found = self.http.items(&format!("/api/definitions?process={process}&{which}"));
        found.into_iter().next().ok_or_else(|| Refusal("no such process".into()))
    }
}

fn suspending(suspend: bool) -> &'static str {
    if suspend { "suspend" } else { "resume" }
}

fn request_of(order: &JobOrder) -> (&'static str, Value) {
    match order {
        JobOrder::SetRetries { retries, due: None } => ("retries", json!({"retries": retries})),
        JobOrder::SetRetries { retries, due: Some(due) } => {
            ("retries", json!({"retries": retries, "dueAt": moment(*due)}))
        }
        JobOrder::SetDueDate { due, cascade } => {
            ("due", json!({"dueAt": moment(*due), "cascade": cascade}))
        }
        JobOrder::RecalculateDueDate { from_creation } => {
            ("recalculate", json!({"creationBased": from_creation}))
        }
        JobOrder::SetPriority(priority) => ("priority", json!({"priority": priority})),
        JobOrder::Delete => ("delete", json!({})),
        JobOrder::MoveToDeadLetters => ("bury", json!({})),
        JobOrder::MoveToExecutable { retries } => ("revive", json!({"retries": retries})),
        JobOrder::MoveTimerToExecutable => ("fire", json!({})),
        JobOrder::Reschedule { .. } => unreachable!("stories do not reschedule"),
    }
}

fn moment(at: Option<Timestamp>) -> Option<String> {
    at.map(|at| at.to_string())
}
