//! `orloj job-definition`: what the jobs of one element have in common.

use clap::{ArgGroup, Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::args::{Client, One, Paging, key};
use crate::bulk::{self, Command, Kind, Manner, Said, fields};
use crate::call::{Answer, Path, ask};
use crate::job::{keys_and_last, object, priority, retries};
use crate::moment::{MomentOrNone, moment, moment_or_none};
use crate::plan::Plan;
use crate::suspension::{calls, name_process};
use crate::table::{self, Row, or_dash};

const PATH: &str = "/api/job-definitions";

const JOB_DEFINITIONS: Kind = Kind {
    one: "job definition",
    many: "job definitions",
    path: PATH,
    rows: table::listing::<JobDefinition>,
    flags: "--process, --definition, --element, ...",
};

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
    ClearPriority(ClearPriority),
    /// Give all jobs of theirs that are out of tries so many
    Retries(Retries),
}

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    filter: Filter,
    #[command(flatten, next_help_heading = "Options")]
    paging: Paging,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "camelCase")]
#[command(next_help_heading = "Which")]
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
#[command(group = ArgGroup::new("which").required(true).multiple(false))]
pub struct Suspend {
    #[arg(group = "which", value_name = "KEY", value_parser = key())]
    keys: Vec<i64>,
    /// All of this definition, and its start timers
    #[arg(long, group = "which", value_name = "KEY", value_parser = key())]
    definition: Option<i64>,
    /// All of this process in every version, and its start timers
    #[arg(long, group = "which", value_name = "ID")]
    process: Option<String>,
    /// Of the process in this tenant only
    #[arg(long, requires = "process", conflicts_with_all = ["keys", "definition"])]
    tenant: Option<String>,
    /// Of the process without a tenant only
    #[arg(long, requires = "process", conflicts_with_all = ["tenant", "keys", "definition"])]
    without_tenant: bool,
    /// The jobs that exist as well, not only those made from now on
    #[arg(long)]
    include_jobs: bool,
    /// Not now but then
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    at: Option<String>,
    #[command(flatten)]
    client: Client,
}

/// Which of them, when they are not named by key.
#[derive(Debug, Args)]
pub struct Choice {
    /// Every job definition
    #[arg(long, help_heading = "Which")]
    all: bool,
    #[command(flatten)]
    filter: Filter,
    #[command(flatten, next_help_heading = "Options")]
    manner: Manner,
}

impl Choice {
    fn plan(self, keys: Vec<i64>, command: Command) -> anyhow::Result<Plan> {
        bulk::plan(JOB_DEFINITIONS, keys, &self.filter, self.all, command, self.manner)
    }
}

#[derive(Debug, Args)]
pub struct Priority {
    /// Keys, unless a filter chooses, and last the priority: the higher, the sooner
    #[arg(required = true, value_name = "[KEY]... PRIORITY", allow_negative_numbers = true)]
    words: Vec<String>,
    /// The jobs that exist as well
    #[arg(long)]
    cascade: bool,
    #[command(flatten)]
    choice: Choice,
}

#[derive(Debug, Args)]
pub struct ClearPriority {
    #[arg(value_name = "KEY", value_parser = key())]
    keys: Vec<i64>,
    #[command(flatten)]
    choice: Choice,
}

#[derive(Debug, Args)]
pub struct Retries {
    /// Keys, unless a filter chooses, and last the tries left from now on
    #[arg(required = true, value_name = "[KEY]... COUNT", allow_negative_numbers = true)]
    words: Vec<String>,
    /// Set when they become due as well; none: at once
    #[arg(long, value_name = "MOMENT", value_parser = moment_or_none, allow_hyphen_values = true)]
    due: Option<MomentOrNone>,
    #[command(flatten)]
    choice: Choice,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    Ok(match verb {
        Verb::List(list) => {
            let path = Path::new(PATH).with_all(&fields(&list.filter)?).page(&list.paging);
            ask(list.client, path.get(), Answer::Show(table::listing::<JobDefinition>))
        }
        Verb::Show(one) => one.show(PATH, table::fields),
        Verb::Suspend(which) => which.plan("suspend", "suspended"),
        Verb::Resume(which) => which.plan("resume", "resumed"),
        Verb::Priority(set) => {
            let (keys, word) = keys_and_last(&set.words)?;
            let priority = priority(word)?;
            let said = Said::has(&format!("priority {priority}"));
            let body = object(json!({"priority": priority, "cascade": set.cascade}));
            set.choice.plan(keys, Command { verb: "priority", body, said })?
        }
        Verb::ClearPriority(clear) => {
            let said = Said::has("the priority of the model");
            let command = Command { verb: "clear-priority", body: Map::new(), said };
            clear.choice.plan(clear.keys, command)?
        }
        Verb::Retries(set) => {
            let (keys, count) = keys_and_last(&set.words)?;
            let Command { verb, body, .. } = retries(count, set.due)?;
            let said = Said::has(&format!("failed jobs with {count} tries left, if any"));
            set.choice.plan(keys, Command { verb, body, said })?
        }
    })
}

impl Suspend {
    fn plan(self, verb: &str, done: &str) -> Plan {
        let mut body = object(json!({"includeJobs": self.include_jobs, "at": self.at}));
        body.retain(|_, value| !value.is_null());
        let whole = format!("{PATH}/{verb}");
        let each: Vec<(String, String)> = match (self.definition, self.process) {
            (Some(definition), _) => {
                body.insert("definition".to_owned(), json!(definition.to_string()));
                vec![(whole, format!("the job definitions of definition {definition} are"))]
            }
            (None, Some(process)) => {
                let what = format!("the job definitions of {process} are");
                name_process(&mut body, process, self.tenant, self.without_tenant);
                vec![(whole, what)]
            }
            (None, None) => {
                let one = |key: &i64| {
                    (format!("{PATH}/{key}/{verb}"), format!("job definition {key} is"))
                };
                self.keys.iter().map(one).collect()
            }
        };
        calls(self.client, each, body, done, self.at.as_deref())
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Request;
    use crate::typed;

    fn planned(line: &str) -> anyhow::Result<Plan> {
        plan(typed::verb(line)?)
    }

    fn requests(line: &str) -> Vec<Request> {
        typed::requests(planned(line).unwrap())
    }

    #[test]
    fn one_several_or_those_of_a_filter() {
        let post = |path: &str, body: &str| {
            Request::PostJson(format!("/api/job-definitions/{path}"), body.to_owned())
        };
        let body = r#"{"cascade":true,"priority":-5}"#;
        assert_eq!(requests("priority 7 -5 --cascade"), [post("7/priority", body)]);
        assert_eq!(requests("clear-priority 7"), [post("7/clear-priority", "{}")]);
        assert_eq!(requests("retries 7 3"), [post("7/retries", r#"{"retries":3}"#)]);
        let body = r#"{"includeJobs":true}"#;
        let both = [post("7/suspend", body), post("8/suspend", body)];
        assert_eq!(requests("suspend 7 8 --include-jobs"), both);
        for line in [
            "priority 7 8 9",
            "priority --process order 5",
            "clear-priority --all",
            "retries --element pay --suspended=false 3",
            "retries 7 3 --dry-run",
        ] {
            assert!(matches!(planned(line), Ok(Plan::Bulk(_))), "{line}");
        }
        for (line, said) in [
            ("retries 7 -1", "'-1' is not a number of tries, 0 or more"),
            ("priority 5", "name job definitions by key, or choose them with"),
            ("priority 7 5 --process order", "keys and a filter at once"),
            ("suspend", "required arguments were not provided"),
            ("suspend 7 --process order", "cannot be used with"),
        ] {
            let found = planned(line).err().expect(line).to_string();
            assert!(found.contains(said), "{line}: {found}");
        }
    }
}
