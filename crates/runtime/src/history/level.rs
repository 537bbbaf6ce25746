//! What each level of history keeps. Filtered before anything is encoded: what is not kept costs
//! nothing.

use orloj_model::HistoryDepth;
use orloj_settings::{HistoryLevel, HistorySettings};
use orloj_store::EndedRow;
use orloj_store::format::{EventKind, encode_variables};
use orloj_types::Document;

use super::removal::NOT_KEPT;

pub(crate) const fn keeps(level: HistoryLevel, kind: EventKind) -> bool {
    match level {
        HistoryLevel::None => false,
        HistoryLevel::Activity => is_activity(kind),
        HistoryLevel::Audit => is_activity(kind) || is_current_value(kind),
        // Every value is told when it is set, so none need be told again at the end.
        HistoryLevel::Full => !matches!(kind, EventKind::VariableEnded),
    }
}

/// The level of a definition that may have one of its own.
pub(crate) fn level_of(settings: &HistorySettings, own: Option<HistoryDepth>) -> HistoryLevel {
    match own.filter(|_| settings.level_per_definition) {
        None => settings.level,
        Some(HistoryDepth::Nothing) => HistoryLevel::None,
        Some(HistoryDepth::Activities) => HistoryLevel::Activity,
        Some(HistoryDepth::Variables) => HistoryLevel::Audit,
        Some(HistoryDepth::All) => HistoryLevel::Full,
    }
}

/// What is left of an instance that ends. `is_awaited`: another node may wait for its result, and
/// finds it in the row; where history keeps none, that row may be removed at once and is told to
/// nobody else.
pub(crate) fn ended(
    level: HistoryLevel,
    is_awaited: bool,
    row: EndedRow,
    variables: &Document,
) -> Option<EndedRow> {
    let variables = match level >= HistoryLevel::Audit || is_awaited {
        true => encode_variables(variables),
        false => encode_variables(&Document::new()),
    };
    match level {
        HistoryLevel::None if !is_awaited => None,
        HistoryLevel::None => Some(EndedRow { variables, removal_at: Some(NOT_KEPT), ..row }),
        _ => Some(EndedRow { variables, ..row }),
    }
}

const fn is_activity(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::InstanceStarted
            | EventKind::InstanceEnded
            | EventKind::InstanceCalled
            | EventKind::ElementEntered
            | EventKind::ElementLeft
            | EventKind::UserTaskCreated
            | EventKind::UserTaskAssigned
            | EventKind::UserTaskCorrected
            | EventKind::UserTaskDenied
            | EventKind::UserTaskEnded
    )
}

/// Which variables there are; their values are in the record, in the row of the ended instance, or
/// told once at the end of their scope.
const fn is_current_value(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::VariableCreated | EventKind::VariableDeleted | EventKind::VariableEnded
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_keeps_what_those_below_keep() {
        let told: Vec<String> = (1..)
            .map_while(EventKind::from_number)
            .map(|kind| {
                let levels = [
                    ("activity", HistoryLevel::Activity),
                    ("audit", HistoryLevel::Audit),
                    ("full", HistoryLevel::Full),
                ];
                assert!(!keeps(HistoryLevel::None, kind));
                let kept = levels.iter().filter(|(_, level)| keeps(*level, kind));
                let kept: Vec<_> = kept.map(|(word, _)| *word).collect();
                format!("{kind:?}: {}", kept.join(" "))
            })
            .collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        InstanceStarted: activity audit full
        InstanceEnded: activity audit full
        ElementEntered: activity audit full
        ElementLeft: activity audit full
        JobCreated: full
        JobActivated: full
        JobCompleted: full
        JobFailed: full
        JobThrew: full
        JobCancelled: full
        IncidentOpened: full
        IncidentClosed: full
        ResultDropped: full
        JobChanged: full
        InstanceCalled: activity audit full
        UserTaskCreated: activity audit full
        UserTaskAssigned: activity audit full
        UserTaskEnded: activity audit full
        VariableCreated: audit full
        VariableUpdated: full
        VariableDeleted: audit full
        VariableEnded: audit
        UserTaskCorrected: activity audit full
        UserTaskDenied: activity audit full
        ");
    }
}
