//! A bounded queue between callers, which never block, and threads, which do.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

pub(crate) struct Queue<T> {
    state: Mutex<State<T>>,
    filled: Condvar,
    limit: usize,
}

struct State<T> {
    entries: VecDeque<T>,
    closed: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Full,
    Closed,
}

impl<T> Queue<T> {
    pub(crate) fn new(limit: usize) -> Self {
        let state = State { entries: VecDeque::new(), closed: false };
        Self { state: Mutex::new(state), filled: Condvar::new(), limit }
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
        drop(state);
        self.filled.notify_one();
        Ok(())
    }

    /// Waits for an entry; `None` when the queue is closed and empty.
    pub(crate) fn pop(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            if let Some(entry) = state.entries.pop_front() {
                return Some(entry);
            }
            if state.closed {
                return None;
            }
            state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes no more entries; those in it are still popped.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
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
        assert_eq!(queue.pop(), Some(1));
        assert_eq!(queue.push(4), Ok(()));
        queue.close();
        assert_eq!(queue.push(5), Err(Refusal::Closed));
        assert_eq!([queue.pop(), queue.pop(), queue.pop()], [Some(2), Some(4), None]);
    }

    #[test]
    fn an_abandoned_queue_drops_its_entries() {
        let queue = Queue::new(2);
        assert_eq!(queue.push(1), Ok(()));
        queue.abandon();
        assert_eq!(queue.pop(), None);
        assert_eq!(queue.push(1), Err(Refusal::Closed));
    }
}
