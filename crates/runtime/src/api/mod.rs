//! What the embeddable handle takes and gives: plain values, no wire types.

mod delegate;
mod error;
mod request;
mod view;

pub use delegate::{Call, Delegate, DelegateResult, Fault};
pub use error::{Error, Missing, ResourceProblem};
pub use request::{
    ActivateJobs, ActivatedJob, Deploy, Deployed, Extend, FailJob, Finished, LongPoll, Resource,
    StartInstance, Started, StreamJobs, ThrowError, Which,
};
pub use view::{
    DefinitionView, ElementView, EventView, Explanation, IncidentView, InstanceDetail,
    InstanceState, InstanceView, JobView, NodeView, Reason, UserTaskView,
};
