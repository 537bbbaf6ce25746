//! `orloj definition`

use clap::{Args, Subcommand};
use serde::Deserialize;

use crate::args::{Client, Paging};
use crate::call::{Answer, Path, ask};
use crate::plan::Plan;
use crate::table::{self, Row};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Newest first
    List(List),
}

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    client: Client,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    Ok(match verb {
        Verb::List(list) => {
            let path = Path::new("/api/definitions").page(&list.paging);
            ask(list.client, path.get(), Answer::Show(table::listing::<Definition>))
        }
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Definition {
    key: String,
    process: String,
    version: i32,
    resource: String,
    deployed_at: String,
}

impl Row for Definition {
    const COLUMNS: &'static [&'static str] = &["KEY", "PROCESS", "VERSION", "RESOURCE", "DEPLOYED"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.key.clone(),
            self.process.clone(),
            self.version.to_string(),
            self.resource.clone(),
            self.deployed_at.clone(),
        ]
    }
}
