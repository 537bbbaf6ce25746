//! The files that belong to the project, read once.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::process;

/// Where files are not ours; only consulted outside a git checkout.
const FOREIGN_FOLDERS: &[&str] = &[".git", "target", "node_modules", "data"];

#[derive(Debug, Default)]
pub struct Tree {
    files: Vec<File>,
}

#[derive(Debug)]
pub struct File {
    /// From the root, with `/` between the parts.
    pub path: String,
    /// Empty for what is not UTF-8: no rule looks into images.
    pub text: String,
}

impl File {
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Line numbers from one, and lines.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

impl Tree {
    /// What git tracks and what it would track, so that a file is judged before it is committed.
    pub fn read(root: &Path) -> Result<Tree> {
        let mut list = Command::new("git");
        list.current_dir(root).args(["ls-files", "-z", "--cached", "--others"]);
        let paths = match process::output(list.arg("--exclude-standard")) {
            Ok(listed) => listed.split_terminator('\0').map(str::to_owned).collect(),
            Err(error) => {
                eprintln!("no git checkout ({error:#}): judging every file in the folder");
                let mut paths = Vec::new();
                walk(root, "", &mut paths)?;
                paths
            }
        };
        Tree::of(root, paths)
    }

    fn of(root: &Path, mut paths: Vec<String>) -> Result<Tree> {
        paths.sort();
        let mut files = Vec::with_capacity(paths.len());
        for path in paths {
            let full = root.join(&path);
            // Deleted but not yet committed.
            if !full.is_file() {
                continue;
            }
            let bytes = std::fs::read(&full).with_context(|| format!("cannot read {path}"))?;
            files.push(File { path, text: String::from_utf8(bytes).unwrap_or_default() });
        }
        Ok(Tree { files })
    }

    pub fn files(&self) -> &[File] {
        &self.files
    }

    pub fn with_extension<'a>(&'a self, extensions: &'a [&str]) -> impl Iterator<Item = &'a File> {
        self.files.iter().filter(|file| {
            file.name().rsplit_once('.').is_some_and(|(_, ext)| extensions.contains(&ext))
        })
    }

    /// The files directly in `folder`.
    pub fn in_folder<'a, 'f>(
        &'a self,
        folder: &'f str,
    ) -> impl Iterator<Item = &'a File> + use<'a, 'f> {
        self.files.iter().filter(move |file| {
            file.path.strip_suffix(file.name()).and_then(|rest| rest.strip_suffix('/'))
                == Some(folder)
        })
    }

    /// Whether `path` is a file or a folder with files in it; the empty path is the root.
    pub fn has(&self, path: &str) -> bool {
        path.is_empty()
            || self.files.iter().any(|file| {
                file.path
                    .strip_prefix(path)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
    }
}

fn walk(root: &Path, folder: &str, paths: &mut Vec<String>) -> Result<()> {
    for entry in std::fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let kind = entry.file_type()?;
        if kind.is_dir() && !FOREIGN_FOLDERS.contains(&name.as_str()) {
            walk(root, &path, paths)?;
        } else if kind.is_file() {
            paths.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
impl Tree {
    /// A tree made up for a test.
    pub fn sketch(files: &[(&str, &str)]) -> Tree {
        let file = |&(path, text): &(&str, &str)| File { path: path.into(), text: text.into() };
        Tree { files: files.iter().map(file).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_files_are_told_apart_from_prefixes() {
        let tree =
            Tree::sketch(&[("docs/adr/0001-keys.md", ""), ("a/b.sql", ""), ("a/c/d.sql", "")]);
        assert!(tree.has("") && tree.has("docs") && tree.has("docs/adr/0001-keys.md"));
        assert!(!tree.has("doc") && !tree.has("docs/adr/0001"));
        let names: Vec<&str> = tree.in_folder("a").map(File::name).collect();
        assert_eq!(names, ["b.sql"]);
    }

    #[test]
    fn without_git_the_folder_is_walked_and_foreign_folders_are_left_out() {
        let root = tempfile::tempdir().unwrap();
        for path in ["src/main.rs", "target/debug/out.rs", "ui/node_modules/x.js", "README.md"] {
            let full = root.path().join(path);
            std::fs::create_dir_all(full.parent().unwrap()).unwrap();
            std::fs::write(full, "text").unwrap();
        }
        let mut paths = Vec::new();
        walk(root.path(), "", &mut paths).unwrap();
        let tree = Tree::of(root.path(), paths).unwrap();
        let paths: Vec<&str> = tree.files().iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["README.md", "src/main.rs"]);
    }
}
