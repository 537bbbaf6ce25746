//! A store in memory for the simulation: the whole contract, nothing of a disk or a network.
//!
//! [`Core`] is synchronous, so that the simulation decides when a call arrives, when its answer
//! does, and whether either is lost. [`SimStore`] puts it behind the contract's futures, which are
//! always ready; the contract suite runs on that.

mod chores;
mod commit;
mod core;
mod definitions;
mod events;
mod jobs;
mod nodes;
mod queries;
mod records;
mod settings;
mod store;
mod tenants;

pub use core::{Core, Kind};
pub use store::SimStore;
