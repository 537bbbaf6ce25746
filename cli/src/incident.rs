//! `orloj incident`

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::args::{Client, One, Paging, key};
use crate::bulk::{Choice, Command, Kind, Manner, Said, fields};
use crate::call::{Answer, Path, ask};
use crate::plan::Plan;
use crate::table::{self, Row, or_dash};

const PATH: &str = "/api/incidents";

const INCIDENTS: Kind = Kind {
    one: "incident",
    many: "incidents",
    path: PATH,
    rows: table::listing::<Incident>,
    flags: "--instance, --process, --kind, ...",
};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Newest first
    List(List),
    /// How many there are
    Count(Count),
    /// One of them
    Show(One),
    /// Let processes go on where they stopped
    Resolve(Choice<Filter, Manner>),
    /// Open one by hand
    Create(Create),
    /// Write a note on one, or remove it
    Annotate(Annotate),
}

#[derive(Clone, Debug, Args, Serialize)]
pub struct Filter {
    /// Only of this instance
    #[arg(long, value_name = "KEY", value_parser = key())]
    instance: Option<i64>,
    /// Only of this process, in any version
    #[arg(long, value_name = "ID")]
    process: Option<String>,
    /// Only of this definition
    #[arg(long, value_name = "KEY", value_parser = key())]
    definition: Option<i64>,
    /// Only of this tenant
    #[arg(long)]
    tenant: Option<String>,
    /// Only of this kind
    #[arg(long)]
    kind: Option<String>,
    /// Only at this element
    #[arg(long, value_name = "ID")]
    element: Option<String>,
    /// Only of this job
    #[arg(long, value_name = "KEY", value_parser = key())]
    job: Option<i64>,
}

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    filter: Filter,
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct Count {
    #[command(flatten)]
    filter: Filter,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct Create {
    /// The instance
    #[arg(value_parser = key())]
    instance: i64,
    /// A word of your own for what it is
    #[arg(long)]
    kind: String,
    /// Where; without it, the instance as a whole
    #[arg(long, value_name = "KEY", value_parser = key())]
    element_instance: Option<i64>,
    /// What it is about, such as a key of your own
    #[arg(long, default_value = "")]
    configuration: String,
    /// What a person should know
    #[arg(long, default_value = "")]
    message: String,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct Annotate {
    #[arg(value_parser = key())]
    key: i64,
    /// The note; without it the present one is removed
    text: Option<String>,
    #[command(flatten)]
    client: Client,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    Ok(match verb {
        Verb::List(list) => {
            let path = Path::new(PATH).with_all(&fields(&list.filter)?).page(&list.paging);
            ask(list.client, path.get(), Answer::Show(table::listing::<Incident>))
        }
        Verb::Count(count) => {
            let path = Path::new(format!("{PATH}/count")).with_all(&fields(&count.filter)?);
            ask(count.client, path.get(), Answer::Show(table::count))
        }
        Verb::Show(one) => one.show(PATH, table::fields),
        Verb::Resolve(resolve) => {
            let said = Said::is("resolved");
            resolve.plan(INCIDENTS, Command { verb: "resolve", body: Map::new(), said })?
        }
        Verb::Create(create) => {
            let body = json!({
                "instance": create.instance.to_string(),
                "elementInstance": create.element_instance.map(|key| key.to_string()),
                "kind": create.kind,
                "configuration": create.configuration,
                "message": create.message,
            });
            let said = format!("instance {} has an incident", create.instance);
            ask(create.client, Path::new(PATH).post_json(body.to_string()), Answer::Done(said))
        }
        Verb::Annotate(annotate) => {
            let path = Path::new(format!("{PATH}/{}/annotation", annotate.key));
            let said = match &annotate.text {
                Some(_) => format!("incident {} has a note", annotate.key),
                None => format!("incident {} has no note", annotate.key),
            };
            let body = json!({"annotation": annotate.text}).to_string();
            ask(annotate.client, path.post_json(body), Answer::Done(said))
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
    annotation: Option<String>,
}

impl Row for Incident {
    const COLUMNS: &'static [&'static str] =
        &["KEY", "INSTANCE", "PROCESS", "ELEMENT", "JOB", "KIND", "CREATED", "MESSAGE", "NOTE"];

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
            or_dash(self.annotation.as_deref()),
        ]
    }
}
