//! A committer lane: gathers changes and sends one group at a time.
//!
//! Contract. A hierarchy of instances always uses the same lane, so its changes are committed in
//! order. A group holds at most one change per hierarchy: those that wait together are merged.
//! When the lane is idle the next group leaves at once, so a single command pays for no one else;
//! while a group is under way, changes gather, so throughput grows with load. As soon as a full
//! group has gathered it is closed and the store may translate it; it leaves when the lane is free.
//!
//! When a group fails, nothing of it was applied: losers of the revision check are taken out and
//! the rest is sent again; a statement error without a culprit halves the group until the culprit
//! stands alone. When the answer is lost, nothing moves until it is known whether it landed.

use std::collections::VecDeque;
use std::sync::Arc;

use orloj_store::{Change, CommitError, Error as StoreError, Group, Lease};
use orloj_types::{InstanceKey, Timestamp};
use rustc_hash::FxHashMap;

use super::change::Effects;
use super::claims::Sole;
use super::merge::merge;
use super::slot::Attempt;

/// Pause before a group is sent again to a store that was not there.
const RETRY_MS: i64 = 100;
/// A group's records and history stay below this, so that one large instance delays the others by
/// milliseconds only.
const GROUP_BYTES_MAX: usize = 4 << 20;

/// A change that waits for its commit, and what follows from it.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The outermost instance of the hierarchy that the change is about.
    pub family: InstanceKey,
    pub change: Change,
    pub bytes: usize,
    /// The commands merged into the change, in order.
    pub done: Vec<Done>,
    /// Who waits for a change that concerns no instance.
    pub sole: Option<Sole>,
}

#[derive(Debug)]
pub(crate) struct Done {
    pub attempt: Box<Attempt>,
    pub effects: Effects,
    /// The command's own instance.
    pub instance: InstanceKey,
    pub others: Vec<Other>,
}

/// An instance that a command of another one has changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Other {
    pub instance: InstanceKey,
    /// It was started by the command.
    pub is_new: bool,
}

/// What became of a group.
#[derive(Debug)]
pub(crate) enum Verdict {
    Committed(OnDisk),
    /// Interpret these again; the others are on their way.
    Lost(Vec<Entry>),
    /// The store will never take this one.
    Refused(Box<Entry>, String),
    /// The lease is gone, and with it everything of this lane. When the answer to a group had been
    /// lost before, that group may have landed; its callers are told that nothing is known.
    Fenced(Vec<Entry>),
    Nothing,
}

/// What a group on disk leaves behind.
#[derive(Debug)]
pub(crate) struct OnDisk {
    pub entries: std::vec::IntoIter<Entry>,
    /// Nobody needs it any more, but to free its rows takes time that the lane's next group should
    /// not wait for.
    _group: Arc<Group>,
}

#[derive(Debug)]
pub(crate) enum LaneAction {
    Commit(Arc<Group>),
    AskLanded {
        number: u8,
        group: i64,
    },
    /// This group leaves next, unless the one under way fails.
    Prepare(Arc<Group>),
}

#[derive(Debug)]
pub(crate) struct Lane {
    number: u8,
    changes_max: usize,
    next_group: i64,
    /// Whole groups to send before anything else: parts of one that failed.
    again: VecDeque<Vec<Entry>>,
    open: VecDeque<Entry>,
    /// Place of each hierarchy's entry in `open`, counted from the first entry ever opened.
    places: FxHashMap<InstanceKey, u64>,
    first_place: u64,
    flight: Option<Flight>,
    /// A full group that waits for the one under way.
    next: Option<Closed>,
    /// Not before this moment.
    resume_at: Timestamp,
}

/// Entries whose changes a group owns, until `restore` takes them back.
#[derive(Debug)]
struct Closed {
    group: Arc<Group>,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Flight {
    closed: Closed,
    phase: Phase,
}

#[derive(Debug, PartialEq, Eq)]
enum Phase {
    Sent,
    /// The answer was lost; ask when `resume_at` has come.
    Lost,
    Asked,
}

impl Closed {
    fn land(self) -> OnDisk {
        OnDisk { entries: self.entries.into_iter(), _group: self.group }
    }

    fn restore(self) -> Vec<Entry> {
        let changes = Arc::unwrap_or_clone(self.group).changes;
        let restored = self.entries.into_iter().zip(changes);
        restored.map(|(entry, change)| Entry { change, ..entry }).collect()
    }
}

impl Lane {
    pub fn new(number: u8, changes_max: usize) -> Self {
        Self {
            number,
            changes_max,
            next_group: 1,
            again: VecDeque::new(),
            open: VecDeque::new(),
            places: FxHashMap::default(),
            first_place: 0,
            flight: None,
            next: None,
            resume_at: Timestamp::ZERO,
        }
    }

    pub fn push(&mut self, entry: Entry) {
        if let Some(place) = self.places.get(&entry.family) {
            let at = usize::try_from(place - self.first_place).expect("an open place");
            let open = &mut self.open[at];
            open.bytes += entry.bytes;
            merge(open, entry);
            return;
        }
        self.places.insert(entry.family, self.first_place + self.open.len() as u64);
        self.open.push_back(entry);
    }

    pub fn is_idle(&self) -> bool {
        self.changes() == 0
    }

    /// Changes that wait or are on their way.
    pub fn changes(&self) -> usize {
        let again: usize = self.again.iter().map(Vec::len).sum();
        let closed = self.flight.iter().map(|flight| &flight.closed).chain(&self.next);
        closed.map(|closed| closed.entries.len()).sum::<usize>() + again + self.open.len()
    }

    pub fn wake_at(&self) -> Option<Timestamp> {
        let waits = match &self.flight {
            Some(flight) => flight.phase == Phase::Lost,
            None => !(self.open.is_empty() && self.again.is_empty()),
        };
        waits.then_some(self.resume_at)
    }

    /// Sends what can be sent.
    pub fn flush(&mut self, lease: Lease, now: Timestamp) -> Option<LaneAction> {
        if now < self.resume_at {
            return None;
        }
        if let Some(flight) = &mut self.flight {
            if flight.phase == Phase::Lost {
                flight.phase = Phase::Asked;
                let group = flight.closed.group.id;
                return Some(LaneAction::AskLanded { number: self.number, group });
            }
            return self.close_next(lease, now);
        }
        let closed = match self.next.take() {
            Some(closed) => closed,
            None => {
                let entries = self.again.pop_front().unwrap_or_else(|| self.take_open());
                if entries.is_empty() {
                    return None;
                }
                self.close(entries, lease, now)
            }
        };
        let group = closed.group.clone();
        self.flight = Some(Flight { closed, phase: Phase::Sent });
        Some(LaneAction::Commit(group))
    }

    fn close_next(&mut self, lease: Lease, now: Timestamp) -> Option<LaneAction> {
        let is_full = self.again.is_empty() && self.open.len() >= self.changes_max;
        if self.next.is_some() || !is_full {
            return None;
        }
        let entries = self.take_open();
        let closed = self.close(entries, lease, now);
        let group = closed.group.clone();
        self.next = Some(closed);
        Some(LaneAction::Prepare(group))
    }

    fn close(&mut self, mut entries: Vec<Entry>, lease: Lease, now: Timestamp) -> Closed {
        let changes = entries.iter_mut().map(|e| std::mem::take(&mut e.change)).collect();
        let group = Arc::new(Group { lease, lane: self.number, id: self.next_group, changes, now });
        self.next_group += 1;
        Closed { group, entries }
    }

    /// The group under way is not on disk: what was to follow it waits for what it becomes.
    fn reopen_next(&mut self) {
        self.again.extend(self.next.take().map(Closed::restore));
    }

    fn take_open(&mut self) -> Vec<Entry> {
        let mut entries = Vec::new();
        let mut bytes = 0;
        while entries.len() < self.changes_max && bytes < GROUP_BYTES_MAX {
            let Some(entry) = self.open.pop_front() else { break };
            self.places.remove(&entry.family);
            self.first_place += 1;
            bytes += entry.bytes;
            entries.push(entry);
        }
        entries
    }

    pub fn committed(
        &mut self,
        group: i64,
        result: Result<(), CommitError>,
        now: Timestamp,
    ) -> Verdict {
        let Some(flight) = self.flight.take_if(|f| f.closed.group.id == group) else {
            return Verdict::Nothing;
        };
        let error = match result {
            Ok(()) => return Verdict::Committed(flight.closed.land()),
            Err(CommitError::Unknown(_)) => {
                // Ask at once; only a failed question waits.
                self.flight = Some(Flight { phase: Phase::Lost, ..flight });
                return Verdict::Nothing;
            }
            Err(error) => error,
        };
        self.reopen_next();
        match error {
            CommitError::Conflicts(losers) => self.take_out(flight.closed.restore(), &losers),
            CommitError::Statement(reason) => self.halve(flight.closed.restore(), reason),
            CommitError::Fenced => self.fenced(flight.closed.entries),
            CommitError::Unavailable(_) | CommitError::Unknown(_) => {
                self.resume_at = now.plus_ms(RETRY_MS);
                self.again.push_front(flight.closed.restore());
                Verdict::Nothing
            }
        }
    }

    pub fn landed(
        &mut self,
        group: i64,
        result: Result<bool, StoreError>,
        now: Timestamp,
    ) -> Verdict {
        let Some(mut flight) = self.flight.take_if(|f| f.closed.group.id == group) else {
            return Verdict::Nothing;
        };
        match result {
            Ok(true) => Verdict::Committed(flight.closed.land()),
            Ok(false) => {
                self.reopen_next();
                self.again.push_front(flight.closed.restore());
                Verdict::Nothing
            }
            Err(StoreError::Fenced) => self.fenced(flight.closed.entries),
            Err(_) => {
                self.resume_at = now.plus_ms(RETRY_MS);
                flight.phase = Phase::Lost;
                self.flight = Some(flight);
                Verdict::Nothing
            }
        }
    }

    /// Everything that was not committed, when the lease is gone.
    pub fn drop_all(&mut self) -> Vec<Entry> {
        let flight = self.flight.take().map(|flight| flight.closed);
        let closed = flight.into_iter().chain(self.next.take());
        let mut entries: Vec<Entry> = closed.flat_map(|closed| closed.entries).collect();
        entries.extend(self.again.drain(..).flatten());
        entries.extend(self.open.drain(..));
        self.places.clear();
        entries
    }

    /// Takes the waiting changes of an instance whose earlier change fell, in order.
    pub fn take_followers(&mut self, family: InstanceKey) -> Vec<Entry> {
        let mut followers = Vec::new();
        for group in &mut self.again {
            let at = group.iter().position(|entry| entry.family == family);
            followers.extend(at.map(|at| group.remove(at)));
        }
        self.again.retain(|group| !group.is_empty());
        followers.extend(self.take_open_of(family));
        followers
    }

    fn take_open_of(&mut self, family: InstanceKey) -> Option<Entry> {
        let place = self.places.remove(&family)?;
        let at = usize::try_from(place - self.first_place).expect("an open place");
        let entry = self.open.remove(at)?;
        for place in self.places.values_mut().filter(|p| **p > place) {
            *place -= 1;
        }
        Some(entry)
    }

    fn take_out(&mut self, entries: Vec<Entry>, losers: &[usize]) -> Verdict {
        let (mut lost, mut rest) = (Vec::new(), Vec::new());
        for (at, entry) in entries.into_iter().enumerate() {
            if losers.contains(&at) { lost.push(entry) } else { rest.push(entry) }
        }
        if !rest.is_empty() {
            self.again.push_front(rest);
        }
        let fallen: Vec<InstanceKey> = lost.iter().map(|entry| entry.family).collect();
        for family in fallen {
            let followers = self.take_followers(family);
            lost.extend(followers);
        }
        Verdict::Lost(lost)
    }

    fn halve(&mut self, mut entries: Vec<Entry>, reason: String) -> Verdict {
        if entries.len() > 1 {
            let second = entries.split_off(entries.len() / 2);
            self.again.push_front(second);
            self.again.push_front(entries);
            return Verdict::Nothing;
        }
        match entries.pop() {
            Some(culprit) => Verdict::Refused(Box::new(culprit), reason),
            None => Verdict::Nothing,
        }
    }

    fn fenced(&mut self, flight: Vec<Entry>) -> Verdict {
        let mut entries = flight;
        entries.extend(self.drop_all());
        Verdict::Fenced(entries)
    }
}
