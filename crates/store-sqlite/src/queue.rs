//! A bounded queue between callers, which never block, and threads, which do.

#![expect(clippy::disallowed_methods, reason = "threads that wait know how long they did")]

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use orloj_store::Patience;

pub(crate) struct Queue<T> {
    state: Mutex<State<T>>,
    filled: Condvar,
    /// Whether `pop` would return: a look without the lock, for whoever waits awake.
    has_news: AtomicBool,
    limit: usize,
}

struct State<T> {
    entries: VecDeque<T>,
    closed: bool,
    /// Threads asleep in [`Queue::pop`]; nobody else needs waking.
    asleep: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Full,
    Closed,
}

impl<T> Queue<T> {
    pub(crate) fn new(limit: usize) -> Self {
        let state = State { entries: VecDeque::new(), closed: false, asleep: 0 };
        Self {
            state: Mutex::new(state),
            filled: Condvar::new(),
            has_news: AtomicBool::new(false),
            limit,
        }
    }

    pub(crate) fn push(&self, entry: T) -> Result<(), Refusal> {
        let mut state = self.lock();
        if state.closed {
            return Err(Refusal::Closed);
        }
        if state.entries.len() >= self.limit {
            return Err(Refusal::Full);
        }
        state.entries.push_back(entry);
        self.has_news.store(true, Ordering::Release);
        let is_someone_asleep = state.asleep > 0;
        drop(state);
        if is_someone_asleep {
            self.filled.notify_one();
        }
        Ok(())
    }

    /// Waits for an entry; `None` when the queue is closed and empty.
    pub(crate) fn pop(&self, patience: &mut Patience) -> Option<T> {
        if let Some(entry) = self.try_pop() {
            return Some(entry);
        }
        let begun = Instant::now();
        if let Some(until) = patience.awake_until() {
            while !self.has_news.load(Ordering::Acquire) && Instant::now() < until {
                std::hint::spin_loop();
            }
        }
        let popped = self.wait_and_pop();
        patience.waited_since(Some(begun));
        popped
    }

    fn try_pop(&self) -> Option<T> {
        let mut state = self.lock();
        self.take_first(&mut state)
    }

    fn wait_and_pop(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            if let Some(entry) = self.take_first(&mut state) {
                return Some(entry);
            }
            if state.closed {
                return None;
            }
            state.asleep += 1;
            state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.asleep -= 1;
        }
    }

    fn take_first(&self, state: &mut State<T>) -> Option<T> {
        let entry = state.entries.pop_front();
        let has_news = !state.entries.is_empty() || state.closed;
        self.has_news.store(has_news, Ordering::Release);
        entry
    }

    /// Takes no more entries; those in it are still popped.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.has_news.store(true, Ordering::Release);
        self.filled.notify_all();
    }

    /// Closes, and drops what is in it: nobody will pop any more.
    pub(crate) fn abandon(&self) {
        self.close();
        let dropped = std::mem::take(&mut self.lock().entries);
        drop(dropped);
    }

    /// Entries are moved in and out whole, so a panic elsewhere leaves the state in order.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_in_order_and_within_the_limit() {
        let queue = Queue::new(2);
        assert_eq!(queue.push(1), Ok(()));
        assert_eq!(queue.push(2), Ok(()));
        assert_eq!(queue.push(3), Err(Refusal::Full));
        assert_eq!(queue.pop(&mut Patience::default()), Some(1));
        assert_eq!(queue.push(4), Ok(()));
        queue.close();
        assert_eq!(queue.push(5), Err(Refusal::Closed));
        assert_eq!(
            [
                queue.pop(&mut Patience::default()),
                queue.pop(&mut Patience::default()),
                queue.pop(&mut Patience::default())
            ],
            [Some(2), Some(4), None]
        );
    }

    #[test]
    fn an_abandoned_queue_drops_its_entries() {
        let queue = Queue::new(2);
        assert_eq!(queue.push(1), Ok(()));
        queue.abandon();
        assert_eq!(queue.pop(&mut Patience::default()), None);
        assert_eq!(queue.push(1), Err(Refusal::Closed));
    }
}
