//! One program for all of these, so that the parts they share are linked once.

mod api;
mod face;
mod instance_changes;
mod manage;
mod manage_jobs;
