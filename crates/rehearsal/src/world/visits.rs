//! Which elements were entered and left, in all instances.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::ElementInstanceKey;

/// Grows with every action; what an undone action saw is forgotten.
#[derive(Clone, Default)]
pub(super) struct Visits {
    open: BTreeMap<ElementInstanceKey, Arc<str>>,
    /// Visits that count from their end on.
    unnoticed: BTreeMap<ElementInstanceKey, Arc<str>>,
    counts: BTreeMap<Arc<str>, Counts>,
    /// Not told yet.
    seen: Vec<Visit>,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    ended: u32,
    cancelled: u32,
    open: u32,
}

#[derive(Clone, Debug)]
enum Visit {
    Entered { key: ElementInstanceKey, element: Arc<str> },
    Unnoticed { key: ElementInstanceKey, element: Arc<str> },
    Left { key: ElementInstanceKey, is_cancelled: bool },
}

/// Names of elements, sorted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub started: Vec<String>,
    pub ended: Vec<String>,
    pub cancelled: Vec<String>,
}

impl Visits {
    pub fn enter(&mut self, key: ElementInstanceKey, element: Arc<str>) {
        self.seen.push(Visit::Entered { key, element });
    }

    /// An element is entered which is noticed only when it is left normally.
    pub fn enter_unnoticed(&mut self, key: ElementInstanceKey, element: Arc<str>) {
        self.seen.push(Visit::Unnoticed { key, element });
    }

    pub fn leave(&mut self, key: ElementInstanceKey, is_cancelled: bool) {
        self.seen.push(Visit::Left { key, is_cancelled });
    }

    /// Where to go back to if the action is undone.
    pub fn mark(&self) -> usize {
        self.seen.len()
    }

    pub fn undo_to(&mut self, mark: usize) {
        self.seen.truncate(mark);
    }

    pub fn take_seen(&mut self) -> Seen {
        let mut seen = Seen::default();
        for visit in std::mem::take(&mut self.seen) {
            match visit {
                Visit::Entered { key, element } => {
                    seen.started.push(element.to_string());
                    self.counts.entry(element.clone()).or_default().open += 1;
                    self.open.insert(key, element);
                }
                Visit::Unnoticed { key, element } => {
                    self.unnoticed.insert(key, element);
                }
                Visit::Left { key, is_cancelled } => {
                    if let Some(element) = self.unnoticed.remove(&key)
                        && !is_cancelled
                    {
                        seen.started.push(element.to_string());
                        self.counts.entry(element.clone()).or_default().open += 1;
                        self.open.insert(key, element);
                    }
                    // Elements that do not count were never entered.
                    let Some(element) = self.open.remove(&key) else { continue };
                    let counts = self.counts.entry(element.clone()).or_default();
                    counts.open -= 1;
                    let (count, list) = match is_cancelled {
                        true => (&mut counts.cancelled, &mut seen.cancelled),
                        false => (&mut counts.ended, &mut seen.ended),
                    };
                    *count += 1;
                    list.push(element.to_string());
                }
            }
        }
        for list in [&mut seen.started, &mut seen.ended, &mut seen.cancelled] {
            list.sort();
        }
        seen
    }

    /// How often each element was left normally, was cancelled, is open.
    pub fn activities(&self) -> BTreeMap<String, [u32; 3]> {
        if !self.seen.is_empty() {
            // Somebody who leads the world by hand need not have asked what was seen.
            let mut told = self.clone();
            told.take_seen();
            return told.activities();
        }
        let row = |(element, counts): (&Arc<str>, &Counts)| {
            (element.to_string(), [counts.ended, counts.cancelled, counts.open])
        };
        self.counts.iter().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: i64) -> ElementInstanceKey {
        ElementInstanceKey::new(number)
    }

    #[test]
    fn an_unnoticed_element_counts_from_its_end() {
        let mut visits = Visits::default();
        visits.enter_unnoticed(key(1), "late".into());
        visits.enter_unnoticed(key(2), "later".into());
        assert_eq!(visits.take_seen(), Seen::default());
        visits.leave(key(1), false);
        visits.leave(key(2), true);
        let seen = visits.take_seen();
        assert_eq!((seen.started, seen.ended), (vec!["late".to_owned()], vec!["late".to_owned()]));
        assert_eq!(visits.activities(), BTreeMap::from([("late".to_owned(), [1, 0, 0])]));
    }

    #[test]
    fn an_element_may_be_entered_and_left_in_one_action() {
        let mut visits = Visits::default();
        visits.enter(key(2), "b".into());
        visits.enter(key(1), "a".into());
        visits.leave(key(1), false);
        let seen = visits.take_seen();
        assert_eq!(seen.started, ["a", "b"]);
        assert_eq!(seen.ended, ["a"]);
        visits.leave(key(2), true);
        visits.leave(key(9), true);
        assert_eq!(visits.take_seen().cancelled, ["b"]);
        let expected = [("a".to_owned(), [1, 0, 0]), ("b".to_owned(), [0, 1, 0])];
        assert_eq!(visits.activities(), BTreeMap::from(expected));
    }

    #[test]
    fn what_is_undone_was_never_seen() {
        let mut visits = Visits::default();
        visits.enter(key(1), "a".into());
        let mark = visits.mark();
        visits.enter(key(2), "b".into());
        visits.undo_to(mark);
        assert_eq!(visits.take_seen().started, ["a"]);
    }
}
