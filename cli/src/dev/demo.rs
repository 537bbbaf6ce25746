//! Deploys the demo process and keeps it busy.

#![expect(clippy::disallowed_methods, reason = "a driver: the demo lives in real time")]

use anyhow::Context;
use orloj_server::Stop;
use orloj_server::orloj::{Builder, Deploy, Orloj, Resource};

use super::card::CardTerminal;
use super::{orders, workers};

pub const PROCESS: &str = "order";
const MODEL: &[u8] = include_bytes!("../../demo/order.bpmn");
/// The `camunda:class` of the model.
const CHARGE_CARD: &str = "demo.ChargeCard";

pub fn delegates(builder: Builder) -> Builder {
    let terminal = CardTerminal::default();
    builder.delegate(CHARGE_CARD, move |call| {
        let answer = terminal.charge(&call);
        async move { answer }
    })
}

/// Deploys, starts the first order, and leaves the rest to tasks that end with `stop`.
pub async fn begin(orloj: &Orloj, rate: f64, stop: &Stop) -> anyhow::Result<()> {
    let resource = Resource { name: "order.bpmn".into(), content: MODEL.into() };
    let deploy = Deploy { resources: vec![resource], ..Deploy::default() };
    orloj.deploy(deploy).await.context("cannot deploy the demo process")?;
    for worker in workers::ALL {
        tokio::spawn(workers::work(orloj.clone(), worker, stop.clone()));
    }
    if rate > 0.0 {
        orloj.start(orders::order(1)).await.context("cannot start the first order")?;
        tokio::spawn(orders::trickle(orloj.clone(), rate, stop.clone()));
    }
    Ok(())
}
