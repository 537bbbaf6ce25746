//! A hostile expression ends in an error that says which limit.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::{Budget, Environment, EvalError, Expression, Language, Limit, WARNINGS_MAX};
use orloj_types::{Timestamp, Value};

fn evaluate(language: Language, text: &str, budget: Budget) -> Result<Value, EvalError> {
    let numbers = Value::List(Arc::new((0..1_000).map(Value::Int).collect()));
    let word = Value::text("0123456789");
    let scope: BTreeMap<String, Value> =
        BTreeMap::from([("numbers".into(), numbers), ("word".into(), word)]);
    let expression = Expression::parse(language, text).expect(text);
    let environment = Environment::new(&scope, Timestamp::ZERO).with_budget(budget);
    expression.evaluate(&environment).map(|evaluated| evaluated.value)
}

fn limit(language: Language, text: &str) -> Limit {
    match evaluate(language, text, Budget::default()) {
        Err(EvalError::Budget { limit, .. }) => limit,
        other => panic!("{other:?}"),
    }
}

#[test]
fn long_chains_are_no_problem() {
    let sum = vec!["1"; 20_000].join(" + ");
    let value = evaluate(Language::Feel, &sum, Budget::default()).expect("within the budget");
    assert_eq!(value.to_json(), "20000");
    let value = evaluate(Language::Uel, &format!("${{{sum}}}"), Budget::default()).expect("same");
    assert_eq!(value.to_json(), "20000");
    let conditions = vec!["true"; 20_000].join(" and ");
    let value = evaluate(Language::Feel, &conditions, Budget::default()).expect("same");
    assert_eq!(value.to_json(), "true");
    let path = format!("word{}", ".x".repeat(10_000));
    assert!(evaluate(Language::Feel, &path, Budget::default()).expect("same").is_null());
}

#[test]
fn steps_are_limited() {
    let nested = "numbers[numbers[numbers[item > 1][1] < item][1] > item]";
    assert_eq!(limit(Language::Feel, nested), Limit::Steps);
    let sum = format!("${{{}}}", vec!["1"; 250_000].join("+"));
    assert_eq!(limit(Language::Uel, &sum), Limit::Steps);
}

#[test]
fn results_that_double_are_limited() {
    let mut lists = String::from("{a0: [1]");
    for at in 1..60 {
        lists.push_str(&format!(", a{at}: [a{0}, a{0}]", at - 1));
    }
    lists.push('}');
    assert_eq!(limit(Language::Feel, &format!("{lists}.a59")), Limit::ResultBytes);
    // Shared parts cost nothing until someone looks at all of them.
    assert_eq!(limit(Language::Feel, &format!("{lists}.a59 = {lists}.a59")), Limit::Steps);

    let mut texts = String::from("{a0: word");
    for at in 1..60 {
        texts.push_str(&format!(", a{at}: a{0} + a{0}", at - 1));
    }
    assert_eq!(limit(Language::Feel, &format!("{texts}}}.a59")), Limit::ResultBytes);
}

#[test]
fn depth_is_limited() {
    let budget = Budget { depth_max: 5, ..Budget::default() };
    let error = evaluate(Language::Feel, "[[[[[[[1]]]]]]]", budget).expect_err("too deep");
    assert_eq!(error, EvalError::Budget { limit: Limit::Depth, allowed: 5, offset: 6 });
    assert_eq!(error.to_string(), "the expression needs more than 5 levels of nesting");
    let error = evaluate(Language::Uel, "${- - - - - - - 1}", budget).expect_err("too deep");
    assert!(matches!(error, EvalError::Budget { limit: Limit::Depth, .. }));
}

#[test]
fn small_budgets_hold() {
    let tight =
        |steps_max, result_bytes_max| Budget { steps_max, result_bytes_max, ..Budget::default() };
    let text = "x ${word} ${word}";
    let error = evaluate(Language::Uel, text, tight(100, 15)).expect_err("20 bytes");
    assert!(matches!(error, EvalError::Budget { limit: Limit::ResultBytes, allowed: 15, .. }));
    let error = evaluate(Language::Feel, "1 + 1", tight(2, 100)).expect_err("three nodes");
    assert!(matches!(error, EvalError::Budget { limit: Limit::Steps, allowed: 2, .. }));
    assert!(evaluate(Language::Feel, "1 + 1", tight(3, 100)).is_ok());
}

#[test]
fn warnings_are_limited() {
    let scope: BTreeMap<String, Value> = BTreeMap::from([(
        "numbers".into(),
        Value::List(Arc::new((0..1_000).map(Value::Int).collect())),
    )]);
    let expression = Expression::parse(Language::Feel, "numbers[item > missing]").expect("FEEL");
    let evaluated =
        expression.evaluate(&Environment::new(&scope, Timestamp::ZERO)).expect("in the budget");
    assert_eq!(evaluated.warnings.len(), WARNINGS_MAX);
    assert_eq!(evaluated.value.to_json(), "[]");
}
