//! From the XML tree to drafts of processes.
//!
//! Reading is tolerant: what cannot be read becomes a diagnostic and, where other elements may
//! refer to it, a placeholder, so that one problem is reported once and the others too.

pub(crate) mod context;
mod decision_task;
pub(crate) mod dialect;
pub(crate) mod draft;
mod element;
mod error_event;
mod event;
mod expression;
mod extension;
mod file;
mod flow;
mod jobs;
pub(crate) mod limits;
mod mapping;
mod parts;
mod process;
mod result_variable;
mod retry_cycle;
mod script_task;
mod service_task;
mod timer;
mod user_task;
mod worker;

pub(crate) use file::read_file;
