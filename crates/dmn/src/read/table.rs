//! Decision tables.

use std::sync::Arc;

use orloj_xml::{Position, quoted};
use roxmltree::Node;

use crate::boxed::{HitPolicy, Input, Output, Rule, Table};
use crate::feel::{Formula, Tests, is_plain};
use crate::options::Mode;
use crate::read::boxed::Reader;
use crate::read::header::normalized;
use crate::read::source::{child, children_named};
use crate::read::written::{Written, content};

const CAMUNDA: &str = "http://camunda.org/schema/1.0/dmn";

pub(crate) fn read_table<'a>(reader: &mut Reader<'a, '_>, node: Node<'a, 'a>) -> Table {
    let position = reader.position(node);
    let policy = node.attribute("hitPolicy").unwrap_or("UNIQUE");
    let hit_policy = HitPolicy::parse(policy, node.attribute("aggregation")).unwrap_or_else(|| {
        let message = match node.attribute("aggregation") {
            Some(aggregation) => {
                let (policy, aggregation) = (quoted(policy), quoted(aggregation));
                format!("there is no hit policy {policy} with aggregation {aggregation}")
            }
            None => format!("there is no hit policy {}", quoted(policy)),
        };
        reader.error(position, "unknown-hit-policy", message);
        HitPolicy::Unique
    });
    let inputs: Vec<_> = children_named(node, "input").collect();
    let inputs: Vec<Input> =
        inputs.into_iter().filter_map(|input| read_input(reader, input)).collect();
    let outputs: Vec<_> = children_named(node, "output").collect();
    let is_single = outputs.len() == 1;
    let outputs: Vec<Output> =
        outputs.into_iter().map(|output| read_output(reader, output, is_single)).collect();
    if outputs.is_empty() {
        reader.error(position, "part-missing", "a decision table without output".into());
    }
    check_policy(reader, hit_policy, outputs.len(), position);
    let declared = children_named(node, "input").count();
    let mut rules = Vec::new();
    let mark = reader.names.mark();
    if reader.mode.sees_callers_variables() {
        for input in &inputs {
            reader.names.add(&input.variable);
        }
    }
    for rule in children_named(node, "rule") {
        rules.push(read_rule(reader, rule, (declared, &inputs), outputs.len()));
    }
    reader.names.reset(mark);
    Table { id: id_of(node), hit_policy, inputs, outputs, rules, position }
}

/// What Camunda's engines do not take.
fn check_policy(
    reader: &mut Reader<'_, '_>,
    policy: HitPolicy,
    outputs: usize,
    position: Position,
) {
    match (reader.mode, policy) {
        (Mode::Camunda7, HitPolicy::Priority | HitPolicy::OutputOrder) => {
            let message = format!("Camunda 7 has no hit policy {}", policy.name());
            reader.error(position, "unsupported-hit-policy", message);
        }
        (Mode::Camunda8, HitPolicy::Collect(Some(_))) if outputs > 1 => {
            let message = "outputs of several columns cannot be aggregated".into();
            reader.error(position, "aggregation-of-several-outputs", message);
        }
        _ => {}
    }
}

fn read_input<'a>(reader: &mut Reader<'a, '_>, node: Node<'a, 'a>) -> Option<Input> {
    let expression = child(node, "inputExpression");
    let text = expression.and_then(|e| child(e, "text")).map(content);
    let label = node.attribute("label").map(normalized).unwrap_or_default();
    let holder = expression.unwrap_or(node);
    let name = text.as_ref().filter(|text| is_variable(&text.text)).map(|text| (*text.text).into());
    let (shown, value) = match text.filter(|text| !text.text.is_empty()) {
        Some(text) => {
            let shown = if label.is_empty() { text.text.as_ref().into() } else { label };
            (shown, reader.formula(holder, text))
        }
        // Camunda 7 takes it for null.
        None if reader.mode == Mode::Camunda7 => (label, Formula::of("null")),
        None => {
            let message = "an input without expression".into();
            reader.error(reader.position(node), "part-missing", message);
            return None;
        }
    };
    let variable = node.attribute((CAMUNDA, "inputVariable")).unwrap_or("cellInput");
    Some(Input {
        id: id_of(node),
        label: shown,
        value,
        ty: expression.and_then(|e| reader.type_of(e)),
        allowed: allowed(reader, values(node, "inputValues")),
        variable: variable.into(),
        name,
    })
}

fn read_output<'a>(reader: &mut Reader<'a, '_>, node: Node<'a, 'a>, is_single: bool) -> Output {
    let name = node.attribute("name").map(normalized).filter(|name| !name.is_empty());
    if name.is_none() && !is_single {
        let message = "one of several outputs without a name".into();
        reader.error(reader.position(node), "name-missing", message);
    }
    let allowed = values(node, "outputValues");
    let default = child(node, "defaultOutputEntry").and_then(|entry| {
        let text = child(entry, "text").map(content)?;
        (!text.text.is_empty()).then(|| reader.formula(entry, text))
    });
    Output {
        id: id_of(node),
        name,
        label: node.attribute("label").map(Into::into),
        ty: reader.type_of(node),
        order: allowed.as_ref().and_then(|(_, text)| order(reader, text)),
        allowed: self::allowed(reader, allowed),
        default,
    }
}

/// Allowed values as a list, where they are values and not comparisons.
pub(crate) fn order(reader: &Reader<'_, '_>, text: &Written<'_>) -> Option<Formula> {
    let start = text.position_of(0, reader.header.source.places);
    Formula::list(&text.text, reader.mode, reader.names, start)
}

/// Flowable keeps allowed values for tools, in words that are no expressions.
fn allowed<'a>(
    reader: &mut Reader<'a, '_>,
    values: Option<(Node<'a, 'a>, Written<'a>)>,
) -> Option<Tests> {
    let (node, text) = values.filter(|_| reader.mode != Mode::Flowable)?;
    reader.tests(node, text)
}

fn values<'a>(node: Node<'a, 'a>, part: &'static str) -> Option<(Node<'a, 'a>, Written<'a>)> {
    let part = child(node, part)?;
    let text = child(part, "text").map(content)?;
    (!text.text.is_empty()).then_some((part, text))
}

fn read_rule<'a>(
    reader: &mut Reader<'a, '_>,
    node: Node<'a, 'a>,
    (declared, inputs): (usize, &[Input]),
    outputs: usize,
) -> Rule {
    let text = |entry: Node<'a, 'a>| child(entry, "text").map(content);
    let entries: Vec<_> = children_named(node, "inputEntry").collect();
    if entries.len() != declared {
        let message = format!("a rule with {} input entries for {declared} inputs", entries.len());
        reader.error(reader.position(node), "rule-length", message);
    }
    let tests = entries
        .into_iter()
        .enumerate()
        .map(|(at, entry)| match reader.mode {
            Mode::Flowable => reader.continuing_tests(text(entry)?, inputs.get(at)),
            _ => reader.tests(entry, text(entry)?),
        })
        .collect();
    let entries: Vec<_> = children_named(node, "outputEntry").collect();
    if entries.len() != outputs {
        let message = format!("a rule with {} output entries for {outputs} outputs", entries.len());
        reader.error(reader.position(node), "rule-length", message);
    }
    let outputs = entries
        .into_iter()
        .map(|entry| match text(entry).filter(|text| !matches!(&*text.text, "" | "-")) {
            Some(text) => Some(reader.formula(entry, text)),
            None => {
                if reader.mode == Mode::Camunda8 {
                    let message = "an output entry without expression".into();
                    reader.error(reader.position(entry), "part-missing", message);
                }
                None
            }
        })
        .collect();
    let annotations = children_named(node, "annotationEntry")
        .filter_map(text)
        .map(|text| text.text.into())
        .collect();
    Rule { id: id_of(node), tests, outputs, annotations }
}

/// Whether the text is the name of a variable and no more.
fn is_variable(text: &str) -> bool {
    is_plain(text)
        && text.starts_with(|c: char| !c.is_ascii_digit())
        && !matches!(text, "true" | "false" | "null")
}

fn id_of(node: Node<'_, '_>) -> Option<Arc<str>> {
    node.attribute("id").map(Into::into)
}
