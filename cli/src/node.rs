//! `orloj node`

use clap::{Args, Subcommand};
use serde::Deserialize;

use crate::args::Client;
use crate::call::{Answer, Path, ask};
use crate::plan::Plan;
use crate::table::{self, Row};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// All that share the store of the one asked
    List(List),
}

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    client: Client,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    Ok(match verb {
        Verb::List(list) => {
            let path = Path::new("/api/nodes");
            ask(list.client, path.get(), Answer::Show(table::listing::<Node>))
        }
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    number: u16,
    name: String,
    seen_at: String,
    is_self: bool,
}

impl Row for Node {
    const COLUMNS: &'static [&'static str] = &["NUMBER", "NAME", "SEEN", "ANSWERED"];

    fn cells(&self) -> Vec<String> {
        let answered = if self.is_self { "this one" } else { "" };
        vec![self.number.to_string(), self.name.clone(), self.seen_at.clone(), answered.to_owned()]
    }
}
