//! Configuration: defaults, then the file, then the environment, then flags; the later wins.
//!
//! Every error names the place the value came from, as the person wrote it: line and key of a file,
//! the environment variable or the flag.

mod address;
mod check;
mod data_dir;
mod error;
mod keys;
mod lines;
mod settings;
mod sources;
mod store_url;

pub use address::Address;
pub use check::{Config, HEARTBEAT_TIMEOUT_MS_MAX, HEARTBEAT_TIMEOUT_MS_MIN, THREADS_MAX};
pub use error::Error;
pub use keys::{CONFIG_FILE_DEFAULT, ENVIRONMENT_PREFIX, KEYS, Key};
pub use sources::{Flags, for_dev, for_serve, transforms_of};
pub use store_url::StoreUrl;
