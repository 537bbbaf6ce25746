//! The contract between the engine and what keeps its state.
//!
//! A store applies groups of changes atomically and durably, hands out locks on jobs, and answers
//! queries. It knows no BPMN: records and history are bytes with a version. Every store passes
//! the one suite in [`suite`], the simulated one of the tests included.

mod asset;
mod batch;
mod broadcast;
mod change;
mod chore;
mod chore_log;
mod claims;
mod decision;
mod delete_definition;
mod error;
pub mod format;
mod job_definition;
mod job_filter;
mod limit;
mod message;
mod meter;
mod migration;
mod node;
mod notice;
mod operation;
mod patience;
mod prune;
mod query;
mod rows;
mod selection;
mod settings;
mod start;
mod statement;
mod store;
mod subscription;
#[cfg(feature = "suite")]
pub mod suite;
mod tenant;

pub use asset::{AssetKey, AssetKind, AssetRow, LatestAssets, NewAsset, assets_of};
pub use batch::{BatchEnd, BatchFilter, BatchRow, BatchUpdate, BatchWrite, EndedBatchRow};
pub use broadcast::{BroadcastKey, BroadcastRow, BroadcastWrite};
pub use change::{
    Change, Group, IncidentNote, InstanceWrite, JobUpdate, JobWrite, LockWrite, RecordPageWrite,
    VariableWrite,
};
pub use chore::{ChoreLock, ChoreUpdate, ChoreWrite, FailureWrite, Held};
pub use chore_log::{ChoreEvent, ChoreLogFilter, ChoreLogRow};
pub use claims::Claims;
pub use decision::{
    DecisionKey, DecisionRow, DecisionVersion, LatestDecisions, NewDecision, NewRequirements,
    Requirements, RequirementsKey, decisions_of,
};
pub use delete_definition::{DefinitionDeleted, DeleteDefinition, Heir};
pub use error::{CommitError, Error};
pub use job_definition::{
    JobDefinitionChange, JobDefinitionFilter, JobDefinitionRow, NewJobDefinition,
    job_definitions_of,
};
pub use job_filter::{JobFilter, JobOrder};
pub use limit::{Exhausted, LimitRow, LimitScope, NewLimit, Permits, Rate};
pub use message::{Channel, Committed, Fit, MessageKey, MessageQuery, MessageRow, MessageTaken};
pub use meter::{MeterQuery, MeterRow, MeterSum};
pub use migration::Migration;
pub use node::{Beat, Claim, Lease, NodeProfile, NodeRow, Pulse};
pub use notice::Notice;
pub use operation::{OperationFilter, OperationRow};
pub use orloj_types::Order;
pub use patience::Patience;
pub use prune::{ALL_MINUTES, BatchKinds, PRUNE_ROWS_MAX, Prune, PruneQuery, Pruned, minute_of};
pub use query::{
    CalledBy, DefinitionFilter, EndedFilter, IncidentFilter, InstanceFilter, PAGE_ROWS_MAX, Page,
    UserTaskFilter,
};
pub use rows::{
    DefinitionRow, EndedRow, FAILURE_CHARS_MAX, FAILURE_DETAILS_BYTES_MAX, HistoryRow, IncidentRow,
    InstanceRow, JobKind, JobRow, JobState, LoadedInstance, NewDefinition, NewDeployment,
    NewResource, RecordPage, RecordPageKind, StoredDeployment, UserTaskRow, VariableRow,
};
pub use selection::{Selection, Traits};
pub use settings::StoredSettings;
pub use start::{NewStart, StartKind, StartQuery, StartRow, starts_of};
pub use statement::{Parameter, STATEMENT_CHARS_MAX, STATEMENT_PARAMETERS_MAX, Statement};
pub use store::{Acquire, ExtendLock, Extended, Fut, Store, Wanted};
pub use subscription::{SubscriptionKind, SubscriptionQuery, SubscriptionRow};
pub use tenant::{MovedDefinition, SetTenant, Taken, TakenKind, TenantSet};
