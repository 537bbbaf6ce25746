//! Orloj: durable BPMN processes and jobs inside an application.

pub mod api;
mod builder;
pub mod calls;
mod clock;
mod codec;
mod decision_file;
mod decisions;
mod definition;
mod definitions;
mod deploy;
mod driver;
mod evaluate;
mod events;
mod explain;
mod handle;
mod metrics;
pub mod node;
mod reads;

pub use api::*;
pub use builder::{Builder, StoreChoice};
#[doc(hidden)]
pub use codec::{decode as decode_record, encode as encode_record, large_variables};
pub use definition::Definition;
pub use handle::{JobStream, Orloj};
pub use metrics::Metrics;
pub use orloj_dmn::{LogicKind, TableRecord};
pub use orloj_interpreter::{JobState as RejectedJobState, Rejection};
pub use orloj_model::{Diagnostic, Dialect, Position, Severity};
pub use orloj_script as script;
pub use orloj_store as store;
pub use orloj_store::{
    IncidentFilter, JobFilter, JobKind, JobState, PAGE_ROWS_MAX, Page, UserTaskFilter,
};
pub use orloj_types as types;
