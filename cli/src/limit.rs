//! `orloj limit`: how many jobs may run at once, and how many may begin in a time.

use anyhow::ensure;
use clap::{Args, Subcommand, ValueEnum};
use serde::Deserialize;
use serde_json::json;

use crate::args::Client;
use crate::call::{Answer, Path, ask};
use crate::job::filter::word;
use crate::plan::Plan;
use crate::table::{self, Row, or_dash};

const PATH: &str = "/api/limits";

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// All of them, and how far each is used
    List(List),
    /// Set or replace one; holds on every node when it returns
    Set(Set),
    /// Remove one
    Delete(Delete),
}

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    client: Client,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Scope {
    /// By the type of a worker job, or the class or bean that an engine job calls
    Topic,
    Tenant,
    /// By the key that the model gives its jobs
    Key,
}

#[derive(Debug, Args)]
pub struct Set {
    /// What it goes by
    #[arg(value_enum)]
    scope: Scope,
    /// Of what
    name: String,
    /// So many at once; 0 stops them all
    #[arg(long, value_name = "JOBS", allow_negative_numbers = true)]
    max: Option<u32>,
    /// So many begin in a second
    #[arg(long, value_name = "JOBS", conflicts_with = "per_minute", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..))]
    per_second: Option<u32>,
    /// So many begin in a minute
    #[arg(long, value_name = "JOBS", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..))]
    per_minute: Option<u32>,
    /// So many at once after a pause [default: as many as the rate]
    #[arg(long, value_name = "JOBS", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..))]
    burst: Option<u32>,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct Delete {
    /// What it goes by
    #[arg(value_enum)]
    scope: Scope,
    /// Of what
    name: String,
    #[command(flatten)]
    client: Client,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    Ok(match verb {
        Verb::List(list) => {
            ask(list.client, Path::new(PATH).get(), Answer::Show(table::listing::<Limit>))
        }
        Verb::Set(set) => {
            let rate = match (set.per_second, set.per_minute) {
                (Some(jobs), _) => Some((jobs, 1_000)),
                (_, Some(jobs)) => Some((jobs, 60_000)),
                _ => None,
            };
            let is_limit = set.max.is_some() || rate.is_some();
            ensure!(is_limit, "nothing is limited; use --max, --per-second or --per-minute");
            let is_rate = rate.is_some() || set.burst.is_none();
            ensure!(is_rate, "--burst needs --per-second or --per-minute");
            let rate = rate.map(|(jobs, interval_ms)| {
                json!({
                    "jobs": jobs,
                    "intervalMs": interval_ms,
                    "burst": set.burst.unwrap_or(jobs),
                })
            });
            let scope = word(&set.scope);
            let said = format!("{scope} {} is limited", set.name);
            let body = json!({
                "scope": scope, "name": set.name, "maxConcurrent": set.max, "rate": rate,
            });
            ask(set.client, Path::new(PATH).post_json(body.to_string()), Answer::Done(said))
        }
        Verb::Delete(delete) => {
            let scope = word(&delete.scope);
            let said = format!("{scope} {} is not limited any more", delete.name);
            let body = json!({"scope": scope, "name": delete.name}).to_string();
            let path = Path::new(format!("{PATH}/delete"));
            ask(delete.client, path.post_json(body), Answer::Done(said))
        }
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Limit {
    scope: String,
    name: String,
    max_concurrent: Option<u32>,
    rate: Option<Rate>,
    running: Option<u64>,
    next_at: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rate {
    jobs: u32,
    interval_ms: u32,
    burst: u32,
}

impl Row for Limit {
    const COLUMNS: &'static [&'static str] =
        &["SCOPE", "NAME", "MAX", "RUNNING", "RATE", "BURST", "NEXT AT"];

    fn cells(&self) -> Vec<String> {
        let rate = self.rate.as_ref().map(|rate| match rate.interval_ms {
            1_000 => format!("{}/s", rate.jobs),
            60_000 => format!("{}/min", rate.jobs),
            interval_ms => format!("{} in {interval_ms} ms", rate.jobs),
        });
        vec![
            self.scope.clone(),
            self.name.clone(),
            or_dash(self.max_concurrent.map(|max| max.to_string()).as_deref()),
            or_dash(self.running.map(|running| running.to_string()).as_deref()),
            or_dash(rate.as_deref()),
            or_dash(self.rate.as_ref().map(|rate| rate.burst.to_string()).as_deref()),
            or_dash(self.next_at.as_deref()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed;

    #[test]
    fn a_negative_number_is_called_what_it_is() {
        for (flags, said) in [
            ("--max -1", "invalid value '-1' for '--max <JOBS>'"),
            ("--per-second -5", "-5 is not in 1..=4294967295"),
            ("--per-minute 0", "0 is not in 1..=4294967295"),
            ("--per-second 5 --burst -2", "-2 is not in 1..=4294967295"),
        ] {
            let line = format!("set topic pay {flags}");
            let refused = typed::verb::<Verb>(&line).expect_err(flags).to_string();
            assert!(refused.contains(said), "{flags}: {refused}");
            assert!(!refused.contains("tip:"), "{flags}: {refused}");
        }
    }
}
