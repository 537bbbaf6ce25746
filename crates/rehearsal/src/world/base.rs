//! The engine itself: what every action works on.

use std::sync::Arc;

use orloj_model::ParseHook;
use orloj_types::{KeyGenerator, NodeNumber, Timestamp};

use super::definition::Definitions;
use super::state::State;
use super::visits::Seen;
use crate::calls::{Calls, Programs};
use crate::json::EPOCH;
use crate::keeper::Keeper;
use crate::run::Engine;
use crate::stubs::Stubs;
use crate::watch::Watch;

pub struct World {
    pub(super) engine: Engine,
    pub(super) now: Timestamp,
    pub(super) keys: KeyGenerator,
    pub(super) definitions: Definitions,
    pub(super) state: State,
    pub(super) calls: Calls,
    pub(super) watch: Watch,
    /// Where records are between two steps; `None`: in memory.
    pub(super) keeper: Option<Arc<dyn Keeper>>,
    pub(super) hooks: Vec<Arc<dyn ParseHook>>,
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
