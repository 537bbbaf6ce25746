//! Behaviour told as text, checked at several depths.
//!
//! ```text
//! story "a slow payment is overtaken by its boundary timer"
//!   process order:  start -> pay{service charge} -> end paid
//!                   pay @timer(10m) -> sorry{service mail} -> end late
//!   start order {"total": 90}      | token at pay, job charge waits
//!   9m59s pass                     | nothing
//!   1s passes                      | job charge gone, job mail waits
//!   worker late completes charge   | rejected: job not found
//!   worker anna completes mail     | instance ended at late
//! ```
//! Processes are drawn as in [`crate::sketch`], decisions told as in [`Decision`]. Every other line is a step: what is done, and
//! after the bar what is seen then. A line that begins with a bar goes on with the line above it;
//! `#` begins a comment. [`ast`] lists every action and expectation with its wording, [`order`] what
//! operators do, [`engine`] what an engine can be told at the head of a story.
//!
//! A step that is refused must say so (`rejected: …`), or the story fails. Time stands still
//! unless a step says otherwise, and everything that can happen at a moment has happened before
//! anyone looks.

mod all;
pub mod ast;
mod check;
mod decision;
mod depth;
pub mod engine;
mod expectation;
mod mismatch;
pub mod order;
mod parse;
mod parse_order;
mod postgres;
mod pure;
mod pure_events;
mod pure_migration;
mod pure_orders;
mod runtime;
mod runtime_orders;
mod scripts;
mod seen;
mod tokens;

pub use all::{Can, play_all};
pub use ast::{Behaviour, Story};
pub use check::check;
pub use decision::Decision;
pub use depth::{Depth, Lock, Refusal, Taken};
pub use mismatch::Mismatch;
pub use order::{ElementName, JobOrder, Order};
pub use parse::parse;
pub use postgres::Database;
pub use pure::{BEGINNING, Pure};
pub use runtime::Runtime;
pub use scripts::{Scripts, SharedScripts};
pub use seen::{Seen, SeenIncident, SeenInstance, SeenJob, SeenState, SeenTask, SeenToken};
