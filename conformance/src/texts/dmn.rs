//! Where DMN files hold expressions.

use roxmltree::Node;

use super::language::{Language, Text};

pub fn texts<'a>(root: Node<'a, 'a>) -> Vec<Text> {
    let of_file = root.attribute("expressionLanguage");
    let mut found = Vec::new();
    for holder in root.descendants().filter(|node| node.is_element()) {
        let is_tests = match holder.tag_name().name() {
            "inputEntry" | "inputValues" | "outputValues" | "allowedValues" | "typeConstraint" => {
                true
            }
            "literalExpression" | "inputExpression" | "outputEntry" | "defaultOutputEntry" => false,
            _ => continue,
        };
        let text = holder.children().find(|child| child.tag_name().name() == "text");
        let Some(text) = text.and_then(|text| text.text()).map(str::trim) else { continue };
        if matches!(text, "" | "-") {
            continue;
        }
        let named = holder.attribute("expressionLanguage").or(of_file).unwrap_or("feel");
        let language = match named.to_ascii_lowercase() {
            name if name.contains("feel") && is_tests => Language::DecisionTests,
            name if name.contains("feel") => Language::DecisionFeel,
            name if name.contains("juel") => Language::Uel,
            name => Language::Script(name),
        };
        found.push(Text { language, text: text.to_owned() });
    }
    found
}
