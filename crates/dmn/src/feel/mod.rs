//! Expressions of models: the one place that knows how `orloj-expr` is called.

mod formula;
mod language;
mod names;
mod place;
mod tests;

pub(crate) use formula::Formula;
pub(crate) use language::{FlowableRules, Language};
pub(crate) use names::{NAMES_MAX, Names, is_plain};
pub(crate) use orloj_expr::Session as Feel;
pub(crate) use place::advanced;
pub(crate) use tests::Tests;
