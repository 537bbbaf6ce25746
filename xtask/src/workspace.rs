//! Where the workspace is and how its cargo is called.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::process;

/// The root of the workspace. Cargo names the running package's folder at run time, which stays
/// right when one build directory serves several clones.
pub fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map_or_else(|| package.clone(), PathBuf::from)
}

/// Scratch space of these commands, inside cargo's build directory so that `cargo clean` takes it.
pub fn scratch() -> PathBuf {
    build_directory().join("xtask")
}

fn build_directory() -> PathBuf {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    root().join(target)
}

/// One of our programs, in the profile of the tests and of the same build: a single package asks
/// for fewer features of its libraries than all do together, and would build them a second time.
pub fn program(name: &str) -> Result<PathBuf> {
    process::run(cargo().args(["build", "--quiet", "--workspace", "--bins", "--tests"]))?;
    Ok(build_directory().join("debug").join(name))
}

/// The benchmark program in release mode, beside the server as users run it: several figures are of
/// that one. Both in one build, as above.
pub fn bench_program() -> Result<PathBuf> {
    let packages = ["-p", "orloj-cli", "-p", "orloj-bench"];
    process::run(cargo().args(["build", "--quiet", "--release"]).args(packages))?;
    Ok(build_directory().join("release").join("orloj-bench"))
}

pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// `cargo metadata` of our own packages.
pub fn metadata() -> Result<Value> {
    let text = process::output(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    serde_json::from_str(&text).context("cargo metadata did not print JSON")
}

/// The packages in `metadata`.
pub fn packages(metadata: &Value) -> &[Value] {
    metadata["packages"].as_array().map_or(&[], Vec::as_slice)
}
