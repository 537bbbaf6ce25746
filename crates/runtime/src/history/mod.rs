//! History: what is kept of running and ended instances, for how long, and how it is read.
//!
//! A command's events are appended to the instance's own row and move to rows of history in
//! stretches (docs/adr/0004). So everything here that asks for one instance reads its stretches and
//! nothing else, and history cannot disagree with the state it was written with.

mod activities;
mod chore_log;
pub mod cleanup;
mod handle;
mod incidents;
mod instances;
mod job_log;
mod level;
mod noting;
pub mod operations;
mod reading;
mod removal;
mod tasks;
mod variables;
mod whereabouts;

pub use activities::ActivityView;
pub(crate) use chore_log::is_chore_logged;
pub use handle::{ElementHeat, Found, Heat, History, RECENT_INSTANCES_MAX};
pub use incidents::{IncidentHistory, IncidentState};
pub use instances::{HistoryFilter, Listed};
pub use job_log::{JobLogEntry, JobLogFilter, JobLogState};
pub(crate) use level::{ended, level_of};
pub use noting::VALUE_BYTES_MAX;
pub(crate) use noting::{Deed, note};
pub use reading::{SPAN_ROWS_MAX, Span};
pub use removal::{NOT_KEPT, batch_removal_at, days_kept, is_ttl_missing, removal_at};
pub use tasks::{TaskHistory, TaskState};
pub use variables::{KeptValue, VariableUpdate, VariableView};
