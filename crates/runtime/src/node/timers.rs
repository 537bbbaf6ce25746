//! Time: waiting jobs that become due, worker locks that run out.

use std::sync::Arc;

use orloj_executor::Rank;
use orloj_interpreter::Command;
use orloj_store::{Error as StoreError, JobRow};
use orloj_types::{JobKey, Timestamp};

use super::event::{Action, Work, WorkOrigin};
use super::slot::Task;
use super::{Node, Phase, RETRY_MS, Sabotage};

/// Due jobs of workers taken in one look by a node that fires no timers.
const DUE_JOBS_MAX: usize = 256;
/// How long a node leaves a due job to the peer whose share it is.
const SHARE_MS: i64 = 1_000;

/// A due job being worked on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DueJob {
    /// Its place in the order, until it is made ready; nobody else's business if there is none.
    rank: Option<Rank>,
}

/// An acquisition that waits for what is due to become ready.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldUp {
    /// The look whose jobs it waits for.
    look: u64,
    /// What becomes due later it does not wait for.
    since: Timestamp,
}

impl Node {
    pub(super) fn watch_due(&mut self, at: Timestamp) {
        self.due.add(at);
        if self.has_peers {
            let earliest = self.notices.due_at.map_or(at, |known| known.min(at));
            self.notices.due_at = Some(earliest);
        }
    }

    pub(super) fn watch_lock_end(&mut self, at: Timestamp) {
        // A lock has run out when its end lies before now. One moment is enough: what ends later
        // is told by the heartbeat after the earlier one was looked at, so that jobs which were
        // completed long before their locks' ends cost no statement each.
        let at = at.plus_ms(1);
        self.lock_end = Some(self.lock_end.map_or(at, |known| known.min(at)));
    }

    pub(super) fn check_due(&mut self) {
        if self.phase != Phase::Running {
            return;
        }
        if !self.expiring && self.lock_end.is_some_and(|at| at <= self.now) {
            self.lock_end = None;
            self.expiring = true;
            self.is_pulse_stale = true;
            self.actions.push(Action::Expire { now: self.now });
        }
        if self.finding_due {
            return;
        }
        let early = if self.sabotaged(Sabotage::FireEarly) { 60_000 } else { 0 };
        let now = self.now.plus_ms(early);
        // Due jobs count as waiting until their change is committed: look again only then.
        let may_look = self.due_jobs.is_empty() && self.looking.due_look_at(now) <= now;
        if may_look && self.due.take_due(now) {
            self.finding_due = true;
            self.due_looks += 1;
            self.is_pulse_stale = true;
            let limit = u32::try_from(self.due_jobs_max()).unwrap_or(u32::MAX);
            // A worker's job comes back after its delay whether or not this node runs jobs.
            let is_for_workers = !self.fires();
            self.actions.push(Action::FindDue { now, limit, is_for_workers });
        }
    }

    pub(super) fn due_found(&mut self, result: Result<Vec<JobRow>, StoreError>) {
        self.finding_due = false;
        if self.phase != Phase::Running {
            // Asked before the lease was lost; the next life asks anew.
            return;
        }
        let jobs = match result {
            Ok(jobs) => jobs,
            Err(_) => {
                self.metrics.store_errors.inc();
                self.due.add(self.now.plus_ms(RETRY_MS));
                return;
            }
        };
        self.more_due = jobs.len() >= self.due_jobs_max();
        self.last_due = jobs.last().and_then(|row| row.due_at);
        let mut left_to_peers = false;
        let mut mine = Vec::with_capacity(jobs.len());
        for row in jobs {
            // It may have been switched off since it asked.
            if !self.fires() && !row.kind.is_for_workers() {
                continue;
            }
            if self.set_aside.contains_key(&row.key) {
                continue;
            }
            if !self.is_mine(&row) {
                left_to_peers = true;
                continue;
            }
            if !self.due_jobs.contains_key(&row.key) {
                mine.push((Rank::of(self.selection.order, &row), row));
            }
        }
        if self.selection.order.is_set() {
            mine.sort_by_key(|(rank, _)| *rank);
        }
        for (rank, row) in &mine {
            self.firing(row, *rank);
        }
        for (rank, row) in mine {
            if row.kind.is_chore() {
                self.chore_due(&row);
                continue;
            }
            let command = Command::JobDue { job: row.key, at_once: self.is_next(&row, rank) };
            let origin = WorkOrigin::Due { job: row.key };
            self.submit(row.instance, Task::Work(Box::new(Work::new(command, origin))));
        }
        // What stays due though nobody here fires it must not be looked for again and again.
        let is_idle = self.due_jobs.is_empty() && !left_to_peers;
        self.check_fired();
        self.none_due_at = is_idle.then_some(self.now);
        if left_to_peers {
            self.due.add(self.now.plus_ms(SHARE_MS));
        }
        if self.more_due && self.due_jobs.is_empty() {
            self.due.add(self.now.plus_ms(RETRY_MS));
        }
    }

    fn due_jobs_max(&self) -> usize {
        match self.fires() {
            // Those set aside are found again and again.
            true => {
                let page = self.looking.cadence.due_page(self.config.executor.timers_max);
                page.saturating_add(self.set_aside.len())
            }
            false => DUE_JOBS_MAX,
        }
    }

    /// Whether this node makes what is due ready.
    fn fires(&self) -> bool {
        self.config.executor.is_active && self.config.executor.fires_timers
    }

    /// Every node may fire every timer; to keep them out of each other's way each has a share, and
    /// takes another's only when that one is late.
    fn is_mine(&self, row: &JobRow) -> bool {
        let key = if row.kind.is_chore() { row.key.raw() } else { row.instance.raw() };
        let late = row.due_at.is_none_or(|at| self.now.ms_since(at) >= SHARE_MS);
        if !self.has_peers || late {
            return true;
        }
        // What waits for workers is made ready by all, what waits for executors by those alone.
        let sharing = match row.kind.is_for_workers() {
            true => &self.sessions,
            false => &self.firing_sessions,
        };
        let place = sharing.iter().position(|s| *s == self.lease.session).unwrap_or(0);
        let count = sharing.len().max(1) as i64;
        (key % count) as usize == place
    }

    fn firing(&mut self, row: &JobRow, rank: Rank) {
        let counts = self.selection.order.is_set()
            && self.is_taking()
            && !row.kind.is_for_workers()
            && self.selection.takes(row);
        let rank = counts.then_some(rank);
        self.firing.extend(rank);
        self.due_jobs.insert(row.key, DueJob { rank });
    }

    /// Whether this node, acquiring jobs now, would get this one before all others: then what it
    /// waits for may happen without it being acquired.
    fn is_next(&self, row: &JobRow, rank: Rank) -> bool {
        let is_limited = self.is_limited(&row.topic, &row.tenant, row.limit_key.as_ref());
        // Whoever is asked about each job is asked about this one as well.
        if is_limited || self.config.offers_jobs || !self.selection.takes(row) {
            return false;
        }
        if !self.selection.order.is_set() {
            return true;
        }
        // A node that acquires nothing does not know what is ready: others put it into its place,
        // where there are others.
        if !self.is_taking() {
            return !self.has_peers;
        }
        // Of a full page nobody knows yet what else is due.
        let is_page_known = !self.more_due || self.selection.order.is_by_due();
        is_page_known && self.goes_first(rank)
    }

    /// The change that makes a due job ready, or does it, is being made: from now on others know
    /// by what has become of it.
    pub(super) fn fired(&mut self, job: JobKey) {
        let due = self.due_jobs.get_mut(&job);
        if let Some(rank) = due.and_then(|due| due.rank.take()) {
            self.firing.remove(&rank);
        }
    }

    /// Nothing is left to do with what the last look has found.
    fn check_fired(&mut self) {
        // Due dates come in their order: of a full look that has come to what became due later,
        // the rest has as well.
        let is_later = |held: HeldUp| self.last_due.is_some_and(|at| at > held.since);
        let is_enough = !self.more_due || self.held_up.is_some_and(is_later);
        if self.due_jobs.is_empty() && is_enough {
            self.due_looks_done = self.due_looks;
        }
    }

    /// Whether jobs must not be acquired yet because the order could put timers before them that
    /// are due and not ready. Those that become due meanwhile wait for the next time, so that
    /// nothing is held up for ever.
    pub(super) fn awaits_timers(&mut self) -> bool {
        let is_due = self.due.next().is_some_and(|at| at <= self.now);
        let is_firing = self.finding_due || !self.due_jobs.is_empty() || is_due;
        if !self.selection.order.is_set() || !self.fires() || !is_firing {
            self.held_up = None;
            return false;
        }
        let held = HeldUp { look: self.due_looks + u64::from(is_due), since: self.now };
        self.held_up.get_or_insert(held);
        self.is_held_up()
    }

    /// Whether an acquisition waits for due jobs to become ready.
    fn is_held_up(&self) -> bool {
        self.held_up.is_some_and(|held| self.due_looks_done < held.look)
    }

    /// Someone else fired, moved or removed a due job after this node had found it.
    pub(super) fn due_lost(&mut self, job: JobKey) {
        self.has_lost_due = true;
        self.due_done(job);
    }

    /// A due job's change is committed, or there was nothing to do.
    pub(super) fn due_done(&mut self, job: JobKey) {
        self.fired(job);
        let was_last = self.due_jobs.remove(&job).is_some() && self.due_jobs.is_empty();
        if was_last {
            let has_lost = std::mem::take(&mut self.has_lost_due);
            self.looked_for_due(has_lost);
        }
        self.check_fired();
        if self.due_jobs.is_empty() && std::mem::take(&mut self.more_due) {
            self.due.add(self.now);
        }
    }

    pub(super) fn expired(&mut self, result: Result<Vec<Arc<str>>, StoreError>) {
        self.expiring = false;
        match result {
            Ok(types) => {
                self.metrics.locks_expired.inc_by(types.len() as u64);
                if self.known.has_limits() && !types.is_empty() {
                    self.tell_slots_freed();
                }
                for job_type in types {
                    // Whoever was let through by a breaker has not said how it went.
                    self.breakers.dropped(&job_type, self.now);
                    self.jobs_ready(job_type);
                }
            }
            Err(_) => {
                self.metrics.store_errors.inc();
                self.watch_lock_end(self.now.plus_ms(RETRY_MS));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use orloj_executor::BackoffOptions;
    use orloj_store::{JobKind, JobState, Lease, Notice};
    use orloj_types::{EngineName, InstanceKey, NodeNumber, TenantId};

    use super::super::chores::new_chore;
    use super::super::{Config, Event, ExecutorOptions, Looks};
    use super::*;
    use crate::calls::Registry;
    use crate::metrics::Metrics;

    const NOW: Timestamp = Timestamp::from_ms(1_900_000_000_000);

    fn node(backoff_ms: i64) -> Node {
        let looks = BackoffOptions {
            backoff_ms,
            backoff_ms_max: 8 * backoff_ms,
            decrease_threshold: 2,
            ..BackoffOptions::default()
        };
        let looks = Looks::Backoff(looks);
        let executor = ExecutorOptions { looks, timers_max: 4, ..ExecutorOptions::default() };
        let config = Config { executor, ..Config::default() };
        let lease = Lease { node: NodeNumber(1), session: 1, keys_above: 0 };
        Node::new(config, lease, Arc::new(Registry::default()), Metrics::default(), NOW)
    }

    fn timer(key: i64) -> JobRow {
        let (engine, tenant) = (EngineName::default(), TenantId::default());
        JobRow {
            instance: InstanceKey::new(7),
            state: JobState::Waiting,
            due_at: Some(NOW),
            ..new_chore(JobKey::new(key), &engine, &tenant, JobKind::Timer, NOW)
        }
    }

    /// How many due jobs the node looks for at a moment; `None`: it does not look.
    fn looks(node: &mut Node, now: Timestamp) -> Option<u32> {
        let actions = node.flush(now);
        actions.iter().find_map(|action| match action {
            Action::FindDue { limit, .. } => Some(*limit),
            _ => None,
        })
    }

    /// Finds these due; another node is faster with all of them.
    fn loses(node: &mut Node, now: Timestamp, jobs: Vec<JobRow>) {
        node.handle(now, Event::Due { result: Ok(jobs) });
        let loads = node.flush(now);
        let loads = loads.into_iter().filter_map(|action| match action {
            Action::Load { instances } => Some(instances),
            _ => None,
        });
        for instances in loads {
            node.handle(now, Event::Loaded { instances, result: Ok(Vec::new()) });
        }
    }

    fn due_again(node: &mut Node, now: Timestamp) {
        node.handle(now, Event::Noticed(Notice::DueAt(now)));
    }

    #[test]
    fn a_node_backs_off_from_due_jobs_that_another_one_was_faster_with() {
        let mut node = node(100);
        due_again(&mut node, NOW);
        assert_eq!(looks(&mut node, NOW), Some(4));
        loses(&mut node, NOW, vec![timer(1), timer(2)]);
        due_again(&mut node, NOW);
        assert_eq!(looks(&mut node, NOW.plus_ms(99)), None, "it leaves them to the other");
        let woken = node.wake_at().expect("it looks again");
        assert!((100..150).contains(&woken.ms_since(NOW)), "and half as long again by chance");
        assert_eq!(looks(&mut node, woken), Some(8), "and for more, to come past the other");
        loses(&mut node, woken, vec![timer(3)]);
        due_again(&mut node, woken);
        assert_eq!(looks(&mut node, woken.plus_ms(199)), None, "longer each time");
        node.handle(
            woken.plus_ms(199),
            Event::Noticed(Notice::JobsReady { types: vec!["".into()] }),
        );
        assert_eq!(looks(&mut node, woken.plus_ms(199)), Some(16), "a hint wakes it");
    }

    #[test]
    fn without_back_off_it_looks_again_at_once() {
        let mut node = node(0);
        due_again(&mut node, NOW);
        assert_eq!(looks(&mut node, NOW), Some(4));
        loses(&mut node, NOW, vec![timer(1)]);
        due_again(&mut node, NOW);
        assert_eq!(looks(&mut node, NOW), Some(4));
    }

    #[test]
    fn what_this_node_could_not_read_is_not_lost() {
        let mut node = node(100);
        due_again(&mut node, NOW);
        assert_eq!(looks(&mut node, NOW), Some(4));
        node.handle(NOW, Event::Due { result: Err(StoreError::Unavailable("away".into())) });
        assert_eq!(looks(&mut node, NOW.plus_ms(RETRY_MS)), Some(4));
    }
}
