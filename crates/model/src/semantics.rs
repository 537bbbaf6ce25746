//! What each dialect means, as fields of the graph.

use orloj_expr::{Language, Profile};

use crate::graph::{
    Cancelling, Catching, Choices, CompletionVariables, Conditions, EndListeners, Failures,
    IncidentNames, JobRules, Joins, Locals, Loops, Semantics, SiblingOrder, TaskEvents, TimerRules,
    UncaughtError, Undoing, ValueRules, Walk,
};
use crate::options::Dialect;

/// Three tries in all, in each of the three systems.
const RETRIES_DEFAULT: u32 = 3;
/// Flowable's wait after a failed asynchronous job.
const FLOWABLE_RETRY_DELAY_MS: i64 = 10_000;

impl Semantics {
    pub fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Zeebe => Semantics {
                language: Language::Feel,
                uel: Profile::Camunda,
                siblings: SiblingOrder::Reversed,
                failures: Failures::Incident,
                uncaught_error: UncaughtError::Incident,
                retries_default: RETRIES_DEFAULT,
                retry_delay_ms: 0,
                dead_jobs_are_due: false,
                repeats_despite_failure: false,
                incident_names: IncidentNames::ZEEBE,
                timers: TimerRules::ZEEBE,
                walk: Walk::Halves,
                joins: Joins::PerFlow,
                completion: CompletionVariables::Merge,
                locals: Locals::Element,
                end_listeners: EndListeners::AfterOutputs,
                conditions: Conditions::OnChange,
                task_events: TaskEvents::CreatedFirst,
                cancelling: Cancelling::Silent,
                loops: Loops::ZEEBE,
                undoing: Undoing::ZEEBE,
                choices: Choices::ZEEBE,
                catching: Catching::ZEEBE,
                jobs: JobRules::ZEEBE,
                values: ValueRules::ZEEBE,
            },
            Dialect::Camunda7 => Semantics {
                language: Language::Uel,
                uel: Profile::Camunda,
                siblings: SiblingOrder::Document,
                failures: Failures::RollBack,
                uncaught_error: UncaughtError::EndToken,
                retries_default: RETRIES_DEFAULT,
                retry_delay_ms: 0,
                dead_jobs_are_due: false,
                repeats_despite_failure: true,
                incident_names: IncidentNames::CAMUNDA,
                timers: TimerRules::CAMUNDA,
                walk: Walk::DepthFirst,
                joins: Joins::PerToken,
                completion: CompletionVariables::Assign,
                locals: Locals::Scope,
                end_listeners: EndListeners::BeforeOutputs,
                conditions: Conditions::OnChange,
                task_events: TaskEvents::CreatedFirst,
                cancelling: Cancelling::ListenersAndOutputs,
                loops: Loops::CAMUNDA,
                undoing: Undoing::CAMUNDA,
                choices: Choices::CAMUNDA,
                catching: Catching::CAMUNDA,
                jobs: JobRules::CAMUNDA,
                values: ValueRules::CAMUNDA,
            },
            Dialect::Flowable => Semantics {
                language: Language::Uel,
                uel: Profile::Flowable,
                siblings: SiblingOrder::Document,
                failures: Failures::RollBack,
                uncaught_error: UncaughtError::Fail,
                retries_default: RETRIES_DEFAULT,
                retry_delay_ms: FLOWABLE_RETRY_DELAY_MS,
                dead_jobs_are_due: true,
                repeats_despite_failure: false,
                incident_names: IncidentNames::FLOWABLE,
                timers: TimerRules::FLOWABLE,
                walk: Walk::BreadthFirst,
                joins: Joins::PerTokenEndedAtOnce,
                completion: CompletionVariables::Assign,
                locals: Locals::Token,
                end_listeners: EndListeners::BeforeOutputs,
                conditions: Conditions::OnDemand,
                task_events: TaskEvents::AssignedFirst,
                cancelling: Cancelling::TaskListeners,
                loops: Loops::FLOWABLE,
                undoing: Undoing::FLOWABLE,
                choices: Choices::FLOWABLE,
                catching: Catching::FLOWABLE,
                jobs: JobRules::FLOWABLE,
                values: ValueRules::FLOWABLE,
            },
        }
    }
}

/// Where the variables of a completed worker job go.
pub(crate) fn completion_of(dialect: Dialect) -> CompletionVariables {
    Semantics::of(dialect).completion
}
