//! The driver of production: one thread owns the node and performs what it asks for.
//!
//! The thread sleeps until something happens or the node wants to be woken. It takes everything
//! that has happened in one go, so that work gathers into groups by itself when there is much.
//!
//! The thread has a tokio runtime of its own, so that it reads and writes the committers' sockets
//! itself: a lane would else wait for two more threads to be woken between any two groups. Foreign
//! code belongs to the application's runtime ([`calls`]).

#![expect(clippy::disallowed_methods, reason = "tasks and pauses live in drivers")]

mod calls;
mod chores;
mod look_up;
pub(crate) mod metering;

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
use orloj_types::JobKey;
use rustc_hash::FxHashMap;
use tokio::runtime::{Handle, Runtime};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, yield_now};

use crate::api::{ActivatedJob, Error, StreamJobs};
use crate::calls::Callees;
pub(crate) use calls::Pace;
use chores::Replies;
pub(crate) use chores::{Chore, run as run_chores};
use look_up::look_up;

use crate::assets::find_asset;
use crate::clock::Clock;
use crate::definitions::Definitions;
use crate::node::{Action, CallId, Event, Node, OfferId, Reply, Request, RequestId};
use crate::own_executor::{Executor, Offer};
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
/// More callers than this are answered by another thread.
const REPLIES_AT_ONCE_MAX: usize = 4;
/// Pause between two attempts to join.
const JOIN_PAUSE: Duration = Duration::from_millis(200);

pub(crate) type Answer = Result<Reply, Error>;

/// What reaches the thread from outside.
pub(crate) enum Input {
    Event(Event),
    Request { id: RequestId, request: Request, answer: oneshot::Sender<Answer> },
    Open { id: TakerId, stream: StreamJobs, jobs: mpsc::UnboundedSender<ActivatedJob> },
}

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

    fn take(&mut self, input: Input) {
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

    /// True: the node has stopped.
    fn perform(&mut self, actions: Vec<Action>) -> bool {
        let mut replies = Replies::new();
        let mut is_over = false;
        for action in actions {
            match action {
                Action::Reply { id, result } => {
                    replies.extend(self.answers.remove(&id).map(|answer| (answer, result)));
                }
                Action::Push { stream, job } => self.push(stream, *job),
                Action::CloseStream { stream } => {
                    self.streams.remove(&stream);
                }
                Action::Invoke { call, invoke } => self.to_call.push((call, *invoke)),
                Action::Offer { offer, job } => self.offer(offer, job),
                Action::AbortInvoke { call } => {
                    self.to_call.retain(|(waiting, _)| *waiting != call);
                    if let Some(running) = self.call_aborts.remove(&call) {
                        running.abort();
                    }
                }
                Action::AbortInvokes => self.abort_calls(),
                Action::Prepare(group) => {
                    // A hint; without that thread the group is translated when it is committed.
                    let _ = self.chores.send(Chore::Prepare(group));
                }
                Action::Join => self.join(),
                Action::Stopped => is_over = true,
                other => self.ask_store(other),
            }
        }
        self.answer(replies);
        is_over
    }

    /// Waking a caller may mean waking a thread; many are left to the thread for chores.
    fn answer(&self, replies: Replies) {
        if replies.len() <= REPLIES_AT_ONCE_MAX {
            return chores::answer(replies, &self.sender);
        }
        if let Err(back) = self.chores.send(Chore::Answer(replies))
            && let Chore::Answer(replies) = back.0
        {
            chores::answer(replies, &self.sender);
        }
    }

    fn push(&mut self, stream: TakerId, job: ActivatedJob) {
        let lost = (job.key, job.attempt);
        let sent = self.streams.get(&stream).is_some_and(|jobs| jobs.send(job).is_ok());
        if !sent {
            self.node.handle(self.clock.now(), Event::Undelivered { jobs: vec![lost] });
        }
    }

    /// The application's executor is started and stopped with the node's.
    fn tell_executor(&mut self, is_active: bool) {
        let Some(executor) = &self.executor else { return };
        if std::mem::replace(&mut self.is_executor_started, is_active) != is_active {
            contained(|| if is_active { executor.start() } else { executor.stop() });
        }
    }

    /// With what the store says of the job now.
    fn offer(&mut self, offer: OfferId, job: JobKey) {
        let store = self.store.clone();
        let asked = async move { (offer, store.job(job).await.ok().flatten()) };
        self.offered.push_back(Box::pin(asked));
    }

    fn hand_over(&mut self, offer: OfferId, row: Option<JobRow>) {
        let (Some(row), Some(executor)) = (row, &self.executor) else {
            let event = Event::OfferAnswered { offer, is_taken: false };
            return self.take(Input::Event(event));
        };
        let offered = Offer::new(offer, &row, self.sender.clone());
        // One that panics has dropped the offer.
        contained(|| executor.execute(offered));
    }

    /// The store is asked from this thread and wakes it with its answer, without a detour.
    fn ask_store(&self, action: Action) {
        let store = self.store.clone();
        let definitions = self.definitions.clone();
        let asked = async move {
            match action {
                Action::Load { instances } => {
                    let result = store.load(instances.clone()).await;
                    Event::Loaded { instances, result }
                }
                Action::LoadDefinition { key } => {
                    Event::DefinitionLoaded { key, result: definitions.get(key).await }
                }
                Action::FindDefinition { call, called } => {
                    Event::DefinitionFound { call, result: definitions.called(&called).await }
                }
                Action::FindAsset { call, wanted } => Event::AssetFound {
                    call,
                    result: find_asset(&*store, &definitions, &wanted).await,
                },
                Action::Commit(group) => {
                    let (session, lane, id) = (group.lease.session, group.lane, group.id);
                    let result = store.commit(group).await;
                    Event::Committed { session, lane, group: id, result }
                }
                Action::AskLanded { lease, lane, group } => {
                    let result = store.landed(lease, lane, group).await;
                    Event::Landed { session: lease.session, lane, group, result }
                }
                Action::Acquire { ticket, acquire } => {
                    Event::Acquired { ticket, result: store.acquire(acquire).await }
                }
                Action::Find { ticket, find } => {
                    Event::Found { ticket, result: look_up(&*store, &definitions, find).await }
                }
                Action::FindDue { now, limit, is_for_workers: false } => {
                    Event::Due { result: store.due(now, limit).await }
                }
                Action::FindDue { now, limit, is_for_workers: true } => {
                    Event::Due { result: store.due_for_workers(now, limit).await }
                }
                Action::Expire { now } => Event::Expired { result: store.expire(now).await },
                Action::Release { lease, jobs } => {
                    let result = store.release(lease, jobs.clone()).await;
                    Event::Released { jobs, result }
                }
                Action::Beat(beat) => {
                    let session = beat.lease.session;
                    Event::Beaten { session, result: store.beat(beat).await }
                }
                Action::Fence { session, beat } => {
                    Event::Fenced { result: store.fence(session, beat).await }
                }
                Action::Describe { lease, profile } => {
                    let told = store.describe_node(lease, profile).await;
                    Event::Described { session: lease.session, is_told: told.is_ok() }
                }
                Action::Leave { lease } => {
                    // What could not be given back is taken when the lease runs out.
                    let _ = store.leave(lease).await;
                    // Others may take it now; a hint.
                    let types = vec!["".into()];
                    let _ = store.notify(vec![Notice::JobsReady { types }]).await;
                    Event::Left
                }
                Action::Notify(notices) => {
                    // Hints may be lost.
                    let _ = store.notify(notices).await;
                    Event::Tick
                }
                Action::Reply { .. }
                | Action::Push { .. }
                | Action::CloseStream { .. }
                | Action::Invoke { .. }
                | Action::Offer { .. }
                | Action::AbortInvoke { .. }
                | Action::AbortInvokes
                | Action::Prepare(_)
                | Action::Join
                | Action::Stopped => Event::Tick,
            }
        };
        self.asked.push(Box::pin(asked));
    }

    /// After a pause: the store that fenced this node, or does not answer, is not to be pressed.
    fn join(&self) {
        let (store, claim, clock) = (self.store.clone(), self.claim.clone(), self.clock.clone());
        let sender = self.sender.clone();
        self.tokio.spawn(async move {
            tokio::time::sleep(JOIN_PAUSE).await;
            let result = store.join(Claim { now: clock.now(), ..claim }).await;
            // The thread is gone when the engine has stopped.
            let _ = sender.send(Input::Event(Event::Joined { result }));
        });
    }
}

/// The application's code must not end the thread that calls it.
fn contained(run: impl FnOnce()) {
    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err() {
        tracing::error!("the application's executor panicked");
    }
}

/// However the thread ends, nobody is told that commands are taken.
struct Unready(Arc<AtomicBool>);

impl Drop for Unready {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}
