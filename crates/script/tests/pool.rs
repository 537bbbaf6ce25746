//! Children that are not there, end, or are given up.

mod support;

use orloj_script::{
    Dialect, Failure, RunOptions, Script, ScriptHost, ScriptLanguage, Scripts, SecureScripting,
};
use orloj_types::Timestamp;
use support::{Process, run, scripts};

async fn failure(program: &str) -> Failure {
    let host = ScriptHost::new(program, [] as [&str; 0]);
    let scripts = Scripts::new(host, SecureScripting::default());
    let script = Script::parse(ScriptLanguage::JavaScript, "1").expect("taken");
    let options = RunOptions::new(Dialect::Flowable, Timestamp::ZERO);
    scripts.run(&script, &Process::default(), options).await.result.expect_err("no host")
}

#[tokio::test]
async fn a_host_that_cannot_start_is_no_fault_of_the_script() {
    for program in ["/nowhere/at/all", "/bin/true"] {
        assert!(matches!(failure(program).await, Failure::Host { .. }), "{program}");
    }
}

#[tokio::test]
async fn scripts_beyond_the_pool_wait_for_their_turn() {
    let scripts = scripts(SecureScripting::default());
    let process = Process::default();
    let (a, b, c) = tokio::join!(
        run(&scripts, "var n = 0; for (var i = 0; i < 20000; i++) n += i; n", &process),
        run(&scripts, "'b'", &process),
        run(&scripts, "'c'", &process),
    );
    let values = [a, b, c].map(|outcome| outcome.result.expect("a value").to_json());
    assert_eq!(values, ["199990000", r#""b""#, r#""c""#]);
}

#[tokio::test]
async fn a_script_that_was_given_up_leaves_the_pool_working() {
    let scripts = scripts(SecureScripting::default());
    let process = Process::default();
    tokio::select! {
        biased;
        _ = run(&scripts, "while (true) { }", &process) => panic!("endless"),
        () = async { for _ in 0..50 { tokio::task::yield_now().await } } => {}
    }
    let next = run(&scripts, "1 + 2", &process).await;
    assert_eq!(next.result.expect("a value").to_json(), "3");
}
