//! Stories: processes drawn in a few lines, commands played on them, what happened as text.

mod properties;
mod show;
mod sketch;
mod story;

pub(crate) use sketch::{
    Sketch, and, catch, delegate, end, on_error, on_timer, start, user, worker, xor,
};
pub(crate) use story::{Registered, Story, document};
