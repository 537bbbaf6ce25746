//! The functional core. A definition, an instance's record, a command and `now` go in; the new
//! record, the rows that follow from it and what happened come out. No clock, no random number,
//! no store, no task: what needs foreign code is yielded as an [`Invoke`] and resumed with its
//! result.

mod command;
mod outcome;
mod record;
mod run;

pub use command::{Activation, Command, FailJob, Rejection, Start, ThrowError};
pub use outcome::{
    End, EndKind, Event, IncidentChange, IncidentRow, JobChange, JobRow, LeaveKind, Outcome,
    UserTaskChange, UserTaskRow,
};
pub use record::{
    ElementInstance, ElementState, ExclusiveQueue, Incident, Job, JobKind, JobState, Record,
    Repeat, Variables,
};
pub use run::{Delegates, Input, Invoke, InvokeResult, InvokeResults, Progress};
