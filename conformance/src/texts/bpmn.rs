//! Where BPMN files of the compatible engines hold expressions and scripts.

use roxmltree::Node;

use super::language::{Language, Text};

const BPMN: &str = "http://www.omg.org/spec/BPMN/20100524/MODEL";
const ZEEBE: &str = "http://camunda.org/schema/zeebe/1.0";
const UEL_VENDORS: [&str; 4] = [
    "http://camunda.org/schema/1.0/bpmn",
    "http://www.camunda.com/fox",
    "http://flowable.org/bpmn",
    "http://activiti.org/bpmn",
];

pub fn is_bpmn(root: Node<'_, '_>) -> bool {
    root.tag_name().namespace() == Some(BPMN)
}

pub fn texts<'a>(root: Node<'a, 'a>) -> Vec<Text> {
    let is_zeebe = root.descendants().any(|node| node.tag_name().namespace() == Some(ZEEBE));
    let mut found = Vec::new();
    for node in root.descendants().filter(|node| node.is_element()) {
        let namespace = node.tag_name().namespace().unwrap_or_default();
        let is_known = namespace == BPMN || namespace == ZEEBE || UEL_VENDORS.contains(&namespace);
        if !is_known || is_prose(node) {
            continue;
        }
        collect(node, is_zeebe, &mut found);
    }
    found
}

fn collect<'a>(node: Node<'a, 'a>, is_zeebe: bool, found: &mut Vec<Text>) {
    let content: String =
        node.children().filter(|c| c.is_text()).filter_map(|c| c.text()).collect();
    let content = content.trim();
    if let Some(format) = script_format(node) {
        if !content.is_empty() {
            found.push(script(format, content));
        }
        return;
    }
    let attributes = node.attributes().filter(|attribute| match attribute.name() {
        // Names of flows and tasks are shown; those of messages and signals are evaluated.
        "name" => matches!(node.tag_name().name(), "message" | "signal"),
        "id" | "label" | "description" => false,
        _ => true,
    });
    let values = attributes.map(|attribute| attribute.value().trim());
    for text in values.chain([content]) {
        let language = match text.strip_prefix('=') {
            Some(_) if is_zeebe => Language::Feel,
            _ if text.contains("${") || text.contains("#{") => Language::Uel,
            _ => continue,
        };
        let text = match language {
            Language::Feel => text.trim_start_matches('=').to_owned(),
            _ => text.to_owned(),
        };
        found.push(Text { language, text });
    }
}

/// Scripts of tasks, of listeners and parameters, and conditions in a script language.
fn script_format<'a>(node: Node<'a, 'a>) -> Option<&'a str> {
    match node.tag_name().name() {
        "script" => {
            let own = node.attribute("scriptFormat");
            own.or_else(|| node.parent_element()?.attribute("scriptFormat")).or(Some("juel"))
        }
        "conditionExpression" => {
            let language = node.attribute("language")?;
            let is_word = language.chars().all(char::is_alphanumeric);
            (is_word && !language.is_empty()).then_some(language)
        }
        _ => None,
    }
}

fn script(format: &str, text: &str) -> Text {
    let format = format.to_ascii_lowercase();
    let format = format.rsplit('/').next().unwrap_or_default();
    let language = match format {
        "juel" | "uel" => Language::Uel,
        "feel" => Language::Feel,
        "javascript" | "x-javascript" | "js" | "ecmascript" => {
            Language::Script("javascript".into())
        }
        other => Language::Script(other.to_owned()),
    };
    Text { language, text: text.to_owned() }
}

/// Text for people, and literal text of injected fields.
fn is_prose(node: Node<'_, '_>) -> bool {
    matches!(node.tag_name().name(), "documentation" | "text" | "string" | "textAnnotation")
}
