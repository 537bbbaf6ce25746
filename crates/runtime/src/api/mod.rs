//! What the embeddable handle takes and gives: plain values, no wire types.

mod delegate;
mod error;
mod message;
mod request;
mod view;

pub use delegate::{Call, Delegate, DelegateResult, Fault};
pub use error::{Error, Missing, ResourceProblem};
pub use message::{
    Activate, BroadcastSignal, Correlate, Correlated, MigrateInstance, Modify, PublishMessage,
};
pub use request::{
    ActivateJobs, ActivatedJob, DecisionFailure, DecisionMade, DecisionStep, Deploy, Deployed,
    EvaluateDecision, Extend, FailJob, Finished, LongPoll, Resource, StartInstance, Started,
    StreamJobs, ThrowError, Which, WhichDecision,
};
pub use view::{
    DecisionView, DefinitionView, ElementView, EventView, Explanation, IncidentView,
    InstanceDetail, InstanceState, InstanceView, JobView, NodeView, Reason, UserTaskView,
};
