//! From what was written to settings: profile, then properties of the compatible systems, then
//! knobs by their own names. All problems are gathered; none is dropped.

mod by_name;
mod knobs;
mod properties;
mod reader;
mod remarks;

pub use reader::{Origin, Read, Reader, read};
