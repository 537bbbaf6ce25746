//! Where Camunda's engines differ from the standard.

mod support;

use orloj_dmn::{MapDecisionResult, Mode, Model, Options};
use support::{decision, evaluate, file, json, literal, model_in, needs_decision, table};

/// Camunda 7 wants it so.
fn variable(name: &str, ty: &str, text: &str) -> String {
    let ty = if ty.is_empty() { String::new() } else { format!(r#"typeRef="{ty}""#) };
    format!(r#"<variable name="{name}" {ty}/>{}"#, literal(text))
}

#[test]
fn all_variables_of_the_caller_are_visible() {
    let body = decision("d", "", &variable("d", "", "x + 1"));
    assert_eq!(json(&model_in(Mode::Camunda8, &body), "d", r#"{"x": 1}"#), "2");
    assert_eq!(json(&model_in(Mode::Camunda7, &body), "d", r#"{"x": 1}"#), "2");
}

#[test]
fn expressions_may_be_juel() {
    let logic = r#"<decisionTable><input camunda:inputVariable="price">
        <inputExpression expressionLanguage="juel"><text>${x + 1}</text></inputExpression></input>
        <output name="o"/>
        <rule><inputEntry expressionLanguage="juel"><text>${price > 5}</text></inputEntry>
        <outputEntry expressionLanguage="juel"><text>x * 100</text></outputEntry></rule>
        <rule><inputEntry><text>price &lt;= 5</text></inputEntry>
        <outputEntry><text>"small"</text></outputEntry></rule></decisionTable>"#;
    let model = model_in(Mode::Camunda7, &decision("d", "", logic));
    assert_eq!(json(&model, "d", r#"{"x": 7}"#), "700");
    assert_eq!(json(&model, "d", r#"{"x": 2}"#), "\"small\"");
}

#[test]
fn other_languages_are_refused_by_name() {
    let logic =
        r#"<literalExpression expressionLanguage="groovy"><text>1</text></literalExpression>"#;
    let diagnostics = support::parse(&decision("d", "", logic)).expect_err("refused");
    let found = diagnostics.iter().next().expect("one");
    assert_eq!(found.code, "unsupported-language");
    assert_eq!(found.message, "the expression language \"groovy\" is not supported");
}

#[test]
fn outputs_of_a_required_table_have_their_own_names() {
    let collect = table(
        r#"hitPolicy="COLLECT""#,
        &["x"],
        &[r#"<output name="dish"/>"#],
        &["> 1 => \"soup\"", "> 2 => \"bread\""],
    );
    let body = decision("menu", "", &collect)
        + &decision("d", &needs_decision("menu"), &variable("d", "", "dish"));
    let model = model_in(Mode::Camunda7, &body);
    assert_eq!(json(&model, "d", r#"{"x": 2}"#), "\"soup\"");
    assert_eq!(json(&model, "d", r#"{"x": 3}"#), r#"["soup","bread"]"#);
}

#[test]
fn results_are_mapped() {
    use MapDecisionResult::{CollectEntries, ResultList, SingleEntry, SingleResult};
    let rules = ["> 1 => \"soup\"", "> 2 => \"bread\""];
    let outputs = &[r#"<output name="dish"/>"#];
    let logic = table(r#"hitPolicy="RULE ORDER""#, &["x"], outputs, &rules);
    let model = model_in(Mode::Camunda7, &decision("d", "", &logic));
    let mapped = |x: i64, how: MapDecisionResult| {
        let evaluation = evaluate(&model, "d", &format!(r#"{{"x": {x}}}"#));
        evaluation.mapped(how).map(|value| value.to_json())
    };
    assert_eq!(mapped(2, SingleEntry).as_deref(), Ok("\"soup\""));
    assert_eq!(mapped(2, SingleResult).as_deref(), Ok(r#"{"dish":"soup"}"#));
    assert_eq!(mapped(3, CollectEntries).as_deref(), Ok(r#"["soup","bread"]"#));
    assert_eq!(mapped(3, ResultList).as_deref(), Ok(r#"[{"dish":"soup"},{"dish":"bread"}]"#));
    assert!(mapped(3, SingleEntry).is_err());
    assert_eq!(mapped(0, SingleEntry).as_deref(), Ok("null"));
    let literal = model_in(
        Mode::Camunda7,
        r#"<decision id="d" name="Sum"><variable name="total"/><literalExpression><text>1</text>
        </literalExpression></decision>"#,
    );
    let evaluation = evaluate(&literal, "d", "");
    assert_eq!(evaluation.mapped(ResultList).expect("one").to_json(), r#"[{"total":1}]"#);
}

fn tables(mode: Mode, attributes: &str) -> (String, String) {
    let outputs = &[r#"<output name="o"><outputValues><text>2, 1</text></outputValues></output>"#];
    let logic = table(attributes, &["x"], outputs, &["> 1 => 1", "> 1 => 2"]);
    let model = model_in(mode, &decision("d", "", &logic));
    let shown = |variables: &str| {
        let evaluation = evaluate(&model, "d", variables);
        match (evaluation.failure(), mode) {
            (Some(_), _) => "failure".to_owned(),
            (None, Mode::Camunda7) => {
                evaluation.mapped(MapDecisionResult::ResultList).expect("always").to_json()
            }
            (None, _) => evaluation.value.to_json(),
        }
    };
    (shown(r#"{"x": 0}"#), shown(r#"{"x": 5}"#))
}

/// What Zeebe 8.8 gives when no rule matches, and when both do.
#[test]
fn hit_policies_as_observed_in_zeebe() {
    let rows = [
        ("COLLECT", "", "null", "[1,2]"),
        ("COLLECT", "SUM", "null", "3"),
        ("COLLECT", "MIN", "null", "1"),
        ("COLLECT", "COUNT", "null", "2"),
        ("RULE ORDER", "", "null", "[1,2]"),
        ("OUTPUT ORDER", "", "null", "[2,1]"),
        ("UNIQUE", "", "null", "failure"),
        ("FIRST", "", "null", "1"),
        ("ANY", "", "null", "failure"),
        ("PRIORITY", "", "null", "2"),
    ];
    for (policy, aggregation, none, two) in rows {
        let found = tables(Mode::Camunda8, &attributes(policy, aggregation));
        assert_eq!(found, (none.into(), two.into()), "{policy} {aggregation}");
    }
}

/// What Camunda 7.24 gives as result list.
#[test]
fn hit_policies_as_observed_in_camunda_7() {
    let rows = [
        ("COLLECT", "", "[]", r#"[{"o":1},{"o":2}]"#),
        ("COLLECT", "SUM", "[]", r#"[{"o":3}]"#),
        ("COLLECT", "MIN", "[]", r#"[{"o":1}]"#),
        // DIFFERENCE: the name of the output is null there when nothing matches.
        ("COLLECT", "COUNT", r#"[{"o":0}]"#, r#"[{"o":2}]"#),
        ("RULE ORDER", "", "[]", r#"[{"o":1},{"o":2}]"#),
        ("UNIQUE", "", "[]", "failure"),
        ("FIRST", "", "[]", r#"[{"o":1}]"#),
        ("ANY", "", "[]", "failure"),
    ];
    for (policy, aggregation, none, two) in rows {
        let found = tables(Mode::Camunda7, &attributes(policy, aggregation));
        assert_eq!(found, (none.into(), two.into()), "{policy} {aggregation}");
    }
    for policy in ["PRIORITY", "OUTPUT ORDER"] {
        let logic = table(&attributes(policy, ""), &["x"], &["<output/>"], &["1 => 1"]);
        assert_eq!(refused(Mode::Camunda7, &decision("d", "", &logic)), "unsupported-hit-policy");
    }
}

fn attributes(policy: &str, aggregation: &str) -> String {
    let aggregation = match aggregation {
        "" => String::new(),
        some => format!(r#"aggregation="{some}""#),
    };
    format!(r#"hitPolicy="{policy}" {aggregation}"#)
}

fn refused(mode: Mode, body: &str) -> &'static str {
    let options = Options { mode, ..Options::default() };
    let diagnostics = Model::parse(file(body).as_bytes(), &options).expect_err("refused");
    diagnostics.iter().next().expect("one").code
}

/// The type of a decision's variable and its value: what Zeebe 8.8 does with it.
#[test]
fn results_are_checked_as_observed_in_zeebe() {
    let rows = [
        ("string", "\"a\"", "\"a\""),
        ("string", "null", "null"),
        ("string", "5", "failure"),
        ("number", "\"5\"", "failure"),
        ("number", "[5]", "failure"),
        ("number", "5", "5"),
        ("boolean", "1", "failure"),
        ("boolean", "true", "true"),
        ("Any", "5", "5"),
        ("integer", "5", "5"),
        ("integer", "\"x\"", "\"x\""),
        ("double", "\"x\"", "\"x\""),
        ("date", "date(\"2024-01-01\")", "\"2024-01-01\""),
        ("date", "\"2024-01-01\"", "failure"),
        ("dateTime", "date(\"2024-01-01\")", "failure"),
        ("dayTimeDuration", "duration(\"P1D\")", "\"P1D\""),
        ("dayTimeDuration", "\"P1D\"", "failure"),
        ("yearMonthDuration", "duration(\"P1M\")", "\"P1M\""),
        ("unknownType", "5", "5"),
        ("context", "5", "5"),
        ("list", "5", "5"),
    ];
    for (ty, text, expected) in rows {
        let body = decision("d", "", &variable("d", ty, text));
        let evaluation = evaluate(&model_in(Mode::Camunda8, &body), "d", "");
        let found = match evaluation.failure() {
            Some(_) => "failure".to_owned(),
            None => evaluation.value.to_json(),
        };
        assert_eq!(found, expected, "{text} as {ty}");
    }
}

/// The type of an output and its value: what Camunda 7.24 makes of it.
#[test]
fn outputs_are_converted_as_observed_in_camunda_7() {
    let rows = [
        ("string", "1", r#"[{"o":"1"}]"#),
        ("integer", "\"12\"", r#"[{"o":12}]"#),
        ("integer", "\"abc\"", "failure"),
        ("boolean", "\"true\"", r#"[{"o":true}]"#),
        ("double", "2", r#"[{"o":2.0}]"#),
        ("", "x + 1", r#"[{"o":6}]"#),
        ("", "", "[{}]"),
    ];
    for (ty, text, expected) in rows {
        let ty = if ty.is_empty() { String::new() } else { format!(r#"typeRef="{ty}""#) };
        let output = format!(r#"<output name="o" {ty}/>"#);
        let logic = table("", &["x"], &[&output], &[&format!("5 => {text}")]);
        let evaluation =
            evaluate(&model_in(Mode::Camunda7, &decision("d", "", &logic)), "d", r#"{"x": 5}"#);
        let found = match evaluation.failure() {
            Some(_) => "failure".to_owned(),
            None => evaluation.mapped(MapDecisionResult::ResultList).expect("always").to_json(),
        };
        assert_eq!(found, expected, "{text} as {ty}");
    }
}

#[test]
fn more_that_was_observed_in_zeebe() {
    let zeebe =
        |body: &str, which: &str| json(&model_in(Mode::Camunda8, body), which, r#"{"n": 5}"#);
    let base = r#"<decision id="base" name="Base"><literalExpression><text>42</text></literalExpression></decision>"#;
    let needs =
        r##"<informationRequirement><requiredDecision href="#base"/></informationRequirement>"##;
    assert_eq!(zeebe(&(base.to_owned() + &decision("d", needs, &literal("base"))), "d"), "42");
    assert_eq!(zeebe(&(base.to_owned() + &decision("d", needs, &literal("Base"))), "d"), "null");
    let knowledge = r#"<businessKnowledgeModel id="_bkm" name="bkm"><encapsulatedLogic>
        <formalParameter name="p"/><literalExpression><text>p + n</text></literalExpression>
        </encapsulatedLogic></businessKnowledgeModel>"#;
    let call = decision("d", &support::needs_knowledge("bkm"), &literal("bkm(4)"));
    assert_eq!(zeebe(&(knowledge.to_owned() + &call), "d"), "9");
    let cell = |test: &str| {
        let logic = table("", &["n"], &["<output/>"], &[&format!("{test} => 1")]);
        zeebe(&decision("d", "", &logic), "d")
    };
    assert_eq!((cell("cellInput > 1"), cell("? > 1")), ("1".into(), "1".into()));
    let empty = table("", &["n"], &["<output/>"], &["5 => "]);
    assert_eq!(refused(Mode::Camunda8, &decision("d", "", &empty)), "part-missing");
    let outputs = &[r#"<output name="a"/>"#, r#"<output name="b"/>"#];
    let sums = table(&attributes("COLLECT", "SUM"), &["n"], outputs, &["5 => 1 | 2"]);
    let code = refused(Mode::Camunda8, &decision("d", "", &sums));
    assert_eq!(code, "aggregation-of-several-outputs");
}

#[test]
fn more_that_was_observed_in_camunda_7() {
    let literal_alone = decision("d", "", &literal("1"));
    assert_eq!(refused(Mode::Camunda7, &literal_alone), "variable-missing");
    let value_in_juel = r#"<decisionTable><input><inputExpression><text>x</text></inputExpression>
        </input><output name="o"/><rule><inputEntry expressionLanguage="juel"><text>${5}</text>
        </inputEntry><outputEntry><text>1</text></outputEntry></rule></decisionTable>"#;
    let model = model_in(Mode::Camunda7, &decision("d", "", value_in_juel));
    assert_eq!(json(&model, "d", r#"{"x": 5}"#), "null");
    let empty_input = table("", &[""], &[r#"<output name="o"/>"#], &["5 => 1", "- => 2"]);
    let model = model_in(Mode::Camunda7, &decision("d", "", &empty_input));
    assert_eq!(json(&model, "d", ""), "2");
    let typed = model_in(Mode::Camunda7, &decision("d", "", &variable("d", "string", "5 + 1")));
    assert_eq!(json(&typed, "d", ""), "\"6\"");
}

#[test]
fn input_data_is_documentation_for_camunda() {
    let body = r##"<inputData id="i" name="x"><variable name="x" typeRef="string"/></inputData>"##
        .to_owned()
        + &decision(
            "d",
            r##"<informationRequirement><requiredInput href="#i"/></informationRequirement>"##,
            &variable("d", "", "x"),
        );
    for mode in [Mode::Camunda7, Mode::Camunda8] {
        let evaluation = evaluate(&model_in(mode, &body), "d", r#"{"x": 5}"#);
        assert_eq!(evaluation.value.to_json(), "5");
        assert_eq!(evaluation.failure(), None);
    }
}

#[test]
fn a_version_tag_is_where_each_engine_writes_it() {
    let logic = variable("d", "", "1");
    let body = format!(
        r#"<decision id="d" name="d" camunda:versionTag="seven"><extensionElements>
        <eight:versionTag xmlns:eight="http://camunda.org/schema/zeebe/1.0" value="eight"/>
        </extensionElements>{logic}</decision><decision id="blank" name="blank"
        camunda:versionTag=" ">{logic}</decision>"#
    );
    let tags = |mode| {
        let model = model_in(mode, &body);
        model.invocables().map(|found| found.version_tag).collect::<Vec<_>>()
    };
    assert_eq!(tags(Mode::Camunda7), [Some("seven".into()), None]);
    assert_eq!(tags(Mode::Camunda8), [Some("eight".into()), None]);
    assert_eq!(tags(Mode::Flowable), [None, None]);
}
