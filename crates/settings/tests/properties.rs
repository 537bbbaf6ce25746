//! The tables of properties: complete, typed, with defaults that fit, and the page made of them.

use std::collections::BTreeMap;
use std::path::Path;

use orloj_settings::properties::{
    Owner, convert, find_boot, find_property, properties, suggestion,
};
use orloj_settings::{Fate, KNOBS, Kind, Profile, Property, Settings, System, Value, docs};

#[test]
fn the_page_is_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/compat/properties.md");
    let page = docs::page();
    if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, &page).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == page,
        "docs/compat/properties.md is out of date: INSTA_UPDATE=always cargo test -p \
         orloj-settings the_page_is_up_to_date"
    );
}

#[test]
fn names_are_unique_within_a_system() {
    let mut seen = BTreeMap::new();
    for property in properties() {
        let name = property.name.to_lowercase();
        // Camunda's plug-ins spell it with a small s.
        if property.name == "datasource" {
            continue;
        }
        let earlier = seen.insert((property.system, name), property.name);
        assert!(
            earlier.is_none() || earlier.is_some_and(|e| e.contains("BPMN") || e.contains("Bpmn")),
            "{} and {earlier:?}",
            property.name
        );
    }
}

#[test]
fn every_property_is_found_by_each_of_its_names() {
    for property in properties() {
        if property.owner != Owner::Boot {
            let found = find_property(property.system, property.name, false).unwrap();
            assert_eq!(found.name, property.name);
            assert!(find_property(property.system, property.name, true).is_some());
        }
        for name in property.boot {
            assert_eq!(find_boot(name).unwrap().name, property.name, "{name}");
        }
        if property.owner == Owner::Boot {
            let name = property.name.replace('*', "anything");
            assert_eq!(find_boot(&name).unwrap().name, property.name);
        }
    }
}

#[test]
fn knobs_exist_and_defaults_fit() {
    for property in properties() {
        for knob in property.fate.knobs() {
            assert!(KNOBS.iter().any(|known| known.name == knob), "{knob}");
        }
        for default in [Some(property.default), property.chapter].into_iter().flatten() {
            let value = convert(property, &Value::text(default));
            assert!(value.is_ok(), "{}: {value:?}", property.name);
        }
    }
}

/// Two names of one knob would otherwise make the profile depend on their order.
#[test]
fn names_of_one_knob_have_one_default() {
    let mut defaults: BTreeMap<(System, &str), (Value, &Property)> = BTreeMap::new();
    for property in properties().filter(|property| property.owner != Owner::Boot) {
        for text in [Some(property.default), property.chapter].into_iter().flatten() {
            if text.is_empty() || property.chapter.is_some() && text == property.default {
                continue;
            }
            let value = convert(property, &Value::text(text)).unwrap();
            for knob in property.fate.knobs() {
                if let Some((other, earlier)) = defaults.get(&(property.system, knob)) {
                    assert_eq!(*other, value, "{} and {}", property.name, earlier.name);
                }
                defaults.insert((property.system, knob), (value.clone(), property));
            }
        }
    }
}

#[test]
fn wrong_types_are_refused_by_every_typed_property() {
    let mut count = 0;
    for property in properties() {
        let wrong = match property.kind {
            Kind::Object | Kind::Text => continue,
            Kind::List | Kind::Map => Value::Flag(true),
            _ => Value::text("soon"),
        };
        assert!(convert(property, &wrong).is_err(), "{}", property.name);
        count += 1;
    }
    assert!(count > 250, "{count}");
}

#[test]
fn a_negative_count_is_called_one() {
    let said = |name, value: &str| {
        let property = find_property(System::Camunda7, name, false).expect(name);
        convert(property, &Value::text(value)).expect_err("refused")
    };
    let batches = "found '-1', expected a whole number from 0 to 4294967295";
    assert_eq!(said("queueSize", "-1"), batches);
    let seconds = "found '-1', expected a whole number of seconds from 0 to 4294967295";
    assert_eq!(said("batchPollTime", "-1"), seconds);
}

/// What the chapters and the specification name, by hand, so that a lost row is noticed. That a knob
/// is read by the engine is the business of `xtask tidy`, and what it does that of the runtime's
/// tests.
#[test]
fn what_the_chapters_name_turns_a_knob() {
    let camunda = "maxJobsPerAcquisition waitTimeInMillis waitIncreaseFactor maxWait \
        backoffTimeInMillis maxBackoff backoffDecreaseThreshold lockTimeInMillis lockOwner \
        autoActivate rejectedJobsHandler queueSize corePoolSize maxPoolSize keepAliveTime \
        jobExecutorActivate jobExecutorDeploymentAware jobExecutorPreferTimerJobs \
        jobExecutorAcquireByDueDate jobExecutorAcquireByPriority jobExecutorPriorityRangeMin \
        jobExecutorPriorityRangeMax jobExecutorAcquireExclusiveOverProcessHierarchies \
        ensureJobDueDateNotNull producePrioritizedJobs producePrioritizedExternalTasks \
        hintJobExecutor defaultNumberOfRetries failedJobRetryTimeCycle \
        legacyJobRetryBehaviorEnabled \
        createIncidentOnFailedJobEnabled reevaluateTimeCycleWhenDue \
        enableReducedJobExceptionLogging enforceHistoryTimeToLive historyTimeToLive \
        batchJobsPerSeed invocationsPerBatchJob invocationsPerBatchJobByBatchType batchPollTime \
        batchJobPriority batchOperationHistoryTimeToLive historyCleanupBatchWindowStartTime \
        historyCleanupDegreeOfParallelism historyCleanupStrategy historyRemovalTimeStrategy \
        historyCleanupJobPriority metricsEnabled dbMetricsReporterActivate history hostname";
    let flowable = "asyncExecutorActivate asyncExecutorThreadPoolQueueSize \
        asyncExecutorCorePoolSize asyncExecutorMaxPoolSize asyncExecutorThreadKeepAliveTime \
        asyncExecutorNumberOfRetries asyncExecutorMaxTimerJobsPerAcquisition \
        asyncExecutorMaxAsyncJobsDuePerAcquisition \
        asyncExecutorDefaultAsyncJobAcquireWaitTime asyncExecutorDefaultQueueSizeFullWaitTime \
        asyncExecutorTimerLockTimeInMillis asyncExecutorAsyncJobLockTimeInMillis \
        asyncExecutorSecondsToWaitOnShutdown asyncExecutorResetExpiredJobsInterval \
        asyncExecutorResetExpiredJobsPageSize bulkInsertEnabled \
        enableClassWhiteListing whiteListedClasses maxStackDepth maxScriptExecutionTime \
        maxMemoryUsed enabledJobCategories defaultFailedJobWaitTime";
    for (system, names) in [(System::Camunda7, camunda), (System::Flowable, flowable)] {
        for name in names.split_whitespace() {
            let property = find_property(system, name, false).expect(name);
            assert!(!matches!(property.fate, Fate::Without(_) | Fate::Warns(..)), "{name}");
        }
    }
    let others = "idBlockSize enableSafeBpmnXml configurators loggingListener \
        asyncExecutorDefaultTimerJobAcquireWaitTime globalAcquireLockEnabled";
    for name in others.split_whitespace() {
        assert!(find_property(System::Flowable, name, false).is_some(), "{name}");
    }
    assert_eq!(
        suggestion(System::Flowable, "asyncExecutorCorePolSize"),
        Some("asyncExecutorCorePoolSize")
    );
}

#[test]
fn profiles_are_the_defaults_of_their_systems() {
    let camunda = Settings::of(Profile::Camunda7);
    assert_eq!(camunda.executor.queue_jobs_max, 9, "three batches of three");
    assert_eq!((camunda.executor.workers_core, camunda.executor.workers_max), (3, 10));
    assert_eq!(camunda.acquisition.jobs_max, 3);
    assert_eq!(camunda.acquisition.timers_max, 256, "its timers are acquired like all jobs");
    assert_eq!(camunda.acquisition.lock_ms_max, Some(300_000));
    assert!(camunda.history.ttl_required);
    assert_eq!(camunda.executor.active, None, "where the engine runs decides");

    let flowable = Settings::of(Profile::Flowable);
    assert_eq!(flowable.executor.queue_jobs_max, 2_048);
    assert_eq!(flowable.acquisition.jobs_max, 512);
    assert_eq!(flowable.acquisition.lock_ms_max, Some(3_600_000));
    assert_eq!(flowable.acquisition.wait_ms_max, 10_000, "waits do not grow");
    assert_eq!(flowable.jobs.failed_wait_ms, Some(10_000));

    let chapter = Settings::of(Profile::Chapter);
    assert_eq!(chapter.executor.queue_jobs_max, 100);
    assert_eq!((chapter.acquisition.jobs_max, chapter.acquisition.timers_max), (1, 1));
    assert_eq!(chapter.acquisition.timer_lock_ms_max, Some(300_000));
    assert_eq!(chapter.executor.queue_full_wait_ms, 0);
    assert_eq!(Settings::of(Profile::Orloj), Settings::default());
}
