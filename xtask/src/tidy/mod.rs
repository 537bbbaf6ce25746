//! Tests of the tree itself: what the compiler and clippy do not see.
//!
//! Each rule is a function from the tree to findings and knows nothing of the others. A mistake
//! made twice becomes a rule here.

mod arrows;
mod dialects;
mod findings;
mod knobs;
mod leftovers;
mod length;
mod links;
mod lock;
mod machine;
mod migrations;
mod pins;
mod programs;
mod run;
mod tree;

pub use run::run;
