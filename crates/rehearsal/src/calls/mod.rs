//! Code that is not the interpreter's: stubs for applications, and the model's own scripts and
//! decisions, which are run.

mod answer;
mod mail;
mod program;

pub(crate) use answer::Calls;
pub(crate) use program::Programs;
