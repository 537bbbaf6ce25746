//! For tests only.
//!
//! - [`sim_store`]: a store in memory that keeps the contract,
//! - [`sketch`]: a process in a line or two instead of a page of XML,
//! - [`sim`]: several nodes, their store, clients and workers in one thread under one seed,
//! - [`story`]: behaviour told as text and checked at several depths.

pub mod duration;
pub mod script_host;
pub mod sim;
pub mod sim_store;
pub mod sketch;
pub mod story;
mod text;
