//! From the graph and variables to values.

mod boxes;
mod conform;
pub(crate) mod evaluator;
pub(crate) mod frame;
pub(crate) mod function;
mod hits;
pub(crate) mod session;
mod size;
mod table;
pub(crate) mod types;
pub(crate) mod world;
