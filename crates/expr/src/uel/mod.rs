//! UEL as JUEL evaluates it in Camunda 7 and Flowable.
//!
//! Null rules: null counts as zero, false and empty text; members of null are null; null equals
//! null only, and has no order. An unknown variable is an error, and so are operands that cannot
//! be coerced. Rows marked as observed in the tests were taken from running engines. Where the two
//! engines differ the [`Profile`] of the host decides; without one it is Camunda's.
//!
//! Methods can be called on a closed list of receivers only. What would change something outside
//! comes back as an [`Effect`].

mod ast;
mod call;
mod coerce;
mod eval;
mod functions;
mod holder;
mod host;
mod item;
mod lexer;
mod members;
mod methods;
mod moment;
mod operators;
mod parser;
mod print;

pub(crate) use ast::Program;
pub(crate) use eval::evaluate;
pub use host::{Argument, Beans, Effect, FactChange, Holder, Host, Place, Profile};
pub(crate) use moment::java_text;
pub(crate) use parser::{Parsed, parse};
pub(crate) use print::{literal_text, print};
