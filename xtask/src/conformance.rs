//! `cargo xtask conformance`: foreign test cases and files, which are no part of the repository.

use std::path::Path;

use anyhow::{Result, ensure};

use crate::{process, workspace};

/// Sub-command of the conformance program, and the folder it reads.
const RUNS: [(&str, &str); 2] = [("tck", "tck"), ("texts", "corpus")];

pub fn run() -> Result<()> {
    let shared = workspace::root().join("../shared");
    ensure!(
        shared.is_dir(),
        "no folder `shared` beside the repository: put the DMN kit into ../shared/tck and models \
         into ../shared/corpus, or run `cargo run --release -p orloj-conformance -- tck DIR`"
    );
    for (command, folder) in RUNS {
        play(command, &shared.join(folder))?;
    }
    Ok(())
}

fn play(command: &str, folder: &Path) -> Result<()> {
    let mut cargo = workspace::cargo();
    cargo.args(["run", "--quiet", "--release", "--package", "orloj-conformance", "--", command]);
    process::run(cargo.arg(folder))?;
    Ok(())
}
