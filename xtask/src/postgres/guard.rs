//! Who stops a throw-away server: a watchdog, a small `sh` in a process group of its own that reads
//! from a pipe whose other end only this process holds. The pipe closes when the owner of the
//! [`Guard`] drops it and equally when this process is interrupted or killed; then the watchdog
//! stops the server and removes the folder. The server's process number cannot have been given to
//! another program by then: the server is our child, and until we wait for it or die its number
//! stays taken.

use std::io::Write as _;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

const WATCHDOG: &str = r#"
folder=$1
signal=$2
pid=
while read -r line; do pid=$line; done
if [ -n "$pid" ]; then
    # After 10 s without manners; after 15 s give up waiting.
    kill -"$signal" "$pid" 2>/dev/null
    tenths=0
    while kill -0 "$pid" 2>/dev/null && [ "$tenths" -lt 150 ]; do
        tenths=$((tenths + 1))
        if [ "$tenths" -eq 100 ]; then kill -QUIT "$pid" 2>/dev/null; fi
        sleep 0.1
    done
fi
rm -rf -- "$folder"
"#;

/// Stops a server and removes its folder, whatever becomes of this process.
pub struct Guard {
    watchdog: Child,
    server: Option<Child>,
}

impl Guard {
    /// `signal` asks the server to end in an orderly way and soon. Nobody else removes the folder
    /// from here on, unless this fails.
    pub fn new(folder: &Path, signal: &str) -> Result<Guard> {
        let watchdog = Command::new("sh")
            .args(["-c", WATCHDOG, "orloj-postgres-watchdog"])
            .arg(folder)
            .arg(signal)
            .current_dir("/")
            // Ctrl-C goes to the whole foreground group; the watchdog must outlive it.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        match watchdog {
            Ok(watchdog) => Ok(Guard { watchdog, server: None }),
            Err(error) => {
                let _ = std::fs::remove_dir(folder);
                Err(error).context("cannot start `sh` to watch over a server")
            }
        }
    }

    /// Takes the place of a server that did not start.
    pub fn watch(&mut self, server: Child) -> Result<&mut Child> {
        let pipe = self.watchdog.stdin.as_mut().context("the watchdog lost its pipe")?;
        writeln!(pipe, "{}", server.id()).context("the watchdog is gone")?;
        Ok(self.server.insert(server))
    }

    pub fn server(&mut self) -> Option<&mut Child> {
        self.server.as_mut()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.watchdog.stdin.take());
        // Failing to wait leaves nothing to be done here: the watchdog works without us.
        if let Some(server) = &mut self.server {
            let _ = server.wait();
        }
        let _ = self.watchdog.wait();
    }
}
