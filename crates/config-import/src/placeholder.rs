//! `${...}` and `#{...}`, which a container or Spring would fill in.

pub enum Placeholder<'t> {
    None,
    /// The whole text is one with a default: `${NAME:default}`.
    Default(&'t str),
    Open,
}

pub fn placeholder(text: &str) -> Placeholder<'_> {
    let text = text.trim();
    if !text.contains("${") && !text.contains("#{") {
        return Placeholder::None;
    }
    let inner = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    match inner.and_then(|inner| inner.split_once(':')) {
        Some((name, default)) if !default.contains(['{', '}']) && !name.contains(['{', '}']) => {
            Placeholder::Default(default)
        }
        _ => Placeholder::Open,
    }
}
