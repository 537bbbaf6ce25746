//! Running the tree of a script.

mod call;
mod collections;
mod compare;
mod convert;
mod expression;
mod machine;
mod operators;
mod statement;
mod text;
mod variables;

pub(crate) use call::capitalised;
pub(crate) use convert::to_number;
pub(crate) use machine::{Machine, Thrown, id_of};
pub(crate) use operators::{MS_PER_DAY, is_collection, same, to_dec, to_f64, to_i128};
pub(crate) use variables::Pending;
