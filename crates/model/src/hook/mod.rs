//! Hooks into reading: code or configuration that sees and changes each element of a model before,
//! instead of and after the default handling.

mod parse_hook;
mod pattern;
mod run;
mod source;
mod transform;
mod transform_hook;

pub use parse_hook::{ElementParts, FlowParts, ParseHook, ProcessParts};
pub use source::Source;
pub use transform::{
    AddedListener, AddedListenerEvent, Matching, PriorityValue, Setting, Transform, TransformError,
};
pub use transform_hook::{NotedTransforms, Transforms};

pub(crate) use run::Hooks;
