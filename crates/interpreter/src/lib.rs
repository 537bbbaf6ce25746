//! The functional core. A definition, an instance's record, a command and `now` go in; the new
//! record, the rows that follow from it and what happened come out. No clock, no random number,
//! no store, no task: what needs foreign code is yielded as an [`Invoke`] and resumed with its
//! result.

mod agenda;
mod answers;
mod changes;
mod command;
mod commands;
mod element;
mod errors;
mod exclusive;
mod extract;
mod failure;
mod flow;
mod foreign;
mod host;
mod incidents;
mod invoke;
mod jobs;
mod mappings;
mod outcome;
mod record;
mod retries;
mod run;
mod schedule;
#[cfg(test)]
mod testing;
mod timers;
mod turn;
mod variables;

pub use command::{Activation, Command, FailJob, Rejection, Start, ThrowError};
pub use flow::VISITS_MAX;
pub use invoke::{Bound, Callee, DecisionCall, Delegates, Invoke, InvokeResult, InvokeResults};
pub use outcome::{
    End, EndKind, Event, IncidentChange, IncidentRow, JobChange, JobRow, LeaveKind, Outcome,
    UserTaskChange, UserTaskRow,
};
pub use record::{
    ElementInstance, ElementState, ExclusiveQueue, Incident, Job, JobKind, JobState, Record, Repeat,
};
pub use run::{Input, Progress, Run};
