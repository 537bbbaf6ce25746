//! From untrusted bytes to a tree that is safe to read, with places for messages.
//!
//! The order matters: [`gate::check_size`], [`decode`], [`gate::check`], [`build_tree`]. Each step
//! is linear in the size of the file and none panics; skipping the gate makes the tree builder
//! quadratic for files made to hurt.

mod decode;
pub mod gate;
mod places;
mod position;
mod problems;
mod quoted;
mod refusal;
mod tree;

pub use decode::decode;
pub use gate::{ATTRIBUTES_MAX, DEPTH_MAX, ELEMENTS_MAX, INPUT_BYTES_MAX, NAMESPACES_MAX};
pub use places::Places;
pub use position::Position;
pub use problems::{DIAGNOSTICS_MAX, MESSAGE_CHARS_MAX, Problem, Problems, Severity};
pub use quoted::{QUOTED_CHARS_MAX, quoted};
pub use refusal::Refusal;
pub use tree::build_tree;
