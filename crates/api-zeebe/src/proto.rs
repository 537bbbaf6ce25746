//! What `proto/gateway.proto` becomes in Rust; servers, and clients for tests and load programs.

#![allow(clippy::all, clippy::disallowed_methods, rust_2018_idioms, reason = "generated code")]

tonic::include_proto!("gateway_protocol");
