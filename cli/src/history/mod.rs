//! `orloj history`: what has happened.

mod clean_up;
mod rows;
mod verbs;

pub use verbs::{Verb, plan};
