//! Decision tables: hit policies, defaults, allowed values, records.

mod support;

use orloj_dmn::{Environment, HitPolicy, Mode, Model};
use orloj_types::{Document, Timestamp, Value};
use support::{decision, evaluate, input, json, model, model_in, needs_input, table};

const ONE: &[&str] = &["<output/>"];
const TWO: &[&str] = &[r#"<output name="a"/>"#, r#"<output name="b"/>"#];

fn body(logic: &str) -> String {
    let needs = needs_input("x") + &needs_input("y");
    input("x") + &input("y") + &decision("d", &needs, logic)
}

fn of(logic: &str) -> Model {
    model(&body(logic))
}

fn at(model: &Model, x: i64) -> String {
    json(model, "d", &format!(r#"{{"x": {x}, "y": "b"}}"#))
}

const OVERLAPPING: &[&str] = &["< 10 => 30", "< 20 => 10", "< 20 => 20", "100 => 5"];

#[test]
fn unique_takes_one_rule_only() {
    let logic = table("", &["x"], ONE, OVERLAPPING);
    let model = of(&logic);
    assert_eq!(at(&model, 100), "5");
    assert_eq!(at(&model, 50), "null");
    let evaluation = evaluate(&model, "d", r#"{"x": 1}"#);
    assert!(evaluation.value.is_null());
    let failure = evaluation.failure().expect("violated");
    assert_eq!(failure.code, "hit-policy-violated");
    assert_eq!(failure.message, "rules 1, 2, 3 match, but the hit policy is UNIQUE");
}

#[test]
fn any_takes_rules_that_agree() {
    let rules = ["< 10 => \"low\"", "< 20 => \"low\"", "> 15 => \"high\""];
    let model = of(&table(r#"hitPolicy="ANY""#, &["x"], ONE, &rules));
    assert_eq!(at(&model, 1), "\"low\"");
    assert_eq!(at(&model, 30), "\"high\"");
    let evaluation = evaluate(&model, "d", r#"{"x": 17}"#);
    assert_eq!(evaluation.failure().map(|problem| problem.code), Some("hit-policy-violated"));
}

#[test]
fn first_and_rule_order() {
    let first = of(&table(r#"hitPolicy="FIRST""#, &["x"], ONE, OVERLAPPING));
    assert_eq!((at(&first, 1), at(&first, 15)), ("30".into(), "10".into()));
    let order = of(&table(r#"hitPolicy="RULE ORDER""#, &["x"], ONE, OVERLAPPING));
    assert_eq!((at(&order, 1), at(&order, 100)), ("[30,10,20]".into(), "[5]".into()));
}

#[test]
fn priority_and_output_order_follow_the_output_values() {
    let outputs = &["<output><outputValues><text>10, 20, 30</text></outputValues></output>"];
    let priority = of(&table(r#"hitPolicy="PRIORITY""#, &["x"], outputs, OVERLAPPING));
    assert_eq!((at(&priority, 1), at(&priority, 15)), ("10".into(), "10".into()));
    let order = of(&table(r#"hitPolicy="OUTPUT ORDER""#, &["x"], outputs, OVERLAPPING));
    assert_eq!(at(&order, 1), "[10,20,30]");
}

#[test]
fn priority_of_several_outputs_goes_from_left_to_right() {
    let outputs = &[
        r#"<output name="a"><outputValues><text>"x", "y"</text></outputValues></output>"#,
        r#"<output name="b"><outputValues><text>1, 2</text></outputValues></output>"#,
    ];
    let rules = ["- => \"y\" | 1", "- => \"x\" | 2", "- => \"x\" | 1"];
    let model = of(&table(r#"hitPolicy="PRIORITY""#, &["x"], outputs, &rules));
    assert_eq!(at(&model, 1), r#"{"a":"x","b":1}"#);
}

#[test]
fn collect_and_its_aggregations() {
    let collect = |aggregation: &str| {
        let attributes = format!(r#"hitPolicy="COLLECT" {aggregation}"#);
        of(&table(&attributes, &["x"], ONE, OVERLAPPING))
    };
    let rows = [
        ("", "[30,10,20]", "[]"),
        (r#"aggregation="SUM""#, "60", "null"),
        (r#"aggregation="MIN""#, "10", "null"),
        (r#"aggregation="MAX""#, "30", "null"),
        (r#"aggregation="COUNT""#, "3", "0"),
    ];
    for (aggregation, three, none) in rows {
        let model = collect(aggregation);
        assert_eq!((at(&model, 1), at(&model, 50)), (three.into(), none.into()), "{aggregation}");
    }
}

#[test]
fn several_outputs_make_a_context() {
    let rules = ["< 10 | \"a\" => 1 | \"one\"", "< 10 | - => 2 | x + 1"];
    let model = of(&table(r#"hitPolicy="COLLECT""#, &["x", "y"], TWO, &rules));
    assert_eq!(at(&model, 5), r#"[{"a":2,"b":6}]"#);
}

#[test]
fn defaults_stand_in_when_nothing_matches() {
    let output = |name: &str, value: &str| {
        format!(
            r#"<output name="{name}"><defaultOutputEntry><text>{value}</text></defaultOutputEntry></output>"#
        )
    };
    let (a, b) = (output("a", "0"), output("b", "\"none\""));
    let single = of(&table("", &["x"], &[&a], &["1 => 7"]));
    assert_eq!((at(&single, 1), at(&single, 2)), ("7".into(), "0".into()));
    let several = of(&table("", &["x"], &[&a, &b], &["1 => 7 | 8"]));
    assert_eq!(at(&several, 2), r#"{"a":0,"b":"none"}"#);
}

#[test]
fn cells_are_unary_tests() {
    let passes =
        |test: &str, x: i64| at(&of(&table("", &["x"], ONE, &[&format!("{test} => true")])), x);
    for test in ["-", "", "5", "4, 5", "[1..5]", "]1..6[", "not(4)", "? > 4", "> 4", "x", "x - 0"] {
        assert_eq!(passes(test, 5), "true", "{test}");
    }
    for test in ["4", "[1..5)", "not(5)", "? > 5", "\"5\"", "null"] {
        assert_eq!(passes(test, 5), "null", "{test}");
    }
}

#[test]
fn input_values_are_checked() {
    let logic = r#"<decisionTable><input><inputExpression typeRef="number"><text>x</text>
        </inputExpression><inputValues><text>[0..10]</text></inputValues></input><output/>
        <rule><inputEntry><text>-</text></inputEntry><outputEntry><text>x</text></outputEntry></rule>
        </decisionTable>"#;
    let model = of(logic);
    assert_eq!((at(&model, 10), at(&model, 11)), ("10".into(), "null".into()));
    let evaluation = evaluate(&model, "d", r#"{"x": 11}"#);
    assert_eq!(evaluation.failure().map(|problem| problem.code), Some("input-not-allowed"));
    let camunda = model_in(Mode::Camunda8, &body(logic));
    assert_eq!(at(&camunda, 11), "11");
}

#[test]
fn output_values_are_checked() {
    let outputs = &["<output><outputValues><text>1, 2</text></outputValues></output>"];
    let model = of(&table("", &["x"], outputs, &["1 => 1", "2 => 3"]));
    assert_eq!((at(&model, 1), at(&model, 2)), ("1".into(), "null".into()));
}

#[test]
fn a_record_says_which_rules_matched_and_why() {
    let logic = table(r#"id="t""#, &["x", "y"], ONE, &["< 10 | \"a\" => 1", "< 10 | \"b\" => 2"]);
    let model = of(&logic);
    let variables = Document::parse(r#"{"x": 1, "y": "b"}"#).expect("a document");
    let environment = Environment::new(Timestamp::ZERO);
    let brief = model.evaluate("d", &variables, &environment);
    let [record] = &brief.tables[..] else { panic!("one table") };
    assert_eq!((record.id.as_deref(), record.hit_policy), (Some("t"), HitPolicy::Unique));
    assert_eq!(record.inputs[1].value.to_json(), "\"b\"");
    assert_eq!(record.rules.iter().map(|rule| rule.number).collect::<Vec<_>>(), [2]);
    assert!(matches!(record.rules[0].outputs[..], [Value::Int(2)] | [Value::Decimal(_)]));
    let full = model.evaluate("d", &variables, &environment.explaining());
    let rules = &full.tables[0].rules;
    let passes = |rule: usize| rules[rule].entries.iter().map(|e| e.passes).collect::<Vec<_>>();
    assert_eq!((rules.len(), passes(0), passes(1)), (2, vec![true, false], vec![true, true]));
    assert_eq!(&*rules[0].entries[0].text, "< 10");
    assert_eq!((&*record.element, &*record.element_id), ("d", "_d"));
    assert_eq!(&*record.outputs[0].name, "1");
}

#[test]
fn wrong_shapes_are_diagnosed_all_at_once() {
    let logic = r#"<decisionTable hitPolicy="BEST"><input><inputExpression><text>x +</text>
        </inputExpression></input><output/><output/>
        <rule><inputEntry><text>1</text></inputEntry><outputEntry><text>1</text></outputEntry></rule>
        </decisionTable>"#;
    let diagnostics = support::parse(&body(logic)).expect_err("refused");
    let mut codes: Vec<_> = diagnostics.iter().map(|d| d.code).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(
        codes,
        ["expression-malformed", "name-missing", "rule-length", "unknown-hit-policy"]
    );
    let malformed = diagnostics.iter().find(|d| d.code == "expression-malformed").expect("it");
    assert_eq!(malformed.element.as_deref(), Some("d"));
    assert!(malformed.position.line >= 2 && malformed.position.column > 1);
}

/// What a table does on its own is told at its place.
#[test]
fn problems_of_aggregations_are_at_the_table() {
    let rules = ["- => \"a\"", "- => 2"];
    let logic = table(r#"hitPolicy="COLLECT" aggregation="SUM""#, &["x"], ONE, &rules);
    let body = body(&format!("\n  {logic}"));
    let evaluation = evaluate(&model(&body), "d", r#"{"x": 1}"#);
    assert!(evaluation.value.is_null());
    let problem = evaluation.problems.first().expect("a text cannot be added up");
    let before = &support::file(&body)[..support::file(&body).find("<decisionTable").expect("one")];
    let line = before.lines().count();
    assert_eq!(problem.position.line as usize, line, "{problem:?}");
    assert_eq!(problem.position.column, 3, "{problem:?}");
}
