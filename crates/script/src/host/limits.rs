#![expect(
    clippy::disallowed_methods,
    reason = "the child measures the script it runs; nobody could hand it the time meanwhile"
)]

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::config::Limits;

/// Asked by the engine while a script runs; says when to stop, and remembers why.
#[derive(Clone, Default)]
pub(super) struct Guard(Rc<State>);

#[derive(Default)]
struct State {
    deadline: Cell<Option<Instant>>,
    rounds_left: Cell<u64>,
    stopped: Cell<Option<Stopped>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    Time,
    Rounds,
}

impl Guard {
    pub(super) fn start(&self, limits: &Limits) {
        let time = Duration::from_millis(limits.time_ms);
        self.0.deadline.set(Instant::now().checked_add(time));
        self.0.rounds_left.set(limits.rounds);
        self.0.stopped.set(None);
    }

    pub(super) fn is_over(&self) -> bool {
        let Some(deadline) = self.0.deadline.get() else { return false };
        let rounds = self.0.rounds_left.get();
        if rounds == 0 {
            self.0.stopped.set(Some(Stopped::Rounds));
            return true;
        }
        self.0.rounds_left.set(rounds - 1);
        if Instant::now() >= deadline {
            self.0.stopped.set(Some(Stopped::Time));
            return true;
        }
        false
    }

    pub(super) fn stopped(&self) -> Option<Stopped> {
        self.0.stopped.get()
    }
}
