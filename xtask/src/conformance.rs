//! `cargo xtask conformance`: foreign test cases and files, which are no part of the repository.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::postgres::{Cluster, Settings};
use crate::{process, workspace};

/// Sub-commands of the conformance program, and the folder under `shared` that each reads.
const RUNS: [(&[&str], &str); 4] = [
    (&["tck"], "tck"),
    (&["texts"], "corpus"),
    (&["cuts", "--every", "25"], "corpus"),
    (&["oracle", "--check", "--root"], ""),
];
/// One recorded run of so many is played with its records in a store between two steps: about 500.
const SAVED_EVERY: &str = "16";

pub fn run() -> Result<()> {
    let shared = workspace::root().join("../shared");
    ensure!(
        shared.is_dir(),
        "no folder `shared` beside the repository: put the DMN kit into ../shared/tck, models \
         into ../shared/corpus and recorded runs into ../shared/oracle, or run \
         `cargo run --release -p orloj-conformance -- tck DIR`"
    );
    // All of it takes a minute or two unoptimised, which a release build takes several times over.
    let program = workspace::program("orloj-conformance")?;
    for (arguments, folder) in RUNS {
        play(&program, arguments, &shared.join(folder))?;
    }
    let postgres = Cluster::start(Settings::Test)?;
    for store in ["sqlite", postgres.url()] {
        let saved = ["oracle", "--every", SAVED_EVERY, "--store", store, "--root"];
        play(&program, &saved, &shared)?;
    }
    Ok(())
}

fn play(program: &Path, arguments: &[&str], folder: &Path) -> Result<()> {
    process::run(Command::new(program).current_dir(workspace::root()).args(arguments).arg(folder))?;
    Ok(())
}
