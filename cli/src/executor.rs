//! `orloj executor`: what runs the engine's own jobs, on the node that is asked.

use clap::{Args, Subcommand};
use serde::Deserialize;

use crate::args::Client;
use crate::call::{Answer, Path, View, ask};
use crate::plan::Plan;
use crate::table::plain;

const PATH: &str = "/api/executor";

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Whether it is on, what it runs, and what keeps jobs from running
    Show(This),
    /// Run asynchronous steps and timers on this node
    Start(This),
    /// Begin none any more; what runs is finished, what is queued given to other nodes
    Stop(This),
    /// Let jobs of a topic through again that its circuit breaker keeps back
    CloseBreaker(Close),
}

#[derive(Debug, Args)]
pub struct Close {
    topic: String,
    #[command(flatten)]
    client: Client,
}

#[derive(Debug, Args)]
pub struct This {
    #[command(flatten)]
    client: Client,
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    let order = |this: This, verb: &str, said: &str| {
        let path = Path::new(format!("{PATH}/{verb}"));
        ask(this.client, path.post_json(String::new()), Answer::Done(said.to_owned()))
    };
    Ok(match verb {
        Verb::Show(this) => ask(this.client, Path::new(PATH).get(), Answer::Show(show)),
        Verb::Start(this) => order(this, "start", "the executor of this node is on"),
        Verb::Stop(this) => order(this, "stop", "the executor of this node is off"),
        Verb::CloseBreaker(close) => {
            let path = Path::new(format!("{PATH}/close-breaker"));
            let said = format!("jobs of {} are let through", close.topic);
            let body = serde_json::json!({"topic": close.topic}).to_string();
            ask(close.client, path.post_json(body), Answer::Done(said))
        }
    })
}

fn show(json: &str) -> serde_json::Result<View> {
    let executor: Executor = serde_json::from_str(json)?;
    let state = if executor.active { "on" } else { "off" };
    let mut data =
        format!("{state}, {} queued, {} running", executor.queued, executor.running.len());
    if let Some(at) = executor.acquires_at.as_ref().filter(|_| executor.active) {
        data.push_str(&format!(", acquires again at {at}"));
    }
    for one in &executor.running {
        data.push_str(&format!("\nrunning: job {} since {}", one.job, one.since));
    }
    for one in &executor.given_up {
        data.push_str(&format!("\ngiven up: job {} at {}", one.job, one.at));
    }
    for one in &executor.set_aside {
        let error = plain(&one.error);
        data.push_str(&format!("\nset aside: job {} at {}: {error}", one.job, one.at));
        data.push_str(&format!("\n  → orloj job explain {}", one.job));
    }
    for one in &executor.breakers {
        let topic = plain(&one.topic);
        match &one.open_until {
            Some(until) => data.push_str(&format!("\nbreaker of {topic} open until {until}")),
            None => data.push_str(&format!("\nbreaker of {topic} lets one job try")),
        }
        data.push_str(&format!("\n  → orloj executor close-breaker {topic}"));
    }
    for one in &executor.untaken {
        let reason = plain(&one.reason);
        data.push_str(&format!("\n{} ready jobs that no node takes: {reason}", one.jobs));
        data.push_str(&format!("\n  → orloj job explain {}", one.example));
    }
    Ok(View { data, note: None })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Executor {
    active: bool,
    queued: u64,
    acquires_at: Option<String>,
    running: Vec<Running>,
    given_up: Vec<GivenUp>,
    set_aside: Vec<SetAside>,
    breakers: Vec<Breaker>,
    untaken: Vec<Untaken>,
}

#[derive(Deserialize)]
struct Running {
    job: String,
    since: String,
}

#[derive(Deserialize)]
struct GivenUp {
    job: String,
    at: String,
}

#[derive(Deserialize)]
struct SetAside {
    job: String,
    at: String,
    error: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Breaker {
    topic: String,
    open_until: Option<String>,
}

#[derive(Deserialize)]
struct Untaken {
    jobs: u32,
    example: String,
    reason: String,
}
