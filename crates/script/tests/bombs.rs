//! Scripts that mean harm, against real children: each ends within its limit, the next script
//! works, and nothing of the host is visible.
#![expect(clippy::disallowed_methods, reason = "the time that real children take is measured")]

mod support;

use std::time::{Duration, Instant};

use orloj_script::{Failure, Limit, SecureScripting};
use support::{Process, run, scripts};

const TIME_MS: i64 = 300;
/// For two cores that are shared with everything else that is built and tested.
const PATIENCE: Duration = Duration::from_millis(2_500);

fn config() -> SecureScripting {
    SecureScripting { max_script_execution_time: TIME_MS, ..SecureScripting::default() }
}

async fn explodes(source: &str, wanted: &[Limit]) {
    let scripts = scripts(config());
    let process = Process::default();
    let warm = run(&scripts, "1 + 1", &process).await;
    assert_eq!(warm.result.expect("a warm child").to_json(), "2");
    let started = Instant::now();
    let outcome = run(&scripts, source, &process).await;
    let took = started.elapsed();
    match &outcome.result {
        Err(Failure::Limit { limit, .. }) if wanted.contains(limit) => {}
        other => panic!("{source}: {other:?}"),
    }
    assert!(took < PATIENCE, "{source}: {took:?}");
    let next = run(&scripts, "'still ' + 'here'", &process).await;
    assert_eq!(next.result.expect("the next script works").to_json(), r#""still here""#);
}

#[tokio::test]
async fn endless_loops() {
    explodes("while (true) { }", &[Limit::Time, Limit::Instructions]).await;
    explodes("for (;;) { try { throw 1 } catch (e) { } }", &[Limit::Time, Limit::Instructions])
        .await;
    explodes("while (true) { java.lang.Thread.sleep(500); }", &[Limit::Time, Limit::Instructions])
        .await;
    explodes("try { while (true) { } } finally { while (true) { } }", &[Limit::Time]).await;
    explodes("(function f() { Promise.resolve().then(f) })(); while (true) { }", &[Limit::Time])
        .await;
}

#[tokio::test]
async fn work_that_does_not_ask_the_clock() {
    explodes("new Array(2**32-1).join('')", &[Limit::Time, Limit::Memory]).await;
    explodes(
        "'x'.padEnd(2**28).split('').sort().reverse().join('')",
        &[Limit::Time, Limit::Memory],
    )
    .await;
}

#[tokio::test]
async fn huge_memory() {
    let limits = &[Limit::Memory, Limit::Time];
    explodes("var array = []; for (var i = 0; i < 2147483647; ++i) { array.push(i); }", limits)
        .await;
    explodes("'x'.repeat(100 * 1024 * 1024)", limits).await;
    explodes("var s = 'Hello'; while (true) { s = s + s; }", limits).await;
    explodes("new ArrayBuffer(1024 * 1024 * 1024)", &[Limit::Memory, Limit::Time]).await;
    explodes("var all = []; while (true) { all.push(new Uint8Array(65536).fill(1)); }", limits)
        .await;
}

#[tokio::test]
async fn deep_recursion() {
    let limits = &[Limit::Stack, Limit::Memory, Limit::Time];
    explodes("(function f(n) { return f(n + 1) + 1; })(0)", limits).await;
    explodes("var a = []; for (var i = 0; i < 100000; i++) a = [a]; JSON.stringify(a)", limits)
        .await;
    explodes("var a = []; for (var i = 0; i < 100000; i++) a = [a]; a", limits).await;
    explodes(
        "var i = '0'; init('Hello'); function init(s) { while (i == '0') { init(s + s); } }",
        limits,
    )
    .await;
}

#[tokio::test]
async fn regular_expressions_that_explode() {
    let source = "/^(a+)+$/.test('a'.repeat(40) + '!')";
    explodes(source, &[Limit::Time, Limit::Instructions, Limit::Memory]).await;
}

#[tokio::test]
async fn answers_that_are_too_large() {
    explodes(
        "var a = []; for (var i = 0; i < 400000; i++) a[i] = 'xxxxxxxxxx'; a",
        &[Limit::AnswerSize, Limit::Memory, Limit::Time],
    )
    .await;
    explodes(
        "for (;;) execution.setVariable('x', 'y'.repeat(100000))",
        &[Limit::AnswerSize, Limit::Time],
    )
    .await;
}

#[tokio::test]
async fn nothing_of_the_host_is_visible() {
    let scripts = scripts(config());
    let process = Process::default();
    for (source, wanted) in [
        (
            "typeof require + typeof process + typeof std + typeof os",
            r#""undefinedundefinedundefinedundefined""#,
        ),
        (
            "typeof scriptArgs + typeof module + typeof globalThis.loadFile",
            r#""undefinedundefinedundefined""#,
        ),
        ("typeof (function () {}).constructor('return this')().std", r#""undefined""#),
        ("[].constructor.constructor('return typeof os')()", r#""undefined""#),
        ("typeof Function('return this')().process", r#""undefined""#),
        (
            "var all = []; for (var k of Object.getOwnPropertyNames(globalThis)) if (/^(std|os|bjson|worker|fetch|deno|bun)$/i.test(k)) all.push(k); all.length",
            "0",
        ),
        (
            "try { java.lang.Runtime.getRuntime().exec('ls') } catch (e) { 'refused' }",
            r#""refused""#,
        ),
        ("try { java.lang.System.exit(1); 'ran' } catch (e) { 'refused' }", r#""refused""#),
        ("try { new java.util.Scanner('x') } catch (e) { 'refused' }", r#""refused""#),
        (
            "try { Java.type('java.io.File') } catch (e) { e.message }",
            r#""class java.io.File is not supported in scripts""#,
        ),
        ("try { importPackage(java.io) } catch (e) { 'refused' }", r#""refused""#),
        ("try { load('/etc/passwd') } catch (e) { 'refused' }", r#""refused""#),
    ] {
        let outcome = run(&scripts, source, &process).await;
        assert_eq!(outcome.result.expect(source).to_json(), wanted, "{source}");
    }
    // A module is asked for after the script; there is none to be had, and nothing leaks.
    let outcome = run(
        &scripts,
        "var got = 'none'; import('os').then(m => { got = m }, () => {}); got",
        &process,
    )
    .await;
    assert_eq!(outcome.result.expect("a value").to_json(), r#""none""#);
}

#[tokio::test]
async fn nothing_leaks_into_the_next_script() {
    let scripts = scripts(config());
    let process = Process::default();
    let spoil = "Object.prototype.leak = 1; Array.prototype.push = function () { return 'leak' }; \
                 JSON.parse = function () { return {leak: 1} }; globalThis.leak = 1; \
                 Object.prototype.__proto__.x; ({}).__proto__.toString = () => 'leak'; \
                 Object.defineProperty(Object.prototype, 'execution', {value: 'leak'}); 1";
    run(&scripts, spoil, &process).await;
    let next = "var l = []; l.push(1); typeof leak + ({}).leak + l.length + JSON.parse('{\"a\":2}').a + ({})";
    let outcome = run(&scripts, next, &process).await;
    assert_eq!(
        outcome.result.expect("a value").to_json(),
        r#""undefinedundefined12[object Object]""#
    );
}

#[tokio::test]
async fn a_spoiled_world_forges_nothing() {
    // Without the class listed there is no way to write a variable.
    let config = SecureScripting { enable_class_white_listing: true, ..config() };
    let scripts = scripts(config);
    let spoil = "var seen = []; \
                 Array.prototype.push = function (x) { seen[seen.length] = this; return 0 }; \
                 Object.prototype.emit = 1; print('x'); console.log('y'); \
                 try { execution.setVariable('a', 1) } catch (e) { } \
                 seen.length";
    let outcome = run(&scripts, spoil, &Process::default()).await;
    assert_eq!(outcome.result.as_ref().expect("a value").to_json(), "0");
    assert!(outcome.effects.is_empty());
}

#[tokio::test]
async fn the_limits_of_flowables_guide_leave_room_for_plain_scripts() {
    let config = SecureScripting {
        white_listed_classes: Some(["java.util.ArrayList".to_owned()].into()),
        max_stack_depth: 10,
        max_script_execution_time: 3_000,
        max_memory_used: 3_145_728,
        nr_of_instructions_before_state_check_callback: 10,
        ..SecureScripting::default()
    };
    let scripts = scripts(config);
    let process = Process::default().with("a", 2).with("b", 3);
    for (source, wanted) in [
        ("var sum = a + b; sum", "5"),
        (
            "var l = new java.util.ArrayList(); for (var i = 0; i < 100; i++) l.add(i); l.size()",
            "100",
        ),
        ("function f(n) { return n == 0 ? 0 : 1 + f(n - 1) } f(5)", "5"),
    ] {
        let outcome = run(&scripts, source, &process).await;
        assert_eq!(outcome.result.expect(source).to_json(), wanted, "{source}");
    }
    for (source, wanted) in [
        ("function f(n) { return 1 + f(n + 1) } f(0)", Limit::Stack),
        ("var a = []; for (var i = 0; i < 2147483647; ++i) { a.push(i); }", Limit::Memory),
    ] {
        match run(&scripts, source, &process).await.result {
            Err(Failure::Limit { limit, .. }) if limit == wanted => {}
            other => panic!("{source}: {other:?}"),
        }
    }
}
