//! `orloj job-definition`: what the jobs of one element have in common.

use clap::{ArgGroup, Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::args::{Client, Paging, key};
use crate::bulk::fields;
use crate::call::{Answer, Path, ask};
use crate::job::object;
use crate::moment::moment;
use crate::plan::Plan;
use crate::table::{self, Row, or_dash};

const PATH: &str = "/api/job-definitions";

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Newest first
    List(List),
    /// One of them
    Show(One),
    /// Run no job of theirs until they are resumed
    Suspend(Suspend),
    /// Go on with those that are suspended
    #[command(visible_alias = "activate")]
    Resume(Suspend),
    /// Set a priority that takes the place of the one in the model
    Priority(Priority),
    /// Let the priority of the model count again, for jobs made from now on
    ClearPriority(One),
    /// Give all jobs of one that are out of tries so many
    Retries(Retries),
}

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    filter: Filter,
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Filter {
    /// Only of this definition
    #[arg(long, value_name = "KEY", value_parser = key())]
    definition: Option<i64>,
    /// Only of this process, in any version
    #[arg(long, value_name = "ID")]
    process: Option<String>,
    /// Only of this tenant
    #[arg(long)]
    tenant: Option<String>,
    /// Only of this element
    #[arg(long, value_name = "ID")]
    element: Option<String>,
    /// Only of what is handled like this, such as async-continuation
    #[arg(long)]
    kind: Option<String>,
    /// Only with this configuration
    #[arg(long)]
    configuration: Option<String>,
    /// Only those that are suspended, or only those that are not
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true",
        require_equals = true)]
    suspended: Option<bool>,
    /// Only those with a priority of their own, or only those without
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true",
        require_equals = true)]
    with_priority: Option<bool>,
}

#[derive(Debug, Args)]
pub struct One {
    #[arg(value_parser = key())]
    key: i64,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("which").required(true).multiple(false))]
pub struct Suspend {
    #[arg(group = "which", value_parser = key())]
    key: Option<i64>,
    /// All of this definition, and its start timers
    #[arg(long, group = "which", value_name = "KEY", value_parser = key())]
    definition: Option<i64>,
    /// All of this process in every version, and its start timers
    #[arg(long, group = "which", value_name = "ID")]
    process: Option<String>,
    /// Of the process in this tenant only
    #[arg(long, requires = "process")]
    tenant: Option<String>,
    /// The jobs that exist as well, not only those made from now on
    #[arg(long)]
    include_jobs: bool,
    /// Not now but then
    #[arg(long, value_name = "MOMENT", value_parser = moment)]
    at: Option<String>,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct Priority {
    #[arg(value_parser = key())]
    key: i64,
    /// The higher, the sooner
    #[arg(allow_negative_numbers = true)]
    priority: i64,
    /// The jobs that exist as well
    #[arg(long)]
    cascade: bool,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct Retries {
    #[arg(value_parser = key())]
    key: i64,
    /// Tries left from now on
    #[arg(value_parser = clap::value_parser!(i32).range(0..))]
    count: i32,
    /// Set when they become due as well
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    due: Option<String>,
    #[command(flatten)]
    client: Client,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    Ok(match verb {
        Verb::List(list) => {
            let path = Path::new(PATH).with_all(&fields(&list.filter)?).page(&list.paging);
            ask(list.client, path.get(), Answer::Show(table::listing::<JobDefinition>))
        }
        Verb::Show(one) => {
            let path = Path::new(format!("{PATH}/{}", one.key));
            ask(one.client, path.get(), Answer::Show(table::fields))
        }
        Verb::Suspend(which) => which.plan("suspend", "suspended"),
        Verb::Resume(which) => which.plan("resume", "resumed"),
        Verb::Priority(set) => {
            let body = json!({"priority": set.priority, "cascade": set.cascade});
            let said = format!("job definition {} has priority {}", set.key, set.priority);
            order(set.client, set.key, "priority", object(body), said)
        }
        Verb::ClearPriority(one) => {
            let said = format!("job definition {} has the priority of its model", one.key);
            order(one.client, one.key, "clear-priority", Map::new(), said)
        }
        Verb::Retries(retries) => {
            let mut body = object(json!({"retries": retries.count}));
            if let Some(due) = retries.due {
                body.insert("dueAt".to_owned(), json!(due));
            }
            let Retries { key, count, client, .. } = retries;
            let said = format!("the failed jobs of job definition {key} have {count} tries left");
            order(client, key, "retries", body, said)
        }
    })
}

impl Suspend {
    fn plan(self, verb: &str, done: &str) -> Plan {
        let mut body = object(json!({"includeJobs": self.include_jobs, "at": self.at}));
        body.retain(|_, value| !value.is_null());
        let (path, what) = match (self.key, self.definition, self.process) {
            (Some(key), ..) => (format!("{PATH}/{key}/{verb}"), format!("job definition {key} is")),
            (_, Some(definition), _) => {
                body.insert("definition".to_owned(), json!(definition.to_string()));
                let what = format!("the job definitions of definition {definition} are");
                (format!("{PATH}/{verb}"), what)
            }
            (_, _, process) => {
                let process = process.unwrap_or_default();
                body.insert("process".to_owned(), json!(process));
                if let Some(tenant) = self.tenant {
                    body.insert("tenant".to_owned(), json!(tenant));
                }
                (format!("{PATH}/{verb}"), format!("the job definitions of {process} are"))
            }
        };
        let said = match self.at {
            Some(at) => format!("{what} {done} at {at}"),
            None => format!("{what} {done}"),
        };
        let request = Path::new(path).post_json(Value::Object(body).to_string());
        ask(self.client, request, Answer::Done(said))
    }
}

fn order(client: Client, key: i64, verb: &str, body: Map<String, Value>, said: String) -> Plan {
    let path = Path::new(format!("{PATH}/{key}/{verb}"));
    ask(client, path.post_json(Value::Object(body).to_string()), Answer::Done(said))
}

#[derive(Deserialize)]
struct JobDefinition {
    key: String,
    process: String,
    element: String,
    kind: String,
    configuration: String,
    suspended: bool,
    priority: Option<i64>,
}

impl Row for JobDefinition {
    const COLUMNS: &'static [&'static str] =
        &["KEY", "PROCESS", "ELEMENT", "KIND", "CONFIGURATION", "SUSPENDED", "PRIORITY"];

    fn cells(&self) -> Vec<String> {
        let priority = self.priority.map(|priority| priority.to_string());
        vec![
            self.key.clone(),
            self.process.clone(),
            self.element.clone(),
            self.kind.clone(),
            or_dash(Some(self.configuration.as_str()).filter(|text| !text.is_empty())),
            if self.suspended { "yes" } else { "no" }.to_owned(),
            or_dash(priority.as_deref()),
        ]
    }
}
