//! Between the protocol's values and the engine's.

mod deployment;
mod document;
mod job;
mod job_result;
mod names;
mod tags;
mod tenant;
mod too_large;
mod wait;

pub(crate) use deployment::deployment_problems;
pub(crate) use document::{read_variables, variables_named};
pub(crate) use job::{encoded_len_of, job_message, lock_of};
pub(crate) use job_result::read_result;
pub(crate) use names::{
    ERROR_MESSAGE_CHARS_MAX, cut, names, read_business_id, read_job_type, read_worker,
};
pub(crate) use tags::check_tags;
pub(crate) use tenant::{check_tenants, read_tenant, tenant_shown};
pub(crate) use too_large::TooLargeService;
pub(crate) use wait::{client_deadline, long_poll};
