//! What concerns jobs, history and batches in Flowable. Defaults are those of the source; where the
//! chapter on the async executor differs, it says so.

use super::Fate::{Knob, Scripting, Warns, Without};
use super::{Property, rows};

/// Flowable keeps less at its lower levels than any level here; the next one has all of it.
const LEVELS: super::Words = &[("instance", "activity"), ("task", "activity")];
const UNLIMITED: super::Words = &[("-1", "")];
const GENERATORS: super::Words = &[
    ("org.flowable.common.engine.impl.persistence.StrongUuidGenerator", "uuid"),
    ("org.flowable.engine.impl.persistence.StrongUuidGenerator", "uuid"),
    ("org.flowable.common.engine.impl.db.DbIdGenerator", "keys"),
    ("org.flowable.engine.impl.db.DbIdGenerator", "keys"),
];
const SETS: &str = "a commit writes each kind of row as one statement";
const OWNED: &str = "locks end with their node, whose name fences its predecessor";
const GLOBAL: &str = "acquisitions of several nodes skip each other's rows and need no lock";
const ON_TIME: &str = "timers are made ready when they are due, not looked for in between";
const POOL: &str = "jobs run as tasks of the node, not in a pool of threads";
const QUEUES: &str = "locks of jobs in message queues are kept like all others";
const NAMES: &str = "acquisition has no threads of its own to be named";

pub const ENGINE: &[Property] = rows! { Flowable Engine;
    "asyncExecutorActivate" Flag "false" ["flowable.async-executor-activate"] =>
        Knob("executor.active");
    "asyncExecutorThreadPoolQueueSize" Number "2048" chapter "100" =>
        Knob("executor.queue_jobs_max");
    "asyncExecutorCorePoolSize" Number "8" => Knob("executor.workers_core");
    "asyncExecutorMaxPoolSize" Number "8" => Knob("executor.workers_max");
    "asyncExecutorThreadKeepAliveTime" Millis "5000" => Knob("executor.worker_keep_alive_ms");
    "asyncExecutorAllowCoreThreadTimeout" Flag "true" => Without(POOL);
    "asyncExecutorSecondsToWaitOnShutdown" Seconds "60" => Knob("executor.shutdown_wait_ms");
    "asyncExecutorThreadPoolQueue" Object "" => Without(POOL);
    "asyncExecutorThreadFactory" Object "" => Without(POOL);
    "asyncExecutorNumberOfRetries" Number "3" => Knob("jobs.retries");
    "asyncExecutorMaxTimerJobsPerAcquisition" Number "512" chapter "1" =>
        Knob("acquisition.timers_max");
    "asyncExecutorMaxAsyncJobsDuePerAcquisition" Number "512" chapter "1" =>
        Knob("acquisition.jobs_max");
    "asyncExecutorDefaultTimerJobAcquireWaitTime" Millis "10000" => Without(ON_TIME);
    "asyncExecutorDefaultAsyncJobAcquireWaitTime" Millis "10000" => Knob("acquisition.wait_ms");
    "asyncExecutorDefaultQueueSizeFullWaitTime" Millis "5000" chapter "0" =>
        Knob("executor.queue_full_wait_ms");
    "asyncExecutorTimerLockTimeInMillis" Millis "3600000" chapter "300000" =>
        Knob("acquisition.timer_lock_ms_max");
    "asyncExecutorAsyncJobLockTimeInMillis" Millis "3600000" chapter "300000" =>
        Knob("acquisition.lock_ms_max");
    "asyncExecutorResetExpiredJobsInterval" Millis "60000" =>
        Knob("executor.reset_expired_interval_ms");
    "asyncExecutorResetExpiredJobsPageSize" Number "3" => Knob("executor.reset_expired_page");
    "asyncExecutorResetExpiredJobsMaxTimeout" Millis "86400000" => Without(QUEUES);
    "asyncExecutorLockOwner" Text "" => Knob("executor.lock_owner");
    "asyncExecutorUnlockOwnedJobs" Flag "true" => Warns("false", OWNED);
    "asyncExecutorAsyncJobAcquisitionEnabled" Flag "true" => Knob("executor.take_async");
    "asyncExecutorTimerJobAcquisitionEnabled" Flag "true" => Knob("executor.take_timers");
    "asyncExecutorResetExpiredJobsEnabled" Flag "true" => Knob("executor.reset_expired");
    "asyncExecutorTenantId" Text "" => Knob("executor.tenant");
    "asyncExecutorMessageQueueMode" Flag "false" =>
        Warns("true", "jobs are handed to the node's own executor, not to a message queue");
    "defaultFailedJobWaitTime" Seconds "10" => Knob("jobs.failed_wait_ms");
    "asyncFailedJobWaitTime" Seconds "10" => Knob("jobs.async_failed_wait_ms");
    "enabledJobCategories" List "" => Knob("executor.categories");
    "jobExecutionScope" Text "" => Without(SCOPES);
    "historyJobExecutionScope" Text "" => Without(SCOPES);
    "parallelMultiInstanceAsyncLeave" Flag "true" =>
        Knob("model.parallel_multi_instance_async_leave");
    "batchStatusTimeCycleConfig" Text "30 * * * * ?" => Knob("batches.poll_cycle");
    "asyncHistoryEnabled" Flag "false" ["flowable.process.async-history.enable"] => Without(ASYNC);
    "asyncHistoryExecutorActivate" Flag "false" ["flowable.async-history-executor-activate"] =>
        Without(ASYNC);
    "asyncHistoryExecutorNumberOfRetries" Number "10" => Without(ASYNC);

    "history" Text "audit" words LEVELS => Knob("history.level");
    "historyLevel" Text "audit" ["flowable.history-level"] words LEVELS => Knob("history.level");
    "enableProcessDefinitionHistoryLevel" Flag "true"
        ["flowable.process.enable-process-definition-history-level"] =>
        Knob("history.level_per_definition");
    "enableHistoryCleaning" Flag "false" ["flowable.enable-history-cleaning"] =>
        Knob("history.cleanup.enabled");
    "historyCleaningTimeCycleConfig" Text "0 0 1 * * ?" ["flowable.history-cleaning-cycle"] =>
        Knob("history.cleanup.cycle");
    "cleanInstancesEndedAfter" Days "365" ["flowable.history-cleaning-after"] =>
        Knob("history.ttl");
    "cleanInstancesEndedAfterNumberOfDays" Days "365" ["flowable.history-cleaning-after-days"] =>
        Knob("history.ttl");
    "cleanInstancesBatchSize" Number "100" ["flowable.history-cleaning-batch-size"] =>
        Knob("history.cleanup.batch_size");
    "bulkInsertEnabled" Flag "true" => Knob("rows.in_bulk");
    "maxNrOfStatementsInBulkInsert" Number "100" => Without(SETS);
    "idGenerator" Text "org.flowable.common.engine.impl.db.DbIdGenerator" words GENERATORS =>
        Warns("uuid", super::UUIDS);
    "idBlockSize" Number "2500" => Without("keys are made by the node, not fetched in blocks");
    "usePrefixId" Flag "false" => Without("keys and UUIDs carry no prefix");
    "processDefinitionCacheLimit" Number "-1" ["flowable.process.definition-cache-limit"]
        words UNLIMITED => Knob("model.definition_cache_max");
    "enableSafeBpmnXml" Flag "false" ["flowable.process.enable-safe-xml"] =>
        Warns("false", "models are always checked before they are read");
    "enableDatabaseEventLogging" Flag "false" =>
        Warns("true", "the event log of Flowable is not written; history has its own events");
    "flowable5CompatibilityEnabled" Flag "false" =>
        Warns("true", "instances of Flowable 5 cannot be run");
    "transactionsExternallyManaged" Flag "false" =>
        Warns("true", "the engine commits its own transactions");
    "dbHistoryUsed" Flag "true" ["flowable.db-history-used"] =>
        Warns("false", "`history.level` says what is kept");
    "enableConfiguratorServiceLoader" Flag "true" =>
        Without("configurators are given to the builder and always sorted");
};

const SCOPES: &str = "there is one executor for all jobs";
const ASYNC: &str = "history is written with the change itself";

pub const EXECUTOR: &[Property] = rows! { Flowable Executor;
    "queueSize" Number "2048" chapter "100" => Knob("executor.queue_jobs_max");
    "corePoolSize" Number "8" => Knob("executor.workers_core");
    "maxPoolSize" Number "8" => Knob("executor.workers_max");
    "keepAlive" Duration "PT5S" => Knob("executor.worker_keep_alive_ms");
    "keepAliveTime" Millis "5000" => Knob("executor.worker_keep_alive_ms");
    "allowCoreThreadTimeout" Flag "true" => Without(POOL);
    "awaitTerminationPeriod" Duration "PT60S" => Knob("executor.shutdown_wait_ms");
    "secondsToWaitOnShutdown" Seconds "60" => Knob("executor.shutdown_wait_ms");
    "maxTimerJobsPerAcquisition" Number "512" chapter "1" => Knob("acquisition.timers_max");
    "maxAsyncJobsDuePerAcquisition" Number "512" chapter "1" => Knob("acquisition.jobs_max");
    "defaultTimerJobAcquireWaitTime" Duration "PT10S" => Without(ON_TIME);
    "defaultTimerJobAcquireWaitTimeInMillis" Millis "10000" => Without(ON_TIME);
    "defaultAsyncJobAcquireWaitTime" Duration "PT10S" => Knob("acquisition.wait_ms");
    "defaultAsyncJobAcquireWaitTimeInMillis" Millis "10000" => Knob("acquisition.wait_ms");
    "defaultQueueSizeFullWaitTime" Duration "PT5S" chapter "0" =>
        Knob("executor.queue_full_wait_ms");
    "defaultQueueSizeFullWaitTimeInMillis" Millis "5000" chapter "0" =>
        Knob("executor.queue_full_wait_ms");
    "timerLockTime" Duration "PT1H" chapter "PT5M" => Knob("acquisition.timer_lock_ms_max");
    "timerLockTimeInMillis" Millis "3600000" chapter "300000" =>
        Knob("acquisition.timer_lock_ms_max");
    "asyncJobLockTime" Duration "PT1H" chapter "PT5M" => Knob("acquisition.lock_ms_max");
    "asyncJobLockTimeInMillis" Millis "3600000" chapter "300000" =>
        Knob("acquisition.lock_ms_max");
    "resetExpiredJobsInterval" Duration "PT60S" => Knob("executor.reset_expired_interval_ms");
    "resetExpiredJobsPageSize" Number "3" => Knob("executor.reset_expired_page");
    "resetExpiredJobEnabled" Flag "true" => Knob("executor.reset_expired");
    "lockOwner" Text "" => Knob("executor.lock_owner");
    "unlockOwnedJobs" Flag "true" => Warns("false", OWNED);
    "asyncJobAcquisitionEnabled" Flag "true" => Knob("executor.take_async");
    "timerJobAcquisitionEnabled" Flag "true" => Knob("executor.take_timers");
    "timerRunnableNeeded" Flag "true" => Knob("executor.take_timers");
    "moveTimerExecutorPoolSize" Number "4" => Without("due timers are acquired where they are");
    "globalAcquireLockEnabled" Flag "false" => Warns("true", GLOBAL);
    "globalAcquireLockPrefix" Text "" => Without(GLOBAL);
    "asyncJobsGlobalLockWaitTime" Duration "PT1M" => Without(GLOBAL);
    "asyncJobsGlobalLockPollRate" Duration "PT0.5S" => Without(GLOBAL);
    "asyncJobsGlobalLockForceAcquireAfter" Duration "PT10M" => Without(GLOBAL);
    "timerLockWaitTime" Duration "PT1M" => Without(GLOBAL);
    "timerLockPollRate" Duration "PT0.5S" => Without(GLOBAL);
    "timerLockForceAcquireAfter" Duration "PT10M" => Without(GLOBAL);
    "tenantId" Text "" => Knob("executor.tenant");
    "autoActivate" Flag "" => Knob("executor.active");
    "messageQueueMode" Flag "false" =>
        Warns("true", "jobs are handed to the node's own executor, not to a message queue");
    "acquireRunnableThreadName" Text "" => Without(NAMES);
    "resetExpiredRunnableName" Text "" => Without(NAMES);
    "threadNamePrefix" Text "" => Without(NAMES);
    "threadPoolNamingPattern" Text "" => Without(NAMES);
    "taskExecutor" Object "" => Without(POOL);
};

pub const SCRIPTING: &[Property] = rows! { Flowable Scripting;
    "enableClassWhiteListing" Flag "false" => Scripting("enableClassWhiteListing");
    "whiteListedClasses" List "" => Scripting("whiteListedClasses");
    "maxScriptExecutionTime" Number "-1" => Scripting("maxScriptExecutionTime");
    "maxMemoryUsed" Number "-1" => Scripting("maxMemoryUsed");
    "maxStackDepth" Number "-1" => Scripting("maxStackDepth");
    "nrOfInstructionsBeforeStateCheckCallback" Number "100" =>
        Scripting("nrOfInstructionsBeforeStateCheckCallback");
    "scriptOptimizationLevel" Number "-1" => Scripting("scriptOptimizationLevel");
    "enableAccessToBeans" Flag "false" => Scripting("enableAccessToBeans");
};
