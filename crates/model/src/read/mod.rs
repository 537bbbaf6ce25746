//! From the XML tree to drafts of processes.
//!
//! Reading is tolerant: what cannot be read becomes a diagnostic and, where other elements may
//! refer to it, a placeholder, so that one problem is reported once and the others too.

mod binding;
mod builtin_task;
mod call_activity;
mod condition;
mod connector;
mod constant;
pub(crate) mod context;
mod data_object;
mod decision_task;
mod definitions;
mod diagram;
pub(crate) mod dialect;
pub(crate) mod draft;
mod element;
mod engine_listener;
mod error_event;
mod escalation;
mod event;
mod exception;
mod expression;
mod extension;
mod field;
mod file;
mod flow;
mod flowable_file;
mod form;
mod jobs;
pub(crate) mod limits;
mod link;
mod listener;
mod mapping;
mod message;
mod multi_instance;
mod parameter;
mod parts;
mod process;
mod process_settings;
mod result_variable;
mod retry_cycle;
mod script;
mod script_task;
mod service_task;
mod signal;
mod subprocess;
mod timer;
mod trigger;
mod user_task;
mod worker;
mod zeebe_extension;
mod zeebe_listener;
mod zeebe_user_task;
mod zeebe_worker;

pub(crate) use definitions::local_name;
pub(crate) use element::is_activity;
pub(crate) use file::read_file;
