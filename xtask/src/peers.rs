//! The Java side of `cargo xtask bench peers`: programs that drive Camunda 7 and Flowable. They
//! are no part of the repository; they are built from a folder beside it, in scratch space.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{apt, process, workspace};

/// Where the benchmark program finds the built programs.
pub const VARIABLE: &str = "ORLOJ_BENCH_PEERS";

/// Builds the programs and returns their folder.
pub fn ensure_built() -> Result<PathBuf> {
    let source = workspace::root().join("../shared/peers");
    ensure!(
        source.join("pom.xml").is_file(),
        "no folder `shared/peers` beside the repository: the Java programs that drive Camunda 7 \
         and Flowable are expected there"
    );
    if process::find("java").is_none() {
        apt::install(&["default-jdk-headless"], "a Java development kit")?;
    }
    if process::find("mvn").is_none() {
        apt::install(&["maven"], "Maven")?;
    }
    let folder = workspace::scratch().join("peers");
    std::fs::create_dir_all(&folder).context("cannot make a folder for the peers")?;
    process::output(Command::new("cp").arg("-r").arg(source.join(".")).arg(&folder))?;
    let modules = "harness,camunda,flowable";
    let mut build = Command::new("mvn");
    build.args(["-q", "-B", "package", "--projects", modules]).current_dir(&folder);
    // Maven writes escape codes though it has nothing to say, and stdout is for the figures.
    process::run(build.stdout(std::io::stderr()))?;
    Ok(folder)
}
