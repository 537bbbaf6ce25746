//! Parsers of script languages, by the format that a model names.

use std::collections::BTreeMap;

type Parse = fn(&str) -> Result<(), String>;

/// A format without an entry is counted and not judged.
pub struct ScriptParsers {
    by_format: BTreeMap<&'static str, Parse>,
}

impl Default for ScriptParsers {
    fn default() -> Self {
        let known = [("groovy", groovy as Parse), ("javascript", javascript as Parse)];
        Self { by_format: BTreeMap::from(known) }
    }
}

impl ScriptParsers {
    pub fn parse(&self, format: &str, text: &str) -> Option<Result<(), String>> {
        self.by_format.get(format).map(|parse| parse(text))
    }
}

/// A UEL expression in the place of a script gives the script when the task runs, and was parsed to
/// find that out.
fn groovy(text: &str) -> Result<(), String> {
    if orloj_script::Script::is_source_expression(text) {
        return Ok(());
    }
    orloj_groovy::Script::parse(text).map(drop).map_err(|refused| refused.to_string())
}

/// Compiled by the engine of the children.
fn javascript(text: &str) -> Result<(), String> {
    if orloj_script::Script::is_source_expression(text) {
        return Ok(());
    }
    orloj_script::host::check(text).map_err(|refused| refused.to_string())
}
