//! What each system calls its incidents.

/// The kind of an incident, by what went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IncidentNames {
    /// A job of the engine's own has failed for good.
    pub job: &'static str,
    /// A worker's job has.
    pub worker_job: &'static str,
    /// The job of an execution listener has.
    pub listener: &'static str,
    pub task_listener: &'static str,
    /// The job by which a worker decides on an ad-hoc subprocess has.
    pub ad_hoc: &'static str,
    /// A job that no message can carry.
    pub message_size: &'static str,
    pub uncaught_error: &'static str,
    pub extract_value: &'static str,
    pub condition: &'static str,
    pub io_mapping: &'static str,
    pub decision_missing: &'static str,
    pub decision: &'static str,
    pub called_missing: &'static str,
    pub form_missing: &'static str,
    pub resource_missing: &'static str,
}

impl IncidentNames {
    pub const ZEEBE: Self = Self {
        job: "JOB_NO_RETRIES",
        worker_job: "JOB_NO_RETRIES",
        listener: "EXECUTION_LISTENER_NO_RETRIES",
        task_listener: "TASK_LISTENER_NO_RETRIES",
        ad_hoc: "AD_HOC_SUB_PROCESS_NO_RETRIES",
        message_size: "MESSAGE_SIZE_EXCEEDED",
        uncaught_error: "UNHANDLED_ERROR_EVENT",
        extract_value: "EXTRACT_VALUE_ERROR",
        condition: "CONDITION_ERROR",
        io_mapping: "IO_MAPPING_ERROR",
        decision_missing: "CALLED_DECISION_ERROR",
        decision: "DECISION_EVALUATION_ERROR",
        called_missing: "CALLED_ELEMENT_ERROR",
        form_missing: "FORM_NOT_FOUND",
        resource_missing: "RESOURCE_NOT_FOUND",
    };
    pub const CAMUNDA: Self = Self {
        worker_job: FAILED_EXTERNAL_TASK,
        uncaught_error: FAILED_EXTERNAL_TASK,
        message_size: FAILED_EXTERNAL_TASK,
        ..Self::one(FAILED_JOB)
    };
    pub const FLOWABLE: Self = Self::one(DEAD_LETTER);

    /// Kinds that clients may neither open nor resolve. Zeebe's are resolved by hand, and nobody
    /// opens one of them.
    pub fn is_reserved(kind: &str) -> bool {
        [FAILED_JOB, FAILED_EXTERNAL_TASK, DEAD_LETTER].contains(&kind)
    }

    /// The same word for all.
    const fn one(name: &'static str) -> Self {
        Self {
            job: name,
            worker_job: name,
            listener: name,
            task_listener: name,
            ad_hoc: name,
            message_size: name,
            uncaught_error: name,
            extract_value: name,
            condition: name,
            io_mapping: name,
            decision_missing: name,
            decision: name,
            called_missing: name,
            form_missing: name,
            resource_missing: name,
        }
    }
}

const FAILED_JOB: &str = "failedJob";
const FAILED_EXTERNAL_TASK: &str = "failedExternalTask";
const DEAD_LETTER: &str = "deadLetter";
