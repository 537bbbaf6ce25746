//! The Zeebe-compatible gateway: wire types and translation, no rules of processes.
//!
//! A call comes in at `gateway`, is read and checked by a file of `rpc`, goes to the engine's
//! handle, and its answer is written by `wire`. Where a gRPC status is chosen: `status`, and only
//! there.

mod delivery;
mod gateway;
mod health;
mod metrics;
mod options;
pub mod proto;
mod router;
mod rpc;
mod server;
mod status;
mod wire;

pub use options::{MESSAGE_BYTES_MAX, Options};
pub use router::router;
pub use server::{Error, serve};
