use std::sync::Arc;

use crate::budget::SOURCE_BYTES_MAX;
use crate::diagnostic::{Diagnostic, Fault};
use crate::host::{Host, Options, Outcome};
use crate::parse::{self, Parsed};
use crate::run::Machine;

/// A script that was parsed once and is run often. Clones share the tree.
#[derive(Clone)]
pub struct Script {
    inner: Arc<Inner>,
}

struct Inner {
    source: Box<str>,
    parsed: Parsed,
}

impl Script {
    pub fn parse(source: &str) -> Result<Self, Diagnostic> {
        if source.len() > SOURCE_BYTES_MAX {
            let message = format!("the script is longer than {SOURCE_BYTES_MAX} bytes");
            return Err(Fault::unsupported(message, 0).locate(source));
        }
        let parsed = parse::parse(source).map_err(|fault| fault.locate(source))?;
        Ok(Self { inner: Arc::new(Inner { source: source.into(), parsed }) })
    }

    pub fn source(&self) -> &str {
        &self.inner.source
    }

    pub fn run(&self, host: &dyn Host, options: Options) -> Outcome {
        Machine::new(&self.inner.parsed, host, options).run(&self.inner.source)
    }
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Script({:?})", self.source())
    }
}
