use std::collections::BTreeMap;

/// What will happen, by time. What happens at the same moment is in the order of the seed.
#[derive(Debug)]
pub(crate) struct Agenda<T> {
    entries: BTreeMap<(i64, u64, u64), T>,
    next: u64,
}

impl<T> Agenda<T> {
    pub fn new() -> Self {
        Self { entries: BTreeMap::new(), next: 0 }
    }

    pub fn add(&mut self, at_us: i64, order: u64, what: T) {
        self.entries.insert((at_us, order, self.next), what);
        self.next += 1;
    }

    pub fn pop(&mut self) -> Option<(i64, T)> {
        self.entries.pop_first().map(|((at_us, _, _), what)| (at_us, what))
    }
}
