//! The contract between the engine and what keeps its state.
//!
//! A store applies groups of changes atomically and durably, hands out locks on jobs, and answers
//! queries. It knows no BPMN: records and history are bytes with a version. Every store passes
//! the one suite in [`suite`], the simulated one of the tests included.

mod broadcast;
mod change;
mod claims;
mod decision;
mod error;
pub mod format;
mod message;
mod node;
mod notice;
mod patience;
mod query;
mod rows;
mod start;
mod store;
mod subscription;
#[cfg(feature = "suite")]
pub mod suite;

pub use broadcast::{BroadcastKey, BroadcastRow, BroadcastWrite};
pub use change::{Change, Group, InstanceWrite, JobUpdate, JobWrite, LockWrite, VariableWrite};
pub use claims::Claims;
pub use decision::{
    DecisionKey, DecisionRow, DecisionVersion, LatestDecisions, NewDecision, NewRequirements,
    Requirements, RequirementsKey, decisions_of,
};
pub use error::{CommitError, Error};
pub use message::{Channel, Committed, Fit, MessageKey, MessageQuery, MessageRow, MessageTaken};
pub use node::{Beat, Claim, Lease, NodeRow, Pulse};
pub use notice::Notice;
pub use patience::Patience;
pub use query::{
    CalledBy, EndedFilter, IncidentFilter, InstanceFilter, JobFilter, PAGE_ROWS_MAX, Page,
    UserTaskFilter,
};
pub use rows::{
    DefinitionRow, EndedRow, HistoryRow, IncidentRow, InstanceRow, JobKind, JobRow, JobState,
    LoadedInstance, NewDefinition, NewDeployment, NewResource, StoredDeployment, UserTaskRow,
    VariableRow,
};
pub use start::{
    NewStart, StartFit, StartHold, StartKind, StartQuery, StartRepeat, StartRow, StartWrite,
    starts_of,
};
pub use store::{Acquire, ExtendLock, Extended, Fut, Store, Wanted};
pub use subscription::{SubscriptionKind, SubscriptionQuery, SubscriptionRow};
