use std::borrow::Cow;

use orloj_expr::{self as expr, Expression, Host, ParseError, Profile};

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

/// Camunda 7 and Flowable take a text without the braces for what is inside of them.
pub(super) fn parse_uel(text: &str) -> Result<Expression, ParseError> {
    parse_behind("${", text)
}

/// What Flowable's cells may begin with to be compared with otherwise than by equality.
const COMPARISONS: [&str; 6] = ["==", "!=", "<", ">", ">=", "<="];

/// A cell of Flowable: what its input, known as `input`, is compared with or asked. Numbers and
/// dates have no methods there, and `.5` is one of them.
pub(super) fn parse_cell(
    text: &str,
    input: &str,
    has_methods: bool,
) -> Result<Expression, ParseError> {
    let compares = text.len() > 1 && COMPARISONS.iter().any(|sign| text.starts_with(sign));
    let before = if compares {
        format!("${{{input} ")
    } else if has_methods && text.starts_with('.') {
        format!("${{{input}")
    } else {
        format!("${{{input} == ")
    };
    parse_behind(&before, text)
}

fn parse_behind(before: &str, text: &str) -> Result<Expression, ParseError> {
    if text.starts_with("${") || text.starts_with("#{") {
        return Expression::parse(expr::Language::Uel, text);
    }
    Expression::parse(expr::Language::Uel, &format!("{before}{text}}}")).map_err(|mut error| {
        error.offset = error.offset.saturating_sub(before.len()).min(text.len());
        error
    })
}

/// Functions of dates by the names that Flowable's older models have for them.
const OLD_NAMES: [(&str, &str); 4] = [
    ("fn_date(", "date:toDate("),
    ("fn_addDate(", "date:addDate("),
    ("fn_subtractDate(", "date:subtractDate("),
    ("fn_now(", "date:now("),
];

pub(super) fn with_prefixes(text: &str) -> Cow<'_, str> {
    if !text.contains("fn_") {
        return text.into();
    }
    let renamed = |text: String, (old, new): &(&str, &str)| text.replace(old, new);
    OLD_NAMES.iter().fold(text.to_owned(), renamed).into()
}

pub(super) fn feel_mode(mode: Mode) -> expr::Mode {
    match mode {
        Mode::Standard => expr::Mode::Standard,
        Mode::Camunda8 | Mode::Camunda7 | Mode::Flowable => expr::Mode::Camunda8,
    }
}

/// UEL as Flowable has it, which in decisions knows nothing but the variables.
pub(crate) struct FlowableRules;

impl Host for FlowableRules {
    fn profile(&self) -> Profile {
        Profile::Flowable
    }
}
