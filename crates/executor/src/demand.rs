//! Workers that wait for jobs of one type.
//!
//! Streams and polls stand in one order, so that pushed work never overtakes the backlog. Streams
//! go first, one after another; among polls the longest-waiting is served.

use std::collections::VecDeque;
use std::sync::Arc;

use orloj_types::Timestamp;

use crate::backlog::Backlog;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TakerId(pub u64);

/// Someone who wants jobs.
#[derive(Clone, Debug)]
pub struct Taker {
    pub id: TakerId,
    pub kind: TakerKind,
    pub worker: Arc<str>,
    /// Length of the locks it asks for.
    pub lock_ms: i64,
    /// Empty: all variables.
    pub fetch: Arc<[Arc<str>]>,
    /// How many more jobs it takes now.
    pub credit: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakerKind {
    /// Open until closed; its credit comes back.
    Stream,
    /// Answered once, at the latest at this moment.
    Poll { until: Timestamp },
}

/// Takers of one job type, the state of the store's backlog, and the acquisition under way.
#[derive(Debug, Default)]
pub struct Demand {
    takers: VecDeque<Taker>,
    pub backlog: Backlog,
    /// The taker an acquisition is under way for.
    pub acquiring: Option<TakerId>,
    /// When the store was last asked, for the safety net.
    pub asked_at: Timestamp,
}

impl Demand {
    pub fn add(&mut self, taker: Taker) {
        self.takers.push_back(taker);
    }

    pub fn remove(&mut self, id: TakerId) -> Option<Taker> {
        let at = self.takers.iter().position(|t| t.id == id)?;
        self.takers.remove(at)
    }

    pub fn get_mut(&mut self, id: TakerId) -> Option<&mut Taker> {
        self.takers.iter_mut().find(|t| t.id == id)
    }

    pub fn is_empty(&self) -> bool {
        self.takers.is_empty()
    }

    /// The taker the next job goes to: streams in turn, then polls by age.
    pub fn next(&self) -> Option<&Taker> {
        let ready = |t: &&Taker| t.credit > 0;
        self.takers
            .iter()
            .filter(|t| t.kind == TakerKind::Stream)
            .find(ready)
            .or_else(|| self.takers.iter().filter(|t| t.kind != TakerKind::Stream).find(ready))
    }

    /// Takes one credit of the next taker for a job that is handed over in process; only while
    /// the store has no backlog of this type. Streams take turns.
    pub fn hand_over(&mut self) -> Option<Taker> {
        if !self.backlog.is_empty() {
            return None;
        }
        let id = self.next()?.id;
        let at = self.takers.iter().position(|t| t.id == id)?;
        self.takers[at].credit -= 1;
        let taker = self.takers[at].clone();
        if taker.kind == TakerKind::Stream
            && let Some(served) = self.takers.remove(at)
        {
            self.takers.push_back(served);
        }
        Some(taker)
    }

    /// The earliest moment a poll has to be answered.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.takers
            .iter()
            .filter_map(|t| match t.kind {
                TakerKind::Poll { until } => Some(until),
                TakerKind::Stream => None,
            })
            .min()
    }

    /// Removes the polls whose time is up.
    pub fn take_expired(&mut self, now: Timestamp) -> Vec<Taker> {
        let mut expired = Vec::new();
        self.takers.retain(|taker| {
            let is_over = matches!(taker.kind, TakerKind::Poll { until } if until <= now);
            if is_over {
                expired.push(taker.clone());
            }
            !is_over
        });
        expired
    }

    pub fn takers(&self) -> impl Iterator<Item = &Taker> {
        self.takers.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taker(id: u64, kind: TakerKind) -> Taker {
        Taker {
            id: TakerId(id),
            kind,
            worker: "w".into(),
            lock_ms: 1,
            fetch: Arc::new([]),
            credit: 2,
        }
    }

    #[test]
    fn streams_take_turns_and_go_before_polls() {
        let mut demand = Demand::default();
        demand.add(taker(1, TakerKind::Poll { until: Timestamp::MAX }));
        demand.add(taker(2, TakerKind::Stream));
        demand.add(taker(3, TakerKind::Stream));
        assert!(demand.hand_over().is_none(), "the backlog is unknown");
        demand.backlog.acquired(demand.backlog.mark(), 0, 1);
        let served: Vec<_> = std::iter::from_fn(|| demand.hand_over()).map(|t| t.id.0).collect();
        assert_eq!(served, [2, 3, 2, 3, 1, 1]);
    }

    #[test]
    fn polls_end_in_time() {
        let mut demand = Demand::default();
        demand.add(taker(1, TakerKind::Poll { until: Timestamp::from_ms(5) }));
        demand.add(taker(2, TakerKind::Stream));
        assert_eq!(demand.next_deadline(), Some(Timestamp::from_ms(5)));
        assert!(demand.take_expired(Timestamp::from_ms(4)).is_empty());
        assert_eq!(demand.take_expired(Timestamp::from_ms(5)).len(), 1);
        assert_eq!(demand.takers().count(), 1);
    }
}
