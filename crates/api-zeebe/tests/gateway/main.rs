//! The gateway over a real socket, with a real engine in memory and a client made from the same
//! protocol file.

#![expect(clippy::disallowed_methods, reason = "tests of real processes")]
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests as well")]
#![expect(deprecated, reason = "old clients still make the old calls")]

mod activating;
mod assets;
mod conditions;
mod creating;
mod deciding;
mod deploying;
mod errors;
mod failing;
mod instances;
mod listening;
mod messages;
mod modifying;
mod results;
mod streaming;
mod transport;
mod world;
