//! FEEL as Camunda 8 evaluates it.
//!
//! Null rules: an unknown name, a missing member and an operation on the wrong types are null with
//! a warning; only `=` and `!=` have an answer for null. Where Camunda's engine and the DMN
//! standard part ways this follows Camunda and says so; rows marked as observed in the tests were
//! taken from a running Zeebe.

mod ast;
mod compare;
mod eval;
mod lexer;
mod parser;
mod print;

pub(crate) use ast::Program;
pub(crate) use eval::evaluate;
pub(crate) use parser::parse;
pub(crate) use print::{literal, print};
