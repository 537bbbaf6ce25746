//! Tokens to tree, by recursive descent bounded in depth and height.

mod expression;
mod literal;
mod parser;
mod postfix;
mod statement;
mod types;

pub(crate) use parser::{Parsed, parse};
