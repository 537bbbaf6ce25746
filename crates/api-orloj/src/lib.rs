//! Orloj's own HTTP API under `/api`, for the command line, the console and scripts, and the
//! paths that operators watch: `/health`, `/ready`, `/metrics`.
//!
//! Keys are text, because they exceed what a JSON number can hold exactly. Times are RFC 3339.
//! Every refusal has the one shape of [`failure`], and its status is chosen in [`status`].

mod definitions;
mod extract;
mod failure;
mod guard;
mod incidents;
mod instance_changes;
mod instances;
mod jobs;
mod messages;
mod nodes;
mod page;
mod request_metrics;
mod router;
mod status;
mod user_tasks;
mod watch;
mod wire;

pub use router::{BODY_BYTES_MAX, router};
