//! `scripts DIR`: every Groovy script inside the models under DIR is parsed and run with stub
//! variables; prints each script that is refused and, last, `N of M scripts`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use orloj_groovy::{Dialect, Host, Options, Script, VariableScope};
use orloj_types::{Timestamp, Value};
use roxmltree::{Document, Node};

fn main() {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: corpus DIR");
        std::process::exit(2);
    };
    let mut files = Vec::new();
    collect(Path::new(&folder), &mut files);
    files.sort();
    let (mut all, mut parsed, mut dynamic) = (0, 0, 0);
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let Ok(document) = Document::parse(&text) else { continue };
        for source in document.descendants().filter_map(groovy) {
            all += 1;
            let trimmed = source.trim();
            // The text is an expression that gives the script when the task runs.
            if (trimmed.starts_with("${") || trimmed.starts_with("#{")) && trimmed.ends_with('}') {
                dynamic += 1;
                parsed += 1;
                continue;
            }
            match Script::parse(&source) {
                Ok(script) => {
                    parsed += 1;
                    for dialect in [Dialect::Camunda7, Dialect::Flowable] {
                        script.run(&Stub, Options::new(dialect, Timestamp::ZERO));
                    }
                }
                Err(diagnostic) => println!("{}: {diagnostic}\n{source}\n", file.display()),
            }
        }
    }
    println!("{dynamic} scripts are expressions that give the script");
    println!("{parsed} of {all} scripts");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}

/// The Groovy text that this element holds.
fn groovy(node: Node<'_, '_>) -> Option<String> {
    let attribute = |name: &str| {
        node.attributes().find(|found| found.name() == name).map(|found| found.value())
    };
    let text = |node: Node<'_, '_>| {
        node.descendants().filter(Node::is_text).filter_map(|n| n.text()).collect::<String>()
    };
    let is_groovy = |language: Option<&str>| {
        language.is_some_and(|language| language.eq_ignore_ascii_case("groovy"))
    };
    match node.tag_name().name() {
        "scriptTask" if is_groovy(attribute("scriptFormat")) => {
            node.children().find(|child| child.tag_name().name() == "script").map(text)
        }
        "script" if is_groovy(attribute("scriptFormat").or(attribute("language"))) => {
            Some(text(node))
        }
        "conditionExpression" | "condition" if is_groovy(attribute("language")) => Some(text(node)),
        name if name.to_lowercase().ends_with("listener") => {
            let field = |wanted: &str| {
                let field = node.children().find(|child| {
                    child.tag_name().name() == "field" && child.attribute("name") == Some(wanted)
                })?;
                match field.attribute("stringValue") {
                    Some(value) => Some(value.to_owned()),
                    None => Some(text(field)),
                }
            };
            let language = field("language")?;
            if language.trim().eq_ignore_ascii_case("groovy") { field("script") } else { None }
        }
        _ => None,
    }
}

/// Every variable is there and is 1.
struct Stub;

impl Host for Stub {
    fn variable(&self, _scope: &VariableScope, _name: &str) -> Option<Value> {
        Some(Value::Int(1))
    }

    fn names(&self, _scope: &VariableScope) -> Vec<Arc<str>> {
        Vec::new()
    }

    fn fact(&self, _name: &str) -> Option<Value> {
        None
    }

    fn has_task(&self) -> bool {
        true
    }
}
