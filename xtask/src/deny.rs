//! cargo-deny: licences, banned crates, sources, and known vulnerabilities where they can be known.

use std::process::Command;

use anyhow::Result;

use crate::{process, workspace};

pub fn run() -> Result<String> {
    ensure()?;
    process::run(deny().args(["check", "licenses", "bans", "sources"]))?;
    if !process::succeeds(deny().args(["fetch", "db"])) {
        let note = "the advisory database cannot be reached: advisories were NOT checked";
        eprintln!("warning: {note}");
        return Ok(note.to_owned());
    }
    process::run(deny().args(["check", "advisories"]))?;
    Ok("advisories checked".to_owned())
}

fn ensure() -> Result<()> {
    if process::succeeds(deny().arg("--version")) {
        return Ok(());
    }
    eprintln!("cargo-deny missing: installing it");
    // Run for seconds, built for minutes: a light optimisation makes the sum smallest.
    process::run(
        workspace::cargo()
            .args(["install", "cargo-deny", "--locked", "--quiet"])
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    )
}

fn deny() -> Command {
    let mut command = workspace::cargo();
    command.arg("deny");
    command
}
