//! FEEL: the expression language of DMN, in the form of the standard and in that of Camunda 8.
//!
//! Null rules: an unknown name, a missing member and an operation on the wrong types are null with
//! a warning; only `=` and `!=` have an answer for null. Where Camunda's engine and the standard
//! part ways the [`Mode`] decides, and the place says `DIFFERENCE`; rows marked as observed in the
//! tests were taken from a running Zeebe.

mod ast;
pub mod builtins;
mod call;
mod closure;
mod compare;
mod escape;
mod eval;
mod frames;
mod lexer;
mod loops;
mod mode;
mod names;
mod parser;
mod plain;
mod print;
mod session;
mod temporal;
mod types;
mod unary;
mod unknown;
mod zone;

pub(crate) use ast::Program;
pub use closure::{NativeFunction, coerce, native};
pub(crate) use eval::{evaluate, evaluate_tests};
pub use mode::Mode;
pub use names::Names;
pub use parser::parse_type;
pub(crate) use parser::{parse, parse_unary_tests};
pub(crate) use print::{literal, print};
pub use session::Session;
pub use types::{Type, Types};
pub(crate) use unknown::unknown_names;
