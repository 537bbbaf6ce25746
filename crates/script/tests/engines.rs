//! JavaScript beside the engines: what Camunda 7.24 (GraalVM's JavaScript) and Flowable 8.0
//! (Nashorn) were asked, and what they stored as the result variable, with its Java class.

mod support;

use std::sync::Arc;

use orloj_script::{Dialect, RunOptions, Script, ScriptLanguage, SecureScripting};
use orloj_types::{Timestamp, Value};
use support::{Process, scripts};

fn process() -> Process {
    let list = Value::list(vec![Value::Int(1), Value::Int(2), Value::Int(3)]);
    let map = [("a".into(), Value::Int(1)), ("b".into(), Value::text("q"))];
    Process::default()
        .with("x", 5)
        .with("d", Value::Double(2.5))
        .with("s", "abc")
        .with("b", Value::Bool(true))
        .with("l", list)
        .with("m", Value::Map(Arc::new(map.into())))
        .with("n", Value::Null)
        .with("big", Value::Int(3_000_000_000))
}

/// Script, Camunda's result, Flowable's result. An engine object is one of the script engine that
/// lives as long as the transaction and cannot be stored.
#[rustfmt::skip]
const ROWS: &[(&str, &str, &str)] = &[
    ("5", "Integer 5", "Integer 5"),
    ("5.0", "Integer 5", "Double 5.0"),
    ("5.5", "Double 5.5", "Double 5.5"),
    ("10/4", "Double 2.5", "Double 2.5"),
    ("10/2", "Integer 5", "Integer 5"),
    ("-0", "Double -0.0", "Double -0.0"),
    ("1e21", "Double 1e21", "Double 1e21"),
    ("2147483647", "Integer 2147483647", "Integer 2147483647"),
    ("2147483648", "Double 2147483648.0", "Double 2147483648.0"),
    ("2147483647+1", "Double 2147483648.0", "Double 2147483648.0"),
    ("9007199254740992", "Double 9007199254740992.0", "Double 9007199254740992.0"),
    ("0x10", "Integer 16", "Integer 16"),
    ("NaN", "Double NaN", "Double NaN"),
    ("1/0", "Double inf", "Double inf"),
    ("'a'+1", "String a1", "String a1"),
    ("1<2", "Boolean true", "Boolean true"),
    ("null", "null", "null"),
    ("undefined", "null", "null"),
    ("var a = 3", "null", "null"),
    ("var a = 3; a", "Integer 3", "Integer 3"),
    ("if (true) { 7 }", "Integer 7", "Integer 7"),
    ("(function () { return 4 })()", "Integer 4", "Integer 4"),
    ("x", "Integer 5", "Integer 5"),
    ("x + 1", "Integer 6", "Double 6.0"),
    ("x * 1.5", "Double 7.5", "Double 7.5"),
    ("x / 2", "Double 2.5", "Double 2.5"),
    ("d", "Double 2.5", "Double 2.5"),
    ("d * 2", "Double 5.0", "Double 5.0"),
    ("big", "Long 3000000000", "Long 3000000000"),
    ("big + 1", "Double 3000000001.0", "Double 3000000001.0"),
    ("s", "String abc", "String abc"),
    ("s.length", "Integer 3", "Integer 3"),
    ("s.toUpperCase()", "String ABC", "String ABC"),
    ("s.substring(1)", "String bc", "String bc"),
    ("b", "Boolean true", "Boolean true"),
    ("!b", "Boolean false", "Boolean false"),
    ("n === null", "Boolean true", "Boolean true"),
    ("typeof n", "String object", "String object"),
    ("typeof x", "String number", "String number"),
    ("typeof s", "String string", "String string"),
    ("typeof l", "String object", "String object"),
    ("typeof execution", "String object", "String object"),
    ("l", "List [1, 2, 3]", "List [1, 2, 3]"),
    ("l[0]", "Integer 1", "Integer 1"),
    ("l.get(1)", "Integer 2", "Integer 2"),
    ("l.size()", "Integer 3", "Integer 3"),
    ("l.length", "Integer 3", "Integer 3"),
    ("m", "Map {a=1, b=q}", "Map {a=1, b=q}"),
    ("'' + l", "String [1, 2, 3]", "String [1, 2, 3]"),
    ("'' + m", "String {a=1, b=q}", "String {a=1, b=q}"),
    ("l.contains(2)", "Boolean true", "Boolean true"),
    ("[1,2,3].map(function (v) { return v * 2 }).join()", "String 2,4,6", "String 2,4,6"),
    ("JSON.stringify({a:[1,2.5,'x']})", r#"String {"a":[1,2.5,"x"]}"#, r#"String {"a":[1,2.5,"x"]}"#),
    (r#"JSON.parse('{"a":1}').a"#, "Integer 1", "Integer 1"),
    ("new java.util.ArrayList()", "List []", "List []"),
    ("var h = new java.util.HashMap(); h.put('k', 1); h", "Map {k=1}", "Map {k=1}"),
    ("var A = Java.type('java.util.HashMap'); var h = new A(); h.put('k', 1); h.get('k')", "Integer 1", "Integer 1"),
    ("java.lang.Integer.parseInt('12')", "Integer 12", "Integer 12"),
    ("function f() {}", "null", "null"),
    ("s.length()", "fails", "Integer 3"),
    ("m['a']", "Integer 1", "Integer 1"),
    ("m.get('b')", "String q", "String q"),
    ("java.lang.Long.valueOf(5)", "Integer 5", "Long 5"),
    ("new java.lang.Integer(7)", "Integer 7", "Integer 7"),
    ("x = 77; execution.getVariable('x')", "Integer 5", "Integer 5"),
    ("foo = 3; execution.getVariable('foo')", "null", "null"),
    ("execution.setVariable('y', 6); y", "fails", "Integer 6"),
    ("execution.removeVariable('s'); execution.hasVariable('s')", "Boolean false", "Boolean false"),
    ("l.add(9); l.size()", "Integer 4", "Integer 4"),
    ("m.put('z', 1); m.size()", "Integer 3", "Integer 3"),
    ("throw new Error('I am failing')", "fails", "fails"),
    ("new java.util.Date(0)", "Date 1970-01-01T00:00:00Z", "Date 1970-01-01T00:00:00Z"),
    ("new Date(0).getTime()", "Double 0.0", "Double 0.0"),
    ("new Date(0).toISOString()", "String 1970-01-01T00:00:00.000Z", "String 1970-01-01T00:00:00.000Z"),
    ("execution.getVariable('nope')", "null", "null"),
    ("execution.hasVariable('x')", "Boolean true", "Boolean true"),
    ("execution.setVariable('y4', null); execution.hasVariable('y4')", "Boolean true", "Boolean true"),
    ("execution.setVariable('y7', 5.0); execution.getVariable('y7')", "Integer 5", "Double 5.0"),
    ("execution.setVariable('y8', 10/4); execution.getVariable('y8')", "Double 2.5", "Double 2.5"),
    ("execution.setVariableLocal('z', 1); execution.getVariableLocal('z')", "Integer 1", "Integer 1"),
    ("try { throw new Error('q') } catch (e) { e.message }", "String q", "String q"),
    ("typeof Java", "String object", "String object"),
    ("typeof Packages", "String object", "String object"),
    ("typeof require", "String undefined", "String undefined"),
    ("parseInt('42')", "Integer 42", "Double 42.0"),
    ("parseFloat('4.50')", "Double 4.5", "Double 4.5"),
    ("Math.round(2.5)", "Integer 3", "Double 3.0"),
    ("Math.floor(2.7)", "Integer 2", "Double 2.0"),
    ("Math.pow(2, 31)", "Double 2147483648.0", "Double 2147483648.0"),
    ("Math.max(1, 2.5)", "Double 2.5", "Double 2.5"),
    ("0.1 + 0.2", "Double 0.30000000000000004", "Double 0.30000000000000004"),
    ("7 % 3", "Integer 1", "Integer 1"),
    ("5 == '5'", "Boolean true", "Boolean true"),
    ("'5' * 2", "Integer 10", "Double 10.0"),
    ("'a,b'.split(',').length", "Integer 2", "Integer 2"),
    ("[3,1,2].sort()[0]", "Integer 1", "Integer 1"),
    ("String(5)", "String 5", "String 5"),
    ("Number('5')", "Integer 5", "Double 5.0"),
    ("Boolean('')", "Boolean false", "Boolean false"),
    ("(5).toFixed(2)", "String 5.00", "String 5.00"),
    ("isNaN('x')", "Boolean true", "Boolean true"),
    ("x > 3 && s == 'abc'", "Boolean true", "Boolean true"),
    ("switch (x) { case 5: 'five'; break; default: 'other' }", "String five", "String five"),
    ("for (var i = 0; i < 3; i++) { i }", "Integer 2", "Double 2.0"),
    ("m.a", "Integer 1", "Integer 1"),
    ("typeof Promise", "String function", "String undefined"),
    ("typeof console", "String object", "String undefined"),
    ("execution.setVariable('y3', undefined); execution.getVariable('y3')", "null", "fails"),
    ("new Date(0)", "engine object", "fails"),
    ("[1,2]", "engine object", "fails"),
    ("({a:1})", "engine object", "fails"),
];

/// Whose answer is not ours, on purpose.
struct Different {
    engine: Dialect,
    scripts: &'static [(&'static str, &'static str)],
    reason: &'static str,
}

const DIFFERENT: &[Different] = &[
    Different {
        engine: Dialect::Camunda7,
        scripts: &[("d * 2", "Integer 5"), ("new Date(0).getTime()", "Integer 0")],
        reason: "a whole number is an integer, however it was computed; the values are equal",
    },
    Different {
        engine: Dialect::Flowable,
        scripts: &[
            ("d * 2", "Integer 5"),
            ("new Date(0).getTime()", "Integer 0"),
            ("5.0", "Integer 5"),
            ("x + 1", "Integer 6"),
            ("execution.setVariable('y7', 5.0); execution.getVariable('y7')", "Integer 5"),
            ("parseInt('42')", "Integer 42"),
            ("Math.round(2.5)", "Integer 3"),
            ("Math.floor(2.7)", "Integer 2"),
            ("'5' * 2", "Integer 10"),
            ("Number('5')", "Integer 5"),
            ("for (var i = 0; i < 3; i++) { i }", "Integer 2"),
            ("java.lang.Long.valueOf(5)", "Integer 5"),
        ],
        reason: "which whole numbers are doubles follows from how Nashorn compiled the script, \
                 and changes with its optimisations; the values are equal",
    },
    Different {
        engine: Dialect::Flowable,
        scripts: &[("s.length()", "fails")],
        reason: "texts are those of the language, without Java's methods",
    },
    Different {
        engine: Dialect::Camunda7,
        scripts: &[("execution.setVariable('y', 6); y", "Integer 6")],
        reason: "Flowable shows what was just written; nobody relies on a name that is missing",
    },
    Different {
        engine: Dialect::Camunda7,
        scripts: &[("typeof Packages", "String function")],
        reason: "a path of packages refuses to be called with an error that names it",
    },
    Different {
        engine: Dialect::Flowable,
        scripts: &[
            ("typeof Packages", "String function"),
            ("typeof Promise", "String function"),
            ("typeof console", "String object"),
        ],
        reason: "the language is that of today, Nashorn's is of 2011",
    },
    Different {
        engine: Dialect::Camunda7,
        scripts: &[
            ("new Date(0)", "Date 1970-01-01T00:00:00Z"),
            ("[1,2]", "List [1, 2]"),
            ("({a:1})", "Map {a=1}"),
        ],
        reason: "what the script made is stored; in the engine it is lost with the transaction",
    },
    Different {
        engine: Dialect::Flowable,
        scripts: &[
            ("new Date(0)", "Date 1970-01-01T00:00:00Z"),
            ("[1,2]", "List [1, 2]"),
            ("({a:1})", "Map {a=1}"),
            ("execution.setVariable('y3', undefined); execution.getVariable('y3')", "null"),
        ],
        reason: "what the script made is stored; Flowable knows no type for it and fails",
    },
];

#[tokio::test]
async fn results_are_those_of_the_engines() {
    let scripts = scripts(SecureScripting::default());
    let mut wrong = Vec::new();
    for (source, camunda, flowable) in ROWS {
        for (dialect, theirs) in [(Dialect::Camunda7, camunda), (Dialect::Flowable, flowable)] {
            let script = Script::parse(ScriptLanguage::JavaScript, source).expect("taken");
            let options = RunOptions::new(dialect, Timestamp::from_ms(1_893_456_000_000));
            let result = scripts.run(&script, &process(), options).await.result;
            let ours = result.map_or_else(|_| "fails".to_owned(), |value| shown(&value));
            let wanted = different(dialect, source).unwrap_or(theirs);
            if ours != wanted {
                wrong.push(format!("{dialect:?} {source}: {ours}, not {wanted}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn differences_are_differences_and_have_a_reason() {
    for difference in DIFFERENT {
        assert!(!difference.reason.is_empty());
        for (source, ours) in difference.scripts {
            let row = ROWS.iter().find(|(known, ..)| known == source).expect(source);
            let theirs = if difference.engine == Dialect::Camunda7 { row.1 } else { row.2 };
            assert_ne!(*ours, theirs, "{source}");
        }
    }
}

fn different(dialect: Dialect, source: &str) -> Option<&'static str> {
    let of_engine = DIFFERENT.iter().filter(|difference| difference.engine == dialect);
    let mut all = of_engine.flat_map(|difference| difference.scripts);
    all.find(|(known, _)| *known == source).map(|(_, ours)| *ours)
}

/// The class that Java would have for it, and its text.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => format!("Boolean {flag}"),
        Value::Int(number) if i32::try_from(*number).is_ok() => format!("Integer {number}"),
        Value::Int(number) => format!("Long {number}"),
        Value::Double(number) => format!("Double {number:?}"),
        Value::Text(text) => format!("String {text}"),
        Value::List(_) => format!("List {}", java(value)),
        Value::Map(_) => format!("Map {}", java(value)),
        other => format!("Date {}", other.to_json().trim_matches('"')),
    }
}

fn java(value: &Value) -> String {
    match value {
        Value::List(items) => {
            format!("[{}]", items.iter().map(java).collect::<Vec<_>>().join(", "))
        }
        Value::Map(entries) => {
            let entries = entries.iter().map(|(name, value)| format!("{name}={}", java(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Text(text) => text.to_string(),
        other => other.to_json(),
    }
}
