//! What the embeddable handle takes and gives: plain values, no wire types.

mod bean;
mod delegate;
mod error;
mod message;
mod request;
mod view;

pub use bean::{Bean, BeanCall, BeanResult};
pub use delegate::{Attached, Call, Delegate, DelegateResult, Fault};
pub use error::{Error, Missing, ResourceProblem};
pub use message::{
    Activate, BroadcastSignal, Correlate, Correlated, MigrateInstance, Modify, Move, PublishMessage,
};
pub use request::{
    ActivateJobs, ActivatedJob, ConditionsEvaluated, DecisionFailure, DecisionMade, DecisionStep,
    Deploy, Deployed, EvaluateDecision, EvaluateStartConditions, Extend, FailJob, Finished,
    LongPoll, Purpose, Resource, StartInstance, Started, StreamJobs, ThrowError, Which,
    WhichDecision,
};
pub use view::{
    AssetView, DecisionView, DefinitionView, ElementView, EventView, Explanation, IncidentView,
    InstanceDetail, InstanceState, InstanceView, JobView, NodeView, Reason, UserTaskView,
};
