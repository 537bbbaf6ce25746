//! A node: the engine behind its listeners, put together from a configuration, until a signal
//! ends it. No rules of processes live here.

pub mod config;
mod direct;
mod http;
mod huge_pages;
mod node;
mod run;
mod signals;
mod telemetry;

pub use config::{Config, Flags};
pub use direct::{Answer, Direct};
pub use huge_pages::forgo as forgo_huge_pages;
pub use node::{Addresses, Node};
pub use orloj;
pub use orloj_api_orloj::{BODY_BYTES_MAX, DEPLOYMENT_BYTES_MAX};
pub use run::run;
pub use signals::Stop;
