use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::hook::ParseHook;

/// How a file is to be read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `None`: inferred from the vendor extensions that the file uses.
    pub dialect: Option<Dialect>,
    /// What a file without any vendor extension is. A face whose clients speak one dialect names
    /// it here, so that their plainest models mean what they meant before.
    pub plain_dialect: Dialect,
    /// Called in this order for everything that is read.
    pub hooks: Vec<Arc<dyn ParseHook>>,
    /// It was accepted before and is read again. What hooks and checks refuse today is a warning:
    /// instances run already. What cannot be read is still an error.
    pub was_accepted: bool,
    /// Whether Camunda's connectors are accepted, as they are where its library is installed.
    pub has_connectors: bool,
}

impl Options {
    pub fn of(dialect: Dialect) -> Self {
        Self { dialect: Some(dialect), ..Self::default() }
    }

    #[must_use]
    pub fn with_hook(mut self, hook: impl ParseHook + 'static) -> Self {
        self.hooks.push(Arc::new(hook));
        self
    }
}

/// Whose rules a model was written for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    #[default]
    Camunda7,
    /// Activiti's models as well: Flowable carries its rules on.
    Flowable,
    Zeebe,
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Camunda7 => "Camunda 7",
            Self::Flowable => "Flowable",
            Self::Zeebe => "Zeebe",
        })
    }
}
