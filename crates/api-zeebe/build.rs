//! Makes Rust of `proto/gateway.proto`, without a protoc on the machine.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto/gateway.proto");
    let descriptors = protox::compile(["proto/gateway.proto"], ["proto"])?;
    tonic_prost_build::configure()
        .generate_default_stubs(true)
        // Deprecated for clients; a server still has to fill and answer it.
        .emit_rerun_if_changed(false)
        .compile_fds(descriptors)?;
    Ok(())
}
