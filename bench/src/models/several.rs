//! A multi-instance activity with very many items in one command.

use std::time::Instant;

use orloj_model::Dialect;
use orloj_types::Document;

use super::player::Player;
use super::{Options, figure};
use crate::report::{Figure, median};

/// How much more work the second measurement is, to see whether cost is linear.
const TIMES: u32 = 10;

pub fn figures(options: &Options) -> anyhow::Result<Vec<Figure>> {
    let few = seconds(options, options.items / TIMES)?;
    let many = seconds(options, options.items)?;
    let settings = format!("{} parallel instances in one command", options.items);
    let growth = format!("{TIMES} times the items, times the time");
    Ok(vec![figure("items", many, "s", settings), figure("items, growth", many / few, "×", growth)])
}

fn seconds(options: &Options, items: u32) -> anyhow::Result<f64> {
    let inside = format!(
        r#"<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>
        <task id="t"><multiInstanceLoopCharacteristics>
        <loopCardinality>{items}</loopCardinality></multiInstanceLoopCharacteristics></task>
        <sequenceFlow id="g" sourceRef="t" targetRef="e"/><endEvent id="e"/>"#
    );
    let mut times = Vec::new();
    for _ in 0..options.rounds.max(1) {
        let mut player = Player::of(Dialect::Camunda7, &inside)?;
        let began = Instant::now();
        player.start(Document::new())?;
        anyhow::ensure!(player.is_over(), "all items are done");
        times.push(began.elapsed().as_secs_f64());
    }
    Ok(median(times))
}
