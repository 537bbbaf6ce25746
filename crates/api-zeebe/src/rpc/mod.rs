//! What each call of the protocol does, one file for each family.

mod activate;
mod conditional;
mod create;
mod decision;
mod delete;
mod deploy;
mod event;
mod instance;
mod job;
mod modify;
mod stream;
mod topology;

pub(crate) use activate::activate_jobs;
pub(crate) use conditional::evaluate_conditional;
pub(crate) use create::{create_process_instance, create_process_instance_with_result};
pub(crate) use decision::evaluate_decision;
pub(crate) use delete::delete_resource;
pub(crate) use deploy::{deploy_process, deploy_resource};
pub(crate) use event::{broadcast_signal, publish_message};
pub(crate) use instance::{cancel_process_instance, resolve_incident, set_variables};
pub(crate) use job::{
    complete_job, fail_job, throw_error, update_job_priority, update_job_retries,
    update_job_timeout,
};
pub(crate) use modify::{migrate_process_instance, modify_process_instance};
pub(crate) use stream::stream_activated_jobs;
pub(crate) use topology::topology;
