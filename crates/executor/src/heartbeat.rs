use std::collections::BTreeMap;

use orloj_store::{NodeRow, Pulse};
use orloj_types::Timestamp;

/// Beats and watches.
///
/// Invariants: a node that could not renew its lease for three fifths of the time-out runs no
/// foreign code, so that nothing of it is under way when the others give its locks away; another
/// node is suspected only after its counter stood still, on *our* clock, for the whole time-out,
/// and for as many looks as beats fit in it, so that a jump of our clock accuses nobody.
#[derive(Debug)]
pub struct Heartbeat {
    session: i64,
    timeout_ms: i64,
    /// When the last beat that succeeded had been sent.
    renewed_at: Timestamp,
    next_at: Timestamp,
    under_way: Option<Timestamp>,
    seen: BTreeMap<i64, Seen>,
}

#[derive(Debug)]
struct Seen {
    beat: i64,
    since: Timestamp,
    looks: u32,
    looked_at: Timestamp,
}

/// Beats that fit in the time-out.
const BEATS: i64 = 4;

/// A node that looks dead: it may be fenced if its counter still says `beat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspect {
    pub session: i64,
    pub beat: i64,
}

impl Heartbeat {
    pub fn new(session: i64, timeout_ms: i64, now: Timestamp) -> Self {
        Self {
            session,
            timeout_ms,
            renewed_at: now,
            next_at: now,
            under_way: None,
            seen: BTreeMap::new(),
        }
    }

    /// True: send a beat now.
    pub fn poll(&mut self, now: Timestamp) -> bool {
        if self.under_way.is_some() || now < self.next_at {
            return false;
        }
        self.under_way = Some(now);
        true
    }

    /// When there is something to do: send, or begin to distrust. Never in the past for long: a
    /// beat that is under way and a lease that is distrusted already ask for nothing.
    pub fn wake_at(&self, now: Timestamp) -> Option<Timestamp> {
        let send_at = self.under_way.is_none().then_some(self.next_at);
        let distrust_at = self.is_trusted(now).then(|| self.distrust_at());
        send_at.into_iter().chain(distrust_at).min()
    }

    pub fn is_under_way(&self) -> bool {
        self.under_way.is_some()
    }

    /// Sends the next beat now: its answer is wanted.
    pub fn hasten(&mut self, now: Timestamp) {
        self.next_at = self.next_at.min(now);
    }

    /// The beat came through. Gives the nodes that look dead by now.
    pub fn beaten(&mut self, pulse: &Pulse, now: Timestamp) -> Vec<Suspect> {
        if let Some(sent_at) = self.under_way.take() {
            self.renewed_at = sent_at;
        }
        self.next_at = self.renewed_at.plus_ms(self.interval_ms()).max(now);
        self.observe(&pulse.nodes, now)
    }

    /// The beat failed; try again soon.
    pub fn missed(&mut self, now: Timestamp) {
        self.under_way = None;
        self.next_at = now.plus_ms(self.interval_ms() / 4);
    }

    /// Whether the lease may be relied on: otherwise no foreign code runs.
    pub fn is_trusted(&self, now: Timestamp) -> bool {
        now < self.distrust_at()
    }

    fn distrust_at(&self) -> Timestamp {
        self.renewed_at.plus_ms(self.timeout_ms / 5 * 3)
    }

    fn interval_ms(&self) -> i64 {
        // Four beats fit in the time-out, and an idle node sends less than one statement a second
        // with the default of five seconds.
        self.timeout_ms / BEATS
    }

    fn observe(&mut self, nodes: &[NodeRow], now: Timestamp) -> Vec<Suspect> {
        self.seen.retain(|session, _| nodes.iter().any(|n| n.session == *session));
        let mut suspects = Vec::new();
        // A little less than a beat, because answers take longer now and then.
        let apart_ms = self.interval_ms() / 4 * 3;
        for node in nodes.iter().filter(|n| n.session != self.session) {
            let first = Seen { beat: node.beat, since: now, looks: 0, looked_at: now };
            let seen = self.seen.entry(node.session).or_insert(first);
            if seen.beat != node.beat {
                *seen = Seen { beat: node.beat, since: now, looks: 0, looked_at: now };
                continue;
            }
            // Beats that were hastened prove nothing: they do not take the time of a beat.
            if now.ms_since(seen.looked_at) < apart_ms && now >= seen.looked_at {
                continue;
            }
            seen.looks += 1;
            seen.looked_at = now;
            if i64::from(seen.looks) >= BEATS && now.ms_since(seen.since) >= self.timeout_ms {
                suspects.push(Suspect { session: node.session, beat: node.beat });
            }
        }
        suspects
    }
}

#[cfg(test)]
mod tests {
    use orloj_store::NodeProfile;
    use orloj_types::NodeNumber;

    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_ms(ms)
    }

    fn pulse(beats: &[(i64, i64)]) -> Pulse {
        let nodes = beats
            .iter()
            .map(|&(session, beat)| NodeRow {
                node: NodeNumber(0),
                session,
                name: String::new(),
                beat,
                seen_at: at(0),
                profile: NodeProfile::default(),
                settings_seen: 0,
            })
            .collect();
        Pulse {
            next_due_at: None,
            engine_jobs_ready: false,
            nodes,
            newest_definition: 0,
            has_broadcasts: false,
            message_expires_at: None,
            settings_version: 0,
            listed: Vec::new(),
        }
    }

    #[test]
    fn a_silent_node_is_suspected_after_the_time_out_and_a_beating_one_never() {
        let mut heartbeat = Heartbeat::new(1, 5_000, at(0));
        let mut suspects = Vec::new();
        for beat in 0..5 {
            assert!(suspects.is_empty(), "not before the time-out");
            let now = at(1 + beat * 1_250);
            assert!(heartbeat.poll(now));
            suspects = heartbeat.beaten(&pulse(&[(1, beat), (2, 7), (3, beat)]), now);
        }
        assert_eq!(suspects, [Suspect { session: 2, beat: 7 }]);
    }

    #[test]
    fn hastened_beats_and_a_jump_of_our_clock_accuse_nobody() {
        let mut heartbeat = Heartbeat::new(1, 5_000, at(0));
        for now in [0, 10, 20, 30, 40, 90_000] {
            heartbeat.hasten(at(now));
            assert!(heartbeat.poll(at(now)));
            assert_eq!(heartbeat.beaten(&pulse(&[(1, now), (2, 7)]), at(now)), []);
        }
    }

    #[test]
    fn a_jump_of_our_clock_accuses_nobody() {
        let mut heartbeat = Heartbeat::new(1, 5_000, at(0));
        assert!(heartbeat.poll(at(0)));
        assert!(heartbeat.beaten(&pulse(&[(1, 1), (2, 7)]), at(1)).is_empty());
        assert!(heartbeat.poll(at(90_000)));
        assert!(heartbeat.beaten(&pulse(&[(1, 2), (2, 7)]), at(90_000)).is_empty());
    }

    #[test]
    fn a_silent_store_does_not_keep_a_node_awake() {
        let mut heartbeat = Heartbeat::new(1, 5_000, at(0));
        assert_eq!(heartbeat.wake_at(at(0)), Some(at(0)), "send");
        assert!(heartbeat.poll(at(0)));
        assert_eq!(heartbeat.wake_at(at(1)), Some(at(3_000)), "distrust");
        assert_eq!(heartbeat.wake_at(at(3_000)), None, "only an answer can help");
        heartbeat.missed(at(4_000));
        assert_eq!(heartbeat.wake_at(at(4_000)), Some(at(4_312)), "send again");
    }

    #[test]
    fn a_node_that_cannot_renew_distrusts_itself_before_the_others_do() {
        let mut heartbeat = Heartbeat::new(1, 5_000, at(0));
        assert!(heartbeat.poll(at(0)));
        heartbeat.beaten(&pulse(&[(1, 1)]), at(10));
        assert!(heartbeat.poll(at(1_250)));
        heartbeat.missed(at(1_300));
        assert!(heartbeat.is_trusted(at(2_999)));
        assert!(!heartbeat.is_trusted(at(3_000)));
        assert!(heartbeat.poll(at(3_000)));
        heartbeat.beaten(&pulse(&[(1, 2)]), at(3_100));
        assert!(heartbeat.is_trusted(at(3_100)));
    }
}
