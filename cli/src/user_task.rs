//! `orloj user-task`

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::args::{Client, Paging, key};
use crate::call::{Answer, Path, ask};
use crate::instance::json_object;
use crate::plan::Plan;
use crate::table::{self, Row, or_dash};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Those that wait, newest first
    List(List),
    /// Complete one
    Complete(Complete),
}

#[derive(Debug, Args)]
pub struct List {
    /// Only of this instance
    #[arg(long, value_name = "KEY", value_parser = key())]
    instance: Option<i64>,
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct Complete {
    #[arg(value_parser = key())]
    key: i64,
    /// Variables to set, as a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    variables: String,
    #[command(flatten)]
    client: Client,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    Ok(match verb {
        Verb::List(list) => {
            let path =
                Path::new("/api/user-tasks").with("instance", list.instance).page(&list.paging);
            ask(list.client, path.get(), Answer::Show(table::listing::<UserTask>))
        }
        Verb::Complete(one) => {
            #[derive(Serialize)]
            struct Body<'a> {
                variables: &'a RawValue,
            }
            let body = Body { variables: json_object(&one.variables)? };
            let body = serde_json::to_string(&body)?;
            let path = Path::new(format!("/api/user-tasks/{}/complete", one.key));
            let said = format!("user task {} is completed", one.key);
            ask(one.client, path.post_json(body), Answer::Done(said))
        }
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UserTask {
    key: String,
    instance: String,
    process: String,
    element: String,
    name: Option<String>,
    assignee: Option<String>,
    candidate_groups: Vec<String>,
    created_at: String,
}

impl Row for UserTask {
    const COLUMNS: &'static [&'static str] =
        &["KEY", "INSTANCE", "PROCESS", "ELEMENT", "NAME", "ASSIGNEE", "GROUPS", "CREATED"];

    fn cells(&self) -> Vec<String> {
        let groups = self.candidate_groups.join(",");
        vec![
            self.key.clone(),
            self.instance.clone(),
            self.process.clone(),
            self.element.clone(),
            or_dash(self.name.as_deref()),
            or_dash(self.assignee.as_deref()),
            or_dash(Some(groups.as_str()).filter(|groups| !groups.is_empty())),
            self.created_at.clone(),
        ]
    }
}
