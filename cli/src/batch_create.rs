//! `orloj batch create`: work on many that goes on whatever happens to this command.

use anyhow::ensure;
use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use crate::args::{Client, key};
use crate::bulk::{Choice, fields};
use crate::call::{Answer, Path, View, ask};
use crate::instance::json_object;
use crate::instance_changes::mapping;
use crate::instance_choice::Traits;
use crate::job::filter::JobFilter;
use crate::job::object;
use crate::moment::{MomentOrNone, moment, moment_or_none};
use crate::plan::Plan;

#[derive(Debug, Subcommand)]
pub enum Create {
    /// Give jobs so many tries
    Retries(Box<Retries>),
    /// End instances; with --without-listeners none is called
    Delete(Delete),
    /// Work on nothing of instances until they are resumed
    Suspend(Instances),
    /// Go on with instances that are suspended
    #[command(visible_alias = "activate")]
    Resume(Instances),
    /// Let instances go on as another version
    Migrate(Migrate),
    /// Move tokens of instances by hand
    Modify(Modify),
    /// Start anew what has ended
    Restart(Restart),
    /// Set variables of instances
    SetVariables(SetVariables),
    /// Give a message to instances
    Correlate(Correlate),
    /// Remove instances that have ended, and their history
    DeleteHistory(Instances),
    /// Set when instances that have ended are removed
    RemovalTime(RemovalTime),
    /// Set when batches that have ended are removed
    BatchRemovalTime(BatchRemovalTime),
}

/// Not by suspension, as for the other commands: `--suspended` is said of the batch.
type Instances = Choice<Traits, Manner>;

#[derive(Debug, Args)]
pub struct Manner {
    /// Begin nothing before it is resumed
    #[arg(long)]
    suspended: bool,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct Retries {
    /// Tries left from then on
    #[arg(value_parser = clap::value_parser!(i32).range(0..))]
    count: i32,
    #[arg(value_name = "KEY", value_parser = key())]
    keys: Vec<i64>,
    /// Set when they become due as well; none: at once
    #[arg(long, value_name = "MOMENT", value_parser = moment_or_none, allow_hyphen_values = true)]
    due: Option<MomentOrNone>,
    /// They are jobs of workers, which the log of operations calls external tasks
    #[arg(long, conflicts_with = "due")]
    external_tasks: bool,
    /// Every job
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    filter: JobFilter,
    #[command(flatten, next_help_heading = "Options")]
    manner: Manner,
}

#[derive(Debug, Args)]
pub struct Delete {
    /// Call no listener
    #[arg(long)]
    without_listeners: bool,
    #[command(flatten)]
    instances: Instances,
}

#[derive(Debug, Args)]
pub struct Migrate {
    /// The process that they go on as, of the tenant that --tenant names or of none
    #[arg(long, value_name = "ID", required_unless_present = "to_definition")]
    to: Option<String>,
    /// A certain version instead of the latest
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..))]
    version: Option<i32>,
    /// The definition that they go on as, instead of a process
    #[arg(long, value_name = "KEY", value_parser = key(), conflicts_with_all = ["to", "version"])]
    to_definition: Option<i64>,
    /// Which element becomes which; may be repeated
    #[arg(long, value_name = "FROM=TO")]
    map: Vec<String>,
    #[command(flatten)]
    instances: Instances,
}

#[derive(Debug, Args)]
pub struct Modify {
    /// Start a token before this element; may be repeated
    #[arg(long, value_name = "ELEMENT")]
    activate: Vec<String>,
    /// Start a token after this element; may be repeated
    #[arg(long, value_name = "ELEMENT")]
    activate_after: Vec<String>,
    /// Start a token on this sequence flow; may be repeated
    #[arg(long, value_name = "FLOW")]
    activate_flow: Vec<String>,
    /// End all instances of this element; may be repeated
    #[arg(long, value_name = "ELEMENT")]
    terminate_all: Vec<String>,
    /// Variables to set around what is activated, as a JSON object
    #[arg(long, alias = "vars", value_name = "JSON", default_value = "{}")]
    variables: String,
    #[command(flatten)]
    instances: Instances,
}

#[derive(Debug, Args)]
pub struct Restart {
    /// The definition that the new ones are of
    #[arg(long, value_name = "KEY", value_parser = key())]
    as_definition: i64,
    /// Begin before this element instead of at the start event; may be repeated
    #[arg(long, value_name = "ELEMENT")]
    before: Vec<String>,
    /// Without their business keys
    #[arg(long)]
    without_business_key: bool,
    #[command(flatten)]
    instances: Instances,
}

#[derive(Debug, Args)]
pub struct SetVariables {
    /// Variables to set, as a JSON object
    #[arg(long, alias = "vars", value_name = "JSON")]
    variables: String,
    #[command(flatten)]
    instances: Instances,
}

#[derive(Debug, Args)]
pub struct Correlate {
    /// The name of the message
    #[arg(long)]
    message: String,
    /// Variables that it brings, as a JSON object
    #[arg(long, alias = "vars", value_name = "JSON", default_value = "{}")]
    variables: String,
    #[command(flatten)]
    instances: Instances,
}

#[derive(Debug, Args)]
pub struct RemovalTime {
    /// Then; without it they are kept
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    at: Option<String>,
    #[command(flatten)]
    instances: Instances,
}

#[derive(Debug, Args)]
pub struct BatchRemovalTime {
    /// Then; without it they are kept
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    at: Option<String>,
    #[arg(value_name = "KEY", value_parser = key())]
    keys: Vec<i64>,
    /// Every one
    #[arg(long)]
    all: bool,
    /// Only those of this kind
    #[arg(long)]
    kind: Option<String>,
    /// Only those of this tenant
    #[arg(long)]
    tenant: Option<String>,
    #[command(flatten)]
    manner: Manner,
}

impl Create {
    pub fn plan(self) -> anyhow::Result<Plan> {
        match self {
            Self::Retries(retries) => retries.plan(),
            Self::Delete(delete) => {
                let body = json!({"withoutListeners": delete.without_listeners});
                delete.instances.batch("instance-deletion", body)
            }
            Self::Suspend(instances) => {
                instances.batch("instance-update-suspension-state", json!({"suspend": true}))
            }
            Self::Resume(instances) => {
                instances.batch("instance-update-suspension-state", json!({"suspend": false}))
            }
            Self::Migrate(migrate) => {
                let body = json!({
                    "process": migrate.to,
                    "version": migrate.version,
                    "definition": migrate.to_definition.map(|key| key.to_string()),
                    "plan": mapping(&migrate.map)?,
                });
                migrate.instances.batch("instance-migration", body)
            }
            Self::Modify(modify) => {
                let body = json!({
                    "activate": modify.activate,
                    "activateAfter": modify.activate_after,
                    "activateFlow": modify.activate_flow,
                    "terminateAll": modify.terminate_all,
                    "variables": variables(&modify.variables)?,
                });
                modify.instances.batch("instance-modification", body)
            }
            Self::Restart(restart) => {
                let body = json!({
                    "definition": restart.as_definition.to_string(),
                    "before": restart.before,
                    "withoutBusinessKey": restart.without_business_key,
                });
                restart.instances.batch("instance-restart", body)
            }
            Self::SetVariables(set) => {
                let variables = variables(&set.variables)?;
                set.instances.batch("set-variables", json!({"variables": variables}))
            }
            Self::Correlate(message) => {
                let variables = variables(&message.variables)?;
                let body = json!({"name": message.message, "variables": variables});
                message.instances.batch("correlate-message", body)
            }
            Self::DeleteHistory(instances) => {
                instances.batch("historic-instance-deletion", json!({}))
            }
            Self::RemovalTime(set) => {
                set.instances.batch("process-set-removal-time", json!({"at": set.at}))
            }
            Self::BatchRemovalTime(set) => set.plan(),
        }
    }
}

impl Instances {
    fn batch(self, kind: &str, body: Value) -> anyhow::Result<Plan> {
        let filter = fields(&self.filter)?;
        begin(kind, self.keys, filter, self.all, object(body), self.manner)
    }
}

impl BatchRemovalTime {
    fn plan(self) -> anyhow::Result<Plan> {
        let mut filter = Map::new();
        for (name, text) in [("kind", self.kind), ("tenant", self.tenant)] {
            filter.extend(text.map(|text| (name.to_owned(), json!(text))));
        }
        let body = object(json!({"at": self.at}));
        begin("batch-set-removal-time", self.keys, filter, self.all, body, self.manner)
    }
}

impl Retries {
    fn plan(self) -> anyhow::Result<Plan> {
        let mut body = object(json!({"retries": self.count}));
        if let Some(due) = self.due {
            body.insert("dueAt".to_owned(), json!(due));
        }
        let filter = fields(&self.filter)?;
        let kind = match self.external_tasks {
            true => "set-external-task-retries",
            false => "set-job-retries",
        };
        begin(kind, self.keys, filter, self.all, body, self.manner)
    }
}

fn begin(
    kind: &str,
    keys: Vec<i64>,
    filter: Map<String, Value>,
    all: bool,
    mut body: Map<String, Value>,
    manner: Manner,
) -> anyhow::Result<Plan> {
    let is_chosen = all || !keys.is_empty() || !filter.is_empty();
    ensure!(is_chosen, "name them by key or choose them with flags; --all takes every one");
    body.insert("kind".to_owned(), json!(kind));
    body.insert("suspended".to_owned(), json!(manner.suspended));
    let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
    if all || !filter.is_empty() {
        body.insert("filter".to_owned(), Value::Object(filter));
    }
    body.insert("keys".to_owned(), json!(keys));
    let request = Path::new("/api/batches").post_json(Value::Object(body).to_string());
    Ok(ask(manner.client, request, Answer::Show(created)))
}

fn variables(text: &str) -> anyhow::Result<Value> {
    Ok(serde_json::from_str(json_object(text)?.get())?)
}

fn created(json: &str) -> serde_json::Result<View> {
    #[derive(serde::Deserialize)]
    struct Created {
        key: String,
        total: u64,
    }
    let created: Created = serde_json::from_str(json)?;
    let parts = if created.total == 1 { "part" } else { "parts" };
    let note = format!(
        "begun, in {} {parts}; see it with 'orloj batch watch {}'",
        created.total, created.key
    );
    Ok(View { data: created.key, note: Some(note) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Request;
    use crate::typed;

    fn body(line: &str) -> Value {
        let plan = typed::verb::<Create>(line).unwrap().plan().unwrap();
        let Request::PostJson(_, body) = typed::requests(plan).remove(0) else {
            panic!("a body is sent");
        };
        serde_json::from_str(&body).unwrap()
    }

    #[test]
    fn modifications_and_migrations_say_all_that_was_given() {
        let said = body("modify 7 --activate-after a --activate-flow f1 --vars {\"x\":1}");
        assert_eq!(said["activateAfter"], json!(["a"]));
        assert_eq!((&said["activateFlow"], &said["variables"]), (&json!(["f1"]), &json!({"x": 1})));
        let said = body("migrate --to order --tenant acme");
        assert_eq!(
            (&said["process"], &said["filter"]),
            (&json!("order"), &json!({"tenant": "acme"}))
        );
        let said = body("migrate 7 --to-definition 5");
        assert_eq!((&said["process"], &said["definition"]), (&Value::Null, &json!("5")));
        assert!(typed::verb::<Create>("migrate 7").is_err());
        assert!(typed::verb::<Create>("migrate 7 --to order --to-definition 5").is_err());
    }
}
