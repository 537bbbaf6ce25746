use std::sync::Arc;

use super::listener::Code;

/// What is done when an instance tells of something that happened to it.
#[derive(Clone, Debug)]
pub struct EngineListener {
    pub events: Vec<EngineEvent>,
    pub does: EngineAction,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineEvent {
    ProcessCreated,
    ProcessStarted,
    ProcessCompleted,
    ProcessCancelled,
    ActivityStarted,
    ActivityCompleted,
    ActivityCancelled,
    FlowTaken,
    TaskCreated,
    TaskAssigned,
    TaskCompleted,
    VariableCreated,
    VariableUpdated,
    VariableDeleted,
}

#[derive(Clone, Debug)]
pub enum EngineAction {
    /// Of the instance alone, or for all.
    Signal {
        name: Arc<str>,
        is_global: bool,
    },
    /// For events of the instance that wait for it.
    Message(Arc<str>),
    Error(Arc<str>),
    /// What it fails with is nobody's failure.
    Code(Code),
}

impl EngineEvent {
    pub const ALL: [Self; 14] = [
        Self::ProcessCreated,
        Self::ProcessStarted,
        Self::ProcessCompleted,
        Self::ProcessCancelled,
        Self::ActivityStarted,
        Self::ActivityCompleted,
        Self::ActivityCancelled,
        Self::FlowTaken,
        Self::TaskCreated,
        Self::TaskAssigned,
        Self::TaskCompleted,
        Self::VariableCreated,
        Self::VariableUpdated,
        Self::VariableDeleted,
    ];

    /// The word that models and code have for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::ProcessCreated => "PROCESS_CREATED",
            Self::ProcessStarted => "PROCESS_STARTED",
            Self::ProcessCompleted => "PROCESS_COMPLETED",
            Self::ProcessCancelled => "PROCESS_CANCELLED",
            Self::ActivityStarted => "ACTIVITY_STARTED",
            Self::ActivityCompleted => "ACTIVITY_COMPLETED",
            Self::ActivityCancelled => "ACTIVITY_CANCELLED",
            Self::FlowTaken => "SEQUENCEFLOW_TAKEN",
            Self::TaskCreated => "TASK_CREATED",
            Self::TaskAssigned => "TASK_ASSIGNED",
            Self::TaskCompleted => "TASK_COMPLETED",
            Self::VariableCreated => "VARIABLE_CREATED",
            Self::VariableUpdated => "VARIABLE_UPDATED",
            Self::VariableDeleted => "VARIABLE_DELETED",
        }
    }

    pub fn is_of_variables(self) -> bool {
        matches!(self, Self::VariableCreated | Self::VariableUpdated | Self::VariableDeleted)
    }

    /// The word for the kind of thing that the event is about, where it is about one that is
    /// stored.
    pub fn entity(self) -> Option<&'static str> {
        match self {
            Self::ProcessCreated | Self::ProcessStarted | Self::ProcessCompleted => {
                Some("process-instance")
            }
            Self::TaskCreated | Self::TaskAssigned | Self::TaskCompleted => Some("task"),
            _ => None,
        }
    }
}
