//! The store that several nodes share: PostgreSQL.
//!
//! A group is one call of a function in the database: one message, one transaction, one answer,
//! with set-based statements that the server has planned before. It checks lane and revisions
//! itself and takes everything back when one is not as expected.
//!
//! Everything but listening works behind a transaction pooler: statements are typed and unnamed,
//! locks end with their transaction, and nothing is left to a session to remember.

mod acquire;
mod assets;
mod at_hand;
mod chore_group;
mod chore_log;
mod commit;
mod connection;
mod connector;
mod decisions;
mod definitions;
mod delete_definition;
mod error;
mod event_group;
mod event_losers;
mod event_queries;
mod floor;
mod group;
mod index;
mod job_queries;
mod jobs;
mod landed;
mod limits;
mod listen_address;
mod listener;
mod migrate;
mod nodes;
mod notice;
mod one_by_one;
mod options;
mod order;
mod page_group;
mod pool;
mod queries;
mod read;
mod records;
mod row_array;
mod settings;
mod sql;
mod statements;
mod store;
mod tenants;
mod tls;
mod transaction;

pub use options::Options;
pub use store::PostgresStore;
