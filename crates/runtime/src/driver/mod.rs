//! The driver of production: one thread owns the node and performs what it asks for.
//!
//! The thread sleeps until something happens or the node wants to be woken. It takes everything
//! that has happened in one go, so that work gathers into groups by itself when there is much.
//!
//! The thread has a tokio runtime of its own, so that it reads and writes the committers' sockets
//! itself: a lane would else wait for two more threads to be woken between any two groups. Foreign
//! code belongs to the application's runtime ([`calls`]).

#![expect(clippy::disallowed_methods, reason = "tasks and pauses live in drivers")]

mod calls;
mod chores;
mod input;
mod look_up;
pub(crate) mod metering;
mod perform;
mod thread;

pub(crate) use calls::Pace;
pub(crate) use chores::{Chore, run as run_chores};
pub(crate) use input::{Answer, Input};
pub(crate) use thread::Driver;
