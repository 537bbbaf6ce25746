//! Orloj's own HTTP API under `/api`, for the command line, the console and scripts, and the
//! paths that operators watch: `/health`, `/ready`, `/metrics`.
//!
//! Keys are text, because they exceed what a JSON number can hold exactly. Times are RFC 3339.
//! Every refusal has the one shape of [`failure`], and its status is chosen in [`status`].

mod batch_create;
mod batches;
mod bulk;
mod definitions;
mod deployment_listing;
mod deployments;
mod executor;
mod extract;
mod failure;
mod filtered;
mod guard;
mod history;
mod history_rows;
mod incidents;
mod instance_changes;
mod instance_commands;
mod instances;
mod job_commands;
mod job_definitions;
mod job_filter;
mod job_words;
mod jobs;
mod limits;
mod messages;
mod meters;
mod nodes;
mod page;
mod request_metrics;
mod router;
mod status;
mod suspension;
mod user_tasks;
mod watch;
mod who;
mod wire;

pub use router::{BODY_BYTES_MAX, DEPLOYMENT_BYTES_MAX, router};
