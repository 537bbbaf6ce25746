//! From files to the graph.

mod boxed;
mod cycles;
pub(crate) mod header;
mod item;
pub(crate) mod link;
pub(crate) mod source;
mod table;
pub(crate) mod type_names;
mod written;
