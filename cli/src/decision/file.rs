//! DMN files, and whose rules they follow.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use orloj_dmn::Mode;

pub struct File {
    pub path: PathBuf,
    pub content: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Dialect {
    /// DMN: a decision sees what it requires
    Standard,
    Camunda8,
    Camunda7,
    Flowable,
}

impl File {
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let content = std::fs::read(path).with_context(|| path.display().to_string())?;
        Ok(Self { path: path.to_owned(), content })
    }

    pub fn read_all(paths: &[PathBuf]) -> anyhow::Result<Vec<Self>> {
        paths.iter().map(|path| Self::read(path)).collect()
    }

    /// As asked for, or as the file's own marks say: the modelers of the engines leave theirs in
    /// what they save.
    pub fn mode(&self, asked: Option<Dialect>) -> Mode {
        match asked {
            Some(Dialect::Standard) => Mode::Standard,
            Some(Dialect::Camunda8) => Mode::Camunda8,
            Some(Dialect::Camunda7) => Mode::Camunda7,
            Some(Dialect::Flowable) => Mode::Flowable,
            None if self.says("executionPlatform=\"Camunda Cloud\"") => Mode::Camunda8,
            None if self.says("http://camunda.org/schema/zeebe/1.0") => Mode::Camunda8,
            None if self.says("executionPlatform=\"Camunda Platform\"") => Mode::Camunda7,
            None if self.says("http://camunda.org/schema/1.0/dmn") => Mode::Camunda7,
            None if self.says("flowable.org/dmn") => Mode::Flowable,
            None => Mode::Standard,
        }
    }

    pub fn imports_others(&self) -> bool {
        self.says("import")
    }

    fn says(&self, text: &str) -> bool {
        self.content.windows(text.len()).any(|window| window == text.as_bytes())
    }
}
