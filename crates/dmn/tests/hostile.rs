//! Files made to hurt end in diagnostics, and evaluations within their budget.

mod support;

use orloj_dmn::{Environment, Model, Options};
use orloj_expr::Budget;
use orloj_types::Timestamp;
use support::{decision, evaluate, file, literal, model, needs_decision, needs_knowledge, parse};

/// A look at a large value costs steps as well; which limit is met first is no promise.
const SIZE_LIMITS: [&str; 2] = ["value-too-large", "budget-exhausted"];

fn first_code(bytes: &[u8]) -> &'static str {
    let diagnostics = Model::parse(bytes, &Options::default()).expect_err("refused");
    diagnostics.iter().next().expect("a diagnostic").code
}

#[test]
fn what_is_no_model_is_refused() {
    assert_eq!(first_code(b""), "xml-malformed");
    assert_eq!(first_code(b"<definitions/>"), "not-dmn");
    assert_eq!(first_code(b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"), "doctype-refused");
    let bpmn = br#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"/>"#;
    assert_eq!(first_code(bpmn), "not-dmn");
}

#[test]
fn deep_files_are_refused() {
    let deep = decision("d", "", &format!("{}{}", "<list>".repeat(300), "</list>".repeat(300)));
    assert_eq!(first_code(file(&deep).as_bytes()), "nested-too-deep");
}

#[test]
fn deep_boxes_within_the_limit_are_evaluated() {
    let levels = 250;
    let deep =
        decision("d", "", &format!("{}{}", "<list>".repeat(levels), "</list>".repeat(levels)));
    let json = evaluate(&model(&deep), "d", "").value.to_json();
    assert_eq!(json.len(), 2 * levels);
}

#[test]
fn cycles_of_decisions_are_refused() {
    let body = decision("a", &needs_decision("b"), &literal("b"))
        + &decision("b", &needs_decision("a"), &literal("a"));
    let diagnostics = parse(&body).expect_err("refused");
    assert_eq!(diagnostics.iter().next().map(|d| d.code), Some("cyclic-requirement"));
    let itself = decision("a", &needs_decision("a"), &literal("a"));
    assert!(parse(&itself).is_err());
}

#[test]
fn a_service_that_needs_itself_ends() {
    let body = decision("a", &needs_knowledge("s"), &literal("s()"))
        + r##"<decisionService id="_s" name="s"><outputDecision href="#_a"/></decisionService>"##;
    let evaluation = evaluate(&model(&body), "a", "");
    assert!(evaluation.value.is_null());
    assert!(evaluation.failure().is_some());
}

#[test]
fn cycles_of_types_are_refused() {
    let body = r#"<itemDefinition name="a"><typeRef>b</typeRef></itemDefinition>
        <itemDefinition name="b"><typeRef>a</typeRef></itemDefinition>"#;
    let diagnostics = parse(body).expect_err("refused");
    assert_eq!(diagnostics.iter().next().map(|d| d.code), Some("cyclic-type"));
}

#[test]
fn recursive_types_are_fine() {
    let body = r#"<itemDefinition name="tTree"><itemComponent name="children" isCollection="true">
        <typeRef>tTree</typeRef></itemComponent></itemDefinition>
        <decision id="d" name="d"><variable name="d" typeRef="tTree"/><literalExpression>
        <text>{children: [{children: []}]}</text></literalExpression></decision>"#;
    assert_eq!(
        evaluate(&model(body), "d", "").value.to_json(),
        r#"{"children":[{"children":[]}]}"#
    );
}

#[test]
fn long_chains_do_not_exhaust_the_stack() {
    let length = 10_000;
    let mut body = decision("d0", "", &literal("0"));
    for at in 1..length {
        let before = format!("d{}", at - 1);
        let logic = literal(&format!("{before} + 1"));
        body += &decision(&format!("d{at}"), &needs_decision(&before), &logic);
    }
    let last = format!("d{}", length - 1);
    assert_eq!(evaluate(&model(&body), &last, "").value.to_json(), (length - 1).to_string());
}

#[test]
fn huge_tables_stay_within_the_budget() {
    let rules = "<rule><inputEntry><text>1</text></inputEntry><outputEntry><text>1</text></outputEntry></rule>"
        .repeat(20_000);
    let logic = format!(
        "<decisionTable hitPolicy=\"COLLECT\"><input><inputExpression><text>1</text></inputExpression></input><output/>{rules}</decisionTable>"
    );
    let model = model(&decision("d", "", &logic));
    let budget = Budget { steps_max: 10_000, ..Budget::default() };
    let environment = Environment::new(Timestamp::ZERO).with_budget(budget);
    let evaluation = model.evaluate("d", &(), &environment);
    assert!(evaluation.value.is_null());
    assert_eq!(evaluation.failure().map(|problem| problem.code), Some("budget-exhausted"));
    let generous = Budget { steps_max: 1_000_000, ..Budget::default() };
    let environment = Environment::new(Timestamp::ZERO).with_budget(generous);
    assert!(!model.evaluate("d", &(), &environment).value.is_null());
}

#[test]
fn one_budget_for_the_whole_graph() {
    let heavy = literal("count(for i in 1..20000 return i)");
    let mut body = String::new();
    let mut needs = String::new();
    let mut names = Vec::new();
    for at in 0..20 {
        let name = format!("d{at}");
        body += &decision(&name, "", &heavy);
        needs += &needs_decision(&name);
        names.push(name);
    }
    body += &decision("all", &needs, &literal(&names.join(" + ")));
    let model = model(&body);
    assert_eq!(evaluate(&model, "d0", "").value.to_json(), "20000");
    let evaluation = evaluate(&model, "all", "");
    assert!(evaluation.value.is_null());
    assert_eq!(evaluation.failure().map(|problem| problem.code), Some("budget-exhausted"));
}

#[test]
fn problems_are_counted_not_hoarded() {
    let logic = literal("for i in 1..5000 return nothing");
    let evaluation = evaluate(&model(&decision("d", "", &logic)), "d", "");
    assert!(evaluation.problems.len() <= orloj_dmn::PROBLEMS_MAX);
}

#[test]
fn paths_of_types_are_bounded() {
    let path = vec!["a"; 100_000].join(".");
    let body =
        format!(r#"<decision id="d" name="d"><variable name="d" typeRef="{path}"/></decision>"#);
    assert_eq!(model(&body).warnings().iter().next().map(|d| d.code), Some("unknown-type"));
}

#[test]
fn recursion_through_deep_boxes_does_not_exhaust_the_stack() {
    let levels = 200;
    let logic =
        format!("{}{}{}", "<list>".repeat(levels), literal("f(n + 1)"), "</list>".repeat(levels));
    let body = format!(
        r#"<businessKnowledgeModel id="_f" name="f"><encapsulatedLogic><formalParameter name="n"/>
        {logic}</encapsulatedLogic></businessKnowledgeModel>"#
    ) + &decision("d", &needs_knowledge("f"), &literal("f(1)"));
    let evaluation = evaluate(&model(&body), "d", "");
    assert_eq!(evaluation.failure().map(|problem| problem.code), Some("boxes-too-deep"));
}

#[test]
fn values_do_not_grow_without_bounds() {
    for (text, decisions) in [("[before]", 5_000), ("[before, before]", 60)] {
        let mut body = decision("d0", "", &literal("[1]"));
        for at in 1..decisions {
            let before = format!("d{}", at - 1);
            let logic = literal(&text.replace("before", &before));
            body += &decision(&format!("d{at}"), &needs_decision(&before), &logic);
        }
        let last = format!("d{}", decisions - 1);
        let evaluation = evaluate(&model(&body), &last, "");
        let code = evaluation.failure().map(|problem| problem.code);
        assert!(code.is_some_and(|code| SIZE_LIMITS.contains(&code)), "{text}: {code:?}");
    }
}

#[test]
fn entries_of_a_context_do_not_nest_without_bounds() {
    let mut entries = String::new();
    for at in 0..5_000 {
        let before = if at == 0 { "1".to_owned() } else { format!("[e{}]", at - 1) };
        entries += &format!(
            r#"<contextEntry><variable name="e{at}"/>{}</contextEntry>"#,
            literal(&before)
        );
    }
    let body = decision("d", "", &format!("<context>{entries}</context>"));
    let evaluation = evaluate(&model(&body), "d", "");
    let code = evaluation.failure().map(|problem| problem.code);
    assert!(code.is_some_and(|code| SIZE_LIMITS.contains(&code)), "{code:?}");
}

#[test]
fn many_names_with_spaces_are_read_in_time() {
    let mut body = String::new();
    for at in 0..8_000 {
        body += &format!(
            r##"<inputData id="i{at}" name="input {at}"/><decision id="d{at}" name="decision {at}">
            <informationRequirement><requiredInput href="#i{at}"/></informationRequirement>{}
            </decision>"##,
            literal(&format!("input {at} + 1"))
        );
    }
    let model = model(&body);
    assert_eq!(evaluate(&model, "decision 7999", r#"{"input 7999": 1}"#).value.to_json(), "2");
}
