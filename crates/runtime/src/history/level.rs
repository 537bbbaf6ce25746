//! What each level of history keeps. Filtered before anything is encoded: what is not kept costs
//! nothing.

use orloj_settings::HistoryLevel;
use orloj_store::format::EventKind;

pub(crate) const fn keeps(level: HistoryLevel, kind: EventKind) -> bool {
    match level {
        HistoryLevel::None => false,
        HistoryLevel::Activity => is_activity(kind),
        HistoryLevel::Audit => is_activity(kind) || is_current_value(kind),
        // Every value is told when it is set, so none need be told again at the end.
        HistoryLevel::Full => !matches!(kind, EventKind::VariableEnded),
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
        ");
    }
}
