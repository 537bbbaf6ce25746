//! What must hold for any input: one module per language, each with a `check` that panics when it
//! does not and tells whether the input was accepted, and texts to start from.
//!
//! The targets of `cargo fuzz` and the `soak` program call the same checks.

#![forbid(unsafe_code)]

pub mod bpmn;
pub mod dmn;
pub mod feel;
pub mod groovy;
pub mod hostile;
pub mod mutation;
pub mod process;
pub mod random;
pub mod target;
pub mod timer;
pub mod uel;
mod walk;
mod world;
