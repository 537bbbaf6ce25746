//! What each BPMN element does. One file per element: its doc names the section of BPMN 2.0.2
//! and what the compatible engines do differently, marked DIFFERENCE.

pub(crate) mod ad_hoc;
mod begun;
mod boundary_event;
pub(crate) mod call_activity;
mod catch_event;
mod decision_task;
pub(crate) mod event_gateway;
pub(crate) mod exclusive_gateway;
pub(crate) mod inclusive_gateway;
mod join;
mod parallel_gateway;
mod receive_task;
mod script_task;
pub(crate) mod service_task;
mod start_event;
pub(crate) mod subprocess;
mod throw_event;
pub(crate) mod user_task;

pub(crate) use begun::{Begun, begin, call};
pub(crate) use join::{is_complete, is_through, note_thrown};
