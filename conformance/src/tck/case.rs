//! Test files by the kit's schema.

use std::path::Path;

use anyhow::{Result, anyhow};
use orloj_types::Value;
use orloj_xml::{Places, build_tree, decode, gate};
use roxmltree::Node;

use super::value::read_value;

const TEST_CASE: &str = "http://www.omg.org/spec/DMN/20160719/testcase";

#[derive(Clone, Debug)]
pub struct Suite {
    pub file: String,
    pub model: Option<String>,
    pub cases: Vec<Case>,
}

#[derive(Clone, Debug)]
pub struct Case {
    pub id: String,
    pub invocable: Invocable,
    /// What is wrong with the case itself.
    pub flaw: Option<String>,
    pub inputs: Vec<(String, Value)>,
    pub results: Vec<Expectation>,
}

#[derive(Clone, Debug)]
pub enum Invocable {
    /// Each result names its decision.
    Decisions,
    /// A knowledge model or service by its name.
    Named(String),
}

#[derive(Clone, Debug)]
pub struct Expectation {
    pub name: String,
    pub value: Value,
    /// The evaluation must end in an error, which shows as null.
    pub is_error: bool,
}

/// Nothing when the file is no test file.
pub fn read_suite(path: &Path, bytes: &[u8]) -> Result<Option<Suite>> {
    let refused = |refusal: orloj_xml::Refusal| {
        anyhow!("{}: {}: {}", path.display(), refusal.code, refusal.message)
    };
    gate::check_size(bytes).map_err(refused)?;
    let text = decode(bytes).map_err(refused)?;
    gate::check(&Places::new(&text)).map_err(refused)?;
    let tree = build_tree(&text).map_err(refused)?;
    let root = tree.root_element();
    if root.tag_name().namespace() != Some(TEST_CASE) || root.tag_name().name() != "testCases" {
        return Ok(None);
    }
    let model = child(root, "modelName").and_then(|n| n.text()).map(|t| t.trim().to_owned());
    let cases = children(root, "testCase").map(read_case).collect();
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Some(Suite { file, model, cases }))
}

fn read_case<'a>(node: Node<'a, 'a>) -> Case {
    let invocable = match (node.attribute("type"), node.attribute("invocableName")) {
        (Some("bkm" | "decisionService"), Some(name)) => Invocable::Named(name.to_owned()),
        _ => Invocable::Decisions,
    };
    let id = node.attribute("id").unwrap_or_default().to_owned();
    match read_parts(node) {
        Ok((inputs, results)) => Case { id, invocable, flaw: None, inputs, results },
        Err(error) => {
            let flaw = Some(format!("the case cannot be read: {error}"));
            Case { id, invocable, flaw, inputs: Vec::new(), results: Vec::new() }
        }
    }
}

type Parts = (Vec<(String, Value)>, Vec<Expectation>);

fn read_parts<'a>(node: Node<'a, 'a>) -> Result<Parts> {
    let inputs = children(node, "inputNode").map(|input| {
        Ok((input.attribute("name").unwrap_or_default().to_owned(), read_value(input)?))
    });
    let inputs = inputs.collect::<Result<Vec<_>>>()?;
    let results = children(node, "resultNode").map(read_result).collect::<Result<Vec<_>>>()?;
    Ok((inputs, results))
}

fn read_result<'a>(node: Node<'a, 'a>) -> Result<Expectation> {
    Ok(Expectation {
        name: node.attribute("name").unwrap_or_default().to_owned(),
        value: match child(node, "expected") {
            Some(expected) => read_value(expected)?,
            None => Value::Null,
        },
        is_error: matches!(node.attribute("errorResult"), Some("true" | "1")),
    })
}

pub fn children<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name((TEST_CASE, name)))
}

pub fn child<'a>(node: Node<'a, 'a>, name: &'static str) -> Option<Node<'a, 'a>> {
    children(node, name).next()
}
