//! `orloj incident`

use clap::{Args, Subcommand};
use serde::Deserialize;

use crate::args::{Client, Paging, key};
use crate::call::{Answer, Path, ask};
use crate::plan::Plan;
use crate::table::{self, Row, or_dash};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Newest first
    List(List),
    /// Let the process go on where it stopped
    Resolve(Resolve),
}

#[derive(Debug, Args)]
pub struct List {
    /// Only of this instance
    #[arg(long, value_name = "KEY", value_parser = key())]
    instance: Option<i64>,
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct Resolve {
    #[arg(value_parser = key())]
    key: i64,
    #[command(flatten)]
    client: Client,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    Ok(match verb {
        Verb::List(list) => {
            let path =
                Path::new("/api/incidents").with("instance", list.instance).page(&list.paging);
            ask(list.client, path.get(), Answer::Show(table::listing::<Incident>))
        }
        Verb::Resolve(one) => {
            let path = Path::new(format!("/api/incidents/{}/resolve", one.key));
            let said = format!("incident {} is resolved", one.key);
            ask(one.client, path.post_json(String::new()), Answer::Done(said))
        }
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Incident {
    key: String,
    instance: String,
    process: String,
    element: String,
    job: Option<String>,
    kind: String,
    message: String,
    created_at: String,
}

impl Row for Incident {
    const COLUMNS: &'static [&'static str] =
        &["KEY", "INSTANCE", "PROCESS", "ELEMENT", "JOB", "KIND", "CREATED", "MESSAGE"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.key.clone(),
            self.instance.clone(),
            self.process.clone(),
            self.element.clone(),
            or_dash(self.job.as_deref()),
            self.kind.clone(),
            self.created_at.clone(),
            self.message.clone(),
        ]
    }
}
