//! `cargo xtask conformance`: foreign test cases and files, which are no part of the repository.

use std::path::Path;

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
    for (arguments, folder) in RUNS {
        play(arguments, &shared.join(folder))?;
    }
    let postgres = Cluster::start(Settings::Test)?;
    for store in ["sqlite", postgres.url()] {
        let saved = ["oracle", "--every", SAVED_EVERY, "--store", store, "--root"];
        play(&saved, &shared)?;
    }
    Ok(())
}

/// In the profile of the tests, so that nothing is built twice: all of it takes a minute or two
/// there, and a release build took many.
fn play(arguments: &[&str], folder: &Path) -> Result<()> {
    let mut cargo = workspace::cargo();
    cargo.args(["run", "--quiet", "--package", "orloj-conformance", "--"]);
    process::run(cargo.args(arguments).arg(folder))?;
    Ok(())
}
