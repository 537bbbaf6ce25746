//! The functional core. A definition, an instance's record, a command and `now` go in; the new
//! record, the rows that follow from it and what happened come out. No clock, no random number,
//! no store, no task: what needs foreign code is yielded as an [`Invoke`] and resumed with its
//! result.

mod afterwards;
mod agenda;
mod answers;
mod assets;
mod beans;
mod beside_work;
mod built;
mod call_mappings;
mod changes;
mod command;
mod commands;
mod compensation;
mod conditions;
mod delegates;
mod edits;
mod element;
mod elements;
mod ending;
mod engine_events;
mod errors;
mod events;
mod exceptions;
mod exclusive;
mod extract;
mod failure;
mod farewell;
mod flow;
mod foreign;
mod gathered;
mod host;
mod incidents;
mod instance;
mod invoke;
mod job_definitions;
mod job_result;
mod jobs;
mod listeners;
mod mappings;
mod multi_instance;
mod need;
mod outcome;
mod pages;
mod record;
mod retries;
mod retry_policy;
mod run;
mod schedule;
mod scope;
mod scopes;
mod scripts;
mod settings;
mod stage;
mod start_jobs;
mod starts;
mod subprocess_scope;
#[cfg(test)]
mod testing;
mod timers;
mod transaction;
mod turn;
mod unregistered;
mod variable_changes;
mod variable_listeners;
mod variables;
mod visits;
mod work;

pub use changes::topic_of;
pub use command::{
    Activation, Command, FailJob, Instruction, JobOrder, Migrate, MoveFrom, MoveInside, NewTimer,
    OpenIncident, Place, Rejection, Start, ThrowError,
};
pub use edits::{VariableEdit, VariablePlace};
pub use elements::{Elements, PAGE_ELEMENTS_MAX};
pub use exclusive::{ExclusiveQueue, Standing, Stranger};
pub use flow::VISITS_MAX;
pub use invoke::{
    Bound, Callee, DecisionCall, Delegates, Invoke, InvokeResult, InvokeResults, InvokeScopes,
};
pub use job_definitions::job_definition;
pub use job_result::{AdHocResult, Corrections, JobResult, UserTaskResult};
pub use need::{AssetKind, CalledProcess, Need, Supply, WantedAsset};
pub use orloj_expr::FactChange;
pub use outcome::{
    End, EndKind, Event, Failed, IncidentChange, IncidentEnd, IncidentRow, JobChange, JobEdit,
    JobFailure, JobRow, JobSketch, LeaveKind, Outcome, Overtaking, Signal, SubscriptionChange,
    SubscriptionRow, TaskEnd, UserTaskChange, UserTaskRow,
};
pub use pages::{Changed, Page};
pub use record::{
    After, Caller, Compensation, ElementInstance, ElementState, Headers, Incident, Job, JobKind,
    JobState, Multi, Record, Repeat, Role, Subscription, SubscriptionKind, Task, TaskProperties,
};
pub use retry_policy::{FailedTry, GrowingWait, Retry, RetryPolicy};
pub use run::{CallName, Input, Progress, Run};
pub use scopes::Scopes;
pub use settings::{DefinitionSettings, JobOverride, JobSettings};
pub use start_jobs::{StartJob, start_incident, start_job, start_retry};
pub use starts::{
    StartCondition, StartTrigger, StartWait, given_start, given_start_is_over, next_given_start,
    next_start, start_conditions, start_is_over, starts,
};
pub use unregistered::job_variables;
pub use variable_changes::{VariableChange, ended_scopes, variable_changes};
