use std::collections::BTreeMap;

/// How often each kind of thing happened. A simulation that never reaches a corner proves nothing
/// about it, so the test demands that every mark was reached.
#[derive(Clone, Debug, Default)]
pub struct Marks(pub BTreeMap<&'static str, u64>);

impl Marks {
    pub fn hit(&mut self, mark: &'static str) {
        self.add(mark, 1);
    }

    pub fn add(&mut self, mark: &'static str, times: u64) {
        *self.0.entry(mark).or_default() += times;
    }

    pub fn merge(&mut self, other: &Self) {
        for (mark, times) in &other.0 {
            self.add(mark, *times);
        }
    }
}
