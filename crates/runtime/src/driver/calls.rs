//! Calls of foreign code.

#![expect(clippy::disallowed_methods, reason = "calls are tasks, and how long they take matters")]

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, abortable};
use futures_util::stream::{FuturesUnordered, StreamExt};
use orloj_interpreter::InvokeResult;
use rustc_hash::FxHashSet;

use super::{Driver, Input};
use crate::calls::{Called, Callees};
use crate::node::CallId;
use crate::pool::Spawn;

/// A delegate that answers within this may be called on the node's thread, and no more time than
/// this goes into such calls at once.
const QUICK_CALL_MAX: Duration = Duration::from_millis(1);

type Running = BoxFuture<'static, (CallId, Called)>;

impl Driver {
    /// Calls foreign code. A delegate is first called in a task of its own, since it may hold up
    /// its thread. Once it has answered at once, it is tried on the spot, which saves two switches
    /// of threads; when that has taken its time, the rest of what was asked for shares a task.
    ///
    /// Not to be called from within the thread's own runtime: foreign code may use all that the
    /// application's allows.
    pub(super) fn call(&mut self) {
        let mut calls = std::mem::take(&mut self.to_call);
        let tried_until = Instant::now() + QUICK_CALL_MAX;
        let outer = self.tokio.clone();
        let _outer = outer.enter();
        let together: FuturesUnordered<Running> = FuturesUnordered::new();
        for (call, invoke) in calls.drain(..) {
            let name = invoke.callee.name();
            let spawn = self.spawn.as_ref().filter(|_| Callees::is_of_application(&invoke));
            if let Some(spawn) = spawn.cloned() {
                let called = self.callees.call(invoke);
                let running =
                    self.given_up_alone(call, Box::pin(async move { (call, called.await) }));
                self.call_abroad(&*spawn, running);
                continue;
            }
            let mut called = self.callees.call(invoke);
            if !self.pace.is_quick(&name) {
                let alone: FuturesUnordered<Running> = FuturesUnordered::new();
                let running = Box::pin(async move { (call, called.await) });
                let running = self.given_up_alone(call, running);
                alone.push(self.pace.clone().measured(name, running));
                self.spawn_calls(alone);
                continue;
            }
            let begun = Instant::now();
            if begun < tried_until {
                let polled = called.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                if begun.elapsed() > QUICK_CALL_MAX {
                    self.pace.forget(&name);
                }
                if let Poll::Ready(called) = polled {
                    self.node.handle(self.clock.now(), called.event(call));
                    continue;
                }
            }
            let running: Running = Box::pin(async move { (call, called.await) });
            together.push(self.given_up_alone(call, running));
        }
        if !together.is_empty() {
            self.spawn_calls(together);
        }
        // Its memory is used again.
        self.to_call = calls;
    }

    /// Where a job may take too long its call can be ended without the others.
    fn given_up_alone(&mut self, call: CallId, running: Running) -> Running {
        if !self.gives_up_calls {
            return running;
        }
        let (running, handle) = abortable(running);
        self.call_aborts.insert(call, handle);
        Box::pin(async move {
            // Nobody waits for what is said about a call that was given up.
            let nothing = InvokeResult::Failed { message: "given up".into() };
            running.await.unwrap_or_else(|_| (call, nothing.into()))
        })
    }

    /// Where the application wants its code to run.
    fn call_abroad(&mut self, spawn: &dyn Spawn, running: Running) {
        let sender = self.sender.clone();
        let at_work = Arc::new(());
        let is_at_work = Arc::downgrade(&at_work);
        let (call, handle) = abortable(async move {
            let _at_work = at_work;
            let (call, called) = running.await;
            // The engine may have stopped.
            let _ = sender.send(Input::Event(called.event(call)));
        });
        spawn.spawn(Box::pin(async move {
            // Stopped, or done.
            let _ = call.await;
        }));
        self.abroad.retain(|(is_at_work, _)| is_at_work.strong_count() > 0);
        self.abroad.push((is_at_work, handle));
    }

    pub(super) fn abort_calls(&mut self) {
        self.to_call.clear();
        self.call_aborts.clear();
        for call in self.calls.drain(..) {
            call.abort();
        }
        for (_, call) in self.abroad.drain(..) {
            call.abort();
        }
    }

    fn spawn_calls(&mut self, mut running: FuturesUnordered<Running>) {
        let sender = self.sender.clone();
        let task = self.tokio.spawn(async move {
            while let Some((call, called)) = running.next().await {
                if sender.send(Input::Event(called.event(call))).is_err() {
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
