//! An engine in memory: what is deployed, what runs, and one clock for all of it.
//!
//! Everything that happens is an action: a start, a job, a worker's answer, a completed task, a
//! message. An action happens wholly or, where the engine that is meant would roll it back, not
//! at all. Actions of one instance that reach others (called instances, signals) are one action.

mod act;
mod bindings;
mod definition;
mod deploy;
mod engine;
mod order;
mod report;
mod signals;
mod start_by;
mod start_timer;
mod state;
mod version_tags;
mod visits;
mod waits;

use std::sync::Arc;

use orloj_model::ParseHook;
use orloj_types::{KeyGenerator, NodeNumber, Timestamp};

use crate::calls::{Calls, Programs};
use crate::json::EPOCH;
use crate::keeper::Keeper;
use crate::run::Engine;
use crate::stubs::Stubs;
use crate::watch::Watch;

pub use act::How;
pub use deploy::{File, Refusal};
pub use engine::Failed;
pub(crate) use visits::Seen;

use definition::Definitions;
use state::State;

pub struct World {
    engine: Engine,
    now: Timestamp,
    keys: KeyGenerator,
    definitions: Definitions,
    state: State,
    calls: Calls,
    watch: Watch,
    /// Where records are between two steps; `None`: in memory.
    keeper: Option<Arc<dyn Keeper>>,
    hooks: Vec<Arc<dyn ParseHook>>,
}

impl World {
    pub(crate) fn new(
        engine: Engine,
        stubs: Arc<Stubs>,
        programs: Arc<Programs>,
        watch: Watch,
    ) -> Self {
        Self {
            engine,
            now: EPOCH,
            keys: KeyGenerator::new(NodeNumber(0)),
            definitions: Definitions::default(),
            state: State::default(),
            calls: Calls::new(engine, stubs, programs),
            watch,
            keeper: None,
            hooks: Vec::new(),
        }
    }

    pub(crate) fn with_hooks(mut self, hooks: &[Arc<dyn ParseHook>]) -> Self {
        self.hooks = hooks.to_vec();
        self
    }

    pub(crate) fn kept_by(mut self, keeper: Option<Arc<dyn Keeper>>) -> Self {
        self.keeper = keeper;
        self
    }

    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Nothing happens by itself when time passes.
    pub fn set_clock(&mut self, now: Timestamp) {
        self.now = now;
    }

    pub(crate) fn is_given_up(&self) -> bool {
        self.watch.is_given_up()
    }

    /// What elements did since this was asked the last time.
    pub(crate) fn take_seen(&mut self) -> Seen {
        self.state.visits.take_seen()
    }
}
