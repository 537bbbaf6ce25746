use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Deeper folders are a loop of links.
const FOLDERS_DEEP_MAX: usize = 64;

/// All files under `folder` with one of the extensions, in the order of their paths.
pub fn find(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    collect(folder, extensions, FOLDERS_DEEP_MAX, &mut found)?;
    found.sort();
    Ok(found)
}

fn collect(
    folder: &Path,
    extensions: &[&str],
    depth_left: usize,
    found: &mut Vec<PathBuf>,
) -> Result<()> {
    let Some(depth_left) = depth_left.checked_sub(1) else { return Ok(()) };
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, extensions, depth_left, found)?;
        } else if has_extension(&path, extensions) {
            found.push(path);
        }
    }
    Ok(())
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| extensions.iter().any(|e| extension.eq_ignore_ascii_case(e)))
}
