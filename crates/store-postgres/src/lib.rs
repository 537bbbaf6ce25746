//! The store that several nodes share: PostgreSQL.
//!
//! Groups are written with set-based statements, all of a group's in one round trip, and carry
//! their own checks: a statement that finds a revision changed or a lane gone divides by zero, and
//! the COMMIT that is already on its way takes everything back.
//!
//! Everything but listening works behind a transaction pooler: statements are typed and unnamed,
//! locks end with their transaction, and what a session would have to remember is either set by
//! the transaction or does without.

mod commit;
mod connection;
mod connector;
mod definitions;
mod error;
mod floor;
mod group;
mod jobs;
mod listener;
mod migrate;
mod nodes;
mod notice;
mod options;
mod pool;
mod queries;
mod read;
mod row_array;
mod sql;
mod store;
mod tls;
mod transaction;

pub use options::Options;
pub use store::PostgresStore;
