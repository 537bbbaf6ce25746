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
    /// Node and delegate.
    calls: Vec<(String, String)>,
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
        self.lock().calls.iter().map(|(_, delegate)| delegate.clone()).collect()
    }

    pub fn calls_on(&self, node: &str) -> Vec<String> {
        let scripts = self.lock();
        let there = scripts.calls.iter().filter(|(on, _)| on == node);
        there.map(|(_, delegate)| delegate.clone()).collect()
    }

    /// A delegate is called on a node.
    pub fn call(&self, node: &str, delegate: &str) -> DelegateResult {
        let mut scripts = self.lock();
        scripts.calls.push((node.to_owned(), delegate.to_owned()));
        match scripts.scripts.get_mut(delegate).and_then(VecDeque::pop_front) {
            None => Ok(Document::new()),
            Some(Behaviour::Succeeds { variables }) => Ok(variables),
            Some(Behaviour::Fails { message }) => Err(Fault::Failed(message)),
            Some(Behaviour::GivesUp { message }) => Err(Fault::give_up(message)),
            Some(Behaviour::Throws { code, variables }) => {
                Err(Fault::Error { code, message: String::new(), variables })
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Scripts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
