//! The life of the thread: it sleeps, takes what has happened, lets the node decide.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesOrdered, FuturesUnordered, StreamExt};
use orloj_executor::TakerId;
use orloj_interpreter::Invoke;
use orloj_store::{Claim, JobRow, Notice, Patience, Store};
use rustc_hash::FxHashMap;
use tokio::runtime::{Handle, Runtime};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, yield_now};

use super::{Answer, Chore, Input, Pace};
use crate::api::ActivatedJob;
use crate::calls::Callees;
use crate::clock::Clock;
use crate::definitions::Definitions;
use crate::node::{CallId, Event, Node, OfferId, RequestId};
use crate::own_executor::Executor;
use crate::pool::Spawn;

/// What a look at the inputs brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    Nothing,
    Some,
    /// A lane has been given its next group, which should leave now.
    Urgent,
}

/// Events taken before the node flushes; beyond it latency would suffer.
const BATCH_EVENTS_MAX: usize = 128;

pub(crate) struct Driver {
    pub node: Node,
    pub store: Arc<dyn Store>,
    pub claim: Claim,
    pub definitions: Arc<Definitions>,
    pub callees: Callees,
    pub clock: Clock,
    pub tokio: Handle,
    pub inputs: mpsc::UnboundedReceiver<Input>,
    pub sender: mpsc::UnboundedSender<Input>,
    /// Questions to the store that are under way.
    pub asked: FuturesUnordered<BoxFuture<'static, Event>>,
    /// Jobs to be offered, in the order in which the node does.
    pub offered: FuturesOrdered<BoxFuture<'static, (OfferId, Option<JobRow>)>>,
    /// Answers that came while another was being taken.
    pub early: VecDeque<Event>,
    pub is_ready: Arc<AtomicBool>,
    pub is_executor_active: Arc<AtomicBool>,
    pub stopped: Option<oneshot::Sender<()>>,
    pub answers: FxHashMap<RequestId, oneshot::Sender<Answer>>,
    pub streams: FxHashMap<TakerId, mpsc::UnboundedSender<ActivatedJob>>,
    pub calls: Vec<AbortHandle>,
    /// Who runs the application's code, if not the runtime.
    pub spawn: Option<Arc<dyn Spawn>>,
    /// Who decides when a job begins, if not the node.
    pub executor: Option<Arc<dyn Executor>>,
    /// What it was told last.
    pub is_executor_started: bool,
    /// What runs there.
    pub abroad: Vec<(Weak<()>, futures_util::future::AbortHandle)>,
    /// Calls that can be given up one by one; only where jobs may take too long.
    pub call_aborts: FxHashMap<CallId, futures_util::future::AbortHandle>,
    pub gives_up_calls: bool,
    pub pace: Pace,
    /// Foreign code asked for and not called yet.
    pub to_call: Vec<(CallId, Invoke)>,
    pub chores: std::sync::mpsc::Sender<Chore>,
    /// The newest definition and version of the settings known, to notice deployments of other
    /// nodes.
    pub deployed: (i64, i64),
    pub session: Arc<AtomicI64>,
}

impl Driver {
    /// Runs until the node has stopped.
    pub fn run(mut self, own: &Runtime) {
        let _unready = Unready(self.is_ready.clone());
        let mut patience = Patience::default();
        while own.block_on(self.live(&mut patience)) {
            self.call();
        }
        self.tell_executor(false);
        self.answers.clear();
        self.streams.clear();
        if let Some(stopped) = self.stopped.take() {
            // Nobody waits when the handle was dropped.
            let _ = stopped.send(());
        }
    }

    /// Goes on until foreign code is to be called. False: the node has stopped.
    async fn live(&mut self, patience: &mut Patience) -> bool {
        loop {
            let actions = self.node.flush(self.clock.now());
            self.is_ready.store(self.node.is_ready(), Ordering::SeqCst);
            self.is_executor_active.store(self.node.is_executor_active(), Ordering::SeqCst);
            self.tell_executor(self.node.is_executor_active());
            self.session.store(self.node.lease().session, Ordering::SeqCst);
            if self.perform(actions) {
                return false;
            }
            let mut has_news = false;
            loop {
                let taken = poll_fn(|cx| Poll::Ready(self.take_inputs(cx))).await;
                has_news |= taken != Taken::Nothing;
                // What is for the store leaves before anything else is worked on.
                yield_now().await;
                if taken != Taken::Urgent {
                    break;
                }
            }
            if !self.to_call.is_empty() {
                return true;
            }
            if !has_news && !self.node.has_backlog() && !self.wait(patience).await {
                self.node.handle(self.clock.now(), Event::Tick);
            }
        }
    }

    /// Until something has happened and is taken. False: nothing did, but the node wants to be
    /// woken.
    async fn wait(&mut self, patience: &mut Patience) -> bool {
        // One command on its way and nothing else: its answer is waited for awake.
        let begun = (self.node.awaits_little() && !self.asked.is_empty()).then(Instant::now);
        let awake_until = begun.and_then(|_| patience.awake_until());
        while awake_until.is_some_and(|until| Instant::now() < until) {
            let taken = poll_fn(|cx| Poll::Ready(self.take_inputs(cx))).await;
            yield_now().await;
            if taken != Taken::Nothing {
                patience.waited_since(begun);
                return true;
            }
        }
        let timeout = self.node.wake_at().map(|at| self.clock.until(at));
        let has_news = match timeout {
            Some(Some(Duration::ZERO)) => false,
            Some(Some(timeout)) => tokio::time::timeout(timeout, self.news()).await.is_ok(),
            // Nothing is wanted, or the clock is pinned: whoever moves it says so.
            Some(None) | None => {
                self.news().await;
                true
            }
        };
        patience.waited_since(begun);
        // As in `live`: a lane's next group may have to leave.
        yield_now().await;
        has_news
    }

    async fn news(&mut self) {
        poll_fn(|cx| match self.take_inputs(cx) {
            Taken::Nothing => Poll::Pending,
            Taken::Some | Taken::Urgent => Poll::Ready(()),
        })
        .await;
    }

    /// Takes what has happened, up to a bound.
    fn take_inputs(&mut self, cx: &mut Context<'_>) -> Taken {
        let mut taken = Taken::Nothing;
        for _ in 0..BATCH_EVENTS_MAX {
            if let Some(event) = self.early.pop_front() {
                self.take(Input::Event(event));
            } else if let Poll::Ready(Some(event)) = self.asked.poll_next_unpin(cx) {
                self.take(Input::Event(event));
                if self.go_on(cx) {
                    return Taken::Urgent;
                }
            } else if let Poll::Ready(Some((offer, row))) = self.offered.poll_next_unpin(cx) {
                self.hand_over(offer, row);
            } else if let Poll::Ready(Some(input)) = self.inputs.poll_recv(cx) {
                self.take(input);
            } else {
                break;
            }
            taken = Taken::Some;
        }
        taken
    }

    /// A lane that is free again gets its next group at once: a question is asked when it is
    /// first polled.
    fn go_on(&mut self, cx: &mut Context<'_>) -> bool {
        let urgent = self.node.urgent();
        if urgent.is_empty() {
            return false;
        }
        self.perform(urgent);
        while let Poll::Ready(Some(event)) = self.asked.poll_next_unpin(cx) {
            self.early.push_back(event);
        }
        true
    }

    pub(super) fn take(&mut self, input: Input) {
        let now = self.clock.now();
        match input {
            Input::Event(event) => {
                self.look_at(&event);
                self.node.handle(now, event);
            }
            Input::Request { id, request, answer } => {
                self.answers.insert(id, answer);
                self.node.handle(now, Event::Request { id, request });
            }
            Input::Open { id, stream, jobs } => {
                self.streams.insert(id, jobs);
                self.node.handle(now, Event::StreamOpened { id, stream });
            }
        }
    }

    /// Deployments of other nodes make what is known as latest doubtful.
    fn look_at(&mut self, event: &Event) {
        match event {
            Event::Noticed(Notice::Deployed) => self.forget_latest(),
            Event::Beaten { result: Ok(pulse), .. }
                if self.deployed != (pulse.newest_definition, pulse.settings_version) =>
            {
                // What is deleted shows in the settings.
                self.deployed = (pulse.newest_definition, pulse.settings_version);
                self.forget_latest();
            }
            Event::Invoked { call, .. } => {
                self.call_aborts.remove(call);
            }
            Event::StreamClosed { id } => {
                self.streams.remove(id);
            }
            Event::RequestDropped { id } => {
                self.answers.remove(id);
            }
            _ => {}
        }
    }

    fn forget_latest(&self) {
        self.definitions.forget_latest();
        self.callees.decisions.forget_latest();
    }
}

/// However the thread ends, nobody is told that commands are taken.
struct Unready(Arc<AtomicBool>);

impl Drop for Unready {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}
