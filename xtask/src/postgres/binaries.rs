//! Finding the server's programs, installing them where they are missing.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::{apt, process};

/// Debian keeps the server's programs out of `PATH`, one folder per major version.
const DEBIAN_ROOT: &str = "/usr/lib/postgresql";

/// The folder with `initdb`, `postgres` and `pg_isready`.
pub fn ensure() -> Result<PathBuf> {
    if let Some(folder) = find() {
        return Ok(folder);
    }
    apt::install(&["postgresql"], "PostgreSQL server binaries")?;
    match find() {
        Some(folder) => Ok(folder),
        None => bail!(
            "PostgreSQL was installed, but there is no initdb under {DEBIAN_ROOT}/*/bin; \
             look at: dpkg --listfiles postgresql-common"
        ),
    }
}

fn find() -> Option<PathBuf> {
    newest(Path::new(DEBIAN_ROOT))
        .or_else(|| Some(process::find("initdb")?.parent()?.to_path_buf()))
}

/// The `bin` folder of the highest major version under `root` that has a server.
fn newest(root: &Path) -> Option<PathBuf> {
    std::fs::read_dir(root)
        .ok()?
        .flatten()
        .filter_map(|entry| {
            let version: u32 = entry.file_name().to_str()?.parse().ok()?;
            let folder = entry.path().join("bin");
            let complete = ["initdb", "postgres"].iter().all(|name| folder.join(name).is_file());
            complete.then_some((version, folder))
        })
        .max()
        .map(|(_, folder)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_version_that_has_a_server_wins() {
        let root = tempfile::tempdir().unwrap();
        let add = |version: &str, programs: &[&str]| {
            let folder = root.path().join(version).join("bin");
            std::fs::create_dir_all(&folder).unwrap();
            for program in programs {
                std::fs::write(folder.join(program), "").unwrap();
            }
        };
        assert_eq!(newest(root.path()), None);
        add("9", &["initdb", "postgres"]);
        add("15", &["initdb", "postgres"]);
        // A client package alone leaves a folder too.
        add("17", &["psql"]);
        add("common", &["initdb", "postgres"]);
        assert_eq!(newest(root.path()), Some(root.path().join("15/bin")));
    }
}
