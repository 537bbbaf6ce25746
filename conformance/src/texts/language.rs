use std::fmt;

use orloj_expr::{Expression, Mode, Names};

use super::script::ScriptParsers;

/// One text of a file, and how it is meant.
pub struct Text {
    pub language: Language,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// Camunda 8's.
    Feel,
    /// The standard's, in decisions.
    DecisionFeel,
    DecisionTests,
    Uel,
    /// A script, in lower case.
    Script(String),
}

impl Text {
    /// Nothing when there is no parser for the language.
    pub fn parse(&self, scripts: &ScriptParsers) -> Option<Result<(), String>> {
        let text = &self.text;
        let parsed = match &self.language {
            Language::Feel => Expression::parse(orloj_expr::Language::Feel, text).map(drop),
            Language::DecisionFeel => {
                Expression::parse_with(Mode::Standard, text, &Names::new()).map(drop)
            }
            Language::DecisionTests => {
                Expression::parse_unary_tests(Mode::Standard, text, &Names::new()).map(drop)
            }
            Language::Uel => Expression::parse(orloj_expr::Language::Uel, text).map(drop),
            Language::Script(format) => return scripts.parse(format, text),
        };
        Some(parsed.map_err(|error| error.to_string()))
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Feel => f.pad("FEEL"),
            Self::DecisionFeel => f.pad("FEEL in decisions"),
            Self::DecisionTests => f.pad("unary tests"),
            Self::Uel => f.pad("UEL"),
            Self::Script(format) => f.pad(format),
        }
    }
}
