//! Parsers of script languages, by the format that a model names.

use std::collections::BTreeMap;

type Parse = fn(&str) -> Result<(), String>;

/// A format without an entry is counted and not judged.
pub struct ScriptParsers {
    by_format: BTreeMap<&'static str, Parse>,
}

impl Default for ScriptParsers {
    fn default() -> Self {
        Self { by_format: BTreeMap::from([("groovy", groovy as Parse)]) }
    }
}

impl ScriptParsers {
    pub fn parse(&self, format: &str, text: &str) -> Option<Result<(), String>> {
        self.by_format.get(format).map(|parse| parse(text))
    }
}

fn groovy(text: &str) -> Result<(), String> {
    orloj_groovy::Script::parse(text).map(drop).map_err(|refused| refused.to_string())
}
