//! The words for what jobs are, on the wire.

use orloj::store::JobOrder;
use orloj::{JobKind, JobSet, JobState};

use crate::failure::RequestFault;

pub fn state_name(state: JobState) -> &'static str {
    match state {
        JobState::Ready => "ready",
        JobState::Waiting => "waiting",
        JobState::Parked => "parked",
        JobState::Failed => "failed",
        JobState::ErrorThrown => "error-thrown",
        JobState::Suspended => "suspended",
    }
}

pub fn kind_name(kind: JobKind) -> &'static str {
    match kind {
        JobKind::AsyncBefore => "async-before",
        JobKind::AsyncAfter => "async-after",
        JobKind::Worker => "worker",
        JobKind::Timer => "timer",
        JobKind::AsyncComplete => "async-complete",
        JobKind::Listener => "listener",
        JobKind::Signal => "signal",
        JobKind::StartTimer => "start-timer",
        JobKind::SuspendDefinition => "suspend-definition",
        JobKind::ActivateDefinition => "activate-definition",
        JobKind::SuspendJobDefinition => "suspend-job-definition",
        JobKind::ActivateJobDefinition => "activate-job-definition",
        JobKind::BatchSeed => "batch-seed",
        JobKind::BatchMonitor => "batch-monitor",
        JobKind::BatchPart => "batch-part",
        JobKind::HistoryCleanup => "history-cleanup",
    }
}

const ORDERS: [(&str, JobOrder); 8] = [
    ("newest", JobOrder::NewestFirst),
    ("oldest", JobOrder::OldestFirst),
    ("earliest-due", JobOrder::EarliestDueFirst),
    ("latest-due", JobOrder::LatestDueFirst),
    ("lowest-priority", JobOrder::LowestPriorityFirst),
    ("highest-priority", JobOrder::HighestPriorityFirst),
    ("fewest-retries", JobOrder::FewestRetriesFirst),
    ("most-retries", JobOrder::MostRetriesFirst),
];

/// Several words, with commas between them.
pub fn states_named(words: &str) -> Result<Vec<JobState>, RequestFault> {
    let all: Vec<JobState> = (0..=u8::MAX).map_while(JobState::from_number).collect();
    words.split(',').map(|word| named("state", word, &all, |state| state_name(*state))).collect()
}

pub fn kinds_named(words: &str) -> Result<Vec<JobKind>, RequestFault> {
    let all: Vec<JobKind> = (0..=u8::MAX).map_while(JobKind::from_number).collect();
    words.split(',').map(|word| named("kind", word, &all, |kind| kind_name(*kind))).collect()
}

pub fn order_named(word: &str) -> Result<JobOrder, RequestFault> {
    named("order", word, &ORDERS, |(name, _)| name).map(|(_, order)| order)
}

pub fn set_named(word: &str) -> Result<JobSet, RequestFault> {
    named("set", word, &JobSet::ALL, |set| set.word())
}

/// The one of that name, or all the names there are.
pub fn named<T: Clone>(
    field: &str,
    word: &str,
    all: &[T],
    name: impl Fn(&T) -> &'static str,
) -> Result<T, RequestFault> {
    all.iter().find(|value| name(value) == word).cloned().ok_or_else(|| {
        let names: Vec<_> = all.iter().map(name).collect();
        let names = names.join(", ");
        RequestFault::Query(format!("{field} must be one of {names}, not '{word}'"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_can_be_asked_for_by_the_name_it_is_shown_with() {
        for state in (0..=u8::MAX).map_while(JobState::from_number) {
            assert_eq!(states_named(state_name(state)), Ok(vec![state]));
        }
        for kind in (0..=u8::MAX).map_while(JobKind::from_number) {
            assert_eq!(kinds_named(kind_name(kind)), Ok(vec![kind]));
        }
        assert_eq!(states_named("failed,ready"), Ok(vec![JobState::Failed, JobState::Ready]));
        assert_eq!(
            states_named("READY"),
            Err(RequestFault::Query(
                "state must be one of ready, waiting, parked, failed, error-thrown, suspended, \
                 not 'READY'"
                    .to_owned()
            ))
        );
        assert!(order_named("").is_err() && set_named("some").is_err());
    }
}
