//! The hidden command that runs scripts, driven by the pool that the engine uses.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::sync::Arc;

use orloj_script::{
    Dialect, Failure, Limit, Outcome, RunOptions, Script, ScriptHost, ScriptLanguage, Scripts,
    SecureScripting,
};
use orloj_types::{Timestamp, Value};

fn scripts() -> Scripts {
    let host = ScriptHost::new(env!("CARGO_BIN_EXE_orloj"), ["script-host"]);
    Scripts::new(host, SecureScripting::default())
}

async fn run(scripts: &Scripts, source: &str) -> Outcome {
    let script = Script::parse(ScriptLanguage::JavaScript, source).unwrap();
    let variables = BTreeMap::from([(Arc::from("amount"), Value::Int(20))]);
    scripts.run(&script, &variables, RunOptions::new(Dialect::Flowable, Timestamp::ZERO)).await
}

#[tokio::test]
async fn scripts_run_in_the_binary() {
    let scripts = scripts();
    let outcome = run(&scripts, "amount * 2 + [1, 1].length").await;
    assert_eq!(outcome.result.unwrap().to_json(), "42");
    // The allocator of the binary may ask the system for more than a fresh child did.
    let outcome = run(&scripts, "let t = 'x'.repeat(5e6); t.length + t.split('').length").await;
    assert!(
        matches!(&outcome.result, Ok(_) | Err(Failure::Limit { limit: Limit::Memory, .. })),
        "{:?}",
        outcome.result
    );
    let outcome = run(&scripts, "new Date(0).toISOString() + JSON.stringify({a: [amount]})").await;
    assert_eq!(outcome.result.unwrap().to_json(), r#""1970-01-01T00:00:00.000Z{\"a\":[20]}""#);
}

#[tokio::test]
async fn after_a_bomb_the_next_script_works() {
    let scripts = scripts();
    let outcome = run(&scripts, "while (true) {}").await;
    assert!(matches!(outcome.result, Err(Failure::Limit { .. })), "{:?}", outcome.result);
    let outcome = run(&scripts, "amount + 1").await;
    assert_eq!(outcome.result.unwrap().to_json(), "21");
}

#[test]
fn without_requests_it_says_nothing() {
    let output = Command::new(env!("CARGO_BIN_EXE_orloj"))
        .arg("script-host")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success());
    assert_eq!((output.stdout.len(), output.stderr.len()), (0, 0));
}
