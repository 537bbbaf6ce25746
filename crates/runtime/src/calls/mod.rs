//! Code that is not the interpreter's: what it calls, and how that is answered.

mod callees;
mod decision;
mod delegate;
mod program;
mod registry;
mod resource;

pub(crate) use callees::{Called, Callees};
pub use decision::answer as answer_decision;
pub(crate) use decision::count as count_decision;
pub use program::Programs;
pub(crate) use registry::Registry;
