//! Code that stands in models, between the interpreter that asks for it and whatever runs it:
//! what a program may know and how its effects become an answer, and how the result of a decision
//! is put into variables; and what files that elements refer to are called. Without I/O; who runs a program, and where, is the caller's business.

mod asset_file;
mod decision;
mod program;

pub use asset_file::AssetFile;
pub use decision::{
    DecisionEffort, answer as answer_decision, answer_with_effort as answer_decision_with_effort,
};
pub use program::{ProgramCall, answer as answer_program, language_of};
