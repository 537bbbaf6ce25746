//! Running other programs: every failure names the command that failed.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Runs `command` with our own stdout and stderr and requires success.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    eprintln!("$ {shown}");
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// Runs `command` quietly and returns its stdout; a failure carries its stderr.
pub fn output(command: &mut Command) -> Result<String> {
    let shown = shown(command);
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("cannot start `{shown}`"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("`{shown}` failed ({}): {}", output.status, stderr.trim_end());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` printed invalid UTF-8"))
}

/// Whether `command` can be started and succeeds; for questions, so nothing is printed.
pub fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The command as one would type it.
pub fn shown(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Where `program` is in `PATH`.
pub fn find(program: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Whether we are root. Asked of `id`, because the standard library has no safe call for it.
pub fn is_root() -> Result<bool> {
    Ok(output(Command::new("id").arg("-u"))?.trim() == "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_command_and_carries_its_stderr() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo broken pipe organ >&2; exit 3"]);
        let message = format!("{:#}", output(&mut command).unwrap_err());
        assert!(message.contains("sh -c"), "{message}");
        assert!(message.contains("broken pipe organ"), "{message}");
        assert!(message.contains('3'), "{message}");
    }

    #[test]
    fn a_missing_program_is_an_answer_not_a_panic() {
        assert!(!succeeds(&mut Command::new("no-such-program-at-all")));
        assert!(find("no-such-program-at-all").is_none());
        assert!(find("sh").is_some());
    }
}
