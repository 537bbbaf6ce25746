//! Room on the disk: a build that runs out of it fails with messages of the linker.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{process, workspace};

/// What a check writes from nothing, with some to spare: 5 GiB of build, databases, clients.
const WANTED_GIB: f64 = 7.0;

/// Fails where a build from nothing would not fit.
pub fn check() -> Result<String> {
    let free = free_gib()?;
    let built = workspace::scratch().parent().is_some_and(|target| target.join("debug").exists());
    if free < WANTED_GIB && !built {
        bail!(
            "{free:.1} GiB are free and about {WANTED_GIB} are needed; CARGO_TARGET_DIR can name a folder of another disk"
        );
    }
    Ok(format!("{free:.1} GiB free"))
}

/// What is free where the build goes.
pub fn free_gib() -> Result<f64> {
    let target = workspace::scratch();
    std::fs::create_dir_all(&target).context("cannot make the build directory")?;
    let table = process::output(Command::new("df").arg("-Pk").arg(&target))?;
    available_gib(&table).with_context(|| format!("df printed something else: {table}"))
}

/// The fourth column of the last line, in KiB.
fn available_gib(table: &str) -> Option<f64> {
    let kib: f64 = table.lines().last()?.split_whitespace().nth(3)?.parse().ok()?;
    Some(kib / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_available_column_is_read() {
        let table = "Filesystem 1024-blocks Used Available Capacity Mounted on\n\
                     /dev/a 264240792 55574528 39845888 59% /\n";
        assert_eq!(available_gib(table), Some(38.0));
        assert_eq!(available_gib("df: no such file\n"), None);
        assert!(free_gib().unwrap() > 0.0);
    }
}
