//! One condition in both languages.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;

use anyhow::ensure;
use orloj_expr::{Environment, Expression, Language, Scope};
use orloj_types::{Document, Timestamp, Value};

use super::{Options, figure};
use crate::report::Figure;

const FEEL: &str = "amount > 100 and customer.vip";
const UEL: &str = "${amount > 100 and customer.vip}";
const VARIABLES: &str = r#"{"amount": 150, "customer": {"vip": true}}"#;

struct Parts {
    parse: &'static str,
    evaluate: &'static str,
    stored: &'static str,
}

pub fn figures(options: &Options) -> anyhow::Result<Vec<Figure>> {
    let feel = Parts {
        parse: "FEEL, parse",
        evaluate: "FEEL, evaluate",
        stored: "FEEL, evaluate with stored variables",
    };
    let uel = Parts {
        parse: "UEL, parse",
        evaluate: "UEL, evaluate",
        stored: "UEL, evaluate with stored variables",
    };
    let mut figures = of(options, Language::Feel, FEEL, &feel)?;
    figures.extend(of(options, Language::Uel, UEL, &uel)?);
    Ok(figures)
}

fn of(
    options: &Options,
    language: Language,
    text: &'static str,
    parts: &Parts,
) -> anyhow::Result<Vec<Figure>> {
    let expression = Expression::parse(language, text)?;
    let stored = Document::parse(VARIABLES)?;
    let values: BTreeMap<Arc<str>, Value> =
        stored.0.iter().map(|(name, value)| (name.clone(), Value::from(value))).collect();
    let settings = || format!("`{text}`");
    Ok(vec![
        figure(
            parts.parse,
            options.measure(|| {
                // The result is dropped as well: trees are made to be kept, but memory has to come
                // from somewhere.
                let _ = black_box(Expression::parse(language, black_box(text)));
            }),
            settings(),
        ),
        figure(parts.evaluate, evaluated(options, &expression, &values)?, settings()),
        figure(parts.stored, evaluated(options, &expression, &stored)?, settings()),
    ])
}

fn evaluated(options: &Options, expression: &Expression, scope: &dyn Scope) -> anyhow::Result<f64> {
    let environment = Environment::new(scope, Timestamp::ZERO);
    let value = expression.evaluate(&environment)?.value;
    ensure!(matches!(value, Value::Bool(true)), "the condition is {}", value.to_json());
    Ok(options.measure(|| {
        let _ = black_box(expression.evaluate(black_box(&environment)));
    }))
}
