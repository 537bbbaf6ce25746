//! Removing what is old, in chunks that hold nobody up.

use std::ops::RangeInclusive;
use std::sync::Arc;

use orloj_types::{BatchKey, DefinitionKey, InstanceKey, Timestamp};

/// One chunk of one kind of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PruneQuery {
    pub what: Prune,
    /// Most rows of the kind, clamped to [`PRUNE_ROWS_MAX`]; what belongs to them goes too.
    pub limit: u32,
}

/// Most instances of one chunk: some milliseconds of deleting.
pub const PRUNE_ROWS_MAX: u32 = 1_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prune {
    /// Ended instances whose moment of removal is this or lies before it, with their history. Of
    /// those whose moment lies in these minutes of an hour: clean-ups that run side by side share
    /// the hour among them.
    Removable { until: Timestamp, minutes: RangeInclusive<u8> },
    /// Ended instances that ended before a moment, with their history. The oldest hours of each
    /// definition first.
    Ended {
        /// Of definitions that have no moment of their own; `None`: they are kept.
        before: Option<Timestamp>,
        /// Definitions with a moment of their own; those with `None` are kept.
        own: Vec<(DefinitionKey, Option<Timestamp>)>,
        minutes: RangeInclusive<u8>,
    },
    /// These, if they have ended, with their history. More than allowed are not looked at.
    Instances(Vec<InstanceKey>),
    /// These, if they have ended. More than allowed are not looked at.
    BatchKeys(Vec<BatchKey>),
    /// Ended batches whose moment of removal is this or lies before it.
    Batches { until: Timestamp },
    /// Ended batches of these kinds that ended before this.
    BatchesEnded { before: Timestamp, kinds: BatchKinds },
    /// Operations logged before this.
    Operations { before: Timestamp },
    /// What the log of chores tells of before this.
    ChoreLog { before: Timestamp },
    /// What the log of chores tells of this batch.
    BatchLog(BatchKey),
    /// Meters written before this.
    Meters { before: Timestamp },
}

/// By the word of their kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchKinds {
    Only(Vec<Arc<str>>),
    AllBut(Vec<Arc<str>>),
}

impl BatchKinds {
    /// The words, and whether they are those that are left out.
    pub fn words(&self) -> (&[Arc<str>], bool) {
        match self {
            Self::Only(words) => (words, false),
            Self::AllBut(words) => (words, true),
        }
    }

    pub fn has(&self, kind: &Arc<str>) -> bool {
        let (words, are_left_out) = self.words();
        words.contains(kind) != are_left_out
    }
}

/// Every minute of an hour.
pub const ALL_MINUTES: RangeInclusive<u8> = 0..=59;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Rows of the kind that was asked for. As many as allowed means that there may be more.
    pub rows: u32,
}

/// The minute of the hour in which a moment lies.
pub fn minute_of(at: Timestamp) -> u8 {
    let minute = at.as_ms().div_euclid(60_000).rem_euclid(60);
    u8::try_from(minute).expect("it is below 60")
}
