use orloj_expr::{self as expr, Expression, ParseError};

use crate::options::Mode;
use crate::read::type_names::is_feel;

pub(super) const UNKNOWN: &str = "the expression language is not supported";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Feel,
    /// Camunda 7's other language for decisions.
    Uel,
    /// Nobody reads it, and the file was told so.
    Unknown,
}

impl Language {
    /// By the names and addresses that models give.
    pub fn named(name: &str) -> Option<Self> {
        if is_feel(name) || name.eq_ignore_ascii_case("feel") {
            return Some(Self::Feel);
        }
        ["juel", "uel", "el"].iter().any(|uel| name.eq_ignore_ascii_case(uel)).then_some(Self::Uel)
    }
}

/// Camunda 7 takes a text without the braces for what is inside of them.
pub(super) fn parse_uel(text: &str) -> Result<Expression, ParseError> {
    if text.starts_with("${") || text.starts_with("#{") {
        return Expression::parse(expr::Language::Uel, text);
    }
    Expression::parse(expr::Language::Uel, &format!("${{{text}}}")).map_err(|mut error| {
        error.offset = error.offset.saturating_sub("${".len()).min(text.len());
        error
    })
}

pub(super) fn feel_mode(mode: Mode) -> expr::Mode {
    match mode {
        Mode::Standard => expr::Mode::Standard,
        Mode::Camunda8 | Mode::Camunda7 => expr::Mode::Camunda8,
    }
}
