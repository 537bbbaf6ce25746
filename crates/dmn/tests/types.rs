//! Item definitions, checks and the conversions of the standard.

mod support;

use support::{evaluate, json, literal, model};

const ITEMS: &str = r#"
    <itemDefinition name="tColour"><typeRef>string</typeRef>
        <allowedValues><text>"red", "green"</text></allowedValues></itemDefinition>
    <itemDefinition name="tColours" isCollection="true"><typeRef>tColour</typeRef></itemDefinition>
    <itemDefinition name="tNumbers" isCollection="true"><typeRef>number</typeRef></itemDefinition>
    <itemDefinition name="tShort" isCollection="true"><typeRef>number</typeRef>
        <typeConstraint><text>count(?) &lt;= 2</text></typeConstraint></itemDefinition>
    <itemDefinition name="tPerson"><itemComponent name="name"><typeRef>string</typeRef>
        </itemComponent><itemComponent name="tags" isCollection="true"><typeRef>string</typeRef>
        </itemComponent></itemDefinition>
    <itemDefinition name="tFunction"><functionItem outputTypeRef="number">
        <parameters name="a" typeRef="number"/></functionItem></itemDefinition>"#;

fn typed(ty: &str, text: &str) -> String {
    let body = format!(
        r#"{ITEMS}<decision id="d" name="d"><variable name="d" typeRef="{ty}"/>{}</decision>"#,
        literal(text)
    );
    json(&model(&body), "d", "")
}

#[test]
fn values_that_fit_pass_and_others_are_null() {
    let rows = [
        ("number", "1", "1"),
        ("number", "\"1\"", "null"),
        ("string", "1", "null"),
        ("boolean", "true", "true"),
        ("Any", "\"x\"", "\"x\""),
        ("tColour", "\"red\"", "\"red\""),
        ("tColour", "\"blue\"", "null"),
        ("tColours", "[\"red\", \"green\"]", r#"["red","green"]"#),
        ("tColours", "[\"red\", \"blue\"]", "null"),
        ("tShort", "[1, 2]", "[1,2]"),
        ("tShort", "[1, 2, 3]", "null"),
        ("tPerson", "{name: \"Ada\", tags: [\"x\"]}", r#"{"name":"Ada","tags":["x"]}"#),
        ("tPerson", "{name: \"Ada\", tags: [], age: 3}", r#"{"age":3,"name":"Ada","tags":[]}"#),
        ("tPerson", "{name: \"Ada\"}", "null"),
        ("tPerson", "{name: 1, tags: []}", "null"),
        ("tPerson.name", "\"Ada\"", "\"Ada\""),
        ("tPerson.name", "1", "null"),
        ("date", "date(\"2024-01-02\")", "\"2024-01-02\""),
        ("time", "date(\"2024-01-02\")", "null"),
        ("feel.number", "1", "1"),
        ("list&lt;number>", "[1]", "[1]"),
    ];
    for (ty, text, expected) in rows {
        assert_eq!(typed(ty, text), expected, "{text} as {ty}");
    }
}

#[test]
fn the_conversions_of_the_standard() {
    assert_eq!(typed("number", "[1]"), "1");
    assert_eq!(typed("number", "[1, 2]"), "null");
    assert_eq!(typed("tNumbers", "1"), "[1]");
    assert_eq!(typed("tNumbers", "null"), "null");
    assert_eq!(typed("date and time", "date(\"2024-01-02\")"), "\"2024-01-02T00:00:00Z\"");
    assert_eq!(typed("dateTime", "date(\"2024-01-02\")"), "\"2024-01-02T00:00:00Z\"");
}

#[test]
fn a_mismatch_says_what_and_where() {
    let body = format!(
        "{ITEMS}\n<decision id=\"d\" name=\"d\"><variable name=\"d\" typeRef=\"tColour\"/>{}</decision>",
        literal("7")
    );
    let evaluation = evaluate(&model(&body), "d", "");
    let failure = evaluation.failure().expect("a mismatch");
    assert_eq!(failure.code, "type-mismatch");
    assert_eq!(failure.message, "the value is a number that is no tColour");
    assert!(failure.position.line > 10);
}

#[test]
fn expressions_know_the_types() {
    let holds = |text: &str| typed("Any", text);
    assert_eq!(holds("\"red\" instance of tColour"), "true");
    assert_eq!(holds("1 instance of tColour"), "false");
    // The type alone counts here, not which values of it are allowed.
    assert_eq!(holds("\"blue\" instance of tColour"), "true");
    assert_eq!(holds("[1] instance of tNumbers"), "true");
    assert_eq!(holds("(function(a: number) a) instance of tFunction"), "true");
    assert_eq!(holds("(function(a: tColour) a)(\"red\")"), "\"red\"");
    assert_eq!(holds("(function(a: tColour) a)(1)"), "null");
}

#[test]
fn unknown_types_are_warnings() {
    let body = format!(
        r#"<decision id="d" name="d"><variable name="d" typeRef="tNothing"/>{}</decision>"#,
        literal("1")
    );
    let model = model(&body);
    assert_eq!(model.warnings().iter().map(|d| d.code).collect::<Vec<_>>(), ["unknown-type"]);
    assert_eq!(json(&model, "d", ""), "1");
}
