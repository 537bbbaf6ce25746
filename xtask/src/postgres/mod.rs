//! Throw-away PostgreSQL for tests, benchmarks and developers.

mod binaries;
mod cluster;
mod foreground;

pub use cluster::{Cluster, Settings};
pub use foreground::run_in_foreground;
