//! `orloj signal`

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::args::Client;
use crate::call::{Answer, Path, ask};
use crate::instance::json_object;
use crate::message::accepted;
use crate::plan::Plan;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Give one to all who wait for it; processes that it starts are started
    Broadcast(Broadcast),
}

#[derive(Debug, Args)]
pub struct Broadcast {
    /// As in the model
    name: String,
    /// Variables to set, as a JSON object
    #[arg(long, alias = "vars", value_name = "JSON", default_value = "{}")]
    variables: String,
    #[command(flatten)]
    client: Client,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    let Verb::Broadcast(broadcast) = verb;
    #[derive(Serialize)]
    struct Body<'a> {
        name: &'a str,
        variables: &'a RawValue,
    }
    let body = Body { name: &broadcast.name, variables: json_object(&broadcast.variables)? };
    let body = serde_json::to_string(&body)?;
    let path = Path::new("/api/signals");
    Ok(ask(broadcast.client, path.post_json(body), Answer::Show(accepted)))
}
