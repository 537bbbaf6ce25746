use std::collections::BTreeMap;

/// What a good simulation must have seen.
const ALL: &[&str] = &[
    "batch",
    "call aborted",
    "call lost",
    "change",
    "clock jump",
    "commit lost after",
    "commit lost before",
    "commit lost under way",
    "commit unavailable",
    "conflict",
    "crash",
    "crash after commit",
    "crash as it sends",
    "crash before commit",
    "crash with answer",
    "deafness",
    "definition suspended",
    "drain",
    "foreign code misbehaves",
    "group of a fenced node",
    "job overtaken",
    "job polled",
    "job stopped while it runs",
    "job pushed",
    "job taken within limits",
    "job undelivered",
    "joined again",
    "left",
    "limit deleted",
    "limit set",
    "lock extended",
    "message",
    "notice lost or doubled",
    "outage",
    "pause",
    "peer fenced",
    "request done",
    "request refused",
    "request unknown",
    "signal",
    "slow call",
    "tenant changed",
    "worker misbehaves",
];

/// How often each kind of thing happened. A simulation that never reaches a corner proves nothing
/// about it, so the test demands that every mark was reached.
#[derive(Clone, Debug, Default)]
pub struct Marks(BTreeMap<&'static str, u64>);

impl Marks {
    pub fn merge(&mut self, other: &Self) {
        for (mark, times) in &other.0 {
            self.add(mark, *times);
        }
    }

    pub fn missing(&self) -> Vec<&'static str> {
        ALL.iter().copied().filter(|mark| !self.0.contains_key(mark)).collect()
    }

    pub(crate) fn hit(&mut self, mark: &'static str) {
        self.add(mark, 1);
    }

    pub(crate) fn add(&mut self, mark: &'static str, times: u64) {
        debug_assert!(ALL.contains(&mark), "no mark '{mark}'");
        if times > 0 {
            *self.0.entry(mark).or_default() += times;
        }
    }
}

impl std::fmt::Display for Marks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (mark, times) in &self.0 {
            writeln!(f, "{times:>9} {mark}")?;
        }
        Ok(())
    }
}
