//! Values of attributes, and of elements that hold nothing but text.

use crate::read::context::Node;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Simple {
    /// Anything.
    Text,
    Boolean,
    Integer,
    Double,
    /// A name that is unique in the file.
    Id,
    /// Such a name.
    IdRef,
    /// A name whose prefix is declared.
    QName,
    /// An address, or one of the standard's words.
    Uri,
    OneOf(&'static [&'static str]),
}

/// What stands where an address could.
const WORDS: &[&str] = &["##unspecified", "##WebService", "##Compensate", "##Image", "##Store"];

impl Simple {
    pub fn named(name: &str) -> Self {
        match name {
            "boolean" => Self::Boolean,
            "integer" | "int" => Self::Integer,
            "double" => Self::Double,
            "ID" => Self::Id,
            "IDREF" => Self::IdRef,
            "QName" => Self::QName,
            "anyURI" | "tImplementation" | "tTransactionMethod" => Self::Uri,
            _ => Self::Text,
        }
    }

    /// What is wrong with a value, as the end of a sentence.
    pub fn problem(self, value: &str, node: Node<'_>) -> Option<String> {
        let value = value.trim_matches([' ', '\t', '\n', '\r']);
        let is_fine = match self {
            Self::Text => true,
            Self::Boolean => matches!(value, "true" | "false" | "1" | "0"),
            Self::Integer => is_integer(value),
            Self::Double => is_double(value),
            Self::Id | Self::IdRef => is_name(value),
            Self::QName => return qname_problem(value, node),
            Self::OneOf(values) => values.contains(&value),
            // Hardly anything is none; only one fragment can follow.
            Self::Uri => WORDS.contains(&value) || value.matches('#').count() < 2,
        };
        (!is_fine).then(|| match self {
            Self::OneOf(values) => format!("is none of {}", values.join(", ")),
            Self::Boolean => "is neither true nor false".to_owned(),
            Self::Integer => "is no whole number".to_owned(),
            Self::Double => "is no number".to_owned(),
            Self::Uri => "is no URI".to_owned(),
            _ => "is no XML name".to_owned(),
        })
    }
}

fn qname_problem(value: &str, node: Node<'_>) -> Option<String> {
    match value.split_once(':') {
        None => (!is_name(value)).then(|| "is no XML name".to_owned()),
        Some((prefix, name)) if !is_name(prefix) || !is_name(name) => {
            Some("is no XML name".to_owned())
        }
        Some(("xml", _)) => None,
        Some((prefix, _)) => node
            .lookup_namespace_uri(Some(prefix))
            .is_none()
            .then(|| "has a prefix that is not declared".to_owned()),
    }
}

fn is_integer(value: &str) -> bool {
    let digits = value.strip_prefix(['+', '-']).unwrap_or(value);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_double(value: &str) -> bool {
    let is_word = matches!(value, "INF" | "-INF" | "NaN");
    let is_plain =
        value.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
    is_word || (is_plain && value.parse::<f64>().is_ok())
}

/// A name without colon.
pub(crate) fn is_name(value: &str) -> bool {
    let mut chars = value.chars();
    chars.next().is_some_and(starts_name) && chars.all(continues_name)
}

/// `NameStartChar` of XML 1.0 without the colon.
fn starts_name(c: char) -> bool {
    matches!(c,
        'A'..='Z' | '_' | 'a'..='z'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}'
        | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

fn continues_name(c: char) -> bool {
    starts_name(c)
        || matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_each_type() {
        let tree = roxmltree::Document::parse(r#"<a xmlns:b="c"/>"#).expect("well formed");
        let root = tree.root_element();
        let is_fine = |of: Simple, value: &str| of.problem(value, root).is_none();
        assert!(is_fine(Simple::Boolean, " 1 ") && !is_fine(Simple::Boolean, "TRUE"));
        assert!(is_fine(Simple::Integer, "-3") && !is_fine(Simple::Integer, ""));
        assert!(is_fine(Simple::Double, "1.5e3") && !is_fine(Simple::Double, "inf"));
        assert!(is_fine(Simple::Id, "_a-1.ä") && !is_fine(Simple::Id, "1a"));
        assert!(is_fine(Simple::QName, "b:x") && is_fine(Simple::QName, "x"));
        assert!(is_fine(Simple::Uri, "a b#c") && is_fine(Simple::Uri, "##WebService"));
        assert!(!is_fine(Simple::Uri, "##nonsense"));
        assert!(!is_fine(Simple::QName, "d:x") && !is_fine(Simple::QName, "a b"));
    }
}
