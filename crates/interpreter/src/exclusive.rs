//! The queue of an instance's exclusive jobs: who may run, and who is next.
//!
//! An exclusive job is ready if and only if it is the holder. A waiting, failed or suspended one is
//! in no queue at all; it joins at the end when it is due, repaired or resumed.
//!
//! Where exclusive jobs of a whole hierarchy exclude each other, all of them are in the queue of
//! its outermost instance, which takes part in every command of the others then.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use orloj_types::{InstanceKey, JobKey};

use crate::agenda::{MemberIndex, Step};
use crate::failure::Ruled;
use crate::pages::Pages;
use crate::record::{JobState, Record};
use crate::settings::JobSettings;
use crate::turn::Turn;
use crate::work::Work;

/// Entries are small, and they are not written.
const PAGE_MAX: usize = 128;
/// Where priorities count, so many of those that wait longest are looked at for the highest one: a
/// fork that people draw has fewer branches, and a loop of thousands shall not pay for it.
const COMPARED_MAX: usize = 64;
/// The first ticket of a queue. Those below are for jobs that were overtaken before anyone saw them.
const TICKETS_FROM: u64 = 1 << 16;

/// At most one exclusive job of an instance is acquirable at a time; the others are parked here
/// and the next is promoted by the same change that ends, fails or delays the first.
///
/// Who parks draws a ticket, and the lowest one is next, unless priorities count. A job that is asked for by its key finds
/// its ticket, so that none of a hundred thousand has to be searched for.
#[derive(Clone, Debug, Default)]
pub struct ExclusiveQueue {
    pub holder: Option<JobKey>,
    by_ticket: Pages<u64, JobKey, PAGE_MAX>,
    tickets: Pages<JobKey, u64, PAGE_MAX>,
    /// The highest ticket drawn since the queue was empty.
    last_ticket: u64,
    /// Jobs of other instances of the hierarchy, and whose they are.
    strangers: BTreeMap<JobKey, InstanceKey>,
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
    pub fn with_strangers(
        self,
        strangers: impl IntoIterator<Item = (JobKey, InstanceKey)>,
    ) -> Self {
        Self { strangers: strangers.into_iter().collect(), ..self }
    }

    /// The jobs in it that belong to other instances.
    pub fn strangers(&self) -> impl ExactSizeIterator<Item = (JobKey, InstanceKey)> {
        self.strangers.iter().map(|(job, instance)| (*job, *instance))
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

/// The state of an exclusive job that wants to run: it holds the queue or waits in it.
pub(crate) fn join(turn: &mut Turn<'_>, job: JobKey) -> JobState {
    let Some(root) = root_of(turn) else {
        let state = turn.work.record.exclusive.join(job);
        if state == JobState::Ready {
            turn.work.changes.new_holder = Some(job);
        }
        return state;
    };
    let instance = turn.work.record.instance;
    let (record, changes) = turn.work.parts_of(root);
    changes.is_record_changed = true;
    record.exclusive.strangers.insert(job, instance);
    let state = record.exclusive.join(job);
    note_held(turn, job);
    state
}

/// As [`join`], for a job that may be in the queue already: it goes behind those parked. Alone it
/// stays first.
pub(crate) fn requeue(turn: &mut Turn<'_>, job: JobKey) -> JobState {
    let (here, _) = turn.work.at();
    let at = root_of(turn).unwrap_or(here);
    let queue = &turn.work.parts_of(at).0.exclusive;
    if queue.parked_count() == 0 && queue.holder == Some(job) {
        return JobState::Ready;
    }
    release(turn, job);
    join(turn, job)
}

/// A job that was just made goes before the one that came to hold the queue in the same command, if
/// its priority is higher. One that holds it for longer may be at work and is left alone.
pub(crate) fn prefer(turn: &mut Turn<'_>, job: JobKey) {
    let record = &turn.work.record;
    let Some(holder) = record.exclusive.holder else { return };
    let is_new = turn.work.changes.new_holder == Some(holder);
    if !turn.settings.exclusive_by_priority || !is_new || record.exclusive.ticket(job).is_none() {
        return;
    }
    let priority = |key| record.job(key).map(|(_, job)| job.priority);
    let (Some(wanted), Some(held)) = (priority(job), priority(holder)) else { return };
    if wanted <= held {
        return;
    }
    turn.work.record.exclusive.overtake(job);
    turn.work.changes.new_holder = Some(job);
    for (key, state) in [(holder, JobState::Parked), (job, JobState::Ready)] {
        turn.job_mut(key).expect("it was just compared").state = state;
        turn.work.changes.job_updated(key);
    }
}

/// Who is next when the holder goes. Of jobs of other instances the priorities are not at hand: a
/// queue that has some goes by age.
fn next_of(settings: &JobSettings, record: &Record) -> Option<JobKey> {
    let queue = &record.exclusive;
    if !settings.exclusive_by_priority || !queue.strangers.is_empty() {
        return queue.parked().next();
    }
    let priority = |job: &JobKey| record.job(*job).map_or(0, |(_, job)| job.priority);
    // The first of equals.
    queue.parked().take(COMPARED_MAX).min_by_key(|job| Reverse(priority(job)))
}

/// Whether a job of the instance at work would have to wait.
pub(crate) fn is_taken(turn: &mut Turn<'_>) -> bool {
    let (here, _) = turn.work.at();
    let at = root_of(turn).unwrap_or(here);
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
    let (here, _) = turn.work.at();
    let queue_at = root_of(turn).unwrap_or(here);
    let (record, changes) = turn.work.parts_of(queue_at);
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

/// Takes a job out of the queue and lets the next one run.
pub(crate) fn release(turn: &mut Turn<'_>, job: JobKey) {
    let (here, _) = turn.work.at();
    release_at(turn, here, job);
    if let Some(root) = root_of(turn) {
        release_at(turn, root, job);
    }
}

fn release_at(turn: &mut Turn<'_>, at: MemberIndex, job: JobKey) {
    let (record, changes) = turn.work.parts_of(at);
    let was_there = record.exclusive.holder == Some(job) || record.exclusive.ticket(job).is_some();
    if !was_there {
        return;
    }
    changes.is_record_changed = true;
    let is_holder = record.exclusive.holder == Some(job);
    let next = is_holder.then(|| next_of(turn.settings, record)).flatten();
    let Some(next) = record.exclusive.leave(job, next) else { return };
    changes.new_holder = Some(next);
    let instance = record.exclusive.strangers.get(&next).copied().unwrap_or(record.instance);
    match turn.work.member(instance) {
        Some(member) => {
            let (here, _) = turn.work.at();
            turn.switch(member);
            let is_there = let_run(turn, next);
            turn.switch(here);
            debug_assert!(is_there, "a parked job is in its record until it leaves the queue");
        }
        None => turn.work.push(Step::Promote { job: next, instance }),
    }
}

/// A job that has come to hold the queue, of an instance that may have to be asked for.
pub(crate) fn promote(turn: &mut Turn<'_>, job: JobKey, instance: InstanceKey) -> Ruled {
    let (here, _) = turn.work.at();
    let is_there = match turn.member(instance)? {
        Some(member) => {
            turn.switch(member);
            let is_there = let_run(turn, job);
            turn.switch(here);
            is_there
        }
        None => false,
    };
    if !is_there {
        release(turn, job);
    }
    Ok(())
}

fn let_run(turn: &mut Turn<'_>, key: JobKey) -> bool {
    let Some(job) = turn.job_mut(key) else { return false };
    job.state = JobState::Ready;
    turn.work.changes.job_updated(key);
    note_held(turn, key);
    true
}

/// A job of a shared queue learns that somebody may still have locked one of another instance.
fn note_held(turn: &mut Turn<'_>, job: JobKey) {
    let Some(root) = root_of(turn) else { return };
    if !turn.work.parts_of(root).0.still_held.is_empty() {
        turn.work.record.still_held.insert(job);
    }
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
    use crate::testing::{Sketch, Story, and, delegate, end, start};
    use crate::{Command, InvokeResult, JobState};

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
}
