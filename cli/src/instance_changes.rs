//! Instances changed by hand: `orloj instance modify`, `migrate`, `set-variables`.

use std::collections::BTreeMap;

use anyhow::{Context, ensure};
use clap::Args;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::args::{Client, key};
use crate::call::{Answer, Path, ask};
use crate::instance::json_object;
use crate::plan::Plan;

#[derive(Debug, Args)]
pub struct Modify {
    #[arg(value_parser = key())]
    key: i64,
    /// Start a token before this element; with @KEY inside of that element instance
    #[arg(long, value_name = "ELEMENT[@KEY]")]
    activate: Vec<String>,
    /// End this element instance
    #[arg(long, value_name = "KEY", value_parser = key())]
    terminate: Vec<i64>,
    /// End all instances of this element
    #[arg(long, value_name = "ELEMENT")]
    terminate_all: Vec<String>,
    /// Variables to set around what is activated, as a JSON object
    #[arg(long, alias = "vars", value_name = "JSON", default_value = "{}")]
    variables: String,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct Migrate {
    #[arg(value_parser = key())]
    key: i64,
    /// The process that it goes on as
    #[arg(long, value_name = "ID")]
    process: String,
    /// A certain version instead of the latest
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..))]
    version: Option<i32>,
    /// Which element becomes which; may be repeated
    #[arg(long, value_name = "FROM=TO")]
    map: Vec<String>,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct SetVariables {
    /// Of an instance, or of an element instance
    #[arg(value_parser = key())]
    key: i64,
    /// Variables to set, as a JSON object
    #[arg(long, alias = "vars", value_name = "JSON")]
    variables: String,
    /// In that very scope, not where each of them is found
    #[arg(long)]
    local: bool,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct AskConditions {
    #[arg(value_parser = key())]
    key: i64,
    /// Variables to set before, as a JSON object
    #[arg(long, alias = "vars", value_name = "JSON", default_value = "{}")]
    variables: String,
    #[command(flatten)]
    client: Client,
}

pub fn modify(modify: Modify) -> anyhow::Result<Plan> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Body<'a> {
        activate: Vec<Activate<'a>>,
        terminate: &'a [i64],
        terminate_all: &'a [String],
    }
    #[derive(Serialize)]
    struct Activate<'a> {
        element: &'a str,
        ancestor: Option<i64>,
        variables: &'a RawValue,
    }
    let is_empty = modify.activate.is_empty()
        && modify.terminate.is_empty()
        && modify.terminate_all.is_empty();
    ensure!(!is_empty, "nothing to do; use --activate, --terminate or --terminate-all");
    let variables = json_object(&modify.variables)?;
    let activate = |text: &'_ String| -> anyhow::Result<(String, Option<i64>)> {
        let Some((element, ancestor)) = text.rsplit_once('@') else {
            return Ok((text.clone(), None));
        };
        let ancestor =
            ancestor.parse().with_context(|| format!("--activate: '{ancestor}' is not a key"))?;
        Ok((element.to_owned(), Some(ancestor)))
    };
    let places = modify.activate.iter().map(activate).collect::<anyhow::Result<Vec<_>>>()?;
    let body = Body {
        activate: places
            .iter()
            .map(|(element, ancestor)| Activate { element, ancestor: *ancestor, variables })
            .collect(),
        terminate: &modify.terminate,
        terminate_all: &modify.terminate_all,
    };
    let body = serde_json::to_string(&body)?;
    let path = Path::new(format!("/api/instances/{}/modify", modify.key));
    let said = format!("instance {} is modified", modify.key);
    Ok(ask(modify.client, path.post_json(body), Answer::Done(said)))
}

pub fn migrate(migrate: Migrate) -> anyhow::Result<Plan> {
    #[derive(Serialize)]
    struct Body<'a> {
        process: &'a str,
        version: Option<i32>,
        plan: BTreeMap<&'a str, &'a str>,
    }
    let mut plan = BTreeMap::new();
    for text in &migrate.map {
        let pair = text.split_once('=').filter(|(from, to)| !from.is_empty() && !to.is_empty());
        let (from, to) = pair.with_context(|| format!("--map: '{text}' is not FROM=TO"))?;
        let before = plan.insert(from, to);
        ensure!(before.is_none(), "--map: '{from}' is there twice");
    }
    let body = Body { process: &migrate.process, version: migrate.version, plan };
    let body = serde_json::to_string(&body)?;
    let path = Path::new(format!("/api/instances/{}/migrate", migrate.key));
    let said = format!("instance {} is migrated", migrate.key);
    Ok(ask(migrate.client, path.post_json(body), Answer::Done(said)))
}

pub fn set_variables(set: SetVariables) -> anyhow::Result<Plan> {
    #[derive(Serialize)]
    struct Body<'a> {
        variables: &'a RawValue,
        local: bool,
    }
    let body = Body { variables: json_object(&set.variables)?, local: set.local };
    let body = serde_json::to_string(&body)?;
    let path = Path::new(format!("/api/element-instances/{}/variables", set.key));
    let said = format!("variables of {} are set", set.key);
    Ok(ask(set.client, path.post_json(body), Answer::Done(said)))
}

pub fn ask_conditions(asking: AskConditions) -> anyhow::Result<Plan> {
    #[derive(Serialize)]
    struct Body<'a> {
        variables: &'a RawValue,
    }
    let body = Body { variables: json_object(&asking.variables)? };
    let path = Path::new(format!("/api/instances/{}/ask-conditions", asking.key));
    let said = format!("conditional events of instance {} were asked", asking.key);
    Ok(ask(asking.client, path.post_json(serde_json::to_string(&body)?), Answer::Done(said)))
}
