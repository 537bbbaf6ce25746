//! The variables that a box sees.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::Scope;
use orloj_types::Value;

pub(crate) type Locals = BTreeMap<Arc<str>, Value>;

/// Nearest scope first; the outermost may be the caller's.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'p> {
    pub locals: &'p Locals,
    pub parent: Option<&'p Frame<'p>>,
    /// Set on the outermost frame only.
    pub caller: Option<&'p dyn Scope>,
}

impl<'p> Frame<'p> {
    pub fn root(locals: &'p Locals, caller: Option<&'p dyn Scope>) -> Self {
        Self { locals, parent: None, caller }
    }

    pub fn within(locals: &'p Locals, parent: &'p Frame<'p>) -> Self {
        Self { locals, parent: Some(parent), caller: None }
    }

    /// All that is visible, for a function that outlives its frame. What the caller offers is
    /// not copied: nobody can list it.
    pub fn captured(&self) -> Locals {
        let mut all = match self.parent {
            Some(parent) => parent.captured(),
            None => Locals::new(),
        };
        all.extend(self.locals.iter().map(|(name, value)| (name.clone(), value.clone())));
        all
    }

    pub fn size(&self) -> usize {
        self.locals.len() + self.parent.map_or(0, Frame::size)
    }
}

impl Scope for Frame<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        let mut frame = self;
        loop {
            if let Some(value) = frame.locals.get(name) {
                return Some(value.clone());
            }
            match frame.parent {
                Some(parent) => frame = parent,
                None => return frame.caller.and_then(|caller| caller.get(name)),
            }
        }
    }
}
