//! What each BPMN element does. One file per element: its doc names the section of BPMN 2.0.2
//! and what the compatible engines do differently, marked DIFFERENCE.

mod begun;
mod decision_task;
mod error_boundary;
pub(crate) mod exclusive_gateway;
mod none_end;
mod none_start;
mod parallel_gateway;
mod script_task;
mod service_task;
mod timer_boundary;
mod timer_catch;
mod user_task;

pub(crate) use begun::{Begun, begin, call};
