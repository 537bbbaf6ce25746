//! What each dialect means, as fields of the graph.

use orloj_expr::{Language, Profile};

use crate::graph::{
    CompletionVariables, Failures, IncidentNames, Joins, MissedFirings, Semantics, SiblingOrder,
    UncaughtError, Walk,
};
use crate::options::Dialect;

/// Three tries in all, in each of the three systems.
const RETRIES_DEFAULT: u32 = 3;
/// Flowable's wait after a failed asynchronous job.
const FLOWABLE_RETRY_DELAY_MS: i64 = 10_000;

pub(crate) fn semantics_of(dialect: Dialect) -> Semantics {
    match dialect {
        Dialect::Zeebe => Semantics {
            language: Language::Feel,
            uel: Profile::Camunda,
            siblings: SiblingOrder::Reversed,
            failures: Failures::Incident,
            uncaught_error: UncaughtError::Incident,
            retries_default: RETRIES_DEFAULT,
            retry_delay_ms: 0,
            incident_names: IncidentNames::Zeebe,
            missed_firings: MissedFirings::Replay,
            walk: Walk::BreadthFirst,
            joins: Joins::PerFlow,
            completion: CompletionVariables::Merge,
        },
        Dialect::Camunda7 => Semantics {
            language: Language::Uel,
            uel: Profile::Camunda,
            siblings: SiblingOrder::Document,
            failures: Failures::RollBack,
            uncaught_error: UncaughtError::EndToken,
            retries_default: RETRIES_DEFAULT,
            retry_delay_ms: 0,
            incident_names: IncidentNames::Camunda,
            missed_firings: MissedFirings::Skip,
            walk: Walk::DepthFirst,
            joins: Joins::PerToken,
            completion: CompletionVariables::Assign,
        },
        Dialect::Flowable => Semantics {
            language: Language::Uel,
            uel: Profile::Flowable,
            siblings: SiblingOrder::Document,
            failures: Failures::RollBack,
            uncaught_error: UncaughtError::Fail,
            retries_default: RETRIES_DEFAULT,
            retry_delay_ms: FLOWABLE_RETRY_DELAY_MS,
            incident_names: IncidentNames::Flowable,
            missed_firings: MissedFirings::Skip,
            walk: Walk::BreadthFirst,
            joins: Joins::PerTokenEndedAtOnce,
            completion: CompletionVariables::Assign,
        },
    }
}

/// Where the variables of a completed worker job go.
pub(crate) fn completion_of(dialect: Dialect) -> CompletionVariables {
    semantics_of(dialect).completion
}
