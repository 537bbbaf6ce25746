//! Installing what is missing on a Debian machine. What cannot be installed is an error that says
//! by which command it could be; nothing is skipped for want of a package.

use std::process::Command;

use anyhow::{Result, bail};

use crate::process;

/// Installs `packages` because `reason` (a fragment such as "PostgreSQL server binaries").
pub fn install(packages: &[&str], reason: &str) -> Result<()> {
    let by_hand = format!("sudo apt-get update && sudo apt-get install -y {}", packages.join(" "));
    if process::find("apt-get").is_none() {
        bail!(
            "{reason} missing and there is no apt-get here; install the equivalent of: {by_hand}"
        );
    }
    let as_root = process::is_root()?;
    if !as_root && process::find("sudo").is_none() {
        bail!("{reason} missing and neither root nor sudo is at hand; run as root: {by_hand}");
    }
    eprintln!("{reason} missing: installing {}", packages.join(" "));

    // Package lists are often there already and fetching them is slow, so the first attempt goes
    // without. It is also the probe: absent and outdated lists both make it fail.
    if process::output(&mut install_command(as_root, packages)).is_ok() {
        return Ok(());
    }
    let refreshed = process::run(apt_get(as_root).args(["-q", "update"]))
        .and_then(|()| process::run(&mut install_command(as_root, packages)));
    match refreshed {
        Ok(()) => Ok(()),
        Err(error) => bail!("{reason} could not be installed ({error:#}); by hand: {by_hand}"),
    }
}

fn install_command(as_root: bool, packages: &[&str]) -> Command {
    let mut command = apt_get(as_root);
    command.args(["-q", "install", "-y", "--no-install-recommends"]).args(packages);
    command
}

fn apt_get(as_root: bool) -> Command {
    // Through `env`, because sudo does not hand our environment on.
    let mut command = if as_root {
        Command::new("env")
    } else {
        let mut sudo = Command::new("sudo");
        sudo.arg("env");
        sudo
    };
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    command
}
