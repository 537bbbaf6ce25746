//! Rows found by asking Camunda 7.24 and Flowable 8.0, which agreed on every one of them: a script
//! and the class and text of its value, or the exception it ends in. `\n`, `\t` and `\\` are
//! escaped in the table.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_groovy::{Dialect, Effect, Options, Script};
use orloj_types::{Timestamp, Value};

const ROWS: &str = include_str!("engine_rows.tsv");

#[test]
fn scripts_do_what_the_engines_do() {
    let mut different = Vec::new();
    for row in ROWS.lines() {
        let (script, wanted) = row.split_once('\t').expect("two columns");
        let (script, wanted) = (unescaped(script), unescaped(wanted));
        let found = answer(&script);
        if found != wanted {
            different.push(format!("{script}\n  wanted {wanted}\n  found  {found}"));
        }
    }
    assert!(ROWS.lines().count() > 450, "the table was cut");
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// The script as the engines were given it: what it comes to is told by a variable.
fn answer(script: &str) -> String {
    let asked = format!(
        r#"try {{
  r = ({{ -> {script}
  }}())
  execution.setVariable("r", "OK " + (r == null ? "null" : r.getClass().getName()) + " " + r)
}} catch (Throwable t) {{
  execution.setVariable("r", "ERR " + t.getClass().getName() + ": " + t.getMessage())
}}"#
    );
    let script = match Script::parse(&asked) {
        Ok(script) => script,
        Err(diagnostic) => return format!("REFUSED {diagnostic}"),
    };
    let options = Options::new(Dialect::Camunda7, Timestamp::from_ms(1_893_456_000_000));
    let outcome = script.run(&variables(), options);
    let answer = outcome.effects.iter().rev().find_map(|effect| match effect {
        Effect::Set { name, value: Value::Text(text), .. } if &**name == "r" => Some(text),
        _ => None,
    });
    answer.map_or_else(|| format!("{:?}", outcome.result), ToString::to_string)
}

fn variables() -> BTreeMap<Arc<str>, Value> {
    let list = Value::list(vec![Value::Int(1), Value::Int(2), Value::Int(3)]);
    let map = BTreeMap::from([("a".into(), Value::Int(1)), ("b".into(), Value::text("q"))]);
    BTreeMap::from([
        ("x".into(), Value::Int(5)),
        ("s".into(), Value::text("abc")),
        ("l".into(), list),
        ("m".into(), Value::Map(Arc::new(map))),
        ("d".into(), Value::Double(1.5)),
        ("n".into(), Value::Null),
        ("b".into(), Value::Bool(true)),
        ("big".into(), Value::Int(3_000_000_000)),
    ])
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => {}
            },
            (c, false) => out.push(c),
        }
    }
    out
}
