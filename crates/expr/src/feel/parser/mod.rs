//! Text to tree. `grammar` has the operators and the ways in, its siblings what stands between.

mod calls;
mod grammar;
mod names;
mod types;
mod unary;
mod values;

pub(super) use grammar::is_reserved;
pub use grammar::parse_type;
pub(crate) use grammar::{parse, parse_unary_tests};
