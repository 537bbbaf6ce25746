//! Meters: counters that nodes write down from time to time.

use std::sync::Arc;

use orloj_types::{EngineName, Timestamp};

/// What was counted since the last time. Of one reporter and moment the values are added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeterRow {
    pub engine: EngineName,
    pub name: Arc<str>,
    /// Which node counted.
    pub reporter: Arc<str>,
    pub at: Timestamp,
    pub value: i64,
}

/// Absent fields match all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeterQuery {
    pub name: Option<Arc<str>>,
    pub reporter: Option<Arc<str>>,
    /// Moments counted, the last one excluded.
    pub from: Option<Timestamp>,
    pub until: Option<Timestamp>,
    /// Sums of intervals of this length; `None`: of all there is. At least 1.
    pub interval_ms: Option<i64>,
    /// Whether each reporter's are summed on their own.
    pub by_reporter: bool,
    /// Clamped to [`crate::PAGE_ROWS_MAX`].
    pub limit: u32,
}

impl Default for MeterQuery {
    fn default() -> Self {
        Self {
            name: None,
            reporter: None,
            from: None,
            until: None,
            interval_ms: None,
            by_reporter: false,
            limit: crate::PAGE_ROWS_MAX,
        }
    }
}

/// The newest interval first, then by name and reporter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeterSum {
    /// The start of the interval; 0 where all is one.
    pub at: Timestamp,
    pub name: Arc<str>,
    pub reporter: Option<Arc<str>>,
    pub value: i64,
}
