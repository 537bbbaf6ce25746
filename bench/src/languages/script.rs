//! JavaScript in a warm child of the server's program.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use orloj_script::{
    Dialect, Outcome, RunOptions, ScriptHost, ScriptLanguage, Scripts, SecureScripting,
};
use orloj_types::{Timestamp, Value};

use super::{Options, figure};
use crate::report::{Figure, median};
use crate::server;

const SOURCE: &str = "amount * 2 + (customer.vip ? 1 : 0)";

/// A child has its next engine ready some hundred microseconds after an answer. That is when the
/// round trip of a warm child begins; without the pause the child's preparations are part of it.
const PAUSE: Duration = Duration::from_millis(3);

pub async fn figures(options: &Options) -> anyhow::Result<Vec<Figure>> {
    let host = ScriptHost::new(server::binary()?, ["script-host"]);
    let scripts = Scripts::new(host, SecureScripting::default());
    let script = scripts.check(ScriptLanguage::JavaScript, SOURCE).await?;
    let customer = BTreeMap::from([(Arc::from("vip"), Value::Bool(true))]);
    let variables = BTreeMap::from([
        (Arc::from("amount"), Value::Int(20)),
        (Arc::from("customer"), Value::Map(Arc::new(customer))),
    ]);
    let run =
        || scripts.run(&script, &variables, RunOptions::new(Dialect::Camunda7, Timestamp::ZERO));
    let value = run().await.result?;
    ensure!(value.to_json() == "41", "the script gives {}", value.to_json());
    let (mut ready, mut pressed) = (Vec::new(), Vec::new());
    for _ in 0..options.batches.max(1) {
        ready.push(batch(options, PAUSE, run).await?);
        pressed.push(batch(options, Duration::ZERO, run).await?);
    }
    let settings = |how: &str| format!("`{SOURCE}`, {how}");
    Ok(vec![
        figure("JavaScript, round trip", median(ready), settings("a child that is ready")),
        figure("JavaScript, one after the other", median(pressed), settings("one child, no pause")),
    ])
}

/// Microseconds of one call, pauses apart: the median, because a switch between two processes
/// waits for whatever else the machine does.
async fn batch<F: Future<Output = Outcome>>(
    options: &Options,
    pause: Duration,
    run: impl Fn() -> F,
) -> anyhow::Result<f64> {
    let began = Instant::now();
    let mut calls = Vec::new();
    while calls.is_empty() || began.elapsed().as_millis() < u128::from(options.batch_ms) {
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        let asked = Instant::now();
        run().await.result?;
        calls.push(asked.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(calls))
}
