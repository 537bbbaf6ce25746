//! Calls of foreign code.

#![expect(clippy::disallowed_methods, reason = "calls are tasks, and how long they take matters")]

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use orloj_interpreter::InvokeResult;
use rustc_hash::FxHashSet;

use super::{Driver, Input};
use crate::node::{CallId, Event};

/// A delegate that answers within this may be called on the node's thread, and no more time than
/// this goes into such calls at once.
const QUICK_CALL_MAX: Duration = Duration::from_millis(1);

type Running = BoxFuture<'static, (CallId, InvokeResult)>;

impl Driver {
    /// Calls foreign code. A delegate is first called in a task of its own, since it may hold up
    /// its thread. Once it has answered at once, it is tried on the spot, which saves two switches
    /// of threads; when that has taken its time, the rest of what was asked for shares a task.
    ///
    /// Not to be called from within the thread's own runtime: foreign code may use all that the
    /// application's allows.
    pub(super) fn call(&mut self) {
        let calls = std::mem::take(&mut self.to_call);
        let tried_until = Instant::now() + QUICK_CALL_MAX;
        let outer = self.tokio.clone();
        let _outer = outer.enter();
        let together: FuturesUnordered<Running> = FuturesUnordered::new();
        for (call, invoke) in calls {
            let name = invoke.callee.name();
            let called = self.callees.call(invoke);
            let mut running: Running = Box::pin(async move { (call, called.await) });
            if !self.pace.is_quick(&name) {
                let alone: FuturesUnordered<Running> = FuturesUnordered::new();
                alone.push(self.pace.clone().measured(name, running));
                self.spawn_calls(alone);
                continue;
            }
            let begun = Instant::now();
            if begun < tried_until {
                let polled = running.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                if begun.elapsed() > QUICK_CALL_MAX {
                    self.pace.forget(&name);
                }
                if let Poll::Ready((call, result)) = polled {
                    self.node.handle(self.clock.now(), Event::Invoked { call, result });
                    continue;
                }
            }
            together.push(running);
        }
        if !together.is_empty() {
            self.spawn_calls(together);
        }
    }

    fn spawn_calls(&mut self, mut running: FuturesUnordered<Running>) {
        let sender = self.sender.clone();
        let task = self.tokio.spawn(async move {
            while let Some((call, result)) = running.next().await {
                if sender.send(Input::Event(Event::Invoked { call, result })).is_err() {
                    return;
                }
            }
        });
        self.calls.retain(|call| !call.is_finished());
        self.calls.push(task.abort_handle());
    }
}

/// Which delegates have answered quickly the last time.
#[derive(Clone, Default)]
pub(crate) struct Pace(Arc<Mutex<FxHashSet<Arc<str>>>>);

impl Pace {
    fn is_quick(&self, name: &str) -> bool {
        self.names().contains(name)
    }

    fn forget(&self, name: &str) {
        self.names().remove(name);
    }

    fn measured(self, name: Arc<str>, call: Running) -> Running {
        Box::pin(async move {
            let begun = Instant::now();
            let answered = call.await;
            if begun.elapsed() <= QUICK_CALL_MAX {
                self.names().insert(name);
            }
            answered
        })
    }

    fn names(&self) -> MutexGuard<'_, FxHashSet<Arc<str>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
