//! What the node asks for, done.

use std::time::Duration;

use orloj_executor::TakerId;
use orloj_store::{Claim, JobRow, Notice};
use orloj_types::JobKey;

use super::chores::{self, Replies};
use super::look_up::look_up;
use super::{Chore, Driver, Input};
use crate::api::ActivatedJob;
use crate::assets::find_asset;
use crate::node::{Action, Event, OfferId};
use crate::own_executor::Offer;

/// More callers than this are answered by another thread.
const REPLIES_AT_ONCE_MAX: usize = 4;
/// Pause between two attempts to join.
const JOIN_PAUSE: Duration = Duration::from_millis(200);

impl Driver {
    /// True: the node has stopped.
    pub(super) fn perform(&mut self, actions: Vec<Action>) -> bool {
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
    pub(super) fn answer(&self, replies: Replies) {
        if replies.len() <= REPLIES_AT_ONCE_MAX {
            return chores::answer(replies, &self.sender);
        }
        if let Err(back) = self.chores.send(Chore::Answer(replies))
            && let Chore::Answer(replies) = back.0
        {
            chores::answer(replies, &self.sender);
        }
    }

    pub(super) fn push(&mut self, stream: TakerId, job: ActivatedJob) {
        let lost = (job.key, job.attempt);
        let sent = self.streams.get(&stream).is_some_and(|jobs| jobs.send(job).is_ok());
        if !sent {
            self.node.handle(self.clock.now(), Event::Undelivered { jobs: vec![lost] });
        }
    }

    /// The application's executor is started and stopped with the node's.
    pub(super) fn tell_executor(&mut self, is_active: bool) {
        let Some(executor) = &self.executor else { return };
        if std::mem::replace(&mut self.is_executor_started, is_active) != is_active {
            contained(|| if is_active { executor.start() } else { executor.stop() });
        }
    }

    /// With what the store says of the job now.
    pub(super) fn offer(&mut self, offer: OfferId, job: JobKey) {
        let store = self.store.clone();
        let asked = async move { (offer, store.job(job).await.ok().flatten()) };
        self.offered.push_back(Box::pin(asked));
    }

    pub(super) fn hand_over(&mut self, offer: OfferId, row: Option<JobRow>) {
        let (Some(row), Some(executor)) = (row, &self.executor) else {
            let event = Event::OfferAnswered { offer, is_taken: false };
            return self.take(Input::Event(event));
        };
        let offered = Offer::new(offer, &row, self.sender.clone());
        // One that panics has dropped the offer.
        contained(|| executor.execute(offered));
    }

    /// The store is asked from this thread and wakes it with its answer, without a detour.
    pub(super) fn ask_store(&self, action: Action) {
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
    pub(super) fn join(&self) {
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
