//! Variables, inputs and values as they are typed and shown.

use anyhow::Context;
use clap::Args;
use orloj_expr::{Expression, Names, Warning, excerpt, print};
use orloj_types::{Document, Value};
use serde_json::value::RawValue;

use crate::args::Notation;
use crate::output;

#[derive(Clone, Debug, Args)]
pub struct Variables {
    /// Variables that can be used, as a JSON object
    #[arg(long, alias = "variables", value_name = "JSON", default_value = "{}")]
    vars: String,
}

impl Variables {
    pub fn document(&self) -> anyhow::Result<Document> {
        Document::parse(&self.vars).context("--vars")
    }
}

/// Any JSON value, given by a flag.
pub fn value(flag: &str, json: &str) -> anyhow::Result<Value> {
    const NAME: &str = "value";
    let json: &RawValue =
        serde_json::from_str(json).with_context(|| format!("{flag} is not JSON"))?;
    let document = Document::parse(&format!("{{\"{NAME}\":{json}}}"));
    let document = document.with_context(|| flag.to_owned())?;
    Ok(document.get(NAME).map(Value::from).unwrap_or_default())
}

/// The names of variables and of everything inside of them: FEEL allows blanks and operators in
/// names, and can tell them apart only when it knows them.
pub fn names(document: &Document) -> Names {
    let mut names = Names::new();
    for (name, value) in &document.0 {
        names.add(name);
        add_names(&Value::from(value), &mut names);
    }
    names
}

fn add_names(value: &Value, names: &mut Names) {
    match value {
        Value::List(items) => items.iter().for_each(|item| add_names(item, names)),
        Value::Map(entries) => {
            for (name, entry) in entries.iter() {
                names.add(name);
                add_names(entry, names);
            }
        }
        _ => {}
    }
}

/// The value to stdout, the warnings and their places to stderr.
pub fn show(
    value: &Value,
    warnings: &[Warning],
    source: &str,
    notation: Notation,
) -> anyhow::Result<()> {
    match notation {
        Notation::Feel => output::data(&literal(value))?,
        Notation::Json => output::data(&value.to_json())?,
    }
    for warning in warnings {
        let message = format!("warning: {}", warning.message);
        output::talk(&excerpt(source, warning.offset, &message));
    }
    Ok(())
}

/// The value as FEEL writes it. A function has no literal, and JSON no word for it either.
pub fn literal(value: &Value) -> String {
    match value {
        Value::Function(function) => {
            format!("function({}) ...", function.0.parameters().join(", "))
        }
        _ => print(&Expression::constant(value.clone())),
    }
}
