//! The functions of FEEL: the standard's, and Camunda's own.

mod arguments;
mod camunda;
mod contexts;
mod conversions;
mod dates;
mod lists;
mod numbers;
mod ranges;
mod regex;
mod seen;
mod statistics;
mod table;
mod text_form;
mod texts;

pub(super) use regex::Kept as KeptPattern;
pub use table::{Builtin, all};
pub(super) use table::{as_value, first_words, named, of_words};
