//! UEL as JUEL evaluates it in Camunda 7 and Flowable.
//!
//! Null rules: null counts as zero, false and empty text; members of null are null; null equals
//! null only, and has no order. An unknown variable is an error, and so are operands that cannot
//! be coerced. Rows marked as observed in the tests were taken from running engines. Where the two
//! engines differ this follows Camunda 7, and says so.

mod ast;
mod coerce;
mod eval;
mod lexer;
mod operators;
mod parser;
mod print;

pub(crate) use ast::Program;
pub(crate) use eval::evaluate;
pub(crate) use parser::{Parsed, parse};
pub(crate) use print::{literal_text, print};
