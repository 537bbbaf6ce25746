//! The lock floor of this process: no beat may say that nothing below a key is held while a lock
//! on such a key is being written or was written a moment ago.
//!
//! Recovery finds a dead node's jobs by scanning from its floor, so a lock below the floor would
//! never be cleared. A node computes its floor from what it knows it holds, and the statement that
//! locks may be ahead of that knowledge: its answer may be late, or the beat may have been on its
//! way already. Therefore
//! - a session begins with a floor below all keys it can give, before its first beat;
//! - a key is held here from before its lock can be committed until two beats after the answer was
//!   given, and lowers the floor of every beat until then;
//! - who locks a key below a floor that a beat has already carried away lowers the stored one in
//!   the same transaction (`must_lower`), and the row remembers that until the next beat.

use std::sync::Mutex;

#[derive(Default)]
pub(crate) struct Floor(Mutex<Held>);

#[derive(Default)]
struct Held {
    /// The highest floor that a session began with or a beat was given.
    carried: Option<i64>,
    beats: u64,
    next: u64,
    keys: Vec<Key>,
}

struct Key {
    id: u64,
    key: i64,
    /// The beat after which the answer was given.
    answered: Option<u64>,
}

/// Dropped when the answer is given.
pub(crate) struct Hold<'a> {
    floor: &'a Floor,
    id: u64,
    pub must_lower: bool,
}

impl Floor {
    /// A session begins with this floor.
    pub fn begin(&self, floor: i64) {
        self.held().carry(floor);
    }

    /// `key` is the lowest that is about to be locked.
    pub fn hold(&self, key: i64) -> Hold<'_> {
        let mut held = self.held();
        let id = held.next;
        held.next += 1;
        held.keys.push(Key { id, key, answered: None });
        let must_lower = held.carried.is_some_and(|carried| key < carried);
        Hold { floor: self, id, must_lower }
    }

    /// The floor that a beat may carry when the node asks for `asked`.
    pub fn for_beat(&self, asked: i64) -> i64 {
        let mut held = self.held();
        let beats = held.beats;
        held.keys.retain(|key| key.answered.is_none_or(|answered| beats < answered + 2));
        held.beats += 1;
        let lowest = held.keys.iter().map(|key| key.key).min();
        let floor = lowest.map_or(asked, |lowest| lowest.min(asked));
        held.carry(floor);
        floor
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.0.lock().expect("nothing panics while it is held")
    }
}

impl Held {
    fn carry(&mut self, floor: i64) {
        self.carried = Some(self.carried.map_or(floor, |carried| carried.max(floor)));
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        let mut held = self.floor.held();
        let beats = held.beats;
        if let Some(key) = held.keys.iter_mut().find(|key| key.id == self.id) {
            key.answered = Some(beats);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_lowers_the_floor_until_two_beats_after_its_answer() {
        let floor = Floor::default();
        let hold = floor.hold(50);
        assert!(!hold.must_lower, "no beat has carried a floor yet");
        for _ in 0..3 {
            assert_eq!(floor.for_beat(400), 50);
        }
        drop(hold);
        assert_eq!(floor.for_beat(400), 50, "the node may not have looked at the answer yet");
        assert_eq!(floor.for_beat(30), 30);
        assert_eq!(floor.for_beat(400), 400);
    }

    #[test]
    fn a_lock_below_the_floor_that_a_session_began_with_must_lower_it() {
        let floor = Floor::default();
        floor.begin(400);
        assert!(floor.hold(399).must_lower);
        assert!(!floor.hold(400).must_lower);
    }

    #[test]
    fn a_lock_below_a_floor_that_is_on_its_way_must_lower_it() {
        let floor = Floor::default();
        assert_eq!(floor.for_beat(400), 400);
        assert!(floor.hold(399).must_lower);
        assert!(!floor.hold(400).must_lower);
        assert_eq!(floor.for_beat(500), 399);
        assert!(floor.hold(399).must_lower, "the highest counts");
    }
}
