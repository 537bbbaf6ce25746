//! What each command does first; what follows from it is on the agenda. One file per command.

mod ask_conditions;
mod cancel;
mod complete_job;
mod complete_user_task;
mod dispatch;
mod execute_job;
mod fail_job;
mod incident_by_hand;
mod job_due;
mod manage_job;
mod migrate;
mod modify;
mod overtake;
mod resolve_incident;
mod run_job;
mod set_variables;
mod start;
mod suspend;
mod throw_error;
mod trigger;
mod update_retries;
mod worker_job;

pub(crate) use complete_job::take_over;
pub(crate) use dispatch::begin;
pub(crate) use migrate::resubscribe;
pub(crate) use modify::{follow, open_scopes};
pub(crate) use start::{Draft, first_record};
pub(crate) use throw_error::wait_with_incident;
pub(crate) use trigger::hear;
pub(crate) use worker_job::task_of;
