//! One boxed expression of each kind.

mod support;

use support::{
    decision, evaluate, input, json, literal, model, needs_input, needs_knowledge, value_of,
};

#[test]
fn literals_and_empty_boxes() {
    assert_eq!(value_of(&literal("1 + 2")), "3");
    assert_eq!(value_of("<literalExpression/>"), "null");
    assert_eq!(value_of(""), "null");
}

#[test]
fn names_with_spaces_and_signs_are_known() {
    let body = [
        input("full name"),
        input("a-b"),
        decision(
            "d",
            &(needs_input("full name") + &needs_input("a-b")),
            &literal("full name + \" \" + string(a-b + 1)"),
        ),
    ];
    let found = json(&model(&body.concat()), "d", r#"{"full name": "Ada", "a-b": 1}"#);
    assert_eq!(found, r#""Ada 2""#);
}

#[test]
fn contexts_see_their_earlier_entries() {
    let entry = |name: &str, text: &str| {
        format!(r#"<contextEntry><variable name="{name}"/>{}</contextEntry>"#, literal(text))
    };
    let entries = entry("base price", "10") + &entry("total", "base price * 2");
    assert_eq!(
        value_of(&format!("<context>{entries}</context>")),
        r#"{"base price":10,"total":20}"#
    );
    let result = format!("<contextEntry>{}</contextEntry>", literal("total + 1"));
    assert_eq!(value_of(&format!("<context>{entries}{result}</context>")), "21");
}

#[test]
fn relations_and_lists() {
    let row = |a: &str, b: &str| format!("<row>{}{}</row>", literal(a), literal(b));
    let relation = format!(
        r#"<relation><column name="name"/><column name="age"/>{}{}</relation>"#,
        row("\"Ada\"", "36"),
        row("\"Bob\"", "6 * 7")
    );
    assert_eq!(value_of(&relation), r#"[{"age":36,"name":"Ada"},{"age":42,"name":"Bob"}]"#);
    let list = format!("<list>{}{}</list>", literal("1"), literal("[2, 3]"));
    assert_eq!(value_of(&list), "[1,[2,3]]");
}

#[test]
fn functions_close_over_what_they_see() {
    let function = format!(
        r#"<functionDefinition><formalParameter name="n" typeRef="number"/>{}</functionDefinition>"#,
        literal("n * factor")
    );
    let context = |call: &str| {
        format!(
            r#"<context><contextEntry><variable name="factor"/>{}</contextEntry>
            <contextEntry><variable name="times"/>{function}</contextEntry>
            <contextEntry>{}</contextEntry></context>"#,
            literal("3"),
            literal(call)
        )
    };
    assert_eq!(value_of(&context("times(5)")), "15");
    assert_eq!(value_of(&context("times(n: 6)")), "18");
    assert_eq!(value_of(&context("times(\"no number\")")), "null");
    assert_eq!(value_of(&context("times(1, 2)")), "null");
}

#[test]
fn foreign_functions_give_null_and_say_so() {
    let body = decision(
        "d",
        "",
        &format!(
            r#"<context><contextEntry><variable name="cos"/><functionDefinition kind="Java">
            <formalParameter name="a"/><context/></functionDefinition></contextEntry>
            <contextEntry>{}</contextEntry></context>"#,
            literal("cos(1)")
        ),
    );
    let model = model(&body);
    assert_eq!(model.warnings().iter().next().map(|d| d.code), Some("foreign-function"));
    let evaluation = evaluate(&model, "d", "");
    assert!(evaluation.value.is_null());
    assert_eq!(evaluation.failure().map(|problem| problem.code), Some("foreign-function"));
}

#[test]
fn invocations_bind_by_name() {
    let knowledge = format!(
        r#"<businessKnowledgeModel id="_minus" name="minus"><encapsulatedLogic>
        <formalParameter name="a"/><formalParameter name="b"/>{}</encapsulatedLogic>
        </businessKnowledgeModel>"#,
        literal("a - b")
    );
    let binding = |name: &str, text: &str| {
        format!(r#"<binding><parameter name="{name}"/>{}</binding>"#, literal(text))
    };
    let invocation = |bindings: &str| {
        let logic = format!("<invocation>{}{bindings}</invocation>", literal("minus"));
        let body = knowledge.clone() + &decision("d", &needs_knowledge("minus"), &logic);
        json(&model(&body), "d", "")
    };
    assert_eq!(invocation(&(binding("b", "1") + &binding("a", "10"))), "9");
    assert_eq!(invocation(&(binding("b", "1") + &binding("c", "10"))), "null");
}

#[test]
fn conditionals() {
    let conditional = |condition: &str| {
        format!(
            "<conditional><if>{}</if><then>{}</then><else>{}</else></conditional>",
            literal(condition),
            literal("\"then\""),
            literal("\"else\"")
        )
    };
    assert_eq!(value_of(&conditional("1 < 2")), "\"then\"");
    assert_eq!(value_of(&conditional("1 > 2")), "\"else\"");
    assert_eq!(value_of(&conditional("null")), "\"else\"");
}

#[test]
fn filters() {
    let filter = |list: &str, matches: &str| {
        value_of(&format!(
            "<filter><in>{}</in><match>{}</match></filter>",
            literal(list),
            literal(matches)
        ))
    };
    assert_eq!(filter("[1, 2, 3, 4]", "item > 2"), "[3,4]");
    assert_eq!(filter("[{a: 1}, {a: 2}]", "a = 2"), r#"[{"a":2}]"#);
    assert_eq!(filter("[]", "true"), "[]");
    assert_eq!(filter("[1]", "\"no\""), "null");
}

#[test]
fn iterators() {
    let iterator = |tag: &str, body: &str, list: &str, text: &str| {
        value_of(&format!(
            r#"<{tag} iteratorVariable="x"><in>{}</in><{body}>{}</{body}></{tag}>"#,
            literal(list),
            literal(text)
        ))
    };
    assert_eq!(iterator("for", "return", "[1, 2, 3]", "x * x"), "[1,4,9]");
    assert_eq!(iterator("for", "return", "[1, 2, 3]", "x + count(partial)"), "[1,3,5]");
    assert_eq!(iterator("for", "return", "[]", "x"), "[]");
    assert_eq!(iterator("for", "return", "[2..4]", "x * 10"), "[20,30,40]");
    assert_eq!(iterator("for", "return", "7", "x + 1"), "[8]");
    assert_eq!(iterator("for", "return", "null", "x"), "null");
    assert_eq!(iterator("some", "satisfies", "[1..3]", "x = 3"), "true");
    assert_eq!(iterator("some", "satisfies", "[1, 2]", "x > 1"), "true");
    assert_eq!(iterator("some", "satisfies", "[1, 2]", "x > 2"), "false");
    assert_eq!(iterator("some", "satisfies", "[]", "true"), "false");
    assert_eq!(iterator("every", "satisfies", "[1, 2]", "x > 0"), "true");
    assert_eq!(iterator("every", "satisfies", "[1, 2]", "x > 1"), "false");
    assert_eq!(iterator("every", "satisfies", "[1, 2]", "\"no\""), "null");
}
