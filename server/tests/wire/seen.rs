//! An instance as the HTTP API shows it.

use orloj_server::orloj::JobState;
use orloj_server::orloj::types::{
    Document, ElementInstanceKey, IncidentKey, InstanceKey, JobKey, Timestamp, UserTaskKey,
};
use orloj_testkit::story::{SeenIncident, SeenInstance, SeenJob, SeenState, SeenTask, SeenToken};
use serde_json::Value;

use super::Wire;
use super::http::{key_of, text};

impl Wire {
    pub(super) fn seen(&self, name: &str, key: InstanceKey) -> SeenInstance {
        let shown = self.http.get(&format!("/api/instances/{key}")).expect("it was started");
        let list = |field: &str| shown[field].as_array().expect("a list").iter();
        let happened = |what: &'static str| list("history").filter(move |one| one["what"] == what);
        let mut jobs: Vec<SeenJob> = list("jobs").map(job).collect();
        jobs.sort_by_key(|job| job.key);
        let mut incidents: Vec<SeenIncident> = list("incidents").map(incident).collect();
        incidents.sort_by_key(|incident| incident.key);
        let tasks = self.http.items(&format!("/api/user-tasks?instance={key}&limit=1000"));
        let mut tasks: Vec<SeenTask> = tasks.iter().map(task).collect();
        tasks.sort_by_key(|task| task.key);
        SeenInstance {
            name: name.to_owned(),
            key,
            state: match text(&shown["state"]).as_str() {
                "active" => SeenState::Alive,
                "completed" => SeenState::Completed,
                "cancelled" => SeenState::Cancelled,
                other => panic!("an instance that is {other}"),
            },
            tokens: list("elements").map(token).collect(),
            variables: document(&shown["variables"]),
            jobs,
            incidents,
            tasks,
            went: happened("element-entered").map(|event| text(&event["name"])).collect(),
            job_log: list("history").filter_map(logged).collect(),
            incidents_ever: happened("incident-opened").count(),
        }
    }
}

fn token(element: &Value) -> SeenToken {
    SeenToken {
        key: ElementInstanceKey::new(key_of(&element["key"])),
        element: text(&element["element"]),
        variables: document(&element["variables"]),
    }
}

fn job(job: &Value) -> SeenJob {
    let name = match text(&job["kind"]).as_str() {
        "worker" | "listener" => &job["type"],
        _ => &job["element"],
    };
    SeenJob {
        key: JobKey::new(key_of(&job["key"])),
        name: text(name),
        state: match text(&job["state"]).as_str() {
            "ready" => JobState::Ready,
            "waiting" => JobState::Waiting,
            "parked" => JobState::Parked,
            "failed" => JobState::Failed,
            "error-thrown" => JobState::ErrorThrown,
            "suspended" => JobState::Suspended,
            other => panic!("a job that is {other}"),
        },
        retries_left: i32::try_from(number(&job["retriesLeft"])).expect("a count"),
        priority: number(&job["priority"]),
        due_at: moment(&job["dueAt"]),
        locked_by: job["lockedBy"].as_str().map(str::to_owned),
        locked_until: moment(&job["lockedUntil"]),
    }
}

fn incident(incident: &Value) -> SeenIncident {
    SeenIncident {
        key: IncidentKey::new(key_of(&incident["key"])),
        kind: text(&incident["kind"]),
        element: text(&incident["element"]),
        message: text(&incident["message"]),
    }
}

fn task(task: &Value) -> SeenTask {
    SeenTask { key: UserTaskKey::new(key_of(&task["key"])), element: text(&task["element"]) }
}

fn logged(event: &Value) -> Option<(JobKey, &'static str)> {
    let word = match text(&event["what"]).as_str() {
        "job-created" => "created",
        "job-completed" => "completed",
        "job-failed" => "failed",
        "job-threw" => "threw",
        "job-cancelled" => "cancelled",
        "job-changed" => "changed",
        _ => return None,
    };
    Some((JobKey::new(key_of(&event["key"])), word))
}

fn document(value: &Value) -> Document {
    Document::parse(&value.to_string()).expect("a JSON object")
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn moment(value: &Value) -> Option<Timestamp> {
    let at: jiff::Timestamp = value.as_str()?.parse().expect("a moment");
    Some(Timestamp::from_ms(at.as_millisecond()))
}
