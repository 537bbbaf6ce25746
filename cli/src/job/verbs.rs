//! The verbs of jobs.

use anyhow::{Context, bail, ensure};
use clap::{Args, Subcommand};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::choice::{JobChoice, JobKeys};
use super::explain::explain;
use super::filter::{JobFilter, Order, Set, word};
use super::row::{Job, show};
use crate::args::{Client, One, Paging};
use crate::bulk::{Command, Said, fields};
use crate::call::{Answer, Path, View, ask};
use crate::moment::{MomentOrNone, moment, moment_or_none};
use crate::plan::Plan;
use crate::table;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Newest first
    List(List),
    /// How many there are
    Count(Count),
    /// One with all that is known of it
    Show(One),
    /// The one of a correlation id, which stays the same wherever a job moves; here it is its key
    #[command(visible_alias = "find")]
    ByCorrelationId(Correlated),
    /// Why one is not running, and what can be done about it
    Explain(One),
    /// What the last failure of one left behind
    StackTrace(One),
    /// Set how many tries are left
    Retries(Retries),
    /// Set when they become due
    Due(Due),
    /// Compute the due dates of timers again
    Recalculate(Recalculate),
    /// Set the priority
    Priority(Priority),
    /// Run none of them until they are resumed
    Suspend(JobKeys),
    /// Go on with those that are suspended
    #[command(visible_alias = "activate")]
    Resume(JobKeys),
    /// Run them now, whatever their due date, tries or suspension say; only a start timer of a
    /// suspended definition starts nothing
    Execute(JobKeys),
    /// Remove them; what they would have done is not done
    Delete(JobKeys),
    /// Make them dead letters
    Bury(JobKeys),
    /// Give dead letters new tries
    Revive(Revive),
    /// Give a timer another date, duration or cycle
    Reschedule(Reschedule),
    /// Take them away from who holds them
    Unlock(JobKeys),
}

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    filter: JobFilter,
    #[command(flatten, next_help_heading = "Options")]
    shown: Shown,
}

#[derive(Debug, Args)]
pub struct Shown {
    /// Which come first; with another order than newest, --offset gives the following rows
    #[arg(long, value_enum, default_value_t = Order::Newest)]
    order: Order,
    /// Leave out so many rows
    #[arg(long, value_name = "ROWS", conflicts_with = "before")]
    offset: Option<u32>,
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    client: Client,
}

impl Shown {
    pub fn plan(self, filter: &JobFilter) -> anyhow::Result<Plan> {
        let order = (self.order != Order::Newest).then(|| word(&self.order));
        if self.paging.before.is_some() && order.is_some() {
            bail!("--before goes by keys; with --order use --offset");
        }
        let path = Path::new("/api/jobs")
            .with_all(&fields(filter)?)
            .with("order", order)
            .with("offset", self.offset)
            .page(&self.paging);
        Ok(ask(self.client, path.get(), Answer::Show(table::listing::<Job>)))
    }
}

#[derive(Debug, Args)]
pub struct Count {
    #[command(flatten)]
    filter: JobFilter,
    #[command(flatten, next_help_heading = "Options")]
    client: Client,
}

#[derive(Debug, Args)]
pub struct Correlated {
    id: String,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct Retries {
    /// Keys, unless a filter chooses, and last the tries left from now on
    #[arg(required = true, value_name = "[KEY]... COUNT", allow_negative_numbers = true)]
    words: Vec<String>,
    /// Set when they become due as well; none: at once
    #[arg(long, value_name = "MOMENT", value_parser = moment_or_none, allow_hyphen_values = true)]
    due: Option<MomentOrNone>,
    /// Leave it to the executor, which goes on whatever happens to this command
    #[arg(long, conflicts_with = "dry_run")]
    as_batch: bool,
    #[command(flatten)]
    choice: JobChoice,
}

#[derive(Debug, Args)]
pub struct Due {
    /// Keys, unless a filter chooses, and last a moment such as 2030-01-31T09:00:00Z or +10m, or
    /// none: at once
    #[arg(required = true, value_name = "[KEY]... MOMENT")]
    words: Vec<String>,
    /// Shift the later firings of a repeating timer as well
    #[arg(long)]
    cascade: bool,
    #[command(flatten)]
    choice: JobChoice,
}

#[derive(Debug, Args)]
pub struct Recalculate {
    /// Count from the moment at which they were made, not from now
    #[arg(long)]
    from_creation: bool,
    #[command(flatten)]
    jobs: JobKeys,
}

#[derive(Debug, Args)]
pub struct Priority {
    /// Keys, unless a filter chooses, and last the priority: the higher, the sooner
    #[arg(required = true, value_name = "[KEY]... PRIORITY", allow_negative_numbers = true)]
    words: Vec<String>,
    #[command(flatten)]
    choice: JobChoice,
}

#[derive(Debug, Args)]
pub struct Revive {
    /// Tries they get
    #[arg(long, default_value_t = 1, allow_negative_numbers = true,
        value_parser = clap::value_parser!(i32).range(1..))]
    retries: i32,
    /// Leave it to the executor, which goes on whatever happens to this command
    #[arg(long, conflicts_with = "dry_run")]
    as_batch: bool,
    #[command(flatten)]
    jobs: JobKeys,
}

#[derive(Debug, Args)]
pub struct Reschedule {
    #[command(flatten)]
    timer: Timer,
    /// When the repetition ends
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    end: Option<String>,
    #[command(flatten)]
    jobs: JobKeys,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct Timer {
    /// A moment, as in a model
    #[arg(long)]
    date: Option<String>,
    /// A time from now, such as PT10M
    #[arg(long)]
    duration: Option<String>,
    /// A repetition, such as R3/PT10M or R/PT1H/2031-01-01T00:00:00Z, or a cron expression
    #[arg(long)]
    cycle: Option<String>,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    match verb {
        Verb::List(list) => list.shown.plan(&list.filter),
        Verb::Count(count) => {
            let path = Path::new("/api/jobs/count").with_all(&fields(&count.filter)?);
            Ok(ask(count.client, path.get(), Answer::Show(table::count)))
        }
        Verb::Show(one) => look(one, "", show),
        Verb::ByCorrelationId(Correlated { id, client }) => {
            let path = Path::new("/api/jobs/by-correlation-id").with("id", Some(id));
            Ok(ask(client, path.get(), Answer::Show(show)))
        }
        Verb::Explain(one) => look(one, "/explain", explain),
        Verb::StackTrace(one) => look(one, "/stack-trace", |text| {
            let note = text.is_empty().then(|| "the last failure left none".to_owned());
            Ok(View { data: text.to_owned(), note })
        }),
        Verb::Retries(retries) => retries.plan(),
        Verb::Due(due) => due.plan(),
        Verb::Recalculate(again) => {
            let body = object(json!({"creationBased": again.from_creation}));
            again.jobs.plan_with("recalculate", Said::has("a new due date"), body)
        }
        Verb::Priority(set) => {
            let (keys, word) = keys_and_last(&set.words)?;
            let priority = priority(word)?;
            let said = Said::has(&format!("priority {priority}"));
            let body = object(json!({"priority": priority}));
            set.choice.plan(keys, "priority", said, body)
        }
        Verb::Suspend(jobs) => jobs.plan("suspend", Said::is("suspended")),
        Verb::Resume(jobs) => jobs.plan("resume", Said::is("resumed")),
        Verb::Execute(jobs) => jobs.plan("execute", Said::is("executed")),
        Verb::Delete(jobs) => jobs.plan("delete", Said::is("deleted")),
        Verb::Bury(jobs) => {
            let said = Said { one: "is a dead letter".into(), many: "are dead letters".into() };
            jobs.plan("bury", said)
        }
        Verb::Revive(revive) => revive.plan(),
        Verb::Reschedule(reschedule) => reschedule.plan(),
        Verb::Unlock(jobs) => jobs.plan("unlock", Said::is("unlocked")),
    }
}

/// `what`: behind the key.
fn look(one: One, what: &str, show: fn(&str) -> serde_json::Result<View>) -> anyhow::Result<Plan> {
    let path = Path::new(format!("/api/jobs/{}{what}", one.key));
    Ok(ask(one.client, path.get(), Answer::Show(show)))
}

impl Retries {
    fn plan(self) -> anyhow::Result<Plan> {
        let (keys, count) = keys_and_last(&self.words)?;
        let command = retries(count, self.due)?;
        self.choice.plan_in(keys, command, self.as_batch)
    }
}

impl Due {
    pub fn of(mut self, set: Set) -> Self {
        if self.words.len() == 1 {
            self.choice = self.choice.of(set);
        }
        self
    }

    pub fn plan(self) -> anyhow::Result<Plan> {
        let (keys, when) = keys_and_last(&self.words)?;
        let due = moment_or_none(when).map_err(|error| anyhow::anyhow!("'{when}': {error}"))?;
        let said = match &due.0 {
            Some(due) => format!("due at {due}"),
            None => "due at once".to_owned(),
        };
        let body = object(json!({"dueAt": due, "cascade": self.cascade}));
        self.choice.plan(keys, "due", Said::is(&said), body)
    }
}

impl Revive {
    pub fn plan(self) -> anyhow::Result<Plan> {
        let body = object(json!({"retries": self.retries}));
        let said = Said::is("no dead letter any more");
        self.jobs.failed().plan_in(Command { verb: "revive", body, said }, self.as_batch)
    }

    pub fn only_dead_letters(self) -> Self {
        Self { jobs: self.jobs.of(Set::DeadLetters), ..self }
    }
}

impl Reschedule {
    fn plan(self) -> anyhow::Result<Plan> {
        let Timer { date, duration, cycle } = self.timer;
        ensure!(self.end.is_none() || cycle.is_some(), "--end goes with --cycle");
        let fields = [("date", date), ("duration", duration), ("cycle", cycle), ("end", self.end)];
        let given = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let body = given.map(|(name, value)| (name.to_owned(), json!(value))).collect();
        let said = Said::is("rescheduled");
        self.jobs.plan_shown(Command { verb: "reschedule", body, said }, rescheduled)
    }
}

fn rescheduled(json: &str) -> serde_json::Result<View> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Rescheduled {
        job: String,
        rescheduled_as: String,
    }
    let Rescheduled { job, rescheduled_as: new } = serde_json::from_str(json)?;
    let note = Some(format!("job {job} is rescheduled as {new}"));
    Ok(View { data: new, note })
}

/// Tries left from now on, for jobs or for those of job definitions.
pub fn retries(count: &str, due: Option<MomentOrNone>) -> anyhow::Result<Command> {
    let tries = count.parse().ok().filter(|count: &i32| *count >= 0);
    let count = tries.with_context(|| format!("'{count}' is not a number of tries, 0 or more"))?;
    let mut body = object(json!({"retries": count}));
    if let Some(due) = due {
        body.insert("dueAt".to_owned(), json!(due));
    }
    let said = match count {
        1 => Said::has("1 try left"),
        count => Said::has(&format!("{count} tries left")),
    };
    Ok(Command { verb: "retries", body, said })
}

pub fn priority(priority: &str) -> anyhow::Result<i64> {
    priority.parse().with_context(|| format!("'{priority}' is not a priority"))
}

/// Keys, and what comes behind them.
pub fn keys_and_last(words: &[String]) -> anyhow::Result<(Vec<i64>, &str)> {
    let (last, keys) = words.split_last().context("nothing is said")?;
    let key = |text: &String| {
        let key = text.parse().ok().filter(|key: &i64| *key > 0);
        key.with_context(|| format!("'{text}' is not a key"))
    };
    Ok((keys.iter().map(key).collect::<anyhow::Result<_>>()?, last))
}

pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Request;
    use crate::typed;

    fn planned(line: &str) -> anyhow::Result<Plan> {
        plan(typed::verb(line)?)
    }

    fn request(line: &str) -> Request {
        typed::requests(planned(line).unwrap()).remove(0)
    }

    #[test]
    fn one_job_is_a_request_of_its_own() {
        let post = |verb: &str, body: &str| {
            Request::PostJson(format!("/api/jobs/7/{verb}"), body.to_owned())
        };
        assert_eq!(request("retries 7 3"), post("retries", r#"{"retries":3}"#));
        assert_eq!(
            request("retries 7 3 --due none"),
            post("retries", r#"{"dueAt":null,"retries":3}"#)
        );
        assert_eq!(
            request("retries 7 3 --due 2030-01-01T00:00:00Z"),
            post("retries", r#"{"dueAt":"2030-01-01T00:00:00.000Z","retries":3}"#)
        );
        assert_eq!(request("priority 7 -5"), post("priority", r#"{"priority":-5}"#));
        assert_eq!(
            request("due 7 2030-01-01T00:00:00Z --cascade"),
            post("due", r#"{"cascade":true,"dueAt":"2030-01-01T00:00:00.000Z"}"#)
        );
        assert_eq!(request("due 7 none"), post("due", r#"{"cascade":false,"dueAt":null}"#));
        assert_eq!(request("activate 7"), post("resume", "{}"));
        assert_eq!(request("revive 7 --retries 2"), post("revive", r#"{"retries":2}"#));
        assert_eq!(
            request("revive 7 --as-batch"),
            Request::PostJson(
                "/api/jobs/revive".to_owned(),
                r#"{"asBatch":true,"keys":["7"],"retries":1}"#.to_owned()
            )
        );
        assert_eq!(
            request("reschedule 7 --duration PT1H"),
            post("reschedule", r#"{"duration":"PT1H"}"#)
        );
        assert_eq!(
            request("reschedule 7 --cycle R/PT1H --end 2031-01-01T00:00:00Z"),
            post("reschedule", r#"{"cycle":"R/PT1H","end":"2031-01-01T00:00:00.000Z"}"#)
        );
        assert_eq!(
            request("by-correlation-id 7"),
            Request::Get("/api/jobs/by-correlation-id?id=7".to_owned())
        );
        assert_eq!(
            request(
                "list --state failed,ready --with-retries=false --due-before 2030-01-01T00:00:00Z"
            ),
            Request::Get(
                "/api/jobs?dueBefore=2030-01-01T00%3A00%3A00.000Z&state=failed%2Cready\
                 &withRetries=false&limit=50"
                    .to_owned()
            )
        );
    }

    #[test]
    fn many_jobs_are_chosen_by_keys_or_by_a_filter() {
        for line in [
            "retries 7 8 3",
            "retries --process order 3",
            "suspend --all",
            "delete 7 --dry-run",
            "execute --set timers --due-before now",
            "suspend --job-definition 9",
        ] {
            assert!(matches!(planned(line), Ok(Plan::Bulk(_))), "{line}");
        }
        for (line, said) in [
            ("suspend", "name jobs by key, or choose them with"),
            ("suspend 7 --process order", "keys and a filter at once"),
            ("suspend 7 --all", "keys and --all at once"),
            ("due 7 soon", "'soon': write a moment such as"),
            ("priority 7 high", "'high' is not a priority"),
            ("priority x 7", "'x' is not a key"),
            ("retries 7 many", "'many' is not a number of tries"),
            ("retries 7 -1", "'-1' is not a number of tries, 0 or more"),
            ("revive 7 --retries -1", "-1 is not in 1..=2147483647"),
            ("retries 7", "name jobs by key, or choose them with"),
            ("suspend --all --as-batch", "unexpected argument '--as-batch'"),
            ("reschedule 7", "required arguments were not provided"),
            ("reschedule 7 --date x --cycle y", "cannot be used with"),
            ("reschedule 7 --duration PT1H --end +1h", "--end goes with --cycle"),
            ("list --order oldest --before 5", "use --offset"),
        ] {
            let found = planned(line).err().expect(line).to_string();
            assert!(found.contains(said), "{line}: {found}");
        }
    }
}
