use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::{Document, Timestamp, Value, Zone};

use crate::feel::Types;
use crate::uel::Host;

/// Deepest nesting of evaluation, values that are compared included. Variables may be nested
/// 1,000 deep; a level takes well under a kilobyte of stack.
pub const DEPTH_MAX_DEFAULT: usize = 1_000;
/// At 20 to 80 ns a step an expression that uses them all takes 2 to 8 ms. What takes longer than a
/// step counts as several.
pub const STEPS_MAX_DEFAULT: usize = 100_000;
/// What a message, and so a variable, of Zeebe may have.
pub const BYTES_MAX_DEFAULT: usize = 4 << 20;

/// The variables an expression sees, nearest scope first.
pub trait Scope {
    /// `None`: there is no such variable, which UEL tells from one that is null.
    fn get(&self, name: &str) -> Option<Value>;
}

/// Everything an evaluation may know of the world.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    pub scope: &'a dyn Scope,
    pub now: Timestamp,
    /// Of `now()` and `today()`; UTC unless said otherwise.
    pub zone: &'a Zone,
    /// All that is random follows from it.
    pub seed: u64,
    /// The types that the model defines, for `instance of` and parameters.
    pub types: Option<&'a dyn Types>,
    /// Who UEL talks to: execution, user, beans.
    pub host: Option<&'a dyn Host>,
    /// A date, time or duration is the value itself and not its text, where the process's FEEL
    /// would give the text.
    pub keeps_temporals: bool,
    pub budget: Budget,
}

impl<'a> Environment<'a> {
    pub fn new(scope: &'a dyn Scope, now: Timestamp) -> Self {
        let zone = &Zone::UTC;
        Self {
            scope,
            now,
            zone,
            seed: 0,
            types: None,
            host: None,
            keeps_temporals: false,
            budget: Budget::default(),
        }
    }

    pub fn with_zone(mut self, zone: &'a Zone) -> Self {
        self.zone = zone;
        self
    }

    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    pub fn with_types(mut self, types: &'a dyn Types) -> Self {
        self.types = Some(types);
        self
    }

    pub fn with_host(mut self, host: &'a dyn Host) -> Self {
        self.host = Some(host);
        self
    }

    pub fn keeping_temporals(mut self) -> Self {
        self.keeps_temporals = true;
        self
    }

    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }
}

/// What one evaluation may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub depth_max: usize,
    /// Evaluated nodes, and items and characters that are looked at.
    pub steps_max: usize,
    /// Memory for texts, lists and contexts made on the way, and the size of the result when it
    /// is written out.
    pub result_bytes_max: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            depth_max: DEPTH_MAX_DEFAULT,
            steps_max: STEPS_MAX_DEFAULT,
            result_bytes_max: BYTES_MAX_DEFAULT,
        }
    }
}

/// No variables.
impl Scope for () {
    fn get(&self, _name: &str) -> Option<Value> {
        None
    }
}

impl Scope for BTreeMap<Arc<str>, Value> {
    fn get(&self, name: &str) -> Option<Value> {
        BTreeMap::get(self, name).cloned()
    }
}

impl Scope for BTreeMap<String, Value> {
    fn get(&self, name: &str) -> Option<Value> {
        BTreeMap::get(self, name).cloned()
    }
}

impl Scope for Document {
    fn get(&self, name: &str) -> Option<Value> {
        Document::get(self, name).map(Value::from)
    }
}
