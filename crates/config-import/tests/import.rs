//! Files as people have them, and what they become.

use orloj_config_import::{File, Imported, import};
use orloj_settings::{HistoryLevel, Profile};

macro_rules! file {
    ($name:literal) => {
        File { name: $name, bytes: include_bytes!(concat!("files/", $name)) }
    };
}

fn good(files: &[File<'_>]) -> Imported {
    import(files, None).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn problems(files: &[(&str, &str)]) -> String {
    let files: Vec<File<'_>> =
        files.iter().map(|(name, text)| File { name, bytes: text.as_bytes() }).collect();
    let errors = import(&files, None).expect_err("must be refused");
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_platform_with_two_engines_and_three_acquisitions() {
    let imported = good(&[file!("bpm-platform.xml")]);
    let settings = &imported.read.settings;
    assert_eq!(settings.acquisition.jobs_max, 6);
    assert_eq!(settings.acquisitions["nightly"].lock_ms_max, Some(600_000));
    assert_eq!(settings.acquisitions["nightly"].jobs_max, 6);
    assert!(settings.acquisitions.contains_key("spare"));
    assert_eq!(settings.executor.queue_jobs_max, 60);
    let reports = &settings.engines["reports"];
    assert_eq!(reports.executor.acquisition, "nightly");
    assert_eq!(reports.executor.priority_max, 100);
    assert!(!reports.executor.deployment_aware, "that is of the default engine alone");
    insta::assert_snapshot!(imported.to_toml());
}

#[test]
fn a_process_application() {
    let imported = good(&[file!("processes.xml")]);
    let settings = &imported.read.settings;
    assert!(settings.executor.exclusive_over_hierarchies, "the only engine needs no name");
    assert_eq!(settings.jobs.retry_cycle.as_deref(), Some("PT10M,PT17M,PT20M"));
    insta::assert_snapshot!(imported.to_toml());
}

#[test]
fn beans_of_camunda_with_references_and_a_parent() {
    let imported = good(&[file!("camunda.cfg.xml")]);
    let settings = &imported.read.settings;
    assert_eq!(settings.history.level, HistoryLevel::Audit, "the child beats its parent");
    assert_eq!(settings.jobs.retries, 5);
    assert_eq!(settings.executor.queue_jobs_max, 35);
    assert_eq!(settings.executor.worker_keep_alive_ms, 30_000);
    assert_eq!(settings.executor.active, Some(true));
    insta::assert_snapshot!(imported.to_toml());
}

#[test]
fn beans_of_flowable() {
    let imported = good(&[file!("flowable.cfg.xml")]);
    assert_eq!(imported.read.settings.profile, Profile::Flowable);
    let toml = imported.to_toml();
    assert!(!toml.contains("secret"), "a password is nobody's business");
    insta::assert_snapshot!(toml);
}

#[test]
fn yaml_of_spring_boot() {
    let imported = good(&[file!("application.yaml")]);
    let settings = &imported.read.settings;
    assert_eq!(settings.executor.workers_max, 16, "not that of a single profile of Spring");
    assert_eq!(settings.batches.invocations_per_job_by_kind.len(), 2);
    insta::assert_snapshot!(imported.to_toml());
}

#[test]
fn properties_of_spring_boot() {
    let imported = good(&[file!("application.properties")]);
    insta::assert_snapshot!(imported.to_toml());
}

#[test]
fn the_defaults_of_the_chapter_can_be_asked_for() {
    let imported = import(&[file!("flowable.cfg.xml")], Some(Profile::Chapter)).unwrap();
    assert_eq!(imported.read.settings.acquisition.timers_max, 1);
}

#[test]
fn errors_name_file_line_and_column() {
    let descriptor =
        "<process-application xmlns='http://www.camunda.org/schema/1.0/ProcessApplication'>
  <process-engine name='a'>
    <properties>
      <property name='jobExecutorActive'>true</property>
      <property name='jobexecutoractivate'>true</property>
      <property name='defaultNumberOfRetries'>three</property>
      <property name='batchPollTime'>-1</property>
      <property>x</property>
    </properties>
    <colour/>
  </process-engine>
  <process-engine name='a'/>
</process-application>";
    insta::assert_snapshot!(problems(&[("processes.xml", descriptor)]), @r#"
    processes.xml:4:7: Camunda 7 has no property 'jobExecutorActive'; the nearest is 'jobExecutorActivate'
    processes.xml:5:7: Camunda 7 has no property 'jobexecutoractivate'; the nearest is 'jobExecutorActivate'
    processes.xml:6:7: defaultNumberOfRetries: found 'three', expected a whole number
    processes.xml:7:7: batchPollTime: found '-1', expected a whole number of seconds from 0 to 4294967295
    processes.xml:8:7: expected <property name="...">
    processes.xml:10:5: unknown element <colour>
    processes.xml:12:3: a second engine called 'a'
    "#);
    let archive = "<process-application><process-archive name=\"a\">\n<properties>\n\
        <property name=\"deleteUponUndeploy\">true</property>\n\
        <property>true</property>\n</properties>\n<colour/></process-archive></process-application>";
    insta::assert_snapshot!(problems(&[("processes.xml", archive)]), @r#"
    processes.xml:3:1: a process archive has no property 'deleteUponUndeploy'; it has isDeleteUponUndeploy, isScanForProcessDefinitions, isDeployChangedOnly, isResumePreviousVersions, resumePreviousBy, resourceRootPath, additionalResourceSuffixes
    processes.xml:4:1: expected <property name="...">
    processes.xml:6:1: unknown element <colour>
    "#);
    let yaml =
        "camunda:\n  bpm:\n    job-execution:\n      max-wait: 10\n      queue-capasity: 1\n";
    insta::assert_snapshot!(problems(&[("application.yml", yaml)]), @r"
    application.yml:4:17: camunda.bpm.job-execution.max-wait: acquisition.wait_ms (5000) is above acquisition.wait_ms_max (10)
    application.yml:5:23: Camunda 7 has no property 'camunda.bpm.job-execution.queue-capasity'; the nearest is 'camunda.bpm.job-execution.queue-capacity'
    ");
    let said_twice =
        "flowable.process.async.executor.queue-size=3\nflowable.process.async.executor.queueSize=4";
    insta::assert_snapshot!(problems(&[("a.properties", said_twice)]), @"a.properties:2: flowable.process.async.executor.queueSize: executor.queue_jobs_max was already set by flowable.process.async.executor.queue-size (a.properties:1)");
}

#[test]
fn what_is_no_configuration_is_refused() {
    insta::assert_snapshot!(problems(&[("a.txt", "hello")]), @"a.txt: neither XML nor .yaml nor .properties");
    insta::assert_snapshot!(problems(&[("a.yaml", "server:\n  port: 1\n")]), @"a.yaml: nothing of Camunda 7 or Flowable in it");
    insta::assert_snapshot!(problems(&[("a.xml", "<html/>")]), @"a.xml:1:1: <html> is neither a deployment descriptor nor beans of Spring");
    insta::assert_snapshot!(
        problems(&[("a.xml", "<!DOCTYPE beans [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><beans>&x;</beans>")]),
        @"a.xml:1:1: document types are not accepted"
    );
    insta::assert_snapshot!(problems(&[("a.yaml", "a: [1")]), @"a.yaml:2:1: not well-formed YAML: while parsing a flow sequence, expected ',' or ']'");
    insta::assert_snapshot!(
        problems(&[("a.properties", "flowable.history-level=full"), ("b.properties", "camunda.bpm.history-level=full")]),
        @"a.properties, b.properties: files of both systems; import them apart"
    );
    let ring = "<beans>
  <bean id='a' class='org.camunda.bpm.engine.impl.cfg.StandaloneProcessEngineConfiguration'>
    <property name='jobExecutor' ref='b'/>
  </bean>
  <bean id='b' class='org.camunda.bpm.engine.impl.jobexecutor.DefaultJobExecutor'>
    <property name='taskExecutor' ref='b'/>
  </bean>
</beans>";
    assert!(problems(&[("ring.xml", ring)]).contains("in a ring"));
    assert!(problems(&[("empty.xml", "")]).starts_with("empty.xml:1:1"));
}

fn of(name: &str, text: &str) -> Imported {
    good(&[File { name, bytes: text.as_bytes() }])
}

/// In Camunda an engine takes nothing from the one called default.
#[test]
fn engines_do_not_inherit_from_each_other_and_none_is_lost() {
    let descriptor = "<bpm-platform xmlns='http://www.camunda.org/schema/1.0/BpmPlatform'>
  <job-executor><properties><property name='maxPoolSize'>20</property></properties></job-executor>
  <process-engine name='default'>
    <properties>
      <property name='defaultNumberOfRetries'>7</property>
      <property name='historyTimeToLive'>P30D</property>
      <property name='jobExecutorAcquireByPriority'>true</property>
    </properties>
  </process-engine>
  <process-engine name='two'>
    <properties><property name='jobExecutorAcquireByPriority'>true</property></properties>
  </process-engine>
  <process-engine name='three'/>
</bpm-platform>";
    let imported = of("bpm-platform.xml", descriptor);
    insta::assert_snapshot!(imported.to_toml(), @r#"
    # Made by `orloj config import`. Each value says where it came from.
    profile = "camunda7"

    [executor]
    # bpm-platform.xml:7:7 jobExecutorAcquireByPriority
    by_priority = true
    # bpm-platform.xml:2:29 maxPoolSize
    workers_max = 20

    [jobs]
    # bpm-platform.xml:5:7 defaultNumberOfRetries
    retries = 7

    [history]
    # bpm-platform.xml:6:7 historyTimeToLive
    ttl = "P30D"

    [engines.three.executor]
    # bpm-platform.xml:7:7 is of the engine 'default' alone
    by_priority = false

    [engines.three.jobs]
    # bpm-platform.xml:5:7 is of the engine 'default' alone
    retries = 3

    [engines.three.history]
    # bpm-platform.xml:6:7 is of the engine 'default' alone
    ttl = ""

    [engines.two.executor]
    # bpm-platform.xml:11:17 jobExecutorAcquireByPriority
    by_priority = true

    [engines.two.jobs]
    # bpm-platform.xml:5:7 is of the engine 'default' alone
    retries = 3

    [engines.two.history]
    # bpm-platform.xml:6:7 is of the engine 'default' alone
    ttl = ""
    "#);
    let engines = &imported.read.settings.engines;
    assert_eq!(imported.read.settings.jobs.retries, 7);
    for name in ["two", "three"] {
        assert_eq!(engines[name].jobs.retries, 3, "the profile's");
        assert_eq!(engines[name].history.ttl, None);
        assert_eq!(engines[name].executor.workers_max, 20, "what holds for all");
    }
    assert!(engines["two"].executor.by_priority && !engines["three"].executor.by_priority);
    let alike = of(
        "processes.xml",
        "<process-application>
  <process-engine name='default'/><process-engine name='two'/>
</process-application>",
    );
    assert!(alike.to_toml().contains("\n[engines.two]\n"), "{}", alike.to_toml());
}

#[test]
fn a_bean_without_a_class_has_that_of_its_parents() {
    let beans = "<beans>
  <bean id='grandparent' abstract='true'
        class='org.camunda.bpm.engine.spring.SpringProcessEngineConfiguration'>
    <property name='history' value='none'/>
    <property name='defaultNumberOfRetries' value='9'/>
  </bean>
  <bean id='parent' abstract='true' parent='grandparent'>
    <property name='history' value='audit'/>
    <property name='metricsEnabled' value='false'/>
  </bean>
  <bean id='engine' parent='parent'>
    <property name='metricsEnabled' value='true'/>
  </bean>
  <bean id='services' class='org.example.Services'/>
  <bean id='nightly' class='org.camunda.bpm.engine.impl.jobexecutor.DefaultJobExecutor'/>
  <bean id='lost' parent='elsewhere'/>
</beans>";
    let imported = of("beans.xml", beans);
    let settings = &imported.read.settings;
    assert_eq!(settings.history.level, HistoryLevel::Audit);
    assert_eq!(settings.jobs.retries, 9);
    assert!(settings.metrics.enabled);
    let notes: Vec<String> = imported.notes().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(notes.join("\n"), @r"
    beans.xml:14:3: note: bean services: org.example.Services was not taken: it is not of the engine
    beans.xml:15:3: warning: bean nightly: org.camunda.bpm.engine.impl.jobexecutor.DefaultJobExecutor was not taken: no engine refers to it
    beans.xml:16:3: warning: bean lost: was not taken: it has no class, and its parent 'elsewhere' is not in this file
    ");
    let ring = "<beans><bean id='a' parent='b'/><bean id='b' parent='a' \
                class='org.camunda.bpm.engine.spring.SpringProcessEngineConfiguration'/></beans>";
    assert!(problems(&[("ring.xml", ring)]).contains("in a ring"));
}

#[test]
fn merged_keys_and_later_documents() {
    let yaml = "base: &base\n  queue-capacity: 5\n  max-pool-size: 6\n\
                camunda:\n  bpm:\n    job-execution:\n      <<: *base\n      max-pool-size: 7\n\
                ---\ncamunda.bpm.job-execution.core-pool-size: 2\n\
                camunda.bpm.jobExecution.queueCapacity: 4\n";
    let imported = of("application.yaml", yaml);
    let executor = &imported.read.settings.executor;
    assert_eq!((executor.workers_max, executor.workers_core), (7, 2));
    assert_eq!(executor.queue_jobs_max, 12, "four batches of three");
    let notes: Vec<String> = imported.notes().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(notes.join("\n"), @r"
    application.yaml:2:19: note: camunda.bpm.job-execution.queue-capacity: is overruled by camunda.bpm.jobExecution.queueCapacity (application.yaml:11:41)
    application.yaml:2:19: note: base.*: 2 values not taken: not of the engine
    ");
    // Two names of one thing within one document stay a contradiction.
    let twice = "flowable.process.async.executor.keep-alive: PT1S\n\
                 flowable.process.async.executor.keep-alive-time: 2000\n";
    assert!(problems(&[("a.yaml", twice)]).contains("was already set by"));
}

#[test]
fn errors_name_the_property() {
    let descriptor = "<process-application>
  <process-engine name='default'>
    <properties>
      <property name='jobExecutorPriorityRangeMin'>high</property>
      <property name='historyCleanupDegreeOfParallelism'>-5</property>
      <property name='failedJobRetryTimeCycle'>R3/soon</property>
      <property name='history'>variable</property>
      <property name='idGenerator'>simple</property>
    </properties>
  </process-engine>
</process-application>";
    insta::assert_snapshot!(problems(&[("processes.xml", descriptor)]), @r"
    processes.xml:4:7: jobExecutorPriorityRangeMin: found 'high', expected a whole number
    processes.xml:5:7: historyCleanupDegreeOfParallelism: found -5, expected 1 to 8
    processes.xml:6:7: failedJobRetryTimeCycle: 'R3/soon' is no cycle of retries: it must be a duration, R and a number of tries and a duration, or a list of durations
    ");
    let platform = "<bpm-platform><job-executor><job-acquisition name='a'><properties>
  <property name='lockTimeInMillis'>-5</property>
  <property name='waitTimeInMillis'>0</property>
</properties></job-acquisition></job-executor></bpm-platform>";
    insta::assert_snapshot!(problems(&[("bpm-platform.xml", platform)]), @r"
    bpm-platform.xml:2:3: lockTimeInMillis: found -5, expected 1 to 31622400000
    bpm-platform.xml:3:3: waitTimeInMillis: found 0, expected 1 to 31622400000
    ");
}

#[test]
fn what_is_not_of_the_engine_is_told_by_group() {
    let properties = "server.port=8080\nspring.datasource.url=jdbc:postgresql://db/camunda\n\
                      spring.datasource.username=camunda\nspring.jpa.open-in-view=false\n\
                      flowable.history-level=full\n";
    let notes: Vec<String> =
        of("a.properties", properties).notes().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(notes.join("\n"), @r"
    a.properties:1: note: server.*: 1 value not taken: not of the engine; `listen_http` says where the node is found
    a.properties:3: note: spring.*: 2 values not taken: not of the engine; the URL of `store` names the user
    ");
    let mysql = "spring.datasource.url=jdbc:mysql://db/camunda\nflowable.history-level=full\n";
    let mysql = of("a.properties", mysql);
    let notes: Vec<String> = mysql.notes().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(notes.join("\n"), @"a.properties:1: note: spring.*: 1 value not taken: not of the engine; `store` says where the tables are");
}

#[test]
fn beans_of_a_list_that_are_not_in_the_file_are_told() {
    let list = |items: &str| {
        let beans = format!(
            "<beans><bean id='engine' \
             class='org.camunda.bpm.engine.spring.SpringProcessEngineConfiguration'>\n\
             <property name='customPostBPMNParseListeners'><list>{items}</list></property>\
             </bean><bean id='here' class='org.example.Here'/></beans>"
        );
        let notes: Vec<String> =
            of("beans.xml", &beans).notes().iter().map(ToString::to_string).collect();
        notes.join("\n")
    };
    let beside = list("<ref bean='here'/><ref bean='elsewhere'/>");
    assert!(beside.contains("org.example.Here has no effect"), "{beside}");
    assert!(beside.contains("elsewhere has no effect"), "{beside}");
    let alone = list("<ref bean='elsewhere'/>");
    assert!(alone.contains("elsewhere has no effect"), "{alone}");
}

#[test]
fn an_archive_names_the_address_of_its_engine() {
    let descriptor = "<process-application>
  <process-engine name='default'/><process-engine name='two'/>
  <process-archive name='a'><process-engine>default</process-engine></process-archive>
  <process-archive name='b'><process-engine>two</process-engine></process-archive>
</process-application>";
    let toml = of("processes.xml", descriptor).to_toml();
    assert!(toml.contains("default was not taken") && toml.contains("at /api/deployments\n"));
    assert!(toml.contains("[engines.two] takes them at /api/engine/two/deployments\n"), "{toml}");
    assert!(!toml.contains("[engines.default]"), "{toml}");
}
