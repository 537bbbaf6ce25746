//! Groups that are known to be on disk: nobody will ask for those before the last of a lane.

use std::collections::BTreeMap;
use std::sync::Mutex;

/// For each lane of a session the first group whose row is still there, and the last that landed.
#[derive(Debug, Default)]
pub(crate) struct Landed(Mutex<BTreeMap<(i64, u8), Span>>);

#[derive(Clone, Copy, Debug)]
struct Span {
    first: i64,
    last: i64,
}

/// Groups of a session whose rows can go, lane by lane: from `first` up to, without, `last`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Past {
    pub lanes: Vec<i16>,
    pub firsts: Vec<i64>,
    pub lasts: Vec<i64>,
}

impl Landed {
    pub fn note(&self, session: i64, lane: u8, group: i64) {
        let mut lanes = self.0.lock().expect("nothing panics while it is held");
        lanes.entry((session, lane)).or_insert(Span { first: group, last: group }).last = group;
    }

    pub fn past(&self, session: i64) -> Past {
        let lanes = self.0.lock().expect("nothing panics while it is held");
        let mut past = Past::default();
        for ((_, lane), span) in lanes.range((session, 0)..=(session, u8::MAX)) {
            if span.first < span.last {
                past.lanes.push(i16::from(*lane));
                past.firsts.push(span.first);
                past.lasts.push(span.last);
            }
        }
        past
    }

    /// Their rows are gone.
    pub fn forget(&self, session: i64, past: &Past) {
        let mut lanes = self.0.lock().expect("nothing panics while it is held");
        for ((_, lane), span) in lanes.range_mut((session, 0)..=(session, u8::MAX)) {
            let at = past.lanes.iter().position(|past| *past == i16::from(*lane));
            span.first = at.map_or(span.first, |at| past.lasts[at]);
        }
    }

    pub fn end(&self, session: i64) {
        let mut lanes = self.0.lock().expect("nothing panics while it is held");
        lanes.retain(|(of, _), _| *of != session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_but_the_last_of_each_lane_are_past_and_are_told_until_they_are_gone() {
        let landed = Landed::default();
        for (lane, group) in [(0, 1), (0, 2), (1, 5), (0, 4)] {
            landed.note(9, lane, group);
        }
        landed.note(10, 0, 7);
        let past = landed.past(9);
        assert_eq!(past, Past { lanes: vec![0], firsts: vec![1], lasts: vec![4] });
        landed.note(9, 0, 5);
        landed.forget(9, &past);
        assert_eq!(landed.past(9), Past { lanes: vec![0], firsts: vec![4], lasts: vec![5] });
        landed.end(9);
        assert_eq!(landed.past(9), Past::default());
    }
}
