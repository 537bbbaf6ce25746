//! `orloj job`

use clap::{Args, Subcommand, ValueEnum};
use serde::Deserialize;

use crate::args::{Client, Paging, key};
use crate::call::{Answer, Path, View, ask};
use crate::plan::Plan;
use crate::table::{self, Row, or_dash, plain};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Newest first
    List(List),
    /// Why one is not running, and what can be done about it
    Explain(One),
    /// Give one so many more tries
    Retries(Retries),
}

#[derive(Debug, Args)]
pub struct List {
    /// Only of this instance
    #[arg(long, value_name = "KEY", value_parser = key())]
    instance: Option<i64>,
    /// Only of this type, or topic
    #[arg(long)]
    r#type: Option<String>,
    /// Only in this state
    #[arg(long, value_enum)]
    state: Option<State>,
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    client: Client,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum State {
    /// May run at once
    Ready,
    /// Becomes ready when due
    Waiting,
    /// Behind another one of its instance
    Parked,
    /// Out of tries
    Failed,
    /// Ended with an error that nothing catches
    ErrorThrown,
    Suspended,
}

#[derive(Debug, Args)]
pub struct One {
    #[arg(value_parser = key())]
    key: i64,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct Retries {
    #[arg(value_parser = key())]
    key: i64,
    /// Tries left from now on
    #[arg(value_parser = clap::value_parser!(i32).range(1..))]
    count: i32,
    #[command(flatten)]
    client: Client,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    Ok(match verb {
        Verb::List(list) => {
            let state = list.state.as_ref().and_then(ValueEnum::to_possible_value);
            let path = Path::new("/api/jobs")
                .with("instance", list.instance)
                .with("type", list.r#type)
                .with("state", state.as_ref().map(|state| state.get_name()))
                .page(&list.paging);
            ask(list.client, path.get(), Answer::Show(table::listing::<Job>))
        }
        Verb::Explain(one) => {
            let path = Path::new(format!("/api/jobs/{}/explain", one.key));
            ask(one.client, path.get(), Answer::Show(explain))
        }
        Verb::Retries(retries) => {
            let path = Path::new(format!("/api/jobs/{}/retries", retries.key));
            let body = serde_json::json!({ "retries": retries.count }).to_string();
            let said = format!("job {} has {} tries left", retries.key, retries.count);
            ask(retries.client, path.post_json(body), Answer::Done(said))
        }
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    key: String,
    instance: String,
    process: String,
    element: String,
    kind: String,
    r#type: String,
    state: String,
    retries_left: i32,
    due_at: Option<String>,
    locked_by: Option<String>,
    failure: Option<String>,
}

impl Row for Job {
    const COLUMNS: &'static [&'static str] = &[
        "KEY",
        "INSTANCE",
        "PROCESS",
        "ELEMENT",
        "KIND",
        "TYPE",
        "STATE",
        "RETRIES",
        "DUE",
        "LOCKED BY",
        "FAILURE",
    ];

    fn cells(&self) -> Vec<String> {
        let job_type = Some(self.r#type.as_str()).filter(|name| !name.is_empty());
        vec![
            self.key.clone(),
            self.instance.clone(),
            self.process.clone(),
            self.element.clone(),
            self.kind.clone(),
            or_dash(job_type),
            self.state.clone(),
            self.retries_left.to_string(),
            or_dash(self.due_at.as_deref()),
            or_dash(self.locked_by.as_deref()),
            or_dash(self.failure.as_deref()),
        ]
    }
}

fn explain(json: &str) -> serde_json::Result<View> {
    #[derive(Deserialize)]
    struct Explained {
        job: Job,
        reasons: Vec<Reason>,
    }
    #[derive(Deserialize)]
    struct Reason {
        code: String,
        text: String,
        remedy: Option<String>,
    }
    let explained: Explained = serde_json::from_str(json)?;
    let mut data = table::rows(&[explained.job]);
    data.push('\n');
    if explained.reasons.is_empty() {
        data.push_str("\nnothing stands in its way");
    }
    for reason in explained.reasons {
        data.push_str(&format!("\n{}: {}", reason.code, plain(&reason.text)));
        if let Some(remedy) = reason.remedy {
            data.push_str(&format!("\n  → {}", plain(&remedy)));
        }
    }
    Ok(View { data, note: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: &str = r#"{"key":"6","instance":"1","process":"order","definition":"0",
        "element":"charge","elementInstance":"5","kind":"worker","type":"pay","state":"failed",
        "retriesLeft":0,"priority":0,"exclusive":false,"dueAt":null,"lockedBy":null,
        "lockedUntil":null,"attempt":3,"failure":"no answer","tenant":null}"#;

    #[test]
    fn reasons_come_with_what_can_be_done() {
        let json = format!(
            r#"{{"job":{JOB},"reasons":[
                {{"code":"no-retries","text":"it failed 3 times","remedy":"raise its retries"}},
                {{"code":"no-worker","text":"nobody asks for pay","remedy":null}}]}}"#
        );
        insta::assert_snapshot!(explain(&json).unwrap().data);
        let json = format!(r#"{{"job":{JOB},"reasons":[]}}"#);
        assert!(explain(&json).unwrap().data.ends_with("\n\nnothing stands in its way"));
    }
}
