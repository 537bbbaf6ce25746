//! `orloj meter`: what nodes have counted, and written down.

use anyhow::Context;
use clap::{Args, Subcommand};
use jiff::SignedDuration;
use serde::Deserialize;

use crate::args::Client;
use crate::call::{Answer, Path, ask};
use crate::moment::moment;
use crate::plan::Plan;
use crate::table::{self, Row, or_dash};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Sums, the newest interval first
    List(List),
}

#[derive(Debug, Args)]
pub struct List {
    /// Only this meter, such as job-successful
    #[arg(long)]
    name: Option<String>,
    /// Only what this node counted
    #[arg(long, value_name = "NAME")]
    reporter: Option<String>,
    /// Only what was counted from then on
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    from: Option<String>,
    /// Only what was counted before
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    until: Option<String>,
    /// A sum for each interval, such as 15m, instead of one for all
    #[arg(long, value_name = "TIME")]
    interval: Option<String>,
    /// A sum for each node
    #[arg(long)]
    by_reporter: bool,
    /// At most so many rows
    #[arg(long, value_name = "ROWS", default_value_t = 200,
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    #[command(flatten)]
    client: Client,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    let Verb::List(list) = verb;
    let interval_ms = list.interval.as_deref().map(interval_ms).transpose()?;
    let path = Path::new("/api/meters")
        .with("name", list.name)
        .with("reporter", list.reporter)
        .with("from", list.from)
        .with("until", list.until)
        .with("intervalMs", interval_ms)
        .with("byReporter", list.by_reporter.then_some(true))
        .with("limit", Some(list.limit));
    Ok(ask(list.client, path.get(), Answer::Show(table::listing::<Meter>)))
}

fn interval_ms(text: &str) -> anyhow::Result<i64> {
    let hint = || format!("--interval: '{text}' is not a time such as 15m");
    let interval: SignedDuration = text.parse().with_context(hint)?;
    let interval_ms = i64::try_from(interval.as_millis()).ok().filter(|ms| *ms > 0);
    interval_ms.with_context(hint)
}

#[derive(Deserialize)]
struct Meter {
    at: Option<String>,
    name: String,
    reporter: Option<String>,
    value: i64,
}

impl Row for Meter {
    const COLUMNS: &'static [&'static str] = &["FROM", "NAME", "NODE", "VALUE"];

    fn cells(&self) -> Vec<String> {
        vec![
            or_dash(self.at.as_deref()),
            self.name.clone(),
            or_dash(self.reporter.as_deref()),
            self.value.to_string(),
        ]
    }
}
