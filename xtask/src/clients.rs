//! The foreign client libraries that the client tests drive, unmodified and of fixed versions.
//! They are test tools: nothing of them is linked into or shipped with Orloj.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{apt, process, workspace};

/// Where client tests find the folder that [`ensure`] returns:
/// `venv/bin/python` with pyzeebe, `node/node_modules` with zeebe-node, and zbctl at
/// `node/node_modules/zbctl/bin/zbctl-cli.linux` (the program itself; the npm wrapper around it
/// asks the network for updates).
pub const VARIABLE: &str = "ORLOJ_TEST_CLIENTS";

/// A package whose tests need the clients keeps them in a test target of this name, so that
/// everyone else can run the tests without Python and Node.
const TEST_TARGET: &str = "clients";

const PYTHON_PACKAGES: &[&str] = &["pyzeebe==4.7.0"];
/// zbctl 8.4.1 is the npm release that carries the compiled program in the package.
const NODE_PACKAGES: &[&str] = &["zbctl@8.4.1", "zeebe-node@8.3.2"];

/// `cargo xtask clients`
pub fn run() -> Result<()> {
    println!("{}", ensure()?.display());
    Ok(())
}

/// Whether some package of ours has tests that need the clients.
pub fn are_tested(metadata: &Value) -> bool {
    workspace::packages(metadata)
        .iter()
        .flat_map(|package| package["targets"].as_array().into_iter().flatten())
        .any(|target| target["name"] == TEST_TARGET && target["kind"][0] == "test")
}

/// Makes the folder with all clients and returns it. Does nothing when it is there and current.
pub fn ensure() -> Result<PathBuf> {
    let folder = workspace::scratch().join("clients");
    let wanted = [PYTHON_PACKAGES, NODE_PACKAGES].concat().join("\n");
    // Written last, so a folder that was interrupted half-way is made anew.
    let stamp = folder.join("installed");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(folder);
    }
    if folder.exists() {
        std::fs::remove_dir_all(&folder).context("cannot remove outdated clients")?;
    }
    std::fs::create_dir_all(&folder).context("cannot make a folder for the clients")?;
    install_python(&folder.join("venv"))?;
    install_node(&folder.join("node"))?;
    std::fs::write(&stamp, wanted)?;
    Ok(folder)
}

fn install_python(venv: &Path) -> Result<()> {
    // Debian ships `venv` without the part that makes it work, so ask for that part.
    let usable =
        || process::succeeds(Command::new("python3").args(["-c", "import venv, ensurepip"]));
    if !usable() {
        apt::install(&["python3", "python3-venv"], "Python with venv")?;
        if !usable() {
            bail!("python3 still has no venv; by hand: sudo apt-get install -y python3-venv");
        }
    }
    process::output(Command::new("python3").args(["-m", "venv"]).arg(venv))?;
    eprintln!("installing {}", PYTHON_PACKAGES.join(" "));
    process::output(
        Command::new(venv.join("bin/python"))
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
            .args(PYTHON_PACKAGES),
    )
    .map(drop)
}

fn install_node(folder: &Path) -> Result<()> {
    // Only what is missing: other distributions of Node carry npm inside and refuse Debian's.
    let missing: Vec<&str> = [("node", "nodejs"), ("npm", "npm")]
        .into_iter()
        .filter(|(program, _)| process::find(program).is_none())
        .map(|(_, package)| package)
        .collect();
    if !missing.is_empty() {
        apt::install(&missing, "Node with npm")?;
    }
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("package.json"), "{\"private\": true}\n")?;
    eprintln!("installing {}", NODE_PACKAGES.join(" "));
    process::output(
        Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error"])
            .args(NODE_PACKAGES)
            .current_dir(folder),
    )?;
    let zbctl = folder.join("node_modules/zbctl/bin/zbctl-cli.linux");
    if !zbctl.is_file() {
        bail!("the npm package zbctl came without its program ({} missing)", zbctl.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_test_target_of_the_agreed_name_asks_for_clients() {
        let metadata = |name: &str, kind: &str| {
            json!({"packages": [
                {"targets": [{"name": "orloj", "kind": ["bin"]}]},
                {"targets": [{"name": name, "kind": [kind]}]},
            ]})
        };
        assert!(are_tested(&metadata("clients", "test")));
        assert!(!are_tested(&metadata("clients", "lib")));
        assert!(!are_tested(&metadata("contract", "test")));
    }

    #[test]
    fn every_client_has_a_fixed_version() {
        for package in PYTHON_PACKAGES {
            assert!(package.contains("=="), "{package}");
        }
        for package in NODE_PACKAGES {
            let (_, version) = package.split_once('@').unwrap();
            assert!(version.starts_with(|first: char| first.is_ascii_digit()), "{package}");
        }
    }
}
