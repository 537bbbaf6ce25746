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
    /// Start a token after this element, which has one outgoing flow; @KEY as above
    #[arg(long, value_name = "ELEMENT[@KEY]")]
    activate_after: Vec<String>,
    /// Start a token on this sequence flow; @KEY as above
    #[arg(long, value_name = "FLOW[@KEY]")]
    activate_flow: Vec<String>,
    /// Start a token before the second for each instance of the first, which ends; the first may be
    /// the key of one instance
    #[arg(long = "move", value_name = "FROM=TO[@KEY]")]
    moves: Vec<String>,
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
    #[arg(long, value_name = "ID", required_unless_present = "to_definition")]
    process: Option<String>,
    /// A certain version instead of the latest
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..))]
    version: Option<i32>,
    /// Whose process, instead of the instance's own tenant's
    #[arg(long)]
    tenant: Option<String>,
    /// The definition that it goes on as, instead of a process
    #[arg(long, value_name = "KEY", value_parser = key(),
        conflicts_with_all = ["process", "version", "tenant"])]
    to_definition: Option<i64>,
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ModifyBody<'a> {
    activate: Vec<Activate<'a>>,
    activate_after: Vec<Activate<'a>>,
    activate_flow: Vec<Activate<'a>>,
    moves: Vec<Move<'a>>,
    terminate: &'a [i64],
    terminate_all: &'a [String],
}

#[derive(Serialize)]
struct Activate<'a> {
    element: &'a str,
    ancestor: Option<i64>,
    variables: &'a RawValue,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Move<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_instance: Option<i64>,
    to: Activate<'a>,
}

pub fn modify(modify: Modify) -> anyhow::Result<Plan> {
    let is_empty = [
        &modify.activate,
        &modify.activate_after,
        &modify.activate_flow,
        &modify.moves,
        &modify.terminate_all,
    ]
    .iter()
    .all(|given| given.is_empty())
        && modify.terminate.is_empty();
    ensure!(
        !is_empty,
        "nothing to do; use --activate, --activate-after, --activate-flow, --move, --terminate or \
         --terminate-all"
    );
    let variables = json_object(&modify.variables)?;
    let body = ModifyBody {
        activate: places("--activate", &modify.activate, variables)?,
        activate_after: places("--activate-after", &modify.activate_after, variables)?,
        activate_flow: places("--activate-flow", &modify.activate_flow, variables)?,
        moves: moves(&modify.moves, variables)?,
        terminate: &modify.terminate,
        terminate_all: &modify.terminate_all,
    };
    let body = serde_json::to_string(&body)?;
    let path = Path::new(format!("/api/instances/{}/modify", modify.key));
    let said = format!("instance {} is modified", modify.key);
    Ok(ask(modify.client, path.post_json(body), Answer::Done(said)))
}

fn places<'a>(
    flag: &str,
    texts: &'a [String],
    variables: &'a RawValue,
) -> anyhow::Result<Vec<Activate<'a>>> {
    texts.iter().map(|text| place(flag, text, variables)).collect()
}

fn place<'a>(flag: &str, text: &'a str, variables: &'a RawValue) -> anyhow::Result<Activate<'a>> {
    let Some((element, ancestor)) = text.rsplit_once('@') else {
        return Ok(Activate { element: text, ancestor: None, variables });
    };
    let ancestor =
        ancestor.parse().with_context(|| format!("{flag}: '{ancestor}' is not a key"))?;
    Ok(Activate { element, ancestor: Some(ancestor), variables })
}

/// What begins with a digit is a key: no id in a model does.
fn moves<'a>(texts: &'a [String], variables: &'a RawValue) -> anyhow::Result<Vec<Move<'a>>> {
    let mut moves = Vec::new();
    for text in texts {
        let (from, to) = pair("--move", text)?;
        let to = place("--move", to, variables)?;
        let (from, from_instance) = match from.starts_with(|first: char| first.is_ascii_digit()) {
            true => {
                let key = from.parse().with_context(|| format!("--move: '{from}' is not a key"))?;
                (None, Some(key))
            }
            false => (Some(from), None),
        };
        moves.push(Move { from, from_instance, to });
    }
    Ok(moves)
}

pub fn migrate(migrate: Migrate) -> anyhow::Result<Plan> {
    #[derive(Serialize)]
    struct Body<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        process: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        version: Option<i32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        tenant: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        definition: Option<i64>,
        plan: BTreeMap<&'a str, &'a str>,
    }
    let body = Body {
        process: migrate.process.as_deref(),
        version: migrate.version,
        tenant: migrate.tenant.as_deref(),
        definition: migrate.to_definition,
        plan: mapping(&migrate.map)?,
    };
    let body = serde_json::to_string(&body)?;
    let path = Path::new(format!("/api/instances/{}/migrate", migrate.key));
    let said = format!("instance {} is migrated", migrate.key);
    Ok(ask(migrate.client, path.post_json(body), Answer::Done(said)))
}

/// Which element becomes which.
pub fn mapping(texts: &[String]) -> anyhow::Result<BTreeMap<&str, &str>> {
    let mut plan = BTreeMap::new();
    for text in texts {
        let (from, to) = pair("--map", text)?;
        ensure!(plan.insert(from, to).is_none(), "--map: '{from}' is there twice");
    }
    Ok(plan)
}

fn pair<'a>(flag: &str, text: &'a str) -> anyhow::Result<(&'a str, &'a str)> {
    let pair = text.split_once('=').filter(|(from, to)| !from.is_empty() && !to.is_empty());
    pair.with_context(|| format!("{flag}: '{text}' is not FROM=TO"))
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
