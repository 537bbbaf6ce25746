//! What happened in a run, as it is written down.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::run::Engine;

/// One run written down. A rejected deployment has nothing else; what stopped with an error has
/// only the reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    pub id: String,
    /// The engine whose models are meant, and what played them.
    pub engine: String,
    pub deploy: Deploy,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    #[serde(default)]
    pub note: String,
    #[serde(flatten)]
    pub played: Option<Played>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Deploy {
    Ok,
    Rejected,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stop {
    /// Nothing is left to do.
    Quiescent,
    /// There was more to do than the loop does.
    Limit,
    /// The run could not be played.
    Error,
}

/// All lists are sorted, repeats kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// What waits at definitions after deployment.
    pub starts: Vec<String>,
    pub steps: Vec<Step>,
    /// `DEFINITION:STATE` of every instance there was.
    pub instances: Vec<String>,
    /// How often each element was left normally, was cancelled, is still open.
    pub activities: BTreeMap<String, [u32; 3]>,
    /// Scope, name, value.
    pub variables: Vec<(String, String, serde_json::Value)>,
    pub jobs: Vec<Job>,
    pub incidents: Vec<String>,
    /// Incidents with what is wrong; not part of what is compared.
    #[serde(skip)]
    pub reasons: Vec<(String, String)>,
    /// Always empty here: equal runs give equal traces.
    pub unstable: Vec<String>,
}

/// One action and what it changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    #[serde(rename = "do")]
    pub act: String,
    pub el: String,
    /// Milliseconds since the clock stood still, after the action.
    pub at: i64,
    /// The action failed as a whole.
    pub error: bool,
    /// Why it failed; not part of what is compared.
    #[serde(skip)]
    pub why: Option<String>,
    pub started: Vec<String>,
    pub ended: Vec<String>,
    pub cancelled: Vec<String>,
    pub waits: Vec<String>,
}

/// A job at the end. What an engine's jobs do not have is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    pub kind: String,
    pub el: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclusive: Option<bool>,
    /// Milliseconds from the clock to the due date; null where there is none.
    #[serde(rename = "in", default, skip_serializing_if = "Option::is_none")]
    pub due_in: Option<Option<i64>>,
}

impl Trace {
    pub(crate) fn played(id: &str, engine: Engine, stop: Stop, played: Played) -> Self {
        let played = Some(played);
        Self { stop: Some(stop), played, ..Self::new(id, engine, Deploy::Ok, String::new()) }
    }

    pub(crate) fn rejected(id: &str, engine: Engine, why: String) -> Self {
        Self::new(id, engine, Deploy::Rejected, why)
    }

    pub(crate) fn failed(id: &str, engine: Engine, why: String) -> Self {
        Self { stop: Some(Stop::Error), ..Self::new(id, engine, Deploy::Ok, why) }
    }

    fn new(id: &str, engine: Engine, deploy: Deploy, note: String) -> Self {
        let engine = format!("{engine} orloj {}", env!("CARGO_PKG_VERSION"));
        Self { id: id.to_owned(), engine, deploy, stop: None, note, played: None }
    }

    /// One line without a line break.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a trace is made of texts, numbers and lists")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_written_as_others_write_it() {
        let step = Step {
            act: "start".into(),
            el: "p".into(),
            at: 0,
            error: false,
            why: None,
            started: vec!["a".into()],
            ended: vec![],
            cancelled: vec![],
            waits: vec!["user:a".into()],
        };
        let played = Played {
            steps: vec![step],
            instances: vec!["p:active".into()],
            activities: BTreeMap::from([("a".into(), [0, 0, 1])]),
            variables: vec![("p".into(), "n".into(), 1.into())],
            jobs: vec![Job {
                kind: "timer".into(),
                el: "b".into(),
                retries: Some(3),
                priority: None,
                exclusive: Some(true),
                due_in: Some(None),
            }],
            ..Played::default()
        };
        let json = Trace::played("x#p", Engine::Zeebe, Stop::Quiescent, played).to_json();
        let (head, tail) = json.split_once(r#","deploy""#).unwrap();
        assert!(head.starts_with(r#"{"id":"x#p","engine":"zeebe "#), "{head}");
        assert_eq!(
            tail,
            concat!(
                r#":"ok","stop":"quiescent","note":"","starts":[],"steps":[{"do":"start","el":"p","#,
                r#""at":0,"error":false,"started":["a"],"ended":[],"cancelled":[],"#,
                r#""waits":["user:a"]}],"instances":["p:active"],"activities":{"a":[0,0,1]},"#,
                r#""variables":[["p","n",1]],"jobs":[{"kind":"timer","el":"b","retries":3,"#,
                r#""exclusive":true,"in":null}],"incidents":[],"unstable":[]}"#,
            )
        );
    }

    #[test]
    fn what_was_not_played_says_only_why() {
        let json = Trace::failed("x", Engine::Flowable, "time-out".into()).to_json();
        assert!(json.ends_with(r#""deploy":"ok","stop":"error","note":"time-out"}"#), "{json}");
        let json = Trace::rejected("x", Engine::Flowable, "why".into()).to_json();
        assert!(json.ends_with(r#""deploy":"rejected","note":"why"}"#), "{json}");
    }
}
