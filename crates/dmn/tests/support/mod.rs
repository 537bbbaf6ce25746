//! Small models, written as what is inside of their definitions.
#![allow(dead_code, reason = "each test file uses its part")]

use orloj_dmn::{Diagnostics, Environment, Evaluation, Mode, Model, Options};
use orloj_types::{Document, Timestamp};

pub const NAMESPACES: [&str; 5] = [
    "http://www.omg.org/spec/DMN/20151101/dmn.xsd",
    "http://www.omg.org/spec/DMN/20180521/MODEL/",
    "https://www.omg.org/spec/DMN/20191111/MODEL/",
    "https://www.omg.org/spec/DMN/20211108/MODEL/",
    "https://www.omg.org/spec/DMN/20230324/MODEL/",
];

pub fn file(body: &str) -> String {
    file_of("test", body)
}

pub fn file_of(namespace: &str, body: &str) -> String {
    let model = NAMESPACES[4];
    format!(
        r#"<definitions xmlns="{model}" xmlns:camunda="http://camunda.org/schema/1.0/dmn"
            namespace="{namespace}" name="{namespace}" id="{namespace}">{body}</definitions>"#
    )
}

pub fn parse(body: &str) -> Result<Model, Diagnostics> {
    Model::parse(file(body).as_bytes(), &Options::default())
}

pub fn model(body: &str) -> Model {
    model_in(Mode::Standard, body)
}

pub fn model_in(mode: Mode, body: &str) -> Model {
    let options = Options { mode, ..Options::default() };
    Model::parse(file(body).as_bytes(), &options)
        .unwrap_or_else(|diagnostics| panic!("refused: {diagnostics}"))
}

pub fn evaluate(model: &Model, which: &str, variables: &str) -> Evaluation {
    let variables = Document::parse(variables).expect(variables);
    model.evaluate(which, &variables, &Environment::new(Timestamp::ZERO))
}

pub fn json(model: &Model, which: &str, variables: &str) -> String {
    evaluate(model, which, variables).value.to_json()
}

/// The decision `d` that is made of one box.
pub fn value_of(logic: &str) -> String {
    json(&model(&decision("d", "", logic)), "d", "")
}

pub fn decision(name: &str, requirements: &str, logic: &str) -> String {
    format!(r#"<decision id="_{name}" name="{name}">{requirements}{logic}</decision>"#)
}

pub fn literal(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    format!("<literalExpression><text>{text}</text></literalExpression>")
}

pub fn input(name: &str) -> String {
    format!(r#"<inputData id="_{name}" name="{name}"><variable name="{name}"/></inputData>"#)
}

pub fn needs_input(name: &str) -> String {
    format!(
        r##"<informationRequirement><requiredInput href="#_{name}"/></informationRequirement>"##
    )
}

pub fn needs_decision(name: &str) -> String {
    let href = format!("#_{name}");
    format!(r#"<informationRequirement><requiredDecision href="{href}"/></informationRequirement>"#)
}

pub fn needs_knowledge(name: &str) -> String {
    let href = format!("#_{name}");
    format!(r#"<knowledgeRequirement><requiredKnowledge href="{href}"/></knowledgeRequirement>"#)
}

/// A table over the inputs `x` (and `y`), with rules written as `test, test => output, output`.
pub fn table(attributes: &str, inputs: &[&str], outputs: &[&str], rules: &[&str]) -> String {
    let escaped = |text: &str| text.trim().replace('&', "&amp;").replace('<', "&lt;");
    let inputs: String = inputs
        .iter()
        .map(|text| {
            format!(
                "<input><inputExpression><text>{}</text></inputExpression></input>",
                escaped(text)
            )
        })
        .collect();
    let outputs: String = outputs.iter().map(|output| output.to_string()).collect();
    let rules: String = rules
        .iter()
        .map(|rule| {
            let (tests, values) = rule.split_once("=>").expect("a rule");
            let cells = |kind: &str, cells: &str| -> String {
                let cell = |text: &str| format!("<{kind}><text>{}</text></{kind}>", escaped(text));
                cells.split('|').map(cell).collect()
            };
            let (tests, values) = (cells("inputEntry", tests), cells("outputEntry", values));
            format!("<rule>{tests}{values}</rule>")
        })
        .collect();
    format!("<decisionTable {attributes}>{inputs}{outputs}{rules}</decisionTable>")
}
