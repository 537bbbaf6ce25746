//! `orloj timer`: those of a node, and when a text fires.

use anyhow::{Context, anyhow};
use clap::{Args, Subcommand, ValueEnum};
use jiff::tz::TimeZone;
use orloj_expr::excerpt;
use orloj_timer::{Dialect, Schedule, zone};
use orloj_types::Timestamp;
use serde_json::json;

use crate::args::{Client, Shape};
use crate::bulk::{Said, fields};
use crate::call::{Answer, Path, ask};
use crate::job::filter::{JobFilter, Set};
use crate::job::{self, Job, JobKeys};
use crate::table::{self, Row};
use crate::{clock, output, plan};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Arguments {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    firings: Firings,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Those that wait, the earliest first
    List(List),
    /// Run them now, and not when they are due
    Fire(JobKeys),
    /// Set when they are due
    Due(job::Due),
}

#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    filter: JobFilter,
    /// At most so many rows
    #[arg(long, value_name = "ROWS", default_value_t = 50,
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// Leave out so many rows
    #[arg(long, value_name = "ROWS")]
    offset: Option<u32>,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
struct Firings {
    /// A date, duration, repetition or cron expression: shows when it fires
    #[arg(required = true, allow_hyphen_values = true)]
    text: Option<String>,
    /// Whose rules the text follows
    #[arg(long, value_enum, default_value_t = Engine::Zeebe)]
    dialect: Engine,
    /// When the timer is made, such as 2030-01-31T09:00:00Z [default: now]
    #[arg(long, value_name = "MOMENT")]
    from: Option<jiff::Timestamp>,
    /// The zone of the engine, such as Europe/Prague or +01:00 [default: the one in the text, else
    /// UTC]
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    zone: Option<String>,
    /// How many firings to show
    #[arg(short = 'n', long, value_name = "FIRINGS", default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    count: u32,
    /// How to show the firings
    #[arg(short, long, value_enum, default_value_t = Shape::Table)]
    output: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Engine {
    Zeebe,
    Camunda7,
    Flowable,
}

pub struct Plan {
    schedule: Schedule,
    from: Timestamp,
    zone: TimeZone,
    count: usize,
    output: Shape,
}

pub fn plan(arguments: Arguments) -> anyhow::Result<plan::Plan> {
    match arguments.verb {
        Some(Verb::List(list)) => {
            let filter = JobFilter { set: Some(Set::Timers), ..list.filter };
            let path = Path::new("/api/jobs")
                .with_all(&fields(&filter)?)
                .with("order", Some("earliest-due"))
                .with("offset", list.offset)
                .with("limit", Some(list.limit));
            Ok(ask(list.client, path.get(), Answer::Show(table::listing::<Job>)))
        }
        Some(Verb::Fire(jobs)) => jobs.of(Set::Timers).plan("fire", Said::is("fired")),
        Some(Verb::Due(due)) => due.of(Set::Timers).plan(),
        None => firings(arguments.firings),
    }
}

fn firings(arguments: Firings) -> anyhow::Result<plan::Plan> {
    let dialect = match arguments.dialect {
        Engine::Zeebe => Dialect::Zeebe,
        Engine::Camunda7 => Dialect::Camunda7,
        Engine::Flowable => Dialect::Flowable,
    };
    let text = &arguments.text.context("a text is needed")?;
    let schedule =
        Schedule::guess(dialect, text).map_err(|e| anyhow!(excerpt(text, e.offset, &e.message)))?;
    let zone = match &arguments.zone {
        Some(name) => zone(name).with_context(|| format!("--zone: there is no zone '{name}'"))?,
        None => zone_in(text).unwrap_or(TimeZone::UTC),
    };
    let from = match arguments.from {
        Some(moment) => Timestamp::from_ms(moment.as_millisecond()),
        None => clock::now(),
    };
    let count = usize::try_from(arguments.count).context("more than this machine can count")?;
    let output = arguments.output;
    Ok(plan::Plan::Timer(Box::new(Plan { schedule, from, zone, count, output })))
}

/// What stands in brackets behind a date.
fn zone_in(text: &str) -> Option<TimeZone> {
    let (_, behind) = text.split_once('[')?;
    let (name, _) = behind.split_once(']')?;
    zone(name)
}

struct Firing {
    number: usize,
    at: Timestamp,
    zone: TimeZone,
}

impl Plan {
    pub fn act(&self) -> anyhow::Result<()> {
        let firings: Vec<Firing> = self
            .schedule
            .firings(self.from, self.zone.clone())
            .take(self.count)
            .enumerate()
            .map(|(at, moment)| Firing { number: at + 1, at: moment, zone: self.zone.clone() })
            .collect();
        match self.output {
            Shape::Json => {
                let firings: Vec<_> = firings.iter().map(Firing::json).collect();
                output::data(&serde_json::to_string(&firings)?)?;
            }
            Shape::Table if firings.is_empty() => {}
            Shape::Table => output::data(&table::rows(&firings))?,
        }
        match firings.len() {
            0 => output::talk("it never fires"),
            shown if shown < self.count && self.schedule.repeats() => {
                output::talk("that was the last one");
            }
            _ => {}
        }
        Ok(())
    }
}

impl Firing {
    /// As the clocks of the zone show it. A moment beyond their calendar has no such form.
    fn local(&self, format: &str) -> String {
        match jiff::Timestamp::from_millisecond(self.at.as_ms()) {
            Ok(at) => at.to_zoned(self.zone.clone()).strftime(format).to_string(),
            Err(_) => "-".to_owned(),
        }
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "at": self.at.to_string(),
            "local": self.local("%Y-%m-%dT%H:%M:%S%.f%:z"),
            "zone": self.zone.iana_name(),
        })
    }
}

impl Row for Firing {
    const COLUMNS: &'static [&'static str] = &["FIRING", "LOCAL TIME", "OFFSET", "UTC"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.number.to_string(),
            self.local("%a %Y-%m-%d %H:%M:%S%.f"),
            self.local("%:z"),
            self.at.to_string(),
        ]
    }
}
