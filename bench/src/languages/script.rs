//! JavaScript in warm children of the server's program.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use anyhow::ensure;
use orloj_script::{
    Dialect, Effect, RunOptions, Script, ScriptHost, ScriptLanguage, Scripts, SecureScripting,
};
use orloj_types::{Timestamp, Value};

use super::{Options, figure};
use crate::report::{Figure, median};
use crate::server;

/// Reads two variables and writes one, as script tasks do.
const SOURCE: &str = "var total = amount * 2 + (customer.vip ? 1 : 0); \
                      execution.setVariable('total', total); total";
/// Calls before anything is counted: children start, and their program is read into memory.
const WARM_UP: usize = 200;

pub async fn figures(options: &Options) -> anyhow::Result<Vec<Figure>> {
    let host = ScriptHost::new(server::binary()?, ["script-host"]);
    let scripts = Scripts::new(host, SecureScripting::default());
    let script = scripts.check(ScriptLanguage::JavaScript, SOURCE).await?;
    let options = options.clone();
    // On a worker of the runtime, as in a node: the thread that waits in `main` would have to be
    // woken besides.
    let (middle, late) = tokio::spawn(async move {
        let caller = Caller { scripts, script, variables: variables() };
        for _ in 0..WARM_UP {
            caller.call().await?;
        }
        let (mut middle, mut late) = (Vec::new(), Vec::new());
        for _ in 0..options.batches.max(1) {
            let calls = caller.batch(&options).await?;
            middle.push(at(&calls, 0.5));
            late.push(at(&calls, 0.99));
        }
        anyhow::Ok((median(middle), median(late)))
    })
    .await??;
    let settings = || format!("`{SOURCE}`, one caller, one call after the other, no pause");
    Ok(vec![
        figure("JavaScript, round trip, p50", middle, settings()),
        figure("JavaScript, round trip, p99", late, settings()),
    ])
}

struct Caller {
    scripts: Scripts,
    script: Script,
    variables: BTreeMap<Arc<str>, Value>,
}

impl Caller {
    async fn call(&self) -> anyhow::Result<()> {
        let options = RunOptions::new(Dialect::Camunda7, Timestamp::ZERO);
        let outcome = self.scripts.run(&self.script, &self.variables, options).await;
        let value = outcome.result?;
        ensure!(value.to_json() == "41", "the script gives {}", value.to_json());
        let is_written =
            matches!(&outcome.effects[..], [Effect::Set { name, .. }] if &**name == "total");
        ensure!(is_written, "the script wants {:?}", outcome.effects);
        Ok(())
    }

    /// Microseconds of each call, sorted.
    async fn batch(&self, options: &Options) -> anyhow::Result<Vec<f64>> {
        let began = Instant::now();
        let mut calls = Vec::new();
        while calls.is_empty() || began.elapsed().as_millis() < u128::from(options.batch_ms) {
            let asked = Instant::now();
            self.call().await?;
            calls.push(asked.elapsed().as_secs_f64() * 1e6);
        }
        calls.sort_by(f64::total_cmp);
        Ok(calls)
    }
}

fn variables() -> BTreeMap<Arc<str>, Value> {
    let customer = BTreeMap::from([(Arc::from("vip"), Value::Bool(true))]);
    BTreeMap::from([
        (Arc::from("amount"), Value::Int(20)),
        (Arc::from("customer"), Value::Map(Arc::new(customer))),
    ])
}

fn at(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}
