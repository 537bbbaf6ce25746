//! How far the unlocked jobs in the store reach up in the order, as this node knows.

use crate::order::Rank;

/// The rank before which no unlocked, ready job that this node's acquisition would take is known.
///
/// A job may be handed over in process only if it sorts before the mark: so it overtakes none that
/// this node knows of. The mark goes up, towards the first rank, with every job inserted unlocked,
/// with notices (which name no rank, so anything may be there) and with an acquisition that came
/// back full, since what is left sorts behind the last job it took. Only an acquisition that came
/// back short takes it down, and only to what was raised since that acquisition was sent.
///
/// One acquisition is under way at a time. What others do becomes known by their notices, so the
/// order is exact within a node, and across nodes up to one notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watermark {
    known: Level,
    /// The same, of what was raised since the acquisition under way was sent.
    since_sent: Level,
}

/// The first rank at which an unlocked job may stand; `None`: there is none.
type Level = Option<Rank>;

impl Default for Watermark {
    /// Nothing is known, so anything may be there.
    fn default() -> Self {
        Self { known: Some(Rank::FIRST), since_sent: None }
    }
}

impl Watermark {
    /// Whether the store has no unlocked job, as far as is known.
    pub fn is_clear(&self) -> bool {
        self.known.is_none()
    }

    /// Whether a job of this rank overtakes nothing that is known.
    pub fn allows(&self, rank: Rank) -> bool {
        self.known.is_none_or(|known| rank < known)
    }

    /// The rank of an unlocked job that must go before everything behind it. `None`: there is none,
    /// or which it is has yet to be found out.
    pub fn waiting(&self) -> Option<Rank> {
        self.known.filter(|rank| *rank != Rank::FIRST)
    }

    /// An unlocked job of this rank is in the store.
    pub fn raise(&mut self, rank: Rank) {
        self.known = higher(self.known, Some(rank));
        self.since_sent = higher(self.since_sent, Some(rank));
    }

    /// There may be an unlocked job of any rank.
    pub fn raise_all(&mut self) {
        self.raise(Rank::FIRST);
    }

    /// An acquisition is being sent.
    pub fn sent(&mut self) {
        self.since_sent = None;
    }

    /// The acquisition got all jobs it asked for, the last of this rank.
    pub fn came_back_full(&mut self, last: Rank) {
        self.known = higher(self.since_sent, Some(last));
    }

    /// The acquisition got fewer jobs than it asked for.
    pub fn came_back_short(&mut self) {
        self.known = self.since_sent;
    }
}

/// The one that lets less pass.
fn higher(one: Level, other: Level) -> Level {
    one.into_iter().chain(other).min()
}

#[cfg(test)]
mod tests {
    use orloj_store::{JobKind, Order};
    use orloj_types::{JobKey, Timestamp};
    use proptest::prelude::*;

    use super::*;

    fn rank(priority: i64, key: i64) -> Rank {
        let (order, key) = (Order::default(), JobKey::new(key));
        Rank::new(order, priority, JobKind::AsyncBefore, Timestamp::ZERO, key)
    }

    #[test]
    fn at_first_nothing_is_handed_over() {
        let mut mark = Watermark::default();
        assert!(!mark.allows(rank(i64::MAX, 1)) && !mark.is_clear());
        assert_eq!(mark.waiting(), None, "nobody knows whether there is one");
        mark.sent();
        mark.came_back_short();
        assert!(mark.allows(rank(i64::MIN, 1)) && mark.is_clear());
    }

    #[test]
    fn after_a_full_acquisition_only_what_sorts_before_its_last_job_is_handed_over() {
        let mut mark = Watermark::default();
        mark.sent();
        mark.came_back_full(rank(5, 7));
        assert!(mark.allows(rank(6, 100)));
        assert!(!mark.allows(rank(5, 100)));
        assert!(!mark.allows(rank(4, 1)));
        assert_eq!(mark.waiting(), Some(rank(5, 7)));
    }

    #[test]
    fn what_was_raised_after_an_acquisition_was_sent_outlives_it() {
        let mut mark = Watermark::default();
        mark.sent();
        mark.raise(rank(5, 7));
        mark.came_back_short();
        assert!(mark.allows(rank(9, 100)) && !mark.allows(rank(5, 100)));
        mark.raise_all();
        mark.sent();
        mark.raise(rank(1, 9));
        mark.came_back_full(rank(3, 2));
        assert!(!mark.allows(rank(3, 3)), "what is left behind the last one goes before it");
        mark.sent();
        mark.came_back_short();
        assert!(mark.is_clear());
    }

    #[derive(Clone, Debug)]
    enum Step {
        /// A job of this priority becomes ready here.
        Ready(i64),
        /// Another node inserts one and says so.
        Elsewhere(i64),
        Send(usize),
        Answer,
        Run,
    }

    fn any_step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (0..4_i64).prop_map(Step::Ready),
            1 => (0..4_i64).prop_map(Step::Elsewhere),
            2 => (1..4_usize).prop_map(Step::Send),
            2 => Just(Step::Answer),
            2 => Just(Step::Run),
        ]
    }

    proptest! {
        /// Nothing is handed over past an unlocked job that was there before, whatever happens in
        /// whatever order.
        #[test]
        fn no_job_overtakes(steps in proptest::collection::vec(any_step(), 0..120)) {
            let mut mark = Watermark::default();
            let mut unlocked: Vec<Rank> = Vec::new();
            // The acquisition under way: what it has locked, and whether it was full.
            let mut under_way: Option<(Vec<Rank>, bool)> = None;
            let mut here = 0_usize;
            for (step, key) in steps.into_iter().zip(1_i64..) {
                match step {
                    Step::Ready(priority) => {
                        let rank = rank(priority, key);
                        if mark.allows(rank) && here < 3 {
                            let first = unlocked.iter().min();
                            prop_assert!(first.is_none_or(|first| rank < *first));
                            here += 1;
                        } else {
                            unlocked.push(rank);
                            mark.raise(rank);
                        }
                    }
                    Step::Elsewhere(priority) => {
                        unlocked.push(rank(priority, key));
                        mark.raise_all();
                    }
                    Step::Send(limit) if under_way.is_none() => {
                        mark.sent();
                        unlocked.sort();
                        let is_full = unlocked.len() >= limit;
                        let taken = unlocked.drain(..limit.min(unlocked.len())).collect();
                        under_way = Some((taken, is_full));
                    }
                    Step::Answer => {
                        let Some((taken, is_full)) = under_way.take() else { continue };
                        match taken.last() {
                            Some(last) if is_full => mark.came_back_full(*last),
                            _ => mark.came_back_short(),
                        }
                    }
                    Step::Run => here = here.saturating_sub(1),
                    Step::Send(_) => {}
                }
            }
        }
    }
}
