//! Whom throw-away servers run as.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process;

/// Whom the server runs as: PostgreSQL refuses to run as root.
pub struct User {
    /// Set when we are root and must step down.
    step_down: Option<(u32, u32)>,
}

impl User {
    pub fn for_server() -> Result<User> {
        if !process::is_root()? {
            return Ok(User { step_down: None });
        }
        let number = |option: &str| -> Result<u32> {
            process::output(Command::new("id").args([option, "postgres"]))
                .context(
                    "PostgreSQL does not run as root and there is no user `postgres`; \
                     make one: useradd --system --user-group postgres",
                )?
                .trim()
                .parse()
                .context("`id` printed no number")
        };
        Ok(User { step_down: Some((number("-u")?, number("-g")?)) })
    }

    /// A folder that this user owns and that is on a disk: `/tmp` is often memory, where fsync
    /// costs nothing and benchmarks would lie. `/var/tmp` is not, and every user can reach it.
    pub fn make_folder(&self, prefix: &str) -> Result<PathBuf> {
        let disk = PathBuf::from("/var/tmp");
        let parent = if disk.is_dir() { disk } else { std::env::temp_dir() };
        let folder = tempfile::Builder::new()
            .prefix(prefix)
            .tempdir_in(&parent)
            .with_context(|| format!("cannot make a folder in {}", parent.display()))?;
        if let Some((user, group)) = self.step_down {
            std::os::unix::fs::chown(folder.path(), Some(user), Some(group))
                .context("cannot give the folder to the user postgres")?;
        }
        // From here on the watchdog removes it.
        Ok(folder.keep())
    }

    pub fn command(&self, program: &Path, folder: &Path) -> Command {
        let mut command = match self.step_down {
            None => Command::new(program),
            Some((user, group)) => {
                let mut command = Command::new("setpriv");
                command
                    .arg(format!("--reuid={user}"))
                    .arg(format!("--regid={group}"))
                    .arg("--clear-groups")
                    .arg(program);
                command
            }
        };
        // Our own folder may be out of that user's reach.
        command.current_dir(folder);
        command
    }
}
