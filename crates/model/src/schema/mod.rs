//! The structure that the BPMN standard prescribes: which elements and attributes may stand
//! where. All three systems check files against it before they look at anything else.

mod check;
mod content;
mod simple;
mod table;

pub(crate) use check::check;
