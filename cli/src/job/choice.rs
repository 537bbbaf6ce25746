//! Which jobs a command is for: keys, or a filter.

use clap::Args;
use serde_json::{Map, Value};

use super::filter::{FLAGS, JobFilter, Set, State, word};
use crate::args::key;
use crate::bulk::{self, Batchable, Command, Kind, Manner, Said};
use crate::call::View;
use crate::job::Job;
use crate::plan::Plan;
use crate::table;

pub const JOBS: Kind =
    Kind { one: "job", many: "jobs", path: "/api/jobs", rows: table::listing::<Job>, flags: FLAGS };

/// A command that needs nothing else.
#[derive(Debug, Args)]
pub struct JobKeys {
    #[arg(value_name = "KEY", value_parser = key())]
    keys: Vec<i64>,
    #[command(flatten)]
    choice: JobChoice,
}

#[derive(Debug, Args)]
pub struct JobChoice {
    /// Every job
    #[arg(long, help_heading = "Which")]
    all: bool,
    #[command(flatten)]
    pub filter: JobFilter,
    #[command(flatten, next_help_heading = "Options")]
    manner: Manner,
}

impl JobKeys {
    pub fn plan(self, verb: &'static str, said: Said) -> anyhow::Result<Plan> {
        self.plan_with(verb, said, Map::new())
    }

    pub fn plan_with(
        self,
        verb: &'static str,
        said: Said,
        body: Map<String, Value>,
    ) -> anyhow::Result<Plan> {
        self.choice.plan(self.keys, verb, said, body)
    }

    /// Of a command whose answer for one job is shown; many are only counted.
    pub fn plan_shown(
        self,
        command: Command,
        show: fn(&str) -> serde_json::Result<View>,
    ) -> anyhow::Result<Plan> {
        Ok(self.choice.plan_in(self.keys, command, false)?.showing(show))
    }

    pub fn failed(self) -> Self {
        Self { choice: self.choice.failed(&self.keys), ..self }
    }

    /// Of a command that there is a batch for.
    pub fn plan_in(self, command: Command, as_batch: bool) -> anyhow::Result<Plan> {
        self.choice.plan_in(self.keys, command, as_batch)
    }

    /// Only these: one that is named by key and is no such is refused.
    pub fn plan_only(self, set: Set, verb: &'static str, said: Said) -> anyhow::Result<Plan> {
        let body = Map::from_iter([("only".to_owned(), Value::String(word(&set)))]);
        self.of(set).plan_with(verb, said, body)
    }

    /// Of those that are not named by key, only these.
    pub fn of(mut self, set: Set) -> Self {
        if self.keys.is_empty() {
            self.choice = self.choice.of(set);
        }
        self
    }
}

impl JobChoice {
    pub fn plan(
        self,
        keys: Vec<i64>,
        verb: &'static str,
        said: Said,
        body: Map<String, Value>,
    ) -> anyhow::Result<Plan> {
        self.plan_in(keys, Command { verb, body, said }, false)
    }

    /// Of a command that there is a batch for.
    pub fn plan_in(self, keys: Vec<i64>, command: Command, as_batch: bool) -> anyhow::Result<Plan> {
        let manner = Batchable { as_batch, manner: self.manner };
        bulk::plan(JOBS, keys, &self.filter.of_process(), self.all, command, manner)
    }

    /// Of those that are not named by key, only dead letters, whatever else is said of them.
    pub fn failed(mut self, keys: &[i64]) -> Self {
        if keys.is_empty() && self.is_chosen() && self.filter.state.is_empty() {
            self.filter.state = vec![State::Failed];
            self.all = false;
        }
        self
    }

    fn is_chosen(&self) -> bool {
        self.all || bulk::fields(&self.filter).is_ok_and(|fields| !fields.is_empty())
    }

    /// An empty filter is still no choice: `--all` has to be said.
    pub fn of(mut self, set: Set) -> Self {
        if self.is_chosen() {
            self.filter.set = Some(set);
            self.all = false;
        }
        self
    }
}
