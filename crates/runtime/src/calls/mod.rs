//! Code that is not the interpreter's: what it calls, and how that is answered.

mod callees;
mod decision;
mod delegate;
mod program;
mod resource;

pub(crate) use callees::Callees;
pub use decision::answer as answer_decision;
pub(crate) use delegate::Registry;
pub use program::Programs;
