//! Names that a decision of the standard reads without requiring them.

mod support;

use orloj_dmn::Mode;
use support::{decision, input, literal, model, model_in, needs_input, needs_knowledge, table};

fn warnings(mode: Mode, body: &str) -> Vec<String> {
    let model = model_in(mode, body);
    let unknown = model.warnings().iter().filter(|problem| problem.code == "name-unknown");
    unknown.map(|problem| problem.message.clone()).collect()
}

#[test]
fn what_is_not_required_is_told() {
    let body = input("x") + &input("y") + &decision("d", &needs_input("x"), &literal("x + y"));
    assert_eq!(
        warnings(Mode::Standard, &body),
        ["\"y\" is neither required nor declared here, and so is null"]
    );
    // Camunda's decisions see every variable.
    assert_eq!(warnings(Mode::Camunda8, &body), Vec::<String>::new());
    let rules = ["< limit => x", "- => z"];
    let cells = table("", &["x"], &["<output/>"], &rules);
    let body = input("x") + &decision("d", &needs_input("x"), &cells);
    let told = warnings(Mode::Standard, &body);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("\"limit\"") && told[1].starts_with("\"z\""), "{told:?}");
}

#[test]
fn what_an_expression_makes_is_known() {
    for text in [
        "for i in x return i + partial[-1]",
        "some i in x, j in i satisfies j > 1",
        "{a: 1, b: a + 1, f: function(n) if n = 0 then 0 else f(n - 1)}.b",
        "(function(p, q) p + q)(1, 2)",
        "x[price > 10 and item != null]",
        "sort(x, function(a, b) a < b)",
        "count(x) + string length(\"a\")",
        "sum(list: x)",
        "date(year: 2020, month: 1, day: 1).weekday",
        "x instance of list<number>",
        "x.y.z",
    ] {
        let body = input("x") + &decision("d", &needs_input("x"), &literal(text));
        assert_eq!(warnings(Mode::Standard, &body), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn parameters_knowledge_and_entries_are_known() {
    let knowledge = r#"<businessKnowledgeModel id="_k" name="k"><variable name="k"/>
        <encapsulatedLogic><formalParameter name="n"/><literalExpression>
        <text>if n = 0 then 0 else k(n - 1)</text></literalExpression></encapsulatedLogic>
        </businessKnowledgeModel>"#;
    let context = "<context><contextEntry><variable name=\"first part\"/>".to_owned()
        + &literal("1")
        + "</contextEntry><contextEntry>"
        + &literal("k(first part)")
        + "</contextEntry></context>";
    let body = knowledge.to_owned() + &decision("d", &needs_knowledge("k"), &context);
    assert_eq!(warnings(Mode::Standard, &body), Vec::<String>::new());
    assert_eq!(support::json(&model(&body), "d", ""), "0");
}
