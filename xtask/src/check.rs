//! `cargo xtask check`: what CI asks of a change. Cheap steps come first, and clippy before the
//! tests so that both share the build scripts and macros built once.

use anyhow::Result;

use crate::summary::Summary;
use crate::{bench, deny, process, room, test, workspace};

/// On each store; `cargo xtask crash` takes more.
const KILLS: u32 = 20;

pub fn run() -> Result<()> {
    let mut summary = Summary::default();
    summary.step("room", room::check);
    summary.step("rustfmt", || cargo(&["fmt", "--all", "--", "--check"]));
    summary.step("clippy", || {
        // The lint level is an argument of clippy, not RUSTFLAGS, which would build everything anew.
        cargo(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"])
    });
    test::add_steps(&mut summary, &[]);
    summary.step("crash", || bench::crash(KILLS));
    summary.step("deny", deny::run);
    summary.finish()
}

fn cargo(arguments: &[&str]) -> Result<String> {
    process::run(workspace::cargo().args(arguments))?;
    Ok(String::new())
}
