//! What delegates do when they are called.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use orloj::api::{DelegateResult, Fault};
use orloj_types::Document;

use super::ast::Behaviour;

/// The scripts of all delegates of a story, and the calls made so far.
#[derive(Debug, Default)]
pub struct Scripts {
    scripts: BTreeMap<String, VecDeque<Behaviour>>,
    calls: Vec<String>,
}

/// Shared between the story and the delegates that run inside an engine.
#[derive(Clone, Debug, Default)]
pub struct SharedScripts(Arc<Mutex<Scripts>>);

impl SharedScripts {
    pub fn add(&self, delegate: &str, script: &[Behaviour]) {
        let mut scripts = self.lock();
        scripts.scripts.entry(delegate.to_owned()).or_default().extend(script.iter().cloned());
    }

    pub fn calls(&self) -> Vec<String> {
        self.lock().calls.clone()
    }

    /// A delegate is called.
    pub fn call(&self, delegate: &str) -> DelegateResult {
        let mut scripts = self.lock();
        scripts.calls.push(delegate.to_owned());
        match scripts.scripts.get_mut(delegate).and_then(VecDeque::pop_front) {
            None => Ok(Document::new()),
            Some(Behaviour::Succeeds { variables }) => Ok(variables),
            Some(Behaviour::Fails { message }) => Err(Fault::Failed(message)),
            Some(Behaviour::Throws { code, variables }) => {
                Err(Fault::Error { code, message: String::new(), variables })
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Scripts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
