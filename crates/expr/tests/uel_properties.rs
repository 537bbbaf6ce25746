//! Calls: nothing panics, printing keeps the meaning, and no answer is beyond its budget.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::{Budget, Environment, Expression, Host, Language, Profile, print};
use orloj_types::{Document, Temporal, Timestamp, Value};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const METHODS: &[&str] = &[
    "length",
    "substring",
    "indexOf",
    "lastIndexOf",
    "contains",
    "startsWith",
    "endsWith",
    "toUpperCase",
    "toLowerCase",
    "trim",
    "replace",
    "replaceAll",
    "replaceFirst",
    "split",
    "equals",
    "equalsIgnoreCase",
    "isEmpty",
    "concat",
    "charAt",
    "matches",
    "repeat",
    "compareTo",
    "codePointAt",
    "join",
    "size",
    "get",
    "add",
    "remove",
    "subList",
    "set",
    "clear",
    "addAll",
    "containsAll",
    "removeAll",
    "containsKey",
    "containsValue",
    "keySet",
    "values",
    "entrySet",
    "put",
    "putIfAbsent",
    "getOrDefault",
    "intValue",
    "longValue",
    "doubleValue",
    "floatValue",
    "toString",
    "setScale",
    "divide",
    "remainder",
    "pow",
    "multiply",
    "stripTrailingZeros",
    "getTime",
    "before",
    "after",
    "getYear",
    "toInstant",
    "plusDays",
    "minusMonths",
    "plusYears",
    "withDayOfMonth",
    "toDate",
    "getMillis",
    "prop",
    "value",
    "elements",
    "hasProp",
    "jsonPath",
    "getVariable",
    "hasVariable",
    "setVariable",
    "nope",
    "getClass",
];
const FUNCTIONS: &[&str] = &[
    "now",
    "dateTime",
    "currentUser",
    "currentUserGroups",
    "S",
    "JSON",
    "variables:get",
    "vars:getOrDefault",
    "var:eq",
    "variables:contains",
    "variables:gt",
    "variables:base64",
    "date:format",
    "date:toDate",
    "date:addDate",
    "collection:allOf",
    "collection:anyOf",
];

struct Flowable;

impl Host for Flowable {
    fn profile(&self) -> Profile {
        Profile::Flowable
    }
}

fn scope() -> BTreeMap<Arc<str>, Value> {
    let document = Document::parse(
        r#"{"a": 1, "b": 2.5, "c": "text é😀", "d": true, "e": null, "f": [1, "x", [2]],
            "g": {"a": 7, "b": {"c": [1]}}, "j": "{\"a\": [1, {\"b\": null}]}"}"#,
    )
    .expect("JSON");
    let mut scope: BTreeMap<Arc<str>, Value> =
        document.0.iter().map(|(name, value)| (name.clone(), Value::from(value))).collect();
    let day = Temporal::parse("2030-01-31T09:30:15Z").expect("a date and time");
    scope.insert("h".into(), Value::Temporal(Arc::new(day)));
    scope.insert("i".into(), Value::Decimal("1.50".parse().expect("a number")));
    scope
}

/// Value or error, without the offsets, which printing moves.
fn outcome(expression: &Expression, host: Option<&dyn Host>) -> String {
    let scope = scope();
    let budget = Budget { steps_max: 20_000, result_bytes_max: 100_000, ..Budget::default() };
    let mut environment = Environment::new(&scope, Timestamp::ZERO).with_budget(budget);
    environment.host = host;
    match expression.evaluate_with_effects(&environment) {
        Ok((evaluated, effects)) => format!("{} {effects:?}", evaluated.value.to_json()),
        Err(error) => error.message(),
    }
}

fn call() -> impl Strategy<Value = String> {
    let leaf = select(vec![
        "a",
        "b",
        "c",
        "d",
        "e",
        "f",
        "g",
        "h",
        "i",
        "j",
        "missing",
        "0",
        "1",
        "-1",
        "2.5",
        "''",
        "'x'",
        "'[a-z]+'",
        "'a,b'",
        "'$.a[1]'",
        "true",
        "null",
        "999999999999",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(4, 30, 3, |inner| {
        let arguments = vec(inner.clone(), 0..3).prop_map(|list| list.join(", "));
        prop_oneof![
            (inner.clone(), select(METHODS), arguments.clone())
                .prop_map(|(a, method, list)| format!("({a}).{method}({list})")),
            (inner.clone(), select(METHODS), arguments.clone())
                .prop_map(|(a, method, list)| format!("({a})['{method}']({list})")),
            (select(FUNCTIONS), arguments).prop_map(|(name, list)| format!("{name}({list})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[{b}]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} + ({b})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("({a}) == 1 ? {b} : ({c})")),
            inner.prop_map(|a| format!("({a}).time")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1_500,
        max_global_rejects: 100_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn printed_calls_mean_the_same(call in call(), hash: bool) {
        let text = if hash { format!("#{{{call}}}") } else { format!("x ${{{call}}}") };
        let parsed = Expression::parse(Language::Uel, &text);
        prop_assume!(parsed.is_ok());
        let first = parsed.expect("it was asked for");
        let printed = print(&first);
        let second = Expression::parse(Language::Uel, &printed);
        let second = second.unwrap_or_else(|error| panic!("{text} printed as {printed}: {error}"));
        prop_assert_eq!(print(&second), printed.clone());
        for host in [None, Some(&Flowable as &dyn Host)] {
            let found = outcome(&first, host);
            prop_assert!(found.len() < 1_000_000, "{text}");
            prop_assert_eq!(outcome(&second, host), found, "{} printed as {}", text, printed);
        }
    }
}
