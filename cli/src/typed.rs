//! Lines as a person types them, for tests of what becomes of them.

use clap::{Parser, Subcommand};

use crate::call::Request;
use crate::plan::Plan;

#[derive(Parser)]
struct Line<V: Subcommand> {
    #[command(subcommand)]
    verb: V,
}

/// The verb of a line such as `retries 7 3`, of the noun's own.
pub fn verb<V: Subcommand>(line: &str) -> Result<V, clap::Error> {
    Line::try_parse_from(["orloj"].into_iter().chain(line.split(' '))).map(|line| line.verb)
}

/// What a node is asked for.
pub fn requests(plan: Plan) -> Vec<Request> {
    let Plan::Ask(calls) = plan else { panic!("asks a node") };
    calls.calls.into_iter().map(|call| call.request).collect()
}
