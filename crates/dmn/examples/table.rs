//! How long a decision table of 100 rules takes: `cargo run --release -p orloj-dmn --example table`.

use std::fmt::Write as _;

use orloj_dmn::{Environment, Model, Options};
use orloj_types::{Document, Timestamp};

const RULES: usize = 100;
const EVALUATIONS: u32 = 2_000;

#[expect(clippy::disallowed_methods, reason = "a measurement needs a clock")]
fn main() {
    let model = Model::parse(file().as_bytes(), &Options::default()).expect("a model");
    let variables = Document::parse(r#"{"amount": 995, "kind": "b", "vip": true}"#).expect("JSON");
    let environment = Environment::new(Timestamp::ZERO);
    let first = model.evaluate("fee", &variables, &environment);
    println!("value {}, {} problems", first.value.to_json(), first.problems.len());
    let start = std::time::Instant::now();
    for _ in 0..EVALUATIONS {
        let evaluation = model.evaluate("fee", &variables, &environment);
        assert_eq!(evaluation.tables.len(), 1);
    }
    let each = start.elapsed() / EVALUATIONS;
    println!("{RULES} rules, 3 inputs: {each:?} per evaluation");
}

fn file() -> String {
    let mut rules = String::new();
    for at in 0..RULES {
        let (low, high) = (at * 10, at * 10 + 10);
        let _ = write!(
            rules,
            "<rule><inputEntry><text>[{low}..{high})</text></inputEntry>\
             <inputEntry><text>\"a\", \"b\"</text></inputEntry>\
             <inputEntry><text>-</text></inputEntry>\
             <outputEntry><text>amount * 0.{at:02}</text></outputEntry></rule>"
        );
    }
    let inputs: String = ["amount", "kind", "vip"]
        .iter()
        .map(|name| {
            format!("<input><inputExpression><text>{name}</text></inputExpression></input>")
        })
        .collect();
    let (mut data, mut needs) = (String::new(), String::new());
    for name in ["amount", "kind", "vip"] {
        let _ = write!(data, r#"<inputData id="{name}" name="{name}"/>"#);
        let _ = write!(
            needs,
            r##"<informationRequirement><requiredInput href="#{name}"/></informationRequirement>"##
        );
    }
    format!(
        r#"<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" namespace="n" name="n">
        {data}<decision id="fee" name="fee">{needs}
        <decisionTable>{inputs}<output/>{rules}</decisionTable></decision></definitions>"#
    )
}
