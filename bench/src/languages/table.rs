//! A decision table of a hundred rules, the last of which matches.

use std::fmt::Write as _;
use std::hint::black_box;

use anyhow::ensure;
use orloj_dmn::{Environment, Model, Options as Reading};
use orloj_types::{Document, Timestamp};

use super::Options;
use crate::report::Figure;

const RULES: usize = 100;
const INPUTS: [&str; 3] = ["amount", "kind", "vip"];

pub fn figure(options: &Options) -> anyhow::Result<Figure> {
    let model = Model::parse(file().as_bytes(), &Reading::default())?;
    let variables = Document::parse(r#"{"amount": 995, "kind": "b", "vip": true}"#)?;
    let environment = Environment::new(Timestamp::ZERO);
    let evaluation = model.evaluate("fee", &variables, &environment);
    ensure!(evaluation.failure().is_none(), "{:?}", evaluation.problems);
    ensure!(evaluation.value.to_json() == "985.05", "{}", evaluation.value.to_json());
    let value = options.measure(|| {
        black_box(model.evaluate("fee", black_box(&variables), &environment));
    });
    let settings = format!("{RULES} rules, {} inputs, unique; the last rule matches", INPUTS.len());
    Ok(super::figure("decision table, evaluate", value, settings))
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
    let (mut data, mut needs, mut inputs) = (String::new(), String::new(), String::new());
    for name in INPUTS {
        let _ = write!(data, r#"<inputData id="{name}" name="{name}"/>"#);
        let _ = write!(
            needs,
            r##"<informationRequirement><requiredInput href="#{name}"/></informationRequirement>"##
        );
        let _ =
            write!(inputs, "<input><inputExpression><text>{name}</text></inputExpression></input>");
    }
    format!(
        r#"<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" namespace="n" name="n">
        {data}<decision id="fee" name="fee">{needs}
        <decisionTable>{inputs}<output/>{rules}</decisionTable></decision></definitions>"#
    )
}
