//! Decision tables as Flowable reads them: everything is UEL, and cells continue their input.

mod support;

use orloj_dmn::{Mode, Model};
use support::{decision, evaluate, json, model_in};

/// `inputs` and `outputs` are `name: type`; a rule is `entry | entry => entry | entry`.
fn table(policy: &str, inputs: &[&str], outputs: &[&str], rules: &[&str]) -> String {
    let part = |text: &str| text.trim().replace('&', "&amp;").replace('<', "&lt;");
    let typed = |column: &str| {
        let (name, ty) = column.rsplit_once(':').expect("a type");
        (part(name), ty.trim().to_owned())
    };
    let mut logic = format!("<decisionTable {policy}>");
    for (name, ty) in inputs.iter().map(|column| typed(column)) {
        logic += &format!(
            r#"<input><inputExpression typeRef="{ty}"><text>{name}</text></inputExpression></input>"#
        );
    }
    for (name, ty) in outputs.iter().map(|column| typed(column)) {
        logic += &format!(r#"<output name="{name}" typeRef="{ty}"/>"#);
    }
    for rule in rules {
        let (tests, values) = rule.split_once("=>").expect("an arrow");
        logic += "<rule>";
        for entry in tests.split('|') {
            logic += &format!("<inputEntry><text>{}</text></inputEntry>", part(entry));
        }
        for entry in values.split('|') {
            logic += &format!("<outputEntry><text>{}</text></outputEntry>", part(entry));
        }
        logic += "</rule>";
    }
    logic + "</decisionTable>"
}

fn model(policy: &str, inputs: &[&str], outputs: &[&str], rules: &[&str]) -> Model {
    model_in(Mode::Flowable, &decision("d", "", &table(policy, inputs, outputs, rules)))
}

fn first(inputs: &[&str], outputs: &[&str], rules: &[&str], variables: &str) -> String {
    json(&model(r#"hitPolicy="FIRST""#, inputs, outputs, rules), "d", variables)
}

#[test]
fn cells_continue_the_expression_of_their_input() {
    let rules = [
        "5 => \"five\"",
        "< 5 => \"less\"",
        ">= 10 => \"ten\"",
        "!= 7 => \"not seven\"",
        ".5 => \"never\"",
        "- => \"seven\"",
    ];
    let cases = [(5, "five"), (1, "less"), (12, "ten"), (6, "not seven"), (7, "seven")];
    for (x, expected) in cases {
        let found = first(&["x: number"], &["o: string"], &rules, &format!(r#"{{"x": {x}}}"#));
        assert_eq!(found, format!("{expected:?}"), "{x}");
    }
    assert_eq!(first(&["x: number"], &["o: string"], &rules[4..], r#"{"x": 0.5}"#), "\"never\"");
}

#[test]
fn texts_have_methods() {
    let rules =
        ["\"AA\" => 1", ".startsWith(\"B\") => 2", "!= \"CC\" => 3", "${name.length() == 2} => 4"];
    for (name, expected) in [("AA", "1.0"), ("Bo", "2.0"), ("D", "3.0"), ("CC", "4.0")] {
        let found =
            first(&["name: string"], &["o: number"], &rules, &format!(r#"{{"name": "{name}"}}"#));
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn an_input_may_be_an_expression() {
    let rules = ["> 10 => \"much\"", "- => \"little\""];
    assert_eq!(
        first(&["a + b: number"], &["o: string"], &rules, r#"{"a": 6, "b": 6}"#),
        "\"much\""
    );
    assert_eq!(
        first(&["a + b: number"], &["o: string"], &rules, r#"{"a": 1, "b": 6}"#),
        "\"little\""
    );
}

#[test]
fn collections_are_asked_by_functions() {
    let rules = [
        "${collection:allOf(tags, 'a,b')} => \"both\"",
        "#{collection:anyOf(tags, 'a,b')} => \"one\"",
        "${collection:noneOf(tags, 'a,b')} => \"none\"",
    ];
    let inputs = ["tags: collection"];
    for (tags, expected) in [(r#"["a","b"]"#, "both"), (r#"["b"]"#, "one"), (r#"["c"]"#, "none")] {
        let found = first(&inputs, &["o: string"], &rules, &format!(r#"{{"tags": {tags}}}"#));
        assert_eq!(found, format!("{expected:?}"), "{tags}");
    }
}

#[test]
fn an_input_that_nobody_gave_is_null_or_false() {
    assert_eq!(first(&["x: string"], &["o: string"], &["null => \"none\""], "{}"), "\"none\"");
    assert_eq!(first(&["x: boolean"], &["o: string"], &["false => \"no\""], "{}"), "\"no\"");
    let own = ["${empty x} => \"empty\""];
    assert_eq!(first(&["x: string"], &["o: string"], &own, "{}"), "\"empty\"");
    // Other names are mistakes.
    let model = model("", &["x: string"], &["o: string"], &["${y == 1} => \"a\""]);
    let failure = evaluate(&model, "d", "{}");
    assert_eq!(failure.failure().map(|problem| problem.code), Some("expression-failed"));
}

#[test]
fn outputs_have_the_type_of_their_column() {
    let cases = [
        ("5", "number", "5.0"),
        ("\"5.5\"", "number", "5.5"),
        ("x * 2", "number", "6.0"),
        ("${x + 1}", "number", "4.0"),
        ("\"a\"", "string", "\"a\""),
        ("5", "string", "\"5\""),
        ("true", "boolean", "true"),
        ("\"true\"", "boolean", "true"),
        ("\"else\"", "boolean", "false"),
    ];
    for (entry, ty, expected) in cases {
        let outputs = [format!("o: {ty}")];
        let outputs: Vec<&str> = outputs.iter().map(|output| &**output).collect();
        let found = first(&["x: number"], &outputs, &[&format!("- => {entry}")], r#"{"x": 3}"#);
        assert_eq!(found, expected, "{entry} as {ty}");
    }
}

#[test]
fn outputs_see_those_before_them() {
    let outputs = ["a: number", "b: number"];
    let found = first(&["x: number"], &outputs, &["- => x + 1 | a * 10"], r#"{"x": 3}"#);
    assert_eq!(found, r#"{"a":4.0,"b":40.0}"#);
    // Before there is one, a number is zero; what the rules before it gave stays.
    let model = model(
        r#"hitPolicy="RULE ORDER""#,
        &["x: number"],
        &["sum: number"],
        &["- => sum + 1", "- => sum + 1", "> 5 => 0", "- => sum + 1"],
    );
    assert_eq!(json(&model, "d", r#"{"x": 3}"#), "[1.0,2.0,3.0]");
}

#[test]
fn hit_policies_hold() {
    let rules = ["> 1 => 10", "> 2 => 20", "> 3 => 20"];
    let with = |policy: &str, x: i64| {
        let policy = format!(r#"hitPolicy={policy}"#);
        let model = model(&policy, &["x: number"], &["o: number"], &rules);
        json(&model, "d", &format!(r#"{{"x": {x}}}"#))
    };
    assert_eq!(with("\"UNIQUE\"", 2), "10.0");
    assert_eq!(with("\"COLLECT\"", 4), "[10.0,20.0,20.0]");
    assert_eq!(with("\"COLLECT\" aggregation=\"SUM\"", 4), "50.0");
    assert_eq!(with("\"COLLECT\" aggregation=\"MIN\"", 4), "10.0");
    assert_eq!(with("\"COLLECT\" aggregation=\"MAX\"", 4), "20.0");
    assert_eq!(with("\"COLLECT\" aggregation=\"COUNT\"", 4), "3.0");
    assert_eq!(with("\"FIRST\"", 0), "null");
    let unique = model("", &["x: number"], &["o: number"], &rules);
    let violated = evaluate(&unique, "d", r#"{"x": 3}"#);
    assert_eq!(violated.failure().map(|problem| problem.code), Some("hit-policy-violated"));
    let several = model(
        r#"hitPolicy="COLLECT" aggregation="SUM""#,
        &["x: number"],
        &["o: number", "p: number"],
        &["- => 1 | 2"],
    );
    let refused = evaluate(&several, "d", r#"{"x": 3}"#);
    let code = refused.failure().map(|problem| problem.code);
    assert_eq!(code, Some("aggregation-of-several-outputs"));
}

/// Which Camunda 7 has not.
#[test]
fn outputs_may_have_an_order() {
    let logic = r#"<decisionTable hitPolicy="OUTPUT ORDER"><input><inputExpression typeRef="number">
        <text>x</text></inputExpression></input><output name="o" typeRef="string">
        <outputValues><text>"high","low"</text></outputValues></output>
        <rule><inputEntry><text>-</text></inputEntry><outputEntry><text>"low"</text></outputEntry></rule>
        <rule><inputEntry><text>-</text></inputEntry><outputEntry><text>"high"</text></outputEntry></rule>
        </decisionTable>"#;
    let ordered = model_in(Mode::Flowable, &decision("d", "", logic));
    assert_eq!(json(&ordered, "d", r#"{"x": 1}"#), r#"["high","low"]"#);
    let first =
        model_in(Mode::Flowable, &decision("d", "", &logic.replace("OUTPUT ORDER", "PRIORITY")));
    assert_eq!(json(&first, "d", r#"{"x": 1}"#), "\"high\"");
}

#[test]
fn dates_may_be_made_by_their_old_names() {
    let rules = ["> fn_date('2030-01-01') => \"later\"", "- => \"earlier\""];
    let inputs = ["${date:toDate(day)}: date"];
    let at = |day: &str| first(&inputs, &["o: string"], &rules, &format!(r#"{{"day": "{day}"}}"#));
    assert_eq!(at("2030-06-01"), "\"later\"");
    assert_eq!(at("2029-06-01"), "\"earlier\"");
}

#[test]
fn mistakes_have_their_place() {
    let body = decision("d", "", &table("", &["x: number"], &["o: number"], &["> ) => 1"]));
    let options = orloj_dmn::Options { mode: Mode::Flowable, ..orloj_dmn::Options::default() };
    let diagnostics = Model::parse(support::file(&body).as_bytes(), &options).expect_err("no UEL");
    let found = diagnostics.iter().next().expect("one");
    assert_eq!(found.code, "expression-malformed");
    let text = support::file(&body);
    let line = text.lines().nth(found.position.line as usize - 1).expect("the line");
    assert!(line[found.position.column as usize - 1..].starts_with(')'), "{found}");
}
