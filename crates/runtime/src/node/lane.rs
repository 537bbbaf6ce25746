//! A committer lane: gathers changes and sends one group at a time.
//!
//! Contract. A hierarchy of instances always uses the same lane, so its changes are committed in
//! order. A group holds at most one change per hierarchy: those that wait together are merged, as
//! long as the result fits into a group; what comes then is in a later group. Where changes are
//! written one by one, for diagnosis, none are merged and every group holds one.
//! When the lane is idle the next group leaves at once, so a single command pays for no one else;
//! while a group is under way, changes gather, so throughput grows with load. As soon as a full
//! group has gathered it is closed and the store may translate it; it leaves when the lane is free.
//!
//! When a group fails, nothing of it was applied: losers of the revision check are taken out and
//! the rest is sent again; a statement error without a culprit halves the group until the culprit
//! stands alone. When the answer is lost, nothing moves until it is known whether it landed.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use orloj_store::{Change, CommitError, Error as StoreError, Group, Lease};
use orloj_types::{InstanceKey, Timestamp};
use rustc_hash::FxHashMap;

use super::change::Effects;
use super::claims::Sole;
use super::event::WorkOrigin;
use super::merge::merge;
use super::slot::Attempt;

/// Pause before a group is sent again to a store that was not there.
const RETRY_MS: i64 = 100;
/// A group stays below this: a thousand steps of small instances.
const GROUP_BYTES_MAX: usize = 512 << 10;
/// A group with a large change stays below this, so that one large instance delays the others by
/// milliseconds only. A single change that is larger is a group of its own.
const LARGE_GROUP_BYTES_MAX: usize = 256 << 10;
/// More than a step of a small instance writes, unless it has a large variable.
const LARGE_CHANGE_BYTES: usize = 16 << 10;

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
    /// The oldest version of the settings that anything of it was decided by.
    pub settings: i64,
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
    /// Whether changes of a hierarchy that wait together become one.
    is_merging: bool,
    next_group: i64,
    /// Whole groups to send before anything else: parts of one that failed.
    again: VecDeque<Vec<Entry>>,
    open: VecDeque<Entry>,
    /// Place of each hierarchy's last entry in `open`, counted from the first entry ever opened.
    places: FxHashMap<InstanceKey, u64>,
    /// Places of entries in front of which `open` may have another one of their hierarchy.
    followers: BTreeSet<u64>,
    open_bytes: usize,
    /// A large change is among them.
    open_is_large: bool,
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
            is_merging: true,
            next_group: 1,
            again: VecDeque::new(),
            open: VecDeque::new(),
            places: FxHashMap::default(),
            followers: BTreeSet::new(),
            open_bytes: 0,
            open_is_large: false,
            first_place: 0,
            flight: None,
            next: None,
            resume_at: Timestamp::ZERO,
        }
    }

    /// One that sends every change by itself.
    pub fn one_by_one(number: u8) -> Self {
        Self { is_merging: false, ..Self::new(number, 1) }
    }

    pub fn push(&mut self, entry: Entry) {
        if self.is_merging
            && let Some(place) = self.places.get(&entry.family)
        {
            let at = usize::try_from(place - self.first_place).expect("an open place");
            let open = &mut self.open[at];
            let is_alone = is_apart(open) || is_apart(&entry);
            if open.bytes + entry.bytes <= LARGE_GROUP_BYTES_MAX && !is_alone {
                self.open_bytes -= open.bytes;
                merge(open, entry);
                self.open_bytes += open.bytes;
                self.open_is_large |= open.bytes > LARGE_CHANGE_BYTES;
                return;
            }
        }
        self.open_behind(entry);
    }

    fn open_behind(&mut self, entry: Entry) {
        let place = self.first_place + self.open.len() as u64;
        if self.places.insert(entry.family, place).is_some() {
            self.followers.insert(place);
        }
        self.open_bytes += entry.bytes;
        self.open_is_large |= entry.bytes > LARGE_CHANGE_BYTES;
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

    /// The oldest version of the settings that anything here was decided by.
    pub fn settings(&self) -> Option<i64> {
        let closed = self.flight.iter().map(|flight| &flight.closed).chain(&self.next);
        let closed = closed.flat_map(|closed| &closed.entries);
        let waiting = self.again.iter().flatten().chain(&self.open);
        closed.chain(waiting).map(|entry| entry.settings).min()
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
        let is_enough =
            self.open.len() >= self.changes_max || self.open_bytes >= self.open_bytes_max();
        let is_full = self.again.is_empty() && is_enough;
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
        let mut entries = Vec::with_capacity(self.next_len());
        let (mut bytes, mut bytes_max) = (0, GROUP_BYTES_MAX);
        while entries.len() < self.changes_max {
            let place = self.first_place;
            let fits = |entry: &mut Entry| {
                if entry.bytes > LARGE_CHANGE_BYTES {
                    bytes_max = LARGE_GROUP_BYTES_MAX;
                }
                let Some(first) = entries.first() else { return true };
                bytes + entry.bytes <= bytes_max
                    && !self.followers.contains(&place)
                    && !is_alone(first)
                    && !is_alone(entry)
            };
            let Some(entry) = self.open.pop_front_if(fits) else { break };
            self.followers.remove(&place);
            if self.places.get(&entry.family) == Some(&place) {
                self.places.remove(&entry.family);
            }
            self.first_place += 1;
            self.open_bytes -= entry.bytes;
            bytes += entry.bytes;
            entries.push(entry);
        }
        if self.open_is_large {
            self.open_is_large = self.open.iter().any(|entry| entry.bytes > LARGE_CHANGE_BYTES);
        }
        entries
    }

    /// How many entries the next group will have, about: growing would move them several times.
    fn next_len(&self) -> usize {
        let bytes_max = self.open_bytes_max();
        let len = match self.open_bytes {
            bytes if bytes <= bytes_max => self.open.len(),
            bytes => 1 + self.open.len() * bytes_max / bytes,
        };
        len.min(self.changes_max)
    }

    /// What the next group may have.
    fn open_bytes_max(&self) -> usize {
        match self.open_is_large {
            true => LARGE_GROUP_BYTES_MAX,
            false => GROUP_BYTES_MAX,
        }
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
            CommitError::Attached { at, reason } => {
                self.attached(flight.closed.restore(), at, reason)
            }
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
        self.followers.clear();
        self.open_bytes = 0;
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

    fn take_open_of(&mut self, family: InstanceKey) -> Vec<Entry> {
        if !self.places.contains_key(&family) {
            return Vec::new();
        }
        let open = std::mem::take(&mut self.open);
        self.places.clear();
        self.followers.clear();
        self.open_bytes = 0;
        let (taken, rest): (Vec<_>, Vec<_>) = open.into_iter().partition(|e| e.family == family);
        rest.into_iter().for_each(|entry| self.open_behind(entry));
        taken
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

    /// The step is interpreted again as one whose call has failed.
    fn attached(&mut self, mut entries: Vec<Entry>, at: usize, reason: String) -> Verdict {
        for done in entries.iter_mut().flat_map(|entry| &mut entry.done) {
            done.attempt.fail_statement(at, &reason);
        }
        let all: Vec<usize> = (0..entries.len()).collect();
        self.take_out(entries, &all)
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
/// Whether it stays a change of its own.
fn is_apart(entry: &Entry) -> bool {
    // What an overtaking says about the lock of a job is true before all that comes later, and is
    // no reason to repeat what came before.
    let overtakes = |done: &Done| matches!(done.attempt.work.origin, WorkOrigin::Overtaking { .. });
    is_alone(entry) || entry.done.iter().any(overtakes)
}

/// Statements of an application may fail, or take their time: nobody else waits for them.
fn is_alone(entry: &Entry) -> bool {
    !entry.change.statements.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane_with(bytes: impl IntoIterator<Item = usize>) -> Lane {
        let mut lane = Lane::new(0, 1_024);
        for (number, bytes) in (1..).zip(bytes) {
            let family = InstanceKey::new(number);
            let (change, done) = (Change::default(), Vec::new());
            lane.push(Entry { family, change, bytes, done, sole: None, settings: 0 });
        }
        lane
    }

    #[test]
    fn a_group_has_so_many_small_changes_or_so_many_bytes() {
        assert_eq!(lane_with([100; 3_000]).take_open().len(), 1_024);
        assert_eq!(lane_with([1 << 10; 3_000]).take_open().len(), 512);
    }

    #[test]
    fn a_large_change_keeps_its_group_small() {
        let large = 200 << 10;
        let mut lane = lane_with([large].into_iter().chain([1 << 10; 3_000]));
        assert_eq!(lane.open_bytes_max(), LARGE_GROUP_BYTES_MAX);
        assert_eq!(lane.take_open().len(), 57, "with 56 KiB of others");
        assert_eq!(lane.open_bytes_max(), GROUP_BYTES_MAX);
        assert_eq!(lane.take_open().len(), 512);

        let mut lane = lane_with([1 << 10; 300].into_iter().chain([large, large]));
        assert_eq!(lane.take_open().len(), 300, "behind them it begins the next one");
        assert_eq!(lane.take_open().len(), 1);
        assert_eq!(lane_with([1 << 20, 1]).take_open().len(), 1, "larger than any group");
    }
}
