//! One command for many: chosen by keys or by a filter, sent in portions, with a bar.
//!
//! A node works on one portion per request, so that every answer is prompt and a bar can move. In
//! the log of operations all portions are one. What fails is told at the end; the others are done
//! all the same.

use anyhow::{bail, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::args::{Client, Format, key};
use crate::call::{Answer, Path, Request, View, ask};
use crate::client::Connection;
use crate::output;
use crate::plan::Plan;
use crate::progress::Progress;
use crate::table::plain;

/// Rows that one request works on: a second or two of work at most.
const PORTION_ROWS: usize = 200;
/// Rows that a preview shows; it tells how many there are.
const PREVIEW_ROWS: usize = 50;
/// Failures told one by one; a thousand of the same help nobody.
const FAILURES_TOLD_MAX: usize = 20;

/// What a command is given to, beside its keys and filter.
#[derive(Debug, Args)]
pub struct Manner {
    /// Only show what would be worked on
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub client: Client,
}

/// The same, of commands that there is a batch for.
#[derive(Debug, Args)]
pub struct Batchable {
    /// Leave it to the executor, which goes on whatever happens to this command
    #[arg(long, conflicts_with = "dry_run")]
    pub as_batch: bool,
    #[command(flatten)]
    pub manner: Manner,
}

/// What a command is for: keys, or a filter.
#[derive(Debug, Args)]
pub struct Choice<F: Args, M: Args> {
    #[arg(value_name = "KEY", value_parser = key())]
    pub keys: Vec<i64>,
    /// Every one there is
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub filter: F,
    #[command(flatten)]
    pub manner: M,
}

impl<F: Args + Serialize, M: Args + Into<Batchable>> Choice<F, M> {
    pub fn plan(self, kind: Kind, command: Command) -> anyhow::Result<Plan> {
        plan(kind, self.keys, &self.filter, self.all, command, self.manner)
    }
}

impl From<Manner> for Batchable {
    fn from(manner: Manner) -> Self {
        Self { as_batch: false, manner }
    }
}

/// A kind of things that commands are given to.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub one: &'static str,
    pub many: &'static str,
    /// Where they are listed, counted and commanded.
    pub path: &'static str,
    /// The page of a listing as a table.
    pub rows: fn(&str) -> serde_json::Result<View>,
    /// Flags that choose some of them, for the hint.
    pub flags: &'static str,
}

#[derive(Debug)]
pub struct Command {
    pub verb: &'static str,
    /// What it says beside the choice.
    pub body: Map<String, Value>,
    pub said: Said,
}

/// What is told of one, and of several, once it is done: `is suspended`, `are suspended`.
#[derive(Debug)]
pub struct Said {
    pub one: String,
    pub many: String,
}

impl Said {
    pub fn is(what: &str) -> Self {
        Self { one: format!("is {what}"), many: format!("are {what}") }
    }

    pub fn has(what: &str) -> Self {
        Self { one: format!("has {what}"), many: format!("have {what}") }
    }
}

#[derive(Debug)]
pub struct Bulk {
    client: Client,
    kind: Kind,
    command: Command,
    chosen: Chosen,
    dry_run: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Chosen {
    Keys(Vec<i64>),
    Filter(Map<String, Value>),
}

/// A single key is a request of its own, whose refusal is told as it is. `all` is the choice of
/// everything, which an empty filter must not be by mistake.
pub fn plan(
    kind: Kind,
    keys: Vec<i64>,
    filter: &impl Serialize,
    all: bool,
    command: Command,
    manner: impl Into<Batchable>,
) -> anyhow::Result<Plan> {
    let filter = fields(filter)?;
    let Batchable { as_batch, manner: Manner { dry_run, client } } = manner.into();
    let chosen = match (keys.as_slice(), filter.is_empty()) {
        ([], true) if !all => bail!(
            "name {} by key, or choose them with {}; --all takes every one",
            kind.many,
            kind.flags
        ),
        ([], _) => Chosen::Filter(filter),
        (_, false) => bail!("keys and a filter at once: give either"),
        (_, true) if all => bail!("keys and --all at once: give either"),
        ([key], true) if !dry_run && !as_batch => {
            let path = Path::new(format!("{}/{key}/{}", kind.path, command.verb));
            let said = format!("{} {key} {}", kind.one, command.said.one);
            let body = Value::Object(command.body).to_string();
            return Ok(ask(client, path.post_json(body), Answer::Done(said)));
        }
        _ => Chosen::Keys(keys),
    };
    if as_batch {
        return Ok(batched(kind, command, chosen, client));
    }
    Ok(Plan::Bulk(Box::new(Bulk { client, kind, command, chosen, dry_run })))
}

fn batched(kind: Kind, command: Command, chosen: Chosen, client: Client) -> Plan {
    let mut body = command.body;
    match chosen {
        Chosen::Keys(keys) => {
            let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
            body.insert("keys".to_owned(), json!(keys));
        }
        Chosen::Filter(filter) => {
            body.insert("filter".to_owned(), Value::Object(filter));
        }
    }
    body.insert("asBatch".to_owned(), json!(true));
    let path = Path::new(format!("{}/{}", kind.path, command.verb));
    ask(client, path.post_json(Value::Object(body).to_string()), Answer::Show(begun))
}

fn begun(json: &str) -> serde_json::Result<View> {
    #[derive(Deserialize)]
    struct Batched {
        batch: String,
    }
    let Batched { batch } = serde_json::from_str(json)?;
    let note = format!("begun; see it with 'orloj batch watch {batch}'");
    Ok(View { data: batch, note: Some(note) })
}

/// The fields that are there, by the names they have on the wire.
pub fn fields(filter: &impl Serialize) -> anyhow::Result<Map<String, Value>> {
    let Value::Object(mut fields) = serde_json::to_value(filter)? else { return Ok(Map::new()) };
    fields.retain(|_, value| !value.is_null());
    Ok(fields)
}

#[derive(Deserialize)]
struct Portion {
    done: u64,
    failures: Vec<Failure>,
    next: Option<String>,
    /// What the log knows the portions by.
    #[serde(default)]
    operation: Option<String>,
}

#[derive(Deserialize, Serialize)]
struct Failure {
    key: String,
    code: String,
    message: String,
}

#[derive(Deserialize)]
struct Count {
    count: u64,
}

impl Bulk {
    pub fn act(self) -> anyhow::Result<()> {
        let connection = Connection::open(&self.client)?;
        if self.dry_run {
            return self.preview(&connection);
        }
        let (done, failures) = self.run(&connection)?;
        let worked_on = done + failures.len() as u64;
        match self.client.output {
            Format::Json => output::data(&json!({"done": done, "failures": failures}).to_string())?,
            Format::Table => self.tell(done, &failures),
        }
        let many = self.kind.many;
        ensure!(failures.is_empty(), "{} of {worked_on} {many} failed", failures.len());
        Ok(())
    }

    fn run(&self, connection: &Connection) -> anyhow::Result<(u64, Vec<Failure>)> {
        let total = self.total(connection)?;
        let progress = Progress::new(self.kind.many, total);
        let (mut done, mut failures) = (0, Vec::new());
        let mut operation: Option<String> = None;
        let mut take = |mut body: Map<String, Value>| -> anyhow::Result<Option<String>> {
            body.insert("total".to_owned(), json!(total));
            body.insert("operation".to_owned(), json!(operation));
            let path = Path::new(format!("{}/{}", self.kind.path, self.command.verb));
            let request = path.post_json(Value::Object(body).to_string());
            let portion: Portion = answer(connection, &request)?;
            done += portion.done;
            failures.extend(portion.failures);
            operation = portion.operation.or(operation.take());
            progress.to(done + failures.len() as u64, total);
            Ok(portion.next)
        };
        match &self.chosen {
            Chosen::Keys(keys) => {
                for portion in keys.chunks(PORTION_ROWS) {
                    let mut body = self.command.body.clone();
                    let keys: Vec<String> = portion.iter().map(ToString::to_string).collect();
                    body.insert("keys".to_owned(), json!(keys));
                    take(body)?;
                }
            }
            Chosen::Filter(filter) => {
                let mut before: Option<String> = None;
                loop {
                    let mut body = self.command.body.clone();
                    body.insert("filter".to_owned(), Value::Object(filter.clone()));
                    body.insert("limit".to_owned(), json!(PORTION_ROWS));
                    body.insert("before".to_owned(), json!(before));
                    before = take(body)?;
                    if before.is_none() {
                        break;
                    }
                }
            }
        }
        Ok((done, failures))
    }

    fn total(&self, connection: &Connection) -> anyhow::Result<u64> {
        match &self.chosen {
            Chosen::Keys(keys) => Ok(keys.len() as u64),
            Chosen::Filter(filter) => {
                let path = Path::new(format!("{}/count", self.kind.path)).with_all(filter);
                Ok(answer::<Count>(connection, &path.get())?.count)
            }
        }
    }

    fn preview(&self, connection: &Connection) -> anyhow::Result<()> {
        let path = Path::new(self.kind.path);
        let path = match &self.chosen {
            Chosen::Keys(keys) => {
                let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
                path.with("keys", Some(keys.join(",")))
            }
            Chosen::Filter(filter) => path.with_all(filter),
        };
        let body = connection.send(&path.with("limit", Some(PREVIEW_ROWS)).get())?;
        match self.client.output {
            Format::Json => output::data(&body)?,
            Format::Table => {
                let view = (self.kind.rows)(&body).map_err(|error| connection.not_orloj(&error))?;
                output::data(&view.data)?;
            }
        }
        let total = self.total(connection)?;
        let Kind { one, many, .. } = self.kind;
        let noun = if total == 1 { one } else { many };
        output::talk(&format!("{total} {noun} would be worked on; nothing was changed"));
        Ok(())
    }

    fn tell(&self, done: u64, failures: &[Failure]) {
        let Kind { one, many, .. } = self.kind;
        match done {
            0 if failures.is_empty() => output::talk("none found"),
            0 => {}
            1 => output::talk(&format!("1 {one} {}", self.command.said.one)),
            _ => output::talk(&format!("{done} {many} {}", self.command.said.many)),
        }
        for failure in failures.iter().take(FAILURES_TOLD_MAX) {
            output::talk(&format!("{one} {}: {}", failure.key, plain(&failure.message)));
        }
        if let Some(more) = failures.len().checked_sub(FAILURES_TOLD_MAX).filter(|more| *more > 0) {
            output::talk(&format!("and {more} more"));
        }
    }
}

pub fn answer<T: for<'a> Deserialize<'a>>(
    connection: &Connection,
    request: &Request,
) -> anyhow::Result<T> {
    let body = connection.send(request)?;
    serde_json::from_str(&body).map_err(|error| connection.not_orloj(&error))
}
