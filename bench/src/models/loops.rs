//! Ten tasks in a loop whose rounds are jobs, with all history events produced.

use std::fmt::Write as _;
use std::time::Instant;

use orloj_interpreter::Command;
use orloj_model::Dialect;
use orloj_types::Document;

use super::Options;
use super::player::Player;
use crate::report::{Figure, median};

const TASKS: u32 = 10;

pub fn figure_of(options: &Options) -> anyhow::Result<f64> {
    let mut rates = Vec::new();
    for _ in 0..options.rounds.max(1) {
        let mut player = Player::of(Dialect::Camunda7, &model())?;
        let wanted = u64::from(options.turns) * u64::from(TASKS);
        let began = Instant::now();
        player.start(Document::new())?;
        // Every round is a command of its own: a loop that never waits is no process.
        while player.visits < wanted {
            let Some(job) = player.jobs.first().copied() else { break };
            player.play(Command::RunJob { job })?;
        }
        rates.push(player.visits as f64 / began.elapsed().as_secs_f64());
    }
    Ok(median(rates))
}

pub fn figure(options: &Options) -> anyhow::Result<Figure> {
    let settings = format!("{TASKS} tasks, {} rounds, history events produced", options.turns);
    Ok(super::figure("loop", figure_of(options)?, "visits/s", settings))
}

fn model() -> String {
    let mut inside = String::from(
        r#"<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="x"/>
        <exclusiveGateway id="x" camunda:asyncBefore="true"/>
        <sequenceFlow id="g" sourceRef="x" targetRef="t1"/>"#,
    );
    for task in 1..=TASKS {
        let next = if task == TASKS { "x".to_owned() } else { format!("t{}", task + 1) };
        let _ = write!(
            inside,
            r#"<task id="t{task}"/><sequenceFlow id="f{task}" sourceRef="t{task}" targetRef="{next}"/>"#
        );
    }
    inside
}
