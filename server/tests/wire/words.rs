//! Refusals as they come over the wire, in the words of stories.

use orloj_server::orloj::types::JobKey;
use orloj_testkit::story::Refusal;
use serde_json::Value;
use tonic::{Code, Status};

use super::Wire;
use super::http::text;

/// Codes of the HTTP API that stories have words for; of the others they tell the message.
const CODES: &[(&str, &str)] = &[
    ("instance-not-found", "instance not found"),
    ("job-not-found", "job not found"),
    ("incident-not-found", "incident not found"),
    ("incident-needs-retries", "retries needed"),
    ("user-task-not-found", "task not found"),
    ("element-instance-not-found", "scope not found"),
    ("no-none-start", "no start event"),
    ("conditions-hear", "conditions hear by themselves"),
    ("suspended", "suspended"),
    ("not-suspended", "not suspended"),
    ("element-not-found", "element not found"),
    ("retries-too-few", "too few retries"),
    ("retries-negative", "negative retries"),
    ("not-a-timer", "no timer"),
    ("for-workers", "job is for workers"),
    ("timer-invalid", "no valid timer"),
    ("job-of-suspended", "instance is suspended"),
    ("definition-suspended", "definition is suspended"),
    ("message-exists", "message exists"),
    ("nobody-waits", "0 wait"),
    // Nobody counts further.
    ("several-wait", "2 wait"),
];

pub fn of_body(body: &Value) -> Refusal {
    let (code, message) = (text(&body["code"]), text(&body["message"]));
    if let Some((_, words)) = CODES.iter().find(|(known, _)| *known == code) {
        return Refusal((*words).to_owned());
    }
    Refusal(match code.as_str() {
        "job-state" => {
            let state = message.rsplit(' ').next().expect("it ends with the state");
            format!("job is {}", words_of_state(state))
        }
        // Of what failed the element comes first.
        "process-failed" => message.replacen(": ", " failed: ", 1),
        _ => message,
    })
}

/// As the engine prints its states, and as listings call them.
fn words_of_state(state: &str) -> String {
    match state {
        "ErrorThrown" | "error-thrown" => "stopped by an error".to_owned(),
        other => other.to_lowercase(),
    }
}

impl Wire {
    /// What a worker's call about a job was answered.
    pub(super) fn worded(&self, job: JobKey, status: &Status) -> Refusal {
        if status.code() == Code::NotFound {
            return Refusal("job not found".to_owned());
        }
        if status.message().contains("has no running timeout") {
            return Refusal("job is not locked".to_owned());
        }
        let Some((_, state)) = status.message().split_once("is in state '") else {
            return of_message(status.message());
        };
        // The protocol has fewer states than jobs here.
        let job = self.http.get(&format!("/api/jobs/{job}")).expect("it was refused, so it exists");
        let own = text(&job["state"]);
        let of_protocol = match own.as_str() {
            "ready" | "parked" => "ACTIVATABLE",
            "error-thrown" => "ERROR_THROWN",
            _ => "FAILED",
        };
        assert_eq!(state.trim_end_matches('\''), of_protocol, "a job that is {own}");
        Refusal(format!("job is {}", words_of_state(&own)))
    }
}

fn of_message(message: &str) -> Refusal {
    const WORDS: &[(&str, &str)] = &[
        ("retries must be at least 1", "too few retries"),
        ("retries must not be negative", "negative retries"),
        ("belongs to a suspended process instance", "instance is suspended"),
    ];
    match WORDS.iter().find(|(known, _)| message.contains(known)) {
        Some((_, words)) => Refusal((*words).to_owned()),
        None => Refusal(message.to_owned()),
    }
}
