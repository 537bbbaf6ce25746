//! What JavaScript sees and gives back, through real children.

mod support;

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_script::{
    Diagnostic, Dialect, Failure, Limit, RunOptions, Script, ScriptLanguage, SecureScripting,
};
use orloj_types::{Timestamp, Value};
use support::{Process, run, scripts, shown};

fn process() -> Process {
    let list = Value::list(vec![Value::Int(1), Value::Int(2), Value::Int(3)]);
    let map = [("a".into(), Value::Int(1)), ("b".into(), Value::text("q"))];
    Process { task: true, ..Process::default() }
        .with("x", 5)
        .with("s", "abc")
        .with("l", list)
        .with("m", Value::Map(Arc::new(map.into())))
        .with("nothing", Value::Null)
}

/// As plain values; what Camunda and Flowable give, and as which type, is in `engines.rs`.
const VALUES: &[(&str, &str)] = &[
    ("5", "5"),
    ("5.5", "5.5"),
    ("10/4", "2.5"),
    ("10/2", "5"),
    ("'a' + 1", r#""a1""#),
    ("1 < 2", "true"),
    ("null", "null"),
    ("undefined", "null"),
    ("var a = 3", "null"),
    ("var a = 3; a", "3"),
    ("if (true) { 7 }", "7"),
    ("function f() {}", "null"),
    ("x", "5"),
    ("x + 1", "6"),
    ("l", "[1,2,3]"),
    ("l[0]", "1"),
    ("l.size()", "3"),
    ("l.get(1)", "2"),
    ("l.length", "3"),
    ("m.a", "1"),
    ("m.get('b')", r#""q""#),
    ("s.length", "3"),
    ("s.toUpperCase()", r#""ABC""#),
    (
        "typeof l + ' ' + typeof x + ' ' + typeof s + ' ' + typeof execution",
        r#""object number string object""#,
    ),
    ("JSON.stringify({a:[1,2.5,'x']})", r#""{\"a\":[1,2.5,\"x\"]}""#),
    ("new java.util.ArrayList()", "[]"),
    ("var A = Java.type('java.util.HashMap'); var h = new A(); h.put('k', 1); h", r#"{"k":1}"#),
    ("[1,2,3].map(function (v) { return v * 2 }).join()", r#""2,4,6""#),
    ("java.lang.Long.valueOf(5)", "5"),
    ("execution.currentActivityId", r#""task1""#),
    ("execution.getCurrentActivityId()", r#""task1""#),
    ("x = 77; execution.getVariable('x')", "5"),
    ("foo = 3; execution.getVariable('foo')", "null"),
    ("execution.setVariable('y', 6); y", "6"),
    ("(function () { return 4 })()", "4"),
    ("-0", "-0.0"),
];

/// Beyond what both engines know, and our own.
const MORE: &[(&str, &str)] = &[
    ("[1,2].map(v => v + 1)", "[2,3]"),
    ("const q = 5; let z = q + 1; z", "6"),
    ("`a${x}`", r#""a5""#),
    ("new Date(0)", r#""1970-01-01T00:00:00Z""#),
    ("Date.now()", "1893456000000.0"),
    ("new Date().getTime()", "1893456000000.0"),
    ("Math.random() === Math.random()", "false"),
    ("({a: [1, {b: null}]})", r#"{"a":[1,{"b":null}]}"#),
    ("Math.pow(2, 60)", "1.152921504606847e18"),
    ("execution.businessKey + execution.getProcessBusinessKey()", r#""order-1order-1""#),
    ("task.getAssignee()", r#""anna""#),
    ("task.assignee", r#""anna""#),
    ("nothing === null", "true"),
    ("execution.hasVariable('x') + ' ' + execution.hasVariable('nope')", r#""true false""#),
    ("execution.getVariableNames().contains('l')", "true"),
    ("'' + l + m", r#""[1, 2, 3]{a=1, b=q}""#),
    ("new java.util.HashSet(l).size()", "3"),
    ("java.util.Arrays.asList(1, 2).get(1)", "2"),
    ("Number(9007199254740993n)", "9007199254740992.0"),
];

#[tokio::test]
async fn values_come_back_as_the_engines_store_them() {
    let scripts = scripts(SecureScripting::default());
    for (source, wanted) in VALUES.iter().chain(MORE) {
        let outcome = run(&scripts, source, &process()).await;
        let value = outcome.result.unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_eq!(value.to_json(), *wanted, "{source}");
    }
}

#[tokio::test]
async fn typed_values_that_are_transient_end_with_the_transaction() {
    let scripts = scripts(SecureScripting::default());
    let source = "var Variables = Java.type('org.camunda.bpm.engine.variable.Variables'); \
                  execution.setVariable('a', Variables.stringValue('kept')); \
                  execution.setVariable('b', Variables.stringValue('gone', true)); \
                  execution.setVariableLocal('c', Variables.objectValue(3, true).create()); \
                  execution.setTransientVariableLocal('d', 4); b + c";
    let outcome = run(&scripts, source, &process()).await;
    assert_eq!(outcome.result.as_ref().expect("a value").to_json(), r#""gone3""#);
    assert_eq!(
        shown(&outcome),
        [
            r#"Nearest a = "kept""#,
            r#"Transient b = "gone""#,
            "TransientLocal c = 3",
            "TransientLocal d = 4",
        ]
    );
}

#[tokio::test]
async fn effects_are_told_in_order() {
    let scripts = scripts(SecureScripting::default());
    let source = "execution.setVariable('a', 1); execution.setVariableLocal('b', {x: 2.5}); \
                  execution.removeVariable('s'); execution.setTransientVariable('t', 'gone'); \
                  execution.getProcessInstance().setVariable('c', [true]); \
                  execution.getParent().setVariableLocal('p', 'hello'); \
                  execution.setVariable('d', new Date(0)); task.setAssignee('bert'); \
                  task.setPriority(877); l.add(9); print('one'); console.log('two', 3); a";
    let outcome = run(&scripts, source, &process()).await;
    assert_eq!(outcome.result.as_ref().expect("a value").to_json(), "1");
    assert_eq!(outcome.printed, ["one", "two 3"]);
    assert_eq!(
        shown(&outcome),
        [
            "Nearest a = 1",
            r#"Local b = {"x":2.5}"#,
            "Nearest s removed",
            r#"Transient t = "gone""#,
            "Instance c = [true]",
            r#"ParentLocal p = "hello""#,
            r#"Nearest d = "1970-01-01T00:00:00Z""#,
            r#"fact task.assignee = "bert""#,
            "fact task.priority = 877",
            "l became [1,2,3,9]",
        ]
    );
}

#[tokio::test]
async fn globals_are_stored_only_when_asked_to() {
    let scripts = scripts(SecureScripting::default());
    let script = Script::parse(ScriptLanguage::JavaScript, "var sum = x + 1; x = 9; other = 'o'")
        .expect("taken");
    let mut options = RunOptions::new(Dialect::Camunda7, Timestamp::ZERO);
    let plain = scripts.run(&script, &process(), options).await;
    assert!(shown(&plain).is_empty());
    options.auto_store = true;
    let stored = scripts.run(&script, &process(), options).await;
    let mut stored = shown(&stored);
    stored.sort();
    assert_eq!(stored, [r#"Nearest other = "o""#, "Nearest sum = 6", "Nearest x = 9"]);
    // Asked with `flowable:autoStoreVariables`: Flowable 8.0 stores none of the three.
    options.dialect = Dialect::Flowable;
    assert!(shown(&scripts.run(&script, &process(), options).await).is_empty());
}

#[tokio::test]
async fn errors_have_kind_and_place() {
    let scripts = scripts(SecureScripting::default());
    let failure =
        async |source: &str| run(&scripts, source, &process()).await.result.expect_err(source);
    for class in [
        "org.camunda.bpm.engine.delegate.BpmnError",
        "Packages.org.flowable.engine.delegate.BpmnError",
    ] {
        match failure(&format!("execution.setVariable('a', 1);\n throw new {class}('208', 'ups')"))
            .await
        {
            Failure::BpmnError { code, message, position } => {
                assert_eq!((code.as_str(), message.as_deref()), ("208", Some("ups")));
                assert_eq!(position.expect("a place").line, 2);
            }
            other => panic!("{other:?}"),
        }
    }
    for (source, class, message) in [
        ("throw new Error('I am failing')", "Error", "I am failing"),
        ("throw 'a text'", "Error", "a text"),
        ("var test = nonExistingVar;", "ReferenceError", "nonExistingVar is not defined"),
        (
            "var E = Packages.java.lang.RuntimeException; throw new E('no')",
            "java.lang.RuntimeException",
            "no",
        ),
        ("throw new java.lang.RuntimeException('Rocks!');", "java.lang.RuntimeException", "Rocks!"),
        ("this should really fail!", "SyntaxError", ""),
    ] {
        match failure(source).await {
            Failure::Exception { class: found, message: text, .. } => {
                assert_eq!(found, class, "{source}");
                assert!(text.contains(message), "{source}: {text}");
            }
            other => panic!("{source}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_check_finds_errors_and_runs_nothing() {
    let scripts = scripts(SecureScripting::default());
    let check = async |source: &str| scripts.check(ScriptLanguage::JavaScript, source).await;
    for source in [
        "var sum = a + b;",
        "while (true) { }",
        "",
        "// nothing",
        "return_ = 1",
        "class A { #x = 1 }",
    ] {
        check(source).await.unwrap_or_else(|error| panic!("{source}: {error}"));
    }
    for (source, line) in
        [("this should really fail!", 1), ("var a = 1;\nvar = 2", 2), ("a = \n\n  )", 3)]
    {
        match check(source).await {
            Err(Diagnostic::Refused { position, unsupported: false, .. }) => {
                assert_eq!(position.line, line, "{source}");
            }
            other => panic!("{source}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn the_white_list_decides_what_is_visible() {
    let listed = |classes: &[&str]| SecureScripting {
        white_listed_classes: Some(
            classes.iter().map(|c| (*c).to_owned()).collect::<BTreeSet<_>>(),
        ),
        ..SecureScripting::default()
    };
    let lists = scripts(listed(&["java.util.ArrayList"]));
    for (source, wanted) in [
        ("typeof execution + typeof task", r#""undefinedundefined""#),
        ("var a = new java.util.ArrayList(); a.add(1); a", "[1]"),
        ("x + l.size()", "8"),
        (
            "try { new java.util.HashMap() } catch (e) { e.message }",
            r#""class java.util.HashMap is not on the white list""#,
        ),
        ("try { java.lang.System.out.println('x') } catch (e) { 'refused' }", r#""refused""#),
    ] {
        let outcome = run(&lists, source, &process()).await;
        assert_eq!(outcome.result.expect(source).to_json(), wanted, "{source}");
    }
    let execution = "org.flowable.engine.impl.persistence.entity.ExecutionEntityImpl";
    let outcome =
        run(&scripts(listed(&[execution])), "execution.getVariable('x')", &process()).await;
    assert_eq!(outcome.result.expect("a value").to_json(), "5");
}

#[tokio::test]
async fn groovy_goes_the_same_way() {
    let scripts = scripts(SecureScripting::default());
    let script = scripts.check(ScriptLanguage::Groovy, "\n  l.sum() + x").await.expect("a script");
    assert_eq!(script.language(), ScriptLanguage::Groovy);
    let options = RunOptions::new(Dialect::Camunda7, Timestamp::ZERO);
    let outcome = scripts.run(&script, &process(), options).await;
    assert_eq!(outcome.result.expect("a value").to_json(), "11");
    let source = "def a = 1\nnew java.io.File('x')";
    match scripts.check(ScriptLanguage::Groovy, source).await {
        Err(Diagnostic::Refused { position, .. }) => {
            assert_eq!((position.line, position.column), (2, 5));
        }
        other => panic!("{other:?}"),
    }
    let script = scripts.check(ScriptLanguage::Groovy, "while (true) { }").await.expect("one");
    let failure = scripts.run(&script, &process(), options).await.result.expect_err("no end");
    // The position is told apart from the message.
    assert_eq!(failure.to_string(), "the script needs more than 150000 steps");
}

#[tokio::test]
async fn spin_is_refused_by_name() {
    let scripts = scripts(SecureScripting::default());
    for language in [ScriptLanguage::JavaScript, ScriptLanguage::Groovy] {
        match scripts.check(language, "x = S(data).prop('a')").await {
            Err(Diagnostic::Refused { message, position, unsupported }) => {
                assert!(message.starts_with("S() of Camunda Spin is not supported"), "{message}");
                assert_eq!((position.column, unsupported), (5, true));
            }
            other => panic!("{language:?}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn anything_can_be_thrown() {
    let scripts = scripts(SecureScripting::default());
    for (source, class, message) in [
        ("throw null", "Error", "null was thrown"),
        ("throw undefined", "Error", "undefined was thrown"),
        ("throw 'a text'", "Error", "a text"),
        ("throw 7", "Error", "7"),
        ("throw {message: 'mine'}", "Error", "mine"),
        ("throw {get message() { throw new Error('inside') }}", "Error", ""),
    ] {
        match run(&scripts, source, &process()).await.result {
            Err(Failure::Exception { class: found, message: said, .. }) => {
                assert_eq!((&*found, &*said), (class, message), "{source}");
            }
            other => panic!("{source}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn limits_hold_behind_the_script_too() {
    let config = SecureScripting { max_script_execution_time: 200, ..SecureScripting::default() };
    let scripts = scripts(config);
    for (source, wanted) in [
        ("throw {get message() { while (true) {} }}", Limit::Time),
        ("function f() { Promise.resolve().then(f) } f(); 1", Limit::Instructions),
        ("Promise.resolve().then(function() { while (true) {} }); 1", Limit::Time),
    ] {
        match run(&scripts, source, &process()).await.result {
            Err(Failure::Limit { limit, .. }) => assert_eq!(limit, wanted, "{source}"),
            other => panic!("{source}: {other:?}"),
        }
    }
    let source = "var n = 0; for (var i = 0; i < 500; i++) Promise.resolve().then(() => n++); 1";
    assert!(run(&scripts, source, &process()).await.result.is_ok());
}

#[tokio::test]
async fn values_that_contain_themselves_are_no_deep_recursion() {
    let scripts = scripts(SecureScripting::default());
    for source in [
        "var a = {}; a.b = {c: a}; a",
        "var l = []; l.push([l]); l",
        "var a = {}; a.a = a; execution.setVariable('v', a)",
    ] {
        match run(&scripts, source, &process()).await.result {
            Err(Failure::Exception { class, message, .. }) => {
                assert_eq!(class, "TypeError", "{source}");
                assert_eq!(message, "a value that contains itself cannot be given back");
            }
            other => panic!("{source}: {other:?}"),
        }
    }
    let deep = "var a = {}; for (var i = 0; i < 500; i++) a = {a: a}; a";
    match run(&scripts, deep, &process()).await.result {
        Err(Failure::Limit { limit: Limit::Stack, .. }) => {}
        other => panic!("{other:?}"),
    }
    let shared = "var a = {b: 1}; [a, a, {a: a}]";
    let value = run(&scripts, shared, &process()).await.result.expect("no cycle");
    assert_eq!(value.to_json(), r#"[{"b":1},{"b":1},{"a":{"b":1}}]"#);
}

#[tokio::test]
async fn halves_of_characters_are_replaced() {
    let scripts = scripts(SecureScripting::default());
    for (source, wanted) in [
        ("'a\\ud83db'", "\"a\u{fffd}b\""),
        ("'x😀y'.substring(0, 2)", "\"x\u{fffd}\""),
        ("var o = {}; o['k\\udc00'] = 1; o", "{\"k\u{fffd}\":1}"),
        ("String.prototype.toWellFormed = function() { return 'mine' }; '\\ud83d'", "\"\u{fffd}\""),
    ] {
        let value = run(&scripts, source, &process()).await.result.expect(source);
        assert_eq!(value.to_json(), wanted, "{source}");
    }
}
