//! Instances that a command is for: keys, or a filter.

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::args::{Client, key};
use crate::bulk::{self, Batchable, Choice, Command, Kind, Manner, Said, fields};
use crate::call::{Answer, Path, View, ask};
use crate::instance::{Instance, json_object};
use crate::job::object;
use crate::plan::Plan;
use crate::table;

pub const INSTANCES: Kind = Kind {
    one: "instance",
    many: "instances",
    path: "/api/instances",
    rows: table::listing::<Instance>,
    flags: "--process, --definition, --business-key, ...",
};

/// What the rows of instances tell of them.
#[derive(Clone, Debug, Default, Args, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Traits {
    /// Only of this process
    #[arg(long, value_name = "ID")]
    process: Option<String>,
    /// Only of this definition
    #[arg(long, value_name = "KEY", value_parser = key())]
    definition: Option<i64>,
    /// Only of this tenant
    #[arg(long)]
    tenant: Option<String>,
    /// Only with this business key
    #[arg(long, value_name = "TEXT")]
    business_key: Option<String>,
    /// Only those with incidents, or only those without
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true",
        require_equals = true)]
    with_incidents: Option<bool>,
}

#[derive(Clone, Debug, Default, Args, Serialize)]
pub struct Filter {
    #[command(flatten)]
    #[serde(flatten)]
    traits: Traits,
    /// Only suspended ones, or only those that are not
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true",
        require_equals = true)]
    suspended: Option<bool>,
}

#[derive(Debug, Args)]
pub struct Count {
    #[command(flatten)]
    filter: Filter,
    #[command(flatten)]
    client: Client,
}

impl Count {
    pub fn plan(self) -> anyhow::Result<Plan> {
        let path = Path::new("/api/instances/count").with_all(&fields(&self.filter)?);
        Ok(ask(self.client, path.get(), Answer::Show(table::count)))
    }
}

pub type Instances = Choice<Filter, Batchable>;

impl Instances {
    pub fn order(self, verb: &'static str, done: &str) -> anyhow::Result<Plan> {
        self.plan(INSTANCES, Command { verb, body: Map::new(), said: Said::is(done) })
    }
}

#[derive(Debug, Args)]
pub struct Restart {
    /// Instances that have ended
    #[arg(required = true, value_name = "KEY", value_parser = key())]
    keys: Vec<i64>,
    /// Begin before this element instead of at the start event; may be repeated
    #[arg(long, value_name = "ELEMENT")]
    before: Vec<String>,
    /// Without the variables that it had at its end
    #[arg(long)]
    without_variables: bool,
    /// Variables to set besides, as a JSON object
    #[arg(long, alias = "vars", value_name = "JSON", default_value = "{}")]
    variables: String,
    /// Without its business key
    #[arg(long)]
    without_business_key: bool,
    #[command(flatten)]
    manner: Manner,
}

impl Restart {
    pub fn plan(self) -> anyhow::Result<Plan> {
        let mut body = object(json!({
            "before": self.before,
            "withoutVariables": self.without_variables,
            "withoutBusinessKey": self.without_business_key,
        }));
        let variables = json_object(&self.variables)?;
        body.insert("variables".to_owned(), serde_json::from_str(variables.get())?);
        let command = Command { verb: "restart", body, said: Said::is("started anew") };
        let plan =
            bulk::plan(INSTANCES, self.keys, &Filter::default(), false, command, self.manner)?;
        Ok(plan.showing(restarted))
    }
}

fn restarted(json: &str) -> serde_json::Result<View> {
    #[derive(Deserialize)]
    struct Restarted {
        key: String,
    }
    let Restarted { key } = serde_json::from_str(json)?;
    let note = Some(format!("started anew as instance {key}"));
    Ok(View { data: key, note })
}
