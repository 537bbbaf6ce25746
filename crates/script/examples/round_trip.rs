//! `round_trip [COUNT [PAUSE_MS [CHILDREN]]]`: how long one script takes on warm children, from
//! request to outcome, one after the other. Build the example `script_host` in the same profile
//! first.
#![expect(clippy::disallowed_methods, reason = "measures wall-clock time")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use orloj_script::{
    Dialect, PoolOptions, RunOptions, Script, ScriptHost, ScriptLanguage, Scripts, SecureScripting,
};
use orloj_types::{Timestamp, Value};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count: usize = std::env::args().nth(1).map_or(Ok(5_000), |text| text.parse())?;
    let pause_ms: u64 = std::env::args().nth(2).map_or(Ok(0), |text| text.parse())?;
    let children_max: usize = std::env::args().nth(3).map_or(Ok(2), |text| text.parse())?;
    let program = std::env::current_exe()?.with_file_name("script_host");
    let host = ScriptHost::new(program, [] as [&str; 0]);
    let scripts =
        Scripts::new(host.with_options(PoolOptions { children_max }), SecureScripting::default());
    let variables: BTreeMap<Arc<str>, Value> = BTreeMap::from([
        ("a".into(), Value::Int(2)),
        ("b".into(), Value::list(vec![Value::Int(3)])),
    ]);
    let script = Script::parse(
        ScriptLanguage::JavaScript,
        "var sum = a + b[0]; execution.setVariable('sum', sum); sum",
    )?;
    let options = RunOptions::new(Dialect::Flowable, Timestamp::ZERO);
    let mut times = Vec::with_capacity(count);
    for round in 0..count + 100 {
        // Children make their next engine meanwhile.
        if pause_ms > 0 {
            tokio::time::sleep(std::time::Duration::from_millis(pause_ms)).await;
        }
        let started = Instant::now();
        let outcome = scripts.run(&script, &variables, options).await;
        let took = started.elapsed();
        assert_eq!(outcome.result?.to_json(), "5");
        if round >= 100 {
            times.push(took);
        }
    }
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("{count} scripts: median {:?}, p90 {:?}, p99 {:?}", at(0.5), at(0.9), at(0.99));
    Ok(())
}
