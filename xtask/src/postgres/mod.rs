//! Throw-away PostgreSQL for tests, benchmarks and developers.

mod binaries;
mod cluster;
mod foreground;
mod guard;
mod pooler;
mod ready;
mod user;

pub use cluster::{Cluster, Settings};
pub use foreground::run_in_foreground;
pub use pooler::Pooler;
