//! What an executor counts, by the names that users of Camunda know.

use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! meters {
    ($($(#[$doc:meta])* $meter:ident = $name:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Meter {
            $($(#[$doc])* $meter,)*
        }

        impl Meter {
            pub const ALL: [Self; METERS] = [$(Self::$meter,)*];

            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$meter => $name,)*
                }
            }
        }

        const METERS: usize = [$($name,)*].len();
    };
}

meters! {
    /// Acquisition queries.
    JobAcquisitionAttempt = "job-acquisition-attempt",
    /// Jobs locked by them.
    JobAcquiredSuccess = "job-acquired-success",
    /// Jobs selected, but lost to another node.
    JobAcquiredFailure = "job-acquired-failure",
    /// Jobs that found no place in the queue, each time anew.
    JobExecutionRejected = "job-execution-rejected",
    JobSuccessful = "job-successful",
    JobFailed = "job-failed",
    /// Jobs handed over in process.
    JobLockedExclusive = "job-locked-exclusive",
    ActivityInstanceStart = "activity-instance-start",
    ActivityInstanceEnd = "activity-instance-end",
    RootProcessInstanceStart = "root-process-instance-start",
    ExecutedDecisionInstances = "executed-decision-instances",
    ExecutedDecisionElements = "executed-decision-elements",
    UniqueTaskWorkers = "unique-task-workers",
    CleanupProcessInstances = "history-cleanup-removed-process-instances",
    CleanupCaseInstances = "history-cleanup-removed-case-instances",
    CleanupDecisionInstances = "history-cleanup-removed-decision-instances",
    CleanupBatchOperations = "history-cleanup-removed-batch-operations",
    CleanupTaskMetrics = "history-cleanup-removed-task-metrics",
}

impl Meter {
    /// By its name or its public alias.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "process-instances" => Some(Self::RootProcessInstanceStart),
            "decision-instances" => Some(Self::ExecutedDecisionInstances),
            "flow-node-instances" => Some(Self::ActivityInstanceStart),
            "task-users" => Some(Self::UniqueTaskWorkers),
            name => Self::ALL.into_iter().find(|meter| meter.name() == name),
        }
    }
}

/// Counts since the last flush. Shared between those who count and the one who writes down.
#[derive(Debug, Default)]
pub struct Meters {
    counts: [AtomicU64; METERS],
}

impl Meters {
    pub fn add(&self, meter: Meter, count: u64) {
        if count > 0 {
            self.counts[meter as usize].fetch_add(count, Ordering::Relaxed);
        }
    }

    pub fn get(&self, meter: Meter) -> u64 {
        self.counts[meter as usize].load(Ordering::Relaxed)
    }

    /// What has been counted and not been taken yet, in the order of the meters.
    pub fn snapshot(&self) -> Vec<(Meter, u64)> {
        self.read(|count| count.load(Ordering::Relaxed))
    }

    /// The same, and begins anew. What cannot be written down is to be added again.
    pub fn take(&self) -> Vec<(Meter, u64)> {
        self.read(|count| count.swap(0, Ordering::Relaxed))
    }

    fn read(&self, read: impl Fn(&AtomicU64) -> u64) -> Vec<(Meter, u64)> {
        let counts = Meter::ALL.into_iter().zip(&self.counts);
        counts.map(|(meter, count)| (meter, read(count))).filter(|(_, count)| *count > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_meters() {
        for meter in Meter::ALL {
            assert_eq!(Meter::from_name(meter.name()), Some(meter));
        }
        assert_eq!(Meter::from_name("task-users"), Some(Meter::UniqueTaskWorkers));
        assert_eq!(Meter::from_name("job-lost"), None);
    }

    #[test]
    fn a_flush_takes_each_count_once() {
        let meters = Meters::default();
        meters.add(Meter::JobSuccessful, 2);
        meters.add(Meter::JobFailed, 0);
        meters.add(Meter::JobSuccessful, 1);
        assert_eq!(meters.snapshot(), [(Meter::JobSuccessful, 3)]);
        let taken = meters.take();
        assert_eq!(taken, [(Meter::JobSuccessful, 3)]);
        assert!(meters.take().is_empty());
        for (meter, count) in taken {
            meters.add(meter, count);
        }
        meters.add(Meter::JobAcquisitionAttempt, 1);
        assert_eq!(meters.take(), [(Meter::JobAcquisitionAttempt, 1), (Meter::JobSuccessful, 3)]);
        assert_eq!(meters.get(Meter::JobSuccessful), 0);
    }
}
