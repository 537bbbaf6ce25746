//! What the real engines gave: `feel.tsv` by Zeebe 8.8, `uel.tsv` by Camunda 7.24.
//!
//! A line is an expression, a tab and the outcome. FEEL: the JSON of the value; UEL: its type and
//! text. `refused` is an error of syntax, `failed` one of evaluation. `differences.tsv` has the
//! rows where Orloj departs on purpose, or does not reach yet.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::{Environment, Expression, Language};
use orloj_types::{Document, Timestamp, Value};

/// 2030-01-01T00:00:00Z
const NOW_MS: i64 = 1_893_456_000_000;

const VARIABLES: &str = r#"{
    "a": 1, "b": 2, "i": 1, "t": "T", "vip": true, "nul": null, "big": 9007199254740993,
    "dbl": 0.1, "neg": -4, "xs": [1, 2, 3], "xs2": [1, 2, 3], "xsd": [1.0, 2.0, 3.0],
    "nolist": [], "nomap": {}, "odd name": 7, "odd-name": 8,
    "order": {
        "total": 150, "vip": true, "limit": 1,
        "items": [{"sku": "x", "qty": 1}, {"sku": "y", "qty": 2}]
    }
}"#;

fn scope() -> BTreeMap<Arc<str>, Value> {
    let document = Document::parse(VARIABLES).expect("JSON");
    let mut scope: BTreeMap<Arc<str>, Value> =
        document.0.iter().map(|(name, value)| (name.clone(), Value::from(value))).collect();
    for (name, text) in
        [("dec", "1.50"), ("dec2", "1.5"), ("ten", "10.00"), ("huge", "1e30"), ("tiny", "1e-7")]
    {
        scope.insert(name.into(), Value::Decimal(text.parse().expect("a number")));
    }
    scope
}

fn check(table: &str, outcome: impl Fn(&str) -> String) {
    let mut wrong = Vec::new();
    let mut rows = 0;
    for line in table.lines() {
        let (expression, expected) = line.split_once('\t').expect("two columns");
        rows += 1;
        let found = outcome(expression);
        if !agrees(&found, expected) {
            wrong.push(format!("{expression}\n    expected {expected}\n    found    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {rows} rows:\n{}", wrong.len(), wrong.join("\n"));
}

/// Messages are ours, and the engines compute with fewer digits or show fewer.
fn agrees(found: &str, expected: &str) -> bool {
    match expected {
        "refused" | "failed" => found.starts_with(expected),
        _ if found == expected => true,
        _ => match (found.parse::<f64>(), expected.parse::<f64>()) {
            (Ok(found), Ok(expected)) => (found - expected).abs() <= expected.abs() * 4e-16,
            _ => false,
        },
    }
}

#[test]
fn feel_gives_what_zeebe_gives() {
    check(include_str!("observed/feel.tsv"), |text| outcome(Language::Feel, text));
}

/// Functions, dates, ranges, loops and functions as values, at the start of 2030.
#[test]
fn feel_functions_give_what_zeebe_gives() {
    check(include_str!("observed/feel_functions.tsv"), |text| outcome(Language::Feel, text));
}

#[test]
fn uel_gives_what_camunda_gives() {
    check(include_str!("observed/uel.tsv"), |text| outcome(Language::Uel, text));
}

/// Language, expression, their outcome, ours, and why.
#[test]
fn differences_are_the_known_ones() {
    for line in include_str!("observed/differences.tsv").lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [language, text, theirs, ours, _reason] = columns[..] else {
            panic!("five columns: {line}");
        };
        let language = if language == "feel" { Language::Feel } else { Language::Uel };
        let found = outcome(language, text);
        assert!(agrees(&found, ours), "{text}: {found}");
        assert!(!agrees(&found, theirs), "{text} is no difference any more");
    }
}

fn outcome(language: Language, text: &str) -> String {
    let expression = match Expression::parse(language, text) {
        Ok(expression) => expression,
        Err(error) => return format!("refused {error}"),
    };
    let scope = scope();
    match expression.evaluate(&Environment::new(&scope, Timestamp::from_ms(NOW_MS))) {
        Err(error) => format!("failed {error}"),
        Ok(evaluated) if language == Language::Feel => evaluated.value.to_json(),
        Ok(evaluated) => typed(evaluated.value),
    }
}

fn typed(value: Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(flag) => format!("boolean {flag}"),
        Value::Int(number) => format!("int {number}"),
        Value::Double(number) if number.is_infinite() => {
            format!("double {}Infinity", if number < 0.0 { "-" } else { "" })
        }
        Value::Double(number) => format!("double {number:?}"),
        Value::Decimal(number) => format!("decimal {number}"),
        Value::Text(text) => format!("text {text}"),
        _ => "value".into(),
    }
}
