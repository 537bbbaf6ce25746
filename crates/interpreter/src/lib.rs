//! The functional core. A definition, an instance's record, a command and `now` go in; the new
//! record, the rows that follow from it and what happened come out. No clock, no random number,
//! no store, no task: what needs foreign code is yielded as an [`Invoke`] and resumed with its
//! result.

mod agenda;
mod answers;
mod beans;
mod call_mappings;
mod changes;
mod command;
mod commands;
mod compensation;
mod conditions;
mod delegates;
mod element;
mod elements;
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
mod jobs;
mod listeners;
mod mappings;
mod multi_instance;
mod need;
mod outcome;
mod record;
mod retries;
mod run;
mod schedule;
mod scope;
mod scripts;
mod stage;
mod starts;
mod subprocess_scope;
#[cfg(test)]
mod testing;
mod timers;
mod transaction;
mod turn;
mod variables;
mod work;

pub use command::{
    Activation, Command, FailJob, Instruction, Migrate, Place, Rejection, Start, ThrowError,
};
pub use elements::Elements;
pub use flow::VISITS_MAX;
pub use invoke::{Bound, Callee, DecisionCall, Delegates, Invoke, InvokeResult, InvokeResults};
pub use need::{CalledProcess, Need, Supply};
pub use outcome::{
    End, EndKind, Event, IncidentChange, IncidentRow, JobChange, JobRow, LeaveKind, Outcome,
    Signal, SubscriptionChange, SubscriptionRow, UserTaskChange, UserTaskRow,
};
pub use record::{
    Caller, Compensation, ElementInstance, ElementState, ExclusiveQueue, Incident, Job, JobKind,
    JobState, Multi, Record, Repeat, Role, Subscription, SubscriptionKind,
};
pub use run::{Input, Progress, Run};
pub use starts::{StartTrigger, StartWait, next_start, starts};
