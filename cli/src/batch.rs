//! `orloj batch`: large work that the executor does in parts.

use anyhow::bail;
use clap::{Args, Subcommand};
use serde::Deserialize;

use crate::args::{Client, Delete, Ended, Format, One, key};
use crate::batch_create::Create;
use crate::bulk::{self, Batchable, Command, Said, answer};
use crate::call::Path;
use crate::client::Connection;
use crate::job;
use crate::job::filter::{JobFilter, Set};
use crate::plan::Plan;
use crate::progress::Progress;
use crate::table::{self, Row, or_dash};
use crate::{clock, output};

const PATH: &str = "/api/batches";
const NOUN: (&str, &str) = ("batch", PATH);

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Those under way, newest first
    List(Ended<Filter>),
    /// One of them, under way or done
    Show(One),
    /// Begin one
    #[command(subcommand)]
    Create(Create),
    /// A bar until one is done
    Watch(One),
    /// Begin no part of one until it is resumed
    Suspend(One),
    /// Go on with one that is suspended
    #[command(visible_alias = "activate")]
    Resume(One),
    /// Give the parts of one that are out of tries so many
    Retries(Retries),
    /// Remove one; what its parts have done stays done
    Delete(Delete),
}

#[derive(Debug, Args)]
pub struct Filter {
    /// Only those that do this, such as set-job-retries
    #[arg(long)]
    kind: Option<String>,
    /// Only of this tenant
    #[arg(long)]
    tenant: Option<String>,
    /// Only those that are suspended, or only those that are not
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true",
        require_equals = true)]
    suspended: Option<bool>,
}

impl Filter {
    fn on(&self, path: Path) -> Path {
        path.with("kind", self.kind.as_ref())
            .with("tenant", self.tenant.as_ref())
            .with("suspended", self.suspended)
    }
}

#[derive(Debug, Args)]
pub struct Retries {
    #[arg(value_parser = key())]
    key: i64,
    #[arg(value_parser = clap::value_parser!(i32).range(0..), allow_negative_numbers = true)]
    count: i32,
    #[command(flatten)]
    manner: Batchable,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    Ok(match verb {
        Verb::List(list) => {
            let path = list.filter.on(Path::new(PATH));
            list.list(path, table::listing::<Batch>)
        }
        Verb::Show(one) => one.show(PATH, table::fields),
        Verb::Create(create) => create.plan()?,
        Verb::Watch(one) => Plan::Watch(Watch { client: one.client, key: one.key }),
        Verb::Suspend(one) => one.order(NOUN, "suspend", "suspended"),
        Verb::Resume(one) => one.order(NOUN, "resume", "resumed"),
        Verb::Retries(retries) => {
            let parts = JobFilter {
                batch: Some(retries.key),
                set: Some(Set::DeadLetters),
                ..Default::default()
            };
            let body = job::object(serde_json::json!({"retries": retries.count}));
            let said = Said::has(&format!("{} tries left", retries.count));
            let command = Command { verb: "retries", body, said };
            bulk::plan(job::JOBS, Vec::new(), &parts, false, command, retries.manner)?
        }
        Verb::Delete(delete) => delete.order(NOUN),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Batch {
    key: String,
    kind: String,
    state: String,
    total: u64,
    made: u64,
    done: u64,
    failed: u64,
    created_at: String,
    ended_at: Option<String>,
}

impl Row for Batch {
    const COLUMNS: &'static [&'static str] =
        &["KEY", "KIND", "STATE", "PARTS", "MADE", "DONE", "FAILED", "CREATED", "ENDED"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.key.clone(),
            self.kind.clone(),
            self.state.clone(),
            self.total.to_string(),
            self.made.to_string(),
            self.done.to_string(),
            self.failed.to_string(),
            self.created_at.clone(),
            or_dash(self.ended_at.as_deref()),
        ]
    }
}

/// Looks at a batch again and again until it is done.
#[derive(Debug)]
pub struct Watch {
    client: Client,
    key: i64,
}

impl Watch {
    pub fn act(self) -> anyhow::Result<()> {
        let connection = Connection::open(&self.client)?;
        let request = Path::new(format!("{PATH}/{}", self.key)).get();
        let first: Batch = answer(&connection, &request)?;
        let progress = Progress::new("parts", first.total);
        let mut batch = first;
        loop {
            let Batch { done, failed, total, .. } = batch;
            progress.to(done, total);
            if batch.state == "ended" || batch.state == "deleted" {
                break;
            }
            // What is out of tries waits for a person; nothing will move before.
            if failed > 0 && done + failed == total {
                drop(progress);
                bail!(
                    "{failed} parts of batch {} are out of tries; give them new ones with 'orloj \
                     batch retries {} 1'",
                    self.key,
                    self.key
                );
            }
            clock::pause();
            batch = answer(&connection, &request)?;
        }
        drop(progress);
        if matches!(self.client.output, Format::Json) {
            output::data(&connection.send(&request)?)?;
        } else {
            output::talk(&format!("batch {} is done: {} parts", self.key, batch.total));
        }
        Ok(())
    }
}
