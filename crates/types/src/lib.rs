//! Words every crate shares: keys made by the engine, ids given by authors, time, and values.
//!
//! A type lives here only when a second crate needs it. Nothing here does I/O or reads a clock.

mod document;
mod id;
mod key;
mod order;
mod temporal;
mod temporal_text;
mod time;
mod value;
mod variables;

pub use document::{Document, DocumentError, NAME_CHARS_MAX, NESTING_MAX};
pub use id::{ElementId, EngineName, ProcessId, TenantId};
pub use key::{
    BatchKey, DefinitionKey, DeploymentKey, ElementInstanceKey, IncidentKey, InstanceKey,
    JobDefinitionKey, JobKey, KeyBlock, KeyGenerator, NODE_NUMBER_MAX, NodeNumber, OperationKey,
    SubscriptionKey, UserTaskKey,
};
pub use order::Order;
pub use temporal::{
    Clock, Date, DateTime, NANOS_PER_DAY, NANOS_PER_SECOND, Temporal, Time, YEAR_MAX, Zone,
    days_in_month,
};
pub use time::Timestamp;
pub use value::{Callable, Decimal, Function, Range, RangeForm, StoredValue, Value, ValueTag};
pub use variables::Variables;
