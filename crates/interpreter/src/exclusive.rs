//! The queue of an instance's exclusive jobs: who may run, and who is next.
//!
//! An exclusive job is ready if and only if it is the holder. A waiting, failed or suspended one is
//! in no queue at all; it joins at the end when it is due, repaired or resumed.
//!
//! Where exclusive jobs of a whole hierarchy exclude each other, all of them are in the queue of
//! its outermost instance, which takes part in every command of the others then.
//!
//! Where ready jobs have an order, it is kept among those of a queue, too. A job that goes before
//! the holder overtakes it at once if the holder was let run by the same command, for nobody can
//! have locked it yet. Otherwise the record does not know whether somebody has: the outcome says who
//! wants to overtake whom, and whoever can see the lock sends a command for it if there is none.

use std::collections::BTreeMap;

use orloj_types::{InstanceKey, JobKey, Order, Timestamp};

use crate::agenda::{MemberIndex, Step};
use crate::failure::Ruled;
use crate::pages::Pages;
use crate::record::{Job, JobKind, JobState, Record};
use crate::settings::JobSettings;
use crate::turn::Turn;
use crate::work::Work;

/// Entries are small, and they are not written.
const PAGE_MAX: usize = 128;
/// Where jobs have an order, so many of those that wait longest are looked at for the first one: a
/// fork that people draw has fewer branches, and a loop of thousands shall not pay for it.
const COMPARED_MAX: usize = 64;
/// The first ticket of a queue. Those below are for jobs that were overtaken.
const TICKETS_FROM: u64 = 1 << 16;

/// At most one exclusive job of an instance is acquirable at a time; the others are parked here
/// and the next is promoted by the same change that ends, fails or delays the first.
///
/// Who parks draws a ticket, and the lowest one is next, unless jobs have an order. A job that is
/// asked for by its key finds its ticket, so that none of a hundred thousand has to be searched for.
#[derive(Clone, Debug, Default)]
pub struct ExclusiveQueue {
    pub holder: Option<JobKey>,
    by_ticket: Pages<u64, JobKey, PAGE_MAX>,
    tickets: Pages<JobKey, u64, PAGE_MAX>,
    /// The highest ticket drawn since the queue was empty.
    last_ticket: u64,
    strangers: BTreeMap<JobKey, Stranger>,
}

/// A job of another instance of the hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stranger {
    pub instance: InstanceKey,
    /// Its record is not at hand when jobs are compared.
    pub standing: Standing,
}

/// What an order goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    pub priority: i64,
    pub is_timer: bool,
    pub due_at: Option<Timestamp>,
}

impl Standing {
    pub(crate) fn of(job: &Job) -> Self {
        Self::new(job.priority, &job.kind, job.due_at)
    }

    pub(crate) fn new(priority: i64, kind: &JobKind, due_at: Option<Timestamp>) -> Self {
        Self { priority, is_timer: matches!(kind, JobKind::Timer { .. }), due_at }
    }
}

/// Tickets matter by their order only.
impl PartialEq for ExclusiveQueue {
    fn eq(&self, other: &Self) -> bool {
        self.holder == other.holder
            && self.parked().eq(other.parked())
            && self.strangers == other.strangers
    }
}

impl ExclusiveQueue {
    /// The queue as it was stored: those parked with their tickets, in any order.
    pub fn from_parts(
        holder: Option<JobKey>,
        parked: impl IntoIterator<Item = (u64, JobKey)>,
    ) -> Self {
        let mut parked: Vec<_> = parked.into_iter().collect();
        parked.sort_unstable();
        let last_ticket = parked.last().map_or(0, |(ticket, _)| *ticket);
        let tickets = parked.iter().map(|&(ticket, job)| (job, ticket)).collect();
        let (by_ticket, strangers) = (parked.into_iter().collect(), BTreeMap::new());
        Self { holder, by_ticket, tickets, last_ticket, strangers }
    }

    /// Says of which jobs that the queue was made with belong to other instances.
    pub fn with_strangers(self, strangers: impl IntoIterator<Item = (JobKey, Stranger)>) -> Self {
        Self { strangers: strangers.into_iter().collect(), ..self }
    }

    /// The jobs in it that belong to other instances.
    pub fn strangers(&self) -> impl ExactSizeIterator<Item = (JobKey, Stranger)> {
        self.strangers.iter().map(|(job, stranger)| (*job, *stranger))
    }

    /// Whose the job is, if it belongs to another instance.
    pub fn stranger(&self, job: JobKey) -> Option<Stranger> {
        self.strangers.get(&job).copied()
    }

    /// The state of a job that is in the queue.
    fn state_of(&self, job: JobKey) -> Option<JobState> {
        match self.holder == Some(job) {
            true => Some(JobState::Ready),
            false => self.ticket(job).map(|_| JobState::Parked),
        }
    }

    /// Those that wait for the holder, the next one first.
    pub fn parked(&self) -> impl Iterator<Item = JobKey> {
        self.by_ticket.iter().map(|(_, job)| *job)
    }

    /// How many wait for the holder.
    pub fn parked_count(&self) -> usize {
        self.by_ticket.len()
    }

    /// The place of a parked job among the others.
    pub fn ticket(&self, job: JobKey) -> Option<u64> {
        self.tickets.get(job).copied()
    }

    /// The state of a job that wants to run.
    fn join(&mut self, job: JobKey) -> JobState {
        if self.holder.is_none() {
            self.holder = Some(job);
            return JobState::Ready;
        }
        self.last_ticket = self.last_ticket.max(TICKETS_FROM) + 1;
        self.park(self.last_ticket, job);
        JobState::Parked
    }

    /// Takes a job out; the answer is the one that may run instead, which is `next` in turn.
    fn leave(&mut self, job: JobKey, next: Option<JobKey>) -> Option<JobKey> {
        self.strangers.remove(&job);
        if self.holder == Some(job) {
            self.holder = next;
            if let Some((next, ticket)) = next.and_then(|next| Some((next, self.ticket(next)?))) {
                self.unpark(ticket, next);
            }
            return self.holder;
        }
        if let Some(ticket) = self.ticket(job) {
            self.unpark(ticket, job);
        }
        None
    }

    /// A parked job takes the place of the holder, which is the first of those that wait then.
    fn overtake(&mut self, job: JobKey) {
        let Some(ticket) = self.ticket(job) else { return };
        let first = self.by_ticket.iter().next().map_or(ticket, |(first, _)| *first);
        self.unpark(ticket, job);
        if let Some(overtaken) = self.holder.replace(job) {
            // Zero means no ticket where they are stored.
            let ticket = if first > 1 { first - 1 } else { ticket };
            self.last_ticket = self.last_ticket.max(ticket);
            self.park(ticket, overtaken);
        }
    }

    fn park(&mut self, ticket: u64, job: JobKey) {
        self.by_ticket.insert(ticket, job);
        self.tickets.insert(job, ticket);
    }

    fn unpark(&mut self, ticket: u64, job: JobKey) {
        self.by_ticket.remove(ticket);
        self.tickets.remove(job);
        if self.by_ticket.is_empty() {
            self.last_ticket = 0;
        }
    }
}

/// The state of an exclusive job that wants to run: it holds the queue or waits in it. One that
/// waits is to be [reconsidered](reconsider) when the record has it.
pub(crate) fn join(turn: &mut Turn<'_>, job: JobKey, standing: Standing) -> JobState {
    let root = root_of(turn);
    let (here, _) = turn.work.at();
    let instance = turn.work.record.instance;
    let (record, changes) = turn.work.parts_of(root.unwrap_or(here));
    let state = record.exclusive.join(job);
    if state == JobState::Ready {
        changes.new_holder = Some(job);
    }
    if root.is_some() {
        changes.is_record_changed = true;
        record.exclusive.strangers.insert(job, Stranger { instance, standing });
        note_held(turn, job);
    }
    state
}

/// As [`join`], for a job that may be in the queue already: it goes behind those parked. Alone it
/// stays first.
pub(crate) fn requeue(turn: &mut Turn<'_>, job: JobKey) -> JobState {
    let at = queue_at(turn);
    let queue = &turn.work.parts_of(at).0.exclusive;
    if queue.parked_count() == 0 && queue.holder == Some(job) {
        return JobState::Ready;
    }
    // A failed one is ready until now, all others are in no queue.
    let was = turn.work.record.job(job).map_or(JobState::Waiting, |(_, job)| job.state);
    release(turn, job, was);
    let standing = turn.work.record.job(job).map(|(_, job)| Standing::of(job));
    join(turn, job, standing.unwrap_or_default())
}

/// A job of the instance at work has come to wait in the queue, or has another place in the order
/// than before: perhaps another one than the holder goes first now.
pub(crate) fn reconsider(turn: &mut Turn<'_>, job: JobKey) {
    let (at, settings) = (queue_at(turn), turn.settings);
    let standing = turn.work.record.job(job).map(|(_, job)| Standing::of(job));
    let (record, changes) = turn.work.parts_of(at);
    if let Some(stranger) = record.exclusive.strangers.get_mut(&job)
        && let Some(standing) = standing.filter(|standing| *standing != stranger.standing)
    {
        stranger.standing = standing;
        changes.is_record_changed = true;
    }
    let (Some(order), Some(holder)) = (order_of(settings), record.exclusive.holder) else { return };
    let first = match holder == job {
        true => next_of(settings, record),
        false => record.exclusive.ticket(job).map(|_| job),
    };
    let place = |job: JobKey| place_of(order, record, job);
    let Some(first) = first.filter(|first| place(*first) < place(holder)) else { return };
    if changes.new_holder == Some(holder) {
        return overtake_at(turn, at, first);
    }
    let is_parked = |job: &JobKey| record.exclusive.ticket(*job).is_some();
    let wish = changes.overtaking.filter(is_parked);
    if wish.is_none_or(|wish| place(first) < place(wish)) {
        changes.overtaking = Some(first);
    }
}

/// A parked job of the queue that the instance at work has takes the place of its holder. False:
/// they are not what they were.
pub(crate) fn overtake(turn: &mut Turn<'_>, holder: JobKey, by: JobKey) -> bool {
    let (here, _) = turn.work.at();
    let queue = &turn.work.record.exclusive;
    let is_so = queue.holder == Some(holder) && queue.ticket(by).is_some();
    if is_so {
        overtake_at(turn, here, by);
    }
    is_so
}

fn overtake_at(turn: &mut Turn<'_>, at: MemberIndex, by: JobKey) {
    let (record, changes) = turn.work.parts_of(at);
    let overtaken = record.exclusive.holder;
    record.exclusive.overtake(by);
    changes.is_record_changed = true;
    changes.new_holder = Some(by);
    for job in overtaken.into_iter().chain([by]) {
        tell(turn, at, job);
    }
}

/// Who is next when the holder goes.
fn next_of(settings: &JobSettings, record: &Record) -> Option<JobKey> {
    let mut parked = record.exclusive.parked();
    match order_of(settings) {
        // The first of equals.
        Some(order) => parked.take(COMPARED_MAX).min_by_key(|job| place_of(order, record, *job)),
        None => parked.next(),
    }
}

fn order_of(settings: &JobSettings) -> Option<Order> {
    settings.exclusive_order.filter(|order| order.is_set())
}

/// Among equals tickets decide, and not keys.
fn place_of(order: Order, record: &Record, job: JobKey) -> [i64; 3] {
    let standing = match record.exclusive.strangers.get(&job) {
        Some(stranger) => stranger.standing,
        None => record.job(job).map(|(_, job)| Standing::of(job)).unwrap_or_default(),
    };
    let Standing { priority, is_timer, due_at } = standing;
    let run_at = due_at.unwrap_or(job.made_at());
    let [first, second, third, _] = order.place_of(priority, is_timer, run_at, job);
    [first, second, third]
}

/// Whether a job of the instance at work would have to wait.
pub(crate) fn is_taken(turn: &mut Turn<'_>) -> bool {
    let at = queue_at(turn);
    let record = turn.work.parts_of(at).0;
    record.exclusive.holder.is_some() || !record.still_held.is_empty()
}

/// The job was ready and is stopped: whoever has locked it keeps it until that run is over. Shared
/// queues know of it, too.
pub(crate) fn keep_lock(turn: &mut Turn<'_>, job: JobKey) {
    turn.work.record.still_held.insert(job);
    if let Some(root) = root_of(turn) {
        let (record, changes) = turn.work.parts_of(root);
        changes.is_record_changed = true;
        record.still_held.insert(job);
    }
}

/// The job is gone, or its run has ended and unlocks it.
pub(crate) fn lock_over(turn: &mut Turn<'_>, job: JobKey) {
    if !turn.work.record.still_held.remove(&job) {
        return;
    }
    if let Some(root) = root_of(turn) {
        let (record, changes) = turn.work.parts_of(root);
        changes.is_record_changed |= record.still_held.remove(&job);
    }
}

/// An exclusive job of the instance runs that was acquired while others counted as held: so none
/// of them is locked any more.
pub(crate) fn locks_over(turn: &mut Turn<'_>, acquired: JobKey) {
    if turn.work.record.still_held.is_empty() {
        return;
    }
    // Of one that was stopped itself nobody can tell whether this is its earlier run. In an
    // instance that shares a queue the name of a job may merely say that others are held.
    let at = queue_at(turn);
    let (record, changes) = turn.work.parts_of(at);
    if record.still_held.contains(&acquired) {
        return;
    }
    changes.is_record_changed |= !record.still_held.is_empty();
    record.still_held.clear();
    turn.work.record.still_held.clear();
}

/// Whether somebody may still have locked the job.
pub(crate) fn is_held(turn: &Turn<'_>, job: JobKey) -> bool {
    turn.work.record.still_held.contains(&job)
}

/// Takes a job, which was in that state until now, out of the queue and lets the next one run.
pub(crate) fn release(turn: &mut Turn<'_>, job: JobKey, was: JobState) {
    let (here, _) = turn.work.at();
    let was_here = release_at(turn, here, job);
    let was_queued = matches!(was, JobState::Ready | JobState::Parked);
    match (root_of(turn), turn.work.record.caller) {
        (Some(root), _) => {
            release_at(turn, root, job);
        }
        // It has joined when hierarchies had one queue.
        (None, Some(caller)) if was_queued && !was_here => {
            turn.work.push(Step::LeaveQueue { job, root: caller.root });
        }
        (None, _) => {}
    }
}

pub(crate) fn leave_shared(turn: &mut Turn<'_>, job: JobKey, root: InstanceKey) -> Ruled {
    if let Some(root) = turn.member(root)? {
        release_at(turn, root, job);
    }
    Ok(())
}

/// Whether it was there.
fn release_at(turn: &mut Turn<'_>, at: MemberIndex, job: JobKey) -> bool {
    let (record, changes) = turn.work.parts_of(at);
    let was_there = record.exclusive.holder == Some(job) || record.exclusive.ticket(job).is_some();
    if !was_there {
        return false;
    }
    changes.is_record_changed = true;
    let is_holder = record.exclusive.holder == Some(job);
    let next = is_holder.then(|| next_of(turn.settings, record)).flatten();
    if let Some(next) = record.exclusive.leave(job, next) {
        changes.new_holder = Some(next);
        tell(turn, at, next);
    }
    true
}

/// A job of the queue of a member learns how it stands there, now or when its instance is at hand.
fn tell(turn: &mut Turn<'_>, at: MemberIndex, job: JobKey) {
    let record = &*turn.work.parts_of(at).0;
    let Some(state) = record.exclusive.state_of(job) else { return };
    let stranger = record.exclusive.strangers.get(&job);
    let instance = stranger.map_or(record.instance, |stranger| stranger.instance);
    match turn.work.member(instance) {
        Some(member) => {
            let is_there = set_state(turn, member, job, state);
            debug_assert!(is_there, "a parked job is in its record until it leaves the queue");
        }
        None => turn.work.push(Step::Queued { job, instance, queue: at }),
    }
}

/// The same, of an instance that has to be asked for.
pub(crate) fn queued(
    turn: &mut Turn<'_>,
    job: JobKey,
    instance: InstanceKey,
    queue: MemberIndex,
) -> Ruled {
    let member = turn.member(instance)?;
    // It may have left the queue since.
    let Some(state) = turn.work.parts_of(queue).0.exclusive.state_of(job) else { return Ok(()) };
    if !member.is_some_and(|member| set_state(turn, member, job, state)) {
        release_at(turn, queue, job);
    }
    Ok(())
}

/// False: the member has no such job.
fn set_state(turn: &mut Turn<'_>, member: MemberIndex, key: JobKey, state: JobState) -> bool {
    let (here, _) = turn.work.at();
    turn.switch(member);
    let is_there = turn.job_mut(key).map(|job| job.state = state).is_some();
    if is_there {
        turn.work.changes.job_updated(key);
    }
    if is_there && state == JobState::Ready {
        note_held(turn, key);
    }
    turn.switch(here);
    is_there
}

/// A job of a shared queue learns that somebody may still have locked one of another instance.
fn note_held(turn: &mut Turn<'_>, job: JobKey) {
    let Some(root) = root_of(turn) else { return };
    if !turn.work.parts_of(root).0.still_held.is_empty() {
        turn.work.record.still_held.insert(job);
    }
}

/// The member that has the queue of the instance at work.
fn queue_at(turn: &Turn<'_>) -> MemberIndex {
    root_of(turn).unwrap_or(turn.work.at().0)
}

/// The member whose queue the instance at work shares; `None`: its own.
fn root_of(turn: &Turn<'_>) -> Option<MemberIndex> {
    let caller = turn.work.record.caller?;
    match turn.settings.exclusive_over_hierarchies {
        true => turn.work.member(caller.root),
        false => None,
    }
}

/// The outermost instance of the hierarchy, while a work that needs it does not have it.
pub(crate) fn root_missing(settings: &JobSettings, work: &Work) -> Option<InstanceKey> {
    if !settings.exclusive_over_hierarchies {
        return None;
    }
    let root = work.record.caller?.root;
    (work.member(root).is_none() && !work.absent.contains(&root)).then_some(root)
}

/// What must hold for every record that goes in or out.
pub(crate) fn holds(record: &Record) -> bool {
    /// Large records would make tests wait for the square of their size.
    const LOOKED_AT_MAX: usize = 2_000;
    if record.elements.len() > LOOKED_AT_MAX {
        return true;
    }
    let queue = &record.exclusive;
    if !record.elements.is_sound() {
        return false;
    }
    let mut queued = queue.strangers.len();
    for job in record.holders().flat_map(|e| &e.jobs).filter(|j| j.exclusive) {
        let is_holder = queue.holder == Some(job.key);
        let is_parked = queue.ticket(job.key).is_some();
        let is_queued = is_holder || is_parked;
        let wants = matches!(job.state, JobState::Ready | JobState::Parked);
        // The queue of the outermost instance may have it.
        let is_elsewhere = wants && !is_queued && record.caller.is_some();
        let fits = is_holder == (job.state == JobState::Ready)
            && is_parked == (job.state == JobState::Parked);
        if !fits && !is_elsewhere || wants && record.is_suspended {
            return false;
        }
        queued += usize::from(is_queued);
    }
    queued == usize::from(queue.holder.is_some()) + queue.parked_count()
}

#[cfg(test)]
mod tests {
    use orloj_types::Order;

    use crate::testing::{Sketch, Story, and, delegate, end, start};
    use crate::{Command, InvokeResult, JobOrder, JobSettings, JobState, Overtaking, Rejection};

    /// Three exclusive jobs at once.
    fn fork(sketch: Sketch) -> Sketch {
        sketch
            .node("start", start())
            .node("fork", and())
            .node("a", delegate("Work"))
            .node("b", delegate("Work"))
            .node("c", delegate("Work"))
            .node("end", end())
            .flows("start -> fork -> a -> end")
            .flows("fork -> b -> end")
            .flows("fork -> c -> end")
            .async_before("a")
            .async_before("b")
            .async_before("c")
    }

    fn states(story: &Story) -> String {
        let state = |element: &str| {
            let mut rows = story.jobs.values().filter(|row| &*row.element == element);
            rows.next().map_or("-".into(), |row| format!("{:?}", row.job.state).to_lowercase())
        };
        ["a", "b", "c"].map(state).join(" ")
    }

    #[test]
    fn one_is_ready_and_the_next_follows_when_it_is_done() {
        let mut story = Story::of(fork(Sketch::camunda()).build()).delegate("Work", &[]);
        insta::assert_snapshot!(story.start("{}"), @"
        started
        entered start
        left start
        entered fork
        left fork
        job1 created
        job2 created
        job3 created
        --
        insert job1 before a, ready, retries 3, exclusive
        insert job2 before b, parked, retries 3, exclusive
        insert job3 before c, parked, retries 3, exclusive
        at a entering job1
        at b entering job2
        at c entering job3
        ");
        insta::assert_snapshot!(story.run_job("b"), @"rejected: job job2 is in state Parked");
        insta::assert_snapshot!(story.run_job("a"), @"
        job1 completed
        entered a
        left a
        entered end
        left end
        --
        delete job1
        update job2 before b, ready, retries 3, exclusive
        at b entering job2
        at c entering job3
        ");
        insta::assert_snapshot!(story.run_job("b"), @"
        job2 completed
        entered b
        left b
        entered end#2
        left end#2
        --
        delete job2
        update job3 before c, ready, retries 3, exclusive
        at c entering job3
        ");
        insta::assert_snapshot!(story.run_job("c"), @"
        job3 completed
        entered c
        left c
        entered end#3
        left end#3
        ended Completed
        --
        delete job3
        end Completed {}
        ");
    }

    #[test]
    fn a_job_that_is_tried_at_once_goes_behind_the_others() {
        let failed = InvokeResult::Failed { message: "no".into() };
        let mut story = Story::of(fork(Sketch::camunda()).build())
            .delegate("Work", std::slice::from_ref(&failed));
        story.start("{}");
        insta::assert_snapshot!(story.run_job("a"), @"
        job1 failed, 2 left: no
        --
        update job1 before a, parked, retries 2, exclusive unlock 'no'
        update job2 before b, ready, retries 3, exclusive
        at a entering job1
        at b entering job2
        at c entering job3
        ");
        assert_eq!(states(&story), "parked ready parked");
        story.run_job("b");
        story.run_job("c");
        assert_eq!(states(&story), "ready - -");
        story.delegates.insert("Work".into(), vec![failed]);
        story.run_job("a");
        assert_eq!(states(&story), "ready - -", "alone it stays first");
    }

    #[test]
    fn a_delayed_job_leaves_the_queue_and_joins_it_again_when_due() {
        let failed = InvokeResult::Failed { message: "no".into() };
        let mut story = Story::of(fork(Sketch::flowable()).build()).delegate("Work", &[failed]);
        story.start("{}");
        insta::assert_snapshot!(story.run_job("a"), @"
        job1 failed, 2 left: no
        --
        update job1 before a, waiting, retries 2, exclusive, due +10 s unlock 'no'
        update job2 before b, ready, retries 3, exclusive
        at a entering job1
        at b entering job2
        at c entering job3
        ");
        assert_eq!(states(&story), "waiting ready parked");
        story.pass(10_000);
        story.job_due("a");
        assert_eq!(states(&story), "parked ready parked");
        story.run_job("b");
        story.run_job("c");
        assert_eq!(states(&story), "ready - -");
    }

    #[test]
    fn a_due_job_with_a_free_queue_becomes_its_holder_when_it_needs_foreign_code() {
        let failed = InvokeResult::Failed { message: "no".into() };
        let mut story = Story::of(fork(Sketch::flowable()).build()).delegate("Work", &[failed]);
        story.start("{}");
        story.run_job("a");
        story.run_job("b");
        story.run_job("c");
        assert_eq!(states(&story), "waiting - -");
        story.pass(10_000);
        story.job_due("a");
        assert_eq!(states(&story), "ready - -");
        assert_eq!(story.invoked.len(), 3, "no foreign code without a lock");
    }

    #[test]
    fn a_job_that_failed_for_good_leaves_the_queue_until_it_is_repaired() {
        let failed = InvokeResult::Failed { message: "no".into() };
        let process = fork(Sketch::camunda()).retry("a", "R1/PT1M").build();
        let mut story = Story::of(process).delegate("Work", &[failed]);
        story.start("{}");
        story.run_job("a");
        assert_eq!(states(&story), "failed ready parked");
        let job = story.job_of("a");
        story.play(Command::UpdateRetries { job, retries: 1 });
        assert_eq!(states(&story), "parked ready parked");
        story.run_job("b");
        assert_eq!(states(&story), "parked - ready");
    }

    #[test]
    fn a_job_that_was_stopped_is_held_until_its_run_is_over() {
        let mut story = Story::of(fork(Sketch::camunda()).build()).delegate("Work", &[]);
        story.start("{}");
        let held = |story: &Story| {
            let record = story.record.as_ref().expect("it lives");
            record.still_held.iter().copied().collect::<Vec<_>>()
        };
        let job = story.job_of("a");
        story.play(Command::SuspendJobs { jobs: vec![job] });
        assert_eq!(states(&story), "suspended ready parked");
        assert_eq!(held(&story), [job], "one that was ready may have been locked");
        let waits = story.job_of("c");
        story.play(Command::SuspendJobs { jobs: vec![waits] });
        assert_eq!(held(&story), [job], "one that was parked was not");
        story.play(Command::ResumeJobs { jobs: vec![job, waits] });
        story.run_job("b");
        assert_eq!(states(&story), "ready - parked");
        assert_eq!(held(&story), [], "'b' could not be acquired while it was");
        story.run_job("a");
        assert_eq!(states(&story), "- - ready");
    }

    #[test]
    fn cancelling_empties_the_queue() {
        let mut story = Story::of(fork(Sketch::camunda()).build()).delegate("Work", &[]);
        story.start("{}");
        insta::assert_snapshot!(story.play(Command::Cancel), @"
        job3 cancelled
        job2 cancelled
        job1 cancelled
        ended Cancelled
        --
        delete job1
        delete job2
        delete job3
        end Cancelled {}
        ");
    }

    #[test]
    fn a_chain_of_exclusive_jobs_lets_the_parked_ones_go_first() {
        let process = Sketch::camunda()
            .node("start", start())
            .node("fork", and())
            .node("a", delegate("Work"))
            .node("b", delegate("Work"))
            .node("c", delegate("Work"))
            .flows("start -> fork -> a -> c")
            .flows("fork -> b")
            .async_before("a")
            .async_before("b")
            .async_before("c");
        let mut story = Story::of(process.build()).delegate("Work", &[]);
        story.start("{}");
        story.run_job("a");
        assert_eq!(states(&story), "- ready parked");
        assert_eq!(story.jobs[&story.job_of("c")].job.state, JobState::Parked);
    }

    #[test]
    fn a_parked_job_overtakes_one_that_nobody_has_locked() {
        let order = Order::Flags { priority: true, timers_first: false, due: false };
        let settings = JobSettings { exclusive_order: Some(order), ..JobSettings::default() };
        let process = fork(Sketch::camunda()).build();
        let mut story = Story::of(process).settings(settings).delegate("Work", &[]);
        story.start("{}");
        let [a, b, c] = ["a", "b", "c"].map(|element| story.job_of(element));
        let what = JobOrder::SetPriority(5);
        let outcome =
            story.interpret(Command::ManageJob { job: c, what, failure: None }).expect("there");
        assert_eq!(outcome.overtaking, Some(Overtaking { holder: a, by: c }));
        let what = JobOrder::SetPriority(5);
        story.play(Command::ManageJob { job: c, what, failure: None });
        assert_eq!(states(&story), "ready parked parked", "somebody may have locked it");
        insta::assert_snapshot!(story.play(Command::Overtake { holder: a, by: c }), @"
        --
        update job1 before a, parked, retries 3, exclusive
        update job3 before c, ready, retries 3, priority 5, exclusive
        at a entering job1
        at b entering job2
        at c entering job3
        ");
        let refused = story.interpret(Command::Overtake { holder: a, by: b }).map(|_| ());
        assert_eq!(refused, Err(Rejection::JobNotFound(b)), "it does not hold the queue any more");
        story.run_job("c");
        assert_eq!(states(&story), "ready parked -", "who was overtaken waits longest");
    }
}
