//! The verbs of history.

use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;

use super::clean_up::{self, CleanUp};
use super::rows::{Activity, Incident, JobEntry, Operation, Task, Update, Variable, job_details};
use crate::args::{Client, Paging, key};
use crate::bulk::fields;
use crate::call::{Answer, Path, View, ask};
use crate::instance::Instance;
use crate::job::filter::word;
use crate::moment::moment;
use crate::plan::Plan;
use crate::table;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Instances that run or have ended, newest first
    Instances(Instances),
    /// Visits of elements of an instance, in order
    Activities(OfInstance),
    /// Variables of an instance, and what each was last
    Variables(Variables),
    /// Tasks for people of an instance
    Tasks(OfInstance),
    /// What happened to the jobs of an instance; without one, to jobs of none and of the newest
    /// instances
    Jobs(Jobs),
    /// Incidents of an instance or a job, open and closed; else of jobs of no instance
    Incidents(Incidents),
    /// What people did to the engine, newest first
    Operations(Operations),
    /// Remove what is old: see how far it is, or begin
    #[command(subcommand)]
    CleanUp(CleanUp),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum State {
    Active,
    Completed,
    Cancelled,
}

#[derive(Debug, Args)]
pub struct Instances {
    #[command(flatten)]
    filter: InstanceFilter,
    /// Only in this state
    #[arg(long, value_enum)]
    state: Option<State>,
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "camelCase")]
struct InstanceFilter {
    /// Only of this process, in any version
    #[arg(long, value_name = "ID")]
    process: Option<String>,
    /// Only of this definition
    #[arg(long, value_name = "KEY", value_parser = key())]
    definition: Option<i64>,
    /// Only with this business key
    #[arg(long, value_name = "TEXT")]
    business_key: Option<String>,
    /// Only of this tenant
    #[arg(long)]
    tenant: Option<String>,
    /// Only those started from then on
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    started_from: Option<String>,
    /// Only those started before
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    started_before: Option<String>,
    /// Only those that ended from then on
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    ended_from: Option<String>,
    /// Only those that ended before
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    ended_before: Option<String>,
}

#[derive(Debug, Args)]
pub struct OfInstance {
    /// Of this instance
    #[arg(value_parser = key())]
    instance: i64,
    #[command(flatten)]
    span: Span,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct Variables {
    /// Of this instance
    #[arg(value_parser = key())]
    instance: i64,
    /// Every value they were given instead
    #[arg(long)]
    updates: bool,
    #[command(flatten)]
    span: Span,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct Jobs {
    /// Of this instance
    #[arg(value_parser = key())]
    instance: Option<i64>,
    /// Show the stack traces of failed tries instead
    #[arg(long)]
    details: bool,
    #[command(flatten)]
    filter: JobFilter,
    #[command(flatten)]
    span: Span,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "camelCase")]
struct JobFilter {
    /// Only of this job
    #[arg(long, value_name = "KEY", value_parser = key())]
    job: Option<i64>,
    /// Only what happened in this way
    #[arg(long, value_enum)]
    state: Option<JobState>,
    /// Only failures with exactly this message
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// Only of this element
    #[arg(long, value_name = "ID")]
    element: Option<String>,
    /// Only tries of this node or worker
    #[arg(long, value_name = "NAME")]
    run_by: Option<String>,
    /// Only of this process, in any version
    #[arg(long, value_name = "ID")]
    process: Option<String>,
    /// Only of this definition
    #[arg(long, value_name = "KEY", value_parser = key())]
    definition: Option<i64>,
    /// Only what happened from then on
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    from: Option<String>,
    /// Only what happened before
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    until: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum JobState {
    Created,
    Failed,
    Successful,
    Deleted,
    Threw,
}

#[derive(Debug, Args)]
pub struct Incidents {
    /// Of this instance
    #[arg(value_parser = key(), conflicts_with = "job")]
    instance: Option<i64>,
    /// Of this job, whatever it belongs to
    #[arg(long, value_name = "KEY", value_parser = key())]
    job: Option<i64>,
    #[command(flatten)]
    span: Span,
    #[command(flatten)]
    client: Client,
}

/// Which part of what is told in order.
#[derive(Clone, Debug, Args)]
pub struct Span {
    /// At most so many rows
    #[arg(long, value_name = "ROWS", default_value_t = 200,
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// Leave out so many rows
    #[arg(long, value_name = "ROWS")]
    offset: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Operations {
    #[command(flatten)]
    filter: OperationFilter,
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "camelCase")]
struct OperationFilter {
    /// Only of this user
    #[arg(long, value_name = "NAME")]
    #[serde(rename = "user")]
    of_user: Option<String>,
    /// Only this, such as SetJobRetries
    #[arg(long)]
    operation: Option<String>,
    /// Only what was done to such things, such as Job
    #[arg(long)]
    entity: Option<String>,
    /// Only what was done to the thing of this key
    #[arg(long, value_name = "KEY", value_parser = key())]
    entity_key: Option<i64>,
    /// Only about this instance
    #[arg(long, value_name = "KEY", value_parser = key())]
    instance: Option<i64>,
    /// Only about this definition
    #[arg(long, value_name = "KEY", value_parser = key())]
    definition: Option<i64>,
    /// Only about this job definition
    #[arg(long, value_name = "KEY", value_parser = key())]
    job_definition: Option<i64>,
    /// Only of this property
    #[arg(long)]
    property: Option<String>,
    /// Only those done together with the one of this key
    #[arg(long, value_name = "KEY", value_parser = key())]
    group: Option<i64>,
    /// Only from then on
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    from: Option<String>,
    /// Only before
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    until: Option<String>,
}

type Shown = fn(&str) -> serde_json::Result<View>;

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    Ok(match verb {
        Verb::Instances(list) => {
            let path = Path::new("/api/history/instances")
                .with_all(&fields(&list.filter)?)
                .with("state", list.state.as_ref().map(word))
                .page(&list.paging);
            ask(list.client, path.get(), Answer::Show(table::listing::<Instance>))
        }
        Verb::Activities(of) => of.plan("activities", table::listing::<Activity>),
        Verb::Variables(of) => {
            let (what, shown): (_, Shown) = match of.updates {
                true => ("variable-updates", table::listing::<Update>),
                false => ("variables", table::listing::<Variable>),
            };
            let Variables { instance, span, client, .. } = of;
            OfInstance { instance, span, client }.plan(what, shown)
        }
        Verb::Tasks(of) => of.plan("tasks", table::listing::<Task>),
        Verb::Jobs(jobs) => {
            let path = Path::new("/api/history/jobs").with("instance", jobs.instance);
            let path = path.with_all(&fields(&jobs.filter)?);
            let path = path.with("details", jobs.details.then_some("true"));
            let path = jobs.span.on(path);
            let shown: Shown = match jobs.details {
                true => job_details,
                false => table::listing::<JobEntry>,
            };
            ask(jobs.client, path.get(), Answer::Show(shown))
        }
        Verb::Incidents(of) => {
            let path = Path::new("/api/history/incidents").with("instance", of.instance);
            let path = of.span.on(path.with("job", of.job));
            ask(of.client, path.get(), Answer::Show(table::listing::<Incident>))
        }
        Verb::Operations(list) => {
            let path = Path::new("/api/history/operations").with_all(&fields(&list.filter)?);
            let path = path.page(&list.paging);
            ask(list.client, path.get(), Answer::Show(table::listing::<Operation>))
        }
        Verb::CleanUp(verb) => clean_up::plan(verb),
    })
}

impl OfInstance {
    fn plan(self, what: &str, shown: Shown) -> Plan {
        let path = Path::new(format!("/api/history/{what}")).with("instance", Some(self.instance));
        ask(self.client, self.span.on(path).get(), Answer::Show(shown))
    }
}

impl Span {
    fn on(&self, path: Path) -> Path {
        path.with("offset", self.offset).with("limit", Some(self.limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Request;
    use crate::typed;

    #[test]
    fn the_log_of_jobs_is_narrowed_by_what_they_are_of() {
        let line = "jobs --element pay --run-by one --process order --definition 7 \
                    --from 2030-01-01T00:00:00Z --until 2030-01-02T00:00:00Z";
        let asked = typed::requests(plan(typed::verb(line).unwrap()).unwrap());
        let path = "/api/history/jobs?definition=7&element=pay&from=2030-01-01T00%3A00%3A00.000Z\
                    &process=order&runBy=one&until=2030-01-02T00%3A00%3A00.000Z&limit=200";
        assert_eq!(asked, [Request::Get(path.to_owned())]);
    }
}
