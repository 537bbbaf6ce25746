//! What concerns jobs, history, batches and metrics in Camunda 7.

use super::Fate::{Both, Knob, Warns, Without};
use super::{Property, rows};

/// `variable` is what Camunda called `activity` before.
const LEVELS: super::Words = &[("auto", "full"), ("variable", "activity")];
const STRATEGIES: super::Words =
    &[("removalTimeBased", "removal-time"), ("endTimeBased", "end-time")];
const UNLIMITED: super::Words = &[("2147483647", "")];
const GENERATORS: super::Words = &[
    ("strong", "uuid"),
    ("prefixed", "uuid"),
    ("simple", "keys"),
    ("org.camunda.bpm.engine.impl.persistence.StrongUuidGenerator", "uuid"),
    ("org.camunda.bpm.engine.impl.db.DbIdGenerator", "keys"),
];

pub const ENGINE: &[Property] = rows! { Camunda7 Engine;
    "jobExecutorActivate" Flag "false" ["camunda.bpm.job-execution.enabled"] =>
        Knob("executor.active");
    "jobExecutorDeploymentAware" Flag "false" ["camunda.bpm.job-execution.deployment-aware"] =>
        Knob("executor.deployment_aware");
    "jobExecutorPreferTimerJobs" Flag "false" => Knob("executor.timers_first");
    "jobExecutorAcquireByDueDate" Flag "false" => Knob("executor.by_due");
    "jobExecutorAcquireByPriority" Flag "false" ["camunda.bpm.job-executor-acquire-by-priority"] =>
        Knob("executor.by_priority");
    "jobExecutorPriorityRangeMin" Number "-9223372036854775808" => Knob("executor.priority_min");
    "jobExecutorPriorityRangeMax" Number "9223372036854775807" => Knob("executor.priority_max");
    "jobExecutorAcquireExclusiveOverProcessHierarchies" Flag "false" =>
        Knob("executor.exclusive_over_hierarchies");
    "ensureJobDueDateNotNull" Flag "false" => Knob("jobs.due_never_null");
    "producePrioritizedJobs" Flag "true" => Knob("jobs.prioritized");
    "producePrioritizedExternalTasks" Flag "true" => Knob("jobs.worker_jobs_prioritized");
    "hintJobExecutor" Flag "true" => Knob("executor.hint");
    "defaultNumberOfRetries" Number "3" ["camunda.bpm.default-number-of-retries"] =>
        Knob("jobs.retries");
    "failedJobRetryTimeCycle" Text "" => Knob("jobs.retry_cycle");
    "legacyJobRetryBehaviorEnabled" Flag "false" => Knob("jobs.retries_at_first_failure");
    "failedJobListenerMaxRetries" Number "3" =>
        Without("what meets a conflict is decided anew until it is written");
    "createIncidentOnFailedJobEnabled" Flag "true" => Knob("jobs.incidents");
    "compositeIncidentHandlersEnabled" Flag "false" =>
        Without("incidents are stored by the engine itself; there are no handlers to combine");
    "reevaluateTimeCycleWhenDue" Flag "false" => Knob("jobs.reevaluate_time_cycle");
    "enableReducedJobExceptionLogging" Flag "false" => Knob("jobs.reduced_logging");
    "enableCmdExceptionLogging" Flag "true" => Without("what is logged is said by `log`");
    "enableGracefulDegradationOnContextSwitchFailure" Flag "true" =>
        Knob("jobs.priority_failure_is_zero");
    "enableExceptionsAfterUnhandledBpmnError" Flag "false" => Knob("model.unhandled_error_fails");
    "dbEntityCacheReuseEnabled" Flag "false" => Without(CACHE);
    "jdbcBatchProcessing" Flag "true" ["camunda.bpm.database.jdbc-batch-processing"] =>
        Warns("false", SETS);
    "skipHistoryOptimisticLockingExceptions" Flag "true" =>
        Without("history is appended and cannot conflict");
    "enableOptimisticLockingOnForeignKeyViolation" Flag "true" =>
        Without("a conflict is told by the instance's revision");
    "enforceHistoryTimeToLive" Flag "true" => Knob("history.ttl_required");
    "historyTimeToLive" Ttl "" => Knob("history.ttl");
    "restrictUserOperationLogToAuthenticatedUsers" Flag "true" =>
        Knob("operations.authenticated_only");
    "logEntriesPerSyncOperationLimit" Number "1" => Knob("operations.entries_max");
    "queryMaxResultsLimit" Number "2147483647" words UNLIMITED => Knob("rows.query_max");
    "tenantCheckEnabled" Flag "true" ["camunda.bpm.authorization.tenant-check-enabled"] =>
        Without("calls are not tied to users with tenants");
    "authorizationEnabled" Flag "false" ["camunda.bpm.authorization.enabled"] =>
        Warns("true", "no authorizations are checked: guard the addresses of the node");

    "batchJobsPerSeed" Number "100" => Knob("batches.jobs_per_seed");
    "invocationsPerBatchJob" Number "1" => Knob("batches.invocations_per_job");
    "invocationsPerBatchJobByBatchType" Map "" => Knob("batches.invocations_per_job_by_kind");
    "batchPollTime" Seconds "30" => Knob("batches.poll_ms");
    "batchJobPriority" Number "0" => Knob("batches.priority");
    "batchOperationHistoryTimeToLive" Ttl "" => Knob("history.batch_ttl");
    "batchOperationsForHistoryCleanup" Map "" => Knob("batches.ttl_by_kind");
    "removalTimeUpdateChunkSize" Number "500" => Without(ONE_ROW);
    "historyCleanupEnabled" Flag "true" => Knob("history.cleanup.enabled");
    "historyCleanupBatchWindowStartTime" Time "" => Knob("history.cleanup.start");
    "historyCleanupBatchWindowEndTime" Time "00:00" => Knob("history.cleanup.end");
    "historyCleanupDegreeOfParallelism" Number "1" => Knob("history.cleanup.parallelism");
    "historyCleanupBatchSize" Number "500" => Knob("history.cleanup.batch_size");
    "historyCleanupBatchThreshold" Number "10" => Knob("history.cleanup.threshold");
    "historyCleanupStrategy" Text "removalTimeBased" words STRATEGIES =>
        Knob("history.cleanup.strategy");
    "historyRemovalTimeStrategy" Text "end" => Knob("history.removal_time");
    "historyCleanupJobPriority" Number "0" => Knob("history.cleanup.priority");
    "historyCleanupDefaultNumberOfRetries" Number "" => Knob("history.cleanup.retries");
    "historyCleanupJobLogTimeToLive" Ttl "" => Knob("history.cleanup.job_log_ttl");
    "historyCleanupMetricsEnabled" Flag "true" => Knob("history.cleanup.metrics");
    "metricsEnabled" Flag "true" ["camunda.bpm.metrics.enabled"] => Knob("metrics.enabled");
    "dbMetricsReporterActivate" Flag "true" ["camunda.bpm.metrics.db-reporter-activate"] =>
        Knob("metrics.stored");
    "taskMetricsEnabled" Flag "true" => Warns("true", ASSIGNEES);
    "taskMetricsTimeToLive" Ttl "" => Without(ASSIGNEES);
    "hostname" Text "" => Knob("metrics.reporter");
    // `audit` for an engine that is embedded without anything around it; all that is shipped sets
    // `full`, and the chapters query incidents and the job log.
    "history" Text "full" ["camunda.bpm.history-level"] words LEVELS => Knob("history.level");
    "historyLevel" Text "full" words LEVELS => Knob("history.level");

    "idGenerator" Text "simple" ["camunda.bpm.id-generator"] words GENERATORS =>
        Warns("uuid", super::UUIDS);
    "idBlockSize" Number "100" => Without("keys are made by the node, not fetched in blocks");
    "cacheCapacity" Number "1000" => Knob("model.definition_cache_max");
    "enableXxeProcessing" Flag "false" =>
        Warns("true", "external entities of XML are never read");
    "javaSerializationFormatEnabled" Flag "false" =>
        Warns("true", "Java objects cannot be read; use JSON");
    "dmnEnabled" Flag "true" => Warns("false", "decisions stay available");
    "transactionsExternallyManaged" Flag "false" =>
        Warns("true", "the engine commits its own transactions");
    "dbHistoryUsed" Flag "true" => Warns("false", "`history.level` says what is kept");
};

const ONE_ROW: &str = "the time of removal of an instance is in one row";
const ASSIGNEES: &str = "distinct assignees of user tasks are not counted";
const SETS: &str = "a commit writes each kind of row as one statement";
const CACHE: &str = "an instance stays in memory while it has work";

pub const EXECUTOR: &[Property] = rows! { Camunda7 Executor;
    "maxJobsPerAcquisition" Number "3" ["camunda.bpm.job-execution.max-jobs-per-acquisition"] =>
        Knob("acquisition.jobs_max");
    "waitTimeInMillis" Millis "5000" ["camunda.bpm.job-execution.wait-time-in-millis"] =>
        Knob("acquisition.wait_ms");
    "waitIncreaseFactor" Decimal "2" ["camunda.bpm.job-execution.wait-increase-factor"] =>
        Knob("acquisition.wait_factor");
    "maxWait" Millis "60000" ["camunda.bpm.job-execution.max-wait"] =>
        Knob("acquisition.wait_ms_max");
    "backoffTimeInMillis" Millis "0" ["camunda.bpm.job-execution.backoff-time-in-millis"] =>
        Knob("acquisition.backoff_ms");
    "maxBackoff" Millis "0" ["camunda.bpm.job-execution.max-backoff"] =>
        Knob("acquisition.backoff_ms_max");
    "backoffDecreaseThreshold" Number "100"
        ["camunda.bpm.job-execution.backoff-decrease-threshold"] =>
        Knob("acquisition.backoff_threshold");
    "lockTimeInMillis" Millis "300000" ["camunda.bpm.job-execution.lock-time-in-millis"] =>
        Both("acquisition.lock_ms_max", "acquisition.timer_lock_ms_max");
    "lockOwner" Text "" => Knob("executor.lock_owner");
    "autoActivate" Flag "" => Knob("executor.active");
    "rejectedJobsHandler" Text "notify" words HANDLERS => Knob("executor.rejected_jobs");
    "acquireJobsCmdFactory" Object "" =>
        Without("acquisition is one statement of the store; the executor is a trait");
    "name" Text "" => Without("acquisition has no thread of its own to be named");
    "queueSize" Batches "3"
        ["camunda.bpm.job-execution.queue-capacity",
         "quarkus.camunda.job-executor.thread-pool.queue-size"] =>
        Knob("executor.queue_jobs_max");
    "corePoolSize" Number "3" ["camunda.bpm.job-execution.core-pool-size"] =>
        Knob("executor.workers_core");
    "maxPoolSize" Number "10"
        ["camunda.bpm.job-execution.max-pool-size",
         "quarkus.camunda.job-executor.thread-pool.max-pool-size"] =>
        Knob("executor.workers_max");
    "keepAliveTime" Millis "0" => Knob("executor.worker_keep_alive_ms");
    "commandExecutor" Object "" => Without(RUNNING);
    "processEngines" Object "" => Without(RUNNING);
    "threadPoolExecutor" Object "" => Without(RUNNING);
    "taskExecutor" Object "" => Without("jobs run as tasks of the node, not in a pool of threads");
};

const RUNNING: &str = "an object of the running engine, not a setting";
const HANDLERS: super::Words = &[
    ("org.camunda.bpm.engine.impl.jobexecutor.NotifyAcquisitionRejectedJobsHandler", "notify"),
    ("org.camunda.bpm.engine.impl.jobexecutor.CallerRunsRejectedJobsHandler", "caller-runs"),
];

pub const WEEKDAYS: &[Property] = rows! { Camunda7 Engine;
    "mondayHistoryCleanupBatchWindowStartTime" Time "" => Knob("history.cleanup.monday_start");
    "mondayHistoryCleanupBatchWindowEndTime" Time "" => Knob("history.cleanup.monday_end");
    "tuesdayHistoryCleanupBatchWindowStartTime" Time "" => Knob("history.cleanup.tuesday_start");
    "tuesdayHistoryCleanupBatchWindowEndTime" Time "" => Knob("history.cleanup.tuesday_end");
    "wednesdayHistoryCleanupBatchWindowStartTime" Time "" =>
        Knob("history.cleanup.wednesday_start");
    "wednesdayHistoryCleanupBatchWindowEndTime" Time "" => Knob("history.cleanup.wednesday_end");
    "thursdayHistoryCleanupBatchWindowStartTime" Time "" => Knob("history.cleanup.thursday_start");
    "thursdayHistoryCleanupBatchWindowEndTime" Time "" => Knob("history.cleanup.thursday_end");
    "fridayHistoryCleanupBatchWindowStartTime" Time "" => Knob("history.cleanup.friday_start");
    "fridayHistoryCleanupBatchWindowEndTime" Time "" => Knob("history.cleanup.friday_end");
    "saturdayHistoryCleanupBatchWindowStartTime" Time "" => Knob("history.cleanup.saturday_start");
    "saturdayHistoryCleanupBatchWindowEndTime" Time "" => Knob("history.cleanup.saturday_end");
    "sundayHistoryCleanupBatchWindowStartTime" Time "" => Knob("history.cleanup.sunday_start");
    "sundayHistoryCleanupBatchWindowEndTime" Time "" => Knob("history.cleanup.sunday_end");
};
