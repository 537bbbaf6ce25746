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
    /// For whom of this tenant it is, instead of those of none
    #[arg(long)]
    tenant: Option<String>,
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
        #[serde(skip_serializing_if = "Option::is_none")]
        tenant: Option<&'a str>,
        variables: &'a RawValue,
    }
    let body = Body {
        name: &broadcast.name,
        tenant: broadcast.tenant.as_deref(),
        variables: json_object(&broadcast.variables)?,
    };
    let body = serde_json::to_string(&body)?;
    let path = Path::new("/api/signals");
    Ok(ask(broadcast.client, path.post_json(body), Answer::Show(accepted)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Request;
    use crate::typed;

    #[test]
    fn a_signal_is_for_those_of_no_tenant_or_of_one() {
        for (line, body) in [
            ("broadcast storm", r#"{"name":"storm","variables":{}}"#),
            ("broadcast storm --tenant acme", r#"{"name":"storm","tenant":"acme","variables":{}}"#),
        ] {
            let request = typed::requests(plan(typed::verb(line).unwrap()).unwrap()).remove(0);
            assert_eq!(request, Request::PostJson("/api/signals".to_owned(), body.to_owned()));
        }
    }
}
